/**
 * Figure 1 of "Additive scoring": the weights of every query over every key, a row of cells a query, inked from sheet to blue, with the
 * value printed to as many decimals as have room. The chosen pair is ringed.
 *
 * Not the scores, which the readout has. Weights are softmax_k w_v . tanh(W_q q + W_k k).
 */

import { precise, weight } from '../../chart/format.js';
import { h } from '../../chart/node.js';
import { picture } from '../../chart/picture.js';
import { textWidth } from '../../chart/text.js';
import { hatches, numberCells } from './number-cells.js';

/** @typedef {import('../../chart/types.js').Mark} Mark */
/** @typedef {import('../../chart/types.js').VNode} VNode */
/** @typedef {import('./hidden-read.js').Pairs} Pairs */

/** Ink of a weight of one over the number of keys, as a share of full blue. */
const EVEN = 0.4;

/**
 * @param {object} o
 * @param {Pairs} o.pairs
 * @param {number} o.width
 * @param {boolean} o.narrow
 * @param {number} o.widen
 * @param {string} o.uid
 * @param {string | null} o.hover  id of the mark pointed at
 * @returns {{node: VNode, marks: Mark[], height: number, whole: boolean}} `whole`: the texts stand as the framework prints them
 */
export function weightsFigure({ pairs, width, narrow, widen, uid, hover }) {
  const { queries, keys } = pairs;
  const left = narrow ? 22 : Math.round(58 * widen);
  const wide = Math.min(92, Math.floor(((width - left - 1.5) / keys) * 2) / 2);
  const high = Math.round(Math.min(narrow ? 40 : 56, Math.max(26, wide * (narrow ? 0.9 : 0.66))));
  const top = narrow ? 40 : 44;
  const type = narrow ? 13 : 15;
  const fits = (/** @type {string} */ text) => textWidth(text, type) * widen <= wide - 9;
  const all = Array.from({ length: queries * keys }, (_, i) => [Math.floor(i / keys), i % keys]);
  const whole = all.every(([q, k]) => fits(pairs.print(q, k)));
  const digits = [4, 3, 2].find((decimals) => fits(`0.${'0'.repeat(decimals)}`)) ?? 0;
  const height = top + queries * high + 3;
  const prefix = `${uid}-weights`;
  const row = (/** @type {number} */ q) => top + q * high;
  const print = (/** @type {number} */ q, /** @type {number} */ k) => (whole ? pairs.print(q, k) : digits === 0 ? '' : weight(pairs.weight(q, k), digits));
  /** An even row has the same ink for any number of keys, and a key of twice its weight has twice that ink. */
  const ink = (/** @type {number} */ share) => (Number.isFinite(share) ? Math.min(1, EVEN * share * keys) : 0);
  const box = (/** @type {string} */ kind, /** @type {number} */ q, /** @type {number} */ k) => h('rect', { class: kind, x: left + k * wide, y: row(q), width: wide, height: high, fill: 'none' });

  const node = picture({ width, height, narrow }, hatches(prefix),
    h('text', { class: 'name', x: left, y: 14 }, 'key'),
    Array.from({ length: keys }, (_, k) => h('text', { class: k === pairs.key ? 'key-number chosen' : 'key-number', x: left + (k + 0.5) * wide, y: top - 9, 'text-anchor': 'middle' }, String(k + 1))),
    !narrow && h('text', { class: 'name', x: 0, y: row(0) + high / 2, dy: '0.33em' }, 'query'),
    Array.from({ length: queries }, (_, q) => [
      h('text', { class: q === pairs.query ? 'key-number chosen' : 'key-number', x: left - 9, y: row(q) + high / 2, dy: '0.33em', 'text-anchor': 'end' }, String(q + 1)),
      numberCells({
        x: left, y: row(q), wide, high, type, prefix,
        cells: Array.from({ length: keys }, (__, k) => ({ kind: 'ink', share: ink(pairs.weight(q, k)), text: print(q, k) })),
      }),
    ]),
    box('chosen-cell', pairs.query, pairs.key),
    all.map(([q, k]) => hover === id(q, k) && box('cell-hover', q, k)));

  return { node, height, whole, marks: marksOf(pairs, left, wide, high, row, top) };
}

/** @param {number} q @param {number} k */
const id = (q, k) => `weight-${q + 1}-${k + 1}`;

/**
 * Numbers choose a query or a key; a cell chooses its key, or its query where it stands in another row.
 * @param {Pairs} pairs
 * @param {number} left
 * @param {number} wide
 * @param {number} high
 * @param {(q: number) => number} row
 * @param {number} top
 * @returns {Mark[]}
 */
function marksOf(pairs, left, wide, high, row, top) {
  const query = (/** @type {number} */ q) => ({ param: 'query', value: q + 1, label: `take query ${q + 1}` });
  const key = (/** @type {number} */ k) => ({ param: 'key', value: k + 1, label: `take key ${k + 1}` });
  return [
    ...Array.from({ length: pairs.keys }, (_, k) => ({ id: `key-${k + 1}`, x: left + k * wide, y: top - 24, w: wide, h: 23, cx: left + (k + 0.5) * wide, cy: top - 22, text: `key ${k + 1}`, edit: key(k) })),
    ...Array.from({ length: pairs.queries }, (_, q) => ({ id: `query-${q + 1}`, x: left - 22, y: row(q), w: 21, h: high, cx: left - 12, cy: row(q) + 2, text: `query ${q + 1}`, edit: query(q) })),
    ...Array.from({ length: pairs.queries * pairs.keys }, (_, i) => {
      const [q, k] = [Math.floor(i / pairs.keys), i % pairs.keys];
      const chosen = q === pairs.query && k === pairs.key;
      return {
        id: id(q, k), x: left + k * wide, y: row(q), w: wide, h: high, cx: left + (k + 0.5) * wide, cy: row(q),
        text: `query ${q + 1}, key ${k + 1}: weight ${precise(pairs.weight(q, k))}, score ${precise(pairs.score(q, k))}`,
        ...(chosen ? {} : { edit: q === pairs.query ? key(k) : query(q) }),
      };
    }),
  ];
}
