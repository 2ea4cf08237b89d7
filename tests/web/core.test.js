// The core through WebAssembly: what good input gives, and the error that names what is wrong with bad input.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brief, loadCore, refuses } from './support.js';

const core = await loadCore();

/** Scores of one batch, two queries, four keys. */
const scores = Float64Array.of(1, 2, 3, 4, 4, 3, 2, 1);
const shape = [1, 2, 4];
/** @param {any} validLens @param {any} [validLensShape] */
const withLens = (validLens, validLensShape) => () => core.maskedSoftmax(scores, shape, { validLens, validLensShape });

test('the registry declares what the page needs of it', () => {
  const { version, studies } = core.describe();
  assert.match(version, /^\d+\.\d+\.\d+$/);
  assert.deepEqual(studies.map(({ id }) => id), ['kernels', 'saturation', 'jacobian', 'masked-softmax', 'ledger', 'seeds', 'masks', 'precision', 'batched', 'additive', 'cost']);
  for (const study of studies) {
    assert.equal(new Set(study.parameters.map(({ key }) => key)).size, study.parameters.length);
    const { series, code } = core.run(study.id, brief[study.id]);
    assert.match(code, /jax|torch/, 'a framework’s lines come with every result');
    assert.deepEqual(Object.keys(series).sort(), study.series.map(({ name }) => name).sort());
    for (const [name, { data, shape: axes }] of Object.entries(series)) {
      assert.equal(data.length, axes.reduce((product, axis) => product * axis, 1), name);
      const words = study.series.find((each) => each.name === name)?.values === 'words';
      if (words) assert.ok(Array.isArray(data) && data.every((text) => typeof text === 'string'), `${name} holds words`);
      else assert.ok(data instanceof Float64Array && data.buffer.byteLength === data.byteLength, `${name} is a copy of its own`);
    }
  }
});

test('softmax of 1 2 3 4, in both precisions, with and without lengths', () => {
  const exp = [1, 2, 3, 4].map(Math.exp);
  const total = exp.reduce((sum, each) => sum + each);
  const { weights, shape: axes, emptyRows } = core.maskedSoftmax(scores, shape);
  assert.deepEqual(axes, shape);
  assert.equal(emptyRows.length, 0);
  exp.forEach((each, k) => assert.ok(Math.abs(weights[k] - each / total) < 1e-15));
  const single = core.maskedSoftmax(Float32Array.from(scores), shape).weights;
  assert.ok(single instanceof Float32Array && single.every((weight, i) => Math.abs(weight - weights[i]) < 1e-7));
  const masked = core.maskedSoftmax(scores, shape, { validLens: [2] }).weights;
  assert.deepEqual([...masked].map((weight) => weight === 0), [false, false, true, true, false, false, true, true]);
  assert.ok(Object.is(masked[3], 0), 'positive zero');
  assert.deepEqual(core.maskedSoftmax(scores, shape, { validLens: Int32Array.of(2) }).weights, masked);
  const perQuery = core.maskedSoftmax(scores, shape, { validLens: [0, 4], validLensShape: [1, 2] });
  assert.deepEqual([...perQuery.emptyRows], [0]);
  assert.deepEqual([...perQuery.weights.slice(0, 4)], [0, 0, 0, 0]);
});

test('a mask broadcasts; masks compose by AND; empty rows are listed', () => {
  const mask = Uint8Array.of(1, 0, 0, 1);
  const broadcast = core.maskedSoftmax(scores, shape, { mask, maskShape: [1, 1, 4] }).weights;
  assert.deepEqual([...broadcast].map((weight) => weight !== 0), [true, false, false, true, true, false, false, true]);
  const composed = core.composeMasks([{ data: mask, shape: [1, 1, 4] }, { data: Uint8Array.of(1, 0), shape: [1, 2, 1] }]);
  assert.deepEqual(composed.shape, [1, 2, 4]);
  assert.deepEqual([...composed.data], [1, 0, 0, 1, 0, 0, 0, 0]);
  assert.deepEqual([...composed.emptyRows], [1]);
});

test('attentionStats has its defaults and its standard errors', () => {
  const stats = core.attentionStats({ d: 4 });
  assert.deepEqual(stats, core.attentionStats({ d: 4, numKeys: 64, numQueries: 256, scaled: true, seed: 0 }));
  assert.equal(stats.jacobianNorm.toFixed(3), '0.178');
  assert.equal(core.attentionStats({ d: 4, scaled: false }).jacobianNorm.toFixed(3), '0.258');
  for (const value of Object.values(stats)) assert.ok(Number.isFinite(value) && value > 0);
});

test('results stay what they were when memory grows', () => {
  const early = core.maskedSoftmax(scores, shape).weights;
  const before = [...early];
  const large = 2 ** 22;
  core.maskedSoftmax(new Float64Array(large), [1, 1, large]);
  assert.deepEqual([...early], before);
});

test('valid lengths that are no whole number from 0 to the number of keys', () => {
  for (const [entry, code] of /** @type {[any, string][]} */ ([
    [-1, 'out_of_range'], [5, 'out_of_range'], [2 ** 32 + 5, 'out_of_range'], [2.5, 'not_an_integer'], [NaN, 'not_an_integer'], [Infinity, 'not_an_integer'],
    ['3', 'wrong_type'], [null, 'wrong_type'], [undefined, 'wrong_type'], [true, 'wrong_type'], [3n, 'wrong_type'],
  ])) {
    refuses(withLens([entry, 4], [1, 2]), { code, param: 'validLens', message: /\b0\b/ });
  }
  refuses(withLens([2, 2.5], [1, 2]), { code: 'not_an_integer', param: 'validLens', message: /\[0, 1\]|\[1\]/ });
  refuses(withLens(2), { code: 'wrong_type', param: 'validLens' });
  refuses(withLens('2,3'), { code: 'wrong_type', param: 'validLens' });
  refuses(withLens(BigInt64Array.of(2n)), { code: 'wrong_type', param: 'validLens' });
});

test('shapes that do not fit', () => {
  refuses(withLens([1, 2, 3]), { code: 'wrong_shape', param: 'validLens' });
  refuses(withLens([1, 2], [2, 1]), { code: 'wrong_shape', param: 'validLens' });
  refuses(withLens([1, 2], [1, 3]), { code: 'wrong_shape', param: 'validLens' });
  refuses(() => core.maskedSoftmax(scores, [1, 2, 5]), { code: 'wrong_shape', param: 'scores', message: /8.*10/ });
  refuses(() => core.maskedSoftmax(scores, [2, 4]), { code: 'wrong_shape', param: 'scores' });
  refuses(() => core.maskedSoftmax(scores, shape, { mask: new Uint8Array(3), maskShape: [1, 1, 3] }), { code: 'wrong_shape', param: 'mask' });
  refuses(() => core.composeMasks([{ data: new Uint8Array(3), shape: [1, 1, 3] }, { data: new Uint8Array(2), shape: [1, 1, 2] }]), { code: 'wrong_shape', param: 'masks[1]' });
});

test('sizes that overflow, or that no machine has, are refused before anything is allocated', () => {
  for (const axes of [[65536, 65536, 65536], [2 ** 31, 2, 2], [2 ** 32 - 1, 2 ** 32 - 1, 2 ** 32 - 1], [1, 1, 2 ** 31]]) {
    refuses(() => core.maskedSoftmax(scores, axes), { code: 'too_large', param: 'scores', message: /elements/ });
  }
  refuses(() => core.maskedSoftmax(scores, [1, 2, 2 ** 32 + 4]), { code: 'out_of_range', param: 'scores.shape[2]' });
  for (const [axis, code] of /** @type {[any, string][]} */ ([[-1, 'out_of_range'], [1.5, 'not_an_integer'], ['2', 'wrong_type'], [null, 'wrong_type'], [NaN, 'not_an_integer']])) {
    refuses(() => core.maskedSoftmax(scores, [1, axis, 4]), { code, param: 'scores.shape[1]' });
  }
  refuses(() => core.maskedSoftmax(scores, /** @type {any} */ (8)), { code: 'wrong_type', param: 'scores.shape' });
});

test('arguments of the wrong type', () => {
  for (const value of /** @type {any[]} */ ([[1, 2], new Int32Array(8), null, undefined, 'scores', new DataView(new ArrayBuffer(8))])) {
    refuses(() => core.maskedSoftmax(value, shape), { code: 'wrong_type', param: 'scores' });
  }
  for (const value of /** @type {any[]} */ ([null, 5, 'causal', true])) refuses(() => core.maskedSoftmax(scores, shape, value), { code: 'wrong_type', param: 'options' });
  refuses(() => core.maskedSoftmax(scores, shape, /** @type {any} */ ({ valid_lens: [2] })), { code: 'unknown_parameter', param: 'valid_lens' });
  for (const value of /** @type {any[]} */ ([[1, 0, 0, 1], new Float32Array(8), 'mask'])) {
    refuses(() => core.maskedSoftmax(scores, shape, { mask: value, maskShape: shape }), { code: 'wrong_type', param: 'mask' });
  }
  for (const value of /** @type {any[]} */ ([null, 3, undefined])) refuses(() => core.composeMasks(value), { code: 'wrong_type', param: 'masks' });
  refuses(() => core.composeMasks(/** @type {any} */ ([null])), { code: 'wrong_type', param: 'masks[0]' });
});

test('attentionStats: each option checked by name', () => {
  const stats = (/** @type {any} */ options) => () => core.attentionStats(options);
  for (const value of [undefined, null, 4, 'd']) refuses(stats(value), { code: 'wrong_type', param: 'options' });
  refuses(stats({}), { code: 'wrong_type', param: 'd' });
  refuses(stats({ d: 4.5 }), { code: 'not_an_integer', param: 'd' });
  refuses(stats({ d: 0 }), { code: 'out_of_range', param: 'd' });
  refuses(stats({ d: 2 ** 32 + 4 }), { code: 'out_of_range', param: 'd' });
  refuses(stats({ d: '4' }), { code: 'wrong_type', param: 'd' });
  refuses(stats({ d: 4, numKeys: NaN }), { code: 'not_an_integer', param: 'numKeys' });
  refuses(stats({ d: 4, numQueries: -1 }), { code: 'out_of_range', param: 'numQueries' });
  refuses(stats({ d: 4, scaled: 1 }), { code: 'wrong_type', param: 'scaled' });
  refuses(stats({ d: 4, seed: -1 }), { code: 'out_of_range', param: 'seed' });
  refuses(stats({ d: 4, seed: null }), { code: 'wrong_type', param: 'seed' });
  refuses(stats({ d: 4, keys: 64 }), { code: 'unknown_parameter', param: 'keys' });
});

test('unknown study, parameter and choice; values of the wrong kind; numbers out of range', () => {
  const run = (/** @type {any} */ id, /** @type {any} */ params) => () => core.run(id, params);
  for (const id of ['entropy', '']) refuses(run(id, {}), { code: 'unknown_study', param: 'study', message: /saturation, jacobian, masked-softmax/ });
  for (const id of [null, undefined, 3]) refuses(run(id, {}), { code: 'wrong_type', param: 'study', message: new RegExp(`^${id} is not a study; there are .*saturation, jacobian, masked-softmax`) });
  refuses(run('saturation', { dim: 4 }), { code: 'unknown_parameter', param: 'dim', message: /\bd, keys, draws\b/ });
  refuses(run('saturation', { unit: 'hartleys' }), { code: 'unknown_choice', param: 'unit', message: /nats, bits/ });
  refuses(run('saturation', { d: 3 }), { code: 'out_of_range', param: 'd', message: /4 to 512/ });
  refuses(run('saturation', { d: 513 }), { code: 'out_of_range', param: 'd' });
  refuses(run('saturation', { seed: 2 ** 32 }), { code: 'out_of_range', param: 'seed' });
  refuses(run('saturation', { d: 4.5 }), { code: 'not_an_integer', param: 'd' });
  refuses(run('saturation', { d: NaN }), { code: 'not_an_integer', param: 'd' });
  refuses(run('saturation', { d: Infinity }), { code: 'out_of_range', param: 'd' });
  for (const value of ['128', true]) refuses(run('saturation', { d: value }), { code: 'wrong_type', param: 'd' });
  for (const value of [null, [128], {}, 128n, () => 1]) refuses(run('saturation', { d: value }), { code: 'wrong_type', param: 'd' });
  refuses(run('masked-softmax', { causal: 1 }), { code: 'wrong_type', param: 'causal' });
  refuses(run('masked-softmax', { lens: '2' }), { code: 'wrong_shape', param: 'lens' });
  refuses(run('masked-softmax', { lens: '2,5' }), { code: 'out_of_range', param: 'lens', message: /0 to 4/ });
  refuses(run('masked-softmax', { lens: '2,1.5' }), { code: 'not_an_integer', param: 'lens' });
  refuses(run('masked-softmax', { lens: 'two' }), { code: 'wrong_type', param: 'lens' });
  refuses(run('saturation', 5), { code: 'wrong_type', param: 'params' });
  assert.deepEqual(core.run('masked-softmax', { keys: undefined }).params, core.run('masked-softmax').params);
});

test('repair: nearest valid value with a notice, unknown keys named, unknown study refused', () => {
  const { params, notices } = core.repair('saturation', { d: '9999', keys: '-3', unit: 'hartleys', colour: 'red', seed: '7' });
  assert.deepEqual(params, { d: 512, keys: 2, draws: 256, seed: 7, generator: 'jax', unit: 'nats', theory: false });
  assert.deepEqual(notices.map(({ param }) => param).sort(), ['colour', 'd', 'keys', 'unit']);
  for (const { message } of notices) assert.ok(message.length > 10);
  refuses(() => core.repair('entropy', {}), { code: 'unknown_study', param: 'study' });
});

test('settle brings dependent parameters along', () => {
  const { result, notices } = core.settle('masked-softmax', { keys: 2, lens: '2,3' });
  assert.equal(result.params.lens, '2,2');
  assert.deepEqual(notices.map(({ param }) => param), ['lens']);
});

test('a long run tells its share done before it returns, and gives the same as one that tells nothing', () => {
  /** @type {number[]} */
  const shares = [];
  const told = core.run('ledger', { runs: 64, offset: 5 }, (share) => shares.push(share));
  assert.ok(shares.length >= 5);
  assert.ok(shares.every((share, i) => share >= 0 && share <= 1 && (i === 0 || share >= shares[i - 1])));
  assert.deepEqual(told, core.run('ledger', { runs: 64, offset: 5 }));
});

test('randomArrays: a notebook’s calls, and what it refuses', () => {
  const [five, pair] = core.randomArrays({ generator: 'torch', seed: 0, calls: [{ call: 'randn', shape: [5] }, { call: 'rand', shape: [1, 2] }] });
  assert.ok(five instanceof Float32Array);
  assert.deepEqual([...five].map((x) => x.toFixed(4)), ['1.5410', '-0.2934', '-2.1788', '0.5684', '-1.0845']);
  assert.equal(pair.length, 2);
  assert.equal(core.randomArrays({ generator: 'jax', seed: 42, calls: [{ call: 'normal', shape: [] }] })[0][0], Math.fround(-0.028304616));
  const calls = (/** @type {any} */ shape, more = {}) => ({ generator: 'torch', seed: 0, calls: [{ call: 'rand', shape, ...more }] });
  for (const [request, code, param] of /** @type {[any, string, string][]} */ ([
    [{ generator: 'numpy', seed: 0, calls: [] }, 'unknown_choice', 'generator'],
    [{ generator: 'jax', seed: 0.5, calls: [] }, 'not_an_integer', 'seed'],
    [{ generator: 'jax', seed: -1, calls: [] }, 'out_of_range', 'seed'],
    [{ generator: 'jax', seed: '0', calls: [] }, 'wrong_type', 'seed'],
    [calls([2, 0]), 'out_of_range', 'calls[0].shape[1]'],
    [calls([-1]), 'out_of_range', 'calls[0].shape[0]'],
    [calls(['2']), 'wrong_type', 'calls[0].shape[0]'],
    [calls([65536, 65536]), 'too_large', 'calls[0]'],
    [calls([2], { dtype: 'float64' }), 'unknown_choice', 'calls[0].dtype'],
  ])) refuses(() => core.randomArrays(request), { code, param });
});
