/**
 * Figure 4 of "Additive scoring": parameters, operations and the largest intermediate of four scoring rules, thin bars on one logarithmic
 * measure. The bilinear rule has a row for each order of its two products; only its operations differ.
 *
 * Counts, not times: every count is the core's, by formula.
 */

import { scaleLog } from 'd3-scale';
import { axisBottom } from '../../chart/axis.js';
import { count } from '../../chart/format.js';
import { h } from '../../chart/node.js';
import { picture } from '../../chart/picture.js';
import { textWidth } from '../../chart/text.js';
import { powerText } from './hidden-fall.js';

/** @typedef {import('../../chart/types.js').Mark} Mark */
/** @typedef {import('../../chart/types.js').VNode} VNode */
/** @typedef {import('./hidden-read.js').Costs} Costs */

/** What is counted: the panels, in order. */
export const COUNTED = /** @type {const} */ (['parameters', 'operations', 'intermediate']);

/** @type {Record<string, string>} */
export const TITLES = { parameters: 'parameters', operations: 'operations', intermediate: 'largest intermediate' };

/**
 * @typedef {object} Line  a row of the figure
 * @property {string} name  for words
 * @property {import('../../chart/node.js').Children} label
 * @property {'additive' | 'scaled' | 'other' | 'dearer'} kind
 * @property {Partial<Record<'parameters' | 'operations' | 'intermediate', number>>} counts
 */

/**
 * A product as it is written, its transposes raised: (QM)Kᵀ.
 * @param {string} text
 * @returns {VNode[]}
 */
export function product(text) {
  return text.split('ᵀ').flatMap((part, i, all) => [
    ...(part === '' ? [] : [h('tspan', i > 0 ? { dy: 5 } : {}, part)]),
    ...(i < all.length - 1 ? [h('tspan', { dy: -5, 'font-size': '0.68em' }, 'T')] : []),
  ]);
}

/**
 * The rows: each rule, and of the bilinear rule both orders, the cheaper with everything it costs.
 * @param {Costs} costs
 * @returns {Line[]}
 */
export function costLines(costs) {
  return costs.rules.flatMap((rule, i) => {
    /** @type {Line['counts']} */
    const counts = { parameters: costs.parameters[i], operations: costs.operations[i], intermediate: costs.intermediate[i] };
    if (rule !== 'bilinear') {
      /** @type {Line['kind']} */
      const kind = rule === 'additive' ? 'additive' : rule === 'scaled dot' ? 'scaled' : 'other';
      return [/** @type {Line} */ ({ name: rule, label: rule === 'factored bilinear' ? `rank ${costs.rank}` : rule, kind, counts })];
    }
    return costs.orders.map((order, o) => bilinearLine(costs, order, o, counts));
  });
}

/**
 * @param {Costs} costs
 * @param {string} order
 * @param {number} o  which order
 * @param {Line['counts']} counts  of the rule
 * @returns {Line}
 */
function bilinearLine(costs, order, o, counts) {
  const cheaper = o === costs.cheaper;
  return { name: `bilinear, ${order}`, label: ['bilinear ', product(order)], kind: cheaper ? 'other' : 'dearer', counts: cheaper ? counts : { operations: costs.orderOperations[o] } };
}

/**
 * @param {object} o
 * @param {Costs} o.costs
 * @param {number} o.width
 * @param {boolean} o.narrow
 * @param {number} o.widen
 * @param {string | null} o.hover
 * @returns {{node: VNode, marks: Mark[], height: number}}
 */
export function costsFigure({ costs, width, narrow, widen, hover }) {
  const lines = costLines(costs);
  const names = Math.round((narrow ? 110 : 128) * widen);
  const high = narrow ? 22 : 27;
  const gap = narrow ? 0 : 26;
  const number = Math.round(12 + widen * Math.max(0, ...lines.flatMap(({ counts }) => Object.values(counts)).map((value) => textWidth(count(value), narrow ? 14 : 15))));
  const wide = narrow ? width - names : (width - names - 2 * gap) / 3;
  const most = Math.max(10, ...lines.flatMap(({ counts }) => Object.values(counts)));
  // the last tick lies beyond the longest bar
  const step = Math.ceil(Math.ceil(Math.log10(most) - 1e-9) / 3);
  const top = step * Math.ceil(Math.log10(most) / step - 1e-9);
  const x = scaleLog().domain([1, 10 ** top]).range([0, wide - number]);
  const exponents = Array.from({ length: Math.floor(top / step) + 1 }, (_, i) => i * step);
  const head = 34;
  /** Beside each other the panels share their rows; on a phone each has its own. */
  const panels = COUNTED.map((counted) => ({ counted, rows: narrow ? lines.filter(({ counts }) => counts[counted] !== undefined) : lines, x0: names, y0: 0 }));
  panels.forEach((panel, p) => {
    if (!narrow) panel.x0 = names + p * (wide + gap);
    else if (p > 0) panel.y0 = panels[p - 1].y0 + head + panels[p - 1].rows.length * high + 58;
  });
  const { y0: lastTop, rows: lastRows } = panels[panels.length - 1];
  const height = lastTop + head + lastRows.length * high + 34;

  const node = picture({ width, height, narrow }, [],
    panels.map(({ counted, rows, x0, y0 }, p) => {
      const row = (/** @type {number} */ r) => y0 + head + r * high;
      return h('g', { class: `costs costs-${counted}` },
        (narrow || p === 0) && rows.map(({ label, kind }, r) => h('text', { class: `cost-name ${kind}`, x: 0, y: row(r) + high / 2, dy: '0.33em' }, label)),
        h('text', { class: 'map-title', x: x0, y: y0 + 16 }, TITLES[counted]),
        h('path', { class: 'bar-line', d: `M${Math.round(x0) - 0.5} ${row(0)}V${row(rows.length)}` }),
        rows.map(({ counts, kind }, r) => {
          const value = counts[counted];
          if (value === undefined) return null;
          const length = value >= 1 ? Math.max(0.75, x(value)) : 0;
          return [
            length > 0 && bar(kind, x0, row(r) + high / 2, length, narrow ? 8 : 9),
            h('text', { class: `cost ${kind}`, x: x0 + length + 8, y: row(r) + high / 2, dy: '0.33em' }, count(value)),
          ];
        }),
        axisBottom({ ticks: exponents.map((e) => ({ at: x0 + x(10 ** e), label: powerText(e) })), y: row(rows.length) + 7, name: '' }),
        rows.map((line, r) => hover === id(counted, lines.indexOf(line)) && h('rect', { class: 'hover-column', x: x0 - 4, y: row(r), width: wide, height: high })));
    }));

  const marks = panels.flatMap(({ counted, rows, x0, y0 }) => rows.flatMap((line, r) => mark(line, counted, id(counted, lines.indexOf(line)), { x: x0 - 4, y: y0 + head + r * high, w: Math.min(wide, width - x0 + 4), h: high })));
  return { node, height, marks };
}

/** @param {string} counted @param {number} r */
const id = (counted, r) => `${counted}-${r + 1}`;

/**
 * Solid for the additive rule, an outline for the scaled dot product, thinner for the others.
 * @param {Line['kind']} kind
 * @param {number} x
 * @param {number} y  px, middle
 * @param {number} length
 * @param {number} thick
 */
function bar(kind, x, y, length, thick) {
  if (kind === 'scaled') return h('rect', { class: 'cost-bar scaled', x: x + 0.5, y: y - thick / 2 + 0.5, width: Math.max(0.5, length - 1), height: thick - 1 });
  const high = kind === 'additive' ? thick : thick * 0.45;
  return h('rect', { class: `cost-bar ${kind}`, x, y: y - high / 2, width: length, height: high });
}

/**
 * What a row says of one count, or nothing where it has none.
 * @param {Line} line
 * @param {'parameters' | 'operations' | 'intermediate'} counted
 * @param {string} id
 * @param {{x: number, y: number, w: number, h: number}} box
 * @returns {Mark[]}
 */
function mark({ name, counts, kind }, counted, id, box) {
  const value = counts[counted];
  if (value === undefined) return [];
  const what = counted === 'intermediate' ? `${count(value)} numbers in its largest intermediate` : `${count(value)} ${TITLES[counted]}`;
  return [{ id, ...box, cx: box.x + 16, cy: box.y + 2, text: `${name}: ${what}${kind === 'dearer' ? ', the dearer order' : ''}` }];
}
