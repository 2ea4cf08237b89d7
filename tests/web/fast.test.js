// The modules for speed, both builds: attention on tensors that stay in the module's memory and on arrays that are copied, masks, blocks of
// queries, errors as values, memory that is given back. Against attention in double precision, written out here.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { chooseBuild, loadFast } from '../../web/engine/fast.js';
import { FastTensor } from '../../web/engine/fast-memory.js';
import { drawsFrom, wasmDir } from './support.js';

/** @typedef {import('../../web/engine/fast.js').Fast} Fast */

// Node.js 20 has relaxed SIMD, but switched off.
if (chooseBuild('auto').build === 'simd') setFlagsFromString('--experimental-wasm-relaxed-simd');

const bytes = (/** @type {string} */ name) => new Uint8Array(readFileSync(`${wasmDir}/${name}`));
const sources = { simd: { wasmBytes: bytes('attn-fast.wasm') }, relaxed: { wasmBytes: bytes('attn-fast-relaxed.wasm') }, spans: { wasmBytes: bytes('attn-spans.wasm') } };
/** @type {Record<'simd' | 'relaxed', Fast>} */
const builds = { simd: await loadFast({ simd: 'simd', sources }), relaxed: await loadFast({ simd: 'relaxed', sources }) };

/** Entries in -2 to 2. @param {(n: number) => number} draw @param {number[]} shape */
const random = (draw, shape) => ({ data: Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => draw(4001) / 1000 - 2), shape });

/**
 * One head of attention in double precision.
 * @param {Float32Array} q @param {Float32Array} k @param {Float32Array} v @param {number} d @param {number} width
 * @param {(query: number, key: number) => boolean} allows
 */
function reference(q, k, v, d, width, allows) {
  return Array.from({ length: q.length / d }, (_, i) => {
    const scores = Array.from({ length: k.length / d }, (_, j) => {
      let score = 0;
      for (let c = 0; c < d; ++c) score += q[i * d + c] * k[j * d + c];
      return allows(i, j) ? score / Math.sqrt(d) : -Infinity;
    });
    const largest = Math.max(...scores);
    const weights = scores.map((score) => (score === -Infinity ? 0 : Math.exp(score - largest)));
    const sum = weights.reduce((a, b) => a + b, 0);
    return Array.from({ length: width }, (_, c) => (sum === 0 ? 0 : weights.reduce((pooled, weight, j) => pooled + (weight / sum) * v[j * width + c], 0)));
  }).flat();
}

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
const farthest = (a, b) => Array.from(a).reduce((most, each, i) => Math.max(most, Math.abs(each - b[i])), 0);

// eight units in the last place of values up to 2
const bound = 8 * 2 ** -23;

test('the probe chooses relaxed SIMD where the engine has it, and says why', () => {
  assert.deepEqual(chooseBuild('auto'), { build: 'relaxed', reason: 'this engine has relaxed SIMD' });
  const old = /** @type {any} */ ({ validate: () => false });
  assert.deepEqual(chooseBuild('auto', old), { build: 'simd', reason: 'this engine has no relaxed SIMD' });
  assert.deepEqual(chooseBuild('simd'), { build: 'simd', reason: 'asked for' });
  assert.throws(() => chooseBuild('relaxed', old), { code: 'wasm_no_simd', param: 'simd' });
  assert.throws(() => chooseBuild(/** @type {any} */ ('avx')), { code: 'unknown_choice', param: 'simd', message: 'simd is "avx"; allowed are "auto", "simd" and "relaxed"' });
  assert.equal(builds.simd.build, 'simd');
  assert.equal(builds.relaxed.build, 'relaxed');
});

for (const [name, fast] of Object.entries(builds)) {
  test(`${name}: attention at odd sizes is attention`, () => {
    const draw = drawsFrom(61);
    for (const n of [1, 2, 3, 5, 7, 37, 53, 63, 65]) {
      for (const [m, d, width] of [[n, n, n], [37, 8, 3], [70, 5, 65]]) {
        const queries = random(draw, [1, n, d]), keys = random(draw, [1, m, d]), values = random(draw, [1, m, width]);
        const { output, logNormalizer } = fast.attention({ queries, keys, values });
        assert.deepEqual(output.shape, [1, n, width]);
        assert.deepEqual(logNormalizer.shape, [1, n]);
        const { data } = /** @type {{data: Float32Array}} */ (output);
        assert.ok(farthest(data, reference(queries.data, keys.data, values.data, d, width, () => true)) < bound, `${n} ${m} ${d} ${width}`);
      }
    }
  });

  test(`${name}: tensors in memory are not copied, and masks, lengths and blocks of queries say the same`, () => {
    const draw = drawsFrom(62);
    const q = random(draw, [2, 3, 40, 8]), k = random(draw, [2, 3, 50, 8]), v = random(draw, [2, 3, 50, 4]);
    const lens = [[...Array(40).keys()], Array.from({ length: 40 }, () => 50)];
    const copied = fast.attention({ queries: q, keys: k, values: v, validLens: lens });
    const queries = fast.tensor(q.shape, q.data), keys = fast.tensor(k.shape, k.data), values = fast.tensor(v.shape, v.data), output = fast.tensor([2, 3, 40, 4]);
    const result = fast.attention({ queries, keys, values, validLens: lens, output });
    assert.equal(result.output, output);
    assert.deepEqual(output.view, /** @type {{data: Float32Array}} */ (copied.output).data);
    assert.ok(result.logNormalizer instanceof FastTensor);
    assert.equal(result.logNormalizer.view[0], -Infinity, 'the first query has no key');
    assert.deepEqual([...output.view.subarray(0, 4)], [0, 0, 0, 0]);
    const head = (/** @type {{data: Float32Array}} */ { data }, /** @type {number} */ at, /** @type {number} */ size) => data.subarray(at * size, (at + 1) * size);
    for (let at = 0; at < 6; ++at) {
      const expected = reference(head(q, at, 320), head(k, at, 400), head(v, at, 200), 8, 4, (i, j) => j < lens[at < 3 ? 0 : 1][i]);
      assert.ok(farthest(output.view.subarray(at * 160, (at + 1) * 160), expected) < bound);
    }
    const causal = fast.attention({ queries, keys, values, mask: 'causal' });
    const padded = fast.attention({ queries, keys, values, validLens: [40, 7] });
    assert.ok(causal.output instanceof FastTensor && padded.output instanceof FastTensor);
    assert.ok(farthest(causal.output.view.subarray(0, 160), reference(head(q, 0, 320), head(k, 0, 400), head(v, 0, 200), 8, 4, (i, j) => j <= i)) < bound);
    assert.ok(farthest(padded.output.view.subarray(800, 960), reference(head(q, 5, 320), head(k, 5, 400), head(v, 5, 200), 8, 4, (_, j) => j < 7)) < bound);
    const [first] = [random(drawsFrom(62), [2, 3, 40, 8])];
    const part = { data: first.data.slice(32 * 8, 40 * 8), shape: [1, 8, 8] };
    const one = (/** @type {{data: Float32Array}} */ { data }, /** @type {number} */ width) => ({ data: data.slice(0, 50 * width), shape: [1, 50, width] });
    const block = fast.attention({ queries: part, keys: one(k, 8), values: one(v, 4), mask: 'causal', rows: { first: 32, total: 40 } });
    assert.deepEqual(/** @type {{data: Float32Array}} */ (block.output).data, causal.output.view.slice(32 * 4, 40 * 4));
    for (const tensor of [queries, keys, values, output, result.logNormalizer, causal.output, causal.logNormalizer, padded.output, padded.logNormalizer]) /** @type {FastTensor} */ (tensor).free();
    assert.throws(() => output.view, { code: 'wrong_type' });
  });

  test(`${name}: errors are values that name the argument`, () => {
    const tensor = (/** @type {number[]} */ ...shape) => ({ data: new Float32Array(shape.reduce((a, b) => a * b, 1)), shape });
    const good = () => ({ queries: tensor(1, 2, 4), keys: tensor(1, 5, 4), values: tensor(1, 5, 3) });
    const refused = (/** @type {any} */ change, /** @type {object} */ error) => assert.throws(() => fast.attention({ ...good(), ...change }), { name: 'AttentionError', ...error });
    refused({ keys: tensor(1, 5, 6) }, { code: 'wrong_shape', param: 'keys', message: 'keys: shape (1, 5, 6) does not fit queries of shape (1, 2, 4); axis 2 (width) is 6, allowed is 4' });
    refused({ output: fast.tensor([1, 2, 4]) }, { code: 'wrong_shape', param: 'output', message: 'output: shape (1, 2, 4); allowed is (1, 2, 3)' });
    const heads = { queries: tensor(1, 1, 2, 4), keys: tensor(1, 1, 5, 6), values: tensor(1, 1, 5, 3) };
    refused(heads, { code: 'wrong_shape', param: 'keys', message: 'keys: shape (1, 1, 5, 6) does not fit queries of shape (1, 1, 2, 4); axis 3 (width) is 6, allowed is 4' });
    refused({ values: tensor(1, 6, 3) }, { code: 'wrong_shape', param: 'values' });
    refused({ queries: { data: new Float32Array(7), shape: [1, 2, 4] } }, { code: 'wrong_shape', param: 'queries', message: 'queries has 7 values; its shape (1, 2, 4) has 8' });
    refused({ queries: { data: new Float32Array(8), shape: [1, 2.5, 4] } }, { code: 'not_an_integer', param: 'queries.shape' });
    refused({ mask: 'causul' }, { code: 'syntax', param: 'mask', at: 0 });
    refused({ mask: 'causal & window(2.5)' }, { code: 'not_an_integer', param: 'mask' });
    refused({ validLens: [6] }, { code: 'out_of_range', param: 'validLens', message: 'validLens[0] is 6; allowed are integers from 0 to 5, the number of keys' });
    refused({ validLens: [2.5] }, { code: 'not_an_integer', param: 'validLens' });
    refused({ validLens: [1], mask: 'causal' }, { code: 'wrong_type', param: 'mask' });
    refused({ rows: { first: 9, total: 10 } }, { code: 'out_of_range', param: 'rows', message: 'rows: 2 queries from 9 on; there are 10' });
    refused({ scale: 1 }, { code: 'unknown_parameter', param: 'scale' });
    refused({ output: fast.tensor([1, 2, 4]) }, { code: 'wrong_shape', param: 'output' });
    assert.throws(() => fast.tensor([65536, 65536]), { code: 'too_large' });
    const other = builds[name === 'simd' ? 'relaxed' : 'simd'].tensor([1, 2, 4]);
    refused({ queries: other }, { code: 'wrong_type', param: 'queries', message: 'queries is a tensor of another module' });
  });

  test(`${name}: options, rows, lengths and data are looked at before they are used`, () => {
    const tensor = (/** @type {number[]} */ ...shape) => ({ data: new Float32Array(shape.reduce((a, b) => a * b, 1)), shape });
    const good = () => ({ queries: tensor(2, 2, 4), keys: tensor(2, 5, 4), values: tensor(2, 5, 3) });
    const refused = (/** @type {any} */ change, /** @type {object} */ error) => assert.throws(() => fast.attention({ ...good(), ...change }), { name: 'AttentionError', ...error });
    for (const validLens of [[null, 1], [1, undefined], ['1', 2], [{}, 1], [1, [2]], 3, 'ab', null]) refused({ validLens }, { code: 'wrong_type', param: 'validLens' });
    refused({ validLens: [[1, 2], null] }, { code: 'wrong_type', param: 'validLens', message: 'validLens[1] is null; give an array of 2 lengths, as validLens[0] is' });
    refused({ validLens: [[1, 2], [3, 'x']] }, { code: 'wrong_type', param: 'validLens', message: 'validLens[1][1] is "x"; allowed are integers from 0 to the number of keys' });
    refused({ validLens: [[1, 2], [3]] }, { code: 'wrong_shape', param: 'validLens', message: 'validLens[1] has 1 entries; there are 2 queries' });
    // told before a thousand million entries are looked at
    refused({ validLens: { length: 1e9 } }, { code: 'wrong_shape', param: 'validLens', message: 'validLens has 1000000000 entries; the batch has 2' });
    refused({ validLens: [{ length: 1e9 }, { length: 1e9 }] }, { code: 'wrong_shape', param: 'validLens' });
    for (const rows of [null, 3, 'all']) refused({ rows }, { code: 'wrong_type', param: 'rows' });
    refused({ rows: { first: 0 } }, { code: 'wrong_type', param: 'rows', message: 'rows.total is undefined; allowed are integers from 1 to 2147483647' });
    refused({ rows: { first: 0, total: 2, last: 1 } }, { code: 'unknown_parameter', param: 'last', message: 'last is not an option; there are first, total, slice, batch, heads' });
    for (const total of [0, 2 ** 31, 2 ** 32]) refused({ rows: { first: 0, total } }, { code: 'out_of_range', param: 'rows', message: `rows.total is ${total}; allowed are integers from 1 to 2147483647` });
    const slices = { first: 0, total: 2, slice: 0, batch: 2, heads: 1 };
    refused({ mask: 'causal', rows: { ...slices, batch: 2 ** 32 - 1 } }, { code: 'out_of_range', param: 'rows', message: 'rows.batch is 4294967295; allowed are integers from 0 to 2147483647' });
    refused({ rows: { ...slices, heads: 0 } }, { code: 'out_of_range', param: 'rows', message: 'rows.heads is 0; allowed are integers from 1 to 2147483647' });
    refused({ mask: 'causal', rows: { ...slices, batch: 2 ** 31 - 1, heads: 2 ** 31 - 1 } }, { code: 'out_of_range', param: 'rows', message: 'rows: 2147483647 examples of 2147483647 heads are more than can be counted' });
    refused({ rows: { first: 0, total: 2, slice: 1 } }, { code: 'wrong_type', param: 'rows', message: 'rows.batch is undefined; allowed are integers from 0 to 2147483647' });
    assert.throws(() => fast.attentionWeights({ ...good(), rows: /** @type {any} */ ({ first: 0, total: 2, slice: 0, batch: 2, heads: 1 }) }), { code: 'unknown_parameter', param: 'slice' });
    assert.throws(() => fast.attentionWeights({ ...good(), rows: { first: 0.5, total: 2 } }), { code: 'not_an_integer', param: 'rows' });
    assert.throws(() => fast.tiles({ batch: -1, heads: 1, queries: 1, keys: 1 }), { code: 'out_of_range', param: 'batch', message: 'batch is -1; allowed are integers from 0 to 4294967295' });
    assert.throws(() => fast.tiles(/** @type {any} */ ({ batch: 1, heads: 1, queries: 1 })), { code: 'wrong_type', param: 'keys' });
    refused({ keys: tensor(2, 1, 5, 4) }, { code: 'wrong_shape', param: 'keys', message: 'keys has 4 axes and queries 3; give both as many' });
    refused({ output: fast.tensor([2, 1, 2, 3]) }, { code: 'wrong_shape', param: 'output' });
    const attentionWith = /** @type {any} */ (fast.attention);
    for (const options of [undefined, null, 'x']) assert.throws(() => attentionWith(options), { code: 'wrong_type', param: 'options' });
  });

  test(`${name}: numbers in a mask have the one grammar of attn/text.hpp`, () => {
    const one = () => ({ data: new Float32Array(4), shape: [1, 4, 1] });
    const tiles = (/** @type {string} */ mask) => fast.attention({ queries: one(), keys: one(), values: one(), mask }).tiles;
    for (const text of ['0x3', '0b11', '0o7', '1e', 'Infinity', '-', '1_0', '1.2.3']) assert.throws(() => tiles(`window(${text})`), { code: 'syntax', param: 'mask' }, text);
    for (const text of ['3', '1e0', '1.0', '01', '+1', '.5e1']) assert.equal(tiles(`window(${text})`).mixed, 1, text);
    assert.throws(() => tiles('window(1e400)'), { code: 'out_of_range', param: 'mask' });
  });

  test(`${name}: a tensor is made of numbers, of a view of the memory that grows too, or not at all`, () => {
    const make = /** @type {any} */ (fast.tensor);
    for (const data of [null, '123', 7, ['1', '2', '3'], [1, undefined, 3], new Array(3), BigInt64Array.of(1n, 2n, 3n), { length: 3 }, new DataView(new ArrayBuffer(3))]) {
      assert.throws(() => make([3], data), { name: 'AttentionError', code: 'wrong_type', param: 'tensor.data' });
    }
    assert.throws(() => make([3], ['a', 2, 3]), { message: 'tensor.data[0] is "a"; give a number' });
    assert.throws(() => make(null), { code: 'wrong_type', param: 'tensor.shape' });
    assert.throws(() => make([3], [1, 2]), { code: 'wrong_shape', param: 'tensor' });
    for (const data of [[1, 2, 3], Float64Array.of(1, 2, 3), Int8Array.of(1, 2, 3), { 0: 1, 1: 2, 2: 3, length: 3 }]) {
      const tensor = fast.tensor([3], data);
      assert.deepEqual([...tensor.view], [1, 2, 3]);
      tensor.free();
    }
    // nothing is copied of a buffer that was moved away, where nothing is wanted
    const moved = new Float32Array(1);
    structuredClone(moved, { transfer: [moved.buffer] });
    assert.deepEqual([...fast.tensor([0], moved).view], []);
    const failing = { length: 2 ** 20, get 0() { return 1; }, get 1() { throw new Error('no more'); } };
    for (let i = 0; i < 3; ++i) assert.throws(() => make([2 ** 20], failing), { name: 'Error', message: 'no more' });
    const before = fast.memoryBytes;
    for (let i = 0; i < 40; ++i) assert.throws(() => make([2 ** 20], failing));
    assert.equal(fast.memoryBytes, before);
    // so large that making it cannot but grow the memory
    const size = fast.memoryBytes / 4;
    const first = fast.tensor([size]);
    first.view[size - 1] = 5;
    const grown = fast.memoryBytes;
    const old = first.view;
    const second = fast.tensor([size], old);
    assert.ok(fast.memoryBytes > grown && old.length === 0);
    assert.equal(second.view[size - 1], 5);
    assert.throws(() => fast.tensor([size], old), { code: 'wrong_shape', message: /a view of memory that has grown/ });
    first.free();
    second.free();
  });

  test(`${name}: an output has memory of its own`, () => {
    const draw = drawsFrom(64);
    const [queries, keys, values] = [1, 2, 3].map(() => fast.tensor([1, 6, 6], random(draw, [1, 6, 6]).data));
    const logNormalizer = fast.tensor([1, 6]);
    for (const [output, of] of /** @type {[FastTensor, string][]} */ ([[queries, 'queries'], [keys, 'keys'], [values, 'values']])) {
      const before = output.view.slice();
      assert.throws(() => fast.attention({ queries, keys, values, output }), { name: 'AttentionError', code: 'wrong_type', param: 'output', message: `output is the tensor of ${of}, too; give one of its own` });
      assert.deepEqual(output.view, before);
    }
    for (const output of [queries, keys]) assert.throws(() => fast.batchMatmul({ a: queries, b: keys, output }), { code: 'wrong_type', param: 'output' });
    const w = fast.tensor([6]);
    for (const output of [queries, keys]) assert.throws(() => fast.additiveScores({ queries, keys, w, output }), { code: 'wrong_type', param: 'output' });
    assert.throws(() => fast.additiveHidden({ queries, keys: fast.tensor([1, 1, 6]), first: 0, count: 6, output: queries }), { code: 'wrong_type', param: 'output' });
    for (const [given, code] of /** @type {[any, string][]} */ ([[keys, 'wrong_shape'], [true, 'wrong_type'], [null, 'wrong_type'], [new Float32Array(6), 'wrong_type'], [fast.tensor([6]), 'wrong_shape']])) {
      assert.throws(() => fast.attention({ queries, keys, values, logNormalizer: given }), { code, param: 'logNormalizer' });
    }
    for (const tensor of [queries, keys, values, logNormalizer, w]) tensor.free();
  });

  test(`${name}: with an output and a log normaliser of the caller’s, or without, no call takes memory to stay`, () => {
    const [rows, keyRows] = [random(drawsFrom(65), [1, 4096, 2]), random(drawsFrom(66), [1, 3, 2])];
    const queries = fast.tensor(rows.shape, rows.data), keys = fast.tensor(keyRows.shape, keyRows.data), output = fast.tensor(rows.shape), logNormalizer = fast.tensor([1, 4096]);
    const made = fast.attention({ queries, keys, values: keys, output });
    const given = fast.attention({ queries, keys, values: keys, output, logNormalizer });
    assert.equal(given.logNormalizer, logNormalizer);
    assert.deepEqual(logNormalizer.view, /** @type {FastTensor} */ (made.logNormalizer).view);
    /** @type {undefined} */
    const none = fast.attention({ queries, keys, values: keys, output, logNormalizer: false }).logNormalizer;
    assert.equal(none, undefined);
    const before = fast.memoryBytes;
    // 16 KB each: 8 MB would not have gone unseen
    for (let i = 0; i < 250; ++i) {
      fast.attention({ queries, keys, values: keys, output, logNormalizer });
      fast.attention({ queries, keys, values: keys, output, logNormalizer: false });
    }
    assert.equal(fast.memoryBytes, before);
    for (const tensor of [queries, keys, output, logNormalizer, made.logNormalizer]) /** @type {FastTensor} */ (tensor).free();
  });

  test(`${name}: calls leave no memory behind`, () => {
    const draw = drawsFrom(63);
    const work = () => {
      const tensors = [random(draw, [1, 300, 8]), random(draw, [1, 300, 8])];
      const [queries, keys] = tensors.map(({ data, shape }) => fast.tensor(shape, data));
      const { output, logNormalizer } = fast.attention({ queries, keys, values: keys, mask: 'window(5)' });
      fast.attention({ queries: tensors[0], keys: tensors[1], values: tensors[1] });
      assert.throws(() => fast.attention({ queries, keys, values: tensors[1], mask: 'windows(5)' }));
      for (const tensor of [queries, keys, output, logNormalizer]) /** @type {FastTensor} */ (tensor).free();
    };
    for (let i = 0; i < 5; ++i) work();
    const before = fast.memoryBytes;
    for (let i = 0; i < 20; ++i) work();
    assert.equal(fast.memoryBytes, before);
  });

  test(`${name}: the limits count what was done`, () => {
    const { spin, kinds } = fast.limits();
    assert.equal(spin('madd', 3), 3 * spin('madd', 1));
    assert.equal(spin('copy', 1), 2 ** 26);
    assert.equal(spin('exp', 2), 2 ** 13);
    assert.deepEqual(Object.keys(kinds), ['madd', 'copy', 'exp']);
    assert.throws(() => spin(/** @type {any} */ ('add'), 1), { code: 'unknown_choice', param: 'kind' });
    assert.equal(spin('exp', 0), 0);
    for (const [bad, code] of /** @type {[any, string][]} */ ([[-1, 'out_of_range'], [2 ** 32, 'out_of_range'], [2 ** 32 + 1, 'out_of_range'], [1.5, 'not_an_integer'], [NaN, 'not_an_integer'], ['z', 'wrong_type'], [{}, 'wrong_type'], [undefined, 'wrong_type'], [2n, 'wrong_type']])) {
      for (const kind of /** @type {const} */ (['madd', 'copy', 'exp'])) assert.throws(() => spin(kind, bad), { name: 'AttentionError', code, param: 'iterations', message: /^iterations is / });
    }
    assert.throws(() => spin('madd', -1), { message: 'iterations is -1; allowed are integers from 0 to 4294967295' });
  });
}

test('bytes that are no module, and another module’s, are refused by the name of their option', async () => {
  const [junk, fast, spans] = [Uint8Array.of(1, 2, 3), sources.simd.wasmBytes, sources.spans.wasmBytes];
  const refused = (/** @type {object} */ changed, /** @type {object} */ error) => assert.rejects(loadFast({ simd: 'simd', sources: { ...sources, ...changed } }), { name: 'AttentionError', code: 'wasm_unreachable', ...error });
  await refused({ simd: { wasmBytes: junk } }, { param: 'wasm', message: /^wasm is no WebAssembly module, or a damaged one \(.+\); give attn-fast\.wasm or attn-fast-relaxed\.wasm$/ });
  await refused({ spans: { wasmBytes: junk } }, { param: 'spans', message: /^spans is no WebAssembly module, or a damaged one \(.+\); give attn-spans\.wasm$/ });
  await refused({ spans: { wasmBytes: fast } }, { param: 'spans', message: 'spans is another WebAssembly module, without attn_bind; give attn-spans.wasm' });
  await refused({ simd: { wasmBytes: spans } }, { param: 'wasm', message: 'wasm is another WebAssembly module, without attn_attention; give attn-fast.wasm or attn-fast-relaxed.wasm' });
});

test('where there is no relaxed SIMD its build is named, and what to give instead', (t) => {
  // engines of today have it, and nothing takes it away
  if (Number.parseInt(process.versions.node, 10) >= 22) return t.skip('this engine has relaxed SIMD without a switch');
  const load = new URL('../../web/engine/load.js', import.meta.url);
  const program = `
    const { compileCore } = await import(${JSON.stringify(load.href)});
    const wasmBytes = Uint8Array.from(Buffer.from(process.argv[1], 'base64'));
    await compileCore({ wasmBytes }, { param: 'wasm', file: 'one of two', plain: 'attn-fast.wasm' }).catch(({ code, param, message }) => console.log(JSON.stringify({ code, param, message })));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program, Buffer.from(sources.relaxed.wasmBytes).toString('base64')], { encoding: 'utf8' });
  assert.deepEqual(JSON.parse(stdout), { code: 'wasm_no_simd', param: 'wasm', message: 'wasm is attn-fast-relaxed.wasm, and the WebAssembly of this engine has no relaxed SIMD; give attn-fast.wasm' });
});

test('the other of the two builds is refused where one is asked for, else it says which it is', async () => {
  const { simd, relaxed } = sources;
  const refused = { name: 'AttentionError', code: 'wasm_unreachable', param: 'wasm' };
  await assert.rejects(loadFast({ simd: 'simd', sources: { ...sources, simd: relaxed } }), { ...refused, message: 'wasm is attn-fast-relaxed.wasm, and simd is "simd"; give attn-fast.wasm, or say simd: "relaxed"' });
  await assert.rejects(loadFast({ simd: 'relaxed', sources: { ...sources, relaxed: simd } }), { ...refused, message: 'wasm is attn-fast.wasm, and simd is "relaxed"; give attn-fast-relaxed.wasm, or say simd: "simd"' });
  const { build, reason } = await loadFast({ sources: { ...sources, relaxed: simd } });
  assert.deepEqual([build, reason], ['simd', 'this module was given']);
  assert.deepEqual((({ build: which, reason: why }) => [which, why])(await loadFast({ sources })), ['relaxed', 'this engine has relaxed SIMD']);
});
