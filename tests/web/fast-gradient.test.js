// Attention's gradients and its weights from the modules for speed, both builds, against the exact core in double: odd sizes, masks,
// lengths, heads, tensors that stay in memory, and errors as values.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { chooseBuild, loadFast } from '../../web/engine/fast.js';
import { FastTensor } from '../../web/engine/fast-memory.js';
import { drawsFrom, loadCore, wasmDir } from './support.js';

/** @typedef {{data: Float32Array, shape: number[]}} ArrayTensor */

// Node.js 20 has relaxed SIMD, but switched off.
if (chooseBuild('auto').build === 'simd') setFlagsFromString('--experimental-wasm-relaxed-simd');

const core = await loadCore();
const bytes = (/** @type {string} */ name) => new Uint8Array(readFileSync(`${wasmDir}/${name}`));
const sources = { simd: { wasmBytes: bytes('attn-fast.wasm') }, relaxed: { wasmBytes: bytes('attn-fast-relaxed.wasm') }, spans: { wasmBytes: bytes('attn-spans.wasm') } };

/** Entries in -2 to 2. @param {(n: number) => number} draw @param {number[]} shape @returns {ArrayTensor} */
const random = (draw, shape) => ({ data: Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => draw(4001) / 1000 - 2), shape });

/** @param {ArrayTensor} tensor */
const doubles = ({ data, shape }) => ({ data: Float64Array.from(data), shape });

/** The largest difference, of the largest entry, which counts as one half at least. @param {ArrayLike<number>} have @param {ArrayLike<number>} want */
function apart(have, want) {
  assert.equal(have.length, want.length);
  let worst = 0, largest = 0.5;
  for (let i = 0; i < want.length; ++i) {
    worst = Math.max(worst, Math.abs(have[i] - want[i]));
    largest = Math.max(largest, Math.abs(want[i]));
  }
  assert.ok(!Number.isNaN(worst));
  return worst / largest;
}

// as tests/cpp/fused_gradient_test.cpp says
const bound = 5e-6;

for (const simd of /** @type {const} */ (['simd', 'relaxed'])) {
  const fast = await loadFast({ simd, sources });

  test(`${simd}: the gradients are those of the exact core`, () => {
    const draw = drawsFrom(71);
    for (const [n, m, d, width, mask] of /** @type {[number, number, number, number, string | undefined][]} */ ([
      [1, 1, 1, 1, undefined], [2, 3, 5, 7, undefined], [37, 53, 63, 65, undefined], [65, 130, 8, 3, 'causal(bottom_right)'], [100, 100, 16, 16, 'causal & window(9)'], [40, 70, 6, 5, 'padding(33)'],
    ])) {
      const queries = random(draw, [1, n, d]), keys = random(draw, [1, m, d]), values = random(draw, [1, m, width]), upstream = random(draw, [1, n, width]);
      const options = mask === undefined ? {} : { mask };
      const { output, logNormalizer } = fast.attention({ queries, keys, values, ...options });
      const gradient = fast.attentionGradient({ queries, keys, values, output, logNormalizer, upstream, ...options });
      const exact = core.attentionGradient(doubles(queries), doubles(keys), doubles(values), doubles(upstream), { rule: 'scaled-dot', ...(mask === undefined ? {} : { expression: mask }) });
      for (const part of /** @type {const} */ (['queries', 'keys', 'values'])) {
        const have = /** @type {ArrayTensor} */ (gradient[part]);
        assert.deepEqual(have.shape, exact[part].shape);
        assert.ok(apart(have.data, exact[part].data) < bound, `${n} ${m} ${d} ${width} ${mask}: ${part}`);
      }
    }
  });

  test(`${simd}: the weights are those of the exact core, with exact zeros`, () => {
    const draw = drawsFrom(72);
    for (const [n, m, mask] of /** @type {[number, number, string][]} */ ([[1, 1, 'all'], [37, 130, 'causal(bottom_right)'], [65, 65, 'documents(20,45) & causal'], [7, 5, 'none']])) {
      const queries = random(draw, [1, n, 9]), keys = random(draw, [1, m, 9]), values = random(draw, [1, m, 3]);
      const { output, weights, logNormalizer, tiles } = fast.attentionWeights({ queries, keys, values, mask });
      const exact = core.attention(doubles(queries), doubles(keys), doubles(values), { rule: 'scaled-dot', expression: mask });
      const have = /** @type {ArrayTensor} */ (weights);
      assert.deepEqual(have.shape, [1, n, m]);
      assert.ok(apart(have.data, exact.weights.data) < 1e-6, mask);
      assert.ok(apart(/** @type {ArrayTensor} */ (output).data, exact.output.data) < 1e-6, mask);
      have.data.forEach((weight, i) => assert.ok(exact.weights.data[i] !== 0 || Object.is(weight, 0)));
      assert.deepEqual(/** @type {ArrayTensor} */ (logNormalizer).shape, [1, n]);
      assert.deepEqual(tiles, fast.attention({ queries, keys, values, mask }).tiles);
    }
  });

  test(`${simd}: heads, lengths, a share of the queries, and tensors that stay in memory`, () => {
    const draw = drawsFrom(73);
    const arrays = { queries: random(draw, [2, 3, 34, 4]), keys: random(draw, [2, 3, 50, 4]), values: random(draw, [2, 3, 50, 6]) };
    const upstream = random(draw, [2, 3, 34, 6]), validLens = [50, 0];
    const forward = fast.attention({ ...arrays, validLens });
    const copied = fast.attentionGradient({ ...arrays, output: forward.output, logNormalizer: forward.logNormalizer, upstream, validLens });
    const tensors = Object.fromEntries(Object.entries(arrays).map(([name, { data, shape }]) => [name, fast.tensor(shape, data)]));
    const { queries, keys, values } = tensors;
    const stays = fast.attention({ queries, keys, values, validLens });
    const given = fast.tensor(upstream.shape, upstream.data);
    const gradient = fast.attentionGradient({ queries, keys, values, output: stays.output, logNormalizer: stays.logNormalizer, upstream: given, validLens });
    for (const part of /** @type {const} */ (['queries', 'keys', 'values'])) {
      const have = gradient[part];
      assert.ok(have instanceof FastTensor);
      assert.deepEqual(have.shape, arrays[part].shape);
      assert.deepEqual(have.view, /** @type {ArrayTensor} */ (copied[part]).data);
      // the second sequence keeps no key
      assert.ok(have.view.subarray(have.size / 2).every((entry) => Object.is(entry, 0)), part);
      have.free();
    }
    const whole = fast.attentionWeights({ queries, keys, values, mask: 'causal' });
    assert.ok(whole.weights instanceof FastTensor && whole.output instanceof FastTensor);
    const later = { data: arrays.queries.data.slice(32 * 4, 34 * 4), shape: [1, 1, 2, 4] };
    const first = (/** @type {ArrayTensor} */ { data }, /** @type {number} */ width) => ({ data: data.slice(0, 50 * width), shape: [1, 1, 50, width] });
    const part = fast.attentionWeights({ queries: later, keys: first(arrays.keys, 4), values: first(arrays.values, 6), mask: 'causal', rows: { first: 32, total: 34 } });
    assert.deepEqual(/** @type {ArrayTensor} */ (part.weights).data, whole.weights.view.slice(32 * 50, 34 * 50));
    for (const tensor of [queries, keys, values, given, whole.weights, whole.output]) tensor.free();
  });

  test(`${simd}: what does not fit is refused by name`, () => {
    const draw = drawsFrom(74);
    const queries = random(draw, [1, 3, 2]), keys = random(draw, [1, 4, 2]), values = random(draw, [1, 4, 2]), upstream = random(draw, [1, 3, 2]);
    const { output, logNormalizer } = fast.attention({ queries, keys, values });
    const right = { queries, keys, values, output, logNormalizer, upstream };
    const refused = (/** @type {object} */ wrong) => () => fast.attentionGradient({ ...right, ...wrong });
    assert.throws(refused({ upstream: random(draw, [1, 3, 3]) }), { code: 'wrong_shape', param: 'upstream', message: 'upstream: shape (1, 3, 3); allowed is (1, 3, 2)' });
    assert.throws(refused({ logNormalizer: random(draw, [1, 4]) }), { code: 'wrong_shape', param: 'logNormalizer', message: 'logNormalizer has shape (1, 4); allowed is (1, 3)' });
    assert.throws(refused({ logNormalizer: random(draw, [3]) }), { code: 'wrong_shape', param: 'logNormalizer' });
    assert.throws(refused({ upstream: random(draw, [1, 1, 3, 2]) }), { code: 'wrong_shape', param: 'upstream', message: 'upstream has 4 axes and queries 3; give both as many' });
    assert.throws(refused({ output: undefined }), { code: 'wrong_type', param: 'output' });
    assert.throws(refused({ mask: 'causal & ' }), { param: 'mask', at: 9 });
    assert.throws(refused({ rows: { first: 0, total: 3 } }), { code: 'unknown_parameter', param: 'rows' });
    assert.throws(() => fast.attentionWeights({ queries, keys: random(draw, [1, 4, 3]), values }), { code: 'wrong_shape', param: 'keys' });
  });
}
