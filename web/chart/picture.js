/**
 * The sheet a figure is drawn on: one `<svg>` whose viewBox is the figure's own pixels, hidden from screen readers,
 * which are given the figure's summary and table instead.
 *
 * Not here: captions and tables, which are HTML.
 */

import { h } from './node.js';

/** @typedef {import('./types.js').VNode} VNode */

/** Plates narrower than this are drawn for a phone. */
export const NARROW = 560;

/**
 * @param {{width: number, height: number, narrow?: boolean, ink?: boolean}} look  px; `ink`: nothing in it is scaled or unscaled, so its series have no colour, their marks and strokes alone
 * @param {VNode[]} defs  patterns, with ids of their own
 * @param {...import('./node.js').Children} children
 * @returns {VNode}
 */
export function picture({ width, height, narrow = false, ink = false }, defs, ...children) {
  return h('svg', {
    class: `chart${narrow ? ' narrow' : ''}${ink ? ' in-ink' : ''}`, viewBox: `0 0 ${Math.round(width)} ${Math.round(height)}`,
    width: Math.round(width), height: Math.round(height), 'aria-hidden': 'true', focusable: 'false',
  }, defs.length > 0 && h('defs', {}, defs), ...children);
}
