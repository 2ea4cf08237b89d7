// The plate that measures its reader's machine: not before it is asked, by keyboard, with progress and cancel; what it measured is in the state.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { site } from './server.js';
import { live, open, part, setting, shown } from './support.js';

/** @import { Page } from 'playwright-core' */

const made = setting();
const file = 'the-price-of-attention.html';

/** Milliseconds that a measurement may take on a machine that does other things too. */
const LONG = 90000;

/** @param {Page} page */
const measure = (page) => part(page, '[data-action="measure"]');

/** @param {Page} page @param {string | RegExp} words */
async function says(page, words) {
  const state = part(page, '.measure-state');
  await page.waitForFunction(([selector, pattern]) => {
    const plate = document.querySelector('attention-plate');
    return new RegExp(pattern).test(plate?.shadowRoot?.querySelector(selector)?.textContent ?? '');
  }, /** @type {const} */ (['.measure-state', typeof words === 'string' ? words : words.source]), { timeout: LONG });
  return await state.textContent() ?? '';
}

/** Until what was measured is on show: it is set when the words are said, and the core draws after that. @param {Page} page */
async function timesShown(page) {
  await page.waitForFunction(() => /** @type {any} */ (document.querySelector('attention-plate')).result.params.times !== '');
  return shown(page);
}

test('measured by keyboard, in the state and in the address; forgotten again', async () => {
  const { page, faults, close } = await open(made.browser, `${made.site.url}${file}?simd=simd`);
  /** @type {string[]} */
  const asked = [];
  page.on('request', (request) => { asked.push(new URL(request.url()).pathname); });
  await live(page);
  assert.deepEqual(await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => /attn-(pool|fast|worker-fast)/.test(name))), [], 'nothing of it is loaded before');
  const button = measure(page);
  assert.equal(await button.textContent(), 'measure this machine');
  assert.deepEqual(await part(page, '.measure-state').evaluate((state) => [state.getAttribute('role'), state.textContent]), ['status', '']);
  await button.focus();
  await page.keyboard.press('Enter');
  await says(page, /measuring… \d+%/);
  assert.equal(await button.textContent(), 'cancel');
  assert.equal(await button.evaluate((self) => /** @type {ShadowRoot} */ (self.getRootNode()).activeElement === self), true, 'the focus stays');
  assert.match(await says(page, /^Measured/), /^Measured with fixed-width SIMD, in a worker\./);
  assert.ok(asked.some((path) => path.endsWith('/attn-fast.wasm')) && !asked.some((path) => path.endsWith('/attn-fast-relaxed.wasm')));
  assert.equal(await page.evaluate(() => /** @type {any} */ (document.querySelector('attention-plate')).build), 'simd');

  const { params, series } = await timesShown(page);
  assert.match(params.machine, /^(\d+(\.\d+)?,){2}\d+(\.\d+)?;(\d+(\.\d+)?,){2}\d+(\.\d+)?$/);
  const rows = String(params.times).split(';').map((row) => row.split(',').map(Number));
  assert.ok(rows.length > 3, `${rows.length} jobs`);
  for (const [key, median, lower, upper] of rows) {
    assert.ok(series.job_key.includes(key));
    assert.ok(lower > 0 && lower <= median && median <= upper);
  }
  assert.match(decodeURIComponent(new URL(page.url()).hash), /machine=/);
  assert.doesNotMatch(await part(page, '.print-link').textContent() ?? '', /machine|times/, 'paper gets no tables of times');
  assert.match(await part(page, '.print-link').textContent() ?? '', / · without what was measured — http/, 'and says so');

  // a link to other sizes and reset keep what was measured: it belongs to the machine
  const at = (/** @type {number} */ n) => page.waitForFunction((wanted) => /** @type {any} */ (document.querySelector('attention-plate')).result.params.n === wanted, n);
  await page.evaluate(() => { location.hash = '#n=512&m=512'; });
  await at(512);
  assert.deepEqual([(await shown(page)).params.machine, (await shown(page)).params.times], [params.machine, params.times]);
  await part(page, '[data-action="reset"]').click();
  await at(1024);
  assert.deepEqual([(await shown(page)).params.machine, (await shown(page)).params.times], [params.machine, params.times]);

  await part(page, '[data-action="forget"]').focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => /** @type {any} */ (document.querySelector('attention-plate')).result.params.machine === '');
  assert.equal(await button.evaluate((self) => /** @type {ShadowRoot} */ (self.getRootNode()).activeElement === self), true, 'the focus goes to the button beside');
  assert.equal(await button.textContent(), 'measure this machine');
  assert.deepEqual(faults, []);
  await close();
});

test('cancelled by the button, and by an edit; whatever the address says of workers is nothing to it', async () => {
  const { page, faults, close } = await open(made.browser, `${made.site.url}${file}?workers=abc`);
  await live(page);
  await measure(page).click();
  await says(page, /measuring… \d+%/);
  await measure(page).click();
  await says(page, /^Cancelled\.$/);
  assert.equal((await shown(page)).params.times, '');
  await measure(page).click();
  await says(page, /measuring… \d+%/);
  await page.evaluate(() => { /** @type {any} */ (document.querySelector('attention-plate')).params = { accelerator: 'H100' }; });
  await page.waitForFunction(() => /** @type {any} */ (document.querySelector('attention-plate')).result.params.accelerator === 'H100');
  assert.equal(await measure(page).textContent(), 'cancel', 'no job depends on the accelerator');
  await part(page, '[data-key="n"] input').first().press('ArrowLeft');
  await says(page, /the sizes have changed/);
  assert.deepEqual(faults, []);
  await close();
});

test('what stands in the way is said', async () => {
  const { page, close } = await open(made.browser, `${made.site.url}${file}?workers=abc&simd=avx`);
  await live(page);
  assert.equal(await says(page, /./), 'Nothing can be measured: simd is “avx”; allowed are “auto”, “simd” and “relaxed”.', 'before anything is pressed');
  await measure(page).click();
  assert.equal(await says(page, /^Not measured/), 'Not measured: simd is “avx”; allowed are “auto”, “simd” and “relaxed”.');
  await close();
});

test('from disk', async () => {
  const { page, faults, hosts, close } = await open(made.browser, pathToFileURL(join(site, file)).href);
  await live(page);
  await measure(page).click();
  await says(page, /^Measured/);
  assert.notEqual((await timesShown(page)).params.machine, '');
  assert.deepEqual([...hosts], []);
  assert.deepEqual(faults, []);
  await close();
});

test('rows of bars are walked by all arrows; both names where points coincide in the race have a tip; figures have names of their own', async () => {
  const { page, faults, close } = await open(made.browser, `${made.site.url}${file}`);
  await live(page);
  const tip = async (/** @type {string} */ figure) => (await part(page, `[data-figure="${figure}"] .tip`).textContent() ?? '').trim();
  await part(page, '[data-figure="passes"]').focus();
  for (const [key, said] of [['ArrowRight', 'scores written'], ['ArrowRight', 'scores read'], ['ArrowDown', 'weights written'], ['ArrowLeft', 'scores read']]) {
    await page.keyboard.press(key);
    assert.ok((await tip('passes')).startsWith(said), `${key}: ${await tip('passes')}`);
  }
  const names = await page.evaluate(() => [...document.querySelector('attention-plate')?.shadowRoot?.querySelectorAll('.canvas') ?? []].map((canvas) => canvas.getAttribute('aria-label') ?? ''));
  assert.deepEqual(names.map((name) => /^figure (\d)/.exec(name)?.[1]), ['1', '2', '3', '4', '5'], 'each figure is named by its number, those with a rule too');
  assert.deepEqual([names[2], names[3]], ['figure 3: queries n', 'figure 4: queries n']);
  for (const name of ['factored, width 64', 'factored, width 256']) {
    await part(page, '[data-figure="race"] .end-label').filter({ hasText: new RegExp(`^${name}$`) }).hover({ force: true });
    assert.ok((await tip('race')).startsWith(`${name}: `), await tip('race'));
  }
  assert.deepEqual(faults, []);
  await close();
});
