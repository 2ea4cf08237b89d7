// Path data of lines and areas, against d3-shape: the same text, whatever points are missing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { area, line } from 'd3-shape';
import { areaPath, linePath } from '../../web/chart/path.js';

/** @type {number[][]} */
const points = [[0, 1], [10.126, -3.5], [20, NaN], [30.004, 4], [40, NaN], [50, 5], [60.5, 1e3 + 1 / 3], [70, Infinity], [80, -0.001], [90, 0], [100, 7.125]];

test('a line breaks where a value is missing, and a point alone is closed', () => {
  for (const digits of [0, 1, 2, 3]) {
    for (let from = 0; from <= points.length; ++from) {
      const some = points.slice(from);
      const theirs = line(([x]) => x, ([, y]) => y).defined(([, y]) => Number.isFinite(y)).digits(digits);
      assert.equal(linePath(some.map(([x, y]) => [x, y]), digits), theirs(/** @type {[number, number][]} */ (some)) ?? '', `${digits} digits from ${from}`);
    }
  }
});

test('an area runs along its high edge and back along the low one', () => {
  for (const digits of [1, 2]) {
    const spans = points.map(([x, y]) => [x, y - 2.3456, y + 1]);
    const theirs = area(/** @type {(s: number[]) => number} */ (([x]) => x), ([, low]) => low, ([, , high]) => high).defined((span) => span.every(Number.isFinite)).digits(digits);
    assert.equal(areaPath(spans, digits), theirs(spans));
  }
});
