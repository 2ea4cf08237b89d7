// The strips of seeds drawn from real results: a point a run at the core's own norm, the printed run marked, the rise pointed out where there is one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixed } from '../../web/chart/format.js';
import plate, { jitter } from '../../web/plates/seeds.js';
import { loadCore } from './support.js';
import { checkFigures, textOf, withClass } from './support-chart.js';

const core = await loadCore();

/** Results by their settings: a run of the study takes longer than all that is drawn of it. @type {Map<string, any>} */
const results = new Map();

/** @param {Record<string, any>} [params] @param {number} [width] @param {any} [hover] */
function drawn(params = {}, width = 974, hover = null) {
  const key = JSON.stringify(params);
  /** @type {ReturnType<typeof core.run>} */
  const result = results.get(key) ?? core.run('seeds', { count: 40, ...params });
  results.set(key, result);
  return { result, drawing: plate.draw(result, { width, uid: 'u', params: result.params, hover }) };
}

/** @param {any} result @param {string} name @returns {number[]} */
const numbers = (result, name) => Array.from(result.series[name].data);

for (const width of [320, 358, 600, 974]) {
  test(`sound figure at ${width}`, () => {
    for (const generator of ['jax', 'torch']) checkFigures(drawn({ generator }, width).drawing, { uid: 'u', width });
  });
}

test('every run has its point, at its norm; the printed run its diamond', () => {
  const { result, drawing: { figures: [figure] } } = drawn({ count: 60, seed: 3 });
  const strips = withClass(figure.node, 'strip').map(({ attrs }) => [...attrs.d.matchAll(/M([\d.]+) ([\d.]+)h/g)].map((m) => [Number(m[1]) + 0.9, Number(m[2]) + 0.9]));
  const norms = numbers(result, 'norms');
  assert.equal(strips.length, 8);
  strips.forEach((strip) => assert.equal(strip.length, 60));
  // y is linear: two norms give the scale, all others must lie on it
  const ys = strips.flat().map(([, y]) => y);
  const [a, b] = [norms.indexOf(Math.min(...norms)), norms.indexOf(Math.max(...norms))];
  const at = (/** @type {number} */ norm) => ys[a] + ((norm - norms[a]) * (ys[b] - ys[a])) / (norms[b] - norms[a]);
  norms.forEach((norm, i) => assert.ok(Math.abs(ys[i] - at(norm)) < 0.25, `run ${i}`));
  const diamonds = withClass(figure.node, 'printed-mark').map(({ attrs }) => Number(/L[\d.]+ ([\d.]+)/.exec(attrs.d)?.[1]));
  numbers(result, 'printed_norm').forEach((norm, i) => assert.ok(Math.abs(diamonds[i] - at(norm)) < 0.25, `printed ${i}`));
  assert.deepEqual(withClass(figure.node, 'in-print').map(textOf), numbers(result, 'printed_norm').map((norm) => fixed(norm, 3)));
});

test('the printed numbers are those of the section, for either framework', () => {
  const printed = (/** @type {string} */ generator) => withClass(drawn({ generator }).drawing.figures[0].node, 'in-print').map(textOf);
  assert.deepEqual(printed('jax'), ['0.258', '0.218', '0.103']);
  assert.deepEqual(printed('torch'), ['0.259', '0.208', '0.093']);
});

test('points are spread by their index alone: the same each time, within the strip, no two in one place', () => {
  const places = Array.from({ length: 400 }, (_, i) => jitter(i));
  assert.ok(places.every((place) => place >= -1 && place < 1));
  const sorted = [...places].sort((p, q) => p - q);
  for (let i = 1; i < sorted.length; ++i) assert.ok(sorted[i] - sorted[i - 1] > 0.5 / 400, 'evenly');
  assert.deepEqual(drawn().drawing.figures[0].node, drawn().drawing.figures[0].node);
});

test('the rise is pointed out near the peak, and only where the printed widths hide it', () => {
  const { result, drawing: { figures: [figure] } } = drawn();
  assert.equal(textOf(withClass(figure.node, 'remark')[0]), 'the rise that three widths hide');
  const means = numbers(result, 'mean_norm');
  const falling = { ...result, series: { ...result.series, mean_norm: { unit: '', shape: [8], data: [...means].sort((a, b) => b - a) } } };
  const without = plate.draw(falling, { width: 974, uid: 'u', params: result.params, hover: null }).figures[0];
  assert.equal(withClass(without.node, 'remark').length, 0);
});

test('every width and every printed number can be pointed at; the table has them all', () => {
  const { drawing: { figures: [figure] } } = drawn();
  assert.deepEqual(figure.marks.map(({ id }) => id).sort(), [...[4, 8, 16, 32, 64, 128, 256, 512].map((d) => `runs-${d}`), 'printed-4', 'printed-64', 'printed-512'].sort());
  assert.match(figure.marks.find(({ id }) => id === 'printed-64')?.text ?? '', /run in print, JAX: 0\.217991/);
  assert.equal(figure.table.rows.length, 8);
  assert.deepEqual(figure.table.rows.filter((row) => row[6] !== '').map(([d]) => d), ['4', '64', '512']);
  const hovered = drawn({}, 974, { figure: 'strips', mark: 'runs-8' }).drawing.figures[0];
  assert.equal(withClass(hovered.node, 'ring').length, 1);
});

test('table, tips and summary say the core’s numbers, each in its place', () => {
  const { result, drawing: { figures: [figure] } } = drawn({ count: 60, seed: 3 });
  const [dims, means, lows, highs, norms, printed] = ['dims', 'mean_norm', 'low_norm', 'high_norm', 'norms', 'printed_norm'].map((name) => numbers(result, name));
  const run = new Map(numbers(result, 'printed_dims').map((d, i) => [d, printed[i]]));
  const four = (/** @type {number} */ value) => fixed(value, 4);
  dims.forEach((d, i) => {
    const own = norms.slice(60 * i, 60 * i + 60);
    const [least, most] = [Math.min(...own), Math.max(...own)];
    assert.ok(least < lows[i] && lows[i] < means[i] && means[i] < highs[i] && highs[i] < most, 'five numbers that can be told apart');
    const in_print = run.get(d);
    assert.deepEqual(figure.table.rows[i], [String(d), four(means[i]), four(lows[i]), four(highs[i]), four(least), four(most), in_print === undefined ? '' : four(in_print)]);
    assert.equal(figure.marks.find(({ id }) => id === `runs-${d}`)?.text,
      `d = ${d}: mean ${four(means[i])} of 60 runs, the middle 95% from ${four(lows[i])} to ${four(highs[i])}, all from ${four(least)} to ${four(most)}`);
  });
  assert.deepEqual(figure.table.columns, [[{ i: 'd' }], ['mean'], ['95% from'], ['to'], ['lowest'], ['highest'], ['run in print']]);
  const peak = means.indexOf(Math.max(...means));
  const three = (/** @type {number} */ value) => fixed(value, 3);
  assert.ok(figure.summary.includes(`The mean goes from ${three(means[0])} at d = 4 to ${three(means[peak])} at d = ${dims[peak]} and to ${three(means[7])} at d = 512. `), figure.summary);
  assert.ok(figure.summary.includes(`The printed run of JAX has ${three(printed[0])} at d = 4, ${three(printed[1])} at d = 64, ${three(printed[2])} at d = 512`), figure.summary);
});

test('the band has the middle 95% for its edges', () => {
  const { result, drawing: { figures: [figure] } } = drawn({ count: 60, seed: 3 });
  const [lows, highs, printed] = ['low_norm', 'high_norm', 'printed_norm'].map((name) => numbers(result, name));
  const diamonds = withClass(figure.node, 'printed-mark').map(({ attrs }) => Number(/L[\d.]+ ([\d.]+)/.exec(attrs.d)?.[1]));
  const at = (/** @type {number} */ norm) => diamonds[0] + ((norm - printed[0]) * (diamonds[2] - diamonds[0])) / (printed[2] - printed[0]);
  const points = [...withClass(figure.node, 'band')[0].attrs.d.matchAll(/[ML]([\d.]+),([\d.]+)/g)].map((m) => Number(m[2]));
  // out along one edge and back along the other; two diamonds placed to a tenth of a pixel give the scale
  assert.equal(points.length, 16);
  const [one, other] = [points.slice(0, 8), points.slice(8).reverse()];
  lows.forEach((low, i) => {
    assert.ok(Math.abs(Math.max(one[i], other[i]) - at(low)) < 0.3, `low ${i}`);
    assert.ok(Math.abs(Math.min(one[i], other[i]) - at(highs[i])) < 0.3, `high ${i}`);
  });
});
