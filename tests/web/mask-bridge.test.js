// Mask expressions across the bridge: reading, cells, report, code, bias, lengths, and masked softmax by each route; what is refused is refused with
// the argument, the reason and, for text, the character. Nothing is coerced.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawsFrom, loadCore, refuses } from './support.js';

/** @import { MaskFramework, MaskedSoftmaxOptions } from '../../web/engine/types.js' */

const core = await loadCore();
/** What no typed caller could give. @type {any} */
const loose = core;
const six = { queries: 6, keys: 6 };

test('an expression comes back canonical, with its sheets and the sizes it asks for', () => {
  assert.deepEqual(core.parseMask(' causal&( window( 2 )|~padding(6 ,3))'), {
    text: 'causal & (window(2) | ~padding(6,3))',
    sheets: ['causal', 'window(2) | ~padding(6,3)'],
    sizes: { batch: 2, heads: 1, queries: 1, keys: 1 },
  });
  assert.deepEqual(core.parseMask('rows(10,01/11,00;00,00/10,10)').sizes, { batch: 2, heads: 2, queries: 2, keys: 2 });
  assert.deepEqual(core.parseMask('causal | none').sheets, ['causal | none']);
});

test('an error in the text points at the character, counted from 0', () => {
  for (const [text, at, code, message] of /** @type {[string, number, string, RegExp][]} */ ([
    ['causal & windw(2)', 9, 'syntax', /^text: at character 10, .*windw/],
    ['causal & (window(2)', 19, 'syntax', /character 20/],
    ['causal &', 8, 'syntax', /character 9/],
    ['window(0)', 7, 'out_of_range', /window/],
    ['causal & window(1,2,3)', 9, 'wrong_shape', /window/],
    ['causal ∧ window(2)', 7, 'syntax', /character 8/],
  ])) {
    assert.throws(() => core.parseMask(text), (/** @type {any} */ error) => {
      assert.deepEqual([error.code, error.param, error.at], [code, 'text', at], `${text}: ${error.message}`);
      return message.test(error.message);
    });
  }
  refuses(() => loose.parseMask(7), { code: 'wrong_type', param: 'text', message: /7; give an expression/ });
  refuses(() => loose.parseMask(null), { code: 'wrong_type', param: 'text' });
});

test('cells have the axes that the mask depends on; batch and heads default to what it asks for', () => {
  const { data, shape } = core.maskCells('causal & padding(3,1)', { queries: 2, keys: 3 });
  assert.deepEqual([shape, [...data]], [[2, 1, 2, 3], [1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0]]);
  assert.deepEqual(core.maskCells('causal', { batch: 4, heads: 8, queries: 2, keys: 2 }).shape, [1, 1, 2, 2]);
  assert.deepEqual([...core.maskCells('causal(bottom_right)', { queries: 2, keys: 4 }).data], [1, 1, 1, 0, 1, 1, 1, 1]);
  assert.equal(data.buffer.byteLength, data.byteLength, 'a copy of its own');
});

test('sizes are checked by name, and masks that do not fit them show both shapes and the axis', () => {
  for (const [sizes, code, param] of /** @type {[any, string, string][]} */ ([
    [undefined, 'wrong_type', 'sizes'], [null, 'wrong_type', 'sizes'], [{ queries: 2 }, 'wrong_type', 'keys'], [{ queries: '2', keys: 2 }, 'wrong_type', 'queries'],
    [{ queries: 2.5, keys: 2 }, 'not_an_integer', 'queries'], [{ queries: -1, keys: 2 }, 'out_of_range', 'queries'], [{ ...six, batch: NaN }, 'not_an_integer', 'batch'],
    [{ ...six, head: 2 }, 'unknown_parameter', 'head'],
  ])) {
    for (const call of [loose.maskCells, loose.maskReport, loose.additiveBias, loose.validLensOf]) refuses(() => call('causal', sizes), { code, param });
    refuses(() => loose.maskCode('causal', sizes, 'numpy'), { code, param });
  }
  refuses(() => core.maskCells('padding(1,2)', { ...six, batch: 3 }), { code: 'wrong_shape', param: 'text', message: /padding\(1,2\).*2.*3/ });
  refuses(() => core.parseMask('padding(1,2) & padding(1,2,3)'), { code: 'wrong_shape', param: 'text', message: /batch/ });
  refuses(() => core.maskCells('documents(4,3)', six), { code: 'wrong_shape', param: 'text', message: /7.*6|6.*7/ });
  refuses(() => core.maskCells('document_ids(0,0,1)', six), { code: 'wrong_shape', param: 'text', message: /3.*6|6.*3/ });
  refuses(() => core.maskCells('padding(7)', six), { code: 'out_of_range', param: 'text' });
  refuses(() => core.maskCells('causal', { queries: 2 ** 20, keys: 2 ** 20 }), { code: 'too_large', param: 'text' });
});

test('the report is an object: empty rows with the smallest set that empties them', () => {
  const report = core.maskReport('causal & window(2) & padding(3)', six);
  assert.equal(report.emptyRows, 2);
  assert.deepEqual(report.emptyRuns, [{ batch: 0, head: 0, first: 4, last: 5, reason: 0 }]);
  assert.equal(report.reasons[0].text, 'window(2) & padding(3)');
  assert.deepEqual(report.reasons[0].smallest, [1, 2]);
  assert.deepEqual(report.sheets.map(({ text }) => text), ['causal', 'window(2)', 'padding(3)']);
  assert.equal(report.allowedCells, [...core.maskCells('causal & window(2) & padding(3)', six).data].filter(Boolean).length);
  assert.equal(core.maskReport('causal & window(2)', { queries: 16384, keys: 16384 }).emptyRows, 0, 'far beyond what cells could be');
});

test('code for every library; another name is refused with the list', () => {
  for (const framework of /** @type {MaskFramework[]} */ (['pytorch', 'pytorch-mha', 'pytorch-flex', 'jax', 'keras', 'numpy'])) {
    assert.match(core.maskCode('causal & padding(3)', six, framework), /k <= q/, framework);
  }
  refuses(() => loose.maskCode('causal', six, 'tensorflow'), { code: 'unknown_choice', param: 'framework', message: /pytorch-flex/ });
  refuses(() => loose.maskCode('causal', six), { code: 'wrong_type', param: 'framework', message: /^framework is undefined; allowed are .*pytorch-flex/ });
});

test('additive bias holds 0 and the lowest value of its dtype, or -infinity', () => {
  const sizes = { queries: 1, keys: 2 };
  const [single, half, brain] = [-(2 - 2 ** -23) * 2 ** 127, -65504, -(2 - 2 ** -7) * 2 ** 127];
  for (const [options, fill] of /** @type {[any, number][]} */ ([
    [undefined, single], [{}, single], [{ dtype: 'float32' }, single], [{ dtype: 'float16' }, half], [{ dtype: 'bfloat16', fill: 'lowest' }, brain], [{ fill: '-infinity' }, -Infinity],
  ])) {
    const { data, shape } = core.additiveBias('padding(1)', sizes, options);
    assert.ok(data instanceof Float32Array);
    assert.deepEqual([[...data], shape], [[0, fill], [1, 1, 1, 2]]);
  }
  refuses(() => loose.additiveBias('causal', six, { dtype: 'float64' }), { code: 'unknown_choice', param: 'dtype', message: /^dtype is "float64"; allowed are float32, float16 and bfloat16/ });
  refuses(() => loose.additiveBias('causal', six, { dtype: 'half' }), { code: 'unknown_choice', param: 'dtype', message: /float16/ });
  refuses(() => loose.additiveBias('causal', six, { fill: -1e9 }), { code: 'wrong_type', param: 'fill', message: /^fill is -1000000000; allowed are lowest and -infinity$/ });
  refuses(() => loose.additiveBias('causal', six, { value: 0 }), { code: 'unknown_parameter', param: 'value' });
  refuses(() => loose.additiveBias('causal', six, 'float16'), { code: 'wrong_type', param: 'options' });
});

test('lengths that say the same, or the first row that no length expresses', () => {
  const lens = core.validLensOf('padding(6,3)', six);
  assert.deepEqual([[...lens.data], lens.shape], [[6, 3], [2]]);
  const perQuery = core.validLensOf('causal & padding(2)', { queries: 3, keys: 3 });
  assert.deepEqual([[...perQuery.data], perQuery.shape], [[1, 2, 2], [1, 3]]);
  refuses(() => core.validLensOf('window(2)', six), { code: 'wrong_shape', param: 'text', message: /query 2 / });
  refuses(() => core.validLensOf('rows(1/0)', six), { code: 'wrong_shape', param: 'text', message: /heads/ });
});

test('the same bits by lengths, mask, expression and bias, with the same empty rows', () => {
  const draw = drawsFrom(9);
  let empty = 0;
  for (let round = 0; round < 60; ++round) {
    const [batch, queries, keys] = [1 + draw(3), 1 + draw(5), 1 + draw(7)];
    const scores = Float32Array.from({ length: batch * queries * keys }, () => draw(4000) / 500 - 4);
    const lens = Array.from({ length: batch }, () => draw(keys + 1));
    const extra = ['all', `window(${1 + draw(3)})`, 'causal(bottom_right)', '~causal'][draw(4)];
    const expression = `padding(${lens.join(',')}) & ${extra}`;
    const sizes = { batch, queries, keys };
    const { data: mask, shape: [maskBatch] } = core.maskCells(expression, sizes);
    /** @type {MaskedSoftmaxOptions[]} */
    const ways = [{ expression }, { mask, maskShape: [maskBatch, queries, keys] }];
    if (extra === 'all') ways.push({ validLens: lens });
    for (const biasDtype of /** @type {const} */ (['float32', 'float16', 'bfloat16'])) {
      const { data: bias, shape: biasShape } = core.additiveBias(expression, sizes, { dtype: biasDtype });
      ways.push({ bias, biasShape, biasDtype }, { bias, biasShape: [biasShape[0], queries, keys], biasDtype });
    }
    const [first, ...others] = ways.map((options) => core.maskedSoftmax(scores, [batch, queries, keys], options));
    others.forEach((other) => assert.deepEqual(other, first, expression));
    empty += first.emptyRows.length;
  }
  assert.ok(empty > 30);
});

test('scores with heads: four axes under an expression or a bias; three axes elsewhere', () => {
  const scores = new Float64Array(2 * 2 * 2 * 3).map((_, i) => i % 5);
  const shape = [2, 2, 2, 3];
  const { weights, emptyRows, shape: axes } = core.maskedSoftmax(scores, shape, { expression: 'rows(111/000)' });
  assert.deepEqual(axes, shape);
  assert.deepEqual([...emptyRows], [2, 3, 6, 7], 'flat (batch, heads, queries)');
  assert.ok(weights.slice(0, 6).every((weight) => weight > 0) && weights.slice(6, 12).every((weight) => Object.is(weight, 0)));
  const bias = Float32Array.of(0, -Infinity);
  assert.deepEqual(core.maskedSoftmax(scores, shape, { bias, biasShape: [1, 2, 1, 1] }).weights, weights);
  for (const options of [undefined, { validLens: [3, 3] }, { mask: Uint8Array.of(1), maskShape: [1, 1, 1] }]) {
    refuses(() => core.maskedSoftmax(scores, shape, options), { code: 'wrong_shape', param: 'scores', message: /\(2, 2, 2, 3\)/ });
  }
});

test('a float mask of 0 and 1 is added when given as bias, and refused as mask, with how to convert it', () => {
  const scores = new Float64Array(4);
  const shape = [1, 2, 2];
  const values = Float32Array.of(1, 0, 1, 1);
  const added = core.maskedSoftmax(scores, shape, { bias: values, biasShape: shape }).weights;
  assert.ok(Math.abs(added[0] - 0.7310585786300049) < 1e-15 && added[2] === 0.5);
  for (const floats of [values, Float64Array.from(values)]) {
    refuses(() => loose.maskedSoftmax(scores, shape, { mask: floats, maskShape: shape }), { code: 'wrong_type', param: 'mask', message: /bias.*Uint8Array\.from\(values, \(value\) => value !== 0\)/ });
    refuses(() => loose.composeMasks([{ data: floats, shape }]), { code: 'wrong_type', param: 'masks[0]' });
  }
  const converted = Uint8Array.from(values, (value) => (value !== 0 ? 1 : 0));
  assert.deepEqual([...core.maskedSoftmax(scores, shape, { mask: converted, maskShape: shape }).weights], [1, 0, 0.5, 0.5]);
});

test('bytes other than 0 and 1 are true', () => {
  assert.deepEqual([...core.maskedSoftmax(new Float64Array(4), [1, 1, 4], { mask: Uint8Array.of(2, 0, 255, 0), maskShape: [1, 1, 4] }).weights], [0.5, 0, 0.5, 0]);
  assert.deepEqual([...core.composeMasks([{ data: Uint8Array.of(254, 255, 0, 2), shape: [1, 1, 4] }]).data], [1, 1, 0, 1]);
});

test('options that contradict, miss or do not fit are refused by name', () => {
  const scores = new Float64Array(4);
  const shape = [1, 2, 2];
  const bias = new Float32Array(4);
  for (const [options, code, param] of /** @type {[any, string, string][]} */ ([
    [{ expression: 'causal', validLens: [1] }, 'wrong_type', 'expression'],
    [{ expression: 'causal', mask: Uint8Array.of(1), maskShape: [1, 1, 1] }, 'wrong_type', 'expression'],
    [{ expression: 'causal', bias, biasShape: shape }, 'wrong_type', 'bias'],
    [{ bias, biasShape: shape, validLens: [1] }, 'wrong_type', 'bias'],
    [{ expression: 'causal', biasDtype: 'float16' }, 'wrong_type', 'biasDtype'],
    [{ expression: 'causal', maskShape: shape }, 'wrong_type', 'maskShape'],
    [{ expression: 'causal', validLensShape: [1] }, 'wrong_type', 'validLensShape'],
    [{ biasShape: shape }, 'wrong_type', 'biasShape'],
    [{ maskShape: shape }, 'wrong_type', 'maskShape'],
    [{ expression: 3 }, 'wrong_type', 'expression'],
    [{ expression: 'causl' }, 'syntax', 'expression'],
    [{ expression: 'padding(1,1)' }, 'wrong_shape', 'expression'],
    [{ expression: 'padding(3)' }, 'out_of_range', 'expression'],
    [{ bias: [0, 0, 0, 0], biasShape: shape }, 'wrong_type', 'bias'],
    [{ bias: new Float64Array(4), biasShape: shape }, 'wrong_type', 'bias'],
    [{ bias: Uint8Array.of(1, 1, 1, 1), biasShape: shape }, 'wrong_type', 'bias'],
    [{ bias }, 'wrong_type', 'biasShape'],
    [{ bias, biasShape: [2, 2] }, 'wrong_shape', 'bias'],
    [{ bias, biasShape: [1, 1, 2] }, 'wrong_shape', 'bias'],
    [{ bias, biasShape: [4, 1, 1] }, 'wrong_shape', 'bias'],
    [{ bias, biasShape: shape, biasDtype: 'int8' }, 'unknown_choice', 'biasDtype'],
    [{ expresion: 'causal' }, 'unknown_parameter', 'expresion'],
  ])) {
    refuses(() => loose.maskedSoftmax(scores, shape, options), { code, param });
  }
  refuses(() => loose.maskedSoftmax([0, 0, 0, 0], shape, { expression: 'causal' }), { code: 'wrong_type', param: 'scores' });
  refuses(() => core.maskedSoftmax(scores, [2, 2], { expression: 'causal' }), { code: 'wrong_shape', param: 'scores' });
  refuses(() => core.maskedSoftmax(scores, [1, 1, 2, 3], { expression: 'causal' }), { code: 'wrong_shape', param: 'scores' });
});

test('cells too many for a copy are refused by the core, and text where bytes are meant', () => {
  refuses(() => core.maskCells('causal', { queries: 16384, keys: 16384 }), { code: 'too_large', param: 'text', message: /maskReport/ });
  refuses(() => core.maskedSoftmax(Float32Array.of(1, 2), [1, 1, 2], { mask: /** @type {any} */ ('causal') }), { code: 'wrong_type', param: 'mask', message: /expression/ });
});
