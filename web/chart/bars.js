/**
 * Two sets of bars on one measure: the first stands on a line, its pair hangs below it, one pixel of height worth
 * the same above and below. Bars are thin and separate; the upper are solid, the lower are outlines.
 *
 * A bar has at least a hair of height unless its value is exactly zero, which draws nothing.
 */

import { h } from './node.js';

/** @typedef {import('./types.js').VNode} VNode */

/** The least height of a bar that is not zero, px. */
const HAIR = 0.75;

/**
 * @param {object} pair
 * @param {ArrayLike<number>} pair.upper
 * @param {ArrayLike<number>} pair.lower
 * @param {[number, number]} pair.x  px, from the left edge of the first place to the right edge of the last
 * @param {number} pair.upperY  px, where the upper bars stand
 * @param {number} pair.lowerY  px, where the lower bars hang
 * @param {number} pair.unit  px a value of one
 * @returns {VNode}
 */
export function pairedBars({ upper, lower, x, upperY, lowerY, unit }) {
  const count = upper.length;
  const pitch = (x[1] - x[0]) / count;
  const width = barWidth(pitch);
  const left = (/** @type {number} */ i) => x[0] + pitch * (i + 0.5) - width / 2;
  /** @type {VNode[]} */
  const up = [];
  /** @type {VNode[]} */
  const down = [];
  for (let i = 0; i < count; i++) {
    const rise = height(upper[i], unit);
    const fall = height(lower[i], unit);
    if (rise > 0) up.push(h('rect', { class: 'bar', x: left(i), y: upperY - rise, width, height: rise }));
    if (fall > 0) down.push(outline(left(i), lowerY, width, fall));
  }
  return h('g', { class: 'bars' }, h('g', { class: 'series unscaled' }, up), h('g', { class: 'series scaled' }, down));
}

/**
 * Width of a bar in a place this wide.
 * @param {number} pitch  px
 */
export function barWidth(pitch) {
  return Math.min(10, Math.max(1, pitch * 0.56));
}

/**
 * An open bar whose outer edge is exactly its value: the stroke of one pixel lies inside.
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 */
function outline(x, y, width, height) {
  if (height < 2 || width < 2.4) return h('rect', { class: 'bar thin', x, y, width, height });
  return h('rect', { class: 'bar open', x: x + 0.5, y: y + 0.5, width: width - 1, height: height - 1 });
}

/**
 * @param {number} value
 * @param {number} unit
 */
function height(value, unit) {
  return Number.isFinite(value) && value > 0 ? Math.max(HAIR, value * unit) : 0;
}
