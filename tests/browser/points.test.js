// Points that are taken, and tables of points, on "From kernels to dot products" in Chromium: what a hand sees and hears while it holds one, that a
// finger beside one scrolls, and that fields, text and rows make the reader's own what was drawn.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPlate, part, setting, shown, shows, unfold } from './support.js';

/** @import { Page } from 'playwright-core' */

const made = setting();
const own = '#points=own&query=1,0.5&keys=1,1;-1.5,0.5;0.5,-1.5&key=2';
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const plane = '.canvas[data-figure="plane"]';
const keys = '[data-key="keys"]';

/** Takes one point of the plane up by keys, whichever comes first. @param {Page} page */
async function takeUp(page) {
  await part(page, plane).focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await part(page, `${plane} .taken-ring`).waitFor();
}

/** What was said last. @param {Page} page @param {RegExp} words */
const says = (page, words) => part(page, '[aria-live="polite"]').filter({ hasText: words }).first().waitFor({ state: 'attached' });

test('a figure with points says how they are moved, and rings the one that is held', async () => {
  const { page, faults, close } = await openPlate(made, 'kernels', own);
  const canvas = part(page, plane);
  assert.equal(await canvas.getAttribute('role'), 'application');
  assert.match(await canvas.getAttribute('aria-label') ?? '', /Enter takes one up/);
  await canvas.focus();
  await page.keyboard.press('Home');
  await says(page, /the query: .*; Enter takes it up/);
  assert.equal(await part(page, `${plane} .taken-ring`).count(), 0);
  await page.keyboard.press('Enter');
  await says(page, /taken up: arrows move it, with Shift 10 steps, Enter puts it down/);
  await part(page, `${plane} .taken-ring`).waitFor();
  const [ring, stroke] = await part(page, `${plane} .taken-ring`).evaluate((element) => [getComputedStyle(element).strokeWidth, getComputedStyle(element).stroke]);
  assert.ok(Number.parseFloat(ring) >= 1 && !/none|rgba\(0, 0, 0, 0\)/.test(stroke), 'the ring is seen');
  await page.keyboard.press('ArrowUp');
  await shows(page, { query: '1,0.6' });
  await says(page, /the query: x 1.00, y 0.60/);
  await page.keyboard.press(' ');
  await says(page, /put down/);
  await part(page, `${plane} .taken-ring`).waitFor({ state: 'detached' });
  await page.keyboard.press('ArrowUp');
  assert.equal((await shown(page)).params.query, '1,0.6');
  assert.deepEqual(faults, []);
  await close();
});

test('many steps in one breath are all made', async () => {
  const { page, close } = await openPlate(made, 'kernels', own);
  await takeUp(page);
  await part(page, plane).evaluate((element) => {
    for (let i = 0; i < 7; ++i) element.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true, composed: true, cancelable: true }));
    for (let i = 0; i < 3; ++i) element.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true, composed: true, cancelable: true }));
  });
  await shows(page, { query: '1.7,0.2' });
  await close();
});

test('Tab and a press elsewhere put down what keys hold; Escape too, and then leaves the point', async () => {
  const { page, close } = await openPlate(made, 'kernels', own);
  const ring = part(page, `${plane} .taken-ring`);
  await takeUp(page);
  await page.keyboard.press('Tab');
  await ring.waitFor({ state: 'detached' });
  await takeUp(page);
  await part(page, 'figcaption').first().click();
  await ring.waitFor({ state: 'detached' });
  await takeUp(page);
  await page.keyboard.press('Escape');
  await ring.waitFor({ state: 'detached' });
  assert.equal((await shown(page)).params.query, '1,0.5');
  await close();
});

test('a finger beside the points scrolls the page', async () => {
  const { page, close } = await openPlate(made, 'kernels', own, phone);
  const svg = part(page, `${plane} svg`);
  await svg.evaluate((element) => element.scrollIntoView({ block: 'center' }));
  const points = await part(page, `${plane} svg circle`).evaluateAll((all) => all.map((each) => each.getBoundingClientRect()).map(({ left, top, width, height }) => ({ x: left + width / 2, y: top + height / 2 })));
  const box = await svg.boundingBox();
  assert.ok(box && points.length >= 4);
  // the place in the figure that is furthest from every point
  let from = { x: 0, y: 0, far: 0 };
  for (let i = 1; i < 20; ++i) {
    for (let j = 1; j < 20; ++j) {
      const [x, y] = [box.x + (box.width * i) / 20, box.y + (box.height * j) / 20];
      const far = Math.min(...points.map((point) => Math.hypot(point.x - x, point.y - y)));
      if (far > from.far) from = { x, y, far };
    }
  }
  assert.ok(from.far > 30);
  const touch = await page.context().newCDPSession(page);
  const start = await page.evaluate(() => scrollY);
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [from] });
  for (let i = 1; i <= 8; ++i) await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [{ x: from.x, y: from.y - 25 * i }] });
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await page.waitForFunction((y) => Math.abs(scrollY - y) > 40, start);
  const { params } = await shown(page);
  assert.deepEqual([params.query, params.keys], ['1,0.5', '1,1;-1.5,0.5;0.5,-1.5']);
  await close();
});

test('the folded table: entries, rows that come and go with the focus beside them, and the text as a whole', async () => {
  const { page, faults, close } = await openPlate(made, 'kernels', own);
  const focused = () => page.evaluate(() => document.querySelector('attention-plate')?.shadowRoot?.activeElement?.getAttribute('aria-label'));
  assert.equal(await part(page, `${keys} table`).count(), 0, 'no field is built while it is folded');
  await unfold(page);
  await part(page, `${keys} summary`).press('Enter');
  await part(page, `${keys} [aria-label="keys, key 2, x"]`).fill('-2');
  await shows(page, { keys: '1,1;-2,0.5;0.5,-1.5' });
  await part(page, `${keys} [data-action="add-row"]`).press('Enter');
  await shows(page, { keys: '1,1;-2,0.5;0.5,-1.5;0,0' });
  await page.waitForFunction(() => document.querySelector('attention-plate')?.shadowRoot?.activeElement?.getAttribute('aria-label') === 'keys, key 4, x');
  await page.keyboard.type('2');
  await shows(page, { keys: '1,1;-2,0.5;0.5,-1.5;2,0' });
  await part(page, `${keys} [aria-label="take key 1 away"]`).press('Enter');
  await shows(page, { keys: '-2,0.5;0.5,-1.5;2,0' });
  await says(page, /key 1 is taken away/);
  await page.waitForFunction(() => document.querySelector('attention-plate')?.shadowRoot?.activeElement?.getAttribute('aria-label') === 'take key 1 away');
  for (const left of ['0.5,-1.5;2,0', '2,0']) {
    await page.keyboard.press('Enter');
    await shows(page, { keys: left });
  }
  await page.waitForFunction(() => document.querySelector('attention-plate')?.shadowRoot?.activeElement?.getAttribute('aria-label') === 'keys, key 1, x');
  assert.equal(await part(page, `${keys} [aria-label="take key 1 away"]`).isDisabled(), true, 'the last one stays');
  const text = part(page, `${keys} .table-text`);
  await text.fill(' 1, 1 ; 0.5,2');
  await shows(page, { keys: '1,1;0.5,2' });
  await text.press('Tab');
  assert.equal(await text.inputValue(), '1,1;0.5,2');
  const error = part(page, `${keys} .control-error`);
  await text.fill('1,1;0.5');
  await error.filter({ hasText: 'row 2 has 1 entry and row 1 has 2' }).waitFor();
  assert.equal(await text.getAttribute('aria-invalid'), 'true');
  assert.equal((await shown(page)).params.keys, '1,1;0.5,2');
  await text.fill('1,1');
  await error.waitFor({ state: 'detached' });
  assert.notEqual(await focused(), null);
  assert.deepEqual(faults, []);
  await close();
});

test('an entry typed over what was drawn makes all of it the reader’s, digit for digit; a refused one makes nothing', async () => {
  const { page, faults, close } = await openPlate(made, 'kernels', '#points=section-1&generator=torch&seed=3');
  const before = await shown(page);
  await unfold(page);
  await part(page, `${keys} summary`).click();
  assert.match(await part(page, `${keys} summary`).innerText(), /10 keys, as drawn/);
  const field = part(page, `${keys} [aria-label="keys, key 3, y"]`);
  assert.ok(Math.abs(Number(await field.inputValue()) - before.series.keys[5]) < 1e-4, 'the field shows what was drawn');
  await field.fill('9');
  await part(page, `${keys} .control-error`).filter({ hasText: 'keys, key 3, y: 9 is not possible' }).waitFor();
  assert.deepEqual((await shown(page)).params, before.params);
  await field.fill('1.25');
  await shows(page, { points: 'own' });
  const { series } = await shown(page);
  assert.deepEqual(series.keys, before.series.keys.map((value, i) => (i === 5 ? 1.25 : value)));
  assert.deepEqual(series.query, before.series.query);
  assert.equal(await part(page, `${keys} .control-error`).count(), 0);
  assert.deepEqual(faults, []);
  await close();
});

test('on a phone an unfolded table scrolls in its own box and is large enough for a finger', async () => {
  const { page, close } = await openPlate(made, 'kernels', '', { ...phone, viewport: { width: 360, height: 780 } });
  await unfold(page);
  await part(page, `${keys} summary`).tap();
  await part(page, `${keys} table`).waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
  const sides = await part(page, `${keys} :is(input, button, summary)`).evaluateAll((all) => all.map((each) => Math.min(each.getBoundingClientRect().width, each.getBoundingClientRect().height)));
  assert.ok(sides.length > 20 && sides.every((side) => side >= 24), `${sides}`);
  await close();
});
