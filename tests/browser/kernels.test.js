// "From kernels to dot products" in Chromium: points follow mouse, finger and keys, in the plane and in the fields, and what is then shown is the
// core's answer for the place they were taken to.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadCore } from '../web/support.js';
import { openPlate, part, plain, setting, shown, shows } from './support.js';

/** @import { Page } from 'playwright-core' */

const made = setting();
const core = await loadCore();
const own = '#points=own&query=1,0.5&keys=1,1;-1.5,0.5;0.5,-1.5&key=2';
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/**
 * Where a point of the plane lies on the screen, read off the figure's axes, whose ends are -3 and 3 here.
 * @param {Page} page
 */
async function plane(page) {
  await part(page, '.canvas[data-figure="plane"] svg').evaluate((svg) => svg.scrollIntoView({ block: 'center' }));
  const box = await part(page, '.canvas[data-figure="plane"]').evaluate((canvas) => {
    const ticks = [...canvas.querySelectorAll('.axis-x .tick')].map((each) => each.getBoundingClientRect());
    const [up, down] = [...canvas.querySelectorAll('.axis-y .tick')].map((each) => each.getBoundingClientRect()).sort((a, b) => a.top - b.top).filter((_, i, all) => i === 0 || i === all.length - 1);
    const middle = (/** @type {DOMRect} */ rect) => rect.left + rect.width / 2;
    return { left: middle(ticks[0]), right: middle(ticks[ticks.length - 1]), top: up.top + up.height / 2, bottom: down.top + down.height / 2 };
  });
  return (/** @type {number} */ x, /** @type {number} */ y) => ({ x: box.left + ((x + 3) * (box.right - box.left)) / 6, y: box.bottom - ((y + 3) * (box.bottom - box.top)) / 6 });
}

/** What is on show is what the core says of the same parameters. @param {Page} page */
async function isTheCores(page) {
  const seen = await shown(page);
  assert.deepEqual(seen, plain(core.run('kernels', seen.params)));
  return seen;
}

/** Two numbers of a table's row. @param {string} text @param {number} [row] */
const entries = (text, row = 0) => text.split(';')[row].split(',').map(Number);

/** @param {number[]} is @param {number[]} wanted @param {number} within */
const near = (is, wanted, within) => assert.ok(is.every((each, i) => Math.abs(each - wanted[i]) <= within), `${is} for ${wanted}`);

test('a mouse takes the query along, and every picture is the core’s', async () => {
  const { page, faults, close } = await openPlate(made, 'kernels', own);
  const at = await plane(page);
  const [from, to] = [at(1, 0.5), at(-1.2, 1.8)];
  await page.mouse.move(from.x + 3, from.y - 2);
  await page.mouse.down();
  for (let i = 1; i <= 12; ++i) await page.mouse.move(from.x + 3 + ((to.x - from.x) * i) / 12, from.y - 2 + ((to.y - from.y) * i) / 12);
  await page.mouse.up();
  await page.waitForFunction(() => { const plate = /** @type {any} */ (document.querySelector('attention-plate')); return plate.result.params.query === plate.params.query && plate.params.query !== '1,0.5'; });
  const { params, series } = await isTheCores(page);
  near(entries(params.query), [-1.2, 1.8], 0.03);
  near(series.query, [-1.2, 1.8], 0.03);
  assert.equal(params.keys, '1,1;-1.5,0.5;0.5,-1.5', 'the keys stay');
  assert.ok((await page.evaluate(() => location.hash)).includes('query='), 'the address follows');
  assert.deepEqual(faults, []);
  await close();
});

test('a drag on the section’s own points makes them the reader’s, and leaves the others where they are', async () => {
  const { page, faults, close } = await openPlate(made, 'kernels', '#points=section-1&generator=jax&key=4&gaussian=plain');
  const before = await shown(page);
  assert.equal(before.params.points, 'section-1');
  const at = await plane(page);
  const [from, to] = [at(before.series.keys[6], before.series.keys[7]), at(-2, -2)];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2);
  await page.mouse.move(to.x, to.y);
  await page.mouse.up();
  await shows(page, { points: 'own' });
  await page.waitForFunction(() => { const plate = /** @type {any} */ (document.querySelector('attention-plate')); return plate.result.params.keys === plate.params.keys; });
  const { series } = await isTheCores(page);
  near(series.keys.slice(6, 8), [-2, -2], 0.03);
  near([...series.keys.slice(0, 6), ...series.keys.slice(8), ...series.query], [...before.series.keys.slice(0, 6), ...before.series.keys.slice(8), ...before.series.query], 0.00006);
  assert.deepEqual(faults, []);
  await close();
});

test('a press without a move chooses the key', async () => {
  const { page, close } = await openPlate(made, 'kernels', own);
  const at = await plane(page);
  const { x, y } = at(0.5, -1.5);
  await page.mouse.click(x, y);
  await shows(page, { key: 3, keys: '1,1;-1.5,0.5;0.5,-1.5' });
  await close();
});

test('a finger drags a key without scrolling the page', async () => {
  const { page, faults, close } = await openPlate(made, 'kernels', own, phone);
  const at = await plane(page);
  const touch = await page.context().newCDPSession(page);
  const [from, to] = [at(-1.5, 0.5), at(-0.5, -2)];
  const way = Array.from({ length: 9 }, (_, i) => ({ x: from.x + ((to.x - from.x) * i) / 8, y: from.y + ((to.y - from.y) * i) / 8 }));
  const scrolled = await page.evaluate(() => scrollY);
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [way[0]] });
  for (const point of way.slice(1)) await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [point] });
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await page.waitForFunction(() => { const plate = /** @type {any} */ (document.querySelector('attention-plate')); return plate.result.params.keys === plate.params.keys && !plate.params.keys.includes('-1.5,0.5'); });
  const { params } = await isTheCores(page);
  near(entries(params.keys, 1), [-0.5, -2], 0.06);
  assert.equal(await page.evaluate(() => scrollY), scrolled);
  assert.deepEqual(faults, []);
  await close();
});

test('keys of the keyboard take a point up, move it and put it down', async () => {
  const { page, faults, close } = await openPlate(made, 'kernels', own);
  const canvas = part(page, '.canvas[data-figure="plane"]');
  await canvas.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  const said = part(page, '[aria-live="polite"]').last();
  await page.waitForFunction((element) => /the query: x 1.00, y 0.50; taken up/.test(element?.textContent ?? ''), await said.elementHandle());
  await page.keyboard.press('ArrowRight');
  await shows(page, { query: '1.1,0.5' });
  await page.keyboard.press('Shift+ArrowDown');
  await shows(page, { query: '1.1,-0.5' });
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowUp');
  await isTheCores(page);
  assert.equal((await shown(page)).params.query, '1.1,-0.5', 'put down, it stays');
  assert.deepEqual(faults, []);
  await close();
});

test('after a move the hand has the moved point, and the parameters are those before it', async () => {
  const { page, close } = await openPlate(made, 'kernels', `${own}&move=keys&shift=0.5,0.5`);
  const at = await plane(page);
  const [from, to] = [at(-1, 1), at(1.5, -1)];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2);
  await page.mouse.move(to.x, to.y);
  await page.mouse.up();
  await page.waitForFunction(() => { const plate = /** @type {any} */ (document.querySelector('attention-plate')); return plate.result.params.keys === plate.params.keys && !plate.params.keys.includes('-1.5,0.5'); });
  const { params, series } = await isTheCores(page);
  near(series.keys.slice(2, 4), [1.5, -1], 0.03);
  near(entries(params.keys, 1), [1, -1.5], 0.03);
  await close();
});

test('the query can be taken in a field too', async () => {
  const { page, close } = await openPlate(made, 'kernels', own);
  const field = part(page, '.canvas[data-figure="fields"] .field').nth(1);
  await field.evaluate((each) => each.scrollIntoView({ block: 'center' }));
  const [ring, frame] = await Promise.all([field.locator('circle.handle').boundingBox(), field.locator('.field-frame').boundingBox()]);
  assert.ok(ring && frame);
  await page.mouse.move(ring.x + ring.width / 2, ring.y + ring.height / 2);
  await page.mouse.down();
  await page.mouse.move(frame.x + frame.width / 3, frame.y + frame.height / 2);
  await page.mouse.move(frame.x + frame.width / 4, frame.y + frame.height / 4);
  await page.mouse.up();
  await page.waitForFunction(() => { const plate = /** @type {any} */ (document.querySelector('attention-plate')); return plate.result.params.query === plate.params.query && plate.params.query !== '1,0.5'; });
  const { params } = await isTheCores(page);
  near(entries(params.query), [-1.5, 1.5], 0.06);
  await close();
});
