/**
 * Range-frame axes: the line runs from the first tick to the last and no further, the ticks point outward, and the
 * name stands in italic at the end of the axis, with its unit.
 *
 * No grid and no arrows. Positions are given in pixels by a scale made with d3-scale.
 */

import { ticks as niceTicks, tickStep } from 'd3-array';
import { h } from './node.js';
import { tick as tickLabel } from './format.js';
import { textWidth } from './text.js';

/** @typedef {import('./types.js').VNode} VNode */
/** @typedef {{at: number, label: import('./node.js').Children}} Tick  a place in px and what is written at it */

const LENGTH = 6;

/**
 * About `count` round values from `low` to `high`, with labels of one precision.
 * @param {number} low
 * @param {number} high
 * @param {number} count
 * @returns {Array<{value: number, label: string}>}
 */
export function roundTicks(low, high, count) {
  const step = tickStep(low, high, count);
  return niceTicks(low, high, count).map((value) => ({ value, label: tickLabel(value, step) }));
}

/**
 * @param {object} axis
 * @param {Tick[]} axis.ticks  in order
 * @param {number} axis.y  px
 * @param {string} axis.name
 * @param {number} [axis.nameX]  px; by default just past the last label
 * @param {string} [axis.nameAnchor]
 * @param {number} [axis.nameY]
 * @returns {VNode}
 */
export function axisBottom({ ticks, y, name, nameX, nameAnchor = 'start', nameY }) {
  const [first, last] = [ticks[0].at, ticks[ticks.length - 1].at];
  return h('g', { class: 'axis axis-x' },
    h('path', { d: `M${round(first)} ${round(y)}H${round(last)}` + marks(ticks, (at) => `M${round(at)} ${round(y)}v${LENGTH}`) }),
    ticks.map((tick) => h('text', { class: 'tick', x: tick.at, y: y + LENGTH + 15, 'text-anchor': 'middle' }, tick.label)),
    h('text', { class: 'name', x: nameX ?? last + 24, y: nameY ?? y + LENGTH + 15, 'text-anchor': nameAnchor }, name));
}

/**
 * @param {object} axis
 * @param {Tick[]} axis.ticks  in order
 * @param {number} axis.x  px
 * @param {number} [axis.from]  px, where the line begins if not at the first tick
 * @param {string} [axis.name]
 * @param {number} [axis.nameX]
 * @param {number} [axis.nameY]
 * @param {string} [axis.nameAnchor]
 * @returns {VNode}
 */
export function axisLeft({ ticks, x, from, name, nameX = x - 12, nameY, nameAnchor = 'start' }) {
  const [first, last] = [ticks[0].at, ticks[ticks.length - 1].at];
  return h('g', { class: 'axis axis-y' },
    h('path', { d: `M${round(x)} ${round(from ?? first)}V${round(last)}` + marks(ticks, (at) => `M${round(x)} ${round(at)}h${-LENGTH}`) }),
    ticks.map((tick) => h('text', { class: 'tick', x: x - LENGTH - 5, y: tick.at, dy: '0.33em', 'text-anchor': 'end' }, tick.label)),
    name !== undefined && h('text', { class: 'name', x: nameX, y: nameY ?? Math.min(first, last) - 16, 'text-anchor': nameAnchor }, name));
}

/**
 * How far to the left of its line an axis reaches with such labels, px.
 * @param {string[]} labels
 * @param {number} size  px
 */
export const axisReach = (labels, size) => LENGTH + 5 + Math.ceil(Math.max(0, ...labels.map((label) => textWidth(label, size))));

/**
 * A second measure of the same heights.
 * @param {object} axis
 * @param {Tick[]} axis.ticks  in order
 * @param {number} axis.x  px
 * @param {string} axis.name
 * @param {number} axis.nameX  px, where the name ends
 * @param {number} axis.nameY
 * @returns {VNode}
 */
export function axisRight({ ticks, x, name, nameX, nameY }) {
  const [first, last] = [ticks[0].at, ticks[ticks.length - 1].at];
  return h('g', { class: 'axis axis-y' },
    h('path', { d: `M${round(x)} ${round(first)}V${round(last)}` + marks(ticks, (at) => `M${round(x)} ${round(at)}h${LENGTH}`) }),
    ticks.map((tick) => h('text', { class: 'tick', x: x + LENGTH + 5, y: tick.at, dy: '0.33em' }, tick.label)),
    h('text', { class: 'name', x: nameX, y: nameY, 'text-anchor': 'end' }, name));
}

/**
 * @param {Tick[]} ticks
 * @param {(at: number) => string} path
 */
function marks(ticks, path) {
  return ticks.map((tick) => path(tick.at)).join('');
}

/** Lines of one pixel lie on the pixel. @param {number} value */
function round(value) {
  return Math.round(value) + 0.5;
}
