// Finding marks: under a point, and by arrow keys from mark to mark.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markAt, neighbour } from '../../web/elements/marks.js';

/** @import { Mark } from '../../web/chart/types.js' */

/** @param {string} id @param {number} x @param {number} y @param {number} w @param {number} h @returns {Mark} */
const mark = (id, x, y, w, h) => ({ id, x, y, w, h, cx: x + w / 2, cy: y, text: id });

/** Three rows of four cells, 10 by 10. */
const grid = Array.from({ length: 12 }, (_, i) => mark(`${Math.floor(i / 4)}:${i % 4}`, (i % 4) * 10, Math.floor(i / 4) * 10, 10, 10));

test('the smallest mark under the point is meant', () => {
  const marks = [mark('large', 0, 0, 100, 100), mark('small', 40, 40, 10, 10)];
  assert.equal(markAt(marks, 45, 45)?.id, 'small');
  assert.equal(markAt(marks, 5, 5)?.id, 'large');
  assert.equal(markAt(marks, 101, 5), null);
  assert.equal(markAt(marks, NaN, 5), null);
});

test('a finger means the nearest mark within its reach', () => {
  const marks = [mark('a', 0, 0, 10, 10), mark('b', 40, 0, 10, 10)];
  assert.equal(markAt(marks, 20, 5), null);
  assert.equal(markAt(marks, 20, 5, 20)?.id, 'a');
  assert.equal(markAt(marks, 30, 5, 20)?.id, 'b');
  assert.equal(markAt(marks, 45, 5, 20)?.id, 'b');
  assert.equal(markAt(marks, 25, 40, 20), null);
});

test('arrows walk a grid cell by cell and stop at its border', () => {
  const at = (/** @type {string} */ id) => grid.find((each) => each.id === id) ?? null;
  assert.equal(neighbour(grid, at('1:1'), 'ArrowRight')?.id, '1:2');
  assert.equal(neighbour(grid, at('1:1'), 'ArrowLeft')?.id, '1:0');
  assert.equal(neighbour(grid, at('1:1'), 'ArrowUp')?.id, '0:1');
  assert.equal(neighbour(grid, at('1:1'), 'ArrowDown')?.id, '2:1');
  assert.equal(neighbour(grid, at('0:0'), 'ArrowUp')?.id, '0:0');
  assert.equal(neighbour(grid, at('2:3'), 'ArrowRight')?.id, '2:3');
});

test('every mark of a grid can be reached', () => {
  const reached = new Set([grid[0].id]);
  const open = [grid[0]];
  for (let current = open.pop(); current; current = open.pop()) {
    for (const key of ['ArrowRight', 'ArrowDown']) {
      const next = neighbour(grid, current, key);
      if (next && !reached.has(next.id)) { reached.add(next.id); open.push(next); }
    }
  }
  assert.equal(reached.size, grid.length);
});

test('in one column right and down go on, left and up go back; so in one row', () => {
  const column = [0, 1, 2].map((i) => mark(`c${i}`, 5, 30 * i, 40, 20));
  const row = [0, 1, 2].map((i) => mark(`r${i}`, 30 * i, 5, 20, 40));
  for (const marks of [column, row]) {
    for (const key of ['ArrowRight', 'ArrowDown']) assert.deepEqual(marks.map((each) => neighbour(marks, each, key)), [marks[1], marks[2], marks[2]], key);
    for (const key of ['ArrowLeft', 'ArrowUp']) assert.deepEqual(marks.map((each) => neighbour(marks, each, key)), [marks[0], marks[0], marks[1]], key);
  }
});

test('marks that lie on one another are walked in their order, there and back', () => {
  const marks = [mark('before', 0, 0, 10, 10), mark('a', 40, 0, 10, 10), mark('b', 40, 0, 10, 10), mark('c', 42, 2, 6, 6), mark('after', 80, 9, 10, 10)];
  const walk = (/** @type {string} */ key, /** @type {Mark} */ from) => {
    const ids = [from.id];
    for (let current = from, next = neighbour(marks, from, key); next && next !== current; next = neighbour(marks, current, key)) { ids.push(next.id); current = next; }
    return ids;
  };
  assert.deepEqual(walk('ArrowRight', marks[0]), ['before', 'a', 'b', 'c', 'after']);
  assert.deepEqual(walk('ArrowLeft', marks[3]), ['c', 'b', 'a', 'before']);
});

test('first and last; other keys mean nothing; nothing to walk is no error', () => {
  assert.equal(neighbour(grid, grid[5], 'Home'), grid[0]);
  assert.equal(neighbour(grid, grid[5], 'End'), grid[11]);
  assert.equal(neighbour(grid, null, 'ArrowUp'), grid[0]);
  assert.equal(neighbour(grid, grid[0], 'x'), null);
  assert.equal(neighbour(grid, null, 'toString'), null);
  assert.equal(neighbour([], null, 'ArrowUp'), null);
});
