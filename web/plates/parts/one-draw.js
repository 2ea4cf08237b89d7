/**
 * The weights of one draw, unscaled standing on the line and scaled hanging below it, on one measure: a weight of a
 * half is as long above as below. The largest of each is named.
 *
 * Not means: one query and its keys, as drawn. The measure is fixed by the number of keys, so that nothing jumps
 * while d moves.
 */

import { scaleLinear } from 'd3-scale';
import { axisBottom, axisLeft, roundTicks } from '../../chart/axis.js';
import { pairedBars } from '../../chart/bars.js';
import { precise, weight } from '../../chart/format.js';
import { h } from '../../chart/node.js';
import { picture } from '../../chart/picture.js';
import { textWidth } from '../../chart/text.js';

/** @typedef {import('../../chart/types.js').Mark} Mark */
/** @typedef {import('../../chart/types.js').VNode} VNode */

/** From this many keys on, a scaled weight above 0.4 is rare enough for the lower side to stop there. */
const MANY = 24;
const SHALLOW = 0.4;

/**
 * @typedef {object} Options
 * @property {number} width
 * @property {number} height  of both sets of bars together, px
 * @property {boolean} narrow
 * @property {number[]} unscaled  weights
 * @property {number[]} scaled
 * @property {string | null} hover
 */

/**
 * @param {Options} o
 * @returns {{node: VNode, marks: Mark[], height: number}}
 */
export function oneDraw(o) {
  const keys = o.unscaled.length;
  const depth = keys >= MANY && Math.max(...o.scaled.filter(Number.isFinite)) <= SHALLOW ? SHALLOW : 1;
  const unit = o.height / (1 + depth);
  const [left, right, top] = [46, o.width - 10, 30];
  const upperY = top + unit;
  const middle = upperY + 4;
  const lowerY = middle + 4;
  const bottom = lowerY + depth * unit;
  const axisY = bottom + 24;
  const up = scaleLinear().domain([0, 1]).range([upperY, top]);
  const down = scaleLinear().domain([0, depth]).range([lowerY, bottom]);
  const pitch = (right - left) / keys;
  const center = (/** @type {number} */ i) => left + pitch * (i + 0.5);
  const marks = drawMarks(o, { left, pitch, top, bottom, middle, unit, upperY, lowerY, center });
  const hovered = marks.find((mark) => mark.id === o.hover);

  const node = picture({ width: o.width, height: axisY + 38, narrow: o.narrow }, [],
    hovered && h('rect', { class: 'hover-column', x: hovered.x, y: top - 4, width: hovered.w, height: bottom - top + 8 }),
    axisLeft({ ticks: [0, 0.5, 1].map((value) => ({ at: up(value), label: String(value) })), x: left - 8, name: 'weight', nameX: left - 20, nameY: top - 16 }),
    axisLeft({ ticks: (depth === 1 ? [0.5, 1] : [SHALLOW / 2, SHALLOW]).map((value) => ({ at: down(value), label: String(value) })), x: left - 8, from: lowerY }),
    h('path', { class: 'bar-line', d: `M${left} ${Math.round(middle) + 0.5}H${right}` }),
    pairedBars({ upper: o.unscaled, lower: o.scaled, x: [left, right], upperY, lowerY, unit }),
    axisBottom({ ticks: keyTicks(keys).map((key) => ({ at: center(key - 1), label: String(key) })), y: axisY, name: 'key', nameX: right, nameAnchor: 'end', nameY: axisY + 36 }),
    largest(o.unscaled, 'unscaled', (rise) => upperY - rise * unit - 8),
    largest(o.scaled, 'scaled', (fall) => lowerY + fall * unit + 17));

  return { node, marks, height: axisY + 38 };

  /**
   * The name of the largest weight, past the tip of its bar, where no other bar can reach.
   * @param {number[]} weights
   * @param {string} kind
   * @param {(weight: number) => number} y
   */
  function largest(weights, kind, y) {
    const at = indexOfLargest(weights);
    if (at < 0) return null;
    const text = `key ${at + 1}: ${weight(weights[at], 3)}`;
    const half = textWidth(text, 15) / 2;
    const x = Math.max(left + half, Math.min(right - half, center(at)));
    return h('text', { class: `bar-label ${kind}`, x, y: y(weights[at]), 'text-anchor': 'middle' }, text);
  }
}

/**
 * @param {number[]} weights
 * @returns {number} -1 if none is a number
 */
export function indexOfLargest(weights) {
  let best = -1;
  weights.forEach((w, i) => {
    if (Number.isFinite(w) && (best < 0 || w > weights[best])) best = i;
  });
  return best;
}

/**
 * Keys numbered on the axis: the first, the last, and round ones between that do not crowd the last.
 * @param {number} keys
 */
function keyTicks(keys) {
  if (keys <= 8) return Array.from({ length: keys }, (_, i) => i + 1);
  const round = roundTicks(1, keys, 5).map((tick) => tick.value);
  const step = round[1] - round[0];
  return [1, ...round.filter((key) => key > 1 && keys - key >= step * 0.5), keys].filter((key, i, all) => Number.isInteger(key) && all.indexOf(key) === i);
}

/**
 * @param {Options} o
 * @param {{left: number, pitch: number, middle: number, top: number, bottom: number, unit: number, upperY: number, lowerY: number, center: (i: number) => number}} frame
 * @returns {Mark[]}
 */
function drawMarks(o, { left, pitch, top, bottom, unit, upperY, center }) {
  return o.unscaled.map((w, i) => ({
    id: `key-${i + 1}`, x: left + pitch * i, y: top, w: pitch, h: bottom - top,
    cx: center(i), cy: Number.isFinite(w) ? upperY - w * unit : upperY,
    text: `key ${i + 1}: unscaled ${precise(w)}, scaled ${precise(o.scaled[i])}`,
  }));
}
