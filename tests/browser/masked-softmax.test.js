// The plate "Masked softmax" in Chromium: what it shows is the core's, lengths are edited in place, zeros and empty rows are named.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadCore } from '../web/support.js';
import { cellsOf, openPlate, part, plain, prints, setting, shown, shows } from './support.js';

const made = setting();
const core = await loadCore();
/** @param {Record<string, any>} [params] */
const run = (params) => plain(core.run('masked-softmax', params));

test('the numbers are the bits of the core, in table and cells, for every preset', async () => {
  const { page, faults, hosts, close } = await openPlate(made, 'masked-softmax');
  await part(page, '.figure-maps details summary').click();
  const presets = core.describe().studies.find(({ id }) => id === 'masked-softmax')?.presets ?? [];
  assert.ok(presets.length > 0);
  assert.ok(presets.length >= 4);
  for (const preset of presets) {
    await part(page, `[data-preset="${preset.id}"]`).click();
    await shows(page, preset.params);
    const wanted = run(preset.params);
    assert.deepEqual(await shown(page), wanted, preset.id);
    const [batch, queries, keys] = ['batch', 'queries', 'keys'].map((key) => Number(wanted.params[key]));
    const { scores, weights, row_sums: sums, allowed, empty_rows: empty } = wanted.series;
    const rows = await cellsOf(page, '.figure-maps table');
    assert.equal(rows.length, 2 * batch * queries);
    for (let row = 0; row < batch * queries; ++row) {
      const [, ...scoreCells] = rows[2 * row];
      const [, ...weightCells] = rows[2 * row + 1];
      for (let k = 0; k < keys; ++k) {
        const at = row * keys + k;
        assert.ok(prints(scoreCells[k], scores[at]), `${preset.id} score ${at}: ${scoreCells[k]} for ${scores[at]}`);
        const [printed, mark = ''] = weightCells[k].split(' ');
        assert.ok(prints(printed, weights[at]), `${preset.id} weight ${at}: ${weightCells[k]} for ${weights[at]}`);
        assert.equal(mark, allowed[at] === 1 ? '' : '(masked)');
        if (allowed[at] === 0) assert.equal(printed, '0');
      }
      assert.match(weightCells[keys], empty[row] === 1 ? /^0 \(empty\)$/ : new RegExp(`^${sums[row].toFixed(3)}$`));
    }
    // printed in the map itself: as many exact zeros as masked keys
    const zeros = await part(page, '.figure-maps svg text').evaluateAll((texts) => texts.filter((text) => text.textContent === '0').length);
    assert.equal(zeros, allowed.filter((each) => each === 0).length + empty.filter((each) => each === 1).length, preset.id);
  }
  assert.deepEqual(faults, []);
  assert.deepEqual([...hosts], [new URL(made.site.url).host]);
  await close();
});

test('valid lengths are edited in place: per sequence, per query, none', async () => {
  const { page, faults, close } = await openPlate(made, 'masked-softmax');
  const fields = part(page, '[data-key="lens"] input[type="number"]');
  const mode = (/** @type {string} */ name) => part(page, '[data-key="lens"] label').filter({ hasText: name });
  assert.equal(await fields.count(), 2);
  assert.equal(await fields.first().getAttribute('aria-label'), 'valid length of sequence 1');
  await fields.first().fill('4');
  await shows(page, { lens: '4,3' });
  await fields.last().press('ArrowDown');
  await shows(page, { lens: '4,2' });
  await mode('per query').click();
  await shows(page, { lens: '4,4;2,2' });
  assert.equal(await fields.count(), 4);
  assert.equal(await fields.nth(3).getAttribute('aria-label'), 'valid length of sequence 2, query 2');
  await fields.nth(1).fill('0');
  await shows(page, { lens: '4,0;2,2' });
  await mode('none').click();
  await shows(page, { lens: '' });
  assert.equal(await fields.count(), 0);
  await mode('per sequence').click();
  await shows(page, { lens: '4,4' });
  assert.deepEqual(await shown(page), run({ lens: '4,4' }));
  assert.deepEqual(faults, []);
  await close();
});

test('a wrong length is refused beside its control, which keeps it', async () => {
  const { page, close } = await openPlate(made, 'masked-softmax');
  const field = part(page, '[data-key="lens"] input[type="number"]').first();
  const error = part(page, '[data-key="lens"] .control-error');
  for (const [entry, words] of [['5', 'sequence 1: 5 is not possible; whole numbers from 0 to 4'], ['-1', 'sequence 1: -1 is not possible; whole numbers from 0 to 4'],
    ['1.5', 'sequence 1: 1.5 is not possible; whole numbers from 0 to 4'], ['', 'sequence 1 needs a whole number from 0 to 4']]) {
    await field.fill(String(entry));
    await field.blur();
    await error.waitFor();
    assert.equal(await error.textContent(), words);
    assert.equal(await field.inputValue(), entry);
    assert.equal(await field.getAttribute('aria-invalid'), 'true');
    assert.equal(await part(page, '[data-key="lens"] [aria-invalid="true"]').count(), 1, 'the other field is not blamed');
    assert.equal((await shown(page)).params.lens, '2,3', 'the picture stands');
    await field.fill('2');
    await error.waitFor({ state: 'detached' });
  }
  await close();
});

test('a length that waits for more keys is taken when they are there', async () => {
  const { page, close } = await openPlate(made, 'masked-softmax');
  await part(page, '[data-key="lens"] input[type="number"]').first().fill('9');
  const error = part(page, '[data-key="lens"] .control-error');
  await error.waitFor();
  await part(page, '[data-key="keys"] input').press('ArrowRight');
  await error.filter({ hasText: 'sequence 1: 9 is not possible; whole numbers from 0 to 5' }).waitFor();
  await part(page, '[data-key="keys"] input').press('End');
  await shows(page, { keys: 12, lens: '9,3' });
  await error.waitFor({ state: 'detached' });
  assert.equal(await part(page, '[data-key="lens"] [aria-invalid="true"]').count(), 0);
  await close();
});

test('sizes move, lengths follow, and what changed is said', async () => {
  const { page, close } = await openPlate(made, 'masked-softmax');
  await part(page, '[data-key="keys"] input').press('Home');
  await shows(page, { keys: 1, lens: '1,1' });
  assert.match(await part(page, '.notice').textContent() ?? '', /lens\[0\] is 2; allowed are integers from 0 to 1.*1,1 is used/);
  await part(page, '[data-key="batch"] input').press('End');
  await shows(page, { batch: 4 });
  const { params } = await shown(page);
  assert.deepEqual(run(params), await shown(page));
  assert.equal(await part(page, '[data-key="lens"] input[type="number"]').count(), 4);
  await part(page, '[data-key="queries"] input').press('End');
  await part(page, '[data-key="keys"] input').press('End');
  await shows(page, { queries: 12, keys: 12 });
  await close();
});

test('causal and scores', async () => {
  const { page, close } = await openPlate(made, 'masked-softmax', '#batch=1&queries=3&keys=3&lens=');
  await part(page, '[data-key="causal"] input').press('Space');
  await shows(page, { causal: true });
  const { series } = await shown(page);
  assert.deepEqual(series.allowed, [1, 0, 0, 1, 1, 0, 1, 1, 1]);
  await part(page, '[data-key="scores"] label').filter({ hasText: 'normal' }).click();
  await shows(page, { scores: 'normal' });
  await close();
});

test('an empty row is named in the map, in the note and in the summary', async () => {
  const { page, close } = await openPlate(made, 'masked-softmax', '#batch=2&lens=0,3');
  assert.match(await part(page, '.ruled-note').textContent() ?? '', /empty rows?\./);
  assert.ok((await part(page, '.figure-maps svg').textContent() ?? '').includes('empty'), 'at the end of the row');
  assert.match(await part(page, '.figure-maps p.visually-hidden').textContent() ?? '', /no key|empty/);
  assert.ok((await shown(page)).series.weights.slice(0, 8).every((weight) => weight === 0));
  await close();
});

test('cells by keyboard and by pointer: walk, read, choose', async () => {
  const { page, faults, close } = await openPlate(made, 'masked-softmax');
  const canvas = part(page, '.figure-maps .canvas');
  const tip = canvas.locator('.tip');
  await canvas.focus();
  await page.keyboard.press('ArrowRight');
  await tip.waitFor();
  assert.match(await tip.textContent() ?? '', /^sequence 1, query 1, key 1: score/);
  for (let i = 0; i < 6; ++i) await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => /key 3: excluded/.test(document.querySelector('attention-plate')?.shadowRoot?.querySelector('.tip')?.textContent ?? ''));
  assert.equal(await part(page, '[aria-live="polite"]').textContent(), await tip.textContent());
  await page.keyboard.press('Enter');
  await shows(page, { lens: '3,3' });
  const box = await canvas.boundingBox();
  assert.ok(box);
  // the first cell of the first mask, found by its tip
  await page.mouse.move(box.x + box.width * 0.5, box.y + 5);
  let found = false;
  for (let x = box.x; !found && x < box.x + box.width; x += 12) {
    await page.mouse.move(x, box.y + 90);
    found = /key 1: allowed/.test(await tip.textContent() ?? '') && await tip.isVisible();
    if (found) await page.mouse.click(x, box.y + 90);
  }
  assert.ok(found, 'the cell is found by hovering');
  await shows(page, { lens: '1,3' });
  assert.deepEqual(faults, []);
  await close();
});
