/**
 * A small engraved matrix with its values: cells of one size, which need not be square. What a cell says beyond its value it says twice:
 *
 * `closed` hatched, `dropped` crossed out, `wrong` hatched in red with its corner filled (not a finite number), `unread` in soft ink, `dot`
 * a dot; `tint` is neutral ink by value and `ink` sheet to blue by weight. Square maps without such marks are chart/heatmap.js's.
 */

import { TINT } from '../../chart/heatmap.js';
import { h } from '../../chart/node.js';
import { valueClass } from '../../chart/theme.js';
import { hatchIds } from './number-cells.js';

/** @typedef {import('../../chart/types.js').VNode} VNode */

/**
 * @typedef {object} FlowCell
 * @property {'plain' | 'tint' | 'ink' | 'closed' | 'dropped' | 'wrong' | 'unread' | 'dot'} kind
 * @property {string} text  '' prints nothing
 * @property {number} [share]  0..1, of ink or tint
 */

/**
 * @typedef {object} CellPlace
 * @property {number} x  px, left edge of the first cell
 * @property {number} y
 * @property {number} wide  px, of a cell
 * @property {number} high
 * @property {number} type  px, size of the values
 */

/**
 * @param {FlowCell[][]} cells  rows of cells, at least one
 * @param {CellPlace} place
 * @param {string} prefix  of the hatchings' ids
 * @param {{row: number, column: number} | null} hover
 * @returns {VNode}
 */
export function flowCells(cells, { x, y, wide, high, type }, prefix, hover) {
  const ids = hatchIds(prefix);
  const [rows, columns] = [cells.length, cells[0].length];
  const [width, height] = [columns * wide, rows * high];
  const each = (/** @type {(cell: FlowCell, left: number, top: number) => string} */ path) => cells.map((row, i) => row.map((cell, j) => path(cell, px(x + j * wide), px(y + i * high))).join('')).join('');
  const boxes = (/** @type {FlowCell['kind']} */ kind) => each((cell, left, top) => (cell.kind === kind ? box(left, top, wide, high) : ''));
  const [closed, wrong, dropped] = [boxes('closed'), boxes('wrong'), each((cell, left, top) => (cell.kind === 'dropped' ? cross(left, top, wide, high) : ''))];
  const dots = each((cell, left, top) => (cell.kind === 'dot' ? `M${px(left + wide / 2)} ${px(top + high / 2)}h0.01` : ''));
  const corner = px(Math.min(8, high * 0.3, wide * 0.3));
  return h('g', { class: 'heatmap flow-cells' },
    h('rect', { class: 'cells-ground', x, y, width, height }),
    closed !== '' && h('path', { class: 'filled excluded', d: closed, fill: `url(#${ids.closed})` }),
    wrong !== '' && h('path', { class: 'filled wrong', d: wrong, fill: `url(#${ids.wrong})` }),
    inks(cells, x, y, wide, high, 'ink', 1).map(([opacity, d]) => h('path', { class: 'filled inked', d, 'fill-opacity': opacity })),
    inks(cells, x, y, wide, high, 'tint', TINT).map(([opacity, d]) => h('path', { class: 'filled tinted', d, 'fill-opacity': opacity })),
    h('path', { class: 'cells', d: lines(x, y, rows, columns, wide, high) }),
    h('rect', { class: 'cells-frame', x, y, width, height, fill: 'none' }),
    dropped !== '' && h('path', { class: 'dropped', d: dropped }),
    dots !== '' && h('path', { class: 'dots', d: dots, 'stroke-width': 2 * Math.max(1.4, Math.min(2.6, high * 0.09)) }),
    wrong !== '' && h('path', { class: 'filled differing-corner', d: each((cell, left, top) => (cell.kind === 'wrong' ? `M${px(left + wide)} ${top}v${corner}l-${corner} -${corner}z` : '')) }),
    cells.map((row, i) => row.map((cell, j) => cell.text !== '' && h('text', { class: `print ${tone(cell)}`, x: x + (j + 0.5) * wide, y: y + (i + 0.5) * high, dy: '0.33em', 'text-anchor': 'middle', 'font-size': type }, cell.text))),
    hover && h('rect', { class: 'cell-hover', x: x + hover.column * wide, y: y + hover.row * high, width: wide, height: high }));
}

/**
 * Cells of a kind by the opacity of their ink in hundredths, a path each.
 * @param {FlowCell[][]} cells
 * @param {number} x
 * @param {number} y
 * @param {number} wide
 * @param {number} high
 * @param {'ink' | 'tint'} kind
 * @param {number} strongest
 * @returns {Array<[number, string]>}
 */
function inks(cells, x, y, wide, high, kind, strongest) {
  /** @type {Map<number, string>} */
  const paths = new Map();
  cells.forEach((row, i) => row.forEach((cell, j) => {
    const level = cell.kind === kind ? Math.round(Math.max(0, Math.min(1, cell.share ?? 0)) * strongest * 100) : 0;
    if (level > 0) paths.set(level, (paths.get(level) ?? '') + box(px(x + j * wide), px(y + i * high), wide, high));
  }));
  return [...paths].sort(([a], [b]) => a - b).map(([level, d]) => [level / 100, d]);
}

/** @param {number} left @param {number} top @param {number} wide @param {number} high */
const box = (left, top, wide, high) => `M${left} ${top}h${px(wide)}v${px(high)}h-${px(wide)}z`;

/** Two strokes from corner to corner. @param {number} left @param {number} top @param {number} wide @param {number} high */
const cross = (left, top, wide, high) => `M${left} ${top}l${px(wide)} ${px(high)}M${px(left + wide)} ${top}l-${px(wide)} ${px(high)}`;

/**
 * @param {number} x
 * @param {number} y
 * @param {number} rows
 * @param {number} columns
 * @param {number} wide
 * @param {number} high
 */
function lines(x, y, rows, columns, wide, high) {
  let d = '';
  for (let j = 1; j < columns; j++) d += `M${px(x + j * wide)} ${px(y)}v${px(rows * high)}`;
  for (let i = 1; i < rows; i++) d += `M${px(x)} ${px(y + i * high)}h${px(columns * wide)}`;
  return d;
}

/** @param {FlowCell} cell */
function tone({ kind, share = 0 }) {
  if (kind === 'closed' || kind === 'dropped') return 'value-excluded';
  if (kind === 'wrong') return 'value-wrong';
  if (kind === 'unread') return 'value-unread';
  return kind === 'ink' ? valueClass(share) : 'value-tint';
}

/** Hundredths of a pixel. @param {number} value */
function px(value) {
  return Math.round(value * 100) / 100;
}
