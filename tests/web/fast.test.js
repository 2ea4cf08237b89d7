// The modules for speed, both builds: attention on tensors that stay in the module's memory and on arrays that are copied, masks, blocks of
// queries, errors as values, memory that is given back. Against attention in double precision, written out here.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { chooseBuild, loadFast } from '../../web/engine/fast.js';
import { FastTensor } from '../../web/engine/fast-memory.js';
import { drawsFrom, wasmDir } from './support.js';

/** @typedef {import('../../web/engine/fast.js').Fast} Fast */

// Node.js 20 has relaxed SIMD, but switched off.
if (chooseBuild('auto').build === 'simd') setFlagsFromString('--experimental-wasm-relaxed-simd');

const bytes = (/** @type {string} */ name) => new Uint8Array(readFileSync(`${wasmDir}/${name}`));
const sources = { simd: { wasmBytes: bytes('attn-fast.wasm') }, relaxed: { wasmBytes: bytes('attn-fast-relaxed.wasm') } };
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

  test(`${name}: a mask saves tiles`, () => {
    const zeros = () => ({ data: new Float32Array(1024), shape: [1, 1024, 1] });
    const tiles = (/** @type {string} */ mask) => fast.attention({ queries: zeros(), keys: zeros(), values: zeros(), mask }).tiles;
    const all = tiles('all'), causal = tiles('causal'), near = tiles('window(64)');
    assert.equal(all.mixed + all.empty, 0);
    assert.equal(causal.full + causal.mixed + causal.empty, all.full);
    assert.ok(causal.empty > 0.4 * all.full && near.empty > 0.8 * all.full);
  });

  test(`${name}: errors are values that name the argument`, () => {
    const tensor = (/** @type {number[]} */ ...shape) => ({ data: new Float32Array(shape.reduce((a, b) => a * b, 1)), shape });
    const good = () => ({ queries: tensor(1, 2, 4), keys: tensor(1, 5, 4), values: tensor(1, 5, 3) });
    const refused = (/** @type {any} */ change, /** @type {object} */ error) => assert.throws(() => fast.attention({ ...good(), ...change }), { name: 'AttentionError', ...error });
    refused({ keys: tensor(1, 5, 6) }, { code: 'wrong_shape', param: 'keys', message: 'keys: shape (1, 1, 5, 6) does not fit queries of shape (1, 1, 2, 4); axis 3 (width) is 6, allowed is 4' });
    refused({ values: tensor(1, 6, 3) }, { code: 'wrong_shape', param: 'values' });
    refused({ queries: { data: new Float64Array(8), shape: [1, 2, 4] } }, { code: 'wrong_type', param: 'queries' });
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
  });
}
