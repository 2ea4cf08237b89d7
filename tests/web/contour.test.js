// Bands of a field: edges where the field has the level, corners kept, the ink of each band that of its middle value, and few points.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contours } from 'd3-contour';
import { bandInk, contourBands, LEVELS } from '../../web/chart/contour.js';
import { ringsOf } from '../../web/chart/rings.js';
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
  // few points, and between two of them the circle is nowhere further from the line than 0.1 px, with 0.05 for the printed tenths at each end and the grid's own error
  for (const [radius, ring] of /** @type {[number, number[][]][]} */ ([[105, both[0]], [45, both[1]]])) {
    ring.forEach(([x, y], i) => {
      const [nextX, nextY] = ring[(i + 1) % ring.length];
      const sagitta = Math.hypot(nextX - x, nextY - y) ** 2 / (8 * radius);
      assert.ok(sagitta < 0.25, String(sagitta));
    });
    // eight crossings of the grid for each cell of the radius, of which fewer than two thirds are kept
    assert.ok(ring.length < (2 / 3) * 8 * (radius / 300) * 96, `${ring.length} points`);
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

/** @param {number[][]} ring */
const area = (ring) => ring.reduce((sum, [x, y], i) => {
  const [nextX, nextY] = ring[(i + 1) % ring.length];
  return sum + x * nextY - nextX * y;
}, 0) / 2;

/** Rings as text, those without area left out as d3 may, each begun where the text is least, in order: the same however they were walked to. @param {number[][][]} all */
const sorted = (all) => all.filter((ring) => Math.abs(area(ring)) > 1e-9).map((ring) => {
  const points = ring.map(([x, y]) => `${x.toFixed(9)},${y.toFixed(9)}`);
  const least = points.slice().sort()[0];
  return points.flatMap((point, i) => (point === least ? [[...points.slice(i), ...points.slice(0, i)].join(' ')] : [])).sort()[0];
}).sort();

/** @param {number[]} ring */
const pairs = (ring) => Array.from({ length: ring.length / 2 }, (_, i) => [ring[2 * i], ring[2 * i + 1]]);

test('the lines are those of d3-contour, on smooth fields and on rough ones with every kind of saddle', () => {
  let word = 7;
  const chance = () => (word = (word * 48271) % 2147483647) / 2147483647;
  /** @type {[string, number, number, number[]][]} */
  const fields = [
    ['hills', 96, 96, [...fieldOf(96, (x, y) => 0.5 + 0.5 * Math.sin(9 * x) * Math.cos(7 * y + 3 * x))]],
    ['chance', 37, 23, Array.from({ length: 37 * 23 }, chance)],
    ['values on the levels', 9, 12, Array.from({ length: 9 * 12 }, () => Math.floor(chance() * 11) / 10)],
    ['a board', 8, 8, Array.from({ length: 64 }, (_, i) => (i + Math.floor(i / 8)) % 2)],
    ['a row', 5, 1, [0, 1, 0.5, 0, 1]], ['a cell', 1, 1, [1]], ['nothing', 4, 4, new Array(16).fill(0)],
  ];
  for (const [name, columns, rows, values] of fields) {
    const ours = ringsOf({ values, columns, rows }, LEVELS);
    LEVELS.forEach((level, i) => {
      const theirs = contours().size([columns, rows]).contour(values, level).coordinates.flat().map((ring) => ring.slice(1));
      assert.deepEqual(sorted(ours[i].map(pairs)), sorted(theirs), `${name}, level ${level}`);
    });
    // nothing is left behind for the next field
    assert.deepEqual(ringsOf({ values, columns, rows }, LEVELS), ours, name);
  }
  const holes = ringsOf({ values: [1, NaN, 1, Infinity], columns: 2, rows: 2 }, [0.5]);
  assert.ok(holes.flat(2).every(Number.isFinite));
});
