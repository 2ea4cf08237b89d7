/**
 * Figure 3 of "Additive scoring": how far the weights of one query can lie from those of another, against the factor epsilon on both
 * projections. Both axes are logarithmic, so a power is a straight line: points measured, dotted the slope that the expansion of tanh
 * predicts, and the rule at the chosen epsilon.
 *
 * Nothing is fitted here: slope, line and values are the core's. With the identity there is nothing to draw, and the figure says so.
 */

import { scaleLog } from 'd3-scale';
import { axisBottom, axisLeft } from '../../chart/axis.js';
import { fixed, precise, shortest } from '../../chart/format.js';
import { series } from '../../chart/line.js';
import { h } from '../../chart/node.js';
import { picture } from '../../chart/picture.js';
import { handle, rule, ruleValues } from '../../chart/rule.js';
import { textWidth } from '../../chart/text.js';

/** @typedef {import('../../chart/types.js').Mark} Mark */
/** @typedef {import('../../chart/types.js').VNode} VNode */
/** @typedef {import('./hidden-read.js').Fall} Fall */

/**
 * Whole powers of ten from low to high, no more than `most`, the last among them.
 * @param {number} low  exponent
 * @param {number} high
 * @param {number} most
 */
export function powers(low, high, most) {
  let step = 1;
  while ((high - low) / step > most - 1) step++;
  const all = [];
  for (let exponent = high; exponent >= low; exponent -= step) all.unshift(exponent);
  return all;
}

/** A power of ten as it is written: 1, 10, else 10 with its exponent above. @param {number} exponent */
export function powerText(exponent) {
  if (exponent >= -3 && exponent <= 1) return String(Number(`1e${exponent}`));
  return ['10', h('tspan', { dy: -5, 'font-size': '0.72em' }, String(exponent).replace('-', '−'))];
}

/**
 * @param {object} o
 * @param {Fall} o.fall
 * @param {number} o.epsilon  chosen
 * @param {boolean} o.tanh
 * @param {number} o.here  the difference at the chosen epsilon
 * @param {number} o.width
 * @param {boolean} o.narrow
 * @param {number} o.widen
 * @param {string | null} o.hover
 * @returns {{node: VNode, marks: Mark[], height: number, toValue: (x: number, y: number) => number}}
 */
export function fallFigure({ fall, epsilon, tanh, here, width, narrow, widen, hover }) {
  const positive = fall.eps.map((eps, i) => ({ eps, difference: fall.difference[i], predicted: fall.predicted[i] })).filter(({ difference }) => difference > 0 && Number.isFinite(difference));
  const [least, greatest] = [fall.eps[0], fall.eps[fall.eps.length - 1]];
  const frame = { left: 62, right: width - (narrow ? 12 : Math.round(150 * widen)), top: 48, bottom: 48 + (narrow ? 230 : 270) };
  const x = scaleLog().domain([least, greatest]).range([frame.left, frame.right]);
  const heights = positive.map(({ difference }) => Math.log10(difference));
  const [low, high] = positive.length > 0 ? [Math.floor(Math.min(...heights)), Math.max(0, Math.ceil(Math.max(...heights)))] : [-1, 0];
  const y = scaleLog().domain([10 ** low, 10 ** high]).range([frame.bottom, frame.top]);
  const axisY = frame.bottom + 10;
  const height = axisY + 52;
  const points = positive.map(({ eps, difference }) => ({ x: x(eps), y: y(difference) }));
  const dotted = positive.filter(({ predicted }) => predicted > 0 && predicted >= 10 ** low && predicted <= 10 ** high);
  const atX = x(Math.max(least, Math.min(greatest, epsilon)));
  const marks = marksOf(positive, x, y, frame);
  const hovered = marks.find((mark) => mark.id === hover);
  const seen = tanh && here >= 10 ** low && here <= 10 ** high;
  const [fitFrom, fitTo] = fall.fitted;
  const middle = positive.filter(({ eps }) => eps >= fitFrom && eps <= fitTo);
  const anchor = middle[Math.floor(middle.length / 2)];
  const identity = identityText(fall.identity, tanh, narrow);

  const node = picture({ width, height, narrow }, [],
    axisLeft({ ticks: powers(low, high, 6).map((exponent) => ({ at: y(10 ** exponent), label: powerText(exponent) })), x: frame.left - 10, name: 'largest difference between two rows of weights', nameX: 0, nameY: 18 }),
    axisBottom({ ticks: powers(Math.ceil(Math.log10(least) - 1e-9), Math.floor(Math.log10(greatest) + 1e-9), 8).map((exponent) => ({ at: x(10 ** exponent), label: powerText(exponent) })), y: axisY, name: 'factor ε', nameX: frame.right, nameAnchor: 'end', nameY: axisY + 43 }),
    dotted.length > 1 && h('path', { class: 'reference', d: dotted.map(({ eps, predicted }, i) => `${i === 0 ? 'M' : 'L'}${px(x(eps))} ${px(y(predicted))}`).join('') }),
    rule({ x: atX, y1: frame.top - 14, y2: axisY }),
    h('g', { class: tanh ? '' : 'fall-aside' }, series(points, 'scaled', { size: narrow ? 2.6 : 3.2 })),
    anchor && slopeLabel(anchor, fall, x, y, narrow),
    dotted.length > 0 && predictedLabel(dotted[dotted.length - 1], fall, x, y),
    seen && ruleValues({ x: atX, right: frame.right, limits: [frame.top - 6, frame.bottom - 8], size: narrow ? 14 : 15, values: [{ y: y(here), text: precise(here), kind: 'scaled', curve: points }] }),
    positive.length > 0 && h('text', { class: 'remark identity', x: px(identityEnd(widen * textWidth(identity, narrow ? 13 : 15, true), atX, frame, points)), y: frame.bottom - 4, 'text-anchor': 'end', 'font-size': narrow ? 13 : 15 }, identity),
    positive.length === 0 && h('text', { class: 'remark', x: (frame.left + frame.right) / 2, y: (frame.top + frame.bottom) / 2, 'text-anchor': 'middle' }, 'no two rows differ'),
    handle({ x: atX, y: axisY }),
    hovered && h('circle', { class: 'ring', cx: hovered.cx, cy: hovered.cy, r: 7.5 }));

  return { node, marks, height, toValue: (at) => Math.max(least, Math.min(greatest, x.invert(at))) };
}

/**
 * The fitted slope, written below the middle of the points it was fitted to.
 * @param {{eps: number, difference: number}} at
 * @param {Fall} fall
 * @param {(v: number) => number} x
 * @param {(v: number) => number} y
 * @param {boolean} narrow
 */
function slopeLabel(at, fall, x, y, narrow) {
  const [from, to] = fall.fitted;
  const left = x(at.eps) + 14;
  const top = y(at.difference) + 22;
  return [
    h('text', { class: 'slope-label scaled', x: left, y: top, 'font-size': narrow ? 15 : 17 }, `slope ${fixed(fall.slope, 2)}`),
    h('text', { class: 'slope-about', x: left, y: top + 18, 'font-size': 13 }, `fitted from ${shortest(from)} to ${shortest(to)}`),
  ];
}

/**
 * What the identity leaves, which is below every axis.
 * @param {number} left
 * @param {boolean} tanh
 * @param {boolean} narrow
 */
function identityText(left, tanh, narrow) {
  if (!tanh && !narrow) return 'the identity leaves no difference, at any ε';
  return `${narrow ? 'identity' : 'with the identity'}: ${precise(left)}${narrow || left === 0 ? '' : ', rounding alone'}`;
}

/**
 * Where those words end: at the right, or before the rule where it would cross them and the curve leaves them room.
 * @param {number} length  px
 * @param {number} atX  of the rule
 * @param {{left: number, right: number, bottom: number}} frame
 * @param {Array<{x: number, y: number}>} points
 */
function identityEnd(length, atX, { left, right, bottom }, points) {
  const end = atX - 10;
  const free = end - length >= left && points.every(({ x, y }) => x < end - length - 8 || x > end + 8 || y < bottom - 26);
  return atX > right - length - 8 && atX < right + 8 && free ? end : right;
}

/**
 * The predicted slope, above the upper end of its line.
 * @param {{eps: number, predicted: number}} end
 * @param {Fall} fall
 * @param {(v: number) => number} x
 * @param {(v: number) => number} y
 */
function predictedLabel(end, fall, x, y) {
  return h('text', { class: 'end-label reference', x: x(end.eps) - 18, y: y(end.predicted) - 1, dy: '0.33em', 'text-anchor': 'end' }, `slope ${shortest(fall.predictedSlope)}`);
}

/**
 * @param {Array<{eps: number, difference: number}>} points
 * @param {(v: number) => number} x
 * @param {(v: number) => number} y
 * @param {{left: number, right: number, top: number, bottom: number}} frame
 * @returns {Mark[]}
 */
function marksOf(points, x, y, frame) {
  return points.map(({ eps, difference }, i) => {
    const from = i === 0 ? frame.left - 8 : (x(points[i - 1].eps) + x(eps)) / 2;
    const to = i === points.length - 1 ? frame.right + 8 : (x(eps) + x(points[i + 1].eps)) / 2;
    return { id: `eps-${i + 1}`, x: from, y: frame.top - 14, w: to - from, h: frame.bottom - frame.top + 22, cx: x(eps), cy: y(difference), text: `ε = ${precise(eps)}: rows differ by at most ${precise(difference)}` };
  });
}

/** Hundredths of a pixel. @param {number} value */
function px(value) {
  return Math.round(value * 100) / 100;
}
