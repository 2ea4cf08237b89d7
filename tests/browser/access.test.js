// For every reader: axe-core finds nothing in light, dark and on a phone; pages stand without script; motion, print, colour.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { blend, contrast } from '../../web/chart/theme.js';
import { live, open, openPlate, pages, part, setting, unfold } from './support.js';

/** @import { BrowserContextOptions } from 'playwright-core' */

const made = setting();
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Violations in words. The script is put in past the page's policy, which is about the page's own scripts.
 * @param {import('playwright-core').Page} page
 */
async function violations(page) {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations: found } = await /** @type {any} */ (window).axe.run(document, { resultTypes: ['violations'] });
    return found.map((/** @type {any} */ { id, nodes }) => `${id}: ${nodes.map((/** @type {any} */ node) => `${JSON.stringify(node.target)} ${node.failureSummary}`).join('; ')}`);
  });
}

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
/** Who reads: in the first light as the page comes, in the others as the reader's system turns. @type {[string, ('light' | 'dark')[], BrowserContextOptions, string[]][]} */
const readers = [
  ['light and dark', ['light', 'dark'], {}, ['kernels', 'saturation', 'masked-softmax', 'masks', 'precision', 'batched', 'additive', 'cost', 'index.html']],
  ['a phone', ['light'], phone, ['kernels', 'saturation', 'masked-softmax', 'masks', 'precision', 'batched', 'additive', 'cost']],
  ['a phone, dark, in a frame', ['dark'], phone, ['embed.html?plate=masked-softmax#batch=2&lens=0,3']],
];
const hashes = { kernels: '#move=keys&equal_norms=true&points=section-2', saturation: '#d=100&draws=8', 'masked-softmax': '#batch=2&lens=0,3&causal=true', masks: '#mask=causal & window(2) & padding(6,3)&sequence=2&off=1&meant=causal', precision: '#row=by-each&way=additive&zeroing=false', batched: '#lens=0,6&sequence=2&right=2,5,6', additive: '#generator=torch&query=3&key=2&epsilon=0.3', cost: '#n=2000&d=100&window=300&accelerator=H100&machine=60,58,63;30,28,33' };

/** Opens all that is folded under a plate, as a press on each would. @param {import('playwright-core').Page} page @param {string} which */
const openAll = (page, which) => part(page, `${which} summary`).evaluateAll((all) => { for (const summary of all) /** @type {HTMLElement} */ (summary).click(); });

for (const [name, lights, options, subjects] of readers) {
  for (const subject of subjects) {
    test(`axe-core finds nothing: ${subject}, ${name}`, async () => {
      const study = Object.hasOwn(hashes, subject) ? /** @type {keyof typeof pages} */ (subject) : null;
      const [first, ...others] = lights;
      const given = { ...options, colorScheme: first };
      const { page, close } = study ? await openPlate(made, study, hashes[study], given) : await open(made.browser, made.site.url + subject, given);
      if (study) {
        if (await part(page, '.fold').count() > 0) await unfold(page);
        await openAll(page, ':is(details.data, details.entries)');
        const seed = part(page, '[data-key="seed"] input');
        if (await seed.count() > 0) {
          await seed.fill('-1');
          await part(page, '.control-error').waitFor();
        }
      } else if (subject.startsWith('embed')) await live(page);
      assert.deepEqual(await violations(page), []);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${wide} px too wide`);
      const before = await page.evaluate(() => getComputedStyle(document.body).color);
      for (const colorScheme of others) {
        await page.emulateMedia({ colorScheme });
        await page.waitForFunction((last) => getComputedStyle(document.body).color !== last, before);
        assert.deepEqual(await violations(page), [], colorScheme);
      }
      await close();
    });
  }
}

test('without script the pages still say and show everything, accessibly', async () => {
  for (const file of Object.values(pages)) {
    const { page, faults, close } = await open(made.browser, made.site.url + file, { javaScriptEnabled: false });
    assert.equal(await page.locator('attention-plate svg.chart:visible').count() > 0, true, file);
    assert.equal(await page.locator('attention-plate input:visible:not([disabled])').count(), 0, 'nothing pretends to work');
    assert.deepEqual(faults, []);
    await close();
  }
});

test('every figure has a name, a summary and a table of its values', async () => {
  for (const study of /** @type {(keyof typeof pages)[]} */ (Object.keys(pages))) {
    const { page, close } = await openPlate(made, study, study === 'saturation' ? '#d=128&draws=8' : '');
    for (const canvas of await part(page, '.figure .canvas').all()) {
      assert.ok((await canvas.getAttribute('aria-label') ?? '').length > 3);
      const summary = await canvas.getAttribute('aria-describedby');
      assert.match(await part(page, `#${summary}`).textContent() ?? '', /\w+ .*\d/);
    }
    const details = await part(page, '.figure details.data').evaluateAll((all) => all.map((each) => each.querySelectorAll('table').length));
    assert.ok(details.length > 0 && details.every((tables) => tables === 0), 'no table is built while nobody looks');
    await openAll(page, '.figure details.data');
    await page.waitForFunction((count) => {
      const shown = [...document.querySelector('attention-plate')?.shadowRoot?.querySelectorAll('.figure details.data[open]') ?? []];
      return shown.length === count && shown.every((each) => each.querySelector('table tbody tr') && (each.querySelector('table caption')?.textContent ?? '').length > 3);
    }, details.length);
    await close();
  }
});

test('at 320 px nothing is wider than the page but formulas, which scroll in their own box', async () => {
  for (const study of /** @type {(keyof typeof pages)[]} */ (Object.keys(pages))) {
    const { page, close } = await openPlate(made, study, '', { viewport: { width: 320, height: 800 } });
    const beyond = await page.evaluate(() => [...document.querySelectorAll('main *')].filter((element) => !element.closest('.formula, .visually-hidden')
      && element.getBoundingClientRect().width > 0 && element.getBoundingClientRect().right > innerWidth + 1).map((element) => element.outerHTML.slice(0, 80)));
    assert.deepEqual(beyond, []);
    // names to the left of bars are drawn where they were measured
    const outside = await part(page, '.figure svg .cost-name').evaluateAll((all) => all.filter((name) => name.getBoundingClientRect().left < /** @type {any} */ (name).ownerSVGElement.getBoundingClientRect().left - 0.5).map((name) => name.textContent));
    assert.deepEqual(outside, []);
    const formulas = await page.locator('.formula').evaluateAll((all) => all.map((box) => {
      box.scrollLeft = 9999;
      return { right: box.getBoundingClientRect().right, hidden: box.scrollWidth - box.clientWidth, moved: box.scrollLeft };
    }));
    assert.ok(formulas.length > 0);
    for (const { right, hidden, moved } of formulas) assert.ok(right <= 320 && Math.abs(moved - hidden) <= 1, `${right} ${hidden} ${moved}`);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
    await close();
  }
});

test('a slider says its value once: the number beside it is no live region', async () => {
  const { page, close } = await openPlate(made, 'saturation', '#d=128&draws=8');
  for (const output of await part(page, 'output').all()) assert.equal(await output.getAttribute('aria-live'), 'off');
  assert.equal(await part(page, '[data-key="d"] input').getAttribute('aria-valuetext'), '128');
  await close();
});

test('everything can be reached by Tab and shows where it is', async () => {
  const { page, close } = await openPlate(made, 'saturation', '#d=128&draws=8');
  await part(page, '[data-key="d"] input').focus();
  const reached = new Set();
  for (let i = 0; i < 40; ++i) {
    const here = await page.evaluate(() => {
      const element = document.querySelector('attention-plate')?.shadowRoot?.activeElement;
      if (!element) return null;
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
      const next = element.nextElementSibling ? getComputedStyle(element.nextElementSibling) : null;
      const visible = (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0) || boxShadow !== 'none' || element.matches('[type="range"]')
        || (next !== null && (next.outlineStyle !== 'none' || next.boxShadow !== 'none'));
      const key = element.closest('[data-key]')?.getAttribute('data-key');
      return { name: `${key ? `${key} ` : ''}${element.getAttribute('data-figure') ?? element.getAttribute('data-preset') ?? element.getAttribute('data-action') ?? element.localName}`, visible };
    });
    if (!here) break;
    assert.ok(here.visible, `${here.name} shows its focus`);
    reached.add(here.name);
    await page.keyboard.press('Tab');
  }
  for (const name of ['d input', 'keys input', 'draws input', 'seed input', 'seed button', 'unit input', 'textbook', 'entropy', 'weights', 'jacobian', 'summary', 'reset', 'copy-link']) {
    assert.ok(reached.has(name), `${name} is reached: ${[...reached]}`);
  }
  await close();
});

test('reduced motion: nothing moves by itself', async () => {
  const { page, close } = await openPlate(made, 'saturation', '#d=128&draws=8', { reducedMotion: 'reduce' });
  await part(page, '[data-key="d"] input').press('End');
  const moving = await page.evaluate(() => [document, .../** @type {any} */ ([document.querySelector('attention-plate')?.shadowRoot])].flatMap((root) => root.getAnimations())
    .filter((animation) => Number(animation.effect?.getComputedTiming().duration) > 1).map((animation) => String(animation.animationName ?? animation.transitionProperty)));
  assert.deepEqual(moving, []);
  const slow = await page.evaluate(() => [.../** @type {any} */ (document.querySelector('attention-plate')?.shadowRoot).querySelectorAll('*')].filter((element) => {
    const { transitionDuration, animationDuration, animationName } = getComputedStyle(element);
    return transitionDuration.split(',').some((/** @type {string} */ each) => Number.parseFloat(each) > 0.001) || (animationName !== 'none' && Number.parseFloat(animationDuration) > 0.001);
  }).length);
  assert.equal(slow, 0);
  await close();
});

test('print: the numbers of the state and the link that restores it; no controls to press', async () => {
  const { page, close } = await openPlate(made, 'saturation', '#d=100&draws=8&seed=7');
  const line = part(page, '.print-link');
  assert.equal(await line.isVisible(), false);
  await page.emulateMedia({ media: 'print' });
  assert.equal(await line.isVisible(), true);
  const text = await line.textContent() ?? '';
  assert.match(text, /d 100 · m 64 · n 8 · seed 7/);
  assert.ok(text.includes(`${made.site.url}${pages.saturation}#d=100&draws=8&seed=7`), text);
  assert.equal(await part(page, '.foot button').first().isVisible(), false);
  await close();
});

test('print: a plate on one sheet, of A4 and of US Letter, from any screen, drawn for paper', async () => {
  // a plate of many figures begins below the introduction and fills the next sheet
  const states = /** @type {[keyof typeof pages, string, number][]} */ ([
    ['kernels', '#move=both', 2], ['saturation', '', 1], ['saturation', '#d=64&keys=32&draws=5&unit=bits', 1],
    ['masked-softmax', '', 1], ['masked-softmax', '#batch=4&queries=12&keys=12&lens=12,6,0,3&causal=true', 1], ['additive', '#queries=8&keys=12&hidden=64', 2], ['batched', '#batch=4&queries=8&keys=12&d=16&width=8&lens=12,6,0,3', 2],
    ['masks', `#queries=64&keys=64&mask=${encodeURIComponent('causal & window(20) & padding(64,60,52,48,40,33,17,8)')}`, 1], ['cost', '#machine=60,58,62;30,28,33', 2], ['cost', '#n=32768&m=32768&machine=60,58,62;30,28,33&times=6487820,5.4,5.15,7.25', 2],
  ]);
  // from a phone one state says enough: a PDF of many hatched cells takes seconds
  for (const [viewport, some] of /** @type {const} */ ([[{ width: 1200, height: 1000 }, states], [{ width: 390, height: 844 }, [states[2]]]])) {
    for (const [study, hash, wanted] of some) {
      const { page, close } = await openPlate(made, study, hash, { viewport });
      // exercises and the plate of the Jacobian begin sheets of their own
      await page.evaluate(() => document.querySelectorAll('.exercises, #jacobian').forEach((part) => part.remove()));
      await page.evaluate(() => addEventListener('afterprint', () => { /** @type {any} */ (window).printed = true; }));
      const drawnFor = () => part(page, '.figure svg').evaluateAll((all) => all.map((svg) => svg.getAttribute('viewBox') ?? '').sort((a, b) => Number(b.split(' ')[2]) - Number(a.split(' ')[2]))[0]);
      const before = await drawnFor();
      for (const format of ['A4', 'Letter']) {
        const sheets = (await page.pdf({ format })).toString('latin1').match(/\/Type\s*\/Page\b/g) ?? [];
        assert.equal(sheets.length, wanted, `${study}${hash} on ${format} from ${viewport.width} px`);
      }
      await page.waitForFunction(() => /** @type {any} */ (window).printed);
      assert.equal(await drawnFor(), before, 'the screen has its drawing back');
      await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
      assert.match(await drawnFor(), /^0 0 974 /);
      await close();
    }
  }
});

/** What a sheet of US Letter, the shorter of the two, holds within margins of 10 mm, px. */
const letter = { width: 740, height: 979 };

test('print: the first figures stand below the words that open a page; the contents take two sheets, the printed numbers two', async () => {
  for (const [file, last] of [[pages.kernels, '.figure-weights'], [pages.batched, '.figure-flow'], [pages.additive, '.figure-units'], [pages.cost, '.figure-roofline'], ['the-numbers-in-print.html', '.figure-table-8']]) {
    const { page, close } = await open(made.browser, made.site.url + file, { viewport: letter });
    await live(page);
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    const { y, height } = await part(page, last).boundingBox() ?? assert.fail(file);
    assert.ok(y + height <= letter.height && y + height >= 0.6 * letter.height, `${file}: ${last} ends at ${y + height} of ${letter.height}`);
    await close();
  }
  for (const file of ['index.html', 'the-numbers-in-print.html']) {
    const { page, close } = await open(made.browser, made.site.url + file);
    if (file !== 'index.html') await live(page);
    for (const format of ['A4', 'Letter']) assert.equal((await page.pdf({ format })).toString('latin1').match(/\/Type\s*\/Page\b/g)?.length, 2, `${file} on ${format}`);
    await close();
  }
});

test('the theme attribute decides against the system', async () => {
  const { page, close } = await openPlate(made, 'saturation', '#d=128&draws=8', { colorScheme: 'light' });
  const ink = () => part(page, '.readout').evaluate((element) => getComputedStyle(element).color);
  const light = await ink();
  await page.evaluate(() => document.querySelector('attention-plate')?.setAttribute('theme', 'dark'));
  const dark = await ink();
  assert.notEqual(dark, light);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.evaluate(() => document.querySelector('attention-plate')?.setAttribute('theme', 'light'));
  assert.equal(await ink(), light);
  await page.evaluate(() => document.querySelector('attention-plate')?.setAttribute('theme', 'auto'));
  assert.equal(await ink(), dark);
  await close();
});

test('under forced colours every number on an inked cell has 4.5:1, whatever its ink', async () => {
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    const { page, close } = await openPlate(made, 'masks', '', { colorScheme, forcedColors: 'active' });
    const [ink, number, ground] = await page.evaluate(() => {
      const { shadowRoot: root } = /** @type {Element & {shadowRoot: ShadowRoot}} */ (document.querySelector('attention-plate'));
      const [cell, print, sheet] = ['.filled.inked', '.print', '.cells-ground'].map((name) => getComputedStyle(/** @type {Element} */ (root.querySelector(name))));
      return [[cell.fill, cell.opacity], [print.fill, print.stroke], [sheet.fill, '']].map(([fill, more]) => ({ rgb: /** @type {[number, number, number]} */ ((fill.match(/\d+/g) ?? []).map(Number)), more }));
    });
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      const cell = blend(ink.rgb, ground.rgb, share * Number(ink.more));
      assert.ok(contrast(number.rgb, cell) >= 4.5, `${colorScheme}, ink ${share}: ${number.rgb} on ${cell}`);
    }
    assert.equal(number.more, 'none', 'no outline around it');
    assert.notDeepEqual(blend(ink.rgb, ground.rgb, 0.25 * Number(ink.more)), blend(ink.rgb, ground.rgb, Number(ink.more)), 'more ink is seen');
    await close();
  }
});
