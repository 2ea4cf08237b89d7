// Controls that a plate folds away: where they are, what is said of them meanwhile, and that a complaint is never among what is hidden.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, openPlate, part, setting, shown, shows, unfold } from './support.js';

/** @import { Page } from 'playwright-core' */

const made = setting();
/** @param {string} file */
const openPlain = (file) => open(made.browser, made.site.url + file, { javaScriptEnabled: false });

const folding = /** @type {const} */ (['kernels', 'masks', 'batched', 'additive']);

/** @param {Page} page */
const button = (page) => part(page, '.fold');

/** What stands in its line. @param {Page} page */
const line = async (page) => (await part(page, '.fold-line').textContent() ?? '').trim();

/** Keys of the controls that can be seen. @param {Page} page */
const seen = (page) => part(page, '.control').evaluateAll((all) => all.filter((each) => each.getClientRects().length > 0).map((each) => each.getAttribute('data-key') ?? ''));

/** Pixels from the top of the plate to the first figure. @param {Page} page */
const above = (page) => part(page, '.figure').first().evaluate((figure) => figure.getBoundingClientRect().top - (figure.closest('.plate')?.getBoundingClientRect().top ?? 0));

test('the button opens and closes by keyboard, names what it opens, and leaves the figure where a reader sees it', async () => {
  for (const study of folding) {
    for (const [width, most] of /** @type {const} */ ([[1200, 540], [390, 640]])) {
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
      assert.doesNotMatch(await line(page), /·/, 'what can be seen needs no words');
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
  assert.equal(await line(page), 'sizes, seed, entries and factors · PyTorch · seed 3', 'in the words of the controls');
  assert.equal(await button(page).textContent(), 'sizes, seed, entries and factors', 'a name that stays');
  const distance = await above(page);
  await part(page, '[data-preset]').filter({ hasText: 'shapes that do not fit' }).click();
  await page.waitForFunction(() => /right factor given/.test(document.querySelector('attention-plate')?.shadowRoot?.querySelector('.fold-line')?.textContent ?? ''));
  assert.equal(await button(page).getAttribute('aria-expanded'), 'false');
  assert.match(await line(page), /^sizes, seed, entries and factors · .*right factor given/);
  await part(page, '[data-action="reset"]').click();
  await shows(page, { seed: 0, generator: 'jax' });
  assert.equal(await line(page), 'sizes, seed, entries and factors');
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
  assert.match(await line(page), / · counted queries n 8192$/);
  await close();

  const { page: batched, close: closeBatched } = await openPlate(made, 'batched');
  await unfold(batched);
  const seed = part(batched, '[data-key="seed"] input');
  await seed.fill('-1');
  await part(batched, '[data-key="seed"] .control-error').waitFor();
  assert.deepEqual([await button(batched).getAttribute('aria-disabled'), await line(batched)], ['true', 'sizes, seed, entries and factors · open while an entry is refused']);
  await button(batched).click({ force: true });
  assert.equal(await part(batched, '[data-key="seed"] .control-error').isVisible(), true, 'what is complained of stays in sight');
  await seed.fill('5');
  await shows(batched, { seed: 5 });
  assert.equal(await seed.isVisible(), true, 'the field stays under the hand');
  assert.equal(await button(batched).getAttribute('aria-disabled'), null);
  assert.equal((await shown(batched)).params.seed, 5);
  await closeBatched();
});

test('on a phone the plane stays under a finger that drags a point past every change of the sentence', async () => {
  for (const width of [320, 390, 768]) {
    const { page, close } = await openPlate(made, 'kernels', '', { viewport: { width, height: 844 } });
    const top = () => part(page, '.figure-plane').evaluate((figure) => figure.getBoundingClientRect().top + scrollY);
    const first = await top();
    /** @type {Set<string>} */
    const sentences = new Set();
    for (const query of ['1.6,2', '1,1.2', '0.2,-0.6', '-1,0.5', '0.5,-2', '-2,-2', '1.4,-1.9']) {
      await page.evaluate((given) => { const plate = /** @type {any} */ (document.querySelector('attention-plate')); plate.params = { ...plate.params, points: 'own', query: given, keys: '-0.15,0.08;-0.14,-0.16;1.27,0.15;2.14,1;-0.29,0.36;-0.71,-0.25;0.89,0.79;0.89,0.55;0.97,-1.8;0.86,-1.62' }; }, query);
      await shows(page, { query });
      sentences.add(await part(page, '.headline').innerText());
      assert.equal(await top(), first, `${width}: ${[...sentences].at(-1)}`);
    }
    assert.ok(sentences.size > 3, [...sentences].join(' | '));
    await close();
  }
});

test('without script nothing is folded away', async () => {
  const { page, close } = await openPlain('additive-scoring.html');
  assert.equal(await page.locator('attention-plate .control[data-key="d_q"]:visible').count(), 1);
  assert.equal(await page.locator('attention-plate .fold:visible').count(), 0);
  await close();
});
