/**
 * Cells under a moving hand, and the cell behind a mark; pure. The browser reports a fast pointer at places far apart: the cells of the
 * straight line between them are painted too.
 *
 * @import { Paint, PaintCell } from '../chart/types.js'
 */

/**
 * The cells from one to another, the first left out unless it is the only one: one step along the longer side at a time.
 * @param {PaintCell} from
 * @param {PaintCell} to
 * @returns {PaintCell[]}
 */
export function between(from, to) {
  const steps = Math.max(Math.abs(to.row - from.row), Math.abs(to.column - from.column));
  if (steps === 0) return [to];
  return Array.from({ length: steps }, (_, i) => ({
    row: Math.round(from.row + ((to.row - from.row) * (i + 1)) / steps),
    column: Math.round(from.column + ((to.column - from.column) * (i + 1)) / steps),
  }));
}

/**
 * @param {Paint} paint
 * @param {string} mark
 * @returns {PaintCell | null} the cell whose mark this is
 */
export function cellOfMark(paint, mark) {
  for (let row = 0; row < paint.rows; row++) {
    for (let column = 0; column < paint.columns; column++) if (paint.mark(row, column) === mark) return { row, column };
  }
  return null;
}
