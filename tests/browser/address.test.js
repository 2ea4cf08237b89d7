// State in the address: restored, repaired with a notice, followed, written, and left alone by plates that do not own it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { servePages, pageAround } from './server.js';
import { live, open, openPlate, part, pages, setting, shown, shows } from './support.js';

const made = setting();

test('a link restores; the plate writes what differs from the defaults, without filling the history', async () => {
  const { page, faults, close } = await openPlate(made, 'saturation', '#d=32&keys=10&draws=8&seed=7&unit=bits');
  assert.deepEqual((await shown(page)).params, { d: 32, keys: 10, draws: 8, seed: 7, unit: 'bits', generator: 'jax', theory: false });
  assert.equal(await part(page, '.notice').textContent(), '');
  const entries = await page.evaluate(() => history.length);
  for (const key of ['PageUp', 'PageUp', 'PageDown']) await part(page, '[data-key="d"] input').press(key);
  await page.waitForURL(/#d=64&keys=10&draws=8&seed=7&unit=bits$/);
  assert.equal(await page.evaluate(() => history.length), entries);
  await page.reload();
  await live(page);
  assert.equal((await shown(page)).params.d, 64);
  await part(page, '[data-action="reset"]').click();
  await page.waitForURL(/#d=128$/);
  // reloading breaks off what was still under way
  assert.deepEqual(faults.filter((fault) => !fault.endsWith('net::ERR_ABORTED')), []);
  await close();
});

test('numbers out of range, wrong words and unknown keys: nearest state, with a notice that says so', async () => {
  const links = /** @type {[string, Record<string, any>, RegExp[]][]} */ ([
    ['#d=9999&draws=8', { d: 512 }, [/d is 9999/, /4 to 512/, /512 is used/]],
    ['#d=-5&draws=8', { d: 4 }, [/d is -5/]],
    ['#d=12.4&draws=8', { d: 12 }, [/12\.4/]],
    ['#d=twelve&draws=8', { d: 128 }, [/twelve/]],
    ['#unit=hartleys&draws=8', { unit: 'nats' }, [/hartleys/, /nats, bits/]],
    ['#d=8&colour=red&draws=8', { d: 8 }, [/colour/, /there are d, keys, draws,/]],
    ['#d=9&d=16&draws=8', { d: 9 }, [/more than once; the first, 9, is taken\.$/]],
    ['#d=%3Cimg%20src=x%3E&draws=8', { d: 128 }, [/<img src=x>/]],
  ]);
  const { page, faults, close } = await openPlate(made, 'saturation', links[0][0]);
  const notice = part(page, '.notice');
  for (const [hash, params, words] of links) {
    await page.evaluate((each) => { location.hash = each; }, hash);
    await notice.filter({ hasText: words[0] }).waitFor();
    for (const word of [/^Adjusted: /, ...words]) assert.match(await notice.textContent() ?? '', word, hash);
    await shows(page, params);
  }
  await part(page, '[data-key="d"] input').press('ArrowRight');
  await notice.filter({ hasText: /^$/ }).waitFor({ state: 'attached' });
  assert.deepEqual(faults, []);
  await close();
});

test('a setting behind ? is said to belong behind #, and the foot names what a state may name', async () => {
  const { page, faults, close } = await openPlate(made, 'saturation', '?d=8&course=3');
  const notice = part(page, '.notice');
  assert.equal(await notice.textContent(), 'The address has “?d=8”; the setting of a plate stands behind #, as in #d=8.');
  await shows(page, { d: 128 });
  await part(page, '[data-key="d"] input').press('Home');
  await notice.filter({ hasText: /^$/ }).waitFor({ state: 'attached' });
  const names = await page.locator('.teach p code').allTextContents();
  for (const { key } of await page.evaluate(() => /** @type {any} */ (document.querySelector('attention-plate')).declaration.parameters)) assert.ok(names.includes(key), key);
  assert.deepEqual(faults, []);
  await close();
});

test('lengths in a link that do not fit are brought into range', async () => {
  const { page, close } = await openPlate(made, 'masked-softmax', '#batch=2&keys=3&lens=9,1');
  await shows(page, { lens: '3,1' });
  assert.match(await part(page, '.notice').textContent() ?? '', /lens\[0\] is 9; allowed are integers from 0 to 3.*; 3,1 is used/);
  await close();
});

test('a changed hash is followed; the name of a place in the page is not a state', async () => {
  const { page, close } = await openPlate(made, 'saturation', '#d=16&draws=8');
  await page.evaluate(() => { location.hash = '#d=32&draws=8'; });
  await shows(page, { d: 32, draws: 8 });
  await page.goBack();
  await shows(page, { d: 16, draws: 8 });
  await page.evaluate(() => { location.hash = '#workshop'; });
  await page.waitForTimeout(100);
  assert.equal((await shown(page)).params.d, 16);
  await close();
});

test('what is neither a state nor a place is said to be neither', async () => {
  for (const hash of ['#garbage', '#%', '#d', '#=5', `#${'x'.repeat(5000)}`]) {
    const { page, faults, close } = await openPlate(made, 'saturation', hash);
    const notice = part(page, '.notice');
    assert.ok((await notice.textContent() ?? '').startsWith(`The address ends in “${hash.slice(0, 41)}`), `${hash}: ${await notice.textContent()}`);
    assert.match(await notice.textContent() ?? '', /neither a setting of the plate nor a place in this page\.$/);
    await shows(page, { d: 128 });
    await part(page, '[data-key="d"] input').press('Home');
    await notice.filter({ hasText: /^$/ }).waitFor({ state: 'attached' });
    await page.waitForURL(/#d=4$/);
    await page.evaluate(() => { location.hash = '#nowhere'; });
    await notice.filter({ hasText: '“#nowhere”' }).waitFor();
    assert.equal((await shown(page)).params.d, 4, 'the state stands');
    await page.goBack();
    await notice.filter({ hasText: /^$/ }).waitFor({ state: 'attached' });
    await page.evaluate(() => { location.hash = '#workshop'; });
    await page.waitForTimeout(100);
    assert.equal(await notice.textContent(), '');
    assert.deepEqual(faults, []);
    await close();
  }
});

test('however long the address, the page keeps its width and the words are few', async () => {
  const { page, close } = await openPlate(made, 'saturation', `#d=${'9'.repeat(5000)}&draws=8`, { viewport: { width: 360, height: 800 } });
  await shows(page, { d: 512, draws: 8 });
  for (const hash of [`#d=${'9'.repeat(5000)}&draws=8`, `#d=4&${'k'.repeat(5000)}=1`, `#unit=${'W'.repeat(5000)}&d=4`, `#d=4&d=${'9'.repeat(5000)}`, `#d=${'9'.repeat(5000)}&d=4`]) {
    await page.evaluate((each) => { location.hash = each; }, hash);
    await part(page, '.notice').filter({ hasText: /^Adjusted: / }).waitFor();
    const text = await part(page, '.notice').textContent() ?? '';
    assert.ok(text.length < 240, `${text.length} characters: ${text.slice(0, 300)}`);
    // the plate contains its overflow, so the page would keep its width anyway
    const wide = await part(page, '.notice').evaluate((notice) => [notice.scrollWidth - notice.clientWidth, document.documentElement.scrollWidth - innerWidth]);
    assert.ok(wide.every((px) => px <= 0), `${wide} px too wide`);
  }
  await close();
});

test('going back at once wins over the address that waits to be written', async () => {
  const { page, close } = await openPlate(made, 'saturation', '#d=15&draws=8');
  await part(page, '[data-key="d"] input').press('ArrowRight');
  await page.waitForURL(/#d=16&draws=8$/); // now the plate itself has written the address that is gone back to
  await page.evaluate(async () => {
    const plate = document.querySelector('attention-plate');
    const changed = new Promise((resolve) => plate?.addEventListener('plate-change', resolve, { once: true }));
    location.hash = '#d=32&draws=8';
    await changed;
    history.back();
  });
  await shows(page, { d: 16, draws: 8 });
  await page.waitForTimeout(400); // longer than a waiting write rests
  assert.equal(new URL(page.url()).hash, '#d=16&draws=8');
  await shows(page, { d: 16, draws: 8 });
  await close();
});

test('without a state in the address nothing is written until the reader takes part', async () => {
  const { page, close } = await openPlate(made, 'masked-softmax');
  await page.waitForTimeout(400);
  assert.equal(await page.evaluate(() => location.hash), '');
  await part(page, '[data-key="causal"] label').click();
  await page.waitForURL(/#batch=2&causal=true$/);
  await close();
});

test('copy link', async () => {
  const { page, close } = await openPlate(made, 'saturation', '#d=16&draws=8', { permissions: ['clipboard-read', 'clipboard-write'] });
  await part(page, '[data-action="copy-link"]').click();
  await page.waitForFunction(() => /copied/.test(document.querySelector('attention-plate')?.shadowRoot?.querySelector('.notice')?.textContent ?? ''));
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `${made.site.url}${pages.saturation}#d=16&draws=8`);
  await close();
});

test('two plates on a page: one worker, one owner of the address, ids apart', async () => {
  const server = await servePages({
    pages: {
      '/two.html': pageAround('<attention-plate study="saturation" params="draws=8" url></attention-plate><attention-plate study="saturation" params="draws=8&d=16"></attention-plate><attention-plate study="masked-softmax"></attention-plate>', '<script src="attention-plates.js" defer></script>'),
    },
  });
  const { page, faults, close } = await open(made.browser, `${server.url}two.html#d=64&draws=8`);
  await live(page);
  assert.equal(page.workers().length, 1);
  const state = () => page.evaluate(() => [...document.querySelectorAll('attention-plate')].map((plate) => /** @type {any} */ (plate).result.params));
  assert.deepEqual((await state()).map(({ d }) => d), [64, 16, undefined]);
  await page.locator('attention-plate').nth(1).locator('[data-key="d"] input').press('End');
  await page.waitForFunction(() => /** @type {any} */ (document.querySelectorAll('attention-plate')[1]).result.params.d === 512);
  await page.waitForTimeout(300);
  assert.equal(await page.evaluate(() => location.hash), '#d=64&draws=8');
  await page.locator('attention-plate').nth(1).locator('[data-action="reset"]').click();
  await page.waitForFunction(() => /** @type {any} */ (document.querySelectorAll('attention-plate')[1]).result.params.d === 16);
  assert.deepEqual((await state()).map(({ d }) => d), [64, 16, undefined]);
  const ids = await page.evaluate(() => [...document.querySelectorAll('attention-plate')].flatMap((plate) => [.../** @type {ShadowRoot} */ (plate.shadowRoot).querySelectorAll('[id]')].map(({ id }) => id)));
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(faults, []);
  await close();
});
