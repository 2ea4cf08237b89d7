// Plate VI on the real core: every step printed, hatching is the mask, red is what should not be there, and no sentence says what did not happen.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import plate from '../../web/plates/precision.js';
import { spoils } from '../../web/plates/parts/format-layers.js';
import { readEvery, readLayers, readRow, verdictOf } from '../../web/plates/parts/format-row.js';
import { steps, valueText } from '../../web/plates/parts/format-trace.js';
import { fillName, numberIn, said } from '../../web/plates/parts/format-words.js';
import { anyParams, drawsFrom, loadCore, parameterOf } from './support.js';
import { checkFigures, elements, textOf, withClass } from './support-chart.js';

/** @typedef {import('../../web/chart/types.js').VNode} VNode */
/** @typedef {Record<string, any>} Settings */

const core = await loadCore();
const study = /** @type {import('../../web/engine/types.js').Study} */ (core.describe().studies.find(({ id }) => id === 'precision'));
const choices = (/** @type {string} */ key) => parameterOf(study, key).choices ?? [];

/** @param {Settings} params @param {{width?: number, hover?: {figure: string, mark: string} | null}} [env] */
function drawn(params, { width = 974, hover = null } = {}) {
  const result = core.run('precision', params);
  const drawing = plate.draw(result, { width, uid: 'u', params: result.params, hover });
  const [trace, formats, layers] = drawing.figures;
  return { result, drawing, trace, formats, layers, row: readRow(result), said: `${drawing.note?.title} ${(drawing.note?.text ?? []).join('')}`, headline: (drawing.headline ?? []).map((part) => (typeof part === 'string' ? part : Object.values(part)[0])).join('') };
}

/** All states of the study. */
const states = choices('row').flatMap((row) => choices('dtype').flatMap((dtype) => choices('accumulate').flatMap((accumulate) => choices('way').flatMap((way) =>
  choices('fill').flatMap((fill) => [false, true].map((zeroing) => ({ row, dtype, accumulate, way, fill, zeroing })))))));

const draw = drawsFrom(11);
/** @type {Settings[]} */
const settings = [{}, ...study.presets.map(({ params }) => params), ...Array.from({ length: 24 }, () => anyParams(study, draw))];

/** What a row of cells shows, read back from its paths. @param {VNode} cells */
function readCells(cells) {
  const frame = withClass(cells, 'cells-frame')[0].attrs;
  const texts = withClass(cells, 'print').map(textOf);
  const [x, wide] = [Number(frame.x), Number(frame.width) / texts.length];
  const under = (/** @type {string} */ name) => withClass(cells, name).flatMap(({ attrs }) => [...attrs.d.matchAll(/M(-?[\d.]+) -?[\d.]+h/g)].map(([, left]) => Math.round((Number(left) - x) / wide)));
  return { texts, closed: under('excluded'), wrong: under('wrong'), inked: under('inked') };
}

test('the figures are whole at every setting and width', () => {
  for (const params of settings) for (const width of [320, 358, 559, 560, 700, 974, 1300]) checkFigures(drawn(params, { width }).drawing, { uid: 'u', width, nan: true });
});

test('every step prints its values; hatched are the excluded keys, red what should not be there', () => {
  let wrongs = 0;
  for (const params of settings) {
    for (const width of [358, 974]) {
      const { row, trace } = drawn(params, { width });
      const all = steps(row);
      const shown = withClass(trace.node, 'number-cells').map(readCells);
      assert.equal(shown.length, all.length);
      const keys = (/** @type {(k: number) => boolean} */ has) => row.allowed.flatMap((_, k) => (has(k) ? [k] : []));
      all.forEach(({ id, values }, s) => {
        const { texts, closed, wrong, inked } = shown[s];
        const isNaNAt = keys((k) => Number.isNaN(values[k]));
        const bad = id === 'weights' ? keys((k) => Number.isNaN(values[k]) || (!row.allowed[k] && values[k] !== 0)) : isNaNAt;
        wrongs += bad.length;
        assert.deepEqual(wrong, bad, id);
        texts.forEach((text, k) => {
          assert.equal(text === 'NaN', Number.isNaN(values[k]));
          assert.equal(text === '0', values[k] === 0, `${id} ${text} ${values[k]}`);
          assert.equal(text === '−∞', values[k] === -Infinity);
          if (/NaN|∞|[<>]/.test(text)) return;
          // The lowest double in few digits reads as a number below it.
          const printed = Math.max(-Number.MAX_VALUE, Number(text.replaceAll('−', '-')));
          const within = id === 'weights' || id === 'exact' ? 0.0005001 : 0.03 * Math.abs(values[k]);
          assert.ok(Math.abs(printed - values[k]) <= within, `${id}: ${text} for ${values[k]}`);
        });
        if (id === 'scores') return assert.deepEqual([closed, wrong], [[], []]);
        const term = id === 'bias1' ? row.term1 : id === 'bias2' ? row.term2 : row.allowed;
        assert.deepEqual(closed, keys((k) => !term[k] && !bad.includes(k)), id);
        if (id === 'weights' || id === 'exact') assert.ok(inked.every((k) => row.allowed[k]), 'only an open key is inked');
      });
    }
  }
  assert.ok(wrongs > 100, `the settings hold what should not be there: ${wrongs}`);
});

test('in every state mark, word, colour and note agree with the core', () => {
  const kinds = new Set();
  for (const params of states) {
    const { row, trace, drawing, said: text, headline } = drawn(params, { width: 974 });
    const verdict = verdictOf(row.outcome);
    kinds.add(verdict);
    const good = row.outcome === 'exact';
    const [mark] = withClass(trace.node, 'verdict');
    assert.equal(mark.tag, good ? 'circle' : 'rect');
    assert.equal(textOf(withClass(trace.node, 'outcome-word')[0]), verdict === 'uniform' ? 'uniform' : row.outcome);
    assert.equal(drawing.note?.kind, good ? 'note' : 'warning');
    const [first] = drawing.headline ?? [];
    assert.ok(typeof first === 'object' && (good ? 'blue' : 'red') in first);
    assert.ok(headline.includes(verdict === 'leak' ? row.outcome : { exact: 'Exact', wrong: 'Wrong weights', uniform: 'Uniform over invalid keys', NaN: 'NaN' }[verdict]));
    assert.equal(/No key is left|No key survives/.test(text), !row.allowed.includes(true) && verdict !== 'uniform', text);
    assert.equal(headline.includes('No key is left'), row.empty);
  }
  assert.deepEqual([...kinds].sort(), ['NaN', 'exact', 'leak', 'uniform', 'wrong']);
});

test('the note says why, and only what the steps show', () => {
  /** Largest finite number of each format. @type {Record<string, number>} */
  const most = { float64: Number.MAX_VALUE, float32: 2 ** 128 - 2 ** 104, float16: 65504, bfloat16: 2 ** 128 - 2 ** 120 };
  const seen = { rounded: 0, sum: 0, narrow: 0, beyond: 0, zero: 0, level: 0, apart: 0 };
  for (const params of states) {
    const { row, said: text } = drawn(params);
    const closed = row.allowed.flatMap((may, k) => (may ? [] : [k]));
    const number = Number(row.fill);
    const narrow = Number.isFinite(row.fillValue) && -row.fillValue > most[row.accumulate];
    const has = (/** @type {keyof typeof seen} */ kind, /** @type {boolean} */ found, /** @type {boolean} */ expected) => {
      assert.equal(found, expected, `${kind}: ${JSON.stringify(params)}: ${text}`);
      if (found) seen[kind]++;
    };
    has('rounded', text.includes(`Rounded to ${row.dtype}`), Number.isFinite(row.fillValue) && Number.isFinite(number) && number !== row.fillValue);
    has('beyond', text.includes(`is beyond ${row.dtype}`), Number.isFinite(number) && -number > most[row.dtype]);
    has('sum', text.includes('Where both terms add it'), row.additive && Number.isFinite(row.fillValue) && closed.some((k) => !row.term1[k] && !row.term2[k]) && -2 * row.fillValue > most[row.dtype]);
    // What is −∞ already before the softmax does not turn into it there.
    if (!text.includes('Where both')) has('narrow', /has no such number|the format of the softmax/.test(text), narrow && closed.some((k) => Number.isFinite(row.filled[k])));
    has('zero', text.includes('The exponential of that is 0'), ['exact', 'wrong'].includes(row.verdict) && !row.zeroed);
    if (text.includes('The exponential of that is 0')) assert.ok(closed.every((k) => row.exponential[k] === 0));
    has('level', text.includes('they share alike'), row.verdict === 'exact' && row.name === 'large' && row.dtype === 'bfloat16');
    has('apart', text.includes('before it compares them'), row.error > 0.1 && row.outcome === 'wrong weights');
    if (row.verdict === 'NaN') assert.ok(row.rowMax === -Infinity && row.empty);
    if (row.verdict === 'uniform') {
      const sharing = closed.filter((k) => row.weights[k] !== 0);
      assert.ok(sharing.every((k) => row.weights[k] === row.weights[sharing[0]] && row.difference[k] === 0));
      assert.ok(text.includes(said(row.weights[sharing[0]])) && text.includes(said(row.rowMax)));
      assert.equal(text.includes('every key stands at the maximum'), sharing.length === 6);
    }
    if (row.verdict === 'leak' && !row.empty) {
      const top = (/** @type {boolean} */ open) => Math.max(...row.filled.filter((_, k) => row.allowed[k] === open));
      assert.ok(top(false) > top(true) && row.allowed.every((may, k) => !may || row.weights[k] === 0));
    }
    if (row.zeroed) assert.equal(text.includes('the row was NaN'), Number.isNaN(row.sum));
    assert.ok(!/undefined|NaN NaN|\$\{|  /.test(text), text);
  }
  for (const [kind, count] of Object.entries(seen)) assert.ok(count > 0, `${kind} was seen`);
});

test('the table is what each format and fill give, and rings the chosen one', () => {
  for (const params of settings) {
    for (const width of [358, 974]) {
      const { result, formats, row } = drawn(params, { width });
      const every = readEvery(result);
      const [ring] = withClass(formats.node, 'chosen-cell');
      assert.equal(withClass(formats.node, 'chosen-cell').length, 1);
      const chosen = formats.marks.filter(({ id, edit }) => id.startsWith('outcome-') && !edit);
      assert.equal(chosen.length, 1);
      assert.ok(Math.abs(chosen[0].x + 2 - Number(ring.attrs.x)) < 0.02 && Math.abs(chosen[0].y + 2.5 - Number(ring.attrs.y)) < 0.02);
      assert.ok(chosen[0].text.startsWith(`${row.dtype}, ${fillName(row.fill)}: ${row.outcome};`));
      assert.equal(withClass(formats.node, 'verdict').filter(({ tag }) => tag === 'circle').length, every.dtypes.flatMap((_, d) => every.fills.filter((__, f) => every.cell(d, f).outcome === 'exact')).length);
    }
  }
});

test('choosing a name or a cell leads where it says', () => {
  for (const params of settings.slice(0, 12)) {
    for (const width of [358, 974]) {
      const { formats, row, result } = drawn(params, { width });
      for (const { id, text, edit } of formats.marks) {
        if (!edit) continue;
        const after = readRow(core.run('precision', { ...result.params, [edit.param]: edit.value }));
        if (!id.startsWith('outcome-')) {
          assert.equal(text, edit.param === 'dtype' ? `scores in ${after.dtype}` : `fill ${fillName(after.fill)}`);
          continue;
        }
        const [format, fill] = text.split(':')[0].split(', ');
        assert.equal(fillName(after.fill), fill, 'the fill of its column');
        if (fill === fillName(row.fill) || format === row.dtype) assert.ok(text.startsWith(`${after.dtype}, ${fillName(after.fill)}: ${after.outcome}; the fill is ${valueText(after.fillValue)}`), text);
      }
    }
  }
});

test('one NaN spoils every position in the next layer, and none in the core', () => {
  const { result, layers } = drawn({});
  const model = readLayers(result);
  assert.deepEqual(spoils(model, 0), [0, 1, 2].map((to) => ({ stage: 1, from: 3, to })));
  assert.deepEqual(spoils(model, 1), []);
  for (const to of [0, 1, 2]) assert.equal(model.weight(0, 1, to, 3), 0);
  const [plain, ours] = withClass(layers.node, 'layers-panel');
  assert.equal((withClass(plain, 'spoils')[0].attrs.d.match(/M/g) ?? []).length, 3);
  assert.equal(withClass(ours, 'spoils')[0].attrs.d, '');
  assert.equal(elements(plain, 'text').filter((text) => textOf(text) === 'NaN').length, 9);
  assert.ok(elements(plain, 'text').some((text) => textOf(text) === '0 × NaN'));
  assert.equal(elements(ours, 'text').filter((text) => textOf(text).includes('NaN')).length, 0);
});

test('tables hold every value, for readers who do not see the picture', () => {
  for (const params of settings.slice(0, 10)) {
    const { trace, formats, layers, row, result } = drawn(params);
    const values = trace.table.rows.map((cells) => cells.slice(1, 7));
    assert.deepEqual(values, steps(row).map((step) => step.values.map(valueText)));
    assert.ok(trace.table.rows.some((cells) => cells[7] === row.outcome));
    const every = readEvery(result);
    assert.deepEqual(formats.table.rows.map(([name]) => name), every.dtypes);
    formats.table.rows.forEach((cells, d) => cells.slice(1).forEach((cell, f) => assert.ok(cell.startsWith(every.cell(d, f).outcome) && cell.endsWith(`; ${valueText(every.cell(d, f).fill)}`))));
    assert.equal(layers.table.rows.flat().filter((cell) => cell === 'NaN and NaN').length, 9);
  }
});

test('numbers keep the digits that the room holds, and never turn into another kind', () => {
  assert.deepEqual([-65504, -1e6, -1e9, -999424, -998244352, 0, -10002, -9999.25].map((v) => numberIn(v, 1000, 15)), ['−65504', '−1e6', '−1e9', '−999424', '−998244352', '0', '−10002', '−9999.25']);
  assert.deepEqual([-1.7976931348623157e308, -3.4028234663852886e38, 0.6065306663513184].map((v) => numberIn(v, 78, 15)), ['−1.798e308', '−3.403e38', '0.6065']);
  assert.equal(numberIn(-1.7976931348623157e308, 56, 13), '−1.8e308');
  assert.equal(numberIn(NaN, 10, 15), 'NaN');
  assert.equal(numberIn(1.1253517471925912e-7, 60, 13), '1.125e−7');
  assert.deepEqual([-65504, -9999.25, 0.16666666666666666, -1e9].map(said), ['−65504', '−9999.25', '0.1667', '−1e9']);
});

test('pointing at a cell frames it', () => {
  for (const [figure, mark] of [['trace', 'filled-5'], ['formats', 'outcome-2-3'], ['layers', 'value-1-2-1']]) {
    const { drawing } = drawn({}, { hover: { figure, mark } });
    assert.deepEqual(drawing.figures.map(({ id, node }) => [id, withClass(node, 'cell-hover').length]), drawing.figures.map(({ id }) => [id, id === figure ? 1 : 0]));
    assert.ok(drawing.figures.some(({ marks }) => marks.some(({ id }) => id === mark)));
  }
});
