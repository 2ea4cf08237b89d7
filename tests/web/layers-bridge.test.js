// Attention layers across the bridge: scores under every rule against plain sums, attention with each way of masking, dropout by both generators,
// gradients against central differences; what is refused is refused with the argument and the reason.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawsFrom, loadCore, refuses } from './support.js';

/** @import { FloatArray, ScoreRuleOptions, TensorValue } from '../../web/engine/types.js' */

const core = await loadCore();
/** What no typed caller could give. @type {any} */
const loose = core;
const draw = drawsFrom(11);

/** @param {number[]} shape @returns {TensorValue} */
const tensor = (...shape) => ({ data: Float64Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => (draw(20001) - 10000) / 5000), shape });

/** @param {TensorValue} t @param {number[]} index */
const at = ({ data, shape }, ...index) => data[index.reduce((flat, i, axis) => flat * shape[axis] + i, 0)];

/** @param {FloatArray} a @param {ArrayLike<number>} b @param {number} bound */
const close = (a, b, bound) => {
  assert.equal(a.length, b.length);
  a.forEach((value, i) => assert.ok(Math.abs(value - b[i]) <= bound, `${i}: ${value} and ${b[i]}`));
};

const [batch, n, m, dq, dk, h] = [2, 3, 4, 5, 3, 6];
const sum = (/** @type {number} */ count, /** @type {(i: number) => number} */ f) => Array.from({ length: count }, (_, i) => f(i)).reduce((a, b) => a + b, 0);
const [W, A, B, Wq, Wk, w] = [tensor(dq, dk), tensor(dq, 2), tensor(dk, 2), tensor(h, dq), tensor(h, dk), tensor(h)];

/** Every rule, with its textbook formula as a plain loop. @type {[ScoreRuleOptions, (q: number[], k: number[]) => number][]} */
const rules = [
  [{ rule: 'dot' }, (q, k) => sum(q.length, (i) => q[i] * k[i])],
  [{ rule: 'scaled-dot' }, (q, k) => sum(q.length, (i) => q[i] * k[i]) / Math.sqrt(q.length)],
  [{ rule: 'gaussian', scaled: true }, (q, k) => -sum(q.length, (i) => (q[i] - k[i]) ** 2) / 2 / Math.sqrt(q.length)],
  [{ rule: 'gaussian', queryNorm: false }, (q, k) => sum(q.length, (i) => q[i] * k[i] - k[i] ** 2 / 2)],
  [{ rule: 'cosine' }, (q, k) => sum(q.length, (i) => q[i] * k[i]) / Math.hypot(...q) / Math.hypot(...k)],
  [{ rule: 'bilinear', matrix: W }, (q, k) => sum(dq, (i) => sum(dk, (j) => q[i] * at(W, i, j) * k[j]))],
  [{ rule: 'bilinear', matrix: W, keysFirst: true }, (q, k) => sum(dq, (i) => sum(dk, (j) => q[i] * at(W, i, j) * k[j]))],
  [{ rule: 'low-rank', queryMap: A, keyMap: B, scaled: true }, (q, k) => sum(2, (r) => sum(dq, (i) => q[i] * at(A, i, r)) * sum(dk, (j) => k[j] * at(B, j, r))) / Math.SQRT2],
  [{ rule: 'additive', queryMap: Wq, keyMap: Wk, scoreVector: w }, (q, k) => sum(h, (u) => at(w, u) * Math.tanh(sum(dq, (i) => at(Wq, u, i) * q[i]) + sum(dk, (j) => at(Wk, u, j) * k[j])))],
  [{ rule: 'additive', queryMap: Wq, keyMap: Wk, scoreVector: w, activation: 'identity' }, (q, k) => sum(h, (u) => at(w, u) * (sum(dq, (i) => at(Wq, u, i) * q[i]) + sum(dk, (j) => at(Wk, u, j) * k[j])))],
];

/** Queries and keys that a rule can pair. @param {ScoreRuleOptions} rule */
const operands = ({ rule }) => ({ queries: tensor(batch, n, dq), keys: tensor(batch, m, ['bilinear', 'low-rank', 'additive'].includes(rule) ? dk : dq) });

test('scores under every rule are those of plain sums, in double to rounding and in float to its own', () => {
  for (const [rule, formula] of rules) {
    const { queries, keys } = operands(rule);
    const row = (/** @type {TensorValue} */ t, /** @type {number} */ b, /** @type {number} */ i) => Array.from({ length: t.shape[2] }, (_, c) => at(t, b, i, c));
    const expected = Array.from({ length: batch * n * m }, (_, f) => formula(row(queries, Math.floor(f / (n * m)), Math.floor(f / m) % n), row(keys, Math.floor(f / (n * m)), f % m)));
    const scores = core.scores(rule, queries, keys);
    assert.deepEqual(scores.shape, [batch, n, m]);
    close(scores.data, expected, 1e-12);
    const narrow = core.scores(rule, { ...queries, data: Float32Array.from(queries.data) }, { ...keys, data: Float32Array.from(keys.data) });
    assert.ok(narrow.data instanceof Float32Array);
    close(narrow.data, expected, 2e-5);
  }
  assert.deepEqual(core.scores('dot', { data: Float64Array.of(1, 2), shape: [1, 1, 2] }, { data: Float64Array.of(3, 4), shape: [1, 1, 2] }), { data: Float64Array.of(11), shape: [1, 1, 1] });
});

test('batched products, and what the framework says of shapes that do not fit', () => {
  const [a, b] = [tensor(2, 3, 4), tensor(2, 4, 6)];
  const product = core.batchMatmul(a, b);
  assert.deepEqual(product.shape, [2, 3, 6]);
  close(product.data, Array.from({ length: 36 }, (_, f) => sum(4, (k) => at(a, Math.floor(f / 18), Math.floor(f / 6) % 3, k) * at(b, Math.floor(f / 18), k, f % 6))), 1e-13);
  refuses(() => core.batchMatmul(a, tensor(2, 5, 6)), { code: 'wrong_shape', param: 'b', message: /\(2, 5, 6\).*\(2, 3, 4\).*Expected size for first two dimensions of batch2 tensor to be: \[2, 4\] but got: \[2, 5\]/ });
  refuses(() => loose.batchMatmul(a, 3), { code: 'wrong_type', param: 'b', message: /3; give \{data, shape\}/ });
});

test('lengths, a mask and an expression give the same attention, and a masked NaN reaches nothing', () => {
  const [queries, keys, values] = [tensor(2, 2, 3), tensor(2, 4, 3), tensor(2, 4, 5)];
  for (let v = 0; v < 5; v++) values.data[(1 * 4 + 3) * 5 + v] = NaN;
  keys.data[(1 * 4 + 3) * 3] = Infinity;
  const cells = Uint8Array.from([1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0]);
  const ways = [{ validLens: [2, 3] }, { mask: cells, maskShape: [2, 2, 4] }, { expression: 'padding(2,3)' }];
  const [first, ...others] = ways.map((options) => core.attention(queries, keys, values, options));
  for (const other of others) assert.deepEqual(other, first);
  assert.ok(first.output.data.every(Number.isFinite));
  assert.deepEqual([first.output.shape, first.weights.shape], [[2, 2, 5], [2, 2, 4]]);
  assert.deepEqual([first.weights.data[2], first.weights.data[15]], [0, 0]);
  assert.deepEqual(first.pooledWeights, first.weights, 'no dropout unless asked for');
  const nobody = core.attention(queries, keys, values, { expression: 'none' });
  assert.ok(nobody.output.data.every((value) => Object.is(value, 0)));
  refuses(() => core.attention(queries, keys, values, { validLens: [2, 3], expression: 'all' }), { code: 'wrong_type', param: 'expression' });
  refuses(() => core.attention(queries, keys, values, { maskShape: [1, 1, 4] }), { code: 'wrong_type', param: 'maskShape' });
  refuses(() => core.attention(queries, keys, values, { validLens: [2, 5] }), { code: 'out_of_range', param: 'validLens' });
  refuses(() => core.attention(queries, keys, tensor(2, 3, 5)), { code: 'wrong_shape', param: 'values' });
  const none = core.attention(queries, { data: new Float64Array(0), shape: [2, 0, 3] }, { data: new Float64Array(0), shape: [2, 0, 5] });
  assert.deepEqual([none.output.shape, [...none.output.data]], [[2, 2, 5], new Array(20).fill(0)]);
});

test('dropout tosses as the frameworks do, the same for the same seed, and not in evaluation', () => {
  const ones = { data: new Float32Array(4000).fill(1), shape: [1, 40, 100] };
  for (const generator of /** @type {const} */ (['jax', 'torch'])) {
    const dropped = core.dropout(ones, { rate: 0.25, generator, seed: 3 });
    assert.deepEqual(core.dropout(ones, { rate: 0.25, generator, seed: 3 }), dropped);
    assert.notDeepEqual(core.dropout(ones, { rate: 0.25, generator, seed: 4 }), dropped);
    const kept = dropped.data.filter((value) => value !== 0);
    assert.ok(kept.every((value) => value === Math.fround(4 / 3)));
    // a binomial count: 3000 expected, standard deviation 27.4
    assert.ok(Math.abs(kept.length - 3000) < 4.5 * 27.4, `${kept.length} kept`);
    assert.deepEqual(core.dropout(ones, { rate: 0.25, generator, training: false }), ones);
  }
  assert.notDeepEqual(core.dropout(ones, { rate: 0.5, call: 1 }), core.dropout(ones, { rate: 0.5, call: 0 }));
  const [q, k, v] = [tensor(1, 2, 2), tensor(1, 3, 2), tensor(1, 3, 3)];
  const { weights, pooledWeights } = core.attention(q, k, v, { dropout: { rate: 0.5, seed: 1 } });
  assert.deepEqual(pooledWeights, core.dropout(weights, { rate: 0.5, seed: 1 }));
  for (const [options, code, param] of /** @type {[any, string, string][]} */ ([
    [{ rate: 1 }, 'out_of_range', 'dropout'], [{ rate: -0.1 }, 'out_of_range', 'dropout'], [{ rate: NaN }, 'out_of_range', 'dropout'], [{ rate: '0.5' }, 'wrong_type', 'rate'],
    [{ rate: 0.5, generator: 'mkl' }, 'unknown_choice', 'generator'], [{ rate: 0.5, seed: 0.5 }, 'not_an_integer', 'seed'], [{ rate: 0.5, p: 1 }, 'unknown_parameter', 'p'],
    [{ rate: 0.5, training: 1 }, 'wrong_type', 'training'], [{ rate: 0.5, generator: 'torch', call: 1 }, 'wrong_type', 'call'], [null, 'wrong_type', 'options'], [undefined, 'wrong_type', 'options'],
  ])) refuses(() => core.dropout(ones, options), { code, param });
});

/**
 * The largest difference between a gradient and central differences of f over the entries of `of`.
 * @param {FloatArray} gradient
 * @param {TensorValue} of
 * @param {() => number} f
 */
function againstDifferences(gradient, of, f) {
  const step = 1e-5;
  const largest = Math.max(1, ...gradient.map(Math.abs));
  assert.equal(gradient.length, of.data.length);
  gradient.forEach((value, i) => {
    const kept = of.data[i];
    of.data[i] = kept + step;
    const up = f();
    of.data[i] = kept - step;
    const down = f();
    of.data[i] = kept;
    assert.ok(Math.abs((up - down) / (2 * step) - value) <= 1e-6 * largest, `entry ${i}`);
  });
}

/** @param {TensorValue} of @param {TensorValue} by */
const weighted = (of, by) => sum(of.data.length, (i) => of.data[i] * by.data[i]);

test('gradients are those of central differences, for every rule and what it is made of', () => {
  for (const [rule] of rules) {
    const { queries, keys } = operands(rule);
    const values = tensor(batch, m, 2);
    const options = /** @type {const} */ ({ rule, validLens: [3, 0], dropout: { rate: 0.3, seed: 5 } });
    const upstream = { scores: tensor(batch, n, m), output: tensor(batch, n, 2) };
    const ofScores = core.scoresGradient(rule, queries, keys, upstream.scores);
    const sumScores = () => weighted(core.scores(rule, queries, keys), upstream.scores);
    againstDifferences(ofScores.queries.data, queries, sumScores);
    againstDifferences(ofScores.keys.data, keys, sumScores);
    const whole = core.attentionGradient(queries, keys, values, upstream.output, options);
    const sumOutput = () => weighted(core.attention(queries, keys, values, options).output, upstream.output);
    for (const [name, of] of /** @type {const} */ ([['queries', queries], ['keys', keys], ['values', values]])) againstDifferences(whole[name].data, of, sumOutput);
    for (const [name, gradient] of Object.entries(whole.parameters)) {
      const parameter = /** @type {TensorValue} */ (/** @type {any} */ (rule)[name]);
      assert.deepEqual(gradient.shape, parameter.shape);
      againstDifferences(gradient.data, parameter, sumOutput);
    }
    assert.deepEqual(Object.keys(whole.parameters), Object.keys(rule).filter((key) => typeof (/** @type {any} */ (rule)[key]) === 'object'));
  }
  const [weights, upstream] = [core.maskedSoftmax(Float64Array.of(1, 2, 3), [1, 1, 3], { validLens: [2] }), tensor(1, 1, 3)];
  const { data } = core.softmaxGradient({ data: weights.weights, shape: [1, 1, 3] }, upstream);
  const mean = sum(3, (i) => weights.weights[i] * upstream.data[i]);
  close(data, weights.weights.map((value, i) => value * (upstream.data[i] - mean)), 1e-15);
});

test('rules and operands are checked by name', () => {
  const [q, k] = [tensor(1, 2, 3), tensor(1, 2, 3)];
  for (const [rule, code, param] of /** @type {[any, string, string][]} */ ([
    ['euclid', 'unknown_choice', 'rule'], [7, 'wrong_type', 'rule'], [null, 'wrong_type', 'rule'], [{ rule: 'dot', scaled: true }, 'unknown_parameter', 'scaled'],
    [{ rule: 'gaussian', scaled: 1 }, 'wrong_type', 'scaled'], [{ rule: 'bilinear' }, 'wrong_type', 'matrix'], [{ rule: 'bilinear', matrix: tensor(3) }, 'wrong_shape', 'matrix'],
    [{ rule: 'bilinear', matrix: tensor(2, 3) }, 'wrong_shape', 'matrix'], [{ rule: 'low-rank', queryMap: tensor(3, 0), keyMap: tensor(3, 0) }, 'out_of_range', 'queryMap'],
    [{ rule: 'additive', queryMap: tensor(4, 3), keyMap: tensor(5, 3), scoreVector: tensor(4) }, 'wrong_shape', 'keyMap'],
    [{ rule: 'additive', queryMap: tensor(4, 3), keyMap: tensor(4, 3), scoreVector: tensor(4), activation: 'relu' }, 'unknown_choice', 'activation'],
    [{ rule: 'bilinear', matrix: { data: new Float64Array(8), shape: [3, 3] } }, 'wrong_shape', 'matrix'],
  ])) refuses(() => core.scores(rule, q, k), { code, param });
  refuses(() => core.scores('dot', q, tensor(1, 2, 4)), { code: 'wrong_shape', param: 'keys', message: /\(1, 2, 4\).*\(1, 2, 3\).*axis 2/ });
  refuses(() => core.scores('dot', q, { data: new Float32Array(6), shape: [1, 2, 3] }), { code: 'wrong_type', param: 'keys', message: /other kind/ });
  refuses(() => loose.scores('dot', [1, 2], k), { code: 'wrong_type', param: 'queries' });
  refuses(() => loose.scores('dot', { data: [1, 2], shape: [1, 1, 2] }, k), { code: 'wrong_type', param: 'queries', message: /Float32Array or a Float64Array/ });
  refuses(() => loose.attention(q, k, k, { rules: 'dot' }), { code: 'unknown_parameter', param: 'rules' });
  refuses(() => loose.scoresGradient('dot', q, k, tensor(1, 2, 3)), { code: 'wrong_shape', param: 'upstream' });
  refuses(() => loose.scores(q, k, { rule: 'dot' }), { code: 'wrong_type', param: 'rule', message: /first argument/ });
  const narrow = { data: new Float32Array(6), shape: [1, 2, 3] };
  refuses(() => core.softmaxGradient(narrow, narrow), { code: 'wrong_type', param: 'weights', message: /gradients take Float64Arrays/ });
  refuses(() => core.attentionGradient(narrow, narrow, narrow, narrow), { code: 'wrong_type', param: 'queries', message: /gradients take Float64Arrays/ });
});
