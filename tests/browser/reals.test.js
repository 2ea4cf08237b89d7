// A real by slider, by field and by keys in Chromium, on the factor of additive scoring: any value that is typed is kept, moves give round ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPlate, part, setting, shown, shows } from './support.js';

const made = setting();
const factor = '[data-key="epsilon"]';

test('a typed value is kept whole, in the address too, and the slider stands beside it', async () => {
  const { page, faults, close } = await openPlate(made, 'additive');
  const [field, slider] = [part(page, `${factor} .real-text`), part(page, `${factor} input[type="range"]`)];
  const name = await page.locator(`attention-plate ${factor} .control-name`).last().innerText();
  assert.equal(await slider.getAttribute('aria-valuetext'), '1');
  assert.equal(await field.getAttribute('aria-label'), `${name.trim()}, typed`);
  await field.fill('0.0');
  await field.press('5');
  await page.keyboard.type('4321');
  await shows(page, { epsilon: 0.054321 });
  assert.equal(await field.inputValue(), '0.054321', 'what is typed stays under the hand');
  assert.equal(await slider.getAttribute('aria-valuetext'), '0.054321');
  const place = async () => Number(await slider.inputValue()) / Number(await slider.getAttribute('max'));
  assert.ok(Math.abs(await place() - Math.log10(0.054321 / 0.001) / 4) < 0.01);
  await page.waitForFunction(() => location.hash.includes('epsilon=0.054321'));
  await page.reload();
  await page.waitForFunction(() => /** @type {any} */ (document.querySelector('attention-plate'))?.result?.params.epsilon === 0.054321);
  await field.fill('1e-3');
  await shows(page, { epsilon: 0.001 });
  await field.press('Tab');
  assert.equal(await field.inputValue(), '0.001');
  assert.deepEqual(faults, []);
  await close();
});

test('the slider gives round values, decades exactly, and both ends', async () => {
  const { page, close } = await openPlate(made, 'additive', '#epsilon=0.054321');
  const slider = part(page, `${factor} input[type="range"]`);
  for (const [key, value] of /** @type {[string, number][]} */ ([['End', 10], ['Home', 0.001], ['PageUp', 0.01], ['PageUp', 0.1], ['PageUp', 1]])) {
    await slider.press(key);
    await shows(page, { epsilon: value });
  }
  await slider.press('ArrowRight');
  await page.waitForFunction(() => /** @type {any} */ (document.querySelector('attention-plate')).result.params.epsilon > 1);
  const { epsilon } = (await shown(page)).params;
  assert.ok(String(epsilon).length <= 4, `${epsilon}`);
  assert.equal(await part(page, `${factor} .real-text`).inputValue(), String(epsilon));
  const box = await slider.boundingBox();
  assert.ok(box);
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await shows(page, { epsilon: 0.1 });
  await close();
});

test('a value that cannot be stays in its field beside its reason; slider and picture stay', async () => {
  const { page, close } = await openPlate(made, 'additive', '#epsilon=0.5');
  const [field, slider, error] = [part(page, `${factor} .real-text`), part(page, `${factor} input[type="range"]`), part(page, `${factor} .control-error`)];
  const stood = await slider.inputValue();
  for (const [entry, words] of [['20', /epsilon is 20; allowed are numbers from 0.001 to 10/], ['0', /epsilon is 0;/], ['x', /not a number/], ['0,5', /not a number/]]) {
    await field.fill(String(entry));
    await error.filter({ hasText: /** @type {RegExp} */ (words) }).waitFor();
    assert.equal(await field.inputValue(), entry);
    assert.equal(await field.getAttribute('aria-invalid'), 'true');
    assert.equal(await slider.inputValue(), stood);
    assert.equal((await shown(page)).params.epsilon, 0.5);
  }
  await slider.press('PageUp');
  await shows(page, { epsilon: 5 });
  await error.waitFor({ state: 'detached' });
  assert.equal(await field.inputValue(), '5');
  await close();
});
