// The script of a plate: missing, of another build, early, late, twice.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pageAround, servePages, site } from './server.js';
import { live, open, setting } from './support.js';

const made = setting();
const script = '<script src="attention-plates.js" defer></script>';
const plate = '<attention-plate study="saturation" params="draws=8"><p id="picture">the static picture</p></attention-plate>';

/** Waits for the words that say why the plate stands still. @param {import('playwright-core').Page} page */
async function standsStill(page) {
  await page.waitForFunction(() => /** @type {HTMLElement} */ (document.querySelector('attention-plate')).dataset.state === 'still');
  assert.equal(await page.locator('#picture').isVisible(), true, 'the static picture stays');
  return await page.locator('attention-plate .error').textContent() ?? '';
}

test('a plate whose script is missing or of another build says so', async () => {
  const missing = await servePages({ pages: { '/page.html': pageAround(plate, script) }, missing: ['/plates/saturation.js'] });
  const { page, close } = await open(made.browser, `${missing.url}page.html`);
  assert.match(await standsStill(page), /stands still: the drawing of this plate could not be loaded from http.*plates\/saturation\.js/);
  // another study of the same element is none the worse for it
  await page.evaluate(() => document.querySelector('attention-plate')?.setAttribute('study', 'kernels'));
  await live(page);
  await close();
  const text = readFileSync(join(site, 'plates/saturation.js'), 'utf8');
  const other = await servePages({ pages: { '/page.html': pageAround(plate, script), '/plates/saturation.js': text.replace(/"[0-9a-f]{12}"/, '"000000000000"') } });
  const second = await open(made.browser, `${other.url}page.html`);
  assert.match(await standsStill(second.page), /another version/);
  await second.close();
});

test('a plate script may come before the bundle or after it, and twice', async () => {
  const own = '<script src="plates/saturation.js" defer></script>';
  for (const head of [own + script, script + own, own + own + script + own]) {
    const server = await servePages({ pages: { '/page.html': pageAround(plate, head) } });
    const { page, faults, close } = await open(made.browser, `${server.url}page.html`);
    await live(page);
    assert.deepEqual(faults, []);
    await close();
  }
});
