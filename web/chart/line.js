/**
 * A series as a line through its points, each point marked: an open circle for the scaled series, a filled square
 * for the unscaled one, so that the two can be told apart without colour.
 *
 * Not smoothed: straight lines between the values that were computed. A value that is not finite breaks the line.
 */

import { line } from 'd3-shape';
import { h } from './node.js';

/** @typedef {import('./types.js').VNode} VNode */
/** @typedef {{x: number, y: number}} Point  px */

/**
 * @param {Point[]} points
 * @param {string} kind  'scaled' or 'unscaled'
 * @param {{size?: number}} [look]  half the width of a mark, px; 0 draws the line alone
 * @returns {VNode}
 */
export function series(points, kind, { size = 3.6 } = {}) {
  const path = line(/** @type {(p: Point) => number} */ ((p) => p.x), (p) => p.y)
    .defined((p) => Number.isFinite(p.y)).digits(2)(points);
  return h('g', { class: `series ${kind}` },
    h('path', { class: 'line', d: path ?? '' }),
    size > 0 && points.filter((p) => Number.isFinite(p.y)).map((p) => pointMark(p, kind, size)));
}

/**
 * @param {Point} point
 * @param {string} kind
 * @param {number} size
 * @returns {VNode}
 */
export function pointMark(point, kind, size) {
  if (kind === 'scaled') return h('circle', { class: 'point', cx: point.x, cy: point.y, r: size });
  const half = size * 0.85;
  return h('rect', { class: 'point', x: point.x - half, y: point.y - half, width: 2 * half, height: 2 * half });
}
