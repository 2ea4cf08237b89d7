/**
 * The norm of even rows against the number of keys that share, with a point for each random row and the rule at the chosen k.
 * Figure 1 of "The softmax Jacobian". Not the meaning of the values: the plate says what they are. x = log2 of keys.
 */

import { scaleLinear, scaleLog } from 'd3-scale';
import { line } from 'd3-shape';
import { axisBottom, axisLeft, roundTicks } from '../../chart/axis.js';
import { fixed, plural } from '../../chart/format.js';
import { h } from '../../chart/node.js';
import { picture } from '../../chart/picture.js';
import { handle, rule, ruleValues } from '../../chart/rule.js';
import { textWidth } from '../../chart/text.js';

/** @typedef {import('../../chart/types.js').Mark} Mark */

/**
 * @param {object} o
 * @param {number} o.width
 * @param {boolean} o.narrow
 * @param {string} o.uid
 * @param {number} o.widen
 * @param {number} o.keys  m
 * @param {number} o.k  chosen
 * @param {number} o.at  the norm there
 * @param {number} o.best  the k of the largest norm
 * @param {number} o.bestNorm
 * @param {{keys: number[], norms: number[]}} o.curve
 * @param {{keys: number[], norms: number[]}} o.rows
 * @param {string | null} o.hover
 * @returns {{node: import('../../chart/types.js').VNode, marks: Mark[], height: number, toValue: (x: number, y: number) => number}}
 */
export function normCurve(o) {
  const frame = { left: 46, right: o.width - (o.narrow ? 20 : 34), top: o.narrow ? 66 : 62, bottom: (o.narrow ? 66 : 62) + (o.narrow ? 230 : 290) };
  const x = scaleLog().base(2).domain([1, o.keys]).range([frame.left, frame.right]);
  const y = scaleLinear().domain([0, o.bestNorm]).range([frame.bottom, frame.top]);
  const axisY = frame.bottom + 8;
  /** @type {number[]} */
  const powers = [];
  for (let k = 1; k <= o.keys; k *= 2) powers.push(k);
  const atX = x(o.k);
  const points = o.curve.keys.map((k, i) => ({ x: x(k), y: y(o.curve.norms[i]) }));
  const path = line(/** @type {(p: {x: number, y: number}) => number} */ ((p) => p.x), (p) => p.y).digits(1)(points) ?? '';
  const height = axisY + 54;
  const best = `the largest, ${fixed(o.bestNorm, 2)}, at ${plural(o.best, 'key', 'keys')}`;
  const remarkX = x(o.best) + 12;
  const fits = remarkX + o.widen * textWidth(best, 16, true) <= frame.right;
  /** @type {Mark[]} */
  const marks = powers.map((k, i) => {
    const from = i === 0 ? frame.left - 8 : (x(powers[i - 1]) + x(k)) / 2;
    const to = i === powers.length - 1 ? frame.right + 8 : (x(k) + x(powers[i + 1])) / 2;
    const near = o.rows.norms.filter((_, r) => x(o.rows.keys[r]) >= from && x(o.rows.keys[r]) < to);
    const norm = o.curve.norms[nearest(o.curve.keys, k)];
    return {
      id: `k-${k}`, x: from, y: frame.top - 14, w: Math.max(1, to - from), h: frame.bottom - frame.top + 22, cx: x(k), cy: y(norm),
      text: `even over ${plural(k, 'key', 'keys')}: ${fixed(norm, 3)}; ${plural(near.length, 'random row', 'random rows')} about here${near.length > 0 ? `, norms up to ${fixed(Math.max(...near), 3)}` : ''}`,
    };
  });
  const hovered = marks.find(({ id }) => id === o.hover);
  const node = picture({ width: o.width, height, narrow: o.narrow }, [],
    axisLeft({ ticks: roundTicks(0, o.bestNorm, 5).map((t) => ({ at: y(t.value), label: t.label })), x: frame.left - 8, name: 'norm of the Jacobian', nameX: 0, nameY: 22 }),
    axisBottom({ ticks: powers.map((k) => ({ at: x(k), label: String(k) })), y: axisY, name: o.narrow ? 'keys that share' : 'keys that share the weight, one over the sum of its squares', nameX: frame.right, nameAnchor: 'end', nameY: axisY + 43 }),
    h('g', { class: 'strips neutral' }, h('path', { class: 'strip', d: dots(o.rows, x, y) })),
    rule({ x: atX, y1: frame.top - 14, y2: axisY }),
    h('g', { class: 'series scaled' }, h('path', { class: 'line', d: path })),
    o.best !== o.k && fits && h('text', { class: 'remark', x: remarkX, y: y(o.bestNorm) - 12 }, best),
    ruleValues({ x: atX, right: frame.right, limits: [frame.top - 30, frame.bottom - 8], size: o.narrow ? 14 : 15, values: [{ y: y(o.at), text: fixed(o.at, 3), kind: 'scaled', curve: points }] }),
    handle({ x: atX, y: axisY }),
    hovered && h('circle', { class: 'ring', cx: hovered.cx, cy: hovered.cy, r: 7.5 }));
  return { node, marks, height, toValue: (at) => Math.round(Math.max(1, Math.min(o.keys, x.invert(at)))) };
}

/** @param {number[]} list @param {number} wanted */
function nearest(list, wanted) {
  return list.reduce((best, each, i) => (Math.abs(each - wanted) < Math.abs(list[best] - wanted) ? i : best), 0);
}

/**
 * All rows as one path of small squares.
 * @param {{keys: number[], norms: number[]}} rows
 * @param {(k: number) => number} x
 * @param {(norm: number) => number} y
 */
function dots(rows, x, y) {
  const px = (/** @type {number} */ v) => Math.round(v * 10) / 10;
  return rows.norms.map((norm, i) => `M${px(x(rows.keys[i]) - 0.9)} ${px(y(norm) - 0.9)}h1.8v1.8h-1.8z`).join('');
}
