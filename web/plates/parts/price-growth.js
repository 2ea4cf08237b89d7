/**
 * Figure 4 of "The price of attention": operations of the two products against the length, without a mask, causal, and in a window, on
 * two logarithmic axes: slope two, slope two from half the height, slope one. Times measured on the reader's machine stand on the same
 * sheet: the right axis says in milliseconds what the left one takes at the measured limit, so that the distance of a point above its
 * line is what the kernel loses to everything else.
 *
 * Nothing is fitted here.
 */

import { scaleLog } from 'd3-scale';
import { axisBottom, axisLeft, axisRight } from '../../chart/axis.js';
import { count } from '../../chart/format.js';
import { endLabels } from '../../chart/labels.js';
import { pointMark, series } from '../../chart/line.js';
import { h } from '../../chart/node.js';
import { picture } from '../../chart/picture.js';
import { handle, rule } from '../../chart/rule.js';
import { textWidth } from '../../chart/text.js';
import { powers, powerText } from './hidden-fall.js';
import { large, timed } from './price-read.js';

/** @typedef {import('../../chart/types.js').Mark} Mark */
/** @typedef {import('../../chart/types.js').VNode} VNode */
/** @typedef {import('./price-read.js').Growth} Growth */
/** @typedef {import('./price-read.js').Price} Price */

/**
 * @param {object} o
 * @param {Growth} o.growth
 * @param {Price} o.price
 * @param {number} o.width
 * @param {boolean} o.narrow
 * @param {number} o.widen
 * @param {string | null} o.hover
 * @returns {{node: VNode, marks: Mark[], height: number, toValue: (x: number, y: number) => number}}
 */
export function growthFigure({ growth, price, width, narrow, widen, hover }) {
  const { masks, n: lengths } = growth;
  const size = narrow ? 14 : 15;
  const [least, greatest] = [lengths[0], lengths[lengths.length - 1]];
  const scaleMs = price.peak.high * 1e6; // operations a millisecond at the limit
  const names = Math.round(widen * Math.max(...masks.map(({ name }) => textWidth(name, size)))) + 14;
  // the longest label of the right axis is 0.001, 15 px after the axis begins
  const ms = price.measured ? 15 + Math.ceil(widen * textWidth('0.001', 15)) + 2 : 0;
  // on a phone the values at the rule reach over the names at the ends, and stand a line higher than these begin
  const head = narrow ? 24 : 0;
  const frame = { left: 58, right: width - names - ms, top: 48 + head, bottom: 48 + head + (narrow ? 240 : 300) };
  const x = scaleLog().base(2).domain([least, greatest]).range([frame.left, frame.right]);
  const heights = masks.flatMap(({ operations }) => operations.map(Math.log10));
  // A power more than the lines need: the values at the rule stand above them.
  const [low, high] = [Math.floor(Math.min(...heights)), Math.ceil(Math.max(...heights)) + 1];
  const y = scaleLog().domain([10 ** low, 10 ** high]).range([frame.bottom, frame.top]);
  const axisY = frame.bottom + 10;
  const height = axisY + 50;
  const lines = masks.map(({ operations }) => operations.map((value, i) => ({ x: x(lengths[i]), y: y(value) })));
  const points = price.measured ? masks.flatMap((mask) => mask.times.filter(({ ms: time }) => Number.isFinite(time.median)).map((time) => ({ ...time, mask }))) : [];
  const place = (/** @type {number} */ time) => Math.max(frame.top, Math.min(frame.bottom, y(time * scaleMs)));
  const atX = x(Math.max(least, Math.min(greatest, price.n)));
  // shorter than the sheet is long: the rule waits at its edge, and the values say whose they are
  const below = price.n < least;
  const marks = lengths.map((n, i) => ({
    id: `growth-${n}`, x: x(n) - (frame.right - frame.left) / (lengths.length - 1) / 2, y: frame.top - 12, w: (frame.right - frame.left) / (lengths.length - 1), h: frame.bottom - frame.top + 22, cx: x(n), cy: lines[0][i].y,
    text: `${count(n)} queries and keys. ${masks.map((mask, k) => `${mask.name}: ${large(masks[k].operations[i])} operations${said(mask.times.find((time) => time.n === n))}`).join('; ')}`,
  }));
  const hovered = marks.find((mark) => mark.id === hover);
  const first = price.measured ? Math.ceil(Math.log10(10 ** low / scaleMs) - 1e-9) : 0;
  const last = price.measured ? Math.floor(Math.log10(10 ** high / scaleMs) + 1e-9) : 0;
  const node = picture({ width, height, narrow, ink: true }, [],
    axisLeft({ ticks: powers(low, high, narrow ? 6 : 9).map((e) => ({ at: y(10 ** e), label: powerText(e) })), x: frame.left - 8, name: 'operations', nameX: 0, nameY: 18 }),
    axisBottom({ ticks: lengths.filter((_, i) => (lengths.length - 1 - i) % (narrow ? 3 : 1) === 0).map((n) => ({ at: x(n), label: count(n) })), y: axisY, name: 'queries n, as many keys', nameX: frame.right, nameAnchor: 'end', nameY: axisY + 42 }),
    price.measured && axisRight({ ticks: powers(first, last, narrow ? 5 : 8).map((e) => ({ at: y(10 ** e * scaleMs), label: powerText(e) })), x: frame.right + names + 4, name: narrow ? 'ms at the limit' : 'milliseconds at the measured limit', nameX: width - 1, nameY: 18 }),
    rule({ x: atX, y1: frame.top - head - 12, y2: axisY }),
    masks.map(({ kind }, k) => h('g', { class: kind === 'scaled' ? 'growth-line broken' : 'growth-line' }, series(lines[k], kind, { size: 0 }))),
    points.map(({ n, ms: time, mask }) => h('g', { class: `series ${mask.kind}` },
      h('path', { class: 'line', d: `M${round(x(n))} ${round(place(time.low))}V${round(place(time.high))}` }),
      markAt(mask.kind, x(n), place(time.median), 3.8))),
    // among times, marks on the lines themselves would pass for times; below the sheet there are no lines
    points.length === 0 && !below && masks.map(({ here, kind }) => h('g', { class: `series ${kind}` }, markAt(kind, Math.round(atX) + 0.5, y(Math.max(10 ** low, Math.min(10 ** high, here))), 3.4))),
    valuesAt(masks, below ? price.n : null, atX, { ...frame, top: frame.top - head }, narrow, size, widen),
    endLabels(masks.map(({ name, kind }, k) => ({ y: lines[k][lines[k].length - 1].y, text: name, kind })), { x: frame.right + 9, gap: 17, limits: [frame.top - 8, frame.bottom] }),
    handle({ x: atX, y: axisY }),
    hovered && h('circle', { class: 'ring', cx: hovered.cx, cy: hovered.cy, r: 7.5 }));
  return { node, marks, height, toValue: (at) => Math.round(Math.max(least, Math.min(greatest, x.invert(at)))) };
}

/**
 * The three values at the rule, in the order of their lines, above all of them: to the left where there is room.
 * @param {Growth['masks']} masks
 * @param {number | null} below the length whose values they are, where the sheet has no place for it
 * @param {number} atX
 * @param {{left: number, right: number, top: number}} frame
 * @param {boolean} narrow
 * @param {number} size
 * @param {number} widen
 */
function valuesAt(masks, below, atX, frame, narrow, size, widen) {
  const texts = masks.map(({ name, here }) => (narrow ? large(here) : `${name}, ${large(here)}`));
  const left = atX - 10 - (narrow ? 13 : 0) - widen * Math.max(...texts.map((text) => textWidth(text, size))) > frame.left;
  const [x, anchor] = left ? [atX - 10, 'end'] : [atX + 10, 'start'];
  return h('g', { class: 'rule-values' }, below !== null && h('text', { class: 'value', x, y: frame.top - 4 + 17 * masks.length, dy: '0.33em', 'text-anchor': anchor, 'font-size': size }, narrow ? `at n = ${count(below)}` : `at n = ${count(below)}, before the sheet begins`), masks.map(({ kind }, k) => [
    // without a name, the mark of its line
    narrow && h('g', { class: `series ${kind}` }, markAt(kind, x + (left ? -4 : 4), frame.top - 4 + 17 * k, 3.4)),
    h('text', { class: `value ${kind}`, x: x + (narrow ? (left ? -13 : 13) : 0), y: frame.top - 4 + 17 * k, dy: '0.33em', 'text-anchor': anchor, 'font-size': size }, texts[k]),
  ]));
}

/**
 * A filled square, an open circle, or an open diamond.
 * @param {'unscaled' | 'scaled' | 'neutral'} kind
 * @param {number} x
 * @param {number} y
 * @param {number} r
 */
function markAt(kind, x, y, r) {
  const half = r + 0.9;
  return kind === 'neutral' ? h('path', { class: 'diamond', d: `M${round(x)} ${round(y - half)}l${half} ${half}l${-half} ${half}l${-half} ${-half}Z` }) : pointMark({ x, y }, kind, r);
}

/** @param {number} value */
const round = (value) => Math.round(value * 100) / 100;

/** What was measured there, if anything. @param {Growth['masks'][number]['times'][number] | undefined} time */
const said = (time) => (time && Number.isFinite(time.ms.median) ? `, ${timed(time.ms, time.timed, time.n)}` : '');
