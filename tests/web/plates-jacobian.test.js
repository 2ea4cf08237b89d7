// The softmax Jacobian drawn from real results: the line and the points at the core's values, both matrices printed, the rule that drags k.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import plate from '../../web/plates/jacobian.js';
import { loadCore } from './support.js';
import { checkFigures, textOf, withClass } from './support-chart.js';

const core = await loadCore();

/** @param {Record<string, any>} [params] @param {number} [width] @param {any} [hover] */
function drawn(params = {}, width = 974, hover = null) {
  const result = core.run('jacobian', { rows: 50, ...params });
  return { result, drawing: plate.draw(result, { width, uid: 'u', params: result.params, hover }) };
}

/** @param {any} result @param {string} name @returns {number[]} */
const numbers = (result, name) => Array.from(result.series[name].data);

for (const width of [320, 358, 600, 974]) {
  test(`sound figures at ${width}`, () => {
    for (const params of [{}, { keys: 2, k: 1 }, { keys: 512, k: 300, generator: 'torch' }, { scores: '700,-700' }, { scores: '1,2,3,4,5,6,7,8' }]) {
      checkFigures(drawn(params, width).drawing, { uid: 'u', width });
    }
  });
}

test('every random row has its point, on the scale of the line', () => {
  const { result, drawing: { figures: [figure] } } = drawn({ keys: 32, rows: 100, seed: 2 });
  const [strip] = withClass(figure.node, 'strip');
  const points = [...strip.attrs.d.matchAll(/M([\d.]+) ([\d.]+)h/g)].map((m) => [Number(m[1]) + 0.9, Number(m[2]) + 0.9]);
  const [keys, norms] = [numbers(result, 'row_keys'), numbers(result, 'row_norm')];
  assert.equal(points.length, 100);
  const [low, high] = [norms.indexOf(Math.min(...norms)), norms.indexOf(Math.max(...norms))];
  const [first, last] = [keys.indexOf(Math.min(...keys)), keys.indexOf(Math.max(...keys))];
  const at = (/** @type {number[]} */ from, /** @type {number[]} */ to, /** @type {number} */ v) => from[1] + ((v - from[0]) * (to[1] - from[1])) / (to[0] - from[0]);
  points.forEach(([x, y], i) => {
    assert.ok(Math.abs(y - at([norms[low], points[low][1]], [norms[high], points[high][1]], norms[i])) < 0.25, `norm ${i}`);
    assert.ok(Math.abs(x - at([Math.log(keys[first]), points[first][0]], [Math.log(keys[last]), points[last][0]], Math.log(keys[i]))) < 0.25, `keys ${i}`);
  });
});

test('both matrices are printed, signs and all, and the caption says how far they differ', () => {
  const { result, drawing: { figures: [, figure] } } = drawn({ scores: '1,0,-1' });
  const printed = withClass(figure.node, 'print').map(textOf);
  assert.equal(printed.length, 18);
  for (const name of ['own_jacobian', 'own_forward']) {
    for (const entry of numbers(result, name)) assert.ok(printed.includes(entry.toFixed(3).replace('-', '−')), `${name}: ${entry}`);
  }
  assert.match(JSON.stringify(figure.caption), /Largest difference/);
  assert.equal(figure.marks.length, 18);
  assert.match(figure.marks[1].text, /^by formula: weight 1 by score 2: −0\./);
});

test('the rule goes from one key to all of them', () => {
  const { drawing: { figures: [figure] } } = drawn({ keys: 64 });
  assert.equal(figure.drag?.param, 'k');
  assert.equal(figure.drag?.toValue(-1e4, 0), 1);
  assert.equal(figure.drag?.toValue(1e4, 0), 64);
});

test('the remark at the peak gives way to the rule', () => {
  assert.equal(withClass(drawn({ k: 2 }).drawing.figures[0].node, 'remark').length, 0);
  assert.equal(textOf(withClass(drawn({ k: 20 }).drawing.figures[0].node, 'remark')[0]), 'the largest, 0.50, at 2 keys');
});
