// Plate VIII on the real core: cells print the core's weights, units stand at their places on their curves, points on logarithmic axes at the core's values.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { count, fixed } from '../../web/chart/format.js';
import { textWidth } from '../../web/chart/text.js';
import plate from '../../web/plates/additive.js';
import { costLines, product } from '../../web/plates/parts/hidden-costs.js';
import { powers } from '../../web/plates/parts/hidden-fall.js';
import { readCosts, readFall, readPairs, readRanks } from '../../web/plates/parts/hidden-read.js';
import { signed, unitGrid } from '../../web/plates/parts/hidden-units.js';
import { anyParams, drawsFrom, loadCore } from './support.js';
import { checkFigures, elements, logScale, textOf, withClass } from './support-chart.js';

/** @typedef {import('../../web/chart/types.js').VNode} VNode */
/** @typedef {Record<string, any>} Settings */

const core = await loadCore();
const study = /** @type {import('../../web/engine/types.js').Study} */ (core.describe().studies.find(({ id }) => id === 'additive'));

/** @param {Settings} [params] @param {{width?: number, hover?: {figure: string, mark: string} | null}} [env] */
function drawn(params = {}, { width = 974, hover = null } = {}) {
  const result = core.run('additive', params);
  const drawing = plate.draw(result, { width, uid: 'u', params: result.params, hover });
  const [weights, units, falls, costs, parameters, variance] = drawing.figures;
  return { result, drawing, weights, units, falls, costs, parameters, variance, pairs: readPairs(result), fall: readFall(result), read: readCosts(result), ranks: readRanks(result) };
}

const draw = drawsFrom(8);
/** @type {Settings[]} */
const settings = [
  {}, ...study.presets.map(({ params }) => params),
  { queries: 1, keys: 1, hidden: 1, d_q: 1, d_k: 1, epsilon: 0.001, rank: 1, n: 1, m: 1, d: 1 },
  { queries: 8, keys: 12, hidden: 64, d_q: 64, d_k: 64, epsilon: 10, rank: 64, n: 8192, m: 8192, d: 1024, query: 8, key: 12 },
  { queries: 2, keys: 1, hidden: 3, activation: 'identity' },
  ...Array.from({ length: 12 }, () => ({ ...anyParams(study, draw), epsilon: 10 ** (draw(4001) / 1000 - 3), query: 1, key: 1 })),
];

/** Places of circles of a class. @param {VNode} node @param {string} name */
const circles = (node, name) => withClass(node, name).filter(({ tag }) => tag === 'circle').map(({ attrs }) => ({ x: Number(attrs.cx), y: Number(attrs.cy) }));

/** @param {number} found @param {number} wanted @param {string} what */
const near = (found, wanted, what) => assert.ok(Math.abs(Math.log(found / wanted)) < 0.02, `${what}: ${found} for ${wanted}`);

test('the figures are whole at every setting and width', () => {
  for (const params of settings) for (const width of [320, 358, 559, 560, 700, 819, 820, 974, 1300]) checkFigures(drawn(params, { width }).drawing, { uid: 'u', width });
});

test('both printed tables stand in the cells as their framework prints them', () => {
  const cells = (/** @type {string} */ generator) => withClass(drawn({ generator }).weights.node, 'print').map(textOf);
  assert.deepEqual(cells('torch').slice(0, 6), ['0.1692', '0.1612', '0.1816', '0.1560', '0.1502', '0.1818']);
  assert.deepEqual(cells('torch').slice(12), ['0.1517', '0.2188', '0.1441', '0.1317', '0.2166', '0.1371']);
  assert.deepEqual(cells('jax').slice(0, 4), ['0.13390937', '0.3772766', '0.17127123', '0.1027277']);
  assert.ok(drawn({ generator: 'jax' }).weights.caption.some((part) => typeof part === 'string' && part.includes('as JAX prints them')));
  assert.ok(!drawn({ generator: 'jax' }, { width: 328 }).weights.caption.some((part) => typeof part === 'string' && part.includes('prints them')), 'not where they had to be shortened');
});

test('every cell prints its weight with the digits that it has room for, and its ink grows with the weight', () => {
  for (const params of settings) {
    for (const width of [328, 974]) {
      const { weights, pairs } = drawn(params, { width });
      const rows = withClass(weights.node, 'number-cells');
      assert.equal(rows.length, pairs.queries);
      rows.forEach((row, q) => {
        const texts = withClass(row, 'print').map(textOf);
        assert.equal(texts.length, pairs.keys);
        texts.forEach((text, k) => {
          if (text === '' || /[<>]/.test(text)) return;
          // JAX prints its own single precision, a few units in the last place from the double
          assert.ok(Math.abs(Number(text) - pairs.weight(q, k)) <= Math.max(1.2e-7, 0.5001 * 10 ** -(text.split('.')[1] ?? '').length), `${text} for ${pairs.weight(q, k)}`);
        });
        const inks = withClass(row, 'inked').map(({ attrs }) => Number(attrs['fill-opacity']));
        const shares = Array.from({ length: pairs.keys }, (_, k) => pairs.weight(q, k));
        if (inks.length === shares.length) shares.forEach((a, i) => shares.forEach((b, j) => a < b && assert.ok(inks[i] <= inks[j])));
      });
    }
  }
});

test('a ring is around the chosen pair, and cells choose another', () => {
  const { weights } = drawn({ query: 2, key: 5 });
  const mark = (/** @type {string} */ id) => /** @type {import('../../web/chart/types.js').Mark} */ (weights.marks.find((each) => each.id === id));
  const [ring] = withClass(weights.node, 'chosen-cell');
  assert.deepEqual([Number(ring.attrs.x), Number(ring.attrs.y)], [mark('weight-2-5').x, mark('weight-2-5').y]);
  assert.equal(mark('weight-2-5').edit, undefined);
  assert.deepEqual([mark('weight-2-3').edit?.param, mark('weight-2-3').edit?.value], ['key', 3], 'in its own row a cell chooses its key');
  assert.deepEqual([mark('weight-3-1').edit?.param, mark('weight-3-1').edit?.value], ['query', 3], 'in another its query');
  assert.deepEqual([mark('query-1').edit?.value, mark('key-6').edit?.value], [1, 6]);
});

test('keys stand on the curve of the chosen query, the chosen one ringed, and its bar is what the unit gives', () => {
  for (const params of settings.slice(0, 9)) {
    const { units, pairs } = drawn(params);
    const panels = withClass(units.node, 'unit');
    assert.equal(panels.length, pairs.hidden);
    panels.forEach((panel, u) => {
      const path = withClass(panel, 'unit-curve')[0].attrs.d;
      const curve = [...path.matchAll(/[ML](-?[\d.]+),(-?[\d.]+)/g)].map((m) => ({ x: Number(m[1]), y: Number(m[2]) }));
      assert.equal(curve.length, pairs.x.length + pairs.keys);
      const all = [...circles(panel, 'point')];
      assert.equal(all.length, pairs.keys);
      for (const { x, y } of all) {
        const at = curve.findIndex((p, i) => i + 1 < curve.length && p.x <= x && curve[i + 1].x >= x && curve[i + 1].x > p.x);
        assert.ok(at >= 0, 'every key is within the curve');
        const [a, b] = [curve[at], curve[at + 1]];
        const between = a.y + ((b.y - a.y) * (x - a.x)) / (b.x - a.x);
        assert.ok(Math.abs(between - y) < 0.05, `unit ${u + 1}: a key lies ${Math.abs(between - y)} px beside its curve`);
      }
      const [zero] = withClass(panel, 'unit-zero').map(({ attrs }) => Number(/M[\d.]+ ([\d.]+)/.exec(attrs.d)?.[1]));
      const chosen = circles(panel, 'key-chosen')[0];
      const gives = pairs.gives(pairs.query, pairs.key, u);
      if (Math.abs(chosen.y - zero) > 1) assert.equal(chosen.y < zero, gives > 0, 'above the line where it adds');
      assert.equal(textOf(withClass(panel, 'unit-gives')[0]), signed(gives, unitGrid(pairs.hidden, 974, false).small ? 2 : 3));
      const others = withClass(panel, 'unit-others')[0].attrs.d;
      assert.equal((others.match(/M/g) ?? []).length, pairs.queries - 1, 'a fine curve for every other query');
    });
  }
});

test('no rule runs through what is said of the identity', () => {
  for (const width of [328, 974]) {
    for (const epsilon of [0.001, 0.1, 0.5, 1, 2, 5, 10]) {
      const { falls } = drawn({ epsilon }, { width });
      const said = withClass(falls.node, 'identity')[0];
      const rule = circles(falls.node, 'handle')[0].x;
      const end = Number(said.attrs.x);
      const from = end - textWidth(textOf(said), Number(said.attrs['font-size']), true);
      assert.ok(rule < from || rule > end, `${epsilon} at ${width}: ${from} to ${end}, the rule at ${rule}`);
      for (const { x, y } of circles(withClass(falls.node, 'series')[0], 'point')) assert.ok(x < from || x > end || Math.abs(y - Number(said.attrs.y)) > 12, `${epsilon} at ${width}: the point at ${x}`);
    }
  }
});

test('tanh is shifted by the query, the identity only raised', () => {
  const heights = (/** @type {string} */ activation) => {
    const { pairs } = drawn({ activation });
    const [a, b] = [pairs.curve(0, 0), pairs.curve(1, 0)];
    return a.map((value, i) => value - b[i]);
  };
  const spread = (/** @type {number[]} */ list) => Math.max(...list) - Math.min(...list);
  assert.ok(spread(heights('identity')) < 1e-12);
  assert.ok(spread(heights('tanh')) > 0.1);
});

test('the difference of rows stands at the core’s values on two logarithmic axes, the prediction dotted, the slope in words', () => {
  for (const params of [{}, { generator: 'torch', epsilon: 0.03 }, { queries: 8, keys: 12, hidden: 32, epsilon: 5 }]) {
    const { falls, fall, pairs } = drawn(params);
    const [x, y] = [logScale(withClass(falls.node, 'axis-x')[0], 'x'), logScale(withClass(falls.node, 'axis-y')[0], 'y')];
    const points = circles(withClass(falls.node, 'series')[0], 'point');
    assert.equal(points.length, fall.eps.length);
    points.forEach((point, i) => {
      near(x(point.x), fall.eps[i], 'epsilon');
      near(y(point.y), fall.difference[i], 'difference');
    });
    const dotted = [...withClass(falls.node, 'reference')[0].attrs.d.matchAll(/[ML]([\d.]+) ([\d.]+)/g)].map((m) => ({ x: Number(m[1]), y: Number(m[2]) }));
    const [first, last] = [dotted[0], dotted[dotted.length - 1]];
    assert.ok(Math.abs(Math.log(y(last.y) / y(first.y)) / Math.log(x(last.x) / x(first.x)) - fall.predictedSlope) < 0.02);
    assert.equal(textOf(withClass(falls.node, 'slope-label')[0]), `slope ${fixed(fall.slope, 2)}`);
    const handle = circles(falls.node, 'handle')[0];
    near(x(handle.x), pairs.epsilon, 'the rule');
    assert.ok(Math.abs(Math.log(/** @type {any} */ (falls.drag).toValue(handle.x, 0) / pairs.epsilon)) < 0.02, 'the rule is where it is taken from');
  }
});

test('with nothing to differ the figure says so, and draws no slope', () => {
  const alone = drawn({ queries: 1 });
  assert.equal(textOf(withClass(alone.falls.node, 'remark')[0]), 'no two rows differ');
  assert.equal(withClass(alone.falls.node, 'slope-label').length, 0);
  const straight = drawn({ activation: 'identity' });
  assert.match(textOf(withClass(straight.falls.node, 'identity')[0]), /^the identity leaves no difference/);
  assert.equal(withClass(straight.falls.node, 'rule-values').length, 0);
  assert.equal(withClass(straight.falls.node, 'fall-aside').length, 1);
});

test('every count of every rule is printed beside its bar, the dearer order too', () => {
  for (const params of settings) {
    for (const width of [328, 974]) {
      const { costs, read } = drawn(params, { width });
      const lines = costLines(read);
      assert.deepEqual(lines.map(({ name }) => name), ['additive', 'scaled dot', ...read.orders.map((order) => `bilinear, ${order}`), 'factored bilinear']);
      const wanted = /** @type {const} */ (['parameters', 'operations', 'intermediate']).flatMap((counted) => lines.flatMap(({ counts }) => (counts[counted] === undefined ? [] : [count(counts[counted] ?? 0)])));
      assert.deepEqual(withClass(costs.node, 'cost').map(textOf), wanted);
      assert.equal(lines.filter(({ kind }) => kind === 'dearer').length, 1);
      assert.deepEqual(lines.filter(({ name }) => name.startsWith('bilinear')).map(({ counts }) => counts.operations), read.orderOperations);
      assert.ok(Math.min(...read.orderOperations) === read.operations[2]);
    }
  }
  const { costs } = drawn({});
  assert.deepEqual(withClass(costs.node, 'cost').map(textOf).slice(4, 9), ['1728', '2322', '312', '1200', '1458']);
});

test('a bar grows with the logarithm of its count; nothing is drawn for none', () => {
  const { costs, read } = drawn({ n: 512, m: 512, d_q: 64, d_k: 64, hidden: 64 });
  const lengths = withClass(withClass(costs.node, 'costs-operations')[0], 'cost-bar').map(({ attrs }) => Number(attrs.width) + (attrs.class.includes('scaled') ? 1 : 0));
  const counts = costLines(read).map(({ counts: { operations } }) => operations ?? 0);
  lengths.forEach((length, i) => assert.ok(Math.abs(length / lengths[0] - Math.log(counts[i]) / Math.log(counts[0])) < 0.01));
  assert.equal(withClass(withClass(costs.node, 'costs-parameters')[0], 'cost-bar').length, 3, 'the dot product has no parameters and no bar');
});

test('parameters and variance stand at the core’s values for every rank, and the rule at the chosen one', () => {
  for (const params of [{}, { rank: 1 }, { d_q: 64, d_k: 64, rank: 64, seed: 5, generator: 'torch' }]) {
    const { parameters, variance, ranks } = drawn(params);
    const y = logScale(withClass(parameters.node, 'axis-y')[0], 'y');
    circles(withClass(parameters.node, 'neutral')[0], 'point').forEach((point, i) => near(y(point.y), ranks.parameters[ranks.measured[i] - 1], 'parameters'));
    near(y(circles(parameters.node, 'chosen-rank')[0].y), ranks.at, 'at the rank');
    const v = logScale(withClass(variance.node, 'axis-y')[0], 'y');
    const scaled = withClass(variance.node, 'series').find(({ attrs }) => attrs.class.includes(' scaled'));
    circles(/** @type {VNode} */ (scaled), 'point').forEach((point, i) => near(v(point.y), ranks.divided[i].variance, 'variance'));
    for (const figure of [parameters, variance]) assert.equal(/** @type {any} */ (figure.drag).toValue(circles(figure.node, 'handle')[0].x, 0), ranks.rank);
  }
});

test('units stand in rows that the width can hold', () => {
  for (const units of [1, 2, 3, 5, 8, 9, 16, 31, 64]) {
    for (const [width, narrow] of /** @type {[number, boolean][]} */ ([[320, true], [559, true], [560, false], [974, false]])) {
      const { rows, columns, wide, gap, left } = unitGrid(units, width, narrow);
      assert.ok(rows * columns >= units && (rows - 1) * columns < units, 'no row is empty');
      assert.ok(left + columns * wide + (columns - 1) * gap.x <= width, `${units} at ${width}`);
      assert.ok(wide >= (narrow ? 50 : 80));
    }
  }
});

test('words of the small parts', () => {
  assert.deepEqual([0.358, -0.358, 0, 1e-9, -1e-9].map((value) => signed(value, 3)), ['+0.358', '−0.358', '0.000', '<0.001', '>−0.001']);
  assert.deepEqual(powers(-9, 0, 6), [-8, -6, -4, -2, 0]);
  assert.deepEqual(powers(-1, 0, 6), [-1, 0]);
  assert.equal(product('(QM)Kᵀ').map(textOf).join(''), '(QM)KT');
});

test('pointing at a mark rings it in its own figure alone', () => {
  for (const [figure, mark, ring] of [['weights', 'weight-2-3', 'cell-hover'], ['units', 'unit-4-2', 'ring'], ['falls', 'eps-5', 'ring'], ['costs', 'operations-2', 'hover-column'], ['parameters', 'factors-4', 'ring'], ['variance', 'scaled-16', 'ring']]) {
    const { drawing } = drawn({}, { hover: { figure, mark } });
    for (const each of drawing.figures) assert.equal(withClass(each.node, ring).length, each.id === figure ? 1 : 0, `${figure} ${mark} in ${each.id}`);
    assert.ok(drawing.figures.some(({ id, marks }) => id === figure && marks.some((each) => each.id === mark)));
  }
});

test('tables hold every value, for readers who do not see the picture', () => {
  const { weights, units, falls, costs, parameters, variance, pairs, fall, read, ranks } = drawn({ generator: 'torch' });
  assert.equal(weights.table.rows.length, 2 * pairs.queries);
  assert.deepEqual(weights.table.rows[1].slice(1), Array.from({ length: pairs.keys }, (_, k) => pairs.print(0, k)));
  assert.equal(units.table.rows.length, pairs.hidden);
  assert.equal(falls.table.rows.length, fall.eps.length);
  assert.deepEqual(costs.table.rows.slice(0, 4).map(([, n]) => n), read.parameters.map(count));
  assert.deepEqual(parameters.table.rows.map(([r]) => Number(r)), ranks.ranks);
  assert.equal(variance.table.rows.length, ranks.measured.length);
});
