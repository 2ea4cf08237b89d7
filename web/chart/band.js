/**
 * The uncertainty of a series: the area between value - half and value + half, finely hatched.
 *
 * half is two standard errors of the mean in every plate here; the caption says so. A point without a finite value
 * breaks the band.
 */

import { area } from 'd3-shape';
import { h } from './node.js';

/** @typedef {import('./types.js').VNode} VNode */
/** @typedef {{x: number, low: number, high: number}} Span  px */

/**
 * @param {Span[]} points  px
 * @param {string} fill  id of a hatch pattern
 * @returns {VNode}
 */
export function band(points, fill) {
  const path = area(/** @type {(p: Span) => number} */ ((p) => p.x), (p) => p.low, (p) => p.high)
    .defined((p) => Number.isFinite(p.low) && Number.isFinite(p.high)).digits(2)(points);
  return h('path', { class: 'band', d: path ?? '', fill: `url(#${fill})` });
}
