// The module whose kernels run without SIMD gives the bits of the one with it: whole runs compared in Node, and the ledger's 112 texts read from a page in Chromium.
import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { bundleGroup } from '../../build-scripts/web/bundle.mjs';
import { startServer } from '../../build-scripts/serve.mjs';
import { root, wasmDir } from '../web/support.js';
import { site } from './server.js';
import { live, open, setting } from './support.js';

const scalarDir = join(wasmDir, 'scalar');
const made = setting();

/** @type {string} */
let folder;
/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;
before(async () => {
  folder = await mkdtemp(join(root, 'build/scalar-site-'));
  // the site with another module for the ledger; the page at hand loads no other
  await cp(site, join(folder, 'site'), { recursive: true });
  await bundleGroup('print', join(folder, 'site'), scalarDir);
  const [served, vector] = await Promise.all([join(folder, 'site'), wasmDir].map((dir) => readFile(join(dir, 'attn-print.wasm'))));
  assert.notDeepEqual(served, vector);
  assert.deepEqual(served, await readFile(join(scalarDir, 'attn-print.wasm')));
  server = await startServer({ root: join(folder, 'site') });
});
after(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

test('every study runs to the same bits with SIMD and without', async () => {
  const [vector, scalar] = await Promise.all([wasmDir, scalarDir].map(async (dir) => (await import(join(dir, 'attn.mjs'))).default()));
  const studies = JSON.parse(vector.describe()).studies;
  assert.ok(studies.length >= 4);
  /** @type {Record<string, object>} fewer simulated runs say the same about bits */
  const brief = { ledger: { runs: 40 }, seeds: { count: 40 }, saturation: { draws: 8 } };
  for (const { id, parameters, presets } of studies) {
    const drawn = parameters.some((/** @type {{key: string}} */ { key }) => key === 'generator');
    // What is drawn is drawn by both generators, each from a seed of its own; what is not is compared at every preset.
    const settings = drawn ? [{ generator: 'jax', seed: 0 }, { generator: 'torch', seed: 7 }] : presets.map((/** @type {{params: object}} */ { params }) => params);
    assert.ok(settings.length >= 2);
    for (const setting of settings) {
      const [a, b] = [vector, scalar].map((each) => each.run(id, { ...setting, ...brief[id] }, undefined));
      assert.ok(a.ok && b.ok, id);
      assert.deepEqual(b.series, a.series, `${id}, ${JSON.stringify(setting)}`);
    }
  }
  for (const each of [vector, scalar]) assert.equal(each.run('ledger', brief.ledger, undefined).series.matches.data[0], 112);
});

test('112 of 112 in Chromium over the module without SIMD', async () => {
  const { page, faults, close } = await open(made.browser, `${server.url}the-numbers-in-print.html`);
  await live(page);
  const texts = await page.locator('attention-plate[study="ledger"] .plate:not(.static .plate) .figures svg g.slot').evaluateAll((slots) =>
    slots.map((slot) => [slot.querySelector('.ours')?.textContent, slot.querySelector('.printed')?.textContent]));
  assert.equal(texts.length, 112);
  for (const [ours, printed] of texts) assert.equal(ours, printed);
  assert.deepEqual(faults, []);
  await close();
});
