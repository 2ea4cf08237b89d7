// The page of the ledger in Chromium: 112 of 112 read from the page's own text, verdicts that turn with the seed, progress while it computes, two
// plates on one page of which one keeps its state in the address, the keyboard's way to every number, and the copied code.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { contentSecurityPolicy, servePages, site } from './server.js';
import { live, open, setting } from './support.js';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const made = setting();
const file = 'the-numbers-in-print.html';
const address = () => `${made.site.url}${file}`;

/** The page with fewer seeds in its second plate, which takes most of its time: for tests of the first. */
let brief = '';
before(async () => {
  const html = await readFile(join(site, file), 'utf8');
  const second = '<attention-plate study="seeds"';
  assert.equal(html.split(second).length, 2);
  const server = await servePages({ pages: { [`/${file}`]: html.replace(second, `${second} params="count=40"`) }, headers: { 'Content-Security-Policy': contentSecurityPolicy } });
  brief = `${server.url}${file}`;
});

/** @param {string} [from] the page @param {import('playwright-core').BrowserContextOptions} [options] */
async function openLedger(from = address(), options = {}) {
  const opened = await open(made.browser, from, options);
  await live(opened.page);
  const ledger = opened.page.locator('attention-plate[study="ledger"]');
  const seeds = opened.page.locator('attention-plate[study="seeds"]');
  return { ...opened, ledger: ledger.locator('.plate:not(.static .plate)'), seeds: seeds.locator('.plate:not(.static .plate)') };
}

/** Texts and marks of every slot, as the page holds them. @param {import('playwright-core').Locator} ledger */
const slots = (ledger) => ledger.locator('.figures svg g.slot').evaluateAll((groups) => groups.map((group) => ({
  ours: group.querySelector('.ours')?.textContent ?? '', printed: group.querySelector('.printed')?.textContent ?? '', circle: group.querySelector('circle.match') !== null,
})));

/** Waits for a result with this parameter. @param {import('playwright-core').Page} page @param {string} study @param {string} key @param {unknown} value */
const showing = (page, study, key, value) => page.waitForFunction(([of, name, wanted]) =>
  /** @type {any} */ (document.querySelector(`attention-plate[study="${of}"]`))?.result?.params[/** @type {string} */ (name)] === wanted, [study, key, value]);

test('112 of 112, from the page’s own text; no fault, no other host', async () => {
  const { page, ledger, faults, hosts, close } = await openLedger();
  const all = await slots(ledger);
  assert.equal(all.length, 112);
  assert.deepEqual(all.filter(({ ours, printed, circle }) => ours === '' || ours !== printed || !circle), []);
  assert.match(await ledger.locator('.headline').textContent() ?? '', /^112 of 112 printed numbers come out again\.$/);
  assert.equal(await ledger.locator('.figures > figure').count(), 9);
  assert.deepEqual(faults, []);
  assert.equal(hosts.size, 1);
  assert.equal(await page.locator('attention-plate[url]').count(), 1);
  await close();
});

test('with one added to every seed most differ, each verdict by its own two texts, and back again', async () => {
  const { page, ledger, faults, close } = await openLedger(brief);
  await ledger.getByRole('button', { name: 'another seed' }).click();
  await showing(page, 'ledger', 'offset', 1);
  await page.waitForFunction(() => /differ/.test(document.querySelector('attention-plate[study="ledger"]')?.shadowRoot?.querySelector('.headline')?.textContent ?? ''));
  const turned = await slots(ledger);
  const differ = turned.filter(({ ours, printed }) => ours !== printed);
  assert.ok(differ.length > 75, `${differ.length} differ`);
  for (const { ours, printed, circle } of turned) assert.equal(circle, ours === printed);
  assert.ok((await ledger.locator('.headline').textContent() ?? '').includes(`${differ.length} differ`));
  await ledger.getByRole('button', { name: 'as printed' }).click();
  await showing(page, 'ledger', 'offset', 0);
  await page.waitForFunction(() => /^112 of 112/.test(document.querySelector('attention-plate[study="ledger"]')?.shadowRoot?.querySelector('.headline')?.textContent ?? ''));
  assert.deepEqual(faults, []);
  await close();
});

test('a long run shows how far it is, never backwards, and then nothing', async () => {
  const { page, ledger, faults, close } = await openLedger(brief);
  await page.evaluate(() => {
    const root = /** @type {ShadowRoot} */ (document.querySelector('attention-plate[study="ledger"]')?.shadowRoot);
    const rule = /** @type {HTMLElement} */ (root.querySelector('.wait'));
    const told = /** @type {any} */ (window).told = /** @type {{share: number, length: number}[]} */ ([]);
    new MutationObserver(() => {
      if (!rule.hidden && rule.ariaValueNow !== null) told.push({ share: Number(rule.ariaValueNow), length: Number(/[\d.]+/.exec(/** @type {HTMLElement} */ (rule.firstElementChild).style.transform)?.[0] ?? -1) });
    }).observe(rule, { attributes: true, subtree: true });
  });
  await page.evaluate(() => { /** @type {any} */ (document.querySelector('attention-plate[study="ledger"]')).params = { runs: 2000 }; });
  await showing(page, 'ledger', 'runs', 2000);
  await page.waitForFunction(() => /** @type {any} */ (document.querySelector('attention-plate[study="ledger"]')?.shadowRoot?.querySelector('.wait')).hidden);
  const told = await page.evaluate(() => /** @type {any} */ (window).told);
  const shares = told.map((/** @type {{share: number}} */ { share }) => share);
  assert.ok(new Set(shares).size >= 8, `${shares}`);
  assert.deepEqual(shares, [...shares].sort((a, b) => a - b));
  assert.ok(told.some((/** @type {{share: number, length: number}} */ { share, length }) => share > 0 && Math.abs(length - share / 100) <= 0.006), 'the rule is as long as the share');
  assert.match(await ledger.locator('.borne').first().textContent() ?? '', /of 2000 fresh runs$/);
  assert.deepEqual(faults, []);
  await close();
});

test('every number is reached by the keyboard alone, and its text is said', async () => {
  const { page, ledger, close } = await openLedger(brief);
  /** @type {Set<string>} */
  const said = new Set();
  const canvases = ledger.locator('.canvas[data-figure^="table-"]');
  assert.equal(await canvases.count(), 8);
  for (let i = 0; i < 8; ++i) {
    const canvas = canvases.nth(i);
    assert.equal(await canvas.getAttribute('tabindex'), '0');
    await canvas.focus();
    const count = await canvas.locator('g.slot').count();
    const hear = async () => said.add(`${i} ${await ledger.locator('[aria-live="polite"]').last().textContent()}`);
    const before = said.size;
    await page.keyboard.press('Home');
    await hear();
    // along each line, then to the start of the next
    for (let line = 0; line < 6 && said.size - before < count; ++line) {
      let steps = 0;
      for (; steps < 6; ++steps) {
        const known = said.size;
        await page.keyboard.press('ArrowRight');
        await hear();
        if (said.size === known) break;
      }
      for (let back = 0; back < steps; ++back) await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('ArrowDown');
      await hear();
    }
    assert.equal(said.size - before, count, `table ${i + 1}`);
    assert.equal(await canvas.locator('.tip').isVisible(), true);
  }
  assert.equal(said.size, 112);
  for (const text of said) assert.match(text, /: ours \S+, in print \S+: match; unrounded \S+$/);
  await close();
});

test('the address holds the ledger’s state; the seeds keep theirs, and their link leads to them alone', async () => {
  const { page, ledger, seeds, close } = await openLedger(`${address()}#generator=torch&offset=2`);
  assert.equal(await ledger.locator('.framework').first().textContent(), 'PyTorch');
  assert.match(await ledger.locator('.headline').textContent() ?? '', /of 56 .* 2 is added to every seed\.$/);
  await seeds.locator('.control-choice label', { hasText: 'PyTorch' }).click();
  await showing(page, 'seeds', 'generator', 'torch');
  assert.deepEqual(await seeds.locator('.in-print').allTextContents(), ['0.259', '0.208', '0.093']);
  await page.waitForTimeout(400);
  assert.equal(new URL(page.url()).hash, '#generator=torch&offset=2', 'the second plate left the address alone');
  assert.match(await seeds.locator('.print-link').textContent() ?? '', /embed\.html\?plate=seeds#generator=torch$/);
  await close();
});

test('the code is read, copied and said to be copied; its heading follows the framework', async () => {
  const { page, ledger, faults, close } = await openLedger(brief, { permissions: ['clipboard-read', 'clipboard-write'] });
  const summary = ledger.locator('.code summary');
  assert.equal((await summary.textContent())?.trim(), 'the same numbers in JAX and PyTorch');
  await summary.focus();
  await page.keyboard.press('Enter');
  const code = await ledger.locator('.code code').textContent() ?? '';
  assert.match(code, /import jax[^]*torch\.manual_seed\(0\)/);
  await page.keyboard.press('Tab');
  assert.equal(await ledger.locator('.code pre').evaluate((element) => /** @type {ShadowRoot} */ (element.getRootNode()).activeElement === element), true, 'the code can be scrolled by keys');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await ledger.locator('.copied', { hasText: 'copied' }).waitFor();
  assert.equal(await ledger.locator('.copied').getAttribute('role'), 'status');
  assert.equal((await page.evaluate(() => navigator.clipboard.readText())).trimEnd(), code);
  await ledger.locator('.control-choice label', { hasText: 'JAX' }).click();
  await showing(page, 'ledger', 'generator', 'jax');
  await ledger.locator('.code summary', { hasText: /in JAX$/ }).waitFor();
  assert.equal(await ledger.locator('.copied').textContent(), '');
  assert.ok(!/torch/.test(await ledger.locator('.code code').textContent() ?? ''));
  assert.deepEqual(faults, []);
  await close();
});

test('a point of the seeds is said on hover, and the rise is pointed out', async () => {
  const { page, seeds, close } = await openLedger();
  assert.equal(await seeds.locator('.remark').textContent(), 'the rise that three widths hide');
  assert.equal(await seeds.locator('path.strip').count(), 8);
  await seeds.locator('.printed-mark').nth(1).scrollIntoViewIfNeeded();
  const box = await seeds.locator('.printed-mark').nth(1).boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  assert.match(await seeds.locator('.tip').textContent() ?? '', /^d = 64: the run in print, JAX: 0\.217991$/);
  await close();
});

for (const [name, lights, options] of /** @type {[string, ('light' | 'dark')[], import('playwright-core').BrowserContextOptions][]} */ ([
  ['light and dark', ['light', 'dark'], {}], ['a phone', ['light'], { viewport: { width: 390, height: 844 } }]])) {
  test(`axe finds nothing, ${name}, as printed and with another seed; nothing is wider than the page`, async () => {
    const { page, ledger, faults, close } = await openLedger(address(), options);
    await ledger.locator('.code summary').click();
    await page.evaluate(axe);
    for (const [hash, offset] of /** @type {const} */ ([['', 0], ['#generator=both&offset=1', 1]])) {
      if (hash) await page.evaluate((state) => { location.hash = state; }, hash);
      await showing(page, 'ledger', 'offset', offset);
      await page.waitForFunction((differ) => /differ/.test(document.querySelector('attention-plate[study="ledger"]')?.shadowRoot?.querySelector('.headline')?.textContent ?? '') === differ, offset !== 0);
      for (const colorScheme of lights) {
        await page.emulateMedia({ colorScheme });
        const violations = await page.evaluate(async () => (await /** @type {any} */ (window).axe.run()).violations.map((/** @type {any} */ { id, nodes }) => `${id}: ${nodes.map((/** @type {any} */ node) => node.target.flat().join(' ')).join(', ')}`));
        assert.deepEqual(violations, [], `${hash} ${colorScheme}`);
      }
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), 'no sideways scrolling');
    }
    assert.deepEqual(faults, []);
    await close();
  });
}
