/**
 * Figure 2 of "Additive scoring": what each hidden unit gives to the score, as a curve over the key's part of what enters it. The query
 * decides where on the curve the keys stand: tanh is shifted by it, so that keys that stood on the slope now stand on the shoulder; the
 * identity is only raised, by as much for every key. One small picture a unit, all on one measure.
 *
 * Nothing is computed here: curves and places are the core's. y = w_u tanh(a_u + x), x the key's part, a_u the query's.
 */

import { scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import { axisBottom, axisLeft, axisReach, roundTicks } from '../../chart/axis.js';
import { fixed, precise } from '../../chart/format.js';
import { h } from '../../chart/node.js';
import { picture } from '../../chart/picture.js';

/** @typedef {import('../../chart/types.js').Mark} Mark */
/** @typedef {import('../../chart/types.js').VNode} VNode */
/** @typedef {import('./hidden-read.js').Pairs} Pairs */

/**
 * How many pictures stand in a row, and how large they are.
 * @param {number} units
 * @param {number} width  px
 * @param {boolean} narrow
 * @param {number} [reach]  px that labels take to the left of the first axis
 */
export function unitGrid(units, width, narrow, reach = 0) {
  const gap = { x: narrow ? 16 : 26, y: narrow ? 30 : 34 };
  const left = Math.max(narrow ? 34 : 46, 8 + reach);
  const least = units <= 8 ? (narrow ? 112 : 150) : narrow ? 56 : 88;
  // the last tick's label runs on beside the last unit
  const room = width - left - 12;
  const most = Math.max(1, Math.min(units, Math.floor((room + gap.x) / (least + gap.x))));
  const rows = Math.ceil(units / most);
  const columns = Math.ceil(units / rows);
  const wide = Math.min(300, (room - (columns - 1) * gap.x) / columns);
  const high = Math.round(Math.min(narrow ? 96 : 118, Math.max(narrow ? 58 : 66, wide * 0.62)));
  return { rows, columns, wide, high, gap, left, small: wide < 100 };
}

/**
 * @param {object} o
 * @param {Pairs} o.pairs
 * @param {number} o.width
 * @param {boolean} o.narrow
 * @param {string | null} o.hover  id of the mark pointed at
 * @returns {{node: VNode, marks: Mark[], height: number}}
 */
export function unitsFigure({ pairs, width, narrow, hover }) {
  const { hidden, query, key } = pairs;
  const units = Array.from({ length: hidden }, (_, u) => u);
  const curves = units.map((u) => Array.from({ length: pairs.queries }, (_, q) => pairs.curve(q, u)));
  const most = Math.max(1e-9, ...curves.flat(2).filter(Number.isFinite).map(Math.abs));
  const reach = axisReach([2, 4].flatMap((count) => symmetric(most, count)).map(({ label }) => label), narrow ? 14 : 15);
  const { rows, columns, wide, high, gap, left, small } = unitGrid(hidden, width, narrow, reach);
  const top = 44;
  const place = (/** @type {number} */ u) => ({ x0: Math.round(left + (u % columns) * (wide + gap.x)), y0: top + Math.floor(u / columns) * (high + gap.y) });
  const xs = scaleLinear().domain([pairs.x[0], pairs.x[pairs.x.length - 1]]).range([0, wide]);
  const ys = scaleLinear().domain([-most, most]).range([high, 0]);
  const xTicks = symmetric(pairs.x[pairs.x.length - 1], small ? 2 : 4);
  const yTicks = symmetric(most, small ? 2 : 4);
  const height = top + rows * high + (rows - 1) * gap.y + 62;
  const marks = units.flatMap((u) => marksOf(pairs, u, place(u), xs, ys, wide, high));
  const hovered = marks.find((mark) => mark.id === hover);

  const node = picture({ width, height, narrow }, [],
    h('text', { class: 'name', x: 0, y: 14 }, 'given to the score'),
    units.map((u) => {
      const { x0, y0 } = place(u);
      const [x, y] = [(/** @type {number} */ v) => x0 + xs(v), (/** @type {number} */ v) => y0 + ys(v)];
      const path = line(/** @type {(p: [number, number]) => number} */ (([v]) => x(v)), ([, v]) => y(v)).defined(([, v]) => Number.isFinite(v)).digits(2);
      const gives = pairs.gives(query, key, u);
      const at = { x: x(pairs.stands(key, u)), y: y(gives) };
      const others = curves[u].map((curve, q) => (q === query ? '' : path(curve.map((v, i) => [pairs.x[i], v])) ?? '')).join('');
      return h('g', { class: 'unit' },
        u % columns === 0 && axisLeft({ ticks: yTicks.map((t) => ({ at: y(t.value), label: t.label })), x: x0 - 8 }),
        u + columns >= hidden && axisBottom({ ticks: xTicks.map((t) => ({ at: x(t.value), label: t.label })), y: y0 + high + 8, name: u === hidden - 1 ? 'key’s part' : '', nameX: x0 + wide, nameY: y0 + high + 48, nameAnchor: 'end' }),
        h('path', { class: 'unit-zero', d: `M${Math.round(x0)} ${Math.round(y(0)) + 0.5}H${Math.round(x0 + wide)}` }),
        h('text', { class: 'unit-name', x: x0, y: y0 - 9 }, small ? String(u + 1) : `unit ${u + 1}`),
        h('text', { class: 'unit-gives scaled', x: x0 + wide, y: y0 - 9, 'text-anchor': 'end' }, signed(gives, small ? 2 : 3)),
        h('path', { class: 'unit-others', d: others }),
        h('path', { class: 'line unit-curve', d: path(throughKeys(pairs, u)) ?? '' }),
        Number.isFinite(at.y) && h('path', { class: 'unit-bar scaled', d: `M${px(at.x)} ${px(y(0))}V${px(at.y)}` }),
        h('g', { class: 'series scaled' }, Array.from({ length: pairs.keys }, (_, k) => k !== key && point(x(pairs.stands(k, u)), y(pairs.gives(query, k, u)), small ? 1.9 : 2.6, 'point'))),
        point(at.x, at.y, small ? 3.4 : 4.6, 'point key-chosen'));
    }),
    hovered && h('circle', { class: 'ring', cx: hovered.cx, cy: hovered.cy, r: small ? 6 : 7.5 }));

  return { node, marks, height };
}

/**
 * The curve of the chosen query, through its keys too: where large maps make it steep, they would lie beside a line from point to point.
 * @param {Pairs} pairs
 * @param {number} u
 * @returns {Array<[number, number]>}
 */
function throughKeys(pairs, u) {
  const curve = pairs.curve(pairs.query, u).map((v, i) => /** @type {[number, number]} */ ([pairs.x[i], v]));
  const keys = Array.from({ length: pairs.keys }, (_, k) => /** @type {[number, number]} */ ([pairs.stands(k, u), pairs.gives(pairs.query, k, u)]));
  return [...curve, ...keys.filter(([x]) => Number.isFinite(x))].sort(([a], [b]) => a - b);
}

/** @param {number} x @param {number} y @param {number} r @param {string} kind */
const point = (x, y, r, kind) => Number.isFinite(x) && Number.isFinite(y) && h('circle', { class: kind, cx: x, cy: y, r });

/** Hundredths of a pixel. @param {number} value */
const px = (value) => Math.round(value * 100) / 100;

/** Round ticks around zero, with the outermost inside the range. @param {number} most @param {number} count */
function symmetric(most, count) {
  const ticks = roundTicks(-most, most, count);
  return ticks.map(({ value, label }) => ({ value, label: label.replace('-', '−') }));
}

/** A contribution with its sign, `+0.21`. @param {number} value @param {number} digits */
export function signed(value, digits) {
  const text = fixed(value, digits);
  return value > 0 && /^\d/.test(text) ? `+${text}` : text;
}

/**
 * A mark for every key of a unit; its box runs halfway to its neighbours. Choosing it chooses the key.
 * @param {Pairs} pairs
 * @param {number} u
 * @param {{x0: number, y0: number}} place
 * @param {(x: number) => number} xs
 * @param {(y: number) => number} ys
 * @param {number} wide
 * @param {number} high
 * @returns {Mark[]}
 */
function marksOf(pairs, u, { x0, y0 }, xs, ys, wide, high) {
  const order = Array.from({ length: pairs.keys }, (_, k) => k).filter((k) => Number.isFinite(pairs.stands(k, u))).sort((a, b) => pairs.stands(a, u) - pairs.stands(b, u) || a - b);
  const at = order.map((k) => xs(pairs.stands(k, u)));
  return order.map((k, i) => {
    const from = i === 0 ? -4 : (at[i - 1] + at[i]) / 2;
    const to = i === order.length - 1 ? wide + 4 : (at[i] + at[i + 1]) / 2;
    const gives = pairs.gives(pairs.query, k, u);
    return {
      id: `unit-${u + 1}-${k + 1}`, x: x0 + from, y: y0, w: Math.max(0.5, to - from), h: high, cx: x0 + at[i], cy: y0 + (Number.isFinite(gives) ? ys(gives) : high / 2),
      text: `unit ${u + 1}, key ${k + 1}: the key brings ${precise(pairs.stands(k, u))}, query ${pairs.query + 1} brings ${precise(pairs.shift(pairs.query, u))}, and the unit gives ${precise(gives)}`,
      ...(k === pairs.key ? {} : { edit: { param: 'key', value: k + 1, label: `take key ${k + 1}` } }),
    };
  });
}
