// Handles: which one a place means, and a held one: it follows a pointer, goes by steps of keys, and loses no move while the picture lags behind.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { handleAt, Holding, marksOf, reachOf } from '../../web/elements/handles.js';
import { drawsFrom } from './support.js';

/** @import { Figure, Handle } from '../../web/chart/types.js' */

/** Viewbox units of one unit of the plane; the origin lies at (100, 100). */
const UNIT = 20;

/** @param {string} keys '1,0.5;2,-1' */
const points = (keys) => keys.split(';').map((row) => row.split(',').map(Number));

/**
 * The handles of a plane, as a plate makes them of a result. A move rewrites the keys and says whose they are.
 * @param {{points: string, keys: string}} params
 * @returns {Handle[]}
 */
function handlesOf({ keys }) {
  const all = points(keys);
  const clamp = (/** @type {number} */ value) => Math.min(5, Math.max(-5, Math.round(value * 100) / 100));
  const put = (/** @type {number} */ i, /** @type {number} */ x, /** @type {number} */ y) => ({
    points: 'own', keys: all.map((row, j) => (j === i ? [clamp(x), clamp(y)] : row).join(',')).join(';'),
  });
  return all.map(([x, y], i) => ({
    id: `key-${i + 1}`, param: 'keys', x: 100 + UNIT * x, y: 100 - UNIT * y, label: `key ${i + 1}`, text: `x ${x}, y ${y}`,
    move: (px, py) => put(i, (px - 100) / UNIT, (100 - py) / UNIT),
    nudge: (dx, dy) => put(i, x + 0.1 * dx, y + 0.1 * dy),
  }));
}

/** A plate whose core answers when the test lets it. */
function plate(keys = '1,1;-2,0.5;3,-3') {
  let wanted = { points: 'section-1', keys };
  let drawn = wanted;
  let handles = handlesOf(drawn);
  /** @type {string[]} */
  const said = [];
  /** @type {(string | null)[]} */
  const taken = [];
  let changes = 0;
  const holding = new Holding({
    handle: (figure, id) => (figure === 'plane' ? handles.find((handle) => handle.id === id) : undefined),
    settled: () => wanted.keys === drawn.keys && wanted.points === drawn.points,
    value: (key) => /** @type {Record<string, string>} */ (wanted)[key],
    change: (values) => { wanted = { ...wanted, .../** @type {any} */ (values) }; ++changes; },
    announce: (text) => said.push(text),
    hold: (id) => taken.push(id),
  });
  return {
    holding, said, taken, changes: () => changes, wanted: () => wanted,
    handle: (/** @type {number} */ i) => handles[i - 1],
    at: (/** @type {number} */ i) => points(wanted.keys)[i - 1],
    /** The answer arrives; the core writes a text in its own way. */
    draw(text = wanted.keys) { wanted = drawn = { ...wanted, keys: text }; handles = handlesOf(drawn); holding.flush(); },
  };
}

test('the nearest handle within reach is meant, of two in one place the upper; a finger reaches further', () => {
  const handles = handlesOf({ points: 'own', keys: '0,0;2,0;2,0' });
  assert.equal(handleAt(handles, { x: 109, y: 100 }, 14)?.id, 'key-1');
  assert.equal(handleAt(handles, { x: 121, y: 100 }, 14), null);
  assert.equal(handleAt(handles, { x: 121, y: 100 }, 24)?.id, 'key-3');
  assert.equal(handleAt(handles, { x: NaN, y: 0 }, 24), null);
  assert.equal(handleAt([], { x: 0, y: 0 }, 24), null);
  assert.deepEqual([reachOf('mouse'), reachOf('pen'), reachOf('touch')], [14, 14, 24]);
});

test('every handle is a mark: its own where there is one of its id, one made for it elsewhere', () => {
  const handles = handlesOf({ points: 'own', keys: '0,0;2,1' });
  const mark = { id: 'key-2', x: 1, y: 2, w: 3, h: 4, cx: 5, cy: 6, text: 'weight 0.3' };
  const marks = marksOf(/** @type {Figure} */ (/** @type {unknown} */ ({ marks: [mark], handles })));
  assert.deepEqual(marks.map(({ id, text }) => [id, text]), [['key-2', 'weight 0.3'], ['key-1', 'key 1: x 0, y 0']]);
  assert.ok(marks[1].x < 100 && marks[1].x + marks[1].w > 100 && marks[1].y < 100 && marks[1].y + marks[1].h > 100);
  const plain = /** @type {Figure} */ (/** @type {unknown} */ ({ marks: [mark] }));
  assert.equal(marksOf(plain), plain.marks);
});

test('a press alone moves nothing; a dragged handle keeps its distance from the pointer', () => {
  const { holding, handle, at, draw, taken, changes, said, wanted } = plate();
  holding.take('plane', handle(1), { x: 125, y: 84 });
  assert.equal(holding.byPointer, true);
  assert.equal(holding.putDown(), false);
  assert.deepEqual([changes(), taken, wanted().points], [0, ['key-1', null], 'section-1']);
  holding.take('plane', handle(1), { x: 125, y: 84 });
  holding.drag({ x: 125 + UNIT, y: 84 });
  assert.deepEqual(at(1), [2, 1], 'one unit to the right of where it was, not where the pointer is');
  assert.equal(wanted().points, 'own', 'several parameters change together');
  holding.drag({ x: 125 + 2 * UNIT, y: 84 - UNIT });
  assert.deepEqual(at(1), [3, 2], 'a drag under way does not wait for the picture');
  draw();
  assert.equal(holding.putDown(), true);
  draw();
  assert.deepEqual([at(1), said, holding.byPointer], [[3, 2], ['key 1: x 3, y 2'], false]);
  assert.deepEqual(points(wanted().keys).slice(1), [[-2, 0.5], [3, -3]], 'the others stay');
});

test('the same place is told once, however the core writes it', () => {
  const { holding, handle, draw, changes } = plate();
  holding.take('plane', handle(1), { x: 120, y: 80 });
  holding.drag({ x: 130, y: 80 });
  for (let i = 0; i < 5; ++i) draw('1.50,1.0;-2.0,0.50;3,-3');
  assert.equal(changes(), 1, 'no answer asks for another');
  holding.putDown();
  draw();
  assert.equal(changes(), 1);
});

test('another handle taken before the picture has followed takes nothing back', () => {
  const { holding, handle, at, draw } = plate();
  holding.take('plane', handle(1), { x: 120, y: 80 });
  holding.drag({ x: 160, y: 80 });
  holding.putDown();
  holding.take('plane', handle(2), { x: 60, y: 90 });
  holding.drag({ x: 60, y: 70 });
  holding.drag({ x: 80, y: 70 });
  assert.deepEqual([at(1), at(2)], [[3, 1], [-2, 0.5]], 'the second drag waits');
  draw();
  assert.deepEqual([at(1), at(2)], [[3, 1], [-1, 1.5]]);
  draw();
  holding.putDown();
  // let go before it could be told
  holding.take('plane', handle(3), { x: 160, y: 160 });
  holding.drag({ x: 140, y: 160 });
  holding.putDown();
  holding.take('plane', handle(1), { x: 160, y: 80 });
  holding.drag({ x: 160, y: 100 });
  holding.putDown();
  draw();
  draw();
  assert.deepEqual([at(1), at(2), at(3)], [[3, 0], [-1, 1.5], [2, -3]]);
});

test('keys: taken up, stepped, put down, all in words; steps that wait add up', () => {
  const { holding, handle, at, draw, said, taken } = plate();
  assert.equal(holding.key('ArrowUp', false), false, 'nothing is held');
  holding.takeUp('plane', handle(2));
  assert.equal(holding.byKeys('plane'), true);
  assert.equal(holding.byKeys('other'), false);
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowUp']) assert.equal(holding.key(key, false), true);
  assert.deepEqual(at(2), [-1.9, 0.5], 'the first step is told at once');
  draw();
  assert.deepEqual(at(2), [-1.8, 0.6], 'the two others together');
  draw();
  holding.key('ArrowDown', true);
  holding.key('ArrowLeft', true);
  draw();
  draw();
  assert.deepEqual(at(2), [-2.8, -0.4]);
  for (const key of ['Tab', 'x', 'PageUp', 'constructor']) assert.equal(holding.key(key, false), false, key);
  assert.equal(holding.key('Escape', false), true);
  assert.equal(holding.byKeys('plane'), false);
  assert.match(said[0], /^key 2: x -2, y 0\.5; taken up: arrows move it/);
  assert.equal(said[1], 'key 2: x -1.8, y 0.6');
  assert.equal(said[said.length - 1], 'key 2: x -2.8, y -0.4; put down');
  assert.deepEqual(taken, ['key-2', null]);
});

test('put down while a step still waits: the step is made, and said', () => {
  const { holding, handle, at, draw, said } = plate();
  holding.takeUp('plane', handle(1));
  holding.key('ArrowUp', false);
  holding.key('ArrowUp', false);
  holding.key('Enter', false);
  draw();
  draw();
  assert.deepEqual(at(1), [1, 1.2]);
  assert.equal(said[said.length - 1], 'key 1: x 1, y 1.2');
});

test('a handle that is gone is let go, and holds nothing up', () => {
  const { holding, handle, at, draw, taken } = plate();
  holding.takeUp('plane', handle(3));
  holding.key('ArrowUp', false);
  holding.key('ArrowUp', false);
  draw('1,1;-2,0.5');
  assert.deepEqual([taken, holding.byKeys('plane')], [['key-3', null], false]);
  holding.takeUp('plane', handle(1));
  holding.key('ArrowUp', false);
  assert.deepEqual(at(1), [1, 1.1]);
});

test('whatever hands and answers do in whatever order, every key ends where its last move put it', () => {
  for (let seed = 1; seed <= 60; ++seed) {
    const draw = drawsFrom(seed);
    const one = plate();
    const expected = [1, 2, 3].map((i) => one.at(i).map((value) => Math.round(value * 100) / 100));
    for (let turn = 0; turn < 25; ++turn) {
      const i = 1 + draw(3);
      if (draw(2) === 0) {
        const handle = one.handle(i);
        one.holding.take('plane', handle, handle);
        for (let moves = draw(4); moves > 0; --moves) {
          const [x, y] = [draw(200), draw(200)];
          one.holding.drag({ x, y });
          expected[i - 1] = [(x - 100) / UNIT, (100 - y) / UNIT].map((value) => Math.round(value * 100) / 100);
          if (draw(3) === 0) one.draw();
        }
        one.holding.putDown();
      } else {
        one.holding.takeUp('plane', one.handle(i));
        for (let presses = draw(5); presses > 0; --presses) {
          const [key, sign, axis] = /** @type {[string, number, number][]} */ ([['ArrowRight', 1, 0], ['ArrowLeft', -1, 0], ['ArrowUp', 1, 1], ['ArrowDown', -1, 1]])[draw(4)];
          const next = Math.round((expected[i - 1][axis] + 0.1 * sign) * 100) / 100;
          // at the edge of the range, steps that add up differ from steps that are cut one by one
          if (Math.abs(next) > 5) continue;
          one.holding.key(key, false);
          expected[i - 1][axis] = next;
          if (draw(3) === 0) one.draw();
        }
        one.holding.key('Enter', false);
      }
      if (draw(2) === 0) one.draw();
    }
    for (let i = 0; i < 60; ++i) one.draw();
    assert.deepEqual([1, 2, 3].map((i) => one.at(i).map((value) => value + 0)), expected.map((row) => row.map((value) => value + 0)), `seed ${seed}`);
  }
});
