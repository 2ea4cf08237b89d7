/**
 * A mean against the dimension d, scaled and unscaled: lines with marks, bands of two standard errors, a dotted
 * value to measure by, and the rule at the chosen d. Figures 1 and 3 of "One square root" are this, twice.
 *
 * Not the meaning of the values: the plate says what they are. x = log2 d.
 */

import { scaleLinear, scaleLog } from 'd3-scale';
import { axisBottom, axisLeft, roundTicks } from '../../chart/axis.js';
import { band } from '../../chart/band.js';
import { hatch } from '../../chart/hatch.js';
import { endLabels } from '../../chart/labels.js';
import { series } from '../../chart/line.js';
import { h } from '../../chart/node.js';
import { textWidth } from '../../chart/text.js';
import { picture } from '../../chart/picture.js';
import { reference } from '../../chart/reference.js';
import { handle, rule, ruleValues } from '../../chart/rule.js';
import { fixed } from '../../chart/format.js';

/** @typedef {import('../../chart/types.js').Mark} Mark */
/** @typedef {import('../../chart/types.js').VNode} VNode */

/**
 * @typedef {object} Curve
 * @property {'scaled' | 'unscaled'} kind
 * @property {number[]} means
 * @property {number[]} errors  standard errors of the means
 * @property {number} at  the mean at the chosen d
 * @property {number} atError
 */

/** A level for the scaled curve and a curve for the unscaled one. @typedef {{level: number, levelLabel: string, dims: number[], values: number[], label: string}} Theory */

/**
 * @typedef {object} Options
 * @property {string} id
 * @property {string} uid
 * @property {number} width
 * @property {number} height  of the data, px
 * @property {boolean} narrow
 * @property {boolean} small  a figure beside another: smaller marks, shorter words
 * @property {number[]} dims
 * @property {number} d  chosen
 * @property {Curve[]} curves
 * @property {{value: number, label: import('../../chart/node.js').Children, width: number}} even
 * @property {number} widen  how much wider than EB Garamond the labels run
 * @property {number} most  the greatest value there can be; no band goes beyond it, nor below 0
 * @property {string} name  of the y axis, with its unit
 * @property {string} unit  said after a value
 * @property {number} digits  decimals of the values beside the rule; a small figure leaves them to the readout
 * @property {string | null} hover  id of the mark pointed at
 * @property {Theory | null} [theory]  what the curves should be, dotted over them
 */

/**
 * @param {Options} o
 * @returns {{node: VNode, marks: Mark[], height: number, toValue: (x: number, y: number) => number}}
 */
export function againstDimension(o) {
  const frame = margins(o);
  const x = scaleLog().base(2).domain([o.dims[0], o.dims[o.dims.length - 1]]).range([frame.left, frame.right]);
  const spans = o.curves.map((c) => c.means.map((m, i) => ({ low: Math.max(0, m - 2 * finite(c.errors[i])), high: Math.min(o.most, m + 2 * finite(c.errors[i])) })));
  const top = Math.max(o.even.value, ...spans.flat().map(({ high }) => high).filter(Number.isFinite));
  const y = scaleLinear().domain([0, top]).range([frame.bottom, frame.top]);
  const axisY = frame.bottom + 8;
  const ticks = roundTicks(0, top, o.small ? 3 : 4).map((t) => ({ at: y(t.value), label: t.label }));
  const points = (/** @type {Curve} */ c) => c.means.map((m, i) => ({ x: x(o.dims[i]), y: y(m) }));
  const id = (/** @type {string} */ kind) => `${o.uid}-${o.id}-${kind}`;
  const atX = x(o.d);
  const marks = columnMarks(o, x, y, frame);
  const hovered = marks.find((mark) => mark.id === o.hover);

  const node = picture({ width: o.width, height: frame.height, narrow: o.narrow },
    o.curves.map((c) => hatch(id(c.kind), c.kind, { angle: c.kind === 'scaled' ? -45 : 45, spacing: 3 })),
    axisLeft({ ticks, x: frame.left - 8, name: o.name, nameX: frame.nameX, nameY: frame.nameY }),
    axisBottom({
      ticks: o.dims.map((d) => ({ at: x(d), label: String(d) })),
      y: axisY, name: frame.xName, nameX: frame.xNameX, nameAnchor: frame.xNameAnchor, nameY: frame.xNameY && axisY + frame.xNameY,
    }),
    reference({ x1: frame.left, x2: frame.right, y: y(o.even.value) }),
    o.curves.map((c, k) => band(spans[k].map(({ low, high }, i) => ({ x: x(o.dims[i]), low: y(low), high: y(high) })), id(c.kind))),
    rule({ x: atX, y1: frame.top - 14, y2: axisY }),
    o.theory && theoryLines(o.theory, x, y, { ...frame, ruleX: atX, size: o.narrow ? 14 : 16 }, o.narrow),
    o.curves.map((c) => series(points(c), c.kind, { size: o.small ? 2.7 : 3.6 })),
    ruleValues({
      x: atX, right: frame.right, limits: [frame.top - 6, frame.bottom - 8], size: o.narrow ? 14 : 15,
      values: o.curves.map((c) => ({ y: y(c.at), text: o.small ? '' : fixed(c.at, o.digits), kind: c.kind, curve: points(c) })),
    }),
    handle({ x: atX, y: axisY, r: o.small ? 6 : 7.5 }),
    endLabels([
      ...(frame.evenInside ? [] : [{ y: y(o.even.value), text: o.even.label, kind: 'reference' }]),
      ...o.curves.map((c) => ({ y: y(last(c.means)), text: frame.names[c.kind], kind: c.kind })).filter((l) => Number.isFinite(l.y)),
    ], { x: frame.right + 11, gap: o.small ? 16 : 18, limits: [frame.top - 8, frame.bottom] }),
    frame.evenInside && evenAbove(o, atX, y(o.even.value) - 8, frame),
    hovered && h('circle', { class: 'ring', cx: hovered.cx, cy: hovered.cy, r: 7.5 }));

  return {
    node, marks, height: frame.height,
    toValue: (at) => Math.round(Math.max(o.dims[0], Math.min(last(o.dims), x.invert(at)))),
  };
}

/**
 * The approximation dotted over the curves, named where it leaves the unscaled one, and at the right end of the scaled one's level, short of the rule.
 * @param {Theory} theory
 * @param {(d: number) => number} x
 * @param {(value: number) => number} y
 * @param {{left: number, right: number, ruleX: number, size: number}} frame
 * @param {boolean} narrow
 */
function theoryLines(theory, x, y, { left, right, ruleX, size }, narrow) {
  const px = (/** @type {number} */ v) => Math.round(v * 10) / 10;
  const points = theory.dims.map((d, i) => ({ x: x(d), y: y(theory.values[i]) }));
  const end = points[points.length - 1];
  const levelEnd = ruleX > right - textWidth(theory.levelLabel, size, true) - 10 ? Math.min(right, ruleX - 8) : right;
  return h('g', { class: 'theory' },
    h('text', { class: 'remark', x: px(levelEnd), y: px(y(theory.level) + 20), 'text-anchor': 'end' }, theory.levelLabel),
    h('path', { class: 'theory-line scaled', d: `M${left} ${px(y(theory.level))}H${right}` }),
    end && h('path', { class: 'theory-line unscaled', d: points.map((p, i) => `${i === 0 ? 'M' : 'L'}${px(p.x)} ${px(p.y)}`).join('') }),
    end && h('text', { class: 'remark', x: px(end.x + 10), y: px(end.y - (narrow ? 8 : 10)) }, theory.label));
}

/**
 * Where the data lie, and where the words around them.
 * @param {Options} o
 */
function margins(o) {
  const left = o.small ? 44 : 46;
  const room = 11 + o.widen * (o.small ? 55 : o.narrow ? 51 : Math.max(139, o.even.width + 13));
  const top = o.narrow && !o.small ? 60 : 48;
  const bottom = top + o.height;
  const right = o.width - room;
  const below = o.narrow || o.small;
  return {
    left, right, top, bottom, height: bottom + (below ? 54 : 34),
    evenInside: o.narrow && !o.small,
    nameX: left - 20, nameY: 22,
    names: { scaled: o.narrow || o.small ? 'scaled' : 'scaled by 1/√d', unscaled: 'unscaled' },
    xName: 'dimension d',
    xNameX: below ? right : right + 24,
    xNameAnchor: below ? 'end' : 'start',
    xNameY: below ? 41 : undefined,
  };
}

/**
 * On a phone the label of the even line stands above it, at the end the rule does not cross.
 * @param {Options} o
 * @param {number} ruleX
 * @param {number} y
 * @param {{left: number, right: number}} frame
 */
function evenAbove(o, ruleX, y, { left, right }) {
  const free = ruleX < (left + right) / 2;
  return h('text', { class: 'end-label reference', x: free ? right : left, y, 'text-anchor': free ? 'end' : 'start' }, o.even.label);
}

/**
 * A mark for every point. Together their boxes cover the figure: each runs halfway to its neighbours in d, and halfway to
 * the other series above or below.
 * @param {Options} o
 * @param {(d: number) => number} x
 * @param {(value: number) => number} y
 * @param {{left: number, right: number, top: number, bottom: number}} frame
 * @returns {Mark[]}
 */
function columnMarks(o, x, y, frame) {
  return o.dims.flatMap((d, i) => {
    const from = i === 0 ? frame.left - 8 : (x(o.dims[i - 1]) + x(d)) / 2;
    const to = i === o.dims.length - 1 ? frame.right + 8 : (x(d) + x(o.dims[i + 1])) / 2;
    const here = o.curves.filter((c) => Number.isFinite(c.means[i])).sort((a, b) => b.means[i] - a.means[i]);
    const heights = here.map((c) => y(c.means[i]));
    return here.map((c, k) => {
      const top = k === 0 ? frame.top - 14 : (heights[k - 1] + heights[k]) / 2;
      const bottom = k === here.length - 1 ? frame.bottom + 8 : (heights[k] + heights[k + 1]) / 2;
      const error = Number.isFinite(c.errors[i]) ? ` ± ${fixed(c.errors[i], 3)}` : '';
      return {
        id: `${c.kind}-${d}`, x: from, y: top, w: to - from, h: Math.max(1, bottom - top), cx: x(d), cy: heights[k],
        text: `d = ${d}, ${c.kind}: ${fixed(c.means[i], 3)}${error}${o.unit}`,
      };
    });
  });
}

/** @param {number} error */
function finite(error) {
  return Number.isFinite(error) ? error : 0;
}

/** @template T @param {T[]} list @returns {T} */
function last(list) {
  return list[list.length - 1];
}
