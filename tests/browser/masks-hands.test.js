// Hands on "Sheets of masks" in Chromium: a finger paints in any direction and scrolls beside the cells, quick strokes are all kept, keys walk from
// cell to cell in sight, and controls are large enough for a finger.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPlate, part, setting, shown, shows } from './support.js';

/** @import { Page } from 'playwright-core' */

const made = setting();
const canvas = '.canvas[data-figure="sheets"]';
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/**
 * The middle of a cell on the screen, once the larger map is in sight.
 * @param {Page} page
 * @param {number} rows
 * @param {number} columns
 */
async function map(page, rows, columns) {
  const measure = () => part(page, `${canvas} svg .heatmap`).last().evaluate((heatmap) => {
    const boxes = [...heatmap.querySelectorAll('path, rect')].map((each) => each.getBoundingClientRect()).filter(({ width, height }) => width > 0 && height > 0);
    const [left, top] = [Math.min(...boxes.map((box) => box.left)), Math.min(...boxes.map((box) => box.top))];
    return { left, top, width: Math.max(...boxes.map((box) => box.right)) - left, height: Math.max(...boxes.map((box) => box.bottom)) - top };
  });
  await part(page, `${canvas} svg .heatmap`).last().evaluate((heatmap) => heatmap.scrollIntoView({ block: 'center' }));
  const box = await measure();
  return (/** @type {number} */ row, /** @type {number} */ column) => ({ x: box.left + ((column + 0.5) * box.width) / columns, y: box.top + ((row + 0.5) * box.height) / rows });
}

/** The cells closed on the painted sheet, as 'row,column'. @param {string} mask */
const closed = (mask) => (/rows\(([^)]*)\)/.exec(mask)?.[1].split(',') ?? []).flatMap((word, row) => [...word].flatMap((cell, column) => (cell === '0' ? [`${row},${column}`] : [])));

/** Until exactly these cells are closed: waiting for as many is not enough. @param {Page} page @param {string[]} cells */
async function waitFor(page, cells) {
  const now = async () => closed((await shown(page)).params.mask);
  for (const end = Date.now() + 8000; String(await now()) !== String(cells) && Date.now() < end;) await page.waitForTimeout(30);
  assert.deepEqual(closed((await shown(page)).params.mask), cells);
}

test('a finger paints downwards and across, and scrolls beside the cells', async () => {
  const { page, faults, close } = await openPlate(made, 'masks', `#mask=rows(${Array.from({ length: 8 }, () => '11111111').join(',')})&queries=8&keys=8&scores=equal`, phone);
  const at = await map(page, 8, 8);
  const touch = await page.context().newCDPSession(page);
  /** @param {{x: number, y: number}[]} way */
  const finger = async (way) => {
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [way[0]] });
    for (const point of way.slice(1)) await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [point] });
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  };
  const before = await page.evaluate(() => scrollY);
  const down = Array.from({ length: 6 }, (_, i) => at(1 + i, 2));
  await finger(down);
  const column = ['1,2', '2,2', '3,2', '4,2', '5,2', '6,2'];
  await waitFor(page, column);
  assert.equal(await page.evaluate(() => scrollY), before, 'the page stays where it is under a painting finger');
  const again = await map(page, 8, 8);
  await finger([again(2, 2), again(2, 4), again(2, 6)]);
  await waitFor(page, column.filter((cell) => cell !== '2,2'));
  // beside the cells a finger scrolls
  const words = await part(page, '.figure-sheets figcaption').boundingBox();
  assert.ok(words);
  const start = await page.evaluate(() => scrollY);
  const from = { x: words.x + words.width / 2, y: words.y + words.height / 2 };
  await finger(Array.from({ length: 8 }, (_, i) => ({ x: from.x, y: from.y - 25 * i })));
  await page.waitForFunction((y) => Math.abs(scrollY - y) > 40, start);
  assert.deepEqual(faults, []);
  await close();
});

test('quick strokes one after the other are all kept, whatever the picture shows meanwhile', async () => {
  const { page, faults, close } = await openPlate(made, 'masks', '#mask=rows(11111111,11111111,11111111,11111111,11111111,11111111,11111111,11111111)&queries=8&keys=8&scores=equal');
  const at = await map(page, 8, 8);
  const points = [0, 2, 4, 6].map((column) => at(3, column));
  // in one task, so that no answer of the core comes between
  await part(page, canvas).evaluate((element, places) => {
    const send = (/** @type {string} */ type, /** @type {{x: number, y: number}} */ { x, y }) => element.dispatchEvent(
      new PointerEvent(type, { bubbles: true, composed: true, pointerId: 7, pointerType: 'mouse', isPrimary: true, button: 0, buttons: 1, clientX: x, clientY: y }));
    for (const place of places) { send('pointerdown', place); send('pointerup', place); }
  }, points);
  await waitFor(page, ['3,0', '3,2', '3,4', '3,6']);
  // out over the edge and back in: what lies on the way is painted, what lies beside the map is not
  await page.mouse.move(at(6, 5).x, at(6, 5).y);
  await page.mouse.down();
  await page.mouse.move(at(6, 9.5).x, at(6, 9.5).y);
  await page.mouse.move(at(5, 9.5).x, at(5, 9.5).y);
  await page.mouse.move(at(5, 6).x, at(5, 6).y);
  await page.mouse.up();
  await waitFor(page, ['3,0', '3,2', '3,4', '3,6', '5,6', '5,7', '6,5', '6,6', '6,7']);
  assert.match(await part(page, '[aria-live="polite"]').innerText(), /^5 pairs closed on the painted sheet$/);
  assert.deepEqual(faults, []);
  await close();
});

test('keys walk from cell to cell: each is framed, said, and closed or opened by space', async () => {
  const { page, faults, close } = await openPlate(made, 'masks', '#mask=all&queries=4&keys=5&scores=equal');
  const figure = part(page, canvas);
  const tip = figure.locator('.tip');
  const said = part(page, '[aria-live="polite"]');
  await figure.focus();
  for (const [key, words] of [['ArrowDown', 'query 1, key 1'], ['End', 'query 1, key 5'], ['PageDown', 'query 4, key 5'], ['Home', 'query 4, key 1'], ['ArrowUp', 'query 3, key 1'], ['ArrowRight', 'query 3, key 2']]) {
    await page.keyboard.press(key);
    await tip.filter({ hasText: words }).waitFor();
    assert.match(await said.innerText(), new RegExp(`^${words}: weight`));
    assert.equal(await figure.locator('svg .cell-hover').count() > 0, true, 'the cell is framed');
  }
  await page.keyboard.press(' ');
  await waitFor(page, ['2,1']);
  assert.equal(await said.innerText(), 'query 3, key 2: closed on the painted sheet');
  await tip.filter({ hasText: 'query 3, key 2: closed by' }).waitFor();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  await waitFor(page, ['2,2']);
  assert.equal(await said.innerText(), 'query 3, key 2: opened on the painted sheet');
  // nothing is said of a sheet that is gone
  await page.evaluate(() => { location.hash = 'mask=causal'; });
  await shows(page, { mask: 'causal' });
  assert.equal(await said.textContent(), '');
  assert.deepEqual(faults, []);
  await close();
});

test('one sequence is no choice; several are, as many as there are', async () => {
  const { page, close } = await openPlate(made, 'masks');
  const slider = part(page, '[data-key="sequence"] input');
  assert.equal(await slider.count(), 0);
  await part(page, '[data-key="mask"] .mask-text').fill('causal & padding(6,4,2)');
  await slider.waitFor();
  await slider.press('End');
  await shows(page, { sequence: 3 });
  assert.equal(await part(page, '.notice').innerText(), '');
  assert.equal(await part(page, '[data-key="head"]').count(), 0);
  await close();
});

test('on a phone everything is large enough for a finger, and nothing is wider than the page', async () => {
  const { page, close } = await openPlate(made, 'masks', '#mask=causal%20%26%20documents(2,2,2)%20%26%20padding(6,3)&sequence=2', phone);
  const small = await part(page, ':is(button, input, select, label.sheet-switch):visible').evaluateAll((all) => all.map((element) => {
    const box = (element.matches('.sheet-switch input') ? /** @type {Element} */ (element.parentElement) : element).getBoundingClientRect();
    return { name: element.outerHTML.slice(0, 80), side: Math.min(box.width, box.height) };
  }).filter(({ side }) => side < 24));
  assert.deepEqual(small, []);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  await close();
});
