/**
 * What plate IX draws of a measurement, place by place: the roof of the machine and its hatching, bars from quartile to quartile, times over the
 * growth, and the race. Places are read back into numbers by the axes' own ticks and compared with the core's raw series; words are tested elsewhere.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import plate from '../../web/plates/cost.js';
import { loadCore } from './support.js';
import { elements, logScale, withClass } from './support-chart.js';

const core = await loadCore();
const jobs = Array.from(core.run('cost', {}).series.job_key.data, Number);
const result = core.run('cost', { machine: '60,50,70;30,24,36', times: jobs.map((key, i) => `${key},${4 * i + 8},${4 * i + 5},${4 * i + 14}`).join(';') });
const numbers = (/** @type {string} */ name) => Array.from(result.series[name].data, Number);

/** @param {string} id @param {number} [width] */
function figure(id, width = 974) {
  const found = plate.draw(result, { width, uid: 'x', params: result.params, hover: null }).figures.find((each) => each.id === id);
  return found ?? assert.fail(id);
}

/** The points of a path. @param {string} d */
const points = (d) => [...d.matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)].map((m) => [Number(m[1]), Number(m[2])]);

/** Within a hundredth, which is less than half a pixel on these measures. @param {number} found @param {number} wanted @param {string} what */
const near = (found, wanted, what) => assert.ok(Math.abs(Math.log(found / wanted)) < 0.01, `${what}: ${found} for ${wanted}`);

for (const width of [358, 974]) {
  test(`the roof of the machine stands at its upper quartiles, hatched down to the lower, at ${width}`, () => {
    const { node } = figure('roofline', width);
    const [x, y] = [logScale(withClass(node, 'axis-x')[0], 'x'), logScale(withClass(node, 'axis-y')[0], 'y')];
    const own = points(withClass(node, 'own')[0].attrs.d);
    assert.equal(own.length, 3);
    // on the slope throughput over ratio is the bandwidth; the corner is the ridge; then the peak
    near(y(own[0][1]) / x(own[0][0]), 36, 'slope');
    near(x(own[1][0]), 70 / 36, 'ridge');
    near(y(own[1][1]), 70, 'peak at the ridge');
    near(y(own[2][1]), 70, 'peak');
    const lower = points(withClass(node, 'band')[0].attrs.d).slice(3);
    assert.equal(lower.length, 3);
    near(y(lower[2][1]) / x(lower[2][0]), 24, 'lower slope');
    near(x(lower[1][0]), 50 / 24, 'lower ridge');
    near(y(lower[0][1]), 50, 'lower peak');
  });

  test(`every algorithm has its attainable point on the chosen roof and its bar from quartile to quartile, at ${width}`, () => {
    const { node } = figure('roofline', width);
    const [x, y] = [logScale(withClass(node, 'axis-x')[0], 'x'), logScale(withClass(node, 'axis-y')[0], 'y')];
    const [ratios, gflops, operations, ms] = ['work_intensity', 'work_gflops', 'work_operations', 'work_ms'].map(numbers);
    const places = (/** @type {import('../../web/chart/types.js').VNode} */ group) => elements(group).filter((each) => (each.attrs.class ?? '') === 'point')
      .map(({ tag, attrs }) => (tag === 'circle' ? [Number(attrs.cx), Number(attrs.cy)] : [Number(attrs.x) + Number(attrs.width) / 2, Number(attrs.y) + Number(attrs.height) / 2]));
    const groups = withClass(node, 'series');
    const [roofs, bars] = [groups.slice(0, 4), groups.slice(4)];
    assert.deepEqual([roofs.length, bars.length], [4, 4]);
    ratios.forEach((ratio, i) => {
      const [[rx, ry]] = places(roofs[i]);
      near(x(rx), ratio, `ratio ${i}`);
      near(y(ry), numbers('work_attainable')[numbers('accelerator')[0] * 4 + i], `attainable ${i}`);
      const [[, my]] = places(bars[i]);
      const [, bx, low, high] = (/M([\d.]+) ([\d.]+)V([\d.]+)/.exec(elements(bars[i], 'path')[0].attrs.d) ?? assert.fail()).map(Number);
      near(x(bx), ratio, `bar ${i}`);
      // operations a millisecond are a million times a GFLOP/s; the longest time is the least throughput
      [[my, gflops[3 * i], ms[3 * i]], [low, gflops[3 * i + 1], ms[3 * i + 2]], [high, gflops[3 * i + 2], ms[3 * i + 1]]].forEach(([at, throughput, time]) => {
        assert.ok(Math.abs(throughput / (operations[i] / time / 1e6) - 1) < 1e-12);
        near(y(at), throughput, `bar ${i}`);
      });
      // filled where a tensor of all pairs is kept, open where none is
      const keeps = /kept/.test(String(result.series.work_names.data[i]));
      for (const group of [roofs[i], bars[i]]) assert.equal(elements(group).some(({ tag }) => tag === 'rect'), keeps, String(result.series.work_names.data[i]));
    });
  });
}

test('times stand over the growth as operations at the measured peak, with their quartiles', () => {
  const { node } = figure('growth');
  const [x, y] = [logScale(withClass(node, 'axis-x')[0], 'x'), logScale(withClass(node, 'axis-y')[0], 'y')];
  const lengths = numbers('timed_n');
  const ms = numbers('growth_ms');
  const bars = withClass(node, 'series').flatMap((group) => elements(group, 'path').flatMap(({ attrs }) => (/^M([\d.]+) ([\d.]+)V([\d.]+)$/.exec(attrs.d) ?? []).slice(1).map(Number))).flatMap((_, i, all) => (i % 3 === 0 ? [all.slice(i, i + 3)] : []));
  const timed = [0, 1, 2].flatMap((mask) => lengths.map((n, i) => ({ n, of: ms.slice(3 * (mask * lengths.length + i), 3 * (mask * lengths.length + i) + 3) }))).filter(({ of }) => Number.isFinite(of[0]));
  assert.equal(bars.length, timed.length);
  assert.ok(bars.length >= 3);
  timed.forEach(({ n, of: [, low, high] }, i) => {
    near(x(bars[i][0]), n, `length ${i}`);
    near(y(bars[i][1]), low * 70 * 1e6, `low ${i}`);
    near(y(bars[i][2]), high * 70 * 1e6, `high ${i}`);
  });
});

test('the race runs from operations over the time to the largest intermediate', () => {
  const { node } = figure('race');
  const y = logScale(withClass(node, 'axis')[0], 'y');
  const rules = result.series.race_rules.data.length;
  const [operations, time, largest] = ['race_ratio', 'race_time_ratio', 'race_largest_ratio'].map(numbers);
  const runs = numbers('race_widths').flatMap((_, w) => Array.from({ length: rules }, (__, r) => w * rules + r)).filter((at) => String(result.series.race_rules.data[at % rules]).startsWith('additive'));
  const groups = withClass(node, 'series').filter((group) => withClass(group, 'quartiles').length > 0);
  assert.equal(groups.length, runs.length);
  runs.forEach((at, i) => {
    const stops = points(elements(groups[i], 'path')[0].attrs.d);
    assert.equal(stops.length, 3);
    assert.ok(stops[0][0] < stops[1][0] && stops[1][0] < stops[2][0]);
    [operations[at], time[3 * at], largest[at]].forEach((wanted, s) => near(y(stops[s][1]), wanted, `run ${i}, stop ${s}`));
    const [, , low, high] = (/M([\d.]+) ([\d.]+)V([\d.]+)/.exec(withClass(groups[i], 'quartiles')[0].attrs.d) ?? assert.fail()).map(Number);
    near(y(low), time[3 * at + 1], `low ${i}`);
    near(y(high), time[3 * at + 2], `high ${i}`);
  });
});
