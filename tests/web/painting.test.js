// Strokes of a painting hand: no cell is jumped over, the first decides for all, and none is lost while the picture lags behind.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellOfMark, cellsAlong, nextCell, Strokes } from '../../web/elements/painting.js';
import { drawsFrom } from './support.js';

/** @import { Paint, PaintCell } from '../../web/chart/types.js' */

const [rows, columns, size] = [12, 20, 5];
const [left, top] = [30.5, 17.25];

/**
 * A map of cells, open where `text` has '1', as a plate makes it of a result.
 * @param {string} text
 * @returns {Paint}
 */
function paintOf(text) {
  const open = (/** @type {number} */ row, /** @type {number} */ column) => text[row * columns + column] === '1';
  /** @type {Paint['stroke']} */
  const stroke = (cells, value) => {
    const next = [...text];
    for (const { row, column } of cells) next[row * columns + column] = value ? '1' : '0';
    return next.join('');
  };
  return {
    param: 'mask', rows, columns, open, stroke,
    mark: (row, column) => `pair-${row}-${column}`,
    at: (row, column, value = !open(row, column)) => stroke([{ row, column }], value),
    cell(x, y) {
      const [column, row] = [Math.floor((x - left) / size), Math.floor((y - top) / size)];
      return row >= 0 && column >= 0 && row < rows && column < columns ? { row, column } : null;
    },
  };
}
const all = '1'.repeat(rows * columns);

/** A plate whose core answers when the test lets it. */
function plate() {
  let wanted = all;
  let drawn = all;
  let paint = paintOf(all);
  /** @type {string[]} */
  const said = [];
  let edits = 0;
  const strokes = new Strokes({
    paint: (figure) => (figure === 'sheets' ? paint : undefined),
    fresh: () => wanted === drawn,
    edit: (param, value) => { assert.equal(param, 'mask'); wanted = value; ++edits; },
    announce: (text) => said.push(text),
  });
  return {
    strokes, said, edits: () => edits, wanted: () => wanted,
    draw() { drawn = wanted; paint = paintOf(drawn); strokes.flush(); },
    closed: () => [...wanted].flatMap((cell, i) => (cell === '0' ? [`${Math.floor(i / columns)},${i % columns}`] : [])),
  };
}

test('between two places no cell is jumped over, in whichever direction, also past the edges of the map', () => {
  const paint = paintOf(all);
  const draw = drawsFrom(7);
  let inside = 0;
  for (let i = 0; i < 500; ++i) {
    const [from, to] = [0, 1].map(() => ({ x: draw(170) + draw(100) / 100, y: draw(100) + draw(100) / 100 }));
    const cells = cellsAlong(paint, from, to);
    for (const { row, column } of cells) {
      // the line passes the cell: its centre lies no further from it than the half diagonal
      const [cx, cy] = [left + (column + 0.5) * size, top + (row + 0.5) * size];
      const [dx, dy] = [to.x - from.x, to.y - from.y];
      const share = Math.min(1, Math.max(0, ((cx - from.x) * dx + (cy - from.y) * dy) / (dx * dx + dy * dy || 1)));
      assert.ok(Math.hypot(from.x + share * dx - cx, from.y + share * dy - cy) <= size * Math.SQRT1_2 + 1e-9);
    }
    for (let c = 1; c < cells.length; ++c) {
      assert.ok(Math.abs(cells[c].row - cells[c - 1].row) <= 1 && Math.abs(cells[c].column - cells[c - 1].column) <= 1);
    }
    const first = paint.cell(from.x, from.y);
    const last = paint.cell(to.x, to.y);
    if (first) assert.deepEqual(cells[0], first);
    if (last) assert.deepEqual(cells[cells.length - 1], last);
    inside += cells.length;
  }
  assert.ok(inside > 1000, 'lines that cross the map');
  const across = cellsAlong(paint, { x: 0, y: top + 2.5 * size }, { x: 999, y: top + 2.5 * size });
  assert.deepEqual(across, Array.from({ length: columns }, (_, column) => ({ row: 2, column })), 'from one side to the other');
  assert.deepEqual(cellsAlong(paint, { x: 0, y: 0 }, { x: 5, y: 5 }), []);
});

test('the first cell decides for all, and a cell passed twice stays as it became', () => {
  const { strokes, closed, draw, said } = plate();
  strokes.begin('sheets', { row: 0, column: 0 });
  draw();
  strokes.extend([{ row: 0, column: 1 }, { row: 0, column: 0 }]);
  draw();
  strokes.extend([{ row: 0, column: 2 }]);
  assert.equal(strokes.end(), 3);
  draw();
  assert.deepEqual(closed(), ['0,0', '0,1', '0,2']);
  strokes.begin('sheets', { row: 0, column: 2 });
  strokes.extend([{ row: 0, column: 1 }, { row: 5, column: 5 }]);
  strokes.end();
  draw();
  assert.deepEqual(closed(), ['0,0'], 'a stroke that begins on a closed cell opens');
  assert.deepEqual(said, ['3 pairs closed on the painted sheet', '3 pairs opened on the painted sheet']);
});

test('no stroke is lost while the picture lags behind', () => {
  const { strokes, closed, draw, said, edits } = plate();
  for (let column = 0; column < 4; ++column) {
    strokes.begin('sheets', { row: 1, column });
    strokes.end();
  }
  // the last of them waits half made
  strokes.begin('sheets', { row: 2, column: 0 });
  strokes.extend([{ row: 2, column: 1 }]);
  assert.deepEqual([closed(), edits()], [['1,0'], 1], 'the second would undo the first, which it does not see yet');
  for (let i = 0; i < 3; ++i) draw();
  assert.deepEqual(closed(), ['1,0', '1,1', '1,2', '1,3']);
  draw();
  assert.deepEqual(closed().slice(4), ['2,0', '2,1']);
  strokes.extend([{ row: 2, column: 2 }]);
  strokes.end();
  draw();
  assert.deepEqual(closed().slice(4), ['2,0', '2,1', '2,2']);
  assert.equal(strokes.open, false);
  assert.deepEqual(said, [1, 2, 3, 4].map((key) => `query 2, key ${key}: closed on the painted sheet`).concat('3 pairs closed on the painted sheet'));
  strokes.begin('sheets', { row: 1, column: 0 });
  strokes.end();
  strokes.begin('sheets', { row: 1, column: 0 });
  strokes.end();
  draw();
  draw();
  assert.ok(closed().includes('1,0'), 'twice the same cell: opened, and closed again');
});

test('cells that a smaller picture no longer has, and figures without cells, hold nothing up', () => {
  const { strokes, closed, draw } = plate();
  strokes.begin('tells', { row: 0, column: 0 });
  strokes.end();
  strokes.begin('sheets', { row: 99, column: 0 });
  strokes.end();
  strokes.begin('sheets', { row: 3, column: 3 });
  strokes.end();
  draw();
  assert.deepEqual(closed(), ['3,3']);
});

test('keys lead from cell to cell, stop at the edges, and find the first or last from nowhere', () => {
  const paint = paintOf(all);
  /** @param {[number, number] | null} at @param {string} key */
  const from = (at, key) => {
    const cell = nextCell(paint, at && { row: at[0], column: at[1] }, key);
    return cell && [cell.row, cell.column];
  };
  assert.deepEqual([from([2, 3], 'ArrowRight'), from([2, 3], 'ArrowLeft'), from([2, 3], 'ArrowUp'), from([2, 3], 'ArrowDown')], [[2, 4], [2, 2], [1, 3], [3, 3]]);
  assert.deepEqual([from([2, 3], 'Home'), from([2, 3], 'End'), from([2, 3], 'PageUp'), from([2, 3], 'PageDown')], [[2, 0], [2, columns - 1], [0, 3], [rows - 1, 3]]);
  assert.deepEqual([from([0, 0], 'ArrowLeft'), from([0, 0], 'ArrowUp'), from([rows - 1, columns - 1], 'ArrowRight'), from([rows - 1, columns - 1], 'ArrowDown')], [null, null, null, null]);
  assert.deepEqual([from(null, 'ArrowDown'), from(null, 'Home'), from(null, 'End'), from(null, 'PageDown'), from(null, 'x'), from([1, 1], 'constructor')], [[0, 0], [0, 0], [rows - 1, columns - 1], [rows - 1, columns - 1], null, null]);
  assert.deepEqual([cellOfMark(paint, 'pair-11-19'), cellOfMark(paint, 'sheet-1')], [{ row: 11, column: 19 }, null]);
});
