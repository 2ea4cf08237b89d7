// Plate III on the real core: hatching is the mask, zero is zero, an empty row is named, and a cell of the mask edits a length.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { precise } from '../../web/chart/format.js';
import { TINT } from '../../web/chart/heatmap.js';
import plate from '../../web/plates/masked-softmax.js';
import { givenAs } from '../../web/plates/parts/mask-words.js';
import { maskLayout } from '../../web/plates/parts/mask-layout.js';
import { anyParams, drawsFrom, loadCore } from './support.js';
import { cellsOf, checkFigures, elements, textOf, withClass } from './support-chart.js';

/** @typedef {import('../../web/chart/types.js').VNode} VNode */

const core = await loadCore();
const study = /** @type {import('../../web/engine/types.js').Study} */ (core.describe().studies.find(({ id }) => id === 'masked-softmax'));

/**
 * @param {Record<string, any>} params
 * @param {{width?: number, uid?: string, hover?: {figure: string, mark: string} | null}} [env]
 */
function drawn(params, { width = 974, hover = null } = {}) {
  const result = core.run('masked-softmax', params);
  const drawing = plate.draw(result, { width, uid: 'u', params: result.params, hover });
  const [figure] = drawing.figures;
  const maps = withClass(figure.node, 'sequence').map((sequence) => withClass(sequence, 'heatmap'));
  return { result, drawing, figure, maps, series: (/** @type {string} */ name) => Array.from(/** @type {Float64Array} */ (result.series[name].data)) };
}

const square = { batch: 4, queries: 12, keys: 12, scores: 'normal' };
/** @type {Record<string, any>[]} */
const settings = [
  {}, { lens: '1,3;2,4', seed: 1 }, { ...square, lens: '12,0,5,9', causal: true }, { ...square, lens: '' }, { batch: 1, queries: 1, keys: 1, lens: '0' },
  { batch: 1, queries: 3, keys: 4, lens: '0,2,4;' }, { batch: 1, queries: 12, keys: 1, lens: '1', causal: true }, { batch: 3, queries: 1, keys: 12, lens: '12,1,0' },
  ...study.presets.map((preset) => preset.params),
  ...(() => {
    const draw = drawsFrom(5);
    return Array.from({ length: 20 }, () => anyParams(study, draw));
  })(),
];

test('the figure is whole at every setting and width', () => {
  for (const params of settings) {
    for (const width of [320, 358, 559, 560, 700, 974, 1300]) checkFigures(drawn(params, { width }).drawing, { uid: 'u', width });
  }
});

test('three maps a sequence: every score, the mask, every weight', () => {
  for (const params of settings) {
    for (const width of [358, 974]) {
      const { result, maps, series } = drawn(params, { width });
      const [batch, queries, keys] = ['batch', 'queries', 'keys'].map((key) => Number(result.params[key]));
      const allowed = series('allowed');
      assert.equal(maps.length, batch);
      maps.forEach((ofSequence, b) => {
        assert.equal(ofSequence.length, 3);
        const [scores, mask, weights] = ofSequence;
        const here = allowed.slice(b * queries * keys, (b + 1) * queries * keys);
        const [ofScores, ofMask, ofWeights] = [scores, mask, weights].map((map) => cellsOf(map, queries, keys));
        assert.ok(ofScores.every(({ excluded, tints }) => excluded === 0 && tints.length <= 1));
        // In row order, so each hatched cell is where the mask excludes.
        assert.deepEqual(ofMask.map(({ excluded, dots }) => [excluded, dots]), here.map((may) => [1 - may, may]));
        assert.deepEqual(ofWeights.map(({ excluded }) => excluded), here.map((may) => 1 - may));
        assert.ok(ofWeights.every(({ inks }, i) => inks.length <= here[i]), 'nothing excluded is inked');
      });
    }
  }
});

test('ink is the weight', () => {
  for (const params of settings) {
    const { result, maps, series } = drawn(params);
    const inks = maps.flatMap(([, , map]) => cellsOf(map, Number(result.params.queries), Number(result.params.keys))).map(({ inks: [ink = 0] }) => ink);
    assert.deepEqual(inks, series('weights').map((w) => Math.round(w * 100) / 100));
  }
});

test('a hidden weight prints 0, a small one never does', () => {
  let smallest = 1;
  for (const params of settings) {
    const { maps, series } = drawn(params);
    const allowed = series('allowed');
    const weights = series('weights');
    allowed.forEach((may, i) => { if (may === 0) assert.ok(Object.is(weights[i], 0), 'exactly +0'); });
    smallest = Math.min(smallest, ...weights.filter((w) => w > 0));
    for (const [, , map] of maps) {
      for (const text of withClass(map, 'print')) {
        const zero = textOf(text) === '0';
        assert.equal(zero, text.attrs.class.includes('value-excluded'), textOf(text));
        assert.ok(!/^0\.0+$/.test(textOf(text)));
      }
    }
  }
  assert.ok(smallest < 0.005, `the settings hold a weight that two decimals would round to zero: ${smallest}`);
});

test('an empty row is named at its end and explained', () => {
  for (const params of settings) {
    const { figure, drawing, series } = drawn(params);
    const empty = series('empty_rows').filter((value) => value === 1).length;
    assert.equal(withClass(figure.node, 'empty').length, empty);
    assert.equal(withClass(figure.node, 'sum').length, series('row_sums').length);
    assert.equal(withClass(figure.node, 'zero').length, empty);
    assert.equal(drawing.note === null, empty === 0);
  }
  const said = (/** @type {object} */ params) => {
    const { note } = drawn(params).drawing;
    return note && `${note.title} ${note.text.join('')}`;
  };
  assert.match(String(said({ lens: '1,3;2,0' })), /^One empty row\. Query 2 of sequence 2 keeps no key, for its valid length is 0\./);
  assert.match(String(said({ lens: '0,3' })), /^Two empty rows\. Both queries of sequence 1 keep no key/);
  assert.match(String(said({ ...square, lens: '0,3,3,0' })), /^24 empty rows\. All twelve queries of sequence 1 and all twelve queries of sequence 4 keep no key/);
  assert.match(String(said({ lens: '0,3;0,2' })), /^Two empty rows\. Query 1 of sequence 1 and query 1 of sequence 2 keep no key/);
});

test('row sums print one, and zero only for an empty row', () => {
  const { figure } = drawn({ lens: '0,3' });
  assert.deepEqual(withClass(figure.node, 'sum').map(textOf), ['0', '0', '1.000', '1.000']);
});

test('choosing a cell of the mask ends the length there, and choosing the end closes it', () => {
  for (const params of settings) {
    const { figure, result } = drawn(params);
    const [batch, queries, keys] = ['batch', 'queries', 'keys'].map((key) => Number(result.params[key]));
    const edits = figure.marks.filter((mark) => mark.edit);
    assert.equal(edits.length, batch * queries * keys);
    for (const { id, edit } of edits.filter((_, i) => i % 7 === 0)) {
      const [b, q, k] = id.split('-').slice(1).map((part) => Number(part) - 1);
      const before = result.series.valid_lens.data[b * queries + q];
      const given = givenAs(String(result.params.lens));
      const after = core.run('masked-softmax', { ...result.params, lens: edit?.value });
      const expected = given !== 'none' && before === k + 1 ? k : k + 1;
      result.series.valid_lens.data.forEach((length, i) => {
        const same = given === 'query' ? i === b * queries + q : Math.floor(i / queries) === b;
        assert.equal(after.series.valid_lens.data[i], same ? expected : length, `${result.params.lens} -> ${edit?.value}`);
      });
      assert.equal(edit?.param, 'lens');
      assert.ok(edit?.label.endsWith(` to ${expected}`));
    }
  }
});

test('every key of the shown mask has its reason', () => {
  const { figure } = drawn({ batch: 1, queries: 4, keys: 4, lens: '2', causal: true });
  const text = (/** @type {string} */ id) => figure.marks.find((mark) => mark.id === id)?.text;
  assert.equal(text('mask-1-1-1'), 'sequence 1, query 1, key 1: allowed');
  assert.equal(text('mask-1-1-2'), 'sequence 1, query 1, key 2: excluded, after query 1');
  assert.equal(text('mask-1-4-3'), 'sequence 1, query 4, key 3: excluded, beyond valid length 2');
  assert.equal(text('mask-1-1-3'), 'sequence 1, query 1, key 3: excluded, beyond valid length 2 and after query 1');
  assert.match(String(text('weights-1-1-3')), /: weight 0, beyond/);
});

test('the ink of a score is its place between the least and the greatest of the batch, at most what its digits can be read on', () => {
  const { maps, series } = drawn({ batch: 2, queries: 3, keys: 4, lens: '4,2', scores: 'normal', seed: 6 });
  const scores = series('scores');
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  const tints = maps.flatMap(([map]) => cellsOf(map, 3, 4).map(({ tints: [tint = 0] }) => tint));
  scores.forEach((score, i) => assert.ok(Math.abs(tints[i] - (TINT * (score - low)) / (high - low)) < 0.0051, `${i}: ${tints[i]}`)); // in hundredths
});

test('the table holds every score, weight and sum', () => {
  const { figure, series } = drawn({ lens: '2,0' });
  const weights = figure.table.rows.filter(([head]) => head.endsWith('weights')).flatMap((row) => row.slice(1, -1));
  assert.deepEqual(weights, series('weights').map((w, i) => precise(w) + (series('allowed')[i] ? '' : ' (masked)')));
  const scores = figure.table.rows.filter(([head]) => head.endsWith('scores')).flatMap((row) => row.slice(1, -1));
  assert.deepEqual(scores, series('scores').map(precise));
  assert.equal(figure.table.rows[figure.table.rows.length - 1].at(-1), '0 (empty)');
});

test('the summary says what each sequence keeps', () => {
  const { summary } = drawn({ lens: '2,0' }).drawing;
  assert.match(summary, /Sequence 1, valid length 2: each query keeps 2 keys\. Sequence 2, valid length 0: each query keeps 0 keys; queries 1 and 2 are empty\./);
});

test('matrices share one cell size, are aligned and do not overlap', () => {
  let rows = 0;
  for (const width of [320, 358, 560, 640, 760, 974, 1300]) {
    for (const [batch, queries, keys] of [[4, 12, 12], [1, 1, 1], [2, 2, 4], [3, 12, 1], [2, 6, 6], [1, 1, 12]]) {
      const { size, sequences, height, sumsX, stacked } = maskLayout({ width, batch, queries, keys, narrow: width < 560 });
      rows += stacked ? 0 : 1;
      assert.ok(!(width < 560) || stacked, 'a phone stacks');
      const boxes = sequences.flatMap(({ maps }) => maps.map(({ x, y }) => ({ x, y, right: x + keys * size, bottom: y + queries * size })));
      boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => {
        assert.ok(a.right < b.x || b.right < a.x || a.bottom < b.y || b.bottom < a.y, 'apart');
      }));
      for (const box of boxes) assert.ok(box.right < sumsX && box.bottom <= height && sumsX + 60 <= width + 1, `${width}: sums at ${sumsX}`);
      for (const { maps } of sequences) maps.forEach((map, m) => assert.ok(stacked ? map.x === maps[0].x : map.y === maps[0].y && map.x === sequences[0].maps[m].x));
    }
  }
  assert.ok(rows > 10, 'and a wide page does not');
});

test('hover frames one cell', () => {
  const { figure } = drawn({}, { hover: { figure: 'maps', mark: 'weights-2-1-3' } });
  assert.equal(withClass(figure.node, 'cell-hover').length, 1);
  assert.equal(elements(drawn({}).figure.node).length + 1, elements(figure.node).length);
});
