/**
 * A value to measure by: a dotted line. Its label, in words, stands at its end with the labels of the series.
 *
 * Not a grid line: a figure has one or none, and each is named.
 */

import { h } from './node.js';

/**
 * @param {{x1: number, x2: number, y: number}} place  px
 * @returns {import('./types.js').VNode}
 */
export function reference({ x1, x2, y }) {
  return h('path', { class: 'reference', d: `M${Math.round(x1)} ${Math.round(y) + 0.5}H${Math.round(x2)}` });
}
