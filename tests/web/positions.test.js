// Sliders: every declared value has a place of its own, every place a declared value, and keys always move.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastPosition, nudge, positionOf, snap, valueAt } from '../../web/elements/positions.js';
import { loadCore } from './support.js';

/** @import { Parameter } from '../../web/engine/types.js' */

const declared = (await loadCore()).describe().studies.flatMap(({ parameters }) => parameters.filter(({ kind }) => kind === 'integer'));
/** @type {Parameter[]} */
const integers = [
  ...declared,
  { key: 'stepped', label: 'stepped', kind: 'integer', min: 3, max: 20, step: 4, scale: 'linear', default: 3 },
  { key: 'wide', label: 'wide', kind: 'integer', min: 1, max: 4096, step: 1, scale: 'log2', default: 1 },
];

/** @param {Parameter} p */
function valuesOf({ min = 0, max = 0, step = 1 }) {
  const values = [];
  const stride = step * Math.max(1, Math.floor((max - min) / step / 5000));
  for (let value = min; value <= max; value += stride) values.push(value);
  return values;
}

test('value -> position -> value, for every value of every slider', () => {
  assert.ok(declared.length >= 5);
  for (const p of integers) {
    for (const value of valuesOf(p)) {
      const position = positionOf(p, value);
      assert.ok(Number.isInteger(position) && position >= 0 && position <= lastPosition(p), `${p.key} ${value} stands at ${position}`);
      assert.equal(valueAt(p, position), value, `${p.key} ${value} at ${position}`);
    }
    assert.equal(positionOf(p, p.min ?? 0), 0);
  }
});

test('snap gives the nearest declared value to anything', () => {
  for (const p of integers) {
    const { min = 0, max = 0, step = 1 } = p;
    const top = min + Math.floor((max - min) / step) * step;
    assert.equal(snap(p, -Infinity), min);
    assert.equal(snap(p, Infinity), top);
    assert.equal(snap(p, NaN), min);
    assert.equal(snap(p, min + 0.49 * step), min);
    assert.equal(snap(p, min + 0.51 * step), min + step);
  }
});

test('an arrow always moves, never past the ends; Shift goes one step; Home and End reach the ends', () => {
  for (const p of integers) {
    const { min = 0, max = 0, step = 1 } = p;
    const top = min + Math.floor((max - min) / step) * step;
    for (const value of valuesOf(p)) {
      for (const [up, down, fine] of /** @type {[string, string, boolean][]} */ ([['ArrowRight', 'ArrowLeft', false], ['ArrowUp', 'ArrowDown', true], ['PageUp', 'PageDown', false]])) {
        const [next, before] = [Number(nudge(p, value, up, fine)), Number(nudge(p, value, down, fine))];
        assert.ok(value === top ? next === top : next > value && next <= top, `${p.key} ${value} ${up} -> ${next}`);
        assert.ok(value === min ? before === min : before < value && before >= min, `${p.key} ${value} ${down} -> ${before}`);
        if (fine) assert.deepEqual([next, before], [Math.min(value + step, top), Math.max(value - step, min)]);
      }
    }
    assert.equal(nudge(p, min, 'End'), top);
    assert.equal(nudge(p, top, 'Home'), min);
    for (const key of ['Tab', 'a', 'Enter', 'constructor', '']) assert.equal(nudge(p, min, key), null);
  }
});

test('on a log2 scale a page is a doubling and an arrow an eighth of one', () => {
  const d = integers.find(({ key }) => key === 'd');
  assert.ok(d);
  assert.equal(nudge(d, 128, 'PageUp'), 256);
  assert.equal(nudge(d, 128, 'PageDown'), 64);
  assert.equal(nudge(d, 128, 'ArrowRight'), Math.round(128 * 2 ** (1 / 8)));
  assert.equal(nudge(d, 4, 'ArrowRight'), 5);
});
