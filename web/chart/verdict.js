/**
 * Verdicts and printed numbers as marks: a match is an open circle in blue, a difference a filled square in red, and a number that stands
 * in print is an open diamond in ink. The shapes carry the meaning; colour repeats it.
 *
 * Not the judgement: who matches is decided where the texts are.
 */

import { h } from './node.js';

/** @typedef {import('./types.js').VNode} VNode */

/**
 * @param {boolean} match
 * @param {number} x  px, centre
 * @param {number} y
 * @param {number} [size]  px, half the width
 * @returns {VNode}
 */
export function verdictMark(match, x, y, size = 3) {
  if (match) return h('circle', { class: 'verdict match', cx: x, cy: y, r: size });
  const half = size * 0.95;
  return h('rect', { class: 'verdict differs', x: x - half, y: y - half, width: 2 * half, height: 2 * half });
}

/**
 * @param {number} x  px, centre
 * @param {number} y
 * @param {number} [size]  px, half the diagonal
 * @returns {VNode}
 */
export function printedMark(x, y, size = 5.5) {
  const at = (/** @type {number} */ value) => Math.round(value * 100) / 100;
  return h('path', { class: 'printed-mark', d: `M${at(x)} ${at(y - size)}L${at(x + size)} ${at(y)}L${at(x)} ${at(y + size)}L${at(x - size)} ${at(y)}Z` });
}
