// The plate "Additive scoring" in Chromium: what it shows is the core's, and cells, units, rules and controls do what they say.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadCore } from '../web/support.js';
import { cellsOf, openPlate, part, plain, prints, setting, shown, shows, unfold } from './support.js';

const made = setting();
const core = await loadCore();
/** @param {Record<string, any>} [params] */
const run = (params) => plain(core.run('additive', params));

/** The middle of an element on the screen. @param {import('playwright-core').Locator} element */
async function middle(element) {
  await element.scrollIntoViewIfNeeded();
  const box = await element.boundingBox();
  assert.ok(box);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

test('the numbers are the bits of the core, and the tables print them', async () => {
  const { page, faults, hosts, close } = await openPlate(made, 'additive', '#generator=torch&query=3&key=2&epsilon=0.3&rank=5');
  const wanted = run({ generator: 'torch', query: 3, key: 2, epsilon: 0.3, rank: 5 });
  assert.deepEqual(await shown(page), wanted);
  for (const summary of await part(page, 'details.data summary').all()) await summary.click();
  const { series } = wanted;
  const weights = await cellsOf(page, '.figure-weights table');
  assert.equal(weights.length, 6);
  weights.forEach(([, ...cells], r) => cells.forEach((cell, k) => assert.ok(prints(cell, series[r % 2 ? 'weights' : 'scores'][Math.floor(r / 2) * 6 + k]), `${r} ${k}: ${cell}`)));
  const falls = await cellsOf(page, '.figure-falls table');
  assert.deepEqual(falls.map(([eps]) => Number(eps)), series.eps);
  falls.forEach(([, difference], i) => assert.ok(prints(difference, series.eps_difference[i]), `${difference} for ${series.eps_difference[i]}`));
  const costs = await cellsOf(page, '.figure-costs table');
  assert.deepEqual(costs.slice(0, 4).map((row) => Number(row[3].replace(/\D/g, ''))), series.operations);
  assert.deepEqual(faults, []);
  assert.deepEqual([...hosts], [new URL(made.site.url).host]);
  await close();
});

test('a cell chooses its query, then its key; a point on a unit its key', async () => {
  const { page, faults, close } = await openPlate(made, 'additive');
  const press = async (/** @type {import('playwright-core').Locator} */ element) => {
    const { x, y } = await middle(element);
    await page.mouse.click(x, y);
  };
  const cell = (/** @type {number} */ query, /** @type {number} */ key) => part(page, '.figure-weights .number-cells').nth(query - 1).locator('.print').nth(key - 1);
  await press(cell(3, 4));
  await shows(page, { query: 3, key: 1 });
  await press(cell(3, 4));
  await shows(page, { query: 3, key: 4 });
  // among the points of a unit the chosen key's is drawn last, so the second of the others is that of key 2
  await press(part(page, '.figure-units .unit').nth(4).locator('circle.point').nth(1));
  await shows(page, { query: 3, key: 2 });
  await page.waitForURL(/[#&]query=3(&|$).*key=2(&|$)/);
  assert.deepEqual(faults, []);
  await close();
});

test('the rule at ε by pointer and by keys, and the rank in either of its figures', async () => {
  const { page, faults, close } = await openPlate(made, 'additive');
  const canvas = part(page, '.canvas[data-figure="falls"]');
  await canvas.scrollIntoViewIfNeeded();
  const { x, y } = await middle(part(page, '.figure-falls circle.point').nth(4));
  await page.mouse.move(x + 200, y);
  await page.mouse.down();
  await page.mouse.move(x, y, { steps: 4 });
  await page.mouse.up();
  // half a pixel is half a per cent here
  await page.waitForFunction(() => Math.abs(Math.log(/** @type {any} */ (document.querySelector('attention-plate')).result.params.epsilon / 0.01)) < 0.06);
  const before = Number((await shown(page)).params.epsilon);
  await canvas.focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction((was) => /** @type {any} */ (document.querySelector('attention-plate')).result.params.epsilon > was, before);
  await page.keyboard.press('End');
  await shows(page, { epsilon: 10 });
  assert.deepEqual(await shown(page), run({ epsilon: 10 }));
  for (const [figure, key, rank] of [['parameters', 'End', 64], ['variance', 'Home', 1]]) {
    await part(page, `.canvas[data-figure="${figure}"]`).focus();
    await page.keyboard.press(String(key));
    await shows(page, { rank });
  }
  assert.deepEqual(faults, []);
  await close();
});

test('counts up to thousands on sliders, ε typed in its field, fewer queries than the chosen one', async () => {
  const { page, close } = await openPlate(made, 'additive', '#query=3');
  await unfold(page);
  await part(page, '[data-key="n"] input').press('End');
  await shows(page, { n: 8192 });
  await part(page, '[data-key="m"] input').press('Home');
  await shows(page, { m: 1 });
  await part(page, '[data-key="epsilon"] input:not([type="range"])').fill('0.045');
  await shows(page, { epsilon: 0.045 });
  await part(page, '[data-key="queries"] input').press('Home');
  await shows(page, { queries: 1, query: 1 });
  assert.equal(await part(page, '.figure-falls .remark').first().textContent(), 'no two rows differ');
  await close();
});

test('without the tanh the rows become one, and the figures say so', async () => {
  const { page, faults, close } = await openPlate(made, 'additive');
  await part(page, 'button[data-preset="identity"]').click();
  await shows(page, { activation: 'identity' });
  const rows = await part(page, '.figure-weights .number-cells').evaluateAll((all) => all.map((row) => [...row.querySelectorAll('.print')].map(({ textContent }) => textContent)));
  assert.deepEqual(rows[1], rows[0]);
  assert.deepEqual(rows[2], rows[0]);
  assert.match(await part(page, '.figure-falls .identity').textContent() ?? '', /no difference/);
  assert.deepEqual(faults, []);
  await close();
});
