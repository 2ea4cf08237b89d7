// Every record of tests/data/masked-softmax-cases.txt through WebAssembly, in both precisions: by lengths where a record has lengths alone, and
// always by one mask composed of all it names. Records without weights concern entropy and norm, which the C++ suite checks.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { loadCore, root } from './support.js';

/** @import { FloatArray, Mask } from '../../web/engine/types.js' */

/** @typedef {{shape: number[], values: number[]}} Field */

/** @param {string} word */
const number = (word) => Number(word.replace(/inf/, 'Infinity').replace(/nan/, 'NaN'));

/** @param {string} text @returns {Field} */
function field(text) {
  const [sizes, values] = text.split('=').map((part) => part.trim().split(/\s+/));
  return { shape: sizes.map(Number), values: values.map(number) };
}

/** @param {string} block */
function parse(block) {
  const lines = block.split('\n').map((line) => /^(\S+) ?(.*)$/.exec(line) ?? ['', '', '']);
  const all = (/** @type {string} */ name) => lines.filter((line) => line[1] === name).map((line) => line[2]);
  const one = (/** @type {string} */ name) => all(name)[0];
  const known = ['case', 'source', 'about', 'scores', 'mask', 'valid_lens', 'causal', 'weights', 'entropy', 'jacobian_norm', 'rel_tol'];
  for (const [, name] of lines) assert.ok(known.includes(name), `a field '${name}' that this test does not read`);
  return {
    name: `${one('case')}: ${one('about')}`,
    scores: field(one('scores')),
    weights: one('weights') === undefined ? null : field(one('weights')),
    masks: all('mask').map(field),
    lens: one('valid_lens') === undefined ? null : field(one('valid_lens')),
    causal: one('causal') !== undefined,
    relTol: Number(one('rel_tol')),
  };
}

const text = readFileSync(`${root}tests/data/masked-softmax-cases.txt`, 'utf8').split('\n').filter((line) => !line.startsWith('#')).join('\n');
const cases = text.split(/\n\s*\n/).map((block) => block.trim()).filter((block) => block !== '').map(parse);
const core = await loadCore();

/** @param {ReturnType<typeof parse>} record @returns {Mask[]} */
function masksOf({ scores: { shape: [batch, queries, keys] }, masks, lens, causal }) {
  /** @param {number[]} shape @param {(b: number, q: number, k: number) => boolean} allows @returns {Mask} */
  const made = (shape, allows) => {
    const data = [];
    for (let b = 0; b < shape[0]; ++b) for (let q = 0; q < shape[1]; ++q) for (let k = 0; k < shape[2]; ++k) data.push(allows(b, q, k) ? 1 : 0);
    return { data: Uint8Array.from(data), shape };
  };
  return [
    ...masks.map(({ shape, values }) => ({ data: Uint8Array.from(values), shape })),
    ...(lens ? [made([batch, lens.shape.length === 2 ? queries : 1, keys], (b, q, k) => k < lens.values[lens.shape.length === 2 ? b * queries + q : b])] : []),
    ...(causal ? [made([1, queries, keys], (_, q, k) => k <= q)] : []),
  ];
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

test('the file of cases is not empty', () => assert.ok(cases.filter(({ weights }) => weights).length >= 30));

for (const record of cases) {
  const { scores, weights, lens, relTol } = record;
  if (!weights) continue;
  test(record.name, () => {
    for (const TypedArray of [Float64Array, Float32Array]) {
      const input = TypedArray.from(scores.values);
      const masks = masksOf(record);
      const results = [];
      if (masks.length === 0) results.push({ route: 'no mask', ...core.maskedSoftmax(input, scores.shape) });
      else {
        const { data, shape } = core.composeMasks(masks);
        results.push({ route: 'one mask', ...core.maskedSoftmax(input, scores.shape, { mask: data, maskShape: shape }) });
      }
      if (lens && masks.length === 1) results.push({ route: 'lengths', ...core.maskedSoftmax(input, scores.shape, { validLens: lens.values, validLensShape: lens.shape }) });
      const rows = scores.shape[0] * scores.shape[1];
      /** @type {number[]} */
      const empty = Array.from({ length: rows }, (_, r) => r).filter((r) => weights.values.slice(r * scores.shape[2], (r + 1) * scores.shape[2]).every((w) => w === 0));
      for (const { route, weights: got, emptyRows } of results) {
        assert.ok(got instanceof TypedArray);
        agrees(got, weights, relTol, `${TypedArray.name}, ${route}`);
        assert.deepEqual([...emptyRows], empty, route);
      }
    }
  });
}
