// Controls that a plate folds away: where they are, what is said of them meanwhile, and that a complaint is never among what is hidden.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPlate, part, setting, shown, shows, unfold } from './support.js';

/** @import { Page } from 'playwright-core' */

const made = setting();
const folding = /** @type {const} */ (['kernels', 'masks', 'batched', 'additive']);

/** @param {Page} page */
const button = (page) => part(page, '.fold');

/** Keys of the controls that can be seen. @param {Page} page */
const seen = (page) => part(page, '.control').evaluateAll((all) => all.filter((each) => each.getClientRects().length > 0).map((each) => each.getAttribute('data-key') ?? ''));

/** Pixels from the top of the plate to the first figure. @param {Page} page */
const above = (page) => part(page, '.figure').first().evaluate((figure) => figure.getBoundingClientRect().top - (figure.closest('.plate')?.getBoundingClientRect().top ?? 0));

test('the button opens and closes by keyboard, names what it opens, and leaves the figure where a reader sees it', async () => {
  for (const study of folding) {
    for (const [width, most] of /** @type {const} */ ([[1200, 540], [390, 580]])) {
      const { page, faults, close } = await openPlate(made, study, '', { viewport: { width, height: 900 } });
      const before = await seen(page);
      const distance = await above(page);
      assert.ok(distance < most, `${study}: the first figure is ${distance} px down at ${width}`);
      await button(page).focus();
      await page.keyboard.press('Enter');
      await part(page, '.fold[aria-expanded="true"]').waitFor();
      const all = await seen(page);
      assert.deepEqual(all.slice(0, before.length), before);
      assert.ok(all.length > before.length, study);
      assert.equal(await button(page).evaluate((self) => {
        const root = /** @type {ShadowRoot} */ (self.getRootNode());
        return root.getElementById(self.getAttribute('aria-controls') ?? '')?.contains(root.querySelectorAll('.control')[root.querySelectorAll('.control').length - 1]);
      }), true, 'what it opens is named');
      assert.doesNotMatch(await button(page).innerText(), /·/, 'what can be seen needs no words');
      await page.keyboard.press(' ');
      await part(page, '.fold[aria-expanded="false"]').waitFor();
      assert.deepEqual(await seen(page), before);
      assert.equal(await above(page), distance);
      assert.deepEqual(faults, []);
      await close();
    }
  }
});

test('folded, it says in one line what is not as at first; an example changes the words and unfolds nothing', async () => {
  const { page, close } = await openPlate(made, 'batched', '#seed=3&generator=torch&dropout=0.25');
  assert.equal(await button(page).innerText(), 'sizes, seed, entries and factors · generator torch · seed 3');
  const distance = await above(page);
  await part(page, '[data-preset]').filter({ hasText: 'shapes that do not fit' }).click();
  await page.waitForFunction(() => /right factor 2,/.test(document.querySelector('attention-plate')?.shadowRoot?.querySelector('.fold')?.textContent ?? ''));
  assert.equal(await button(page).getAttribute('aria-expanded'), 'false');
  assert.match(await button(page).innerText(), /^sizes, seed, entries and factors · .*right factor 2,/);
  await part(page, '[data-action="reset"]').click();
  await shows(page, { seed: 0, generator: 'jax' });
  assert.equal(await button(page).innerText(), 'sizes, seed, entries and factors');
  assert.equal(await above(page), distance, 'however much there is to say');
  await close();
});

test('a refused entry is not folded away, and its mending does not fold it', async () => {
  const { page, close } = await openPlate(made, 'additive');
  await unfold(page);
  const n = part(page, '[data-key="n"] input');
  await n.focus();
  // by a program, as an embedding page may
  await page.evaluate(() => { const plate = /** @type {any} */ (document.querySelector('attention-plate')); plate.params = { ...plate.params, n: 8192 }; });
  await shows(page, { n: 8192 });
  await button(page).click();
  await part(page, '.fold[aria-expanded="false"]').waitFor();
  assert.match(await button(page).innerText(), / · n 8192$/);
  await close();

  const { page: batched, close: closeBatched } = await openPlate(made, 'batched');
  await unfold(batched);
  const seed = part(batched, '[data-key="seed"] input');
  await seed.fill('-1');
  await part(batched, '[data-key="seed"] .control-error').waitFor();
  await button(batched).click();
  assert.equal(await part(batched, '[data-key="seed"] .control-error').isVisible(), true, 'what is complained of stays in sight');
  await seed.fill('5');
  await shows(batched, { seed: 5 });
  assert.equal(await seed.isVisible(), true, 'the field stays under the hand');
  assert.equal((await shown(batched)).params.seed, 5);
  await closeBatched();
});
