// Exercises in a page: answered by hand and by keyboard, wrong and then right; hints; links that move the plate; what is kept, and
// what happens where nothing can be kept, computed or run.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { pageAround, servePages, site } from './server.js';
import { live, open, openPlate, setting, shown, shows } from './support.js';

/** @import { Frame, Page } from 'playwright-core' */

const made = setting();
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** @param {Page | Frame} page @param {string} part */
const section = (page, part) => page.locator(`section[data-part="${part}"]`);

/**
 * Waits for the verdict on a part.
 * @param {Page | Frame} page
 * @param {string} part
 * @param {string} outcome
 */
async function verdict(page, part, outcome) {
  const line = section(page, part).locator(`.verdict[data-outcome="${outcome}"]`);
  await line.waitFor();
  return await line.textContent() ?? '';
}

/** @param {Page | Frame} page @param {number} n of the exercises on the page */
const progress = (page, n = 0) => page.locator('attention-exercise').nth(n).locator('.exercise-progress span').textContent();

test('by keyboard alone: a number, wrong, close and right, told in a live region', async () => {
  const { page, faults, close } = await openPlate(made, 'precision');
  const field = section(page, '5.1b').locator('input');
  await field.focus();
  await page.keyboard.type('1');
  await page.keyboard.press('Enter');
  assert.match(await verdict(page, '5.1b', 'wrong'), /^Not yet\. That is each exponential/);
  assert.equal(await section(page, '5.1b').locator('.verdict').getAttribute('role'), 'status');
  assert.equal(await progress(page), '0 of 8 answered');
  await page.keyboard.type('x');
  assert.equal(await section(page, '5.1b').locator('.verdict').textContent(), '', 'a verdict is of the answer that was given');
  await page.keyboard.press('Enter');
  assert.match(await verdict(page, '5.1b', 'unread'), /^Answer is "1x"; give a number/);
  assert.equal(await field.getAttribute('aria-invalid'), 'true');
  await field.fill('0.166');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  assert.match(await verdict(page, '5.1b', 'close'), /^Close\. The last digit .* 3 decimals/);
  await field.fill('1/6');
  await page.keyboard.press('Enter');
  assert.match(await verdict(page, '5.1b', 'right'), /^Right\. One sixth/);
  assert.equal(await progress(page), '1 of 8 answered');
  assert.equal(await field.getAttribute('aria-invalid'), 'false');
  assert.deepEqual(faults, []);
  await close();
});

test('choices: one by the arrow keys, several by Space; nothing chosen is nothing to check', async () => {
  const { page, close } = await openPlate(made, 'masks');
  await section(page, '6.2b').locator('.answer-check').click();
  assert.equal(await verdict(page, '6.2b', 'unread'), 'There is nothing to check yet.');
  await section(page, '6.2b').locator('input').first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  assert.match(await verdict(page, '6.2b', 'wrong'), /first query/);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await verdict(page, '6.2b', 'right');
  await section(page, '6.1c').locator('.answer-check').click();
  assert.match(await verdict(page, '6.1c', 'wrong'), /2 of them/, 'none at all is an answer');
  for (const id of ['5', '6']) await section(page, '6.1c').locator(`input[value="${id}"]`).press('Space');
  await page.keyboard.press('Enter');
  await verdict(page, '6.1c', 'right');
  assert.equal(await progress(page), '2 of 8 answered');
  await close();
});

test('a matrix is filled in by keys and by hand, and wrong entries are named and marked', async () => {
  const { page, close } = await openPlate(made, 'masks');
  const cells = section(page, '6.1b').locator('.answer-cell');
  assert.equal(await cells.count(), 36);
  assert.equal(await section(page, '6.1b').locator('.answer-cell[tabindex="0"]').count(), 1, 'Tab stops once at a grid');
  await cells.first().focus();
  // the window of width 2, with one key too many in row 5
  for (const row of ['100000', '110000', '011000', '001100', '001110', '000011']) {
    await page.keyboard.press('Home');
    for (const digit of row) {
      await page.keyboard.press(digit);
      await page.keyboard.press('ArrowRight');
    }
    await page.keyboard.press('ArrowDown');
  }
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'query 6, key 6');
  await section(page, '6.1b').locator('.answer-check').click();
  assert.equal(await verdict(page, '6.1b', 'wrong'), 'Not yet. Row 5: query 5 may not see key 3.');
  assert.equal(await section(page, '6.1b').locator('.is-wrong').count(), 1);
  const wrong = section(page, '6.1b').getByRole('button', { name: 'query 5, key 3' });
  assert.equal(await wrong.getAttribute('aria-pressed'), 'true');
  await wrong.click();
  assert.equal(await wrong.getAttribute('aria-pressed'), 'false');
  assert.equal(await wrong.evaluate((cell) => getComputedStyle(cell, '::before').content), '"0"');
  assert.equal(await section(page, '6.1b').locator('.is-wrong').count(), 0);
  await section(page, '6.1b').locator('.answer-check').click();
  await verdict(page, '6.1b', 'right');
  await close();
});

test('two answers given at once are both judged', async () => {
  const { page, close } = await openPlate(made, 'precision');
  await page.evaluate(() => {
    for (const [part, value] of [['5.1a', 'even'], ['5.1c', 'nan'], ['5.2b', 'even']]) {
      const form = /** @type {Element} */ (document.querySelector(`section[data-part="${part}"] form`));
      /** @type {HTMLInputElement} */ (form.querySelector(`input[value="${value}"]`)).checked = true;
      /** @type {HTMLElement} */ (form.querySelector('.answer-check')).click();
    }
  });
  await Promise.all([verdict(page, '5.1a', 'right'), verdict(page, '5.1c', 'right'), verdict(page, '5.2b', 'wrong')]);
  assert.equal(await progress(page), '2 of 8 answered');
  await close();
});

test('a live link sets the plate, brings it into view and goes on from there', async () => {
  const { page, close } = await openPlate(made, 'precision', '', { reducedMotion: 'reduce' });
  const link = section(page, '5.1c').locator('.live a');
  await link.scrollIntoViewIfNeeded();
  await link.press('Enter');
  await shows(page, { row: 'masked', fill: '-infinity', zeroing: false });
  const top = await page.locator('#workshop').evaluate((element) => element.getBoundingClientRect().top);
  assert.ok(Math.abs(top) < 40, `the workshop begins at ${top} px`);
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'workshop');
  await page.goBack();
  await shows(page, { row: 'ordinary', fill: 'lowest', zeroing: true });
  await close();
});

test('a link to the second plate of a page sets that one and leaves the address alone', async () => {
  const { page, close } = await openPlate(made, 'saturation');
  const links = await page.locator('attention-exercise .live a[href^="embed.html"]').evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
  assert.ok(links.length > 0);
  const [, study, state] = /plate=([\w-]+)#(.*)/.exec(links[0]) ?? [];
  await page.locator(`attention-exercise a[href="${links[0]}"]`).first().click();
  await page.waitForFunction(({ id, wanted }) => {
    const params = /** @type {any} */ (document.querySelector(`attention-plate[study="${id}"]`))?.result?.params;
    return params && [...new URLSearchParams(wanted)].every(([key, value]) => String(params[key]) === value);
  }, { id: study, wanted: state });
  assert.equal(new URL(page.url()).hash, '');
  assert.ok(page.url().includes('one-square-root.html'));
  await close();
});

test('answers are kept, shown again and cleared', async () => {
  const { page, close } = await openPlate(made, 'precision');
  assert.equal(await page.locator('.answer-clear').isVisible(), false, 'nothing to clear yet');
  await section(page, '5.1a').locator('input[value="even"]').check();
  await section(page, '5.1a').locator('.answer-check').click();
  await verdict(page, '5.1a', 'right');
  await section(page, '5.1b').locator('input').fill('0.5');
  await section(page, '5.1b').locator('.answer-check').click();
  await verdict(page, '5.1b', 'wrong');
  await page.reload();
  await live(page);
  assert.equal(await progress(page), '1 of 8 answered');
  assert.match(await verdict(page, '5.1a', 'right'), /before/);
  assert.equal(await section(page, '5.1a').locator('input[value="even"]').isChecked(), true);
  assert.equal(await section(page, '5.1b').locator('input').inputValue(), '0.5');
  assert.equal(await section(page, '5.1b').locator('.verdict').textContent(), '');
  await page.locator('.answer-clear').click();
  assert.equal(await progress(page), '0 of 8 answered');
  assert.equal(await section(page, '5.1a').locator('input:checked').count(), 0);
  assert.equal(await section(page, '5.1b').locator('input').inputValue(), '');
  assert.equal(await page.evaluate(() => document.activeElement?.localName), 'h3', 'focus stays in the exercise');
  await page.reload();
  await live(page);
  assert.equal(await progress(page), '0 of 8 answered');
  assert.equal(await page.evaluate(() => localStorage.length), 0);
  await close();
});

/** The whole of a part where nothing can be kept. @param {Page | Frame} page */
async function answersWithoutMemory(page) {
  await section(page, '5.2a').locator('input').fill('-65504');
  await section(page, '5.2a').locator('.answer-check').click();
  assert.match(await verdict(page, '5.2a', 'wrong'), /does not stop/);
  await section(page, '5.2a').locator('input').fill('-inf');
  await section(page, '5.2a').locator('input').press('Enter');
  await verdict(page, '5.2a', 'right');
  assert.equal(await progress(page), '1 of 8 answered');
  await page.locator('.answer-clear').click();
  assert.equal(await progress(page), '0 of 8 answered');
}

test('in a sandboxed frame, which has no storage and may submit no form', async () => {
  const host = await servePages({ pages: { '/host.html': pageAround(`<iframe sandbox="allow-scripts" width="1000" height="900" src="${made.site.url}precision.html"></iframe>`) } });
  const { page, close } = await open(made.browser, `${host.url}host.html`);
  const frame = page.frames()[1];
  await live(frame);
  assert.equal(await frame.evaluate(() => { try { return typeof localStorage; } catch { return 'refused'; } }), 'refused');
  await answersWithoutMemory(frame);
  await close();
});

test('from disk, and with a full storage', async () => {
  const disk = await open(made.browser, pathToFileURL(join(site, 'precision.html')).href);
  await live(disk.page);
  await answersWithoutMemory(disk.page);
  assert.deepEqual(disk.faults, []);
  await disk.close();
  const { page, close } = await openPlate(made, 'precision');
  await page.evaluate(() => { Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }; });
  await answersWithoutMemory(page);
  await close();
});

test('without the module that judges, the answer stays and the page says so', async () => {
  const server = await servePages({ missing: ['/attn-exercises.wasm', '/attn-inline-exercises.js', '/attn-worker-exercises.js'] });
  const { page, close } = await open(made.browser, `${server.url}precision.html`);
  await live(page);
  await section(page, '5.2a').locator('input').fill('-inf');
  await section(page, '5.2a').locator('.answer-check').click();
  assert.match(await verdict(page, '5.2a', 'unread'), /^The answer cannot be checked here\. /);
  assert.equal(await section(page, '5.2a').locator('input').inputValue(), '-inf');
  assert.ok((await shown(page)).params, 'the plate does not care');
  await close();
});

test('a page loads the module with the first answer, not before', async () => {
  const { page, close } = await openPlate(made, 'precision');
  const asked = () => page.evaluate(() => performance.getEntriesByType('resource').filter(({ name }) => name.includes('exercises')).length);
  assert.equal(await asked(), 0);
  await section(page, '5.2a').locator('input').fill('-inf');
  await section(page, '5.2a').locator('.answer-check').click();
  await verdict(page, '5.2a', 'right');
  assert.ok(await asked() > 0);
  await close();
});

test('without scripts: questions, choices and hints stand, and nothing pretends to work', async () => {
  const { page, faults, close } = await open(made.browser, `${made.site.url}precision.html`, { javaScriptEnabled: false });
  assert.equal(await page.locator('.question').count(), 8);
  assert.equal(await page.locator('.answer-check').first().isVisible(), false);
  assert.equal(await page.locator('.answer fieldset:not([disabled])').count(), 0);
  const hint = section(page, '5.1a').locator('.hint').first();
  assert.equal(await hint.locator('p').isVisible(), false);
  await hint.locator('summary').click();
  assert.equal(await hint.locator('p').isVisible(), true);
  assert.deepEqual(faults, []);
  await close();
});

test('on paper: questions with lines to write on, on sheets of their own, without buttons, hints or verdicts', async () => {
  const { page, close } = await openPlate(made, 'masks');
  await section(page, '6.3a').locator('input').fill('3');
  await section(page, '6.3a').locator('.answer-check').click();
  await verdict(page, '6.3a', 'wrong');
  await page.emulateMedia({ media: 'print' });
  for (const selector of ['.answer-check', '.verdict', '.hint', '.live', '.exercise-progress']) assert.equal(await page.locator(`.exercises ${selector}:visible`).count(), 0, selector);
  const line = await section(page, '6.3a').locator('input').evaluate((element) => ({ border: getComputedStyle(element).borderBottomStyle, width: element.getBoundingClientRect().width }));
  assert.ok(line.border === 'solid' && line.width > 300, JSON.stringify(line));
  assert.equal(await section(page, '6.1a').locator('.answer-cell').first().evaluate((element) => getComputedStyle(element).color), 'rgba(0, 0, 0, 0)', 'an open cell is blank');
  assert.equal(await page.locator('.exercises').evaluate((element) => getComputedStyle(element).breakBefore), 'page');
  await close();
});

test('a matrix of numbers: the entry that cannot be read is named, wrong ones are marked, arrows go up and down', async () => {
  const { page, close } = await openPlate(made, 'saturation');
  const entries = section(page, '4.1b').locator('.answer-entry');
  const fill = async (/** @type {string[]} */ texts) => { for (const [i, text] of texts.entries()) await entries.nth(i).fill(text); };
  await fill(['3/16', '-3/16', '-3/16', 'x']);
  await entries.last().press('Enter');
  assert.match(await verdict(page, '4.1b', 'unread'), /^Row 2, column 2 is "x"; give a number/);
  await entries.last().fill('0.5');
  await entries.last().press('ArrowUp');
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), await entries.nth(1).getAttribute('aria-label'));
  await page.keyboard.press('Enter');
  assert.match(await verdict(page, '4.1b', 'wrong'), /row 2, column 2/i);
  assert.deepEqual(await section(page, '4.1b').locator('tbody td').evaluateAll((all) => all.map((cell) => cell.classList.contains('is-wrong'))), [false, false, false, true]);
  await entries.last().fill('0.1875');
  await page.keyboard.press('Enter');
  await verdict(page, '4.1b', 'right');
  await page.evaluate(axe);
  assert.deepEqual(await page.evaluate(async () => (await /** @type {any} */ (window).axe.run('.exercises')).violations.map((/** @type {any} */ { id }) => id)), []);
  await close();
});

for (const [name, options] of /** @type {const} */ ([['light', { colorScheme: 'light' }], ['dark', { colorScheme: 'dark' }], ['a phone', { viewport: { width: 360, height: 780 }, isMobile: true, hasTouch: true }]])) {
  test(`axe-core finds nothing in answered exercises, and nothing is too wide: ${name}`, async () => {
    const { page, close } = await openPlate(made, 'masks', '', options);
    for (const summary of await page.locator('.hint summary').all()) await summary.click();
    await section(page, '6.1a').locator('.answer-cell').first().click();
    await section(page, '6.1a').locator('.answer-check').click();
    await verdict(page, '6.1a', 'wrong');
    await section(page, '6.3a').locator('input').fill('low');
    await section(page, '6.3a').locator('.answer-check').click();
    await verdict(page, '6.3a', 'unread');
    await section(page, '7.2').locator('input').fill('0');
    await section(page, '7.2').locator('.answer-check').click();
    await verdict(page, '7.2', 'right');
    await page.evaluate(axe);
    const found = await page.evaluate(async () => {
      const { violations } = await /** @type {any} */ (window).axe.run('.exercises', { resultTypes: ['violations'] });
      return violations.map((/** @type {any} */ { id, nodes }) => `${id}: ${nodes.map((/** @type {any} */ node) => node.target).join(' ')}`);
    });
    assert.deepEqual(found, []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await close();
  });
}
