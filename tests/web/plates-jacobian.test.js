// The softmax Jacobian drawn from real results: the line and the points at the core's values, both matrices printed, the rule that drags k.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import plate from '../../web/plates/jacobian.js';
import { fixed, precise, weight } from '../../web/chart/format.js';
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

test('the readout has each number beside its name', () => {
  const { result, drawing: { readout } } = drawn({ scores: '1.5,0.25,-0.75,-2', keys: 40, k: 7 });
  const one = (/** @type {string} */ name) => numbers(result, name)[0];
  const eigenvalues = numbers(result, 'own_eigenvalues');
  assert.ok(Math.abs(eigenvalues[0]) < 1e-15 && eigenvalues[1] > 0.01 && eigenvalues[1] < eigenvalues[3]);
  assert.equal(fixed(one('at_norm'), 4), fixed(Math.sqrt(6) / 7, 4));
  assert.equal(fixed(one('at_root_squares'), 4), fixed(1 / Math.sqrt(7), 4));
  assert.deepEqual(readout?.rows, [
    ['norm, even over 7 keys', fixed(Math.sqrt(6) / 7, 4)],
    ['root of its sum of squares', fixed(1 / Math.sqrt(7), 4)],
    ['norm, even over all 40', fixed(Math.sqrt(39) / 40, 4)],
    ['norm of your row', precise(one('own_norm'))],
    ['its smallest eigenvalue', precise(eigenvalues[0])],
    ['the next', precise(eigenvalues[1])],
  ]);
});

test('tables and summaries say the core’s numbers', () => {
  const { result, drawing: { figures: [norms, own] } } = drawn({ scores: '1.5,0.25,-0.75', keys: 40, k: 7 });
  const [keys, of, weights, jacobian, eigenvalues] = ['row_keys', 'row_norm', 'own_weights', 'own_jacobian', 'own_eigenvalues'].map((name) => numbers(result, name));
  assert.deepEqual(norms.table.rows, of.map((norm, i) => [String(i + 1), fixed(keys[i], 3), fixed(norm, 4)]));
  const highest = of.indexOf(Math.max(...of));
  assert.ok(norms.summary.includes(`Of 50 random rows the largest norm is ${fixed(of[highest], 4)}, of a row with ${fixed(keys[highest], 2)} keys in effect;`), norms.summary);
  assert.ok(norms.summary.includes(`Even over 7 keys of 40 it is ${fixed(Math.sqrt(6) / 7, 4)}; the largest, 0.500, is at 2 keys, and all 40 have ${fixed(Math.sqrt(39) / 40, 4)}.`), norms.summary);
  assert.deepEqual(own.table.rows, [0, 1, 2].map((i) => [String(i + 1), ...[0, 1, 2].map((j) => precise(jacobian[3 * i + j]))]));
  assert.ok(own.summary.includes(`with weights ${weights.map((w) => weight(w, 3)).join(', ')}.`), own.summary);
  assert.ok(own.summary.includes(`The diagonal is ${weights.map((w) => fixed(w * (1 - w), 3)).join(', ')}; its eigenvalues are`), own.summary);
  assert.ok(own.summary.endsWith(`, ${fixed(eigenvalues[1], 3)}, ${fixed(eigenvalues[2], 3)}.`), own.summary);
});

test('each matrix stands under its own title, each sum beside its own row', () => {
  // Scores so far apart that rounding makes the two ways, and the rows’ sums, differ.
  const { result, drawing: { figures: [, figure] } } = drawn({ scores: '9,0,-9' });
  const titles = withClass(figure.node, 'map-title').map((node) => [textOf(node), Number(node.attrs.x)]);
  assert.deepEqual(titles.map(([text]) => text), ['by formula, diag(α) − ααᵀ', 'by forward differentiation', 'row sum']);
  const left = ['by formula', 'by differentiation'].map((way) => figure.marks.find(({ text }) => text.startsWith(`${way}: weight 1 by score 1:`))?.x);
  assert.deepEqual(titles.slice(0, 2).map(([, x]) => x), left);
  const sums = numbers(result, 'own_row_sums');
  assert.deepEqual(withClass(figure.node, 'sum').map(textOf), sums.map(precise));
  assert.ok(new Set(sums.map(precise)).size > 1, 'sums that can be told apart');
});
