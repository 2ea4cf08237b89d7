// Walking with arrows: in every figure of every plate from the first mark as far as an arrow leads, and back by its opposite, in reverse.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { loadCore } from '../../build-scripts/web/core.mjs';
import { marksOf } from '../../web/elements/handles.js';
import { neighbour } from '../../web/elements/marks.js';
import { Trail } from '../../web/elements/walk.js';
import { brief, root, wasmDir } from './support.js';

/** @import { Figure, Mark, Plate } from '../../web/chart/types.js' */

const core = await loadCore(wasmDir);

/** @param {string} id @param {number} x @param {number} y @param {number} w @param {number} h @returns {Mark} */
const mark = (id, x, y, w, h) => ({ id, x, y, w, h, cx: x + w / 2, cy: y, text: id });

/** A figure of nothing but marks. @param {Mark[]} marks */
const of = (marks) => /** @type {Figure} */ ({ id: 'any', marks });

test('an arrow and its opposite end where they began, wherever the nearest marks are', () => {
  // to the right of a the nearest is c, to the left of c it is b
  const marks = [mark('a', 0, 0, 4, 4), mark('b', 10, 6, 4, 4), mark('c', 18, 2, 4, 4), mark('d', 38, 18, 4, 4)];
  assert.equal(neighbour(marks, neighbour(marks, marks[0], 'ArrowRight'), 'ArrowLeft')?.id, 'b');
  const trail = new Trail();
  /** @type {Mark | null} */
  let here = null;
  const press = (/** @type {string} */ key, at = here) => {
    here = trail.step(of(marks), at, key);
    return here?.id;
  };
  assert.deepEqual(['ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowLeft', 'ArrowLeft'].map((key) => press(key)), ['a', 'c', 'd', 'd', 'c', 'a']);
  // a turn is a step of its own; the way back undoes both
  assert.deepEqual(['ArrowRight', 'ArrowDown', 'ArrowUp', 'ArrowLeft'].map((key) => press(key)), ['c', 'b', 'c', 'a']);
  // a pointer came between: what it left is forgotten
  press('ArrowRight');
  press('ArrowRight', marks[1]);
  assert.equal(press('ArrowLeft', marks[2]), 'b');
  press('Home');
  assert.equal(press('ArrowRight'), 'c');
  assert.equal(press('End'), 'd');
  assert.equal(press('ArrowLeft'), neighbour(marks, marks[3], 'ArrowLeft')?.id, 'End is no step');
  // a mark that is gone is not gone back to
  const gone = new Trail();
  const [a, b, c] = marks;
  assert.equal(gone.step(of(marks), a, 'ArrowRight'), c);
  assert.equal(gone.step(of([b, c]), c, 'ArrowLeft'), b);
});

for (const { id } of core.registry.studies) {
  test(`${id}: there and back`, async () => {
    /** @type {Plate} */
    const plate = (await import(pathToFileURL(`${root}web/plates/${id}.js`).href)).default;
    const result = core.run(id, brief[id] ?? {});
    for (const width of [328, 974]) {
      for (const figure of plate.draw(result, { width, uid: 'u', params: result.params, hover: null }).figures) {
        const [first] = marksOf(figure);
        if (figure.drag || !first) continue;
        for (const [forth, back] of [['ArrowRight', 'ArrowLeft'], ['ArrowDown', 'ArrowUp']]) {
          const trail = new Trail();
          const way = [first];
          for (let next = trail.step(figure, first, forth); next && next !== way[way.length - 1]; next = trail.step(figure, next, forth)) {
            assert.ok(!way.includes(next), `${figure.id} at ${width}: ${forth} comes to ${next.id} twice`);
            way.push(next);
          }
          const returned = way.slice(1).reduce((walked) => [...walked, trail.step(figure, walked[walked.length - 1], back) ?? first], [way[way.length - 1]]);
          assert.deepEqual(returned.reverse().map((each) => each.id), way.map((each) => each.id), `${figure.id} at ${width}: ${forth} and ${back}`);
        }
      }
    }
  });
}
