// How far the two modules for speed are apart on the same operands: for every call the bounds that web/engine/fast.js and README.md state, at odd and even
// sizes, with entries from -1 to 1 and larger ones. Not how far each is from double precision: that the other tests of fast calls say, and those of the headers.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { chooseBuild, loadFast } from '../../web/engine/fast.js';
import { drawsFrom, wasmDir } from './support.js';

/** @typedef {{data: Float32Array, shape: number[]}} ArrayTensor */

// Node.js 20 has relaxed SIMD, but switched off.
if (chooseBuild('auto').build === 'simd') setFlagsFromString('--experimental-wasm-relaxed-simd');

const bytes = (/** @type {string} */ name) => new Uint8Array(readFileSync(`${wasmDir}/${name}`));
const sources = { simd: { wasmBytes: bytes('attn-fast.wasm') }, relaxed: { wasmBytes: bytes('attn-fast-relaxed.wasm') }, spans: { wasmBytes: bytes('attn-spans.wasm') } };
const builds = [await loadFast({ simd: 'simd', sources }), await loadFast({ simd: 'relaxed', sources })];
/** What both say of one call. @template T @param {(fast: typeof builds[number]) => T} call @returns {T[]} */
const both = (call) => builds.map(call);

/** Entries in -size to size. @param {(n: number) => number} draw @param {number[]} shape @param {number} size @returns {ArrayTensor} */
const random = (draw, shape, size) => ({ data: Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => size * (draw(2 ** 24 + 1) / 2 ** 23 - 1)), shape });

/** The data of an answer, given as arrays. @param {unknown} tensor */
const numbers = (tensor) => /** @type {ArrayTensor} */ (tensor).data;

/**
 * No entry of the two is further apart than `general` of it allows, and, unless the entries are large, than `plain`.
 * @param {string} name @param {ArrayLike<number>[]} two @param {(at: number) => number} general @param {number} [plain]
 */
function near(name, [a, b], general, plain = Infinity) {
  assert.equal(a.length, b.length);
  for (let at = 0; at < a.length; ++at) {
    const apart = a[at] === b[at] ? 0 : Math.abs(a[at] - b[at]);
    if (!(apart <= plain && (apart === 0 || apart <= general(at)))) assert.fail(`${name}[${at}]: ${a[at]} and ${b[at]}, allowed are ${general(at)} and ${plain}`);
  }
}

/** queries, keys, columns of both, columns of values */
const sizes = [[1, 1, 1, 1], [2, 2, 2, 2], [3, 5, 7, 2], [5, 7, 65, 3], [37, 53, 63, 65], [64, 64, 64, 64], [65, 130, 33, 31], [33, 97, 8, 16], [16, 512, 64, 64]];
/** size of entries, and whether the plain numbers hold */
const scales = /** @type {[number, boolean][]} */ ([[1, true], [4, false]]);

/**
 * The weights in double, and the largest sum of the sizes of the terms of a score.
 * @param {ArrayTensor} queries @param {ArrayTensor} keys @param {boolean} causal each query at the end of the keys
 */
function inDouble(queries, keys, causal) {
  const [n, m, d] = [queries.shape[1], keys.shape[1], keys.shape[2]];
  const weights = new Float64Array(n * m);
  let s = 0;
  for (let i = 0; i < n; ++i) {
    const open = causal ? Math.max(0, m - n + i + 1) : m;
    const row = weights.subarray(i * m, i * m + open);
    for (let j = 0; j < open; ++j) {
      let sum = 0;
      for (let c = 0; c < d; ++c) {
        const term = queries.data[i * d + c] * keys.data[j * d + c];
        row[j] += term;
        sum += Math.abs(term);
      }
      row[j] /= Math.sqrt(d);
      s = Math.max(s, sum / Math.sqrt(d));
    }
    const largest = Math.max(...row);
    let total = 0;
    for (let j = 0; j < open; ++j) total += row[j] = Math.exp(row[j] - largest);
    for (let j = 0; j < open; ++j) row[j] /= total;
  }
  return { weights, s };
}

test('attention, its weights and its gradients', () => {
  const draw = drawsFrom(91);
  for (const [size, plain] of scales) {
    for (const [n, m, d, width] of sizes) {
      for (const causal of [false, true]) {
        const queries = random(draw, [1, n, d], size), keys = random(draw, [1, m, d], size), values = random(draw, [1, m, width], size), upstream = random(draw, [1, n, width], size);
        const name = `${n} x ${m} x ${d}, ${width}, of ${size}${causal ? ', causal' : ''}: `;
        const mask = causal ? { mask: 'causal(bottom_right)' } : {};
        const { weights, s } = inDouble(queries, keys, causal);
        const forward = both((fast) => fast.attention({ queries, keys, values, ...mask }));
        const reach = 1 + s + Math.log(m);
        const largest = values.data.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
        near(`${name}output`, forward.map(({ output }) => numbers(output)), () => 2 ** -21 * (1 + s) * largest, plain ? 3e-7 : undefined);
        near(`${name}logNormalizer`, forward.map(({ logNormalizer }) => numbers(logNormalizer)), () => 2 ** -20 * reach, plain ? 1e-6 : undefined);
        const weighed = both((fast) => fast.attentionWeights({ queries, keys, values, ...mask }));
        near(`${name}output beside weights`, weighed.map(({ output }) => numbers(output)), () => 2 ** -21 * (1 + s) * largest, plain ? 3e-7 : undefined);
        near(`${name}weights`, weighed.map((each) => numbers(each.weights)), (at) => 2 ** -20 * reach * weights[at], plain ? 1.5e-7 : undefined);

        const gradients = builds.map((fast, i) => fast.attentionGradient({ queries, keys, values, output: forward[i].output, logNormalizer: forward[i].logNormalizer, upstream, ...mask }));
        // the sizes of the terms that each entry is summed of: attn/fused_gradient.hpp
        const terms = { queries: new Float64Array(n * d), keys: new Float64Array(m * d), values: new Float64Array(m * width) };
        const columns = Array.from({ length: width }, (_, c) => values.data.reduce((most, value, at) => (at % width === c ? Math.max(most, Math.abs(value)) : most), 0));
        for (let i = 0; i < n; ++i) {
          const a = columns.reduce((sum, most, c) => sum + most * Math.abs(upstream.data[i * width + c]), 0) / Math.sqrt(d);
          for (let j = 0; j < m; ++j) {
            const weight = weights[i * m + j];
            for (let c = 0; c < d; ++c) {
              terms.queries[i * d + c] += weight * a * Math.abs(keys.data[j * d + c]);
              terms.keys[j * d + c] += weight * a * Math.abs(queries.data[i * d + c]);
            }
            for (let c = 0; c < width; ++c) terms.values[j * width + c] += weight * Math.abs(upstream.data[i * width + c]);
          }
        }
        for (const part of /** @type {const} */ (['queries', 'keys', 'values'])) {
          near(`${name}gradient of ${part}`, gradients.map((each) => numbers(each[part])), (at) => 2 ** -20 * reach * terms[part][at], plain ? 5e-7 : undefined);
        }
      }
    }
  }
});

test('masked softmax', () => {
  const draw = drawsFrom(92);
  for (const [size, plain] of scales) {
    for (const [n, m] of sizes) {
      const scores = random(draw, [1, n, m], 8 * size);
      const validLens = [m - (m >> 2)];
      const allowed = Array.from({ length: n }, (_, i) => {
        const row = Array.from(scores.data.subarray(i * m, (i + 1) * m), (score, j) => (j < validLens[0] ? score : -Infinity));
        const largest = Math.max(...row);
        const sum = row.reduce((total, score) => total + Math.exp(score - largest), 0);
        return row.map((score) => (score === -Infinity ? 0 : (2 ** -21 * (2 + largest - score) * Math.exp(score - largest)) / sum));
      }).flat();
      near(`${n} x ${m} of ${size}`, both((fast) => numbers(fast.maskedSoftmax({ scores, validLens }))), (at) => allowed[at], plain ? 1.5e-7 : undefined);
    }
  }
});

test('products, either way round', () => {
  const draw = drawsFrom(93);
  for (const [size, plain] of scales) {
    for (const [n, m, k] of [...sizes, [3, 5, 600], [4, 6, 1030]]) {
      const a = random(draw, [1, n, k], size), b = random(draw, [1, m, k], size);
      const turned = { data: new Float32Array(k * m), shape: [1, k, m] };
      for (let j = 0; j < m; ++j) for (let t = 0; t < k; ++t) turned.data[t * m + j] = b.data[j * k + t];
      const general = (/** @type {number} */ at) => {
        let sum = 0;
        for (let t = 0; t < k; ++t) sum += Math.abs(a.data[Math.floor(at / m) * k + t] * b.data[(at % m) * k + t]);
        return k * 2 ** -23 * sum;
      };
      const number = plain && k <= 65 ? 3e-6 : undefined;
      near(`${n} x ${k} x ${m} of ${size}`, both((fast) => numbers(fast.batchMatmul({ a, b: turned }))), general, number);
      near(`${n} x ${k} x ${m} of ${size}, transposed`, both((fast) => numbers(fast.batchMatmul({ a, b, transposeB: true }))), general, number);
    }
  }
});

test('additive scores and hidden units', () => {
  const draw = drawsFrom(94);
  for (const [size, plain] of scales) {
    for (const [n, m, h] of sizes) {
      const queries = random(draw, [1, n, h], size), keys = random(draw, [1, m, h], size), w = random(draw, [h], size);
      const weights = w.data.reduce((sum, weight) => sum + Math.abs(weight), 0);
      near(`scores ${n} x ${m} x ${h} of ${size}`, both((fast) => numbers(fast.additiveScores({ queries, keys, w }))), () => 8e-7 * weights, plain ? 4e-7 * weights : undefined);
      near(`hidden ${n} x ${m} x ${h} of ${size}`, both((fast) => numbers(fast.additiveHidden({ queries, keys, first: 0, count: n }))), () => 8e-7, plain ? 2.5e-7 : undefined);
    }
  }
});

test('entropies', () => {
  const draw = drawsFrom(95);
  for (const [size, plain] of scales) {
    for (const [n, m, d] of sizes) {
      const queries = random(draw, [1, n, d], size), keys = random(draw, [1, m, d], size);
      const { s } = inDouble(queries, keys, false);
      const two = both((fast) => fast.entropies({ queries, keys }));
      const general = (/** @type {number} */ reach) => () => 2 ** -21 * (1 + reach) * (1 + Math.log(m));
      near(`scaled ${n} x ${m} x ${d} of ${size}`, two.map(({ scaled }) => scaled), general(s), plain ? 2e-6 : undefined);
      near(`unscaled ${n} x ${m} x ${d} of ${size}`, two.map(({ unscaled }) => unscaled), general(s * Math.sqrt(d)), plain ? 2e-6 : undefined);
    }
  }
});
