// What stands where a plate cannot: pictures by themselves and in its place, words for a bundle that does not arrive, and the frame offered for it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { dark, light } from '../../web/chart/theme.js';
import { pageAround, servePages, site } from './server.js';
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
  await page.waitForFunction(() => (document.querySelector('attention-plate')?.shadowRoot?.querySelector('img')?.getBoundingClientRect().height ?? 0) > 100);
  const [words, shown] = await Promise.all([page.locator('.error.still').boundingBox(), page.locator('img').boundingBox()]);
  assert.ok(words && shown && words.y + words.height <= shown.y && shown.x >= 0 && shown.x + shown.width <= 360, JSON.stringify({ words, shown }));
  assert.ok(shown.height > shown.width, 'its proportions are kept');
  await close();
});

/** What stands in inside the element, and how wide. @param {import('playwright-core').Page} page */
async function standing(page) {
  await page.waitForFunction(() => /** @type {HTMLElement} */ (document.querySelector('attention-plate')).dataset.state === 'still' && document.querySelector('attention-plate')?.shadowRoot?.querySelector('.plate, .still-picture'));
  return page.evaluate(() => {
    const { shadowRoot: root } = /** @type {Element & {shadowRoot: ShadowRoot}} */ (document.querySelector('attention-plate'));
    const drawn = [...root.querySelectorAll('.figure svg')];
    return {
      words: root.querySelector('.error.still')?.textContent ?? '', picture: root.querySelector('img')?.getAttribute('src') ?? null, figures: drawn.length,
      marks: drawn.map((svg) => svg.querySelectorAll('path, text').length), boxes: drawn.map((svg) => svg.getAttribute('viewBox')?.split(' ')[2]),
      enabled: root.querySelectorAll(':is(input, button, select):enabled').length,
    };
  });
}

test('an empty element of another origin that may not compute shows its first setting, drawn for its width; where no drawing may come, a picture', async () => {
  const { origin } = new URL(made.site.url);
  const page = (/** @type {string} */ study) => pageAround(`<div id="column">${`<attention-plate study="${study}" params="lens=1"> </attention-plate>`}</div>`, `<script src="${origin}/attention-plates.js" defer></script>`);
  const scripts = (/** @type {string} */ allowed) => ({ 'Content-Security-Policy': `default-src 'self'; img-src data: ${origin}; connect-src ${origin}; script-src ${allowed}` });
  const host = await servePages({ pages: { '/small.html': page('masked-softmax'), '/large.html': page('kernels') }, headers: scripts(origin) });
  const { page: tab, faults, close } = await open(made.browser, `${host.url}small.html`, { viewport: { width: 1000, height: 800 } });
  const small = await standing(tab);
  assert.match(small.words, /stands still.*wasm-unsafe-eval.*first setting/);
  assert.ok(small.figures >= 1 && small.marks.every((count) => count > 10) && small.enabled === 0 && small.picture === null, JSON.stringify(small));
  await tab.setViewportSize({ width: 360, height: 800 });
  await tab.waitForFunction((box) => document.querySelector('attention-plate')?.shadowRoot?.querySelector('.figure svg')?.getAttribute('viewBox')?.split(' ')[2] !== box, small.boxes[0]);
  assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth) <= 360);
  await tab.goto(`${host.url}large.html`);
  const large = await standing(tab);
  assert.ok(large.figures === 4 && large.marks.every((count) => count > 10), JSON.stringify(large));
  assert.ok(faults.every((fault) => !fault.startsWith('exception')), faults.join('\n'));
  await close();
  const strict = await servePages({ pages: { '/small.html': page('masked-softmax') }, headers: scripts(`${origin}/attention-plates.js`) });
  const second = await open(made.browser, `${strict.url}small.html`);
  assert.deepEqual((({ picture, figures }) => ({ picture, figures }))(await standing(second.page)), { picture: `${origin}/pictures/masked-softmax.svg`, figures: 0 });
  await second.close();
});

test('a page that may not compute says that its picture is not of the state asked for, and not what a hand may do', async () => {
  const strict = await servePages({ headers: { 'Content-Security-Policy': "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:" } });
  const { page, close } = await open(made.browser, `${strict.url}one-square-root.html#d=8&keys=16`);
  const words = page.locator('attention-plate .error.still').first();
  await words.filter({ hasText: 'stands still' }).waitFor();
  assert.match(await words.innerText(), /It is shown at its first setting, whatever the address asks for \(d=8&keys=16\)\.$/);
  const caption = page.locator('attention-plate .static-wide figcaption').first();
  assert.match(await caption.innerText(), /two standard errors\.\s*$/);
  assert.match(await caption.textContent() ?? '', /Drag the rule\.$/, 'its place is kept');
  await close();
  const free = await open(made.browser, `${made.site.url}one-square-root.html`);
  await live(free.page);
  const moved = free.page.locator('attention-plate figcaption').filter({ visible: true }).first();
  assert.match(await moved.innerText(), /Drag the rule\.$/);
  await free.page.emulateMedia({ media: 'print' });
  assert.doesNotMatch(await moved.innerText(), /Drag the rule/);
  await free.close();
});

test('what stands in gives way to a live plate once another study can be computed', async () => {
  const server = await servePages({ pages: { '/page.html': pageAround('<attention-plate study="masks"></attention-plate>', '<script src="attention-plates.js" defer></script>') }, missing: ['/attn-masks.wasm', '/attn-inline-masks.js'] });
  const { page, close } = await open(made.browser, `${server.url}page.html`);
  assert.ok((await standing(page)).figures > 0);
  await page.evaluate(() => document.querySelector('attention-plate')?.setAttribute('study', 'saturation'));
  await live(page);
  assert.equal(await page.locator('attention-plate .plate').count(), 1);
  assert.equal(await page.locator('attention-plate .plate-saturation input:enabled').count() > 0, true);
  await close();
});

test('a frame that may not compute draws the first setting for its width, and tells the height of that without being looked at', async () => {
  const strict = await servePages({ headers: { 'Content-Security-Policy': "default-src 'self'; script-src 'self'" } });
  const host = await servePages({ pages: { '/host.html': pageAround(`<div style="height: 3000px"></div><iframe width="360" height="300" src="${strict.url}embed.html?plate=masked-softmax"></iframe>`,
    "<script>window.heights = []; addEventListener('message', ({ data }) => { if (data?.type === 'attention-plates:height') heights.push(data.height); });</script>") } });
  const { page, close } = await open(made.browser, `${host.url.replace('127.0.0.1', 'localhost')}host.html`);
  const [, frame] = page.frames();
  await frame.waitForFunction(() => (document.querySelector('attention-plate')?.shadowRoot?.querySelectorAll('.figure svg text').length ?? 0) > 10, null, { polling: 100 });
  await page.waitForFunction(() => /** @type {any} */ (window).heights.at(-1) > 1000);
  const height = await frame.evaluate(() => document.getElementById('embed')?.getBoundingClientRect().height ?? 0);
  assert.equal(await page.evaluate(() => /** @type {any} */ (window).heights.at(-1)), Math.ceil(height));
  assert.equal(await frame.evaluate(() => document.querySelectorAll('.embed-picture').length), 0);
  await close();
});

test('frames that nobody has scrolled to tell the height of their plates', async () => {
  const studies = ['saturation', 'kernels', 'masked-softmax', 'masks', 'additive', 'cost'];
  const frames = studies.map((study) => `<iframe id="${study}" width="900" height="300" src="${made.site.url}embed.html?plate=${study}"></iframe>`).join('');
  // names that differ in their site alone make the browser hold back frames that are out of sight
  const host = await servePages({ pages: { '/host.html': pageAround(`<div style="height: 3000px"></div>${frames}`, `<script>window.heights = {}; addEventListener('message', ({ data, source }) => {
    if (data?.type === 'attention-plates:height') for (const frame of document.querySelectorAll('iframe')) if (frame.contentWindow === source) heights[frame.id] = frame.height = data.height;
  });</script>`) } });
  const { page, close } = await open(made.browser, `${host.url.replace('127.0.0.1', 'localhost')}host.html`);
  // by the clock: such frames are given no animation frames to look at
  for (const frame of page.frames().slice(1)) await frame.waitForFunction(() => /** @type {HTMLElement | null} */ (document.querySelector('attention-plate'))?.dataset.state === 'live', null, { polling: 100 });
  await page.waitForTimeout(500);
  const told = await page.evaluate(() => ({ .../** @type {any} */ (window).heights }));
  assert.equal(await page.evaluate(() => scrollY), 0);
  for (const study of studies) {
    await page.locator(`#${study}`).scrollIntoViewIfNeeded();
    await page.waitForTimeout(120);
  }
  assert.deepEqual(await page.evaluate(() => ({ .../** @type {any} */ (window).heights })), told, 'when it is looked at, nothing changes');
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
  assert.match(await notes.first().innerText(), /at its first setting, whatever the address asks for/);
  await none.close();
});
