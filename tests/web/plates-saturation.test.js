// Plate II on the real core: what is drawn is what was computed, at every setting and width.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixed, precise } from '../../web/chart/format.js';
import { textWidth } from '../../web/chart/text.js';
import plate from '../../web/plates/saturation.js';
import { anyParams, drawsFrom, loadCore } from './support.js';
import { checkFigures, elements, idsOf, textOf, withClass } from './support-chart.js';

/** @typedef {import('../../web/chart/types.js').VNode} VNode */

const core = await loadCore();
const study = /** @type {import('../../web/engine/types.js').Study} */ (core.describe().studies.find(({ id }) => id === 'saturation'));

/**
 * @param {Record<string, any>} params
 * @param {{width?: number, uid?: string, hover?: {figure: string, mark: string} | null}} [env]
 */
function drawn(params, { width = 974, uid = 'u', hover = null } = {}) {
  const result = core.run('saturation', params);
  const drawing = plate.draw(result, { width, uid, params: result.params, hover });
  const [entropy, weights, jacobian] = drawing.figures;
  return { result, drawing, entropy, weights, jacobian, series: (/** @type {string} */ name) => Array.from(/** @type {Float64Array} */ (result.series[name].data)) };
}

/** Settings at the edges, and some at random. @type {Record<string, any>[]} */
const settings = [
  {}, { d: 4 }, { d: 512 }, { keys: 2 }, { keys: 128, unit: 'bits' }, { keys: 2, draws: 2, unit: 'bits', d: 512 }, { draws: 2, keys: 128 }, { d: 5, draws: 3 },
  ...(() => {
    const draw = drawsFrom(3);
    return Array.from({ length: 12 }, () => ({ ...anyParams(study, draw), draws: 2 + draw(60) }));
  })(),
];

test('every figure is whole at every setting and width', () => {
  for (const params of settings) {
    for (const width of [320, 358, 559, 560, 700, 819, 820, 974, 1300]) {
      const { drawing } = drawn(params, { width });
      checkFigures(drawing, { uid: 'u', width });
      assert.deepEqual(drawing.figures.map(({ id }) => id), ['entropy', 'weights', 'jacobian']);
    }
  }
});

test('a series has as many points as it has values, in order, at the height of its value', () => {
  for (const params of settings) {
    const { entropy, jacobian, series } = drawn(params);
    for (const [figure, name] of /** @type {const} */ ([[entropy, 'entropy'], [jacobian, 'jacobian']])) {
      /** @type {{y: number, value: number}[]} */
      const all = [];
      for (const kind of ['scaled', 'unscaled']) {
        const [line] = withClass(figure.node, 'series').filter(({ attrs }) => attrs.class === `series ${kind}`);
        const points = withClass(line, 'point').map(({ tag, attrs }) => (tag === 'circle'
          ? { x: Number(attrs.cx), y: Number(attrs.cy) } : { x: Number(attrs.x) + Number(attrs.width) / 2, y: Number(attrs.y) + Number(attrs.height) / 2 }));
        const values = series(`${name}_${kind}`);
        assert.equal(points.length, values.length);
        points.forEach((point, i) => { if (i > 0) assert.ok(point.x > points[i - 1].x); });
        const steps = points.slice(1).map((point, i) => point.x - points[i].x);
        assert.ok(Math.max(...steps) - Math.min(...steps) < 0.05, 'octaves are equally wide');
        all.push(...points.map(({ y }, i) => ({ y, value: values[i] })));
      }
      // One linear scale for both series: y = a - b value.
      const [low, high] = [all.reduce((a, b) => (a.value < b.value ? a : b)), all.reduce((a, b) => (a.value > b.value ? a : b))];
      const slope = (low.y - high.y) / (high.value - low.value);
      assert.ok(slope > 0);
      for (const { y, value } of all) assert.ok(Math.abs(low.y - slope * (value - low.value) - y) < 0.05);
    }
  }
});

test('bands are two standard errors', () => {
  const { entropy, series } = drawn({});
  const bands = withClass(entropy.node, 'band');
  assert.deepEqual(bands.map(({ attrs }) => attrs.fill), ['url(#u-entropy-scaled)', 'url(#u-entropy-unscaled)']);
  // An area is written out along its upper edge and back along its lower one.
  const ys = [...bands[1].attrs.d.matchAll(/[ML]([\d.]+),([\d.]+)/g)].map((match) => Number(match[2]));
  const half = ys.slice(0, 8).map((upper, i) => (ys[15 - i] - upper) / 2);
  const errors = series('entropy_unscaled_se');
  const means = series('entropy_unscaled');
  const line = withClass(entropy.node, 'series').find(({ attrs }) => attrs.class === 'series unscaled');
  const tops = withClass(/** @type {VNode} */ (line), 'point').map(({ attrs }) => Number(attrs.y));
  const unit = (tops[7] - tops[0]) / (means[0] - means[7]);
  half.forEach((h, i) => assert.ok(Math.abs(h - 2 * errors[i] * unit) < 0.03, `${h} px for ${errors[i]}`));
});

test('a band ends where values end: at zero, at even weights, at the norm of one half', () => {
  for (const params of [...settings, { d: 5, keys: 2, draws: 2 }]) {
    const { entropy, jacobian, series } = drawn(params);
    for (const [figure, name, most] of /** @type {const} */ ([[entropy, 'entropy', series('uniform_entropy')[0]], [jacobian, 'jacobian', 0.5]])) {
      const points = ['scaled', 'unscaled'].flatMap((kind) => {
        const line = /** @type {VNode} */ (withClass(figure.node, 'series').find(({ attrs }) => attrs.class === `series ${kind}`));
        return withClass(line, 'point').map(({ tag, attrs }, i) => ({
          y: tag === 'circle' ? Number(attrs.cy) : Number(attrs.y) + Number(attrs.height) / 2, value: series(`${name}_${kind}`)[i],
        }));
      });
      const [low, high] = [points.reduce((a, b) => (a.value < b.value ? a : b)), points.reduce((a, b) => (a.value > b.value ? a : b))];
      const height = (/** @type {number} */ value) => low.y - ((value - low.value) * (low.y - high.y)) / (high.value - low.value);
      const ys = withClass(figure.node, 'band').flatMap(({ attrs }) => [...String(attrs.d).matchAll(/[ML][\d.]+,([\d.]+)/g)].map((match) => Number(match[1])));
      assert.ok(ys.length >= 32);
      assert.ok(Math.min(...ys) >= height(most) - 0.3, `${name} ${JSON.stringify(params)}: ${Math.min(...ys)} above ${height(most)}`);
      assert.ok(Math.max(...ys) <= height(0) + 0.3, `${name} ${JSON.stringify(params)}`);
    }
  }
});

test('the rule stands at d, its values are the core’s, and dragging gives d back', () => {
  for (const d of [4, 5, 100, 128, 300, 511, 512]) {
    const { entropy, jacobian, series } = drawn({ d, draws: 16 });
    const printed = withClass(entropy.node, 'value').map(textOf);
    assert.deepEqual(printed, ['scaled', 'unscaled'].map((kind) => fixed(series(`at_entropy_${kind}`)[0], 2)));
    for (const figure of [entropy, jacobian]) {
      const [ring] = withClass(figure.node, 'handle');
      assert.equal(figure.drag?.param, 'd');
      const back = /** @type {number} */ (figure.drag?.toValue(Number(ring.attrs.cx), 0));
      assert.ok(Math.abs(back / d - 1) < 0.02 || Math.abs(back - d) <= 1, `${back} for ${d}`);
    }
  }
  const { entropy } = drawn({});
  const toValue = /** @type {NonNullable<typeof entropy.drag>} */ (entropy.drag).toValue;
  assert.deepEqual([toValue(-1000, 0), toValue(5000, 0)], [4, 512]);
  let last = 4;
  for (let x = 0; x < 974; x++) {
    const value = toValue(x, 0);
    assert.ok(Number.isInteger(value) && value >= last);
    last = value;
  }
  assert.equal(last, 512);
});

test('the even line names its number of keys and its unit', () => {
  const even = (/** @type {object} */ params) => withClass(drawn(params).entropy.node, 'reference').filter(({ tag }) => tag === 'text').map(textOf).join();
  assert.equal(even({ keys: 64 }), 'perfectly even, ln 64');
  assert.equal(even({ keys: 2 }), 'perfectly even, ln 2');
  assert.equal(even({ keys: 32, unit: 'bits' }), 'perfectly even, log2 32');
});

test('on a phone the rule never crosses the words of the even line', () => {
  for (const d of [4, 16, 40, 64, 80, 100, 128, 256, 512]) {
    for (const width of [320, 358, 559]) {
      const { entropy } = drawn({ d, draws: 2, keys: 128 }, { width });
      const [label] = withClass(entropy.node, 'reference').filter(({ tag }) => tag === 'text');
      const [ring] = withClass(entropy.node, 'handle');
      const [at, rule, long] = [Number(label.attrs.x), Number(ring.attrs.cx), textWidth(textOf(label), 14, true)];
      const [from, to] = label.attrs['text-anchor'] === 'end' ? [at - long, at] : [at, at + long];
      assert.ok(rule < from || rule > to, `d = ${d} at ${width}: ${from} to ${to} crossed at ${rule}`);
    }
  }
});

test('labels at the ends of the series do not touch', () => {
  for (const params of settings) {
    for (const width of [358, 974]) {
      for (const figure of drawn(params, { width }).drawing.figures.filter(({ id }) => id !== 'weights')) {
        const ys = withClass(figure.node, 'end-labels').flatMap((group) => elements(group, 'text')).map(({ attrs }) => Number(attrs.y)).sort((a, b) => a - b);
        ys.forEach((y, i) => { if (i > 0) assert.ok(y - ys[i - 1] >= 15.9, `${JSON.stringify(params)} ${figure.id}: ${ys}`); });
        const values = withClass(figure.node, 'value').map(({ attrs }) => Number(attrs.y));
        if (values.length === 2) assert.ok(Math.abs(values[0] - values[1]) >= 16.9);
      }
    }
  }
});

test('one bar a key, one measure, the largest named', () => {
  for (const params of settings) {
    const { weights, series } = drawn(params);
    const [up, down] = withClass(weights.node, 'bars')[0].children.map((group) => elements(/** @type {VNode} */ (group), 'rect'));
    const [unscaled, scaled] = [series('draw_weights_unscaled'), series('draw_weights_scaled')];
    assert.equal(up.length, unscaled.filter((w) => w > 0).length);
    assert.equal(down.length, scaled.filter((w) => w > 0).length);
    const outer = (/** @type {VNode} */ bar) => Number(bar.attrs.height) + (bar.attrs.class.includes('open') ? 1 : 0);
    const unit = outer(up.reduce((a, b) => (outer(a) > outer(b) ? a : b))) / Math.max(...unscaled);
    const tallest = Math.max(...down.map(outer));
    if (tallest > 2) assert.ok(Math.abs(tallest / unit - Math.max(...scaled)) < 0.01, 'the same measure below the line');
    const labels = withClass(weights.node, 'bar-label').map(textOf);
    assert.match(labels[0], new RegExp(`^key ${unscaled.indexOf(Math.max(...unscaled)) + 1}: `));
    assert.match(labels[1], new RegExp(`^key ${scaled.indexOf(Math.max(...scaled)) + 1}: `));
    assert.equal(weights.marks.length, Number(drawn(params).result.params.keys));
  }
});

test('tables, tips and readout say the core’s numbers', () => {
  const { entropy, weights, drawing, result, series } = drawn({ d: 100, draws: 40 });
  assert.equal(entropy.table.rows.length, 9, 'eight widths and the chosen one');
  const row = entropy.table.rows.find(([d]) => d === '100');
  assert.deepEqual(row?.slice(1), ['unscaled', 'scaled'].flatMap((kind) => [series(`at_entropy_${kind}`)[0], series(`at_entropy_${kind}_se`)[0]].map((v) => fixed(v, 4))));
  assert.deepEqual(weights.table.rows.map((cells) => cells[2]), series('draw_weights_unscaled').map(precise));
  assert.deepEqual(drawing.readout?.rows.map(([name]) => name), ['score spread', 'entropy, nats', 'keys in effect', 'largest weight', 'Jacobian norm']);
  assert.equal(drawing.readout?.rows[1][1], fixed(series('at_entropy_unscaled')[0], 3));
  assert.equal(drawing.readout?.rows[1][2], `± ${fixed(series('at_entropy_unscaled_se')[0], 3)}`);
  const tip = entropy.marks.find(({ id }) => id === 'unscaled-64');
  assert.ok(tip?.text.includes(fixed(series('entropy_unscaled')[4], 3)));
});

test('wherever one points in a figure there is one value, that of the nearest width', () => {
  for (const params of settings) {
    for (const figure of drawn(params).drawing.figures.filter(({ id }) => id !== 'weights')) {
      assert.equal(figure.marks.length, 16);
      const [left, right] = [Math.min(...figure.marks.map(({ x }) => x)), Math.max(...figure.marks.map(({ x, w }) => x + w))];
      const [top, bottom] = [Math.min(...figure.marks.map(({ y }) => y)), Math.max(...figure.marks.map(({ y, h }) => y + h))];
      const area = figure.marks.reduce((sum, { w, h }) => sum + w * h, 0);
      assert.ok(Math.abs(area / ((right - left) * (bottom - top)) - 1) < 0.02, 'they cover it once');
      for (const { x, w, y, h, cx, cy } of figure.marks) assert.ok(cx > x && cx < x + w && cy >= y - 1 && cy <= y + h + 1, 'each around its point');
    }
  }
});

test('hover rings one mark and changes nothing else; drawing is pure', () => {
  const plain = drawn({}).entropy.node;
  const hovered = drawn({}, { hover: { figure: 'entropy', mark: 'scaled-32' } }).entropy.node;
  assert.equal(withClass(hovered, 'ring').length, 1);
  assert.equal(elements(hovered).length, elements(plain).length + 1);
  assert.deepEqual(drawn({}).drawing.figures.map(({ node }) => node), drawn({}).drawing.figures.map(({ node }) => node));
});

test('two plates on a page share no id', () => {
  const [a, b] = ['a', 'b'].map((uid) => drawn({}, { uid }).drawing.figures.flatMap(({ node }) => idsOf(node)));
  assert.ok(a.length > 0);
  for (const id of a) assert.ok(!b.includes(id));
});

test('the measure of figure 2 does not jump while d moves', () => {
  const units = [4, 9, 32, 100, 512].map((d) => {
    const { weights } = drawn({ d, draws: 2 });
    return withClass(weights.node, 'axis-y').map(({ children }) => /** @type {VNode} */ (children[0]).attrs.d).join();
  });
  assert.equal(new Set(units).size, 1);
});

test('the approximation is dotted over the curves when asked for, where the core puts it', () => {
  const draw = (/** @type {Record<string, any>} */ params) => {
    const result = core.run('saturation', { draws: 20, ...params });
    return { result, drawing: plate.draw(result, { width: 974, uid: 'u', params: result.params, hover: null }) };
  };
  assert.equal(withClass(draw({}).drawing.figures[0].node, 'theory-line').length, 0);
  const { result, drawing } = draw({ theory: true });
  const [level, falling] = withClass(drawing.figures[0].node, 'theory-line');
  assert.match(level.attrs.class, /scaled/);
  const points = [...falling.attrs.d.matchAll(/[ML]([\d.]+) ([\d.]+)/g)].map((m) => Number(m[2]));
  const values = Array.from(/** @type {ArrayLike<number>} */ (result.series.theory_unscaled.data));
  assert.equal(points.length, values.length);
  const at = (/** @type {number} */ v) => points[0] + ((v - values[0]) * (points[32] - points[0])) / (values[32] - values[0]);
  points.forEach((y, i) => assert.ok(Math.abs(y - at(values[i])) < 0.2));
  assert.ok(drawing.readout?.rows.some(([name]) => name === 'deviation of Z'));
  checkFigures(drawing, { uid: 'u', width: 974 });
  assert.equal(withClass(draw({ theory: true, keys: 5 }).drawing.figures[0].node, 'unscaled').filter((node) => /theory/.test(node.attrs.class)).length, 0);
});
