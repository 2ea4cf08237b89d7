/**
 * Figures 5 and 6 of "Additive scoring": against the rank r of the factored bilinear rule, the parameters of its two factors beside those
 * of one matrix, and the variance of its score before and after the division by the root of r. Both axes are logarithmic: a power is a
 * straight line. The rule at the chosen rank is dragged in either.
 *
 * Nothing is computed here: counts, ranks and variances are the core's.
 */

import { scaleLog } from 'd3-scale';
import { axisBottom, axisLeft } from '../../chart/axis.js';
import { band } from '../../chart/band.js';
import { count, fixed } from '../../chart/format.js';
import { hatch } from '../../chart/hatch.js';
import { endLabels } from '../../chart/labels.js';
import { series } from '../../chart/line.js';
import { h } from '../../chart/node.js';
import { picture } from '../../chart/picture.js';
import { reference } from '../../chart/reference.js';
import { handle, rule, ruleValues } from '../../chart/rule.js';
import { powers, powerText } from './hidden-fall.js';

/** @typedef {import('../../chart/types.js').Mark} Mark */
/** @typedef {import('../../chart/types.js').VNode} VNode */
/** @typedef {import('./hidden-read.js').Ranks} Ranks */

/**
 * @typedef {object} Options
 * @property {Ranks} ranks
 * @property {number} width
 * @property {boolean} narrow
 * @property {number} widen
 * @property {string} uid
 * @property {string | null} hover
 *
 * @typedef {{node: VNode, marks: Mark[], height: number, toValue: (x: number, y: number) => number}} Drawn
 */

/**
 * Axes, scales and places of both figures.
 * @param {Options} o
 * @param {number} least  of y
 * @param {number} most
 * @param {string} name  of y
 */
function sheet({ ranks, width, narrow, widen }, least, most, name) {
  const frame = { left: 54, right: width - Math.round((narrow ? 62 : 78) * widen), top: 46, bottom: 46 + (narrow ? 170 : 190) };
  const all = ranks.ranks;
  const greatest = all[all.length - 1];
  const x = scaleLog().base(2).domain([1, greatest]).range([frame.left, frame.right]);
  const [low, high] = [Math.floor(Math.log10(least) + 1e-9), Math.ceil(Math.log10(most) - 1e-9)];
  const y = scaleLog().domain([10 ** low, 10 ** high]).range([frame.bottom, frame.top]);
  const axisY = frame.bottom + 8;
  const marked = ranks.measured.filter((r) => r <= greatest);
  const axes = [
    axisLeft({ ticks: powers(low, high, 5).map((e) => ({ at: y(10 ** e), label: powerText(e) })), x: frame.left - 8, name, nameX: 0, nameY: 18 }),
    axisBottom({ ticks: marked.map((r) => ({ at: x(r), label: String(r) })), y: axisY, name: 'rank r', nameX: frame.right, nameAnchor: 'end', nameY: axisY + 41 }),
  ];
  return { frame, x, y, axisY, axes, marked, height: axisY + 50, toValue: (/** @type {number} */ at) => Math.round(Math.max(1, Math.min(greatest, x.invert(at)))) };
}

/** @param {Options} o @returns {Drawn} */
export function parametersFigure(o) {
  const { ranks, width, narrow, hover } = o;
  const greatest = Math.max(...ranks.parameters);
  const { frame, x, y, axisY, axes, marked, height, toValue } = sheet(o, Math.min(ranks.full, ...ranks.parameters), Math.max(ranks.full, greatest), 'parameters');
  const parametersAt = (/** @type {number} */ r) => ranks.parameters[ranks.ranks.indexOf(r)];
  const points = marked.map((r) => ({ x: x(r), y: y(parametersAt(r)), r }));
  const atX = x(ranks.rank);
  const crosses = ranks.even > 1 && ranks.even < ranks.ranks[ranks.ranks.length - 1];
  const marks = columns(points.map(({ r, ...at }) => ({ ...at, id: `factors-${r}`, text: `r = ${r}: the factors have ${count(parametersAt(r))} parameters, one matrix ${count(ranks.full)}` })), frame);
  const hovered = marks.find((mark) => mark.id === hover);
  const node = picture({ width, height, narrow }, [], axes,
    reference({ x1: frame.left, x2: frame.right, y: y(ranks.full) }),
    crosses && h('path', { class: 'crossing', d: `M${Math.round(x(ranks.even)) + 0.5} ${Math.round(y(ranks.full))}V${axisY}` }),
    rule({ x: atX, y1: frame.top - 12, y2: axisY }),
    h('g', { class: 'series neutral' }, series(points, 'neutral', { size: 0 }), points.map((p) => h('circle', { class: 'point', cx: p.x, cy: p.y, r: 2.8 }))),
    h('g', { class: 'rule-values' },
      h('circle', { class: 'point chosen-rank', cx: Math.round(atX) + 0.5, cy: y(ranks.at), r: 4 }),
      h('text', { class: 'value', x: atX + (ranks.rank > 8 ? -9 : 9), y: y(ranks.at) + (ranks.rank > 8 ? -12 : 15), dy: '0.33em', 'text-anchor': ranks.rank > 8 ? 'end' : 'start' }, count(ranks.at))),
    endLabels([
      { y: y(ranks.full), text: narrow ? 'matrix' : 'one matrix', kind: 'reference' },
      { y: y(greatest), text: narrow ? 'factors' : 'two factors', kind: '' },
    ], { x: frame.right + 9, gap: 16, limits: [frame.top - 8, frame.bottom] }),
    handle({ x: atX, y: axisY, r: 6 }),
    hovered && h('circle', { class: 'ring', cx: hovered.cx, cy: hovered.cy, r: 7 }));
  return { node, marks, height, toValue };
}

/** @param {Options} o @returns {Drawn} */
export function varianceFigure(o) {
  const { ranks, width, narrow, uid, hover } = o;
  const kinds = /** @type {const} */ ([['unscaled', ranks.plain, ranks.plainAt], ['scaled', ranks.divided, ranks.dividedAt]]);
  const spans = (/** @type {import('./hidden-read.js').Spread[]} */ all) => all.map(({ variance, error }) => ({ low: variance - 2 * error, high: variance + 2 * error }));
  const lows = kinds.flatMap(([, all]) => spans(all)).map(({ low }) => low).filter((low) => low > 0);
  const least = Math.min(1, ...lows);
  const most = Math.max(10, ...kinds.flatMap(([, all]) => spans(all)).map(({ high }) => high));
  const { frame, x, y, axisY, axes, height, toValue } = sheet(o, least, most, 'variance of the score');
  const bottom = y.domain()[0];
  const id = (/** @type {string} */ kind) => `${uid}-variance-${kind}`;
  const points = (/** @type {import('./hidden-read.js').Spread[]} */ all) => all.map(({ variance }, i) => ({ x: x(ranks.measured[i]), y: variance > 0 ? y(variance) : NaN }));
  const atX = x(ranks.rank);
  const marks = kinds.flatMap(([kind, all], k) => columns(all.map(({ variance, error }, i) => ({
    x: x(ranks.measured[i]), y: y(Math.max(bottom, variance)), id: `${kind}-${ranks.measured[i]}`, text: `r = ${ranks.measured[i]}, ${kind}: variance ${fixed(variance, 3)} ± ${fixed(error, 3)}`,
  })), frame, k === 0 ? [frame.top - 12, y(2)] : [y(2), frame.bottom + 8]));
  const hovered = marks.find((mark) => mark.id === hover);
  const node = picture({ width, height, narrow }, kinds.map(([kind]) => hatch(id(kind), kind, { angle: kind === 'scaled' ? -45 : 45, spacing: 3 })), axes,
    reference({ x1: frame.left, x2: frame.right, y: y(1) }),
    kinds.map(([kind, all]) => band(spans(all).map(({ low, high }, i) => ({ x: x(ranks.measured[i]), low: y(Math.max(bottom, low)), high: y(Math.max(bottom, high)) })), id(kind))),
    rule({ x: atX, y1: frame.top - 12, y2: axisY }),
    kinds.map(([kind, all]) => series(points(all), kind, { size: 2.8 })),
    ruleValues({
      x: atX, right: frame.right, limits: [frame.top - 6, frame.bottom - 8], size: 14,
      values: kinds.map(([kind, all, at]) => ({ y: at.variance > 0 ? y(at.variance) : NaN, text: fixed(at.variance, 2), kind, curve: points(all) })),
    }),
    handle({ x: atX, y: axisY, r: 6 }),
    endLabels(kinds.map(([kind, all]) => ({ y: y(Math.max(bottom, all[all.length - 1].variance)), text: kind === 'scaled' ? (narrow ? 'by 1/√r' : 'times 1/√r') : 'as it is', kind })), { x: frame.right + 9, gap: 16, limits: [frame.top - 8, frame.bottom] }),
    hovered && h('circle', { class: 'ring', cx: hovered.cx, cy: hovered.cy, r: 7 }));
  return { node, marks, height, toValue };
}

/**
 * A mark for every point, its box halfway to its neighbours.
 * @param {Array<{x: number, y: number, id: string, text: string}>} points
 * @param {{left: number, right: number, top: number, bottom: number}} frame
 * @param {[number, number]} [heights]
 * @returns {Mark[]}
 */
function columns(points, frame, heights = [frame.top - 12, frame.bottom + 8]) {
  return points.map(({ x, y, id, text }, i) => {
    const from = i === 0 ? frame.left - 8 : (points[i - 1].x + x) / 2;
    const to = i === points.length - 1 ? frame.right + 8 : (x + points[i + 1].x) / 2;
    return { id, x: from, y: heights[0], w: to - from, h: heights[1] - heights[0], cx: x, cy: y, text };
  });
}
