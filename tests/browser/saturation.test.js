// The plate "One square root" in Chromium: what it shows is the core's, and every control, key and drag does what it says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextSeed } from '../../web/elements/state.js';
import { loadCore } from '../web/support.js';
import { cellsOf, open, openPlate, pages, part, plain, prints, setting, shown, shows } from './support.js';

const made = setting();
const core = await loadCore();
/** @param {Record<string, any>} [params] */
const run = (params) => plain(core.run('saturation', params));

test('the numbers are the bits of the core, and the tables print them', async () => {
  const { page, faults, hosts, close } = await openPlate(made, 'saturation', '#d=100&keys=20&draws=30&seed=5');
  const wanted = run({ d: 100, keys: 20, draws: 30, seed: 5 });
  assert.deepEqual(await shown(page), wanted);
  for (const summary of await part(page, 'details.data summary').all()) await summary.click();

  const rows = await cellsOf(page, '.figure-entropy table');
  assert.deepEqual(rows.map(([d]) => d), ['4', '8', '16', '32', '64', '100', '128', '256', '512']);
  const { series } = wanted;
  for (const [d, ...cells] of rows) {
    const i = series.dims.indexOf(Number(d));
    const values = ['unscaled', 'scaled'].flatMap((kind) => ['', '_se'].map((se) => (i < 0 ? series[`at_entropy_${kind}${se}`][0] : series[`entropy_${kind}${se}`][i])));
    cells.forEach((cell, c) => assert.ok(prints(cell, values[c]), `entropy at ${d}: ${cell} for ${values[c]}`));
  }
  const weights = await cellsOf(page, '.figure-weights table');
  assert.equal(weights.length, 20);
  weights.forEach(([, scoreU, weightU, scoreS, weightS], k) => {
    for (const [text, name] of [[scoreU, 'draw_scores_unscaled'], [weightU, 'draw_weights_unscaled'], [scoreS, 'draw_scores_scaled'], [weightS, 'draw_weights_scaled']]) {
      assert.ok(prints(text, series[name][k]), `${name} ${k}: ${text} for ${series[name][k]}`);
    }
  });
  const readout = await cellsOf(page, '.readout table');
  const names = ['spread', 'entropy', 'effective', 'largest', 'jacobian'];
  assert.equal(readout.length, names.length);
  readout.forEach(([, unscaled, , scaled], i) => {
    assert.ok(prints(unscaled, series[`at_${names[i]}_unscaled`][0]), `${names[i]} ${unscaled}`);
    assert.ok(prints(scaled, series[`at_${names[i]}_scaled`][0]), `${names[i]} ${scaled}`);
  });
  assert.deepEqual(faults, []);
  assert.deepEqual([...hosts], [new URL(made.site.url).host]);
  assert.equal(await page.evaluate(() => /** @type {any} */ (document.querySelector('attention-plate')).dataset.engine), 'worker');
  await close();
});

test('the slider by keyboard: eighths of a doubling, doublings, single steps, ends', async () => {
  const { page, faults, close } = await openPlate(made, 'saturation', '#d=128&draws=8');
  await part(page, '[data-key="d"] input').focus();
  for (const [key, d] of /** @type {[string, number][]} */ ([['PageUp', 256], ['PageUp', 512], ['PageUp', 512], ['PageDown', 256], ['ArrowLeft', 235], ['Shift+ArrowRight', 236], ['Home', 4], ['ArrowRight', 5], ['End', 512]])) {
    await page.keyboard.press(key);
    await shows(page, { d });
    assert.equal(await part(page, '[data-key="d"] output').textContent(), String(d));
    assert.equal(await part(page, '[data-key="d"] input').getAttribute('aria-valuetext'), String(d));
  }
  assert.deepEqual(faults, []);
  await close();
});

test('every parameter by its own control', async () => {
  const { page, faults, close } = await openPlate(made, 'saturation', '#d=16&draws=8');
  await part(page, '[data-key="keys"] input').press('End');
  await shows(page, { keys: 128 });
  await part(page, '[data-key="draws"] input').press('Home');
  await shows(page, { draws: 2 });
  await part(page, '[data-key="unit"] input').last().check({ force: true });
  await shows(page, { unit: 'bits' });
  await part(page, '[data-key="unit"] input').last().press('ArrowLeft');
  await shows(page, { unit: 'nats' });
  await part(page, '[data-key="seed"] input').fill('77');
  await shows(page, { seed: 77 });
  await part(page, '[data-key="seed"] button').click();
  await shows(page, { seed: nextSeed(77, 0, 2 ** 32 - 1) });
  assert.deepEqual(await shown(page), run({ d: 16, keys: 128, draws: 2, seed: nextSeed(77, 0, 2 ** 32 - 1) }));
  assert.deepEqual(faults, []);
  await close();
});

test('a wrong entry keeps its field, its reason beside it, and the picture', async () => {
  const { page, close } = await openPlate(made, 'saturation', '#d=16&draws=8&seed=3');
  const seed = part(page, '[data-key="seed"] input');
  const error = part(page, '[data-key="seed"] .control-error');
  for (const entry of ['-1', '4294967296', '1.5', '']) {
    await seed.fill(entry);
    await seed.blur();
    await error.waitFor();
    assert.match(await error.textContent() ?? '', /seed is .*4294967295/, entry);
    assert.equal(await seed.inputValue(), entry);
    assert.equal(await seed.getAttribute('aria-invalid'), 'true');
    assert.equal(await seed.getAttribute('aria-describedby'), await error.getAttribute('id'));
    assert.equal((await shown(page)).params.seed, 3);
    await seed.fill('3');
    await error.waitFor({ state: 'detached' });
  }
  await seed.fill('-1');
  await error.waitFor();
  await part(page, '[data-action="reset"]').click();
  await shows(page, { seed: 0, d: 128 });
  assert.equal(await error.count(), 0);
  assert.equal(await seed.inputValue(), '0');
  await close();
});

test('presets and reset', async () => {
  const { page, close } = await openPlate(made, 'saturation', '#d=64&draws=8');
  const presets = core.describe().studies.find(({ id }) => id === 'saturation')?.presets ?? [];
  assert.ok(presets.length > 0);
  for (const preset of presets) {
    const button = part(page, `[data-preset="${preset.id}"]`);
    await button.click();
    await shows(page, { d: 64, ...preset.params });
    assert.equal(await button.getAttribute('aria-pressed'), 'true');
    assert.equal(await part(page, '.presets [aria-pressed="true"]').count(), 1);
  }
  await part(page, '[data-action="reset"]').click();
  await shows(page, run().params);
  await close();
});

test('dragging in the chart sets d, as the slider does; so do keys in the chart', async () => {
  const { page, faults, close } = await openPlate(made, 'saturation', '#d=128&draws=8');
  const canvas = part(page, '.figure-entropy .canvas');
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  assert.ok(box);
  const y = box.y + box.height / 2;
  /** Where d stands, read off the ticks of the axis. @param {number} d */
  const xOf = async (d) => {
    const label = await canvas.locator('svg text', { hasText: new RegExp(`^${d}$`) }).first().boundingBox();
    assert.ok(label);
    return label.x + label.width / 2;
  };
  await page.mouse.move(await xOf(128), y);
  await page.mouse.down();
  for (const d of [64, 16, 256]) {
    await page.mouse.move(await xOf(d), y, { steps: 4 });
    // a label's middle is its tick to within a pixel, and a pixel is about a hundredth of d
    await page.waitForFunction((near) => Math.abs(/** @type {any} */ (document.querySelector('attention-plate')).result.params.d - near) <= Math.max(1, near * 0.02), d);
  }
  await page.mouse.up();
  const { d } = (await shown(page)).params;
  assert.equal(await part(page, '[data-key="d"] output').textContent(), String(d));
  await page.mouse.move(box.x + 5, y);
  assert.equal((await shown(page)).params.d, d, 'after the button is up nothing is dragged');
  // far outside, the nearest end
  await page.mouse.move(await xOf(128), y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width + 300, y, { steps: 3 });
  await shows(page, { d: 512 });
  await page.mouse.up();
  await canvas.focus();
  for (const [key, value] of /** @type {[string, number][]} */ ([['Home', 4], ['PageUp', 8], ['ArrowRight', 9], ['End', 512]])) {
    await page.keyboard.press(key);
    await shows(page, { d: value });
    assert.equal(await canvas.getAttribute('aria-valuenow'), String(value));
  }
  assert.deepEqual(await shown(page), run({ d: 512, draws: 8 }));
  assert.deepEqual(faults, []);
  await close();
});

test('a finger: a tap shows the value, a sideways stroke drags', async () => {
  const { page, close } = await openPlate(made, 'saturation', '#d=128&draws=8', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const canvas = part(page, '.figure-entropy .canvas');
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  assert.ok(box);
  const point = await canvas.locator('svg .point').first().boundingBox();
  assert.ok(point);
  await page.touchscreen.tap(point.x + 9, point.y + 9);
  await canvas.locator('.tip').waitFor();
  assert.match(await canvas.locator('.tip').textContent() ?? '', /\d/);
  assert.equal((await shown(page)).params.d, 128, 'a tap does not drag');
  const client = await page.context().newCDPSession(page);
  const stroke = async (/** @type {string} */ type, /** @type {number} */ x) => client.send('Input.dispatchTouchEvent', {
    type: /** @type {any} */ (type), touchPoints: type === 'touchEnd' ? [] : [{ x, y: box.y + box.height / 2 }],
  });
  await stroke('touchStart', box.x + box.width * 0.5);
  for (let part = 0.5; part >= 0; part -= 0.05) await stroke('touchMove', box.x + box.width * part - 5);
  await stroke('touchEnd', 0);
  await shows(page, { d: 4 });
  await close();
});

test('values on hover and on focus', async () => {
  const { page, close } = await openPlate(made, 'saturation', '#d=128&draws=8');
  const canvas = part(page, '.figure-weights .canvas');
  await canvas.scrollIntoViewIfNeeded();
  const tip = canvas.locator('.tip');
  assert.equal(await tip.isVisible(), false);
  const box = await canvas.boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await tip.waitFor();
  assert.match(await tip.textContent() ?? '', /key \d+/);
  await page.mouse.move(box.x + box.width / 2, box.y - 40);
  await tip.waitFor({ state: 'hidden' });
  await canvas.focus();
  await page.keyboard.press('ArrowRight');
  await tip.waitFor();
  const first = await tip.textContent();
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction((before) => document.querySelector('attention-plate')?.shadowRoot?.querySelector('.figure-weights .tip')?.textContent !== before, first);
  assert.equal(await part(page, '[aria-live="polite"]').textContent(), await tip.textContent());
  await page.keyboard.press('Escape');
  await tip.waitFor({ state: 'hidden' });
  await close();
});

test('the first picture takes the static one\'s place without a jump', async () => {
  for (const width of [1200, 390]) {
    const { page, close } = await open(made.browser, 'about:blank', { viewport: { width, height: 900 } });
    await page.addInitScript(() => {
      const shifts = /** @type {number[]} */ ([]);
      /** @type {any} */ (window).shifts = shifts;
      new PerformanceObserver((list) => { for (const entry of list.getEntries()) shifts.push(/** @type {any} */ (entry).value); }).observe({ type: 'layout-shift', buffered: true });
    });
    await page.goto(made.site.url + pages.saturation, { waitUntil: 'domcontentloaded' });
    const height = () => page.evaluate(() => document.querySelector('attention-plate')?.getBoundingClientRect().height ?? 0);
    await page.waitForFunction(() => document.fonts.status === 'loaded');
    const before = await height();
    await page.waitForFunction(() => /** @type {HTMLElement} */ (document.querySelector('attention-plate')).dataset.state === 'live');
    await page.waitForTimeout(200);
    const after = await height();
    assert.ok(Math.abs(after - before) <= 4, `at ${width} the plate goes from ${before} to ${after} px`);
    const shifts = await page.evaluate(() => /** @type {any} */ (window).shifts);
    const total = shifts.reduce((/** @type {number} */ sum, /** @type {number} */ each) => sum + each, 0);
    assert.ok(total < 0.01, `layout shifts at ${width}: ${shifts}`);
    await close();
  }
});
