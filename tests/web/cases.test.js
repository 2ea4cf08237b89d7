// Every record of tests/data/masked-softmax-cases.txt through WebAssembly, in both precisions and by every route that applies: one mask composed of
// all it names, lengths, expressions, additive bias in three formats, sums of such biases. All routes give the same bits. What no record can hold
// follows by hand. Entropy and norm are checked by the C++ suite, natively and as WebAssembly.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { loadCore, root } from './support.js';

/** @import { BiasDtype, FloatArray, Mask, MaskedSoftmaxResult } from '../../web/engine/types.js' */

/** @typedef {{shape: number[], values: number[]}} Field */

/** @param {string} word */
const number = (word) => Number(word.replace(/inf/, 'Infinity').replace(/nan/, 'NaN'));

/** @param {string} text @returns {Field} */
function field(text) {
  const [sizes, values] = text.split('=').map((part) => part.split(/\s+/).filter((word) => word !== ''));
  return { shape: sizes.map(Number), values: values.map(number) };
}

/** @param {string} block */
function parse(block) {
  const lines = block.split('\n').map((line) => /^(\S+) ?(.*)$/.exec(line) ?? ['', '', '']);
  const all = (/** @type {string} */ name) => lines.filter((line) => line[1] === name).map((line) => line[2]);
  const one = (/** @type {string} */ name) => (all(name).length === 0 ? null : field(all(name)[0]));
  const known = ['case', 'source', 'about', 'scores', 'mask', 'valid_lens', 'causal', 'expression', 'bias', 'weights', 'values', 'outputs', 'entropy', 'jacobian_norm', 'rel_tol'];
  for (const [, name] of lines) assert.ok(known.includes(name), `a field '${name}' that this test does not read`);
  const [scores, weights] = [one('scores'), one('weights')];
  assert.ok(scores && weights);
  const [batch, heads, queries, keys] = four(scores.shape);
  return {
    name: `${all('case')[0]}: ${all('about')[0]}`,
    report: all('case')[0].split('/')[0],
    scores,
    sizes: { batch, heads, queries, keys },
    weights,
    masks: all('mask').map(field),
    lens: one('valid_lens'),
    causal: all('causal').length > 0,
    expressions: all('expression'),
    bias: one('bias'),
    values: one('values'),
    outputs: one('outputs'),
    relTol: Number(all('rel_tol')[0]),
  };
}

/** Three axes have one head. @param {number[]} shape */
const four = (shape) => (shape.length === 4 ? shape : [shape[0], 1, shape[1], shape[2]]);

/** @typedef {ReturnType<typeof parse>} Case */

const text = readFileSync(`${root}tests/data/masked-softmax-cases.txt`, 'utf8').split('\n').filter((line) => !line.startsWith('#')).join('\n');
const cases = text.split(/\n\s*\n/).map((block) => block.trim()).filter((block) => block !== '').map(parse);
const core = await loadCore();

/** The masks of a record that the lines other than `expression` name, of three axes, for one head. @param {Case} record @param {number} head @returns {Mask[]} */
function masksOf({ sizes: { batch, queries, keys }, masks, lens, causal }, head) {
  /** @param {number[]} shape @param {(b: number, q: number, k: number) => boolean} allows @returns {Mask} */
  const made = (shape, allows) => {
    const data = [];
    for (let b = 0; b < shape[0]; ++b) for (let q = 0; q < shape[1]; ++q) for (let k = 0; k < shape[2]; ++k) data.push(allows(b, q, k) ? 1 : 0);
    return { data: Uint8Array.from(data), shape };
  };
  return [
    ...masks.map(({ shape, values }) => headOf(Uint8Array.from(values), shape, head)),
    ...(lens ? [made([batch, lens.shape.length === 2 ? queries : 1, keys], (b, q, k) => k < lens.values[lens.shape.length === 2 ? b * queries + q : b])] : []),
    ...(causal ? [made([1, queries, keys], (_, q, k) => k <= q)] : []),
  ];
}

/** One head of an array, the only one whatever the head where it has one. @template {Uint8Array | FloatArray} A @param {A} data @param {number[]} shape @param {number} head */
function headOf(data, shape, head) {
  const [batch, heads, queries, keys] = four(shape);
  const part = /** @type {A} */ (data.slice(0, batch * queries * keys));
  for (let b = 0; b < batch; ++b) {
    const first = (b * heads + (heads === 1 ? 0 : head)) * queries * keys;
    part.set(data.subarray(first, first + queries * keys), b * queries * keys);
  }
  return { data: part, shape: [batch, queries, keys] };
}

/** The requirements of a record, each as an expression. @param {Case} record */
function requirementsOf({ masks, lens, causal, expressions }) {
  /** Cells as text: ',' between queries, '/' between heads, ';' between sequences. @param {Field} mask */
  const rows = ({ shape, values }) => {
    const [batch, heads, queries, keys] = four(shape);
    const list = (/** @type {number} */ n, /** @type {string} */ between, /** @type {(i: number) => string} */ item) => Array.from({ length: n }, (_, i) => item(i)).join(between);
    return `rows(${list(batch, ';', (b) => list(heads, '/', (h) => list(queries, ',', (q) => list(keys, '', (k) => (values[((b * heads + h) * queries + q) * keys + k] ? '1' : '0')))))})`;
  };
  const perQuery = lens !== null && lens.shape.length === 2;
  const lengths = lens === null ? '' : perQuery ? Array.from({ length: lens.shape[0] }, (_, b) => lens.values.slice(b * lens.shape[1], (b + 1) * lens.shape[1]).join(',')).join(';') : lens.values.join(',');
  const parts = [...masks.map(rows), ...(lens ? [`padding(${lengths}${perQuery && lens.shape[0] === 1 ? ';' : ''})`] : []), ...(causal ? ['causal'] : [])];
  return parts.length > 0 ? parts : expressions.slice(0, 1);
}

/** Biases added value by value on the whole shape of the scores, in single precision: two lowest values give -infinity. @param {Case} record @param {string[]} parts @param {BiasDtype} dtype */
function sumOfBiases({ sizes }, parts, dtype) {
  const { batch, heads, queries, keys } = sizes;
  const sum = new Float32Array(batch * heads * queries * keys);
  for (const part of parts) {
    const { data, shape } = core.additiveBias(part, sizes, { dtype });
    let at = 0;
    for (let b = 0; b < batch; ++b) for (let h = 0; h < heads; ++h) for (let q = 0; q < queries; ++q) for (let k = 0; k < keys; ++k) {
      sum[at++] += data[(((shape[0] === 1 ? 0 : b) * shape[1] + (shape[1] === 1 ? 0 : h)) * queries + q) * keys + k];
    }
  }
  return sum;
}

/**
 * Weights and empty rows of a record by every way of asking for them.
 * @param {Case} record @param {FloatArray} scores
 * @returns {(Pick<MaskedSoftmaxResult, 'weights' | 'emptyRows'> & {route: string})[]}
 */
function routesOf(record, scores) {
  const { sizes, lens, expressions, bias } = record;
  const { batch, heads, queries, keys } = sizes;
  const shape = record.scores.shape;
  if (bias) return [{ route: 'bias', ...core.maskedSoftmax(scores, shape, { bias: Float32Array.from(bias.values), biasShape: bias.shape }) }];
  const parts = requirementsOf(record);
  const routes = [];
  if (heads === 1) {
    const masks = masksOf(record, 0);
    if (masks.length > 0) {
      const composed = core.composeMasks(masks);
      routes.push({ route: 'one mask', ...core.maskedSoftmax(scores, shape, { mask: composed.data, maskShape: composed.shape }) });
    }
    // one mask alone as it came: its bytes other than 0 and 1 too
    if (masks.length === 1) routes.push({ route: 'the mask', ...core.maskedSoftmax(scores, shape, { mask: masks[0].data, maskShape: masks[0].shape }) });
    if (parts.length === 0) routes.push({ route: 'no mask', ...core.maskedSoftmax(scores, shape) });
    if (lens && parts.length === 1) routes.push({ route: 'lengths', ...core.maskedSoftmax(scores, shape, { validLens: lens.values, validLensShape: lens.shape }) });
  } else {
    const weights = scores.slice();
    const emptyRows = [];
    for (let head = 0; head < heads; ++head) {
      const composed = core.composeMasks(masksOf(record, head));
      const part = headOf(scores, shape, head);
      const got = core.maskedSoftmax(part.data, part.shape, { mask: composed.data, maskShape: composed.shape });
      for (let b = 0; b < batch; ++b) weights.set(got.weights.subarray(b * queries * keys, (b + 1) * queries * keys), (b * heads + head) * queries * keys);
      for (const row of got.emptyRows) emptyRows.push((Math.floor(row / queries) * heads + head) * queries + (row % queries));
    }
    routes.push({ route: 'one mask a head', weights, emptyRows: Float64Array.from(emptyRows.sort((a, b) => a - b)) });
  }
  const whole = parts.length === 0 ? 'all' : parts.map((part) => `(${part})`).join(' & ');
  const cells = core.maskCells(whole, sizes);
  for (const expression of [whole, ...expressions]) {
    routes.push({ route: expression, ...core.maskedSoftmax(scores, shape, { expression }) });
    const other = core.maskCells(expression, sizes);
    assert.deepEqual(expanded(other, sizes), expanded(cells, sizes), expression);
  }
  for (const dtype of /** @type {BiasDtype[]} */ (['float32', 'float16', 'bfloat16'])) {
    for (const fill of /** @type {('lowest' | '-infinity')[]} */ (['lowest', '-infinity'])) {
      const { data, shape: biasShape } = core.additiveBias(whole, sizes, { dtype, fill });
      routes.push({ route: `bias, ${dtype}, ${fill}`, ...core.maskedSoftmax(scores, shape, { bias: data, biasShape, biasDtype: dtype }) });
    }
    if (parts.length > 1) {
      const summed = sumOfBiases(record, parts, dtype);
      routes.push({ route: `sum of biases, ${dtype}`, ...core.maskedSoftmax(scores, shape, { bias: summed, biasShape: [batch, heads, queries, keys], biasDtype: dtype }) });
    }
  }
  return routes;
}

/** Cells on all axes. @param {Mask} mask @param {Case['sizes']} sizes */
function expanded({ data, shape }, { batch, heads, queries, keys }) {
  const cells = [];
  for (let b = 0; b < batch; ++b) for (let h = 0; h < heads; ++h) for (let at = 0; at < queries * keys; ++at) {
    cells.push(data[((shape[0] === 1 ? 0 : b) * shape[1] + (shape[1] === 1 ? 0 : h)) * queries * keys + at]);
  }
  return cells;
}

/**
 * @param {FloatArray} got
 * @param {Field} wanted
 * @param {number} relTol
 * @param {string} route
 */
function agrees(got, wanted, relTol, route) {
  assert.equal(got.length, wanted.values.length);
  // a published tolerance below single precision cannot bind single precision: four units in the last place then do
  const bound = got instanceof Float32Array ? Math.max(relTol, 4 * 2 ** -24) : relTol;
  wanted.values.forEach((value, i) => {
    // what single precision cannot hold as a normal number it may round to a neighbour
    const least = got instanceof Float32Array && Math.abs(value) < 2 ** -126 ? 2 ** -149 : 0;
    if (value === 0) assert.ok(Object.is(got[i], 0), `${route}: weight ${i} is ${got[i]}, not exactly 0`);
    else assert.ok(Math.abs(got[i] - value) <= Math.abs(value) * bound + least, `${route}: weight ${i} is ${got[i]}, not ${value}`);
  });
}

test('the file holds 45 of the 48 reports; the other three follow by hand', () => assert.equal(new Set(cases.map(({ report }) => report)).size, 45));

for (const record of cases) {
  const { scores, sizes: { batch, heads, queries, keys }, weights, values, outputs, relTol } = record;
  test(record.name, () => {
    for (const TypedArray of [Float64Array, Float32Array]) {
      // a view into a longer buffer: what stands beside it is not read
      const input = new TypedArray(scores.values.length + 4).fill(1e30).subarray(2, 2 + scores.values.length);
      input.set(scores.values);
      const empty = Array.from({ length: batch * heads * queries }, (_, r) => r).filter((r) => weights.values.slice(r * keys, (r + 1) * keys).every((w) => w === 0));
      const routes = routesOf(record, input);
      for (const { route, weights: got, emptyRows } of routes) {
        assert.ok(got instanceof TypedArray);
        agrees(got, weights, relTol, `${TypedArray.name}, ${route}`);
        assert.deepEqual(got, routes[0].weights, `${TypedArray.name}, ${route}: the bits of ${routes[0].route}`);
        assert.deepEqual([...emptyRows], empty, route);
        if (!values || !outputs) continue;
        // what weighs 0 is not read, so a NaN there stays where it is
        const width = values.shape[2];
        const sums = outputs.values.map((_, i) => [...got.subarray(Math.floor(i / width) * keys, (Math.floor(i / width) + 1) * keys)]
          .reduce((sum, weight, k) => (weight === 0 ? sum : sum + weight * values.values[k * width + (i % width)]), 0));
        assert.deepEqual(sums, outputs.values, route);
      }
    }
  });
}

test('case 46: one row of 65537 equal scores weighs 1/65537 everywhere, by every route', () => {
  const shape = [1, 1, 65537];
  const scores = new Float64Array(65537).fill(0.5);
  for (const options of [undefined, { validLens: [65537] }, { expression: 'all' }, { expression: 'window(65537,65536)' }, { bias: new Float32Array(1), biasShape: [1, 1, 1] }]) {
    const { weights, emptyRows } = core.maskedSoftmax(scores, shape, options);
    assert.ok(weights.every((weight) => Math.abs(weight - 1 / 65537) <= 1e-9 / 65537));
    assert.equal(emptyRows.length, 0);
  }
});

test('case 47: a length that no half-precision number can hold keeps exactly its keys, and positions end at 4095', () => {
  const scores = new Float32Array(4096);
  for (const options of [{ validLens: [2049] }, { expression: 'padding(2049)' }, { expression: '~left_padding(2047)' }]) {
    const { weights } = core.maskedSoftmax(scores, [1, 1, 4096], options);
    assert.equal(weights.filter((weight) => weight > 0).length, 2049);
    assert.ok(weights[2048] > 0 && weights[2049] === 0);
  }
  const last = core.maskCells('global(4092,4093,4094,4095)', { queries: 1, keys: 4096 });
  assert.deepEqual([...last.data.keys()].filter((k) => last.data[k]), [4092, 4093, 4094, 4095]);
  assert.throws(() => core.maskCells('global(4096)', { queries: 1, keys: 4096 }), { code: 'out_of_range', param: 'text' });
});

test('case 49: dropping weights at p = 1/2 and doubling the rest keeps the mean 1 and has variance 0.1 for ten equal ones', () => {
  const weights = [...core.maskedSoftmax(new Float64Array(10).fill(2.5), [1, 1, 10]).weights];
  let [mean, square] = [0, 0];
  for (let dropped = 0; dropped < 1024; ++dropped) {
    const output = weights.reduce((sum, weight, k) => sum + ((dropped >> k) & 1 ? 0 : weight / 0.5), 0);
    mean += output / 1024;
    square += output ** 2 / 1024;
  }
  assert.ok(Math.abs(weights.reduce((sum, weight) => sum + weight, 0) - 1) <= 1e-15);
  assert.ok(Math.abs(mean - 1) <= 1e-13 && Math.abs(square - mean ** 2 - 0.1) <= 1e-12);
  assert.equal(core.maskedSoftmax(Float64Array.of(-7), [1, 1, 1]).weights[0] / (1 - 0.2), 1.25);
});
