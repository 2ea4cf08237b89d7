// Plate VII on the real core: every matrix printed, lines end where the mask or dropout ends them, and what is not a number is marked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import plate from '../../web/plates/batched.js';
import { valueAt } from '../../web/plates/parts/flow-figure.js';
import { isOpen, isRead, isSeen, openKeys, readFlow, readShapes, readSums, shapeText, STAGES } from '../../web/plates/parts/flow-model.js';
import { entriesWith } from '../../web/plates/parts/flow-words.js';
import { anyParams, drawsFrom, loadCore, parameterOf } from './support.js';
import { checkFigures, elements, textOf, withClass } from './support-chart.js';

/** @typedef {import('../../web/chart/types.js').VNode} VNode */
/** @typedef {Record<string, any>} Settings */

const core = await loadCore();
const study = /** @type {import('../../web/engine/types.js').Study} */ (core.describe().studies.find(({ id }) => id === 'batched'));

/** @param {Settings} params @param {{width?: number, hover?: {figure: string, mark: string} | null}} [env] */
function drawn(params, { width = 974, hover = null } = {}) {
  const result = core.run('batched', params);
  const drawing = plate.draw(result, { width, uid: 'u', params: result.params, hover });
  const figure = (/** @type {string} */ id) => drawing.figures.find((each) => each.id === id);
  const plain = (/** @type {import('../../web/chart/types.js').Rich} */ rich) => rich.map((part) => (typeof part === 'string' ? part : Object.values(part)[0])).join('');
  return {
    result, drawing, flow: readFlow(result), sums: figure('sums'), said: drawing.note ? `${drawing.note.title} ${plain(drawing.note.text)}` : '', headline: plain(drawing.headline ?? []).replaceAll('\u00a0', ' '),
    way: /** @type {import('../../web/chart/types.js').Figure} */ (figure('flow')), stored: /** @type {import('../../web/chart/types.js').Figure} */ (figure('stored')), shapes: /** @type {import('../../web/chart/types.js').Figure} */ (figure('shapes')),
  };
}

const draw = drawsFrom(7);
/** The presets, sizes at their ends, and states that anything may be. @type {Settings[]} */
const settings = [{}, ...study.presets.map(({ params }) => params),
  { batch: 0, lens: '' }, { queries: 0, lens: '' }, { keys: 0, lens: '' }, { width: 0 }, { d: 0, width: 0, keys: 1, lens: '' }, { keys: 3, lens: '0,2', dropout: 0.99 },
  { batch: 4, queries: 8, keys: 12, d: 16, width: 8, lens: '0,3,12,7', sequence: 2, row: 5, draws: 20 }, { batch: 4, queries: 8, keys: 12, d: 16, identity: true, lens: '', sequence: 4, row: 8, draws: 20 },
  ...Array.from({ length: 24 }, () => core.repair('batched', { ...anyParams(study, draw), draws: 50 }).params)];

/** What a matrix shows, read back from its paths: cells of each kind, and the texts by cell. @param {VNode} block */
function readBlock(block) {
  const [matrix] = withClass(block, 'flow-cells');
  if (!matrix) return null;
  const frame = withClass(matrix, 'cells-frame')[0].attrs;
  const [x, y] = [Number(frame.x), Number(frame.y)];
  const lines = withClass(matrix, 'cells')[0].attrs.d;
  const columns = (lines.match(/v/g) ?? []).length + 1;
  const rows = (lines.match(/h/g) ?? []).length + 1;
  const [wide, high] = [Number(frame.width) / columns, Number(frame.height) / rows];
  const at = (/** @type {string} */ left, /** @type {string} */ top) => Math.round((Number(top) - y) / high) * columns + Math.round((Number(left) - x) / wide);
  const under = (/** @type {string} */ name, /** @type {RegExp} */ path) => withClass(matrix, name).flatMap(({ attrs }) => [...attrs.d.matchAll(path)].map(([, left, top]) => at(left, top))).sort((a, b) => a - b);
  const box = /M(-?[\d.]+) (-?[\d.]+)h/g;
  const texts = new Map(withClass(matrix, 'print').map((text) => [Math.floor((Number(text.attrs.y) - y) / high) * columns + Math.floor((Number(text.attrs.x) - x) / wide), textOf(text)]));
  return { rows, columns, texts, closed: under('excluded', box), wrong: under('wrong', box), inked: under('inked', box), dots: withClass(matrix, 'dots').flatMap(({ attrs }) => [...attrs.d.matchAll(box)]).length, dropped: under('dropped', /M(-?[\d.]+) (-?[\d.]+)l[\d.]+ /g) };
}

test('the figures are whole at every setting and width', () => {
  for (const params of settings) for (const width of [320, 358, 559, 560, 700, 819, 820, 974, 1300]) checkFigures(drawn(params, { width }).drawing, { uid: 'u', width, nan: true });
});

test('every matrix is the core’s: values, hatching, crosses and marks', () => {
  const seen = { printed: 0, wrong: 0, dropped: 0, closed: 0 };
  for (const params of settings) {
    for (const width of [358, 974]) {
      const { way, flow } = drawn(params, { width });
      const b = flow.sequence;
      for (const stage of STAGES) {
        const shown = readBlock(withClass(way.node, `flow-${stage}`)[0]);
        const turned = stage === 'keys' || stage === 'values' || (stage === 'output' && width > 560);
        const [, first, second] = flow.stages[stage].shape;
        const [rows, columns] = turned ? [second, first] : [first, second];
        if (b < 0 || rows === 0 || columns === 0) {
          assert.equal(shown, null);
          continue;
        }
        assert.ok(shown);
        assert.deepEqual([shown.rows, shown.columns], [rows, columns], stage);
        const cells = Array.from({ length: rows * columns }, (_, at) => ({ i: Math.floor(at / columns), j: at % columns }));
        const where = (/** @type {(cell: {i: number, j: number}) => boolean} */ has) => cells.flatMap((cell, at) => (has(cell) ? [at] : []));
        const value = (/** @type {{i: number, j: number}} */ { i, j }) => valueAt(flow, stage, width < 560, i, j);
        const bad = stage === 'allowed' ? [] : where((cell) => !Number.isFinite(value(cell)));
        const along = ['products', 'scaled', 'allowed', 'weights', 'pooled'].includes(stage);
        const closed = where((cell) => (stage === 'allowed' || stage === 'weights' || stage === 'pooled' ? !isOpen(flow, b, cell.i, cell.j) : stage === 'values' && !isSeen(flow, b, cell.j)) && Number.isFinite(value(cell)));
        assert.deepEqual(shown.wrong, bad, `${stage}: what is not finite`);
        assert.deepEqual(shown.closed, closed, `${stage}: what the mask excludes`);
        const dropped = stage === 'pooled' && flow.drops ? where(({ i, j }) => isOpen(flow, b, i, j) && !flow.kept(b, i, j)) : [];
        assert.deepEqual(shown.dropped, dropped, `${stage}: what is dropped`);
        if (stage === 'allowed') assert.equal(shown.dots, cells.length - closed.length);
        if (along && stage !== 'weights' && stage !== 'pooled') assert.deepEqual(shown.inked, []);
        for (const [at, text] of shown.texts) {
          const number = value(cells[at]);
          assert.equal(text === '0', number === 0, `${stage} ${text} ${number}`);
          assert.equal(text.includes('NaN'), Number.isNaN(number));
          seen.printed++;
          if (/NaN|∞|[<>]/.test(text)) continue;
          assert.ok(Math.abs(Number(text.replace('−', '-')) - number) <= 0.05001, `${stage}: ${text} for ${number}`);
        }
        for (const [kind, list] of /** @type {const} */ ([['wrong', bad], ['dropped', dropped], ['closed', closed]])) seen[kind] += list.length;
      }
    }
  }
  assert.ok(seen.printed > 2000 && seen.wrong > 10 && seen.dropped > 50 && seen.closed > 200, JSON.stringify(seen));
});

test('a line runs down a key as far as something flows', () => {
  for (const params of settings) {
    const { way, flow } = drawn(params);
    const b = flow.sequence;
    const lines = withClass(way.node, 'flow').flatMap(({ attrs }) => [...attrs.d.matchAll(/M/g)]).length;
    if (b < 0 || flow.queries === 0) {
      assert.equal(lines, 0);
      continue;
    }
    const keys = Array.from({ length: flow.keys }, (_, k) => k);
    const seen = keys.filter((k) => isSeen(flow, b, k)).length;
    // keys to products to scores to the mask; to weights and dropout; to values
    assert.equal(lines, 3 * flow.keys + 2 * seen + keys.filter((k) => isRead(flow, b, k)).length);
  }
});

test('the headline and the names have every shape, and row sums stand beside the weights', () => {
  for (const params of settings) {
    const { way, flow, headline, result } = drawn(params);
    for (const stage of /** @type {const} */ (['queries', 'keys', 'values', 'weights', 'output'])) assert.ok(headline.includes(shapeText(result.series[stage].shape)));
    const words = elements(way.node, 'text').map(textOf);
    for (const stage of STAGES) if (stage !== 'allowed' && (stage !== 'pooled' || flow.drops)) assert.ok(words.some((each) => each.startsWith(shapeText(result.series[stage].shape))), stage);
    if (flow.sequence >= 0 && flow.queries === 1) assert.ok(words.some((each) => each === `sum${result.series.pooled_sums.data[flow.sequence] === 0 ? '0' : Number(result.series.pooled_sums.data[flow.sequence]).toFixed(3)}`) || Number.isNaN(result.series.pooled_sums.data[flow.sequence]), words.join('|'));
  }
});

test('choosing a cell of the mask ends the length there, or closes it', () => {
  for (const params of settings.slice(0, 20)) {
    const { way, result, flow } = drawn(params);
    for (const { id, edit } of way.marks.filter((mark) => mark.id.startsWith('allowed-')).slice(0, 30)) {
      assert.ok(edit);
      const [i, j] = id.split('-').slice(1).map((part) => Number(part) - 1);
      const after = readFlow(core.run('batched', { ...result.params, [edit.param]: edit.value, draws: 10 }));
      const wanted = flow.given !== 'none' && openKeys(flow, flow.sequence, i) === j + 1 ? j : j + 1;
      assert.equal(openKeys(after, flow.sequence, i), wanted, `${id} of ${result.params.lens}: ${edit.value}`);
      assert.ok(edit.label.endsWith(` to ${wanted}`));
    }
  }
});

test('written out, the drawn tables are the same bits', () => {
  const { flow, result } = drawn({ draws: 10 });
  const text = (/** @type {'queries' | 'keys' | 'values'} */ stage) => entriesWith(flow, stage, 0, 0, 0, String(flow.stages[stage].at(0, 0, 0)));
  const own = core.run('batched', { draws: 10, query_entries: text('queries'), key_entries: text('keys'), value_entries: text('values') });
  for (const name of ['queries', 'keys', 'values', 'scaled', 'weights', 'output']) assert.deepEqual([...own.series[name].data], [...result.series[name].data], name);
});

test('NaN behind the mask leaves the output as it was; at an allowed key it is marked where it comes through', () => {
  const plainRun = core.run('batched', { training: false });
  const spoiled = (/** @type {string} */ mark) => {
    const { way, result } = drawn({ training: false });
    const { edit } = way.marks.find(({ id }) => id === mark) ?? assert.fail(mark);
    assert.equal(edit?.label, 'make it NaN');
    return drawn({ ...result.params, [edit.param]: edit.value });
  };
  for (const mark of ['values-2-7', 'keys-1-3', 'values-4-10']) {
    const { result, drawing, said, way } = spoiled(mark);
    assert.deepEqual([...result.series.output.data], [...plainRun.series.output.data], `${mark}: not a bit moves`);
    assert.equal(drawing.note?.kind, 'note');
    assert.match(said, /does not come through.*NaN in .*masked.*finite number/);
    const block = readBlock(withClass(way.node, `flow-${mark.split('-')[0]}`)[0]);
    assert.equal(block?.wrong.length, 1);
    assert.deepEqual(readBlock(withClass(way.node, 'flow-output')[0])?.wrong, []);
    assert.ok(elements(way.node, 'text').some((text) => textOf(text) === '1 not finite'));
  }
  const { result, drawing, said, way } = spoiled('values-3-2');
  assert.deepEqual([...result.series.output.data].map(Number.isNaN), [false, false, true, false, false, false, false, false]);
  assert.deepEqual([drawing.note?.kind, drawing.note?.title], ['warning', 'One entry of the output is not finite.']);
  assert.match(said, /NaN in the value of key 2 of sequence 1\. What an allowed key carries/);
  assert.deepEqual(readBlock(withClass(way.node, 'flow-output')[0])?.wrong, [2]);
  assert.equal(elements(way.node, 'text').filter((text) => textOf(text) === '1 not finite').length, 2, 'at the values and at the output');
  // choosing it again puts the draw back
  const again = way.marks.find(({ id }) => id === 'values-3-2')?.edit;
  assert.deepEqual([again?.param, again?.value], ['value_entries', '']);
  assert.ok(drawn({ identity: true }).way.marks.filter(({ id }) => id.startsWith('values-')).every(({ edit }) => edit === undefined), 'identity matrices are not the table’s');
});

test('what is not there is said, and zero keys give zero', () => {
  for (const [params, title, words] of /** @type {[Settings, RegExp, string][]} */ ([
    [{ batch: 0, lens: '' }, /^An empty batch/, 'no sequence'], [{ queries: 0, lens: '' }, /^No queries/, 'no queries'], [{ keys: 0, lens: '' }, /^No keys/, 'no keys'],
    [{ d: 0 }, /^No coordinates/, 'no coordinates'], [{ width: 0 }, /^Values without a column/, 'no columns'],
  ])) {
    const { said, way, drawing } = drawn(params);
    assert.match(said, title);
    assert.ok(elements(way.node, 'text').some((text) => textOf(text) === words), words);
    assert.equal(drawing.note?.kind, 'note');
  }
  const { result, said, way } = drawn({ keys: 0, lens: '' });
  assert.ok(result.series.output.data.length === 8 && [...result.series.output.data].every((each) => each === 0));
  assert.match(said, /zero, in every column/);
  assert.deepEqual([...readBlock(withClass(way.node, 'flow-output')[0])?.texts.values() ?? []], ['0', '0', '0', '0']);
  const empty = drawn({ lens: '0,6' });
  assert.match(empty.said, /^One empty row\. .*zero/);
  assert.equal(withClass(empty.stored.node, 'empty').length, 1);
});

test('the weights of the whole batch, with the sequence that is followed', () => {
  for (const params of settings) {
    const { stored, flow, result } = drawn(params);
    const weights = [...result.series.weights.data];
    assert.equal(stored.marks.length, flow.batch * flow.queries === 0 ? 0 : weights.length);
    for (const { text, edit } of stored.marks) {
      const [b, i, k] = (text.match(/\d+/g) ?? []).slice(0, 3).map((part) => Number(part) - 1);
      assert.equal(text.endsWith(', masked'), !isOpen(flow, b, i, k));
      if (b === flow.sequence) assert.equal(edit, undefined);
      else assert.deepEqual([edit?.param, edit?.value], ['sequence', b + 1]);
    }
    assert.equal(withClass(stored.node, 'handle').length, flow.batch > 1 && weights.length > 0 ? 1 : 0);
  }
});

test('two shapes: the product, or which sizes differ and what the framework says', () => {
  for (const [left, right, ties, product] of /** @type {[string, string, string[], number[] | null][]} */ ([
    ['2,3,4', '2,4,6', ['scaled', 'scaled'], [2, 3, 6]], ['2,3,4', '2,5,6', ['scaled', 'unscaled'], null], ['2,3,4', '3,4,6', ['unscaled', 'scaled'], null],
    ['2,3,4', '3,5,6', ['unscaled', 'unscaled'], null], ['0,3,4', '0,4,6', ['scaled', 'scaled'], [0, 3, 6]], ['2,3,0', '2,0,6', ['scaled', 'scaled'], [2, 3, 6]],
  ])) {
    for (const width of [320, 974]) {
      const { shapes, result } = drawn({ left, right, draws: 10 }, { width });
      const model = readShapes(result);
      assert.equal(model.fits, product !== null);
      assert.deepEqual(withClass(shapes.node, 'tie').map(({ attrs }) => attrs.class.split(' ')[2]), ties);
      assert.equal(withClass(shapes.node, 'framework-words').length, product ? 0 : 1);
      if (product) assert.deepEqual(withClass(shapes.node, 'shape-box').slice(2).flatMap((box) => withClass(box, 'print').map(textOf)), product.map(String));
      else {
        assert.equal(elements(withClass(shapes.node, 'framework-words')[0], 'text').map(textOf).join(' '), `PyTorch: ${model.said}`);
        assert.match(model.said, /batch/);
      }
    }
  }
});

test('the sums after dropout: bars are counts, the ring is the mean, one key is all or nothing', () => {
  for (const params of settings) {
    const { sums, flow, result } = drawn(params);
    const model = readSums(result, flow);
    assert.equal(sums === undefined, model === null);
    if (!sums || !model) continue;
    const bars = withClass(withClass(sums.node, 'sums')[0], 'bar');
    assert.equal(bars.length, model.counts.filter((each) => each > 0).length);
    assert.equal(model.counts.reduce((sum, each) => sum + each, 0), Number.isFinite(model.mean) ? model.draws : 0);
    const fate = withClass(sums.node, 'fate');
    assert.equal(fate.length, model.oneHot.length > 0 ? 1 : 0);
    if (fate.length > 0) assert.deepEqual(withClass(fate[0], 'bar-label').map(textOf), [...(model.oneHot[0] > 0 ? ['nothing'] : []), ...(model.oneHot[0] < model.draws ? ['all'] : [])]);
    assert.deepEqual(sums.marks.filter(({ id }) => id.startsWith('bin-')).map(({ text }) => Number(/: (\d+)/.exec(text)?.[1])), model.counts);
    const table = withClass(sums.node, 'numbers')[0];
    const cells = elements(table, 'text').map(textOf);
    assert.ok(cells.includes(flow.empty(flow.sequence, flow.query) ? '0' : '1'));
    if (Number.isFinite(model.predicted) && model.predicted > 0.0005) assert.ok(cells.includes(model.predicted.toFixed(3)), cells.join('|'));
  }
  const { sums } = drawn({ sequence: 2 });
  const [ring] = withClass(withClass(sums?.node ?? assert.fail(), 'measured')[0], 'handle');
  const mark = sums?.marks.find(({ id }) => id === 'mean');
  assert.ok(mark && Math.abs(mark.cx - Number(ring.attrs.cx)) < 0.01);
});

test('pointing at a cell frames it', () => {
  for (const [figure, mark] of [['flow', 'pooled-1-2'], ['stored', 'weight-2-3'], ['shapes', 'right-2'], ['sums', 'bin-3']]) {
    const { drawing } = drawn({}, { hover: { figure, mark } });
    assert.ok(drawing.figures.some(({ marks }) => marks.some(({ id }) => id === mark)), mark);
    assert.deepEqual(drawing.figures.map(({ node }) => withClass(node, 'cell-hover').length + withClass(node, 'hover-column').length), drawing.figures.map(({ id }) => (id === figure ? 1 : 0)));
  }
});

test('every control of the study stands in a row of the plate', () => {
  const placed = plate.controls.flat();
  assert.deepEqual([...placed].sort(), study.parameters.map(({ key }) => key).sort());
  for (const key of Object.keys(plate.drawn ?? {})) assert.equal(parameterOf(study, key).kind, 'numbers');
});
