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

/** @type {Parameter[]} */
const reals = [
  { key: 'dropout', label: 'dropout', kind: 'number', min: 0, max: 0.99, step: 0.05, scale: 'linear', default: 0.5 },
  { key: 'shift', label: 'shift', kind: 'number', min: -5, max: 5, step: 0.1, scale: 'linear', default: 0 },
  { key: 'epsilon', label: 'factor', kind: 'number', min: 0.001, max: 10, step: 0.01, scale: 'log10', default: 1 },
  { key: 'width', label: 'width', kind: 'number', min: 0.5, max: 3000, step: 1, scale: 'log2', default: 1 },
];

test('every place of a real\'s slider is a round value of its own, the ends are the ends', () => {
  for (const p of reals) {
    const { min = 0, max = 0 } = p;
    let before = -Infinity;
    for (let at = 0; at <= lastPosition(p); ++at) {
      const value = valueAt(p, at);
      assert.ok(value > before && value >= min && value <= max, `${p.key} at ${at}: ${value} after ${before}`);
      assert.ok(String(value).length <= 7, `${p.key} at ${at}: ${value} is short to write`);
      assert.equal(positionOf(p, value), at, `${p.key} at ${at}`);
      before = value;
    }
    assert.deepEqual([valueAt(p, 0), valueAt(p, lastPosition(p))], [min, max]);
    for (const value of [-Infinity, Infinity, NaN]) assert.equal(snap(p, value), value === Infinity ? max : min);
  }
  const [dropout, , epsilon, width] = reals;
  assert.deepEqual([valueAt(dropout, 3), valueAt(dropout, 19), valueAt(dropout, 20)], [0.15, 0.95, 0.99]);
  for (const decade of [0.001, 0.01, 0.1, 1, 10]) assert.equal(valueAt(epsilon, positionOf(epsilon, decade)), decade);
  for (const power of [0.5, 1, 2, 256, 1024, 2048]) assert.equal(valueAt(width, positionOf(width, power)), power);
});

test('a real that was typed stands where it belongs, and keys move it from there', () => {
  for (const p of reals) {
    const { min = 0, max = 0 } = p;
    for (let i = 0; i <= 200; ++i) {
      const value = p.scale === 'linear' ? min + ((max - min) * i) / 200 : min * (max / min) ** (i / 200);
      const at = positionOf(p, value);
      assert.ok(Number.isInteger(at) && at >= 0 && at <= lastPosition(p));
      for (const [up, down, fine] of /** @type {[string, string, boolean][]} */ ([['ArrowRight', 'ArrowLeft', false], ['ArrowUp', 'ArrowDown', true], ['PageUp', 'PageDown', false]])) {
        const [next, last] = [Number(nudge(p, value, up, fine)), Number(nudge(p, value, down, fine))];
        assert.ok(value === max ? next === max : next > value && next <= max, `${p.key} ${value} ${up} -> ${next}`);
        assert.ok(value === min ? last === min : last < value && last >= min, `${p.key} ${value} ${down} -> ${last}`);
      }
    }
    assert.deepEqual([nudge(p, min, 'End'), nudge(p, max, 'Home'), nudge(p, min, 'Tab')], [max, min, null]);
  }
  const [, shift, epsilon] = reals;
  assert.equal(nudge(shift, 0.25, 'ArrowRight'), 0.35);
  let walked = -1;
  for (let i = 0; i < 30; ++i) walked = Number(nudge(shift, walked, 'ArrowRight'));
  assert.equal(walked, 2, 'no dust of thirty tenths');
  assert.deepEqual([nudge(epsilon, 0.3, 'PageUp'), nudge(epsilon, 0.3, 'PageDown')], [3, 0.03]);
});

test('whole numbers on a log10 scale: every one has a place', () => {
  const draws = /** @type {Parameter} */ ({ key: 'draws', label: 'draws', kind: 'integer', min: 10, max: 20000, step: 1, scale: 'log10', default: 1000 });
  for (let value = 10; value <= 20000; value += 7) assert.equal(valueAt(draws, positionOf(draws, value)), value);
  assert.equal(nudge(draws, 1000, 'PageUp'), 10000);
});
