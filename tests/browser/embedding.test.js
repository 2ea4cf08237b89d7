// Plates where they did not grow up: other origins, frames, files from disk, policies, missing files, a moving page.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { loadGroups } from '../../build-scripts/web/core.mjs';
import { loadCore, wasmDir } from '../web/support.js';
import { contentSecurityPolicy, pageAround, servePages, serveSite, site } from './server.js';
import { live, open, pages, part, setting, shown, shows } from './support.js';

const made = setting();
const script = '<script src="attention-plates.js" defer></script>';
const picture = '<p id="picture">the static picture</p>';
const plate = (/** @type {string} */ attributes = '') => `<attention-plate study="saturation" params="draws=8" ${attributes}>${picture}</attention-plate>`;

/** @param {import('playwright-core').Page | import('playwright-core').Frame} page */
const engine = (page) => page.evaluate(() => /** @type {HTMLElement} */ (document.querySelector('attention-plate')).dataset.engine);

/** Waits for the words that say why a plate stands still. @param {import('playwright-core').Page} page */
async function standsStill(page) {
  await page.waitForFunction(() => /** @type {HTMLElement} */ (document.querySelector('attention-plate')).dataset.state === 'still');
  assert.equal(await page.locator('#picture').isVisible(), true, 'the static picture stays');
  return await page.locator('attention-plate .error').textContent() ?? '';
}

test('under any base path', async () => {
  const server = await serveSite('/courses/nlp/plates/');
  const { page, faults, close } = await open(made.browser, `${server.url}${pages.saturation}#d=16&draws=8`);
  await live(page);
  assert.equal((await shown(page)).params.d, 16);
  assert.equal(await engine(page), 'worker');
  assert.deepEqual(faults, []);
  await close();
});

test('opened from disk', async () => {
  for (const file of Object.values(pages)) {
    const { page, faults, hosts, close } = await open(made.browser, pathToFileURL(join(site, file)).href);
    await live(page);
    assert.ok(['blob-worker', 'main-thread'].includes(String(await engine(page))));
    assert.ok((await shown(page)).params);
    assert.deepEqual([...hosts], []);
    assert.deepEqual(faults, []);
    await close();
  }
});

test('in a sandboxed frame', async () => {
  const host = await servePages({ pages: { '/host.html': pageAround(`<iframe sandbox="allow-scripts" width="900" height="900" src="${made.site.url}embed.html?plate=saturation#d=16&draws=8"></iframe>`) } });
  const { page, close } = await open(made.browser, `${host.url}host.html`);
  const frame = page.frames()[1];
  await live(frame);
  assert.equal((await shown(frame)).params.d, 16);
  assert.ok(['blob-worker', 'main-thread'].includes(String(await engine(frame))));
  await part(frame, '[data-key="d"] input').press('Home');
  await shows(frame, { d: 4 });
  await close();
});

test('a policy that forbids WebAssembly: the figure says so and stands still', async () => {
  const server = await servePages({ pages: { '/page.html': pageAround(plate(), script) }, headers: { 'Content-Security-Policy': "script-src 'self'" } });
  const { page, faults, close } = await open(made.browser, `${server.url}page.html`);
  assert.match(await standsStill(page), /stands still.*policy.*wasm-unsafe-eval/);
  assert.ok(faults.every((fault) => !fault.startsWith('exception')), faults.join('\n'));
  await close();
});

test('no WebAssembly at all, or none with SIMD', async () => {
  for (const [broken, words] of /** @type {[string, RegExp][]} */ ([
    ['delete globalThis.WebAssembly;', /no WebAssembly/],
    ['WebAssembly.validate = () => false;', /no SIMD/],
  ])) {
    // the page's own script breaks only the page, so the core is made to run there
    const server = await servePages({ pages: { '/page.html': pageAround(plate(), `<script>${broken} delete globalThis.Worker;</script>${script}`) } });
    const { page, faults, close } = await open(made.browser, `${server.url}page.html`);
    assert.match(await standsStill(page), words);
    assert.deepEqual(faults, []);
    await close();
  }
});

test('wasm file missing: the bytes in the script take over; both missing: words', async () => {
  const partly = await servePages({ pages: { '/page.html': pageAround(plate(), script) }, missing: ['/attn-first.wasm'] });
  const first = await open(made.browser, `${partly.url}page.html`);
  await live(first.page);
  assert.equal(await engine(first.page), 'worker');
  await first.close();
  const wholly = await servePages({ pages: { '/page.html': pageAround(plate(), script) }, missing: ['/attn-first.wasm', '/attn-inline-first.js'] });
  const second = await open(made.browser, `${wholly.url}page.html`);
  assert.match(await standsStill(second.page), /attn-first\.wasm.*HTTP 404/);
  assert.ok(second.faults.every((fault) => !fault.startsWith('exception')));
  await second.close();
});

test('a page downloads the modules and the plates of the studies it shows, each once, and never the whole core', async () => {
  const groups = await loadGroups(wasmDir);
  const markup = groups.flatMap(({ registry }) => registry.studies.slice(0, 2)).map(({ id }) => `<attention-plate study="${id}"></attention-plate>`).join('');
  const server = await servePages({ pages: { '/empty.html': pageAround(''), '/page.html': pageAround(markup, script), '/one.html': pageAround(plate(), script) } });
  const { page, faults, close } = await open(made.browser, `${server.url}empty.html`);
  /** @type {string[]} */
  let asked = [];
  page.context().on('request', (request) => { asked.push(new URL(request.url()).pathname.slice(1)); });
  const shownStudies = groups.flatMap(({ registry }) => registry.studies.slice(0, 2)).map(({ id }) => id);
  for (const [address, wanted, studies] of /** @type {[string, string[], string[]][]} */ ([
    ['page.html', groups.map(({ group }) => group), shownStudies], ['one.html', ['first'], ['saturation']], [pages.saturation, ['first'], ['saturation', 'jacobian']],
  ])) {
    asked = [];
    await page.goto(server.url + address);
    await live(page);
    // going on to the next page would break off a font that is still on its way
    await page.evaluate(async () => { await document.fonts.ready; });
    assert.deepEqual(asked.filter((name) => name.startsWith('plates/')).sort(), studies.map((study) => `plates/${study}.js`).sort(), address);
    const core = asked.filter((name) => name.startsWith('attn')).sort();
    assert.deepEqual(core, wanted.flatMap((group) => [`attn-${group}.wasm`, `attn-worker-${group}.js`]).sort(), address);
  }
  assert.deepEqual(faults, []);
  await close();
});

test('without a worker script the plate says so; without workers it computes in the page', async () => {
  const missing = await servePages({ pages: { '/page.html': pageAround(plate(), script) }, missing: ['/attn-worker-first.js'] });
  const first = await open(made.browser, `${missing.url}page.html`);
  assert.match(await standsStill(first.page), /attn-worker-first\.js/);
  await first.close();
  const none = await servePages({ pages: { '/page.html': pageAround(plate(), `<script>delete globalThis.Worker;</script>${script}`) } });
  const second = await open(made.browser, `${none.url}page.html`);
  await live(second.page);
  assert.equal(await engine(second.page), 'main-thread');
  await part(second.page, '[data-key="d"] input').press('Home');
  await shows(second.page, { d: 4 });
  assert.deepEqual(second.faults, []);
  await second.close();
});

test('a study nobody knows', async () => {
  const server = await servePages({ pages: { '/page.html': pageAround(`<attention-plate study="entropy">${picture}</attention-plate>`, script) } });
  const { page, close } = await open(made.browser, `${server.url}page.html`);
  assert.match(await standsStill(page), /entropy.*kernels, saturation, jacobian, masked-softmax/);
  await page.evaluate(() => document.querySelector('attention-plate')?.setAttribute('study', 'saturation'));
  await live(page);
  await page.evaluate(() => document.querySelector('attention-plate')?.setAttribute('study', 'nothing'));
  assert.match(await standsStill(page), /nothing/);
  await page.evaluate(() => document.querySelector('attention-plate')?.setAttribute('study', 'masked-softmax'));
  await live(page);
  await close();
});

test('embed.html in a page of another origin tells its height, and tells it again when it changes', async () => {
  const host = await servePages({
    pages: {
      '/host.html': pageAround(
        `<iframe id="frame" width="900" height="200" src="${made.site.url}embed.html?plate=saturation&amp;theme=dark&amp;lti_id=5#d=64&amp;draws=8"></iframe>`,
        "<script>window.told = []; addEventListener('message', (event) => { told.push({ data: event.data, origin: event.origin }); const { data } = event; if (data.type === 'attention-plates:height') document.getElementById('frame').style.height = data.height + 'px'; });</script>",
      ),
    },
  });
  const { page, faults, close } = await open(made.browser, `${host.url}host.html`);
  const frame = page.frames()[1];
  await live(frame);
  assert.equal((await shown(frame)).params.d, 64);
  const fits = () => page.waitForFunction(() => {
    const iframe = /** @type {HTMLIFrameElement} */ (document.getElementById('frame'));
    return Number.parseFloat(iframe.style.height) > 300;
  });
  await fits();
  await page.waitForTimeout(200);
  const room = await frame.evaluate(() => [document.documentElement.scrollHeight, innerHeight]);
  assert.ok(room[0] <= room[1] + 1, `nothing to scroll: ${room}`);
  const told = await page.evaluate(() => /** @type {any} */ (window).told);
  const heights = told.filter((/** @type {any} */ { data }) => data.type === 'attention-plates:height');
  assert.ok(told.every((/** @type {any} */ { origin }) => `${origin}/` === made.site.url));
  const { height } = heights.at(-1).data;
  assert.equal(heights.at(-1).data.plate, 'saturation');
  assert.ok(told.some((/** @type {any} */ { data }) => data.subject === 'lti.frameResize' && data.height === height));
  assert.ok(told.some((/** @type {any} */ { data }) => typeof data === 'string' && JSON.parse(data).subject === 'lti.frameResize' && JSON.parse(data).height === height));
  await page.evaluate(() => { /** @type {HTMLElement} */ (document.getElementById('frame')).setAttribute('width', '360'); });
  await page.waitForFunction((before) => /** @type {any} */ (window).told.some((/** @type {any} */ { data }) => data.height > before + 50), height);
  // rest: no height is told for ever
  await page.waitForTimeout(300);
  const count = await page.evaluate(() => /** @type {any} */ (window).told.length);
  await page.waitForTimeout(400);
  assert.equal(await page.evaluate(() => /** @type {any} */ (window).told.length), count);
  const ground = await frame.evaluate(() => [document.documentElement, document.body].map((each) => getComputedStyle(each)).map(({ backgroundColor, colorScheme }) => ({ backgroundColor, colorScheme })));
  for (const each of ground) assert.deepEqual(each, { backgroundColor: 'rgba(0, 0, 0, 0)', colorScheme: 'normal' });
  assert.equal(await frame.evaluate(() => document.querySelector('attention-plate')?.getAttribute('theme')), 'dark');
  await part(frame, '[data-key="d"] input').press('End');
  await frame.waitForFunction(() => location.hash === '#d=512&draws=8');
  assert.deepEqual(faults, []);
  await close();
});

test('an element that names no study says so, and its picture stays', async () => {
  const server = await servePages({ pages: { '/page.html': pageAround(`<attention-plate>${picture}</attention-plate>`, script) } });
  const { page, faults, close } = await open(made.browser, `${server.url}page.html`);
  assert.match(await standsStill(page), /stands still: the element names no study; there are kernels, saturation, jacobian, masked-softmax/);
  await page.evaluate(() => document.querySelector('attention-plate')?.setAttribute('study', 'masked-softmax'));
  await live(page);
  assert.deepEqual(faults, []);
  await close();
});

test('a study that takes the place of another drops its state without a word', async () => {
  const server = await servePages({ pages: { '/page.html': pageAround('<attention-plate study="saturation" params="draws=8&keys=32" url></attention-plate>', script) } });
  const { page, faults, close } = await open(made.browser, `${server.url}page.html#d=64&unit=bits`);
  await live(page);
  await part(page, '[data-key="d"] input').press('ArrowRight');
  await page.evaluate(() => document.querySelector('attention-plate')?.setAttribute('study', 'masked-softmax'));
  await page.waitForFunction(() => /** @type {any} */ (document.querySelector('attention-plate')).result?.study === 'masked-softmax');
  await live(page);
  assert.doesNotMatch(await part(page, '.notice').textContent() ?? '', /\b(d|unit|draws)\b/);
  await part(page, '[data-action="reset"]').click();
  await page.waitForURL(/#batch=2/);
  assert.doesNotMatch(await part(page, '.notice').textContent() ?? '', /\b(d|unit|draws)\b/);
  assert.deepEqual(faults, []);
  await close();
});

test('embed.html without scripts leads to the pictures; its title is for screen readers', async () => {
  const { page, close } = await open(made.browser, `${made.site.url}embed.html?plate=saturation`, { javaScriptEnabled: false });
  const links = page.locator('noscript a, main p a');
  const drawings = (await loadCore()).describe().studies.map(({ id }) => `pictures/${id}.svg`);
  assert.ok(drawings.length >= 5);
  assert.deepEqual(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href'))), drawings);
  assert.ok(await links.first().isVisible());
  const box = await page.locator('h1').boundingBox();
  assert.ok(box && box.width <= 1 && box.height <= 1);
  for (const link of drawings) assert.equal((await page.request.get(made.site.url + link)).status(), 200);
  await close();
  const missing = await servePages({ missing: ['/attention-plates.js'] });
  const second = await open(made.browser, `${missing.url}embed.html?plate=saturation`);
  await second.page.locator('.error').filter({ hasText: 'attention-plates.js' }).waitFor();
  await second.close();
});

test('embed.html without a plate, or with one that is not there, says which there are', async () => {
  for (const query of ['', '?plate=', '?plate=entropy']) {
    const { page, faults, close } = await open(made.browser, `${made.site.url}embed.html${query}`);
    await page.locator('.error').waitFor();
    assert.match(await page.locator('.error').textContent() ?? '', /kernels, saturation, jacobian, masked-softmax/);
    // what a frame is told of its height holds the margins of the words
    await page.setViewportSize({ width: 360, height: 20 });
    const [told, needed] = await page.evaluate(() => [document.getElementById('embed')?.getBoundingClientRect().height ?? 0, document.documentElement.scrollHeight]);
    assert.ok(Math.ceil(told) >= needed, `${told} of ${needed}`);
    assert.deepEqual(faults, []);
    await close();
  }
});

test('the element in a page of another origin, as a script and as a module', async () => {
  for (const tag of [`<script src="${made.site.url}attention-plates.js" defer></script>`, `<script src="${made.site.url}attention-plates.mjs" type="module"></script>`]) {
    const host = await servePages({ pages: { '/course.html': pageAround(plate('theme="dark"'), tag) } });
    const { page, faults, hosts, close } = await open(made.browser, `${host.url}course.html`);
    await live(page);
    assert.equal(await engine(page), 'blob-worker');
    await part(page, '[data-key="d"] input').press('Home');
    await shows(page, { d: 4 });
    assert.deepEqual([...hosts].sort(), [host.url, made.site.url].map((url) => new URL(url).host).sort());
    assert.deepEqual(faults, []);
    await close();
  }
});

/** Texts of figures that leave their picture, and what the readout's table lacks in room, px. @param {import('playwright-core').Page} page */
const tooWide = (page) => page.evaluate(() => {
  const root = /** @type {ShadowRoot} */ (document.querySelector('attention-plate')?.shadowRoot);
  const beyond = [...root.querySelectorAll('.figure svg')].flatMap((svg) => {
    const { left, right } = svg.getBoundingClientRect();
    return [...svg.querySelectorAll('text')].filter((text) => {
      const box = text.getBoundingClientRect();
      return box.right > right + 1 || box.left < left - 1;
    }).map((text) => text.textContent);
  });
  const readout = /** @type {HTMLElement} */ (root.querySelector('.readout'));
  return { beyond, table: readout.scrollWidth - readout.clientWidth };
});

test('a page of another origin lends its room, not its type: labels and tables fit, with EB Garamond and without', async () => {
  const fonts = ['latin-wght-normal', 'latin-wght-italic', 'greek-wght-normal', 'greek-wght-italic'].map((name) => `/fonts/eb-garamond-${name}.woff2`);
  for (const missing of [[], [...fonts, '/fonts/KaTeX_Main-Regular.woff2']]) {
    const bundle = await servePages({ missing, headers: { 'Access-Control-Allow-Origin': '*' } });
    const body = `<div id="column">${plate()}</div><attention-plate study="masked-softmax"></attention-plate>`;
    const host = await servePages({ pages: { '/course.html': pageAround(body, `<script src="${bundle.url}attention-plates.js" defer></script>`) } });
    const { page, close } = await open(made.browser, `${host.url}course.html`, { viewport: { width: 1400, height: 1000 } });
    await live(page);
    await page.evaluate(() => document.fonts.ready);
    assert.equal(await page.evaluate(() => document.adoptedStyleSheets.length), 1, 'brought once, for two plates');
    const there = await page.evaluate(() => [...document.fonts].filter(({ family, status }) => /EB Garamond/.test(family) && status === 'loaded').length);
    assert.equal(there >= 2, missing.length === 0);
    for (const width of [320, 560, 820, 1000, 1184]) {
      await page.evaluate((each) => { /** @type {HTMLElement} */ (document.getElementById('column')).style.width = `${each}px`; }, width);
      await page.waitForFunction((each) => document.querySelector('attention-plate')?.shadowRoot?.querySelector('.figure-entropy svg')?.getAttribute('viewBox')?.startsWith(`0 0 ${each} `), width);
      assert.deepEqual(await tooWide(page), { beyond: [], table: 0 }, `${width} px, ${missing.length} fonts missing`);
    }
    await close();
  }
});

test('a page of this site has its type already', async () => {
  const { page, close } = await open(made.browser, made.site.url + pages.saturation);
  await live(page);
  assert.equal(await page.evaluate(() => document.adoptedStyleSheets.length), 0);
  await close();
});

test('in a page that names no encoding, signs are what they are', async () => {
  const bundle = await servePages();
  const bare = `<html lang="en"><title>Host</title><link rel="icon" href="data:,"><script src="${bundle.url}attention-plates.js" defer></script>${plate()}`;
  const host = await servePages({ pages: { '/course.html': bare }, headers: { 'Content-Type': 'text/html' } });
  const { page, close } = await open(made.browser, `${host.url}course.html`);
  await live(page);
  assert.notEqual(await page.evaluate(() => document.characterSet), 'UTF-8', 'the page itself is read otherwise');
  assert.match(await part(page, '.figure-entropy svg').textContent() ?? '', /scaled by 1\/√d/);
  await close();
});

test('where a policy allows no worker from a blob, the core runs in the page', async () => {
  const { origin } = new URL(made.site.url);
  const host = await servePages({
    pages: { '/course.html': pageAround(plate(), `<script src="${made.site.url}attention-plates.js" defer></script>`) },
    headers: { 'Content-Security-Policy': `default-src 'self'; img-src data:; connect-src ${origin}; script-src ${origin} 'wasm-unsafe-eval'; worker-src 'none'` },
  });
  const { page, faults, close } = await open(made.browser, `${host.url}course.html`);
  await live(page);
  assert.equal(await engine(page), 'main-thread');
  assert.ok(faults.every((fault) => /blob:|worker|\.woff2/i.test(fault)), `only the refused worker and type are spoken of: ${faults}`);
  await close();
});

test('base names another folder of files', async () => {
  const host = await servePages({ pages: { '/course/page.html': pageAround(plate(`base="${made.site.url}"`), '<script src="/attention-plates.js" defer></script>') }, missing: ['/attn-first.wasm', '/attn-worker-first.js', '/attn-inline-first.js'] });
  const { page, faults, close } = await open(made.browser, `${host.url}course/page.html`);
  await live(page);
  assert.deepEqual(faults, []);
  await close();
});

test('properties set before the definition, a bundle loaded twice, removal, return and adoption', async () => {
  const server = await servePages({
    pages: {
      '/page.html': pageAround('<div id="a"></div><div id="b"></div><iframe id="other"></iframe>', "<script>const plate = document.createElement('attention-plate'); plate.study = 'saturation'; plate.params = { d: 32, draws: 8 }; addEventListener('DOMContentLoaded', () => document.getElementById('a').append(plate));</script>"
        + '<script src="attention-plates.js" defer></script><script src="attention-plates.js?again" defer></script><script src="attention-plates.mjs" type="module"></script>'),
    },
  });
  const { page, faults, close } = await open(made.browser, `${server.url}page.html`);
  await live(page);
  assert.equal((await shown(page)).params.d, 32);
  const client = () => page.evaluate(() => new Promise((resolve) => { setTimeout(() => resolve(/** @type {HTMLElement} */ (document.querySelector('attention-plate'))?.dataset.state), 50); }));
  await page.evaluate(() => document.getElementById('b')?.append(/** @type {Element} */ (document.querySelector('attention-plate'))));
  assert.equal(await client(), 'live');
  await part(page, '[data-key="d"] input').press('Home');
  await shows(page, { d: 4 });
  // away long enough that the worker is let go
  await page.evaluate(() => { const element = /** @type {any} */ (document.querySelector('attention-plate')); /** @type {any} */ (window).kept = element; element.remove(); });
  for (let i = 0; i < 40 && page.workers().length > 0; ++i) await page.waitForTimeout(100);
  assert.equal(page.workers().length, 0, 'nobody computes for a page without plates');
  await page.evaluate(() => document.getElementById('a')?.append(/** @type {any} */ (window).kept));
  await part(page, '[data-key="d"] input').press('End');
  await shows(page, { d: 512 });
  assert.equal(page.workers().length, 1);
  await page.evaluate(() => {
    const inner = /** @type {HTMLIFrameElement} */ (document.getElementById('other')).contentDocument;
    inner?.body.append(/** @type {any} */ (window).kept);
  });
  const sheets = await page.evaluate(() => /** @type {any} */ (window).kept.shadowRoot.adoptedStyleSheets.length);
  assert.equal(sheets, 2);
  const frame = page.frames()[1];
  await part(frame, '[data-key="d"] input').press('Home');
  await shows(frame, { d: 4 });
  assert.equal(await part(frame, '.tip').first().evaluate((tip) => getComputedStyle(tip).position), 'absolute', 'the sheets apply in the new document');
  assert.deepEqual(faults, []);
  await close();
});

test('a plate that starts hidden is drawn to its width when it is shown', async () => {
  const server = await servePages({ pages: { '/page.html': pageAround(`<div id="box" hidden>${plate()}</div>`, script) } });
  const { page, faults, close } = await open(made.browser, `${server.url}page.html`);
  await live(page);
  await page.evaluate(() => document.getElementById('box')?.removeAttribute('hidden'));
  await page.waitForFunction(() => {
    const root = document.querySelector('attention-plate')?.shadowRoot;
    const canvas = root?.querySelector('.figure-entropy .canvas');
    const box = root?.querySelector('.figure-entropy svg')?.getAttribute('viewBox')?.split(' ').map(Number);
    return canvas && box && canvas.clientWidth > 800 && Math.abs(box[2] - canvas.clientWidth) <= 1;
  });
  assert.deepEqual(faults, []);
  await close();
});

test('on a slide that is scaled: dragging stays true, keys do not turn the slide', async () => {
  const server = await servePages({
    pages: {
      '/slides.html': pageAround(
        `<div id="slide">${plate()}</div>`,
        `${script}<script>window.keys = []; document.addEventListener('keydown', ({ key }) => keys.push(key)); addEventListener('DOMContentLoaded', () => { const { style } = document.getElementById('slide'); style.width = '1000px'; style.transform = 'scale(0.6)'; style.transformOrigin = '0 0'; });</script>`,
      ),
    },
  });
  const { page, close } = await open(made.browser, `${server.url}slides.html`);
  await live(page);
  const canvas = part(page, '.figure-entropy .canvas');
  const tick = await canvas.locator('svg text', { hasText: /^32$/ }).first().boundingBox();
  assert.ok(tick);
  await page.mouse.move(tick.x + tick.width / 2, tick.y - 40);
  await page.mouse.down();
  await page.waitForFunction(() => Math.abs(/** @type {any} */ (document.querySelector('attention-plate')).result.params.d - 32) <= 1);
  await page.mouse.up();
  for (const target of ['.figure-entropy .canvas', '[data-key="d"] input', '[data-key="unit"] input', '[data-key="seed"] input', '[data-action="reset"]', '.figure-weights .canvas']) {
    for (const key of ['ArrowRight', 'ArrowLeft', 'PageDown', 'Space', 'Home']) await part(page, target).first().press(key);
  }
  assert.deepEqual(await page.evaluate(() => /** @type {any} */ (window).keys), []);
  await page.keyboard.press('Escape');
  await page.evaluate(() => /** @type {HTMLElement | null} */ (document.activeElement)?.blur());
  await page.keyboard.press('ArrowRight');
  assert.deepEqual(await page.evaluate(() => /** @type {any} */ (window).keys), ['Escape', 'ArrowRight']);
  await close();
});

test('a program in a page of another origin imports the core alone', async () => {
  const program = `<script type="module">
    import { AttentionError, loadCore } from '${made.site.url}attn-core.mjs';
    const core = await loadCore();
    const { weights, emptyRows } = core.maskedSoftmax(Float64Array.of(0, 0, 9, 1, 2, 3), [2, 1, 3], { validLens: [2, 0] });
    let refused = null;
    try { core.run('saturation', { d: 3 }); } catch (error) { refused = [error instanceof AttentionError, error.code, error.param]; }
    window.said = { weights: [...weights], emptyRows: [...emptyRows], refused };
  </script>`;
  const host = await servePages({ pages: { '/lab.html': pageAround('<p>lab</p>', program) } });
  const { page, faults, close } = await open(made.browser, `${host.url}lab.html`);
  await page.waitForFunction(() => /** @type {any} */ (window).said);
  assert.deepEqual(await page.evaluate(() => /** @type {any} */ (window).said), { weights: [0.5, 0.5, 0, 0, 0, 0], emptyRows: [1], refused: [true, 'out_of_range', 'd'] });
  assert.deepEqual(faults, []);
  await close();
});

test('the policy the site is tested with is the strict one', () => {
  assert.equal(contentSecurityPolicy, "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'");
});
