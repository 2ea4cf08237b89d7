// The plate "Sheets of masks" in Chromium: what it shows is the core's; the expression, the stack of sheets and the painting hand are
// three ways to the same text; errors stand with their character; the address restores it all.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadCore } from '../web/support.js';
import { openPlate, part, plain, setting, shown, shows } from './support.js';

const made = setting();
const core = await loadCore();
/** @param {Record<string, any>} [params] */
const run = (params) => plain(core.run('masks', params));
const text = '[data-key="mask"] .mask-text';
const rows = '[data-key="mask"] .sheet-row';

test('the numbers are the bits of the core for every preset, and mistakes say what goes wrong', async () => {
  const { page, faults, hosts, close } = await openPlate(made, 'masks');
  const study = core.describe().studies.find(({ id }) => id === 'masks');
  assert.ok(study && study.presets.filter(({ note }) => note).length === 10);
  for (const preset of study.presets) {
    await part(page, `[data-preset="${preset.id}"]`).click();
    await shows(page, preset.params);
    assert.deepEqual(await shown(page), run(preset.params), preset.id);
    const note = (await part(page, '.preset-note').innerText()).trim();
    assert.equal(note, preset.note ? `What goes wrong. ${preset.note}` : '');
  }
  assert.deepEqual(faults, []);
  assert.deepEqual([...hosts], [new URL(made.site.url).host]);
  await close();
});

test('the expression is typed in place; an error stands with its character and the figure keeps the last good mask', async () => {
  const { page, faults, close } = await openPlate(made, 'masks');
  const field = part(page, text);
  await field.fill('causal & window(3)');
  await shows(page, { mask: 'causal & window(3)' });
  await field.fill('causal & windw(3)');
  await part(page, '[data-key="mask"] .control-error').waitFor();
  assert.match(await part(page, '[data-key="mask"] .control-error span').innerText(), /^mask: at character 10, "windw" is not a kind of mask/);
  const lines = (await part(page, '[data-key="mask"] .caret').innerText()).split('\n');
  assert.equal(lines[1].indexOf('^'), 9);
  assert.equal(lines[0][9], 'w');
  assert.equal(await field.getAttribute('aria-invalid'), 'true');
  assert.equal((await shown(page)).params.mask, 'causal & window(3)');
  // Typed text stays as it is while its reader is in it; the canonical form comes when they leave.
  await field.fill('causal&window( 3 ) ');
  await part(page, '[data-key="mask"] .control-error').waitFor({ state: 'detached' });
  assert.equal(await field.inputValue(), 'causal&window( 3 ) ');
  await field.blur();
  assert.equal(await field.inputValue(), 'causal & window(3)');
  for (const [wrong, message] of [['documents(4,3)', /sum to 7, but there are 6 keys/], ['padding(9)', /length of sequence 0 is 9; allowed are 0 to 6/], ['window(0)', /allowed are whole numbers from 1/], ['', /expected a term/]]) {
    await field.fill(String(wrong));
    // The answer of the entry before may still stand there.
    await part(page, '[data-key="mask"] .control-error span').filter({ hasText: /** @type {RegExp} */ (message) }).waitFor();
  }
  assert.deepEqual(faults, []);
  await close();
});

test('the field follows a state from elsewhere, also while its reader is in it', async () => {
  const { page, faults, close } = await openPlate(made, 'masks');
  const field = part(page, text);
  const go = (/** @type {string} */ hash) => page.evaluate((each) => { location.hash = each; }, hash);
  const focused = () => page.evaluate(() => document.querySelector('attention-plate')?.shadowRoot?.activeElement?.className);
  await field.fill('none');
  await field.press('Enter');
  await shows(page, { mask: 'none' });
  await go('mask=chunks(2)');
  await shows(page, { mask: 'chunks(2)' });
  assert.deepEqual([await field.inputValue(), await focused()], ['chunks(2)', 'mask-text']);
  // what the core mends of it comes, too
  await field.fill('causal&window(2)');
  await shows(page, { mask: 'causal & window(2)' });
  assert.equal(await field.inputValue(), 'causal&window(2)', 'typing is left alone');
  await go('mask=padding(7)');
  await shows(page, { mask: 'padding(6)' });
  assert.equal(await field.inputValue(), 'padding(6)');
  assert.match(await part(page, '.notice').textContent() ?? '', /length of sequence 0 is 7; allowed are 0 to 6/);
  // neither does a refused text stay, which the plate has forgotten
  await field.fill('causal &');
  await part(page, '[data-key="mask"] .control-error').waitFor();
  await go('mask=chunks(3)');
  await shows(page, { mask: 'chunks(3)' });
  assert.deepEqual([await field.inputValue(), await part(page, '[data-key="mask"] .control-error').count()], ['chunks(3)', 0]);
  await field.pressSequentially(' & causal');
  await shows(page, { mask: 'chunks(3) & causal' });
  assert.deepEqual(faults, []);
  await close();
});

test('sheets are laid aside, stepped, moved, taken away and added', async () => {
  const { page, faults, close } = await openPlate(made, 'masks');
  await part(page, `${rows}:nth-child(3) input[type="checkbox"]`).click();
  await shows(page, { off: '3', mask: 'causal & window(2) & padding(3)' });
  assert.equal((await shown(page)).series.empty_rows[0], 0);
  await part(page, `${rows}:nth-child(3) button[aria-label$="up"]`).click();
  await shows(page, { off: '2', mask: 'causal & padding(3) & window(2)' });
  await part(page, `${rows}:nth-child(3) input[type="number"]`).fill('4');
  await shows(page, { mask: 'causal & padding(3) & window(4)' });
  await part(page, `${rows}:nth-child(1) button[aria-label^="take"]`).click();
  await shows(page, { off: '1', mask: 'padding(3) & window(4)' });
  await part(page, '[data-key="mask"] .sheet-kind').selectOption('documents');
  await part(page, '[data-action="add-sheet"]').click();
  await shows(page, { off: '1', mask: 'padding(3) & window(4) & documents(3,3)' });
  assert.deepEqual(await shown(page), run({ off: '1', mask: 'padding(3) & window(4) & documents(3,3)' }));
  assert.equal(await part(page, rows).count(), 3);
  assert.match(await part(page, '[aria-live="polite"]').innerText(), /is added as sheet 3/);
  assert.deepEqual(faults, []);
  await close();
});

test('numbers that must change together are stepped one after the other, and the refused one says so', async () => {
  const { page, faults, close } = await openPlate(made, 'masks', '#mask=documents(3,3)');
  const numbers = part(page, `${rows} input[type="number"]`);
  await numbers.first().press('ArrowUp');
  const error = part(page, '[data-key="mask"] .control-error');
  await error.filter({ hasText: 'sum to 7, but there are 6 keys' }).waitFor();
  assert.deepEqual(await numbers.evaluateAll((fields) => fields.map((field) => /** @type {HTMLInputElement} */ (field).value)), ['4', '3']);
  assert.equal(await part(page, text).inputValue(), 'documents(4,3)');
  assert.deepEqual(await numbers.evaluateAll((fields) => fields.map((field) => field.getAttribute('aria-invalid'))), ['true', null]);
  assert.equal(await numbers.first().getAttribute('aria-describedby'), await error.getAttribute('id'));
  assert.equal((await shown(page)).params.mask, 'documents(3,3)', 'the picture stands');
  await numbers.last().press('ArrowDown');
  await shows(page, { mask: 'documents(4,2)' });
  await error.waitFor({ state: 'detached' });
  assert.equal(await part(page, '[data-key="mask"] [aria-invalid]').count(), 0);
  assert.deepEqual(faults, []);
  await close();
});

test('the focus goes where a sheet goes, and nothing is added by looking through the kinds', async () => {
  const { page, close } = await openPlate(made, 'masks');
  const focused = () => page.evaluate(() => /** @type {any} */ (document.querySelector('attention-plate')).shadowRoot.activeElement?.getAttribute('aria-label'));
  await part(page, `${rows}:nth-child(1) button`).nth(1).focus();
  await page.keyboard.press('Enter');
  await shows(page, { mask: 'window(2) & causal & padding(3)' });
  assert.equal(await focused(), 'move causal down');
  await page.keyboard.press('Enter');
  await shows(page, { mask: 'window(2) & padding(3) & causal' });
  assert.equal(await focused(), 'move causal up', 'the last cannot go further down');
  await part(page, `${rows}:nth-child(3) button`).nth(2).focus();
  await page.keyboard.press('Enter');
  await shows(page, { mask: 'window(2) & padding(3)' });
  assert.equal(await focused(), 'take padding(3) away');
  await page.keyboard.press('Enter');
  await shows(page, { mask: 'window(2)' });
  assert.equal(await focused(), 'sheet 1, window(2), laid on');
  await part(page, '.sheet-kind').focus();
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Tab');
  assert.equal((await shown(page)).params.mask, 'window(2)');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => /** @type {any} */ (document.querySelector('attention-plate')).result.series.sheet_text.data.length === 2);
  await close();
});

test('cells are painted by pointer without holes, and by keyboard', async () => {
  const { page, faults, close } = await openPlate(made, 'masks', '#mask=causal&queries=12&keys=12&scores=equal');
  const canvas = part(page, '.canvas[data-figure="sheets"]');
  await canvas.scrollIntoViewIfNeeded();
  const place = (/** @type {number} */ row, /** @type {number} */ column) => page.evaluate(([r, c]) => {
    const root = /** @type {any} */ (document.querySelector('attention-plate')).shadowRoot;
    const maps = root.querySelectorAll('.canvas[data-figure="sheets"] svg .heatmap');
    const box = maps[maps.length - 1].querySelector('.cells-ground').getBoundingClientRect();
    return { x: box.left + ((c + 0.5) * box.width) / 12, y: box.top + ((r + 0.5) * box.height) / 12 };
  }, [row, column]);
  const from = await place(2, 0);
  const to = await place(11, 0);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y);  // one jump over ten cells
  await page.mouse.up();
  await page.waitForFunction(() => /** @type {any} */ (document.querySelector('attention-plate')).result.series.allowed.data[11 * 12] === 0);
  let { series, params } = await shown(page);
  for (let row = 0; row < 12; row++) assert.equal(series.allowed[row * 12], row < 2 ? 1 : 0, `row ${row}: ${params.mask}`);
  const words = /rows\(([^)]*)\)/.exec(params.mask)?.[1].split(',') ?? [];
  assert.deepEqual(words.map((word) => word[0]).join(''), '110000000000');
  assert.ok(words.every((word) => word.slice(1) === '1'.repeat(11)));
  // The same cell again opens it. The map has made room for the painted sheet, so it lies elsewhere now.
  const again = await place(2, 0);
  await page.mouse.move(again.x, again.y);
  await page.mouse.down();
  await page.mouse.up();
  await page.waitForFunction(() => /** @type {any} */ (document.querySelector('attention-plate')).result.series.allowed.data[24] === 1);
  // By keyboard: walk to a mark of the map and press space.
  await canvas.focus();
  await page.keyboard.press('Home');
  assert.match(await part(page, '.canvas[data-figure="sheets"] .tip').innerText(), /query 1, key 1/);
  const before = (await shown(page)).params.mask;
  await page.keyboard.press(' ');
  await page.waitForFunction((mask) => /** @type {any} */ (document.querySelector('attention-plate')).result.params.mask !== mask, before);
  assert.match(await part(page, '[aria-live="polite"]').innerText(), /query \d+, key \d+: (closed|opened) on the painted sheet/);
  ({ series, params } = await shown(page));
  assert.deepEqual({ series, params }, run(params));
  assert.deepEqual(faults, []);
  await close();
});

test('the address holds the mask and restores it; a wrong one is mended with a notice', async () => {
  const first = await openPlate(made, 'masks');
  await part(first.page, text).fill('~(causal | padding(2)) & rows(111111,111111,101111,111111,111111,111111)');
  await shows(first.page, { mask: '~(causal | padding(2)) & rows(111111,111111,101111,111111,111111,111111)' });
  await first.page.waitForFunction(() => location.hash.includes('rows'));
  const hash = new URL(first.page.url()).hash;
  const wanted = await shown(first.page);
  await first.close();
  const again = await openPlate(made, 'masks', hash);
  assert.deepEqual(await shown(again.page), wanted);
  await again.close();
  const wrong = await openPlate(made, 'masks', '#mask=causal%20%26%26%20x&queries=4');
  await shows(wrong.page, { queries: 4, mask: 'causal & window(2) & padding(3)' });
  assert.match(await part(wrong.page, '.notice').innerText(), /at character 9, expected a term/);
  assert.deepEqual(wrong.faults, []);
  await wrong.close();
});

test('large masks are drawn as tiles, within the page', async () => {
  const { page, faults, close } = await openPlate(made, 'masks', '#mask=causal%20%26%20window(512)&queries=16384&keys=16384');
  const { series } = await shown(page);
  assert.deepEqual(series.tile, [256, 256]);
  assert.equal(series.weights.length, 0);
  assert.ok(series.density[0] > 0 && series.density[0] < 0.04);
  assert.deepEqual(faults, []);
  await close();
});
