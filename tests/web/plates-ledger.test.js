// The ledger drawn from real results: every slot as text, verdicts that follow the texts, ranges where the core puts them, nothing pre-filled.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unrounded } from '../../web/chart/format.js';
import plate from '../../web/plates/ledger.js';
import { loadCore } from './support.js';
import { checkFigures, elements, textOf, withClass } from './support-chart.js';

const core = await loadCore();

/** Results by their settings: the same for every width. @type {Map<string, any>} */
const results = new Map();

/** @param {Record<string, any>} [params] @param {number} [width] @param {any} [hover] */
function drawn(params = {}, width = 974, hover = null) {
  const key = JSON.stringify(params);
  /** @type {ReturnType<typeof core.run>} */
  const result = results.get(key) ?? core.run('ledger', { runs: 40, ...params });
  results.set(key, result);
  const drawing = plate.draw(result, { width, uid: 'u', params: result.params, hover });
  const series = (/** @type {string} */ name) => Array.from(/** @type {ArrayLike<any>} */ (result.series[name].data));
  const tables = drawing.figures.filter(({ id }) => id.startsWith('table-'));
  const prose = drawing.figures[drawing.figures.length - 1];
  return { result, drawing, series, tables, prose, headline: (drawing.headline ?? []).map((part) => (typeof part === 'string' ? part : Object.values(part)[0])).join('') };
}

/** Every slot as it stands in the pictures: our text, the printed one, and the shape of its mark. @param {ReturnType<typeof drawn>} of */
const slotsIn = ({ tables }) => tables.flatMap(({ node }) => withClass(node, 'slot').map((slot) => ({
  ours: textOf(withClass(slot, 'ours')[0]), printed: textOf(withClass(slot, 'printed')[0]), mark: withClass(slot, 'verdict')[0].tag,
})));

for (const width of [320, 358, 600, 974, 1400]) {
  for (const params of [{}, { offset: 1 }, { generator: 'jax' }, { generator: 'torch', offset: 1000, seed: 4294967295 }]) {
    test(`sound figures at ${width} with ${JSON.stringify(params)}`, () => checkFigures(drawn(params, width).drawing, { uid: 'u', width }));
  }
}

test('112 of 112: eight tables, each number as text beside the printed one, each with an open circle', () => {
  const made = drawn();
  assert.equal(made.tables.length, 8);
  const slots = slotsIn(made);
  assert.equal(slots.length, 112);
  assert.deepEqual(slots.filter(({ ours, printed }) => ours !== printed), []);
  assert.ok(slots.every(({ mark }) => mark === 'circle'));
  assert.equal(made.headline, '112 of 112 printed numbers come out again.');
  const sorted = (/** @type {string[]} */ texts) => [...texts].sort();
  assert.deepEqual(sorted(slots.map(({ printed }) => printed)), sorted(made.series('printed')), 'the printed texts are the core’s');
  for (const { node, summary } of made.tables) {
    assert.match(textOf(withClass(node, 'table-verdict')[0]), /^(\d+) of \1 match$/);
    assert.match(summary, /match\./);
  }
});

test('another seed: the texts change, and every verdict follows its two texts', () => {
  const made = drawn({ offset: 1 });
  const slots = slotsIn(made);
  const differ = slots.filter(({ ours, printed }) => ours !== printed);
  assert.ok(differ.length > 75 && differ.length < 112, `${differ.length} differ`);
  for (const { ours, printed, mark } of slots) assert.equal(mark, ours === printed ? 'circle' : 'rect', `${ours} for ${printed}`);
  assert.equal(made.headline, `${112 - differ.length} of 112 printed numbers come out again; ${differ.length} differ. 1 is added to every seed.`);
  assert.ok(made.tables.some(({ node }) => / differ$/.test(textOf(withClass(node, 'table-verdict')[0]))));
  assert.deepEqual(slots.map(({ printed }) => printed), slotsIn(drawn()).map(({ printed }) => printed), 'what is printed stays');
});

test('one framework alone has its four tables; both stand side by side, table for table', () => {
  const titles = (/** @type {ReturnType<typeof drawn>} */ { tables }) => tables.map(({ node }) => textOf(withClass(node, 'framework')[0]));
  assert.deepEqual(titles(drawn({ generator: 'jax' })), Array(4).fill('JAX'));
  assert.deepEqual(titles(drawn({ generator: 'torch' })), Array(4).fill('PyTorch'));
  const both = drawn();
  assert.deepEqual(titles(both), ['JAX', 'PyTorch', 'JAX', 'PyTorch', 'JAX', 'PyTorch', 'JAX', 'PyTorch']);
  for (let i = 0; i < 8; i += 2) assert.equal(textOf(withClass(both.tables[i].node, 'about')[0]), textOf(withClass(both.tables[i + 1].node, 'about')[0]));
  assert.match(drawn({ generator: 'jax' }).headline, /^56 of 56 /);
});

test('every slot can be pointed at, and says entry, both texts, verdict and the value before rounding', () => {
  const { tables, series } = drawn({ offset: 3 });
  const marks = tables.flatMap(({ marks: list }) => list);
  assert.deepEqual(marks.map(({ id }) => Number(id.replace('slot-', ''))).sort((a, b) => a - b), series('slot'));
  for (const { id, text } of marks) {
    const i = Number(id.replace('slot-', '')) - 1;
    assert.equal(text, `${series('entry')[i]}: ours ${series('ours')[i]}, in print ${series('printed')[i]}: ${series('verdict')[i] === 'match' ? 'match' : 'differs'}; unrounded ${unrounded(series('value')[i])}`);
  }
  const table = drawn({}, 974, { figure: 'table-1', mark: 'slot-3' }).tables[0];
  assert.equal(withClass(table.node, 'cell-hover').length, 1);
});

test('the near tie shows its unrounded value', () => {
  const { tables } = drawn({ generator: 'torch' });
  const tie = tables.flatMap(({ marks }) => marks).filter(({ text }) => text.includes('in print 0.2584'));
  assert.equal(tie.length, 1);
  assert.match(tie[0].text, /unrounded 0\.2583500\d+$/);
});

test('the tables for screen readers hold a record a slot', () => {
  const rows = drawn({ offset: 1 }).tables.flatMap(({ table }) => table.rows);
  assert.equal(rows.length, 112);
  for (const [, ours, printed, verdict] of rows) assert.equal(verdict, ours === printed ? 'match' : 'differs');
});

test('rows are the print’s; where one is broken, only whole rows are ruled off', () => {
  for (const width of [358, 974]) {
    for (const { node, table } of drawn({}, width).tables) {
      const rows = new Set(table.rows.map(([entry]) => entry.replace(/\[\d+\]$|, .*/, '')));
      assert.equal(withClass(node, 'row-rule').length, rows.size - 1);
    }
  }
});

test('prose: band, mean and printed number stand where the core puts them, on one measure a line', () => {
  for (const width of [358, 974]) {
    const { prose, series } = drawn({ runs: 80 }, width);
    const rows = withClass(prose.node, 'prose-range');
    assert.equal(rows.length, 7);
    rows.forEach((row, i) => {
      const [band] = withClass(row, 'band');
      const from = Number(band.attrs.x);
      const to = from + Number(band.attrs.width);
      const [low, high, mean, printed] = ['low', 'high', 'mean', 'printed'].map((name) => series(`prose_${name}`)[i]);
      const at = (/** @type {number} */ value) => from + ((value - low) * (to - from)) / (high - low);
      const tick = Number(/^M([\d.]+) /.exec(withClass(row, 'mean-tick')[0].attrs.d)?.[1]);
      const diamond = Number(/^M([\d.]+) /.exec(withClass(row, 'printed-mark')[0].attrs.d)?.[1]);
      assert.ok(Math.abs(tick - at(mean)) < 0.1, `mean of ${i}`);
      assert.ok(Math.abs(diamond - at(printed)) < 0.5, `printed of ${i}`);
      assert.equal(textOf(withClass(row, 'in-print')[0]), String(printed));
    });
    const kinds = rows.map(({ attrs }) => attrs.class.split(' ')[1]);
    assert.deepEqual(kinds, ['scaled', 'unscaled', 'neutral', 'unscaled', 'unscaled', 'scaled', 'unscaled']);
  }
});

test('prose: the chance in words is the core’s share of the runs asked for', () => {
  const { prose, series } = drawn({ runs: 320, seed: 5 });
  const borne = withClass(prose.node, 'borne').map(textOf);
  assert.deepEqual(borne, series('prose_chance').map((share) => `borne out by ${Math.round(share * 320)} of 320 fresh runs`));
  withClass(prose.node, 'below').map(textOf).forEach((text, i) => {
    const share = Number(/(\d+)%/.exec(text)?.[1]) / 100;
    assert.ok(Math.abs(share - series('prose_below')[i]) <= 0.0051, text);
  });
  assert.equal(prose.marks.length, 7);
  assert.equal(prose.table.rows.length, 7);
});

test('all and none are said of all and none only, and after six numbers that differ the rest are others', () => {
  const { result } = drawn();
  const told = (/** @type {Record<string, any>} */ series) => plate.draw({ ...result, series: { ...result.series, ...series } }, { width: 974, uid: 'u', params: result.params, hover: null });
  const below = { ...result.series.prose_below, data: Float64Array.of(0, 0.004, 0.126, 0.5, 0.994, 0.996, 1) };
  const shares = told({ prose_below: below }).figures.at(-1)?.table.rows.map((row) => row.at(-1));
  assert.deepEqual(shares, ['0%', '<1%', '13%', '50%', '99%', '>99%', '100%']);
  for (const count of [6, 7]) {
    // six numbers are the first table; the next is longer
    const verdict = { ...result.series.verdict, data: drawn().series('verdict').map((each, i) => (i >= 6 && i < 6 + count ? 'differs' : each)) };
    const [summary, ...more] = told({ verdict }).figures.map((each) => each.summary).filter((said) => said.includes('They are'));
    assert.deepEqual(more, []);
    assert.equal(summary.match(/ours/g)?.length, 6);
    assert.equal(summary.endsWith(' and others.'), count === 7);
  }
});

test('the emblem is one table alone', () => {
  const result = core.run('ledger', plate.emblem.params);
  const node = plate.emblem.draw(result, { width: 358, uid: 'e', params: result.params, hover: null });
  assert.equal(withClass(node, 'slot').length, 16);
  assert.ok(elements(node).length > 60);
});
