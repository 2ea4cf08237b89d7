/**
 * Figure 1 of "Number formats": the chosen row step by step, a row of cells a step and a column a key, from the scores to the weights,
 * and below them what the weights should be.
 *
 * Every value is the core's, after the rounding of that step. Steps stand beside their names; on a phone the names stand above them.
 */

import { weight } from '../../chart/format.js';
import { h } from '../../chart/node.js';
import { picture } from '../../chart/picture.js';
import { textWidth } from '../../chart/text.js';
import { verdictMark } from '../../chart/verdict.js';
import { fillName, numberIn, said } from './format-words.js';
import { hatches, numberCells } from './number-cells.js';

/** @typedef {import('../../chart/types.js').Mark} Mark */
/** @typedef {import('../../chart/types.js').VNode} VNode */
/** @typedef {import('./format-row.js').Row} Row */
/** @typedef {import('./number-cells.js').NumberCell} NumberCell */

/**
 * @typedef {object} Step
 * @property {string} id
 * @property {string} name
 * @property {string} about  in which format, or by what
 * @property {number[]} values
 * @property {[string, number]} [reading]  a value of the whole row
 */

/**
 * The steps of a row in their order.
 * @param {Row} row
 * @returns {Step[]}
 */
export function steps(row) {
  const { dtype, accumulate, additive, term2, fill } = row;
  const both = term2.includes(false);
  const added = `${fillName(fill)} or 0`;
  /** @type {Step[]} */
  const biases = !additive ? [] : [
    { id: 'bias1', name: both ? 'the first term adds' : 'the mask adds', about: added, values: row.bias1 },
    ...(both ? [{ id: 'bias2', name: 'the second term adds', about: added, values: row.bias2 }] : []),
  ];
  return [
    { id: 'scores', name: 'scores', about: `in ${dtype}`, values: row.scores },
    ...biases,
    { id: 'filled', name: additive ? 'their sum' : 'after the fill', about: additive ? `in ${dtype}` : fill === 'lowest' ? `lowest of ${dtype}` : `${fillName(fill)} in ${dtype}`, values: row.filled, reading: ['maximum', row.rowMax] },
    { id: 'difference', name: 'less the maximum', about: `in ${accumulate}`, values: row.difference },
    { id: 'exponential', name: 'exponential', about: `in ${accumulate}`, values: row.exponential, reading: ['sum', row.sum] },
    { id: 'weights', name: 'weights', about: row.zeroed ? 'zeroed at the end' : `÷ sum, in ${dtype}`, values: row.weights },
    { id: 'exact', name: 'as they should be', about: 'in float64', values: row.exact },
  ];
}

/**
 * @param {object} o
 * @param {Row} o.row
 * @param {number} o.width
 * @param {boolean} o.narrow
 * @param {number} o.widen
 * @param {string} o.uid
 * @param {string | null} o.hover  id of the mark pointed at
 * @returns {{node: VNode, marks: Mark[], height: number}}
 */
export function traceFigure({ row, width, narrow, widen, uid, hover }) {
  const all = steps(row);
  const keys = row.scores.length;
  const names = narrow ? 0 : Math.min(172, Math.round(126 * widen + 14));
  const beside = narrow ? 0 : Math.round(Math.min(190, 168 * widen));
  const wide = Math.floor((width - names - beside - (narrow ? 1 : 0)) / keys);
  const place = { x: narrow ? 0.5 : names, wide, high: narrow ? 34 : 37, gap: narrow ? 34 : 12, type: narrow ? 13 : 15 };
  const head = narrow ? 42 : 24;
  const top = (/** @type {number} */ s) => head + s * (place.high + place.gap) + (s === all.length - 1 ? (narrow ? 8 : 14) : 0);
  const right = place.x + keys * wide;
  const prefix = `${uid}-trace`;
  const height = top(all.length - 1) + place.high + 3;

  const node = picture({ width, height, narrow }, hatches(prefix),
    h('text', { class: 'name', x: narrow ? 0 : place.x - 14, y: 14, 'text-anchor': narrow ? 'start' : 'end' }, narrow ? '' : 'key'),
    row.scores.map((_, k) => h('text', { class: 'key-number', x: place.x + (k + 0.5) * wide, y: narrow ? 12 : 15, 'text-anchor': 'middle' }, narrow ? `key ${k + 1}` : String(k + 1))),
    h('path', { class: 'flow', d: all.slice(1, -1).map((_, s) => row.scores.map((__, k) => flow(place.x + (k + 0.5) * wide, top(s + 1) - place.gap, narrow ? 7 : place.gap)).join('')).join('') }),
    all.map((step, s) => h('g', { class: `step step-${step.id}` },
      numberCells({ cells: step.values.map((value, k) => ({ ...cellOf(row, step, k, value, (wide - 8) / widen, place.type), hover: hover === markId(step, k) })), y: top(s), prefix, ...place }),
      narrow ? aboveStep(step, row, top(s) - 8, width, widen) : besideStep(step, row, top(s), place.high, right + 20))));

  return { node, height, marks: all.flatMap((step, s) => marksOf(row, step, top(s), { ...place, narrow, right, width })) };
}

/** A hairline from one step to the next. @param {number} x @param {number} y @param {number} length */
const flow = (x, y, length) => `M${Math.round(x) + 0.5} ${y + 1}v${length - 2}`;

/** @param {Step} step @param {number} k */
const markId = ({ id }, k) => `${id}-${k + 1}`;

/**
 * @param {Row} row
 * @param {Step} step
 * @param {number} k
 * @param {number} value
 * @param {number} room  px
 * @param {number} type  px
 * @returns {NumberCell}
 */
function cellOf(row, { id, values }, k, value, room, type) {
  const open = row.allowed[k];
  if (Number.isNaN(value)) return { kind: 'wrong', text: 'NaN' };
  if (id === 'weights' || id === 'exact') {
    const text = weight(value, room > 44 ? 4 : 3);
    if (open) return { kind: 'ink', share: value, text };
    return { kind: value === 0 ? 'closed' : 'wrong', text };
  }
  const text = numberIn(value, room, type);
  if (id === 'scores') {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return { kind: 'tint', share: high > low ? (value - low) / (high - low) : 0.5, text };
  }
  if (id === 'bias1' || id === 'bias2') return { kind: (id === 'bias1' ? row.term1 : row.term2)[k] ? 'plain' : 'closed', text };
  return { kind: open ? 'plain' : 'closed', text };
}

/**
 * Name at the left of a step, what is read off it at the right.
 * @param {Step} step
 * @param {Row} row
 * @param {number} y
 * @param {number} high
 * @param {number} x  px, of what stands at the right
 */
function besideStep({ id, name, about, reading }, row, y, high, x) {
  const middle = y + high / 2;
  return [
    h('text', { class: 'step-name', x: 0, y: middle - 2 }, name),
    h('text', { class: 'step-about', x: 0, y: middle + 14, 'font-size': 13 }, about),
    reading && h('text', { class: 'step-reading', x, y: middle, dy: '0.33em' }, h('tspan', { class: 'reading-name' }, reading[0]), h('tspan', { dx: 7 }, said(reading[1]))),
    id === 'weights' && outcomeAt(row, x, middle, 'start'),
  ];
}

/**
 * The same above it, in one line.
 * @param {Step} step
 * @param {Row} row
 * @param {number} y
 * @param {number} width
 * @param {number} widen
 */
function aboveStep({ id, name, about, reading }, row, y, width, widen) {
  return [
    h('text', { class: 'step-name', x: 0, y, 'font-size': 15 }, name),
    h('text', { class: 'step-about', x: textWidth(name, 15, true) * widen + 9, y, 'font-size': 13 }, about),
    reading && h('text', { class: 'step-reading', x: width, y, 'text-anchor': 'end', 'font-size': 14 }, h('tspan', { class: 'reading-name' }, reading[0]), h('tspan', { dx: 6 }, said(reading[1]))),
    id === 'weights' && outcomeAt(row, width, y - 5, 'end', widen),
  ];
}

/**
 * What became of the mask: a mark and the word.
 * @param {Row} row
 * @param {number} x
 * @param {number} y  px, middle
 * @param {'start' | 'end'} anchor
 * @param {number} [widen]
 */
function outcomeAt({ outcome, verdict }, x, y, anchor, widen = 1) {
  const text = verdict === 'uniform' ? 'uniform' : outcome;
  const left = anchor === 'start' ? x : x - textWidth(text, 17) * widen - 16;
  return h('g', { class: 'outcome' }, verdictMark(verdict === 'exact', left + 5, y + 0.5, 4.2),
    h('text', { class: verdict === 'exact' ? 'outcome-word scaled' : 'outcome-word unscaled', x: anchor === 'start' ? left + 16 : x, y, dy: '0.33em', 'text-anchor': anchor, 'font-size': 17 }, text));
}

/** Which term closes a key. @param {Row} row @param {number} k */
export function closedBy({ allowed, term1, term2 }, k) {
  if (allowed[k]) return '';
  if (!term2.includes(false)) return ', excluded';
  return `, excluded by ${!term1[k] && !term2[k] ? 'both terms' : term1[k] ? 'the second term' : 'the first term'}`;
}

/**
 * @param {Row} row
 * @param {Step} step
 * @param {number} y
 * @param {{x: number, wide: number, high: number, right: number, width: number, narrow: boolean}} place
 * @returns {Mark[]}
 */
function marksOf(row, step, y, { x, wide, high, right, width, narrow }) {
  const cells = step.values.map((value, k) => ({
    id: markId(step, k), x: x + k * wide, y, w: wide, h: high, cx: x + (k + 0.5) * wide, cy: y,
    text: `key ${k + 1}${closedBy(row, k)}: ${step.name} ${valueText(value)}`,
  }));
  if (!step.reading || narrow) return cells;
  return [...cells, { id: `${step.id}-reading`, x: right + 12, y, w: Math.max(20, width - right - 14), h: high, cx: Math.min(width - 60, right + 60), cy: y, text: `row ${step.reading[0]}: ${valueText(step.reading[1])}` }];
}

/** All digits of a value, as far as a double carries them. @param {number} value */
export function valueText(value) {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  return numberIn(value, Infinity, 15);
}
