// Tables of numbers in Chromium, on the row of scores whose Jacobian is taken: entries typed, stepped, refused and taken again, more and fewer of
// them, by keyboard, in light, dark and on a phone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { live, open, part, setting, shown, shows } from './support.js';

/** @import { BrowserContextOptions } from 'playwright-core' */

const made = setting();
const phone = { viewport: { width: 360, height: 780 }, isMobile: true, hasTouch: true };
const scores = '[data-key="scores"]';

/** @param {string} [hash] @param {BrowserContextOptions} [options] */
async function jacobian(hash = '', options = {}) {
  const opened = await open(made.browser, `${made.site.url}embed.html?plate=jacobian${hash}`, options);
  await live(opened.page);
  return opened;
}

test('an entry is typed, and the result is that of the text; every field has a name', async () => {
  const { page, faults, close } = await jacobian();
  const fields = part(page, `${scores} input`);
  assert.deepEqual(await fields.evaluateAll((all) => all.map((field) => field.getAttribute('aria-label'))), [1, 2, 3, 4, 5].map((i) => `scores of the row, number ${i}`));
  await fields.nth(1).fill('-1.5');
  await shows(page, { scores: '1.2,-1.5,-0.3,2,-1' });
  await page.waitForFunction(() => location.hash.includes('scores=1.2,-1.5,-0.3,2,-1'));
  // in the core's own form once its reader leaves
  await fields.nth(0).fill('1.50e0');
  await shows(page, { scores: '1.5,-1.5,-0.3,2,-1' });
  assert.equal(await fields.nth(0).inputValue(), '1.50e0');
  await fields.nth(0).press('Tab');
  assert.equal(await fields.nth(0).inputValue(), '1.5');
  assert.deepEqual(faults, []);
  await close();
});

test('arrow keys step an entry, with Shift ten steps, and leave no dust', async () => {
  const { page, close } = await jacobian('#scores=0,1');
  const field = part(page, `${scores} input`).first();
  for (let i = 0; i < 3; ++i) await field.press('ArrowUp');
  await shows(page, { scores: '3,1' });
  await field.press('Shift+ArrowDown');
  await shows(page, { scores: '-7,1' });
  assert.equal(await field.inputValue(), '-7');
  await close();
});

test('a wrong entry stays in its field beside its reason, and the picture stays; what is only begun says nothing yet', async () => {
  const { page, close } = await jacobian('#scores=1,2,3');
  const fields = part(page, `${scores} input`);
  const error = part(page, `${scores} .control-error`);
  await fields.nth(1).fill('');
  await page.keyboard.type('-');
  assert.equal(await error.count(), 0, 'a minus sign is the beginning of a number');
  await page.keyboard.type('4');
  await shows(page, { scores: '1,-4,3' });
  for (const [entry, words] of [['701', /number 2: 701 is not possible; numbers from -700 to 700/], ['x', /number 2: x is not possible/], ['0,5', /number 2: .*with a point for decimals/], ['nan', /number 2: nan is not possible/]]) {
    await fields.nth(1).fill(String(entry));
    await error.filter({ hasText: /** @type {RegExp} */ (words) }).waitFor();
    assert.equal(await fields.count(), 3, 'no separator in an entry adds one');
    assert.deepEqual(await fields.evaluateAll((all) => all.map((field) => field.getAttribute('aria-invalid'))), [null, 'true', null]);
    assert.equal(await fields.nth(1).getAttribute('aria-describedby'), await error.getAttribute('id'));
    assert.equal((await shown(page)).params.scores, '1,-4,3');
  }
  // another is typed beside it; both are told
  await fields.nth(2).fill('900');
  await error.filter({ hasText: 'number 3: 900' }).waitFor();
  assert.match(await error.innerText(), /number 2: nan.*number 3: 900/);
  await fields.nth(1).fill('0');
  await error.filter({ hasNotText: 'number 2' }).waitFor();
  await fields.nth(2).fill('5');
  await shows(page, { scores: '1,0,5' });
  await error.waitFor({ state: 'detached' });
  // left empty
  await fields.nth(0).fill('');
  assert.equal(await error.count(), 0);
  await fields.nth(0).blur();
  await error.filter({ hasText: /number 1 needs a number/ }).waitFor();
  await close();
});

test('one more, one fewer, as many as the core allows', async () => {
  const { page, faults, close } = await jacobian('#scores=1,2,3,4,5,6,7');
  const [more, fewer] = [part(page, `${scores} button`).first(), part(page, `${scores} button`).last()];
  await more.click();
  await shows(page, { scores: '1,2,3,4,5,6,7,0' });
  assert.match(await part(page, '[aria-live="polite"]').last().innerText(), /8 numbers/);
  await more.click();
  const error = part(page, `${scores} .control-error`);
  await error.filter({ hasText: '2 to 8 numbers' }).waitFor();
  assert.equal((await shown(page)).params.scores, '1,2,3,4,5,6,7,0');
  await fewer.click();
  await error.waitFor({ state: 'detached' });
  for (let left = 7; left >= 2; --left) {
    await fewer.click();
    await shows(page, { scores: Array.from({ length: left }, (_, i) => i + 1).join(',') });
  }
  assert.deepEqual(faults, []);
  await close();
});

test('a link with a table that cannot be is repaired, with a notice', async () => {
  const { page, close } = await jacobian('#scores=1,2;3,4');
  assert.match(await part(page, '.notice').innerText(), /scores/);
  assert.equal((await shown(page)).params.scores, '1.2,0.4,-0.3,2,-1');
  await close();
});

test('on a phone the fields fit the page and a finger, in light and dark', async () => {
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    const { page, close } = await jacobian('#scores=1,2,3,4,5,6,7,8', { ...phone, colorScheme });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
    const sides = await part(page, `${scores} :is(input, button)`).evaluateAll((all) => all.map((each) => Math.min(each.getBoundingClientRect().width, each.getBoundingClientRect().height)));
    assert.ok(sides.length === 10 && sides.every((side) => side >= 24), `${sides}`);
    await close();
  }
});
