/**
 * The uncertainty of a series: the area between value - half and value + half, finely hatched.
 *
 * half is two standard errors of the mean in every plate here; the caption says so. A point without a finite value
 * breaks the band.
 */

import { h } from './node.js';
import { areaPath } from './path.js';

/** @typedef {import('./types.js').VNode} VNode */
/** @typedef {{x: number, low: number, high: number}} Span  px */

/**
 * @param {Span[]} points  px
 * @param {string} fill  id of a hatch pattern
 * @returns {VNode}
 */
export function band(points, fill) {
  return h('path', { class: 'band', d: areaPath(points.map(({ x, low, high }) => [x, low, high])), fill: `url(#${fill})` });
}
