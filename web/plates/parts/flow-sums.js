/**
 * Figure 4 of "Batched attention": the sum of one row of weights after dropout, over many draws. The histogram with its mean beside the
 * one that is predicted, the row with a single key, which keeps all or nothing, and the numbers measured and predicted.
 *
 * Bars are counts of draws; dotted is what the formula says: E[sum] = 1, Var[sum] = p / (1 - p) * sum of the squared weights.
 */

import { scaleLinear } from 'd3-scale';
import { axisBottom, axisLeft, roundTicks } from '../../chart/axis.js';
import { count, fixed, plural, weight } from '../../chart/format.js';
import { h } from '../../chart/node.js';
import { picture } from '../../chart/picture.js';
import { textWidth } from '../../chart/text.js';
import { ownText, sumText } from './flow-model.js';

/** @typedef {import('../../chart/types.js').Mark} Mark */
/** @typedef {import('../../chart/types.js').VNode} VNode */
/** @typedef {import('./flow-model.js').Flow} Flow */
/** @typedef {import('./flow-model.js').Sums} Sums */

const HEIGHT = 236;
const LOW = 190;
/** Narrower than this, the numbers stand below, px. */
const THREE = 820;

/**
 * @typedef {object} Panel
 * @property {number} left  px, of the data
 * @property {number} right
 * @property {number} top
 * @property {number} bottom
 */

/**
 * @param {object} o
 * @param {Flow} o.flow
 * @param {Sums} o.sums
 * @param {number} o.width
 * @param {boolean} o.narrow
 * @param {number} o.widen
 * @param {string | null} o.hover  id of the mark pointed at
 * @returns {{node: VNode, marks: Mark[], height: number}}
 */
export function sumsFigure({ flow, sums, width, narrow, widen, hover }) {
  const tall = narrow ? LOW : HEIGHT;
  const top = 54;
  const most = Math.max(...sums.counts, ...sums.exact, 1);
  // the table stands beside the panels where there is room for all three
  const beside = width >= THREE;
  const table = beside ? Math.round(Math.min(318, width * 0.325)) : 0;
  const fate = narrow ? width : 128;
  const first = { left: 62, right: narrow ? width - 14 : width - table - fate - 138, top, bottom: top + tall };
  const second = narrow ? { left: 72, right: 72 + 128, top: first.bottom + 108, bottom: first.bottom + 108 + 120 } : { left: first.right + 112, right: first.right + 112 + fate - 30, top, bottom: top + tall };
  const one = histogram(flow, sums, first, most, widen);
  const two = sums.oneHot.length > 0 ? fatePanel(sums, second, narrow) : { node: null, marks: [] };
  const numbers = numbersTable(flow, sums, beside ? width - table + 24 : 0, beside ? top - 14 : second.bottom + 74, beside ? table - 24 : Math.min(width, 460));
  const marks = [...one.marks, ...two.marks, ...numbers.marks];
  const hovered = marks.find(({ id }) => id === hover);
  const height = Math.max(first.bottom + 62, second.bottom + 62, numbers.bottom + 6);
  return {
    node: picture({ width, height, narrow }, [],
      hovered && !hovered.id.startsWith('number') && h('rect', { class: 'hover-column', x: hovered.x, y: hovered.y, width: hovered.w, height: hovered.h }), one.node, two.node, numbers.node),
    marks, height,
  };
}

/**
 * @param {Flow} flow
 * @param {Sums} sums
 * @param {Panel} panel
 * @param {number} most
 * @param {number} widen
 */
function histogram(flow, { counts, exact, edges, mean, meanError, draws }, { left, right, top, bottom }, most, widen) {
  const x = scaleLinear().domain([edges[0], edges[edges.length - 1]]).range([left, right]);
  const y = scaleLinear().domain([0, most]).range([bottom, top]);
  const wide = (right - left) / counts.length;
  const axisY = bottom + 10;
  const last = edges[edges.length - 1];
  // a row without any key has nothing to keep
  const expected = flow.empty(flow.sequence, flow.query) ? 0 : 1;
  const label = `expected: ${expected}`;
  const beyond = x(expected) + 10 + textWidth(label, 15, true) * widen > right;
  const inside = (/** @type {number} */ sum) => x(Math.max(edges[0], Math.min(last, sum)));
  const node = h('g', { class: 'sums' },
    axisLeft({ ticks: countTicks(most, y), x: left - 10, name: 'draws', nameX: 0, nameY: top - 32 }),
    axisBottom({ ticks: roundTicks(edges[0], last, 5).map(({ value, label: text }) => ({ at: x(value), label: text })), y: axisY, name: 'row sum after dropout', nameX: right, nameAnchor: 'end', nameY: axisY + 43 }),
    bars(counts, x(edges[0]), wide, y, bottom, 'scaled'),
    exact.length > 0 && h('path', { class: 'expected-ticks', d: exact.map((each, i) => (each * 2 * (bottom - top) < most ? '' : `M${px(x(edges[0]) + i * wide + 0.5)} ${px(y(each))}h${px(wide - 1)}`)).join('') }),
    h('path', { class: 'reference', d: `M${Math.round(x(expected)) + 0.5} ${top - 22}V${bottom + 4}` }),
    h('text', { class: 'end-label reference', x: x(expected) + (beyond ? -8 : 8), y: top - 14, 'text-anchor': beyond ? 'end' : 'start' }, label),
    Number.isFinite(mean) && h('g', { class: 'measured' },
      h('path', { class: 'rule', d: `M${px(inside(mean - 2 * meanError))} ${axisY + 0.5}H${px(inside(mean + 2 * meanError))}` }),
      h('circle', { class: 'handle', cx: inside(mean), cy: axisY + 0.5, r: 5 })));
  /** @type {Mark[]} */
  const marks = counts.map((each, i) => ({
    id: `bin-${i + 1}`, x: x(edges[i]), y: top, w: wide, h: bottom - top, cx: x(edges[i]) + wide / 2, cy: y(each),
    text: `row sums from ${fixed(edges[i], 3)} to ${fixed(edges[i + 1], 3)}: ${count(each)} of ${plural(draws, 'draw', 'draws')}${exact.length > 0 ? `, ${fixed(exact[i], 1)} expected` : ''}`,
  }));
  if (Number.isFinite(mean)) marks.push({ id: 'mean', x: inside(mean) - 9, y: axisY - 8, w: 18, h: 17, cx: inside(mean), cy: axisY, text: `mean of the row sums: ${fixed(mean, 4)} ± ${fixed(meanError, 4)}` });
  return { node, marks };
}

/**
 * A row with one key: two bars, nothing and everything.
 * @param {Sums} sums
 * @param {Panel} panel
 * @param {boolean} narrow
 */
function fatePanel({ oneHot, zeroShare, oneHotKept, draws }, { left, right, top, bottom }, narrow) {
  const y = scaleLinear().domain([0, draws]).range([bottom, top]);
  const wide = 10;
  const [at, kept] = [left + 36, right - 2];
  const [none, all] = [oneHot[0], oneHot.reduce((sum, each) => sum + each, 0) - oneHot[0]];
  const bar = (/** @type {number} */ x, /** @type {number} */ n, /** @type {string} */ kind) => n > 0 && h('g', { class: `series ${kind}` }, kind === 'scaled'
    ? h('rect', { class: 'bar open', x: x - wide / 2 + 0.5, y: y(n) + 0.5, width: wide - 1, height: Math.max(1, bottom - y(n) - 0.5) })
    : h('rect', { class: 'bar', x: x - wide / 2, y: y(n), width: wide, height: bottom - y(n) }));
  const axisY = bottom + 10;
  const title = 'one key has all the weight';
  const node = h('g', { class: 'fate' },
    h('text', { class: 'name', x: narrow ? 0 : left - 62, y: top - 32 }, title),
    axisLeft({ ticks: countTicks(draws, y), x: left - 10 }),
    bar(at, none, 'unscaled'), bar(kept, all, 'scaled'),
    none > 0 && h('text', { class: 'bar-label unscaled', x: at, y: y(none) - 8, 'text-anchor': 'middle' }, 'nothing'),
    all > 0 && h('text', { class: 'bar-label scaled', x: kept, y: y(all) - 8, 'text-anchor': 'middle' }, 'all'),
    h('path', { class: 'axis-line rule', d: `M${Math.round(at) + 0.5} ${axisY + 0.5}H${Math.round(kept) + 0.5}m0 0v6M${Math.round(at) + 0.5} ${axisY + 0.5}v6` }),
    h('text', { class: 'tick', x: at, y: axisY + 21, 'text-anchor': 'middle' }, '0'),
    h('text', { class: 'tick', x: kept, y: axisY + 21, 'text-anchor': 'middle' }, fixed(oneHotKept, Number.isInteger(oneHotKept) ? 0 : 2)));
  /** @type {Mark[]} */
  const marks = [
    { id: 'fate-none', x: at - 20, y: top, w: 40, h: bottom - top, cx: at, cy: y(none), text: `a row with one key: dropped in ${count(none)} of ${plural(draws, 'draw', 'draws')}, a share of ${weight(zeroShare, 3)}; the output is then zero` },
    { id: 'fate-all', x: kept - 20, y: top, w: 40, h: bottom - top, cx: kept, cy: y(all), text: `a row with one key: kept in ${count(all)} of ${plural(draws, 'draw', 'draws')}, with a weight of ${fixed(oneHotKept, 4)}` },
  ];
  return { node, marks };
}

/**
 * Measured and predicted, engraved as a table.
 * @param {Flow} flow
 * @param {Sums} sums
 * @param {number} x
 * @param {number} y
 * @param {number} width
 */
function numbersTable(flow, sums, x, y, width) {
  const ROW = 31;
  const p = flow.drops ? ownText(flow.rate) : '0';
  const error = (/** @type {number} */ se) => (se > 0 ? `± ${fixed(se, 3)}` : '');
  /** @type {Array<[string, string, string, string]>} */
  const rows = [
    ['mean of the sum', sumText(sums.mean), error(sums.meanError), flow.empty(flow.sequence, flow.query) ? '0' : '1'],
    ['variance', sumText(sums.variance), error(sums.varianceError), sumText(sums.predicted)],
  ];
  if (sums.oneHot.length > 0) rows.push(['one key: nothing', weight(sums.zeroShare, 3), error(sums.zeroError), p]);
  const measured = x + Math.round(Math.max(156, width * 0.58));
  const ends = [x, measured, measured + 5, x + width];
  const line = (/** @type {number} */ at, /** @type {string} */ kind) => h('path', { class: kind, d: `M${Math.round(x)} ${Math.round(at) + 0.5}H${Math.round(x + width)}` });
  const node = h('g', { class: 'numbers' },
    h('text', { class: 'name', x, y: y + 14 }, `${count(sums.draws)} draws`),
    h('text', { class: 'name', x: ends[1], y: y + 14, 'text-anchor': 'end' }, 'measured'),
    h('text', { class: 'name', x: ends[3], y: y + 14, 'text-anchor': 'end' }, 'predicted'),
    line(y + 23, 'table-rule'),
    rows.map(([name, found, either, predicted], r) => {
      const base = y + 23 + r * ROW + 21;
      return [
        r > 0 && line(y + 23 + r * ROW, 'row-rule'),
        h('text', { class: 'row-name', x: ends[0], y: base }, name),
        h('text', { class: 'tell-value', x: ends[1], y: base, 'text-anchor': 'end' }, found),
        h('text', { class: 'soft', x: ends[2], y: base, 'font-size': 13.5 }, either),
        h('text', { class: 'tell-value', x: ends[3], y: base, 'text-anchor': 'end' }, predicted),
      ];
    }),
    line(y + 23 + rows.length * ROW, 'table-rule'),
    h('text', { class: 'soft', x, y: y + 23 + rows.length * ROW + 22, 'font-size': 14 }, `sum of the squared weights ${sumText(sums.squares)}`));
  return { node, marks: /** @type {Mark[]} */ ([]), bottom: y + 23 + rows.length * ROW + 28 };
}

/**
 * Thin separate bars, as outlines.
 * @param {number[]} counts
 * @param {number} from  px, left edge of the first bin
 * @param {number} wide  px, of a bin
 * @param {(n: number) => number} y
 * @param {number} bottom
 * @param {string} kind
 */
function bars(counts, from, wide, y, bottom, kind) {
  const bar = Math.max(1.5, Math.min(10, wide * 0.56));
  return h('g', { class: `series ${kind}` }, counts.map((each, i) => {
    if (each === 0) return null;
    const [left, height] = [from + (i + 0.5) * wide - bar / 2, Math.max(0.75, bottom - y(each))];
    return height < 2 || bar < 2.4 ? h('rect', { class: 'bar thin', x: left, y: bottom - height, width: bar, height })
      : h('rect', { class: 'bar open', x: left + 0.5, y: bottom - height + 0.5, width: bar - 1, height: height - 0.5 });
  }));
}

/** Whole numbers of draws. @param {number} most @param {(n: number) => number} y */
function countTicks(most, y) {
  return roundTicks(0, most, 4).filter(({ value }) => Number.isInteger(value)).map(({ value }) => ({ at: y(value), label: count(value) }));
}

/** Hundredths of a pixel. @param {number} value */
const px = (value) => Math.round(value * 100) / 100;
