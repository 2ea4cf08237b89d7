// The plate "Batched attention" in Chromium: its numbers are the core's, tables are edited in place, NaN is marked and stays behind the mask,
// sizes go down to nothing, and shapes that do not fit are answered in the framework's words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadCore } from '../web/support.js';
import { openPlate, part, plain, setting, shown, shows, unfold } from './support.js';

/** @import { Page } from 'playwright-core' */

const made = setting();
const core = await loadCore();
/** @param {Record<string, any>} [params] */
const run = (params) => plain(core.run('batched', params));

/** Clicks a cell of a matrix, counted from 1. @param {Page} page @param {string} stage @param {[number, number]} cell @param {[number, number]} of rows and columns */
async function choose(page, stage, [row, column], [rows, columns]) {
  const frame = part(page, `.flow-${stage} .cells-frame`);
  await frame.scrollIntoViewIfNeeded();
  const box = await frame.boundingBox();
  assert.ok(box);
  await page.mouse.click(box.x + ((column - 0.5) * box.width) / columns, box.y + ((row - 0.5) * box.height) / rows);
}

/** Words in the first figure. @param {Page} page */
const words = (page) => part(page, '.figure-flow svg text').allTextContents();

test('the numbers are the bits of the core, for every preset', async () => {
  const { page, faults, hosts, close } = await openPlate(made, 'batched');
  const presets = core.describe().studies.find(({ id }) => id === 'batched')?.presets ?? [];
  assert.ok(presets.length >= 6);
  for (const preset of presets) {
    await part(page, `[data-preset="${preset.id}"]`).click();
    await shows(page, preset.params);
    const { params } = await shown(page);
    assert.deepEqual(await shown(page), run(params), preset.id);
  }
  assert.deepEqual(faults, []);
  assert.deepEqual([...hosts], [new URL(made.site.url).host]);
  await close();
});

test('a value typed as nan behind the mask moves nothing and is marked; at an allowed key it comes through', async () => {
  const { page, faults, close } = await openPlate(made, 'batched', '#training=false');
  const before = (await shown(page)).series.output;
  await unfold(page);
  await part(page, '[data-key="value_entries"] summary').click();
  const entry = (/** @type {string} */ at) => part(page, `[data-key="value_entries"] [data-entry="${at}"]`);
  assert.equal(await entry('0:0').inputValue(), String(Number(run().series.values[0].toPrecision(5))), 'what was drawn, to be edited');
  /** Whoever enters a field finds all its digits. @param {string} at @param {string} text */
  const type = async (at, text) => {
    await entry(at).focus();
    await entry(at).fill(text);
  };
  // key 5 of the first sequence, whose valid length is 2
  await type('4:1', 'nan');
  await part(page, '.figure-flow svg text').filter({ hasText: /^NaN$/ }).waitFor();
  assert.deepEqual((await shown(page)).series.output, before, 'not a bit of the output moves');
  assert.match(await part(page, '.figures > .ruled-note').textContent() ?? '', /does not come through.*masked/);
  assert.ok((await words(page)).includes('1 not finite'));
  assert.equal(await part(page, '.flow-values .wrong').count(), 1);
  assert.equal(await part(page, '.flow-output .wrong').count(), 0);
  // key 2 is allowed
  await type('1:2', '-inf');
  await part(page, '.flow-output .wrong').waitFor({ state: 'attached' });
  const after = (await shown(page)).series.output;
  assert.deepEqual(after.map((each, i) => (Number.isFinite(each) ? each === before[i] : i)), [true, true, 2, true, true, true, true, true]);
  assert.equal(after[2], -Infinity);
  assert.match(await part(page, '.figures > .ruled-note.warning').textContent() ?? '', /One entry of the output is not finite/);
  // an entry that is none is refused, and stays where it was typed
  await type('2:0', 'many');
  await part(page, '[data-key="value_entries"] .control-error').waitFor();
  assert.match(await part(page, '[data-key="value_entries"] .control-error').textContent() ?? '', /many/);
  assert.doesNotMatch(await part(page, '[data-key="value_entries"] .control-error').textContent() ?? '', /value_entries/);
  await part(page, '[data-key="dropout_seed"] input').fill('-1');
  await part(page, '[data-key="dropout_seed"] .control-error').waitFor();
  assert.equal(await part(page, '[data-key="dropout_seed"] .control-error').textContent(), 'seed of dropout is -1; allowed are integers from 0 to 4294967295', 'by the name of the field');
  await part(page, '[data-key="dropout_seed"] input').fill('0');
  await part(page, '[data-key="dropout_seed"] .control-error').waitFor({ state: 'detached' });
  assert.equal(await entry('2:0').inputValue(), 'many');
  assert.deepEqual((await shown(page)).series.output, after, 'the picture stands');
  await part(page, '[data-action="draw-table"]').click();
  await shows(page, { value_entries: '' });
  assert.deepEqual((await shown(page)).series.output, before);
  assert.deepEqual(faults, []);
  await close();
});

test('cells are chosen in the figure: NaN and back, and the length of the mask', async () => {
  const { page, faults, close } = await openPlate(made, 'batched', '#training=false');
  const before = (await shown(page)).series.output;
  await choose(page, 'values', [2, 7], [4, 10]);
  await part(page, '.flow-values .wrong').waitFor({ state: 'attached' });
  const { series } = await shown(page);
  assert.ok(Number.isNaN(series.values[6 * 4 + 1]));
  assert.deepEqual(series.output, before);
  await choose(page, 'values', [2, 7], [4, 10]);
  await shows(page, { value_entries: '' });
  await choose(page, 'queries', [1, 2], [1, 2]);
  await part(page, '.flow-output .wrong').waitFor({ state: 'attached' });
  assert.ok((await shown(page)).series.output.slice(0, 4).every(Number.isNaN), 'a query without a number has no answer');
  await choose(page, 'queries', [1, 2], [1, 2]);
  await shows(page, { query_entries: '' });
  await choose(page, 'allowed', [1, 4], [1, 10]);
  await shows(page, { lens: '4,6' });
  assert.ok((await shown(page)).series.weights.slice(0, 4).every((weight) => weight > 0));
  // another sequence, from the weights of the batch
  const frame = part(page, '.figure-stored .cells-frame');
  await frame.scrollIntoViewIfNeeded();
  const box = await frame.boundingBox();
  assert.ok(box);
  await page.mouse.click(box.x + 12, box.y + box.height * 0.75);
  await shows(page, { sequence: 2 });
  assert.ok((await words(page)).includes('sequence 2of 2'));
  assert.deepEqual(faults, []);
  await close();
});

test('zero keys, no query and an empty batch are results', async () => {
  const { page, faults, close } = await openPlate(made, 'batched');
  await unfold(page);
  await part(page, '[data-key="keys"] input').press('Home');
  await shows(page, { keys: 0, lens: '0,0' });
  const { series } = await shown(page);
  assert.deepEqual(series.output, Array(8).fill(0));
  assert.match(await part(page, '.figures > .ruled-note').textContent() ?? '', /No keys\..*zero/);
  await part(page, '[data-key="queries"] input').press('Home');
  await shows(page, { queries: 0 });
  assert.deepEqual((await shown(page)).series.output, []);
  assert.match(await part(page, '.figures > .ruled-note').textContent() ?? '', /No queries/);
  assert.equal(await part(page, '.figure-sums').count(), 0, 'no row has a sum');
  await part(page, '[data-key="batch"] input').press('Home');
  await shows(page, { batch: 0 });
  assert.match(await part(page, '.figures > .ruled-note').textContent() ?? '', /An empty batch/);
  assert.match(await part(page, '.headline').textContent() ?? '', /output\s\(0,\s0,\s4\)$/);
  await part(page, '[data-action="reset"]').click();
  await shows(page, { batch: 2, queries: 1, keys: 10 });
  await part(page, '.figure-sums').waitFor();
  assert.deepEqual(faults, []);
  await close();
});

test('shapes that do not fit are told by axis, in the framework’s words', async () => {
  const { page, faults, close } = await openPlate(made, 'batched');
  const figure = part(page, '.figure-shapes svg');
  const size = (/** @type {string} */ key, /** @type {number} */ axis) => part(page, `[data-key="${key}"] [data-entry="0:${axis}"]`);
  assert.equal(await figure.locator('.tie.scaled').count(), 2);
  await unfold(page);
  await size('right', 1).fill('5');
  await shows(page, { right: '2,5,6' });
  assert.equal(await figure.locator('.tie.unscaled').count(), 1);
  assert.match(await figure.textContent() ?? '', /4 and 5 differ/);
  const said = (await figure.locator('.framework-words text').allTextContents()).join(' ');
  assert.equal(said, `PyTorch: ${run({ right: '2,5,6' }).series.product_shape[0]}`);
  assert.match(said, /\[2, 4\] but got: \[2, 5\]/);
  await size('left', 0).fill('3');
  await shows(page, { left: '3,3,4' });
  assert.match(await figure.textContent() ?? '', /3 and 2 differ/);
  await size('right', 0).fill('3');
  await size('right', 1).fill('4');
  await shows(page, { right: '3,4,6' });
  assert.deepEqual((await shown(page)).series.product_sizes, [3, 3, 6]);
  // half a row is no size
  await size('left', 1).fill('2.5');
  await part(page, '[data-key="left"] .control-error').waitFor();
  assert.equal((await shown(page)).params.left, '3,3,4');
  assert.deepEqual(faults, []);
  await close();
});

test('dropout by its slider and its switch: the weights that are kept stay the same', async () => {
  const { page, faults, close } = await openPlate(made, 'batched', '#sequence=2');
  const before = (await shown(page)).series;
  assert.notDeepEqual(before.pooled, before.weights);
  await part(page, '[data-key="training"] input').press('Space');
  await shows(page, { training: false });
  const still = (await shown(page)).series;
  assert.deepEqual(still.pooled, still.weights, 'evaluation passes the weights on');
  assert.deepEqual(still.weights, before.weights);
  assert.ok((await words(page)).includes('no dropout'));
  await part(page, '[data-key="training"] input').press('Space');
  await part(page, '[data-key="dropout"] input[type="range"]').press('End');
  await shows(page, { dropout: 0.99, training: true });
  assert.deepEqual((await shown(page)).series.weights, before.weights);
  assert.ok((await words(page)).some((each) => each.startsWith('dropout, p = 0.99')));
  assert.deepEqual(faults, []);
  await close();
});
