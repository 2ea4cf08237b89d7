/**
 * A small matrix as hairline cells: rows are queries, columns are keys, numbered from one in soft ink.
 *
 * Three ways to fill a cell. `tint`: neutral ink by value, for scores. `dots`: a dot where a mask allows, hatching
 * where it does not. `ink`: sheet to blue by weight; an excluded cell is hatched and carries an exact `0`, a small
 * weight that is not zero stays a printed number. Nothing excluded is ever merely pale. Cells that look alike are one
 * path together (cells.js).
 */

import { cellBorder, cellDots, cellInks, cellRuns, cellTicks } from './cells.js';
import { h } from './node.js';
import { valueClass } from './theme.js';
import { textWidth } from './text.js';

/** @typedef {import('./types.js').VNode} VNode */

/** The strongest neutral tint, a share of soft ink: ink printed on it keeps 4.5:1, light and dark. */
export const TINT = 0.46;

/** A cell smaller than this carries no printed value, px. */
export const PRINTED = 26;

/** Cells smaller than this are not ruled off from each other; a line goes around what is not excluded instead, px. */
export const RULED = 10;

/**
 * @typedef {object} Cell
 * @property {boolean} [excluded]
 * @property {boolean} [dot]
 * @property {number} [ink]  0..1, share of blue
 * @property {number} [tint]  0..1, share of the strongest neutral tint
 * @property {string} [print]  the value, printed if the cell is large enough
 * @property {boolean} [differs]  framed in red, with a corner
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
 * @param {boolean} [map.columnNumbers]
 * @param {(index: number) => string} [map.rowName]  what a row is called; its number from one unless said otherwise
 * @param {(index: number) => string} [map.columnName]
 * @returns {VNode}
 */
export function heatmap({ cells, x, y, size, hatch, rowNumbers = true, columnNumbers = true, rowName = fromOne, columnName = fromOne }) {
  const rows = cells.length;
  const columns = cells[0]?.length ?? 0;
  const [right, bottom] = [x + columns * size, y + rows * size];
  const lattice = { x, y, size, rows, columns };
  const type = printSize(size);
  const ruled = size >= RULED;
  const dots = cellDots(lattice, (i, j) => cells[i][j].dot === true);
  const excluded = cellRuns(lattice, (i, j) => cells[i][j].excluded === true);
  const border = ruled ? '' : cellBorder(lattice, (i, j) => cells[i][j].excluded === true);
  const differing = cells.some((row) => row.some((cell) => cell.differs));
  return h('g', { class: 'heatmap' },
    h('rect', { class: 'cells-ground', x, y, width: right - x, height: bottom - y }),
    excluded !== '' && h('path', { class: 'filled excluded', d: excluded, fill: `url(#${hatch})` }),
    cellInks(lattice, (i, j) => opacity(cells[i][j], cells[i][j].ink, 1)).map(({ opacity: share, d }) => h('path', { class: 'filled inked', d, 'fill-opacity': share })),
    cellInks(lattice, (i, j) => opacity(cells[i][j], cells[i][j].tint, TINT)).map(({ opacity: share, d }) => h('path', { class: 'filled tinted', d, 'fill-opacity': share })),
    ruled ? h('path', { class: 'cells', d: grid(x, y, rows, columns, size) }) : h('path', { class: 'cells border', d: border }),
    h('path', { class: 'cells-frame', d: `M${x} ${y}H${right}V${bottom}H${x}Z` }),
    dots !== '' && h('path', { class: 'dots', d: dots, 'stroke-width': 2 * Math.max(1.2, Math.min(2.6, size * 0.075)) }),
    cells.map((row, i) => row.map((cell, j) => printed(cell, x + j * size, y + i * size, size, type))),
    differing && [
      h('path', { class: 'differing', d: cellBorder(lattice, (i, j) => cells[i][j].differs === true, true) }),
      h('path', { class: 'filled differing-corner', d: cellTicks(lattice, (i, j) => cells[i][j].differs === true) }),
    ],
    cells.map((row, i) => row.map((cell, j) => cell.hover
      && h('rect', { class: 'cell-hover', x: x + j * size, y: y + i * size, width: size, height: size }))),
    columnNumbers && numbers(columns, size, columnName, true).map((j) => h('text', { class: 'number', x: x + (j + 0.5) * size, y: y - 6, 'text-anchor': 'middle' }, columnName(j))),
    rowNumbers && numbers(rows, size, rowName, false).map((i) =>
      h('text', { class: 'number', x: x - 7, y: y + (i + 0.5) * size, dy: '0.33em', 'text-anchor': 'end' }, rowName(i))));
}

/** @param {number} index */
function fromOne(index) {
  return String(index + 1);
}

/**
 * Which rows or columns carry their name: all, or every second, fourth ... where they would touch.
 * @param {number} count
 * @param {number} size  px, of a cell
 * @param {(index: number) => string} name
 * @param {boolean} across  names stand beside each other
 */
function numbers(count, size, name, across) {
  const last = name(count - 1);
  const air = size < RULED ? 34 : 15;
  const need = across ? Math.max(air, textWidth(last, 13) + (last.length > 2 ? 7 : 2)) : air;
  let step = 1;
  if (count > 6 || size < 10) while (step * size < need) step *= 2;
  return Array.from({ length: Math.ceil(count / step) }, (_, i) => i * step);
}

/**
 * The opacity of a cell's ink in hundredths, null where there is none.
 * @param {Cell} cell
 * @param {number | undefined} share  0..1
 * @param {number} strongest
 */
function opacity(cell, share, strongest) {
  if (cell.excluded || share === undefined || !Number.isFinite(share)) return null;
  return Math.max(0, Math.min(1, share * strongest));
}

/**
 * Type size of a value printed in a cell, px.
 * @param {number} size  px, the cell's side
 */
export function printSize(size) {
  return Math.max(10, Math.min(14, Math.round(size * 0.31)));
}

/**
 * The value in its cell, where there is room.
 * @param {Cell} cell
 * @param {number} x
 * @param {number} y
 * @param {number} size
 * @param {number} type
 */
function printed(cell, x, y, size, type) {
  const text = cell.print;
  if (text === undefined || cell.dot || size < PRINTED || textWidth(text, type) > size - 4) return null;
  const tone = cell.excluded ? 'value-excluded' : cell.ink !== undefined ? valueClass(cell.ink) : 'value-tint';
  return h('text', { class: `print ${tone}`, x: x + size / 2, y: y + size / 2, dy: '0.33em', 'text-anchor': 'middle', 'font-size': type }, text);
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
