/**
 * The dot product as four terms, a strip each on one scale: q·k, what a bias of the keys adds, what a bias of the query adds, and the product of both
 * biases. A term that is the same for every key is a level line, and a softmax does not see it; a term that differs from key to key has a stem a key.
 *
 * Not the scores of the Gaussian. (q + b_q)·(k_i + b_k) = q·k_i + q·b_k + b_q·k_i + b_q·b_k
 */

import { fixed } from '../../chart/format.js';
import { h } from '../../chart/node.js';
import { picture } from '../../chart/picture.js';

/** @typedef {import('../../chart/types.js').Mark} Mark */
/** @typedef {import('../../chart/types.js').VNode} VNode */
/** @typedef {import('./plane-read.js').Plane} Plane */

/** Factors of the terms: letter and index each. */
const TERMS = /** @type {const} */ ([
  { left: ['q', ''], right: ['k', 'i'], words: 'q·k', differs: true, of: '' },
  { left: ['q', ''], right: ['b', 'k'], words: 'q·b_k', differs: false, of: 'keys' },
  { left: ['b', 'q'], right: ['k', 'i'], words: 'b_q·k', differs: true, of: 'query' },
  { left: ['b', 'q'], right: ['b', 'k'], words: 'b_q·b_k', differs: false, of: 'both' },
]);

/**
 * @param {object} o
 * @param {Plane} o.plane
 * @param {number} o.width
 * @param {boolean} o.narrow
 * @param {string | null} o.hover
 * @returns {{node: VNode, marks: Mark[], height: number}}
 */
export function termsFigure({ plane, width, narrow, hover }) {
  const left = narrow ? 2 : 64;
  const right = width - (narrow ? 8 : 188);
  const high = narrow ? 62 : 60;
  const gap = narrow ? 40 : 18;
  const all = plane.terms.flat();
  const [low, most] = [Math.min(0, ...all), Math.max(0, ...all)];
  const unit = high / Math.max(most - low, 1e-9);
  const pitch = (right - left) / plane.keys.length;
  const centre = (/** @type {number} */ k) => left + pitch * (k + 0.5);
  const tops = TERMS.map((_, row) => 12 + (narrow ? 20 : 0) + row * (high + gap));
  const zero = (/** @type {number} */ row) => tops[row] + most * unit;
  const foot = tops[3] + high;
  const marks = TERMS.flatMap((_, row) => plane.terms[row].map((value, k) => ({
    id: `term-${row + 1}-${k + 1}`, x: left + pitch * k, y: tops[row] - gap / 2, w: pitch, h: high + gap, cx: centre(k), cy: zero(row) - value * unit, text: `key ${k + 1}: ${TERMS[row].words} = ${fixed(value, 3)}`,
  })));
  const hovered = marks.find(({ id }) => id === hover);

  const node = picture({ width, height: foot + 44, narrow }, [],
    TERMS.map(({ differs, left: first, right: second }, row) => h('g', { class: 'term' },
      // on a phone the name and what is said of it are a title, else they stand at the ends of the strip
      h('text', narrow ? { class: 'term-name', x: 0, y: tops[row] - 12 } : { class: 'term-name', x: 0, y: zero(row), dy: '0.33em' }, factor(first), ' · ', factor(second)),
      h('path', { class: 'bar-line', d: `M${left} ${px(zero(row))}H${px(right)}` }),
      absent(plane, row) ? null : differs ? stems(plane.terms[row], centre, zero(row), unit, pitch) : level(plane.terms[row], left, right, zero(row), unit),
      h('text', narrow ? { class: 'term-word', x: 62, y: tops[row] - 12 } : { class: 'term-word', x: right + 16, y: zero(row), dy: '0.33em' }, wordOf(plane, row)))),
    plane.keys.map((_, k) => (k % Math.ceil(17 / pitch) === 0 ? h('text', { class: 'key-number', x: centre(k), y: foot + 22, 'text-anchor': 'middle' }, String(k + 1)) : null)),
    h('text', { class: 'name', x: right, y: foot + 40, 'text-anchor': 'end' }, 'key'),
    hovered && h('circle', { class: 'ring', cx: hovered.cx, cy: hovered.cy, r: 7 }));
  return { node, marks, height: foot + 44 };
}

/** A letter with its index, which hangs below the line and does not shift what follows. @param {readonly [string, string]} of */
const factor = ([letter, index]) => (index === '' ? letter : [letter, h('tspan', { dy: 4, 'font-size': '0.72em' }, index), h('tspan', { dy: -4 }, '\u200a')]);

/** @param {number[]} values @param {(k: number) => number} centre @param {number} zero @param {number} unit @param {number} pitch */
const stems = (values, centre, zero, unit, pitch) => [
  h('path', { class: 'term-stems', d: values.map((value, k) => `M${px(centre(k))} ${px(zero)}V${px(zero - value * unit)}`).join('') }),
  h('path', { class: 'term-points', d: values.map((value, k) => ring(centre(k), zero - value * unit, Math.min(3.4, pitch * 0.3))).join('') }),
];

/** @param {number[]} values  all the same @param {number} left @param {number} right @param {number} zero @param {number} unit */
const level = (values, left, right, zero, unit) => h('path', { class: 'term-level', d: `M${left} ${px(zero - values[0] * unit)}H${px(right)}` });

/** @param {number} x @param {number} y @param {number} r */
const ring = (x, y, r) => `M${px(x - r)} ${px(y)}a${px(r)} ${px(r)} 0 1 0 ${px(2 * r)} 0a${px(r)} ${px(r)} 0 1 0 ${px(-2 * r)} 0`;

/** @param {Plane} plane @param {number} row */
function wordOf(plane, row) {
  const { of, differs } = TERMS[row];
  if (absent(plane, row)) return of === 'keys' ? 'the keys have no bias' : of === 'query' ? 'the query has no bias' : 'no two biases';
  return differs ? 'differs from key to key' : 'the same for all: cancels';
}

/** Whether a bias that the term needs is not there. @param {Plane} plane @param {number} row */
function absent(plane, row) {
  const [query, keys] = [biased(plane.queryBias), biased(plane.keyBias)];
  return { '': false, keys: !keys, query: !query, both: !keys || !query }[TERMS[row].of];
}

/** @param {{x: number, y: number}} bias */
const biased = ({ x, y }) => x !== 0 || y !== 0;

/** @param {number} value */
const px = (value) => Math.round(value * 10) / 10;

/** @param {Plane} plane @returns {string[][]} */
export const termRows = (plane) => plane.keys.map((_, k) => [String(k + 1), ...plane.terms.map((row) => fixed(row[k], 4))]);

export const termNames = TERMS.map(({ words }) => words);
