/**
 * A small matrix as hairline cells: rows are queries, columns are keys, numbered from one in soft ink.
 *
 * Three ways to fill a cell. `tint`: neutral ink by value, for scores. `dots`: a dot where a mask allows, hatching
 * where it does not. `ink`: sheet to blue by weight; an excluded cell is hatched and carries an exact `0`, a small
 * weight that is not zero stays a printed number. Nothing excluded is ever merely pale.
 */

import { h } from './node.js';
import { valueClass } from './theme.js';
import { textWidth } from './text.js';

/** @typedef {import('./types.js').VNode} VNode */

/** The strongest neutral tint, a share of soft ink: ink printed on it keeps 4.5:1, light and dark. */
export const TINT = 0.46;

/** A cell smaller than this carries no printed value, px. */
export const PRINTED = 26;

/**
 * @typedef {object} Cell
 * @property {boolean} [excluded]
 * @property {boolean} [dot]
 * @property {number} [ink]  0..1, share of blue
 * @property {number} [tint]  0..1, share of the strongest neutral tint
 * @property {string} [print]  the value, printed if the cell is large enough
 * @property {boolean} [hover]
 */

/**
 * @param {object} map
 * @param {Cell[][]} map.cells  rows of cells
 * @param {number} map.x  px, left edge of the first cell
 * @param {number} map.y  px, top edge
 * @param {number} map.size  px, a cell's side
 * @param {string} map.hatch  id of the pattern for excluded cells
 * @param {boolean} [map.rowNumbers]
 * @returns {VNode}
 */
export function heatmap({ cells, x, y, size, hatch, rowNumbers = true }) {
  const rows = cells.length;
  const columns = cells[0]?.length ?? 0;
  const [right, bottom] = [x + columns * size, y + rows * size];
  const type = printSize(size);
  return h('g', { class: 'heatmap' },
    h('rect', { class: 'cells-ground', x, y, width: right - x, height: bottom - y }),
    cells.map((row, i) => row.map((cell, j) => fill(cell, x + j * size, y + i * size, size, hatch))),
    h('path', { class: 'cells', d: grid(x, y, rows, columns, size) }),
    h('path', { class: 'cells-frame', d: `M${x} ${y}H${right}V${bottom}H${x}Z` }),
    cells.map((row, i) => row.map((cell, j) => content(cell, x + j * size, y + i * size, size, type))),
    cells.map((row, i) => row.map((cell, j) => cell.hover
      && h('rect', { class: 'cell-hover', x: x + j * size, y: y + i * size, width: size, height: size }))),
    Array.from({ length: columns }, (_, j) => numbered(j, columns, size)
      && h('text', { class: 'number', x: x + (j + 0.5) * size, y: y - 6, 'text-anchor': 'middle' }, String(j + 1))),
    rowNumbers && Array.from({ length: rows }, (_, i) =>
      h('text', { class: 'number', x: x - 7, y: y + (i + 0.5) * size, dy: '0.33em', 'text-anchor': 'end' }, String(i + 1))));
}

/**
 * Type size of a value printed in a cell, px.
 * @param {number} size  px, the cell's side
 */
export function printSize(size) {
  return Math.max(10, Math.min(14, Math.round(size * 0.31)));
}

/**
 * @param {Cell} cell
 * @param {number} x
 * @param {number} y
 * @param {number} size
 * @param {string} hatch
 */
function fill(cell, x, y, size, hatch) {
  const place = { x, y, width: size, height: size };
  if (cell.excluded) return h('rect', { class: 'cell excluded', ...place, fill: `url(#${hatch})` });
  if (cell.ink !== undefined && Number.isFinite(cell.ink)) return h('rect', { class: 'cell inked', ...place, 'fill-opacity': share(cell.ink) });
  if (cell.tint !== undefined && Number.isFinite(cell.tint)) return h('rect', { class: 'cell tinted', ...place, 'fill-opacity': share(cell.tint * TINT) });
  return h('rect', { class: 'cell', ...place, fill: 'none' });
}

/**
 * @param {Cell} cell
 * @param {number} x
 * @param {number} y
 * @param {number} size
 * @param {number} type
 */
function content(cell, x, y, size, type) {
  const [cx, cy] = [x + size / 2, y + size / 2];
  if (cell.dot) return h('circle', { class: 'dot', cx, cy, r: Math.max(1.2, Math.min(2.6, size * 0.075)) });
  const text = cell.print;
  if (text === undefined || size < PRINTED || textWidth(text, type) > size - 4) return null;
  const tone = cell.excluded ? 'value-excluded' : cell.ink !== undefined ? valueClass(cell.ink) : 'value-tint';
  return h('text', { class: `print ${tone}`, x: cx, y: cy, dy: '0.33em', 'text-anchor': 'middle', 'font-size': type }, text);
}

/** @param {number} value */
function share(value) {
  return Math.max(0, Math.min(1, value));
}

/**
 * The lines between cells, one path.
 * @param {number} x
 * @param {number} y
 * @param {number} rows
 * @param {number} columns
 * @param {number} size
 */
function grid(x, y, rows, columns, size) {
  let d = '';
  for (let j = 1; j < columns; j++) d += `M${x + j * size} ${y}v${rows * size}`;
  for (let i = 1; i < rows; i++) d += `M${x} ${y + i * size}h${columns * size}`;
  return d;
}

/** @param {number} index @param {number} count @param {number} size */
function numbered(index, count, size) {
  return size >= 15 || count <= 6 || index % 2 === 0;
}

/**
 * Said at the end of a row that keeps no key.
 * @param {number} x
 * @param {number} y  px, middle of the row
 * @returns {VNode}
 */
export function emptyRow(x, y) {
  return h('text', { class: 'empty', x, y, dy: '0.33em' }, 'empty');
}

/**
 * An arrow from one matrix to the next.
 * @param {number} x  px, its middle
 * @param {number} y
 * @param {number} [length]
 * @param {boolean} [down]
 * @returns {VNode}
 */
export function arrow(x, y, length = 22, down = false) {
  const half = length / 2;
  const d = `M${-half} 0H${half}M${half - 5.5} -4L${half} 0L${half - 5.5} 4`;
  return h('path', { class: 'arrow', d, transform: `translate(${Math.round(x) + 0.5} ${Math.round(y) + 0.5})${down ? ' rotate(90)' : ''}` });
}
