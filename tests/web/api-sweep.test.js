// Every argument of every function that programs call, and every field and entry within, given what it is not: each answer is refused by an AttentionError whose
// `param` and words name the argument and say what is allowed, or is what the argument's own code has thrown. What may be given after all is listed.
// No test of what functions compute: that they still do so afterwards is asked at the end.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { AttentionError } from '../../web/engine/errors.js';
import { loadFast } from '../../web/engine/fast.js';
import { FastTensor } from '../../web/engine/fast-memory.js';
import { Pool } from '../../web/engine/pool.js';
import { loadCore, wasmDir } from './support.js';

const core = await loadCore();
const wasm = (/** @type {string} */ name) => ({ wasmBytes: new Uint8Array(readFileSync(`${wasmDir}/${name}`)) });
const fast = await loadFast({ simd: 'simd', sources: { simd: wasm('attn-fast.wasm'), relaxed: wasm('attn-fast-relaxed.wasm'), spans: wasm('attn-spans.wasm') } });
// one thread, and the kernels at hand: what comes to a worker is refused there
const engine = /** @type {any} */ ({ kind: 'worker', async start() {}, stop() {}, call: async (/** @type {'attention'} */ method, /** @type {[any]} */ [request]) => fast[method](request) });
const pool = new Pool({ engines: [engine], build: 'simd' });

/** What the code of an argument throws. */
const mine = new RangeError('mine');
const fails = () => { throw mine; };
const unseen = 'a\n\u0000\u001b[31m\u009b\u202eb';
const moved = (/** @type {any} */ array) => {
  structuredClone(array, { transfer: [array.buffer] });
  return array;
};

/** What arguments are not, each made anew. @type {Record<string, () => unknown>} */
const wrong = {
  null: () => null, nothing: () => '', text: () => 'text', unseen: () => unseen, long: () => 'x'.repeat(10_000), list: () => [], nulls: () => [null], sparse: () => new Array(2), object: () => ({}), odd: () => ({ [unseen]: 1 }),
  NaN: () => NaN, '-1': () => -1, '1.5': () => 1.5, '2^32': () => 2 ** 32, bigint: () => 1n, symbol: () => Symbol('s'), function: () => () => 1,
  proxy: () => new Proxy({}, { get: fails, has: fails, ownKeys: fails, getPrototypeOf: fails }), entries: () => new Proxy([1], { get: fails }), getter: () => Object.defineProperty({}, 'shape', { enumerable: true, get: fails }),
  moved: () => moved(new Float32Array(4)), movedBytes: () => moved(new Uint8Array(4)), integers: () => new BigInt64Array(3), view: () => new DataView(new ArrayBuffer(8)), Map: () => new Map(), Promise: () => Promise.resolve(), tag: () => ({ [Symbol.toStringTag]: unseen }),
};

const filled = (/** @type {any} */ data, /** @type {number[]} */ shape) => ({ data: data.fill(0.5), shape });
const size = (/** @type {number[]} */ shape) => shape.reduce((product, axis) => product * axis, 1);
const F = (/** @type {number[]} */ ...shape) => filled(new Float32Array(size(shape)), shape);
const D = (/** @type {number[]} */ ...shape) => filled(new Float64Array(size(shape)), shape);
const qkv = () => ({ queries: F(1, 2, 3), keys: F(1, 4, 3), values: F(1, 4, 2) });
const sizes = () => ({ batch: 1, heads: 1, queries: 3, keys: 3 });
const dropout = () => ({ rate: 0.5, generator: 'jax', seed: 1, call: 0, training: true });
const short = () => ({ keys: 2, k: 1, rows: 100 });
const cells = () => ({ data: Uint8Array.of(1, 1), shape: [1, 1, 2] });
const [output, lengths, product] = [fast.tensor([1, 2, 2]), fast.tensor([1, 2]), fast.tensor([1, 2, 4])];

/** Calls that are right, by function: `core.scores: bilinear` is another of core.scores. @type {Record<string, () => any[]>} */
const calls = {
  'core.run': () => ['jacobian', short(), () => {}],
  'core.repair': () => ['jacobian', short()],
  'core.checkAnswer': () => ['10.1a', '5'],
  'core.checkAnswer: choice': () => ['10.2b', 'lower'],
  'core.maskedSoftmax: lengths': () => [new Float32Array(2), [1, 1, 2], { validLens: [1], validLensShape: [1] }],
  'core.maskedSoftmax: mask': () => [new Float64Array(2), [1, 1, 2], { mask: Uint8Array.of(1, 0), maskShape: [1, 1, 2] }],
  'core.maskedSoftmax: expression': () => [new Float64Array(2), [1, 1, 2], { expression: 'causal' }],
  'core.maskedSoftmax: bias': () => [new Float64Array(2), [1, 1, 1, 2], { bias: Float32Array.of(1, 2), biasShape: [1, 1, 1, 2], biasDtype: 'float16' }],
  'core.composeMasks': () => [[cells(), cells()]],
  'core.attentionStats': () => [{ d: 4, numKeys: 4, numQueries: 4, scaled: true, seed: 1 }],
  'core.randomArrays': () => [{ generator: 'jax', seed: 1, calls: [{ call: 'normal', shape: [2, 2], dtype: 'float32' }] }],
  'core.parseMask': () => ['causal'],
  'core.maskCells': () => ['causal', sizes()],
  'core.maskReport': () => ['causal', sizes()],
  'core.maskCode': () => ['causal', sizes(), 'numpy'],
  'core.additiveBias': () => ['causal', sizes(), { dtype: 'float16', fill: 'lowest' }],
  'core.validLensOf': () => ['padding(2)', sizes()],
  'core.scores: bilinear': () => [{ rule: 'bilinear', matrix: D(3, 3), keysFirst: false }, F(1, 2, 3), F(1, 4, 3)],
  'core.scores: low-rank': () => [{ rule: 'low-rank', queryMap: D(3, 2), keyMap: D(3, 2), scaled: true }, F(1, 2, 3), F(1, 4, 3)],
  'core.scores: additive': () => [{ rule: 'additive', queryMap: D(4, 3), keyMap: D(4, 3), scoreVector: D(4), activation: 'tanh' }, F(1, 2, 3), F(1, 4, 3)],
  'core.scores: gaussian': () => [{ rule: 'gaussian', scaled: true, queryNorm: false }, F(1, 2, 3), F(1, 4, 3)],
  'core.batchMatmul': () => [F(1, 2, 3), F(1, 3, 4)],
  'core.attention': () => [F(1, 2, 3), F(1, 4, 3), F(1, 4, 2), { rule: 'dot', expression: 'causal', dropout: dropout() }],
  'core.attention: lengths': () => [F(1, 2, 3), F(1, 4, 3), F(1, 4, 2), { validLens: [2], validLensShape: [1] }],
  'core.dropout': () => [F(1, 2, 3), dropout()],
  'core.scoresGradient': () => ['dot', D(1, 2, 3), D(1, 4, 3), D(1, 2, 4)],
  'core.softmaxGradient': () => [D(1, 2, 4), D(1, 2, 4)],
  'core.attentionGradient': () => [D(1, 2, 3), D(1, 4, 3), D(1, 4, 2), D(1, 2, 2), { rule: 'dot' }],
  'fast.tensor': () => [[1, 2], [1, 2]],
  'fast.attention': () => [{ ...qkv(), mask: 'causal', rows: { first: 0, total: 2, slice: 0, batch: 1, heads: 1 }, output, logNormalizer: lengths }],
  'fast.attention: lengths': () => [{ ...qkv(), validLens: [[2, 3]] }],
  'fast.attention: spans': () => [{ ...qkv(), spans: () => [[0, 1]] }],
  'fast.tiles': () => [{ batch: 1, heads: 1, queries: 3, keys: 3, mask: 'causal' }],
  'fast.attentionWeights': () => [{ ...qkv(), mask: 'causal', rows: { first: 0, total: 2 } }],
  'fast.attentionGradient': () => [{ ...qkv(), output: F(1, 2, 2), logNormalizer: F(1, 2), upstream: F(1, 2, 2), mask: 'causal' }],
  'fast.maskedSoftmax': () => [{ scores: F(1, 2, 2), validLens: [1], output }],
  'fast.batchMatmul': () => [{ a: F(1, 2, 3), b: F(1, 4, 3), transposeB: true, output: product }],
  'fast.additiveScores': () => [{ queries: F(1, 2, 3), keys: F(1, 4, 3), w: F(3), output: product }],
  'fast.entropies': () => [{ queries: F(1, 2, 3), keys: F(1, 4, 3) }],
  'pool.attention': () => [{ ...qkv(), mask: 'causal' }, { signal: new AbortController().signal, onProgress() {}, latest: false }],
  'pool.attention: lengths': () => [{ ...qkv(), validLens: [1] }],
  'pool.attention: spans': () => [{ ...qkv(), spans: () => [[0, 1]] }],
  'pool.attention: view': () => [{ ...qkv(), queries: { view: new Float32Array(6), shape: [1, 2, 3] } }],
};
const all = /** @type {any} */ ({ core, fast, pool });
const call = (/** @type {string} */ name, /** @type {any[]} */ args) => {
  const [owner, method] = name.split(':')[0].split('.');
  return all[owner][method](...args);
};

/** What may be given in the place of another thing after all: options without any option, a repair's text, seeds, elements, and none of several. */
const right = [
  /^core\.(maskedSoftmax.*|additiveBias) 2 (object|tag)$/, /^core\.attention.* 3 (object|tag)$/, /^core\.attentionGradient 4 (object|tag)$/, /^core\.(run|repair) 1 (object|odd|tag)$/,
  /^core\.run 2 function$/, /^core\.repair 1\.\w+ (nothing|text|unseen|long|NaN|-1|1\.5|2\^32)$/, /^core\.attentionStats 0\.seed 2\^32$/, /^core\.randomArrays 0\.calls(\.0\.shape)? list$/,
  /^fast\.tensor 1\.\d (NaN|-1|1\.5|2\^32)$/, /^pool\.attention 1 (object|tag)$/, /^pool\.attention 1\.(signal null|onProgress function)$/,
];

/** Ways to all that is within. @param {any} value @param {string[]} way @returns {Generator<string[]>} */
function* ways(value, way = []) {
  if (way.length > 0) yield way;
  if (Array.isArray(value) || (value && Object.getPrototypeOf(value) === Object.prototype)) for (const key of Object.keys(value)) yield* ways(value[key], [...way, key]);
}

/** @param {string} what @param {unknown} thrown */
function judge(what, thrown) {
  if (thrown === mine) return assert.match(what, /(proxy|entries|getter)$/, what);
  assert.ok(thrown instanceof AttentionError, `${what}: ${thrown}`);
  const { code, param, message } = thrown;
  const told = `${what}: ${code} "${param}" ${message}`;
  assert.ok(code !== 'core_failed' && code !== 'engine_crashed', told);
  assert.ok(param !== '' && message.length < 700, told);
  assert.doesNotMatch(message, /[\p{Cc}\p{Cf}]/u, told);
  // a name that the caller made up stands between quotes
  if (param !== unseen) assert.ok(message.includes(param.split(/[.[]/)[0]), told);
  assert.match(message, /allowed|give|take|there are|has|fit|differ|expected|names no rule/, told);
}

/** What right calls give, as text, FastTensors by their elements. */
const results = async () => {
  const texts = [];
  for (const [name, make] of Object.entries(calls)) {
    texts.push(JSON.stringify(await call(name, make()), (_, value) => (value instanceof FastTensor ? [...value.view] : ArrayBuffer.isView(value) ? [.../** @type {Float32Array} */ (value)] : value)));
  }
  return texts;
};

test('what is given in the place of another thing is refused by name, with what is allowed', async () => {
  const before = await results();
  let asked = 0;
  for (const [name, make] of Object.entries(calls)) {
    for (const way of ways(make())) {
      for (const [kind, value] of Object.entries({ ...wrong, unknown: () => 1 })) {
        const args = make();
        const within = way.slice(0, -1).reduce((/** @type {any} */ at, key) => at[key], args);
        // beside the option, one that does not exist
        if (kind === 'unknown' && (Array.isArray(within) || name === 'core.repair')) continue;
        within[kind === 'unknown' ? unseen : way[way.length - 1]] = value();
        const what = `${name} ${way.join('.')} ${kind}`;
        ++asked;
        try {
          const answer = call(name, args);
          if (answer instanceof Promise) await answer;
        } catch (thrown) {
          judge(what, thrown);
          continue;
        }
        assert.ok(right.some((pattern) => pattern.test(what)), `${what} was taken`);
      }
    }
  }
  assert.ok(asked > 10_000);
  assert.deepEqual(await results(), before);
});
