// The other operations of the modules for speed, both builds: masked softmax in place and not, products, additive scores, entropies, against
// the same in double precision, written out here; shapes and options that do not fit.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { chooseBuild, loadFast } from '../../web/engine/fast.js';
import { FastTensor } from '../../web/engine/fast-memory.js';
import { drawsFrom, wasmDir } from './support.js';

/** @typedef {{data: Float32Array, shape: number[]}} ArrayTensor */

// Node.js 20 has relaxed SIMD, but switched off.
if (chooseBuild('auto').build === 'simd') setFlagsFromString('--experimental-wasm-relaxed-simd');

const bytes = (/** @type {string} */ name) => new Uint8Array(readFileSync(`${wasmDir}/${name}`));
const sources = { simd: { wasmBytes: bytes('attn-fast.wasm') }, relaxed: { wasmBytes: bytes('attn-fast-relaxed.wasm') }, spans: { wasmBytes: bytes('attn-spans.wasm') } };

/** Entries in -size to size. @param {(n: number) => number} draw @param {number[]} shape @param {number} [size] @returns {ArrayTensor} */
const random = (draw, shape, size = 1) => ({ data: Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => size * (draw(4001) / 2000 - 1)), shape });

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
function farthest(a, b) {
  assert.equal(a.length, b.length);
  return Array.from(a).reduce((most, each, i) => Math.max(most, Math.abs(each - b[i])), 0);
}

/** @param {ArrayLike<number>} scores @param {number} open */
function softmax(scores, open) {
  const largest = Math.max(...Array.from(scores).slice(0, open));
  const exps = Array.from(scores, (score, j) => (j < open ? Math.exp(score - largest) : 0));
  const sum = exps.reduce((a, b) => a + b, 0);
  return exps.map((exp) => (sum === 0 ? 0 : exp / sum));
}

for (const simd of /** @type {const} */ (['simd', 'relaxed'])) {
  const fast = await loadFast({ simd, sources });

  test(`${simd}: the hidden layer of additive scoring, block by block`, () => {
    const draw = drawsFrom(83);
    const [queries, keys] = [random(draw, [1, 7, 5], 3), random(draw, [1, 4, 5], 3)];
    const expected = (/** @type {number} */ first, /** @type {number} */ count) => Array.from({ length: count * 20 }, (_, at) => Math.tanh(queries.data[(first + Math.floor(at / 20)) * 5 + at % 5] + keys.data[Math.floor(at / 5) % 4 * 5 + at % 5]));
    const hidden = /** @type {ArrayTensor} */ (fast.additiveHidden({ queries, keys, first: 2, count: 3 }));
    assert.deepEqual(hidden.shape, [1, 12, 5]);
    assert.ok(farthest(hidden.data, expected(2, 3)) < 4e-7);
    const output = fast.tensor([1, 28, 5]);
    assert.equal(fast.additiveHidden({ queries: fast.tensor(queries.shape, queries.data), keys: fast.tensor(keys.shape, keys.data), first: 0, count: 7, output }), output);
    assert.ok(farthest(output.view, expected(0, 7)) < 4e-7);
    for (const [given, code, param] of /** @type {[object, string, string][]} */ ([
      [{ first: 5, count: 3 }, 'out_of_range', 'first'], [{ first: -1, count: 1 }, 'out_of_range', 'first'], [{ first: 0, count: 1.5 }, 'not_an_integer', 'count'],
      [{ first: 0, count: 2, output }, 'wrong_shape', 'output'], [{ first: 0, count: 1, keys: { data: new Float32Array(4), shape: [1, 1, 4] } }, 'wrong_shape', 'keys'],
      [{ first: 0, count: 1, keys: { data: new Float32Array(10), shape: [2, 1, 5] } }, 'wrong_shape', 'keys'],
    ])) assert.throws(() => fast.additiveHidden(/** @type {any} */ ({ queries, keys, ...given })), { code, param });
  });

  test(`${simd}: masked softmax of arrays and of tensors, in place too`, () => {
    const draw = drawsFrom(71);
    for (const m of [1, 2, 3, 5, 7, 37, 53, 63, 65]) {
      const scores = random(draw, [2, 3, m], 8), lens = [m, draw(m + 1)];
      const wanted = Array.from({ length: 6 }, (_, row) => softmax(scores.data.subarray(row * m, (row + 1) * m), lens[row < 3 ? 0 : 1])).flat();
      const copied = /** @type {ArrayTensor} */ (fast.maskedSoftmax({ scores, validLens: lens }));
      assert.deepEqual(copied.shape, scores.shape);
      assert.ok(farthest(copied.data, wanted) < 2 ** -22, `${m} keys`);
      const stays = fast.tensor([2, 1, 3, m], scores.data);
      assert.equal(fast.maskedSoftmax({ scores: stays, mask: `padding(${lens})`, output: stays }), stays);
      assert.deepEqual(stays.view, copied.data);
      stays.free();
    }
  });

  test(`${simd}: products, with the second operand as it is and transposed`, () => {
    const draw = drawsFrom(72);
    for (const [n, k, m] of [[1, 1, 1], [5, 3, 7], [37, 65, 53], [63, 8, 64], [2, 700, 9]]) {
      const a = random(draw, [2, n, k]), b = random(draw, [2, k, m]);
      const turned = { data: new Float32Array(b.data.length), shape: [2, m, k] };
      const wanted = new Float64Array(2 * n * m);
      for (let e = 0; e < 2; ++e) {
        for (let j = 0; j < m; ++j) {
          for (let t = 0; t < k; ++t) {
            turned.data[(e * m + j) * k + t] = b.data[(e * k + t) * m + j];
            for (let i = 0; i < n; ++i) wanted[(e * n + i) * m + j] += a.data[(e * n + i) * k + t] * b.data[(e * k + t) * m + j];
          }
        }
      }
      const plain = /** @type {ArrayTensor} */ (fast.batchMatmul({ a, b }));
      const transposed = /** @type {ArrayTensor} */ (fast.batchMatmul({ a, b: turned, transposeB: true }));
      assert.deepEqual(plain.shape, [2, n, m]);
      // k terms of at most one, each added with half a unit in the last place of a sum that stays far below k
      assert.ok(farthest(plain.data, wanted) < k * 2 ** -22, `${n} ${k} ${m}`);
      assert.ok(farthest(transposed.data, wanted) < k * 2 ** -22, `${n} ${k} ${m}`);
    }
    const [a, b, output] = [fast.tensor([2, 3, 4, 5], random(draw, [120]).data), fast.tensor([2, 3, 6, 5], random(draw, [180]).data), fast.tensor([2, 3, 4, 6])];
    assert.equal(fast.batchMatmul({ a, b, transposeB: true, output }), output);
    const last = Array.from({ length: 5 }, (_, t) => a.view[119 - 4 + t] * b.view[179 - 4 + t]).reduce((x, y) => x + y, 0);
    assert.ok(Math.abs(output.view[143] - last) < 1e-6);
    for (const tensor of [a, b, output]) tensor.free();
  });

  test(`${simd}: additive scores, ordinary, tiny and opposite`, () => {
    const draw = drawsFrom(73);
    for (const [size, h] of [[3, 64], [0.4, 7], [1e-8, 3], [30, 2]]) {
      const queries = random(draw, [2, 9, h], size), keys = random(draw, [2, 21, h], size), w = random(draw, [h]);
      for (let c = 0; c < h; ++c) keys.data[c] = -queries.data[c];
      const scores = /** @type {ArrayTensor} */ (fast.additiveScores({ queries, keys, w }));
      assert.deepEqual(scores.shape, [2, 9, 21]);
      const wanted = scores.data.map(() => 0);
      for (let at = 0; at < wanted.length; ++at) {
        const key = (at % 21) + (at < 189 ? 0 : 21), query = Math.floor(at / 21);
        for (let c = 0; c < h; ++c) wanted[at] += w.data[c] * Math.tanh(queries.data[query * h + c] + keys.data[key * h + c]);
      }
      // the promise of attn/fast_additive.hpp, where arguments are tiny in proportion to them
      const weights = w.data.reduce((sum, weight) => sum + Math.abs(weight), 0);
      assert.ok(farthest(scores.data, wanted) < 4e-7 * weights * Math.min(1, 2 * size), `${size} ${h}`);
    }
  });

  test(`${simd}: entropies of both forms`, () => {
    const draw = drawsFrom(74);
    for (const [n, m, d] of [[1, 1, 1], [37, 64, 8], [5, 7, 65]]) {
      const queries = random(draw, [2, n, d]), keys = random(draw, [2, m, d]);
      const { scaled, unscaled } = fast.entropies({ queries, keys });
      /** @param {number} factor */
      const wanted = (factor) => Array.from({ length: 2 * n }, (_, row) => {
        const first = row < n ? 0 : m * d;
        const scores = Array.from({ length: m }, (__, j) => factor * Array.from({ length: d }, (___, c) => queries.data[row * d + c] * keys.data[first + j * d + c]).reduce((x, y) => x + y, 0));
        return softmax(scores, m).reduce((sum, p) => (p > 0 ? sum - p * Math.log(p) : sum), 0);
      });
      assert.ok(farthest(scaled, wanted(1 / Math.sqrt(d))) < 1e-6);
      assert.ok(farthest(unscaled, wanted(1)) < 1e-6);
    }
    const none = fast.entropies({ queries: random(draw, [1, 3, 2]), keys: random(draw, [1, 0, 2]) });
    assert.deepEqual([...none.scaled, ...none.unscaled], [0, 0, 0, 0, 0, 0]);
  });

  test(`${simd}: errors are values that name the argument, and leave no memory behind`, () => {
    const tensor = (/** @type {number[]} */ ...shape) => ({ data: new Float32Array(shape.reduce((a, b) => a * b, 1)), shape });
    /** @param {() => void} action @param {object} error */
    const refused = (action, error) => assert.throws(action, { name: 'AttentionError', ...error });
    const all = () => {
      refused(() => fast.maskedSoftmax({ scores: tensor(2, 3) }), { code: 'wrong_shape', param: 'scores' });
      refused(() => fast.maskedSoftmax({ scores: tensor(1, 2, 3), validLens: [4] }), { code: 'out_of_range', param: 'validLens' });
      refused(() => fast.maskedSoftmax(/** @type {any} */ ({ scores: tensor(1, 2, 3), axis: 1 })), { code: 'unknown_parameter', param: 'axis' });
      refused(() => fast.batchMatmul({ a: tensor(1, 2, 3), b: tensor(1, 4, 5) }), { code: 'wrong_shape', param: 'b', message: 'b: shape (1, 4, 5) does not fit a of shape (1, 2, 3); axis 1 is 4, allowed is 3' });
      refused(() => fast.batchMatmul({ a: tensor(2, 3, 1, 4), b: tensor(3, 2, 4, 1) }), { code: 'wrong_shape', param: 'b' });
      refused(() => fast.batchMatmul({ a: tensor(1, 65536, 0), b: tensor(1, 0, 65536) }), { code: 'too_large', param: 'output' });
      refused(() => fast.batchMatmul(/** @type {any} */ ({ a: tensor(1, 1, 1), b: tensor(1, 1, 1), transposeB: 1 })), { code: 'wrong_type', param: 'transposeB' });
      refused(() => fast.additiveScores({ queries: tensor(1, 2, 3), keys: tensor(1, 2, 3), w: tensor(4) }), { code: 'wrong_shape', param: 'w' });
      refused(() => fast.entropies({ queries: tensor(1, 2, 3), keys: tensor(1, 2, 4) }), { code: 'wrong_shape', param: 'keys' });
      const output = fast.tensor([1, 2, 4]);
      refused(() => fast.maskedSoftmax({ scores: tensor(1, 2, 3), output }), { code: 'wrong_shape', param: 'output' });
      output.free();
      const kept = fast.tensor([1, 300, 300]);
      const made = fast.maskedSoftmax({ scores: kept });
      assert.ok(made instanceof FastTensor);
      made.free();
      kept.free();
    };
    for (let i = 0; i < 3; ++i) all();
    const before = fast.memoryBytes;
    for (let i = 0; i < 10; ++i) all();
    assert.equal(fast.memoryBytes, before);
  });
}
