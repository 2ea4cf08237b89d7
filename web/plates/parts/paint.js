/**
 * Painting on the composite: cells are closed and opened by hand on a sheet of their own, `rows(...)`, a word of 0 and 1 a query. Where there
 * is no such sheet yet, the first stroke adds one that is open everywhere else.
 *
 * Not the hands: pointer and keyboard are the element's. Only where each drawn cell is one pair.
 */

import { joined } from './mask-operands.js';

/** @typedef {import('../../chart/types.js').Paint} Paint */
/** @typedef {import('./mask-sheets.js').Sheets} Sheets */

/**
 * @param {Sheets} model
 * @param {{x: number, y: number, size: number}} place  of the composite, px
 * @param {(row: number, column: number) => string} mark  id of a cell's mark
 * @returns {Paint}
 */
export function paintOn(model, { x, y, size }, mark) {
  const { rows, columns, sheets } = model;
  const sheet = sheets.find(({ number }) => number === model.painted);
  const open = (/** @type {number} */ row, /** @type {number} */ column) => !sheet || sheet.share(row, column) === 1;
  /** @type {Paint['stroke']} */
  const stroke = (cells, value) => {
    const words = Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (__, j) => (open(i, j) ? '1' : '0')));
    for (const { row, column } of cells) words[row][column] = value ? '1' : '0';
    const painted = `rows(${words.map((word) => word.join('')).join(',')})`;
    const texts = sheets.map(({ number, text }) => (number === model.painted ? painted : text));
    if (!sheet) texts.push(painted);
    return joined(texts);
  };
  return {
    param: 'mask', rows, columns, mark, open, stroke,
    cell(px, py) {
      const [column, row] = [Math.floor((px - x) / size), Math.floor((py - y) / size)];
      return row >= 0 && column >= 0 && row < rows && column < columns ? { row, column } : null;
    },
    at: (row, column, value = !open(row, column)) => stroke([{ row, column }], value),
  };
}
