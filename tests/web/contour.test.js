// Bands of a field: edges where the field has the level, corners kept, the ink of each band that of its middle value, and few points.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bandInk, contourBands, LEVELS } from '../../web/chart/contour.js';
import { elements } from './support-chart.js';

/** @param {number} n @param {(x: number, y: number) => number} at  of places from 0 to 1 */
const fieldOf = (n, at) => Float64Array.from({ length: n * n }, (_, i) => at(((i % n) + 0.5) / n, (Math.floor(i / n) + 0.5) / n));

/** @param {ArrayLike<number>} values @param {object} [more] */
const drawn = (values, more = {}) => elements(contourBands({ values, columns: 96, rows: 96, x: 10, y: 20, width: 300, height: 300, ...more }), 'path');

/** Rings of a path, as points. @param {string} d @returns {number[][][]} */
const rings = (d) => d.split('z').filter(Boolean).map((ring) => ring.slice(1).split('L').map((point) => point.split(' ').map(Number)));

test('an element a level, empty above the largest value', () => {
  const paths = drawn(fieldOf(96, (x) => 0.45 * x), { strong: 0.3 });
  assert.equal(paths.length, LEVELS.length);
  assert.deepEqual(paths.map(({ attrs }) => attrs.d !== ''), LEVELS.map((level) => level <= 0.45));
  assert.deepEqual(paths.map(({ attrs }) => attrs.class === 'filled strong'), LEVELS.map((level) => level === 0.3));
  assert.ok(drawn(new Float64Array(96 * 96)).every(({ attrs }) => attrs.d === ''));
});

test('the edge of a band lies where a ramp has its level, and runs round the corners of the field', () => {
  const [path] = drawn(fieldOf(96, (x) => x), { levels: [0.4] });
  const [ring] = rings(path.attrs.d);
  const inner = ring.filter(([x, y]) => x < 300 && y > 21 && y < 319);
  assert.ok(inner.length >= 2 && inner.every(([x]) => Math.abs(x - (10 + 0.4 * 300)) < 0.06), String(inner));
  for (const corner of [[309.5, 20.5], [309.5, 319.5]]) assert.ok(ring.some(([x, y]) => x === corner[0] && y === corner[1]), `${corner} of ${ring}`);
  const [whole] = drawn(fieldOf(96, () => 1), { levels: [0.4] });
  const [square] = rings(whole.attrs.d);
  for (const corner of [[10.5, 20.5], [309.5, 20.5], [10.5, 319.5], [309.5, 319.5]]) assert.ok(square.some(([x, y]) => x === corner[0] && y === corner[1]), `${corner} of ${square}`);
});

test('a round hill has round lines, with a hole where it sinks again', () => {
  const far = (/** @type {number} */ x, /** @type {number} */ y) => Math.hypot(x - 0.5, y - 0.5);
  const [path] = drawn(fieldOf(96, (x, y) => 1 - 4 * Math.abs(far(x, y) - 0.25)), { levels: [0.6] });
  const both = rings(path.attrs.d);
  assert.equal(both.length, 2);
  assert.deepEqual(path.attrs['fill-rule'], 'evenodd');
  const radii = both.map((ring) => ring.map(([x, y]) => Math.hypot(x - 160, y - 170) / 300));
  for (const [expected, radius] of /** @type {[number, number[]][]} */ ([[0.35, radii[0]], [0.15, radii[1]]])) {
    assert.ok(radius.every((each) => Math.abs(each - expected) < 0.003), `${Math.min(...radius)} to ${Math.max(...radius)} for ${expected}`);
  }
  // 2.6 px apart or more, never so far that a line shows its corners
  for (const ring of both) {
    ring.forEach(([x, y], i) => {
      const [nextX, nextY] = ring[(i + 1) % ring.length];
      const gap = Math.hypot(nextX - x, nextY - y);
      assert.ok(gap < 8, String(gap));
    });
  }
});

test('laid on each other, the bands have the ink of their middle values', () => {
  const inks = bandInk(LEVELS);
  assert.ok(inks.every((ink, i) => i === 0 || ink > inks[i - 1]) && inks[inks.length - 1] < 1);
  let through = 1;
  drawn(fieldOf(96, (x) => x)).forEach(({ attrs }, i) => {
    through *= 1 - Number(attrs['fill-opacity']);
    assert.ok(Math.abs(1 - through - inks[i]) < 0.004, `${1 - through} for ${inks[i]}`);
  });
  assert.ok(Math.abs(inks[5] / inks[0] - 0.55 / 0.075) < 1e-12);
});
