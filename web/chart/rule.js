/**
 * The chosen value: a hairline rule across the figure, a ring on the axis for a handle, and the values of the series
 * written beside the points where the rule meets them.
 *
 * Dragging is not here: the figure says how a place becomes a value, the element listens.
 */

import { h } from './node.js';
import { pointMark } from './line.js';
import { spread } from './labels.js';
import { textWidth } from './text.js';

/** @typedef {import('./types.js').VNode} VNode */

/** @param {{x: number, y1: number, y2: number}} place  px @returns {VNode} */
export function rule({ x, y1, y2 }) {
  return h('path', { class: 'rule', d: `M${snap(x)} ${Math.round(y1)}V${Math.round(y2)}` });
}

/** @param {{x: number, y: number, r?: number}} place  px @returns {VNode} */
export function handle({ x, y, r = 7.5 }) {
  return h('circle', { class: 'handle', cx: snap(x), cy: Math.round(y) + 0.5, r });
}

/**
 * @typedef {object} ValueLabel
 * @property {number} y  px, where the rule meets the series
 * @property {string} text
 * @property {string} kind  'scaled' or 'unscaled'
 * @property {Array<{x: number, y: number}>} [curve]  what the label has to clear
 */

/**
 * Values beside a rule: to its right, or to its left where the right edge is near; each a little above its point,
 * apart from one another, and inside the limits.
 * @param {object} beside
 * @param {number} beside.x  px
 * @param {number} beside.right  px, where the figure's data end
 * @param {ValueLabel[]} beside.values
 * @param {[number, number]} beside.limits  least and greatest height of a label
 * @param {number} [beside.size]  type size, px
 * @returns {VNode}
 */
export function ruleValues({ x, right, values, limits, size = 15 }) {
  const shown = values.filter((value) => Number.isFinite(value.y));
  const widest = Math.max(0, ...shown.map((value) => textWidth(value.text, size)));
  const left = x + 9 + widest > right;
  const [from, to] = left ? [x - 9 - widest, x] : [x, x + 9 + widest];
  const ys = spread(shown.map((value) => Math.min(value.y, highest(value.curve ?? [], from, to)) - 13), 17, limits);
  return h('g', { class: 'rule-values' }, shown.map((value, i) => [
    pointMark({ x: snap(x), y: value.y }, value.kind, 3.6),
    h('text', { class: `value ${value.kind}`, x: x + (left ? -9 : 9), y: ys[i], dy: '0.33em', 'text-anchor': left ? 'end' : 'start' }, value.text),
  ]));
}

/**
 * The least y of a broken line between two places.
 * @param {Array<{x: number, y: number}>} curve
 * @param {number} from
 * @param {number} to
 */
function highest(curve, from, to) {
  let least = Infinity;
  for (let i = 0; i < curve.length; i++) {
    const [a, b] = [curve[i], curve[i + 1] ?? curve[i]];
    if (b.x < from || a.x > to) continue;
    const at = (/** @type {number} */ x) => (b.x === a.x ? a.y : a.y + ((b.y - a.y) * (Math.max(a.x, Math.min(b.x, x)) - a.x)) / (b.x - a.x));
    for (const y of [at(from), at(to)]) if (y < least) least = y;
  }
  return least;
}

/** @param {number} x */
function snap(x) {
  return Math.round(x) + 0.5;
}
