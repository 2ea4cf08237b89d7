// What stands where a plate cannot: pictures by themselves and in its place, words for a bundle that does not arrive, and the frame offered for it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { dark, light } from '../../web/chart/theme.js';
import { servePages, site } from './server.js';
import { live, open, pages, setting } from './support.js';

const made = setting();

test('the frame offered at the foot of a page is as tall as its plate in 900 px', async () => {
  const { page, close } = await open(made.browser, made.site.url, { viewport: { width: 900, height: 700 } });
  for (const name of Object.values(pages)) {
    const offered = /embed\.html\?plate=([\w-]+)&quot;[^]*?height=&quot;(\d+)&quot;/.exec(readFileSync(join(site, name), 'utf8'));
    assert.ok(offered, name);
    await page.goto(`${made.site.url}embed.html?plate=${offered[1]}`);
    await live(page);
    const height = await page.evaluate(() => document.getElementById('embed')?.getBoundingClientRect().height ?? 0);
    // the type may set a line or two otherwise on another machine
    assert.ok(height <= Number(offered[2]) && height > Number(offered[2]) - 110, `${name}: ${height} px in ${offered[2]}`);
  }
  await close();
});

test('a picture opened by itself has its inks and its paper', async () => {
  for (const [colorScheme, paper] of /** @type {const} */ ([['light', light.paper], ['dark', dark.paper]])) {
    const { page, faults, close } = await open(made.browser, `${made.site.url}pictures/saturation.svg`, { colorScheme });
    const fill = await page.evaluate(() => getComputedStyle(/** @type {Element} */ (document.querySelector('.paper'))).fill);
    assert.equal(fill.match(/\d+/g)?.map((each) => Number(each).toString(16).padStart(2, '0')).join(''), paper.slice(1).toLowerCase(), colorScheme);
    assert.deepEqual(faults, []);
    await close();
  }
});

test('the picture that stands in fits a phone, and why it stands in is said above it', async () => {
  const server = await servePages({ missing: ['/plates/saturation.js'] });
  const { page, close } = await open(made.browser, `${server.url}embed.html?plate=saturation`, { viewport: { width: 360, height: 700 } });
  await page.locator('.error.still').filter({ hasText: 'plates/saturation.js' }).waitFor();
  await page.waitForFunction(() => (document.querySelector('img')?.getBoundingClientRect().height ?? 0) > 100);
  const [words, shown] = await Promise.all([page.locator('.error.still').boundingBox(), page.locator('img').boundingBox()]);
  assert.ok(words && shown && words.y + words.height <= shown.y && shown.x >= 0 && shown.x + shown.width <= 360, JSON.stringify({ words, shown }));
  assert.ok(shown.height > shown.width, 'its proportions are kept');
  await close();
});

test('a page whose bundle does not arrive says so above the plate and above the exercises; without scripts at all it says that', async () => {
  const missing = await servePages({ missing: ['/attention-plates.js'] });
  const { page, close } = await open(made.browser, `${missing.url}one-square-root.html`);
  const late = page.locator('#workshop > .scripts-late');
  assert.equal(await late.isVisible(), false, 'a slow script is given time');
  await page.evaluate(() => { for (const each of document.getAnimations()) each.finish(); });
  assert.match(await late.innerText(), /attention-plates\.js, has not arrived/);
  assert.ok(await late.isVisible() && await page.locator('#exercises > .scripts-late').isVisible());
  await close();
  const whole = await open(made.browser, `${made.site.url}one-square-root.html`);
  await live(whole.page);
  assert.equal(await whole.page.locator('.scripts-late').evaluateAll((all) => all.filter((each) => getComputedStyle(each).display !== 'none').length), 0);
  await whole.close();
  const none = await open(made.browser, `${made.site.url}one-square-root.html`, { javaScriptEnabled: false });
  const notes = none.page.locator('p.scripting-none');
  assert.deepEqual([await notes.count(), await notes.first().isVisible(), await notes.last().isVisible()], [2, true, true]);
  await none.close();
});
