// The package in a browser: a program's bundle with the files beside it, under the strict policy, and the elements taken from the package into a page whose
// script is a bundle and whose files lie in a folder of their own.
import assert from 'node:assert/strict';
import { copyFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { build } from 'esbuild';
import { startServer } from '../../build-scripts/serve.mjs';
import { installPackage, programFiles } from '../web/support-package.js';
import { pageAround } from './server.js';
import { open, setting } from './support.js';

const made = setting();
/** @type {import('../web/support-package.js').Installed} */
let installed;
/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;

before(async () => {
  installed = await installPackage();
  const { work, folder } = installed;
  const out = join(work, 'out');
  mkdirSync(out);
  writeFileSync(join(work, 'entry.ts'), "import { program } from './program.ts';\nprogram().then((answer) => { document.title = JSON.stringify(answer); }, (error) => { document.title = String(error); });\n");
  await Promise.all([
    build({ entryPoints: [join(work, 'entry.ts')], bundle: true, logLevel: 'silent', platform: 'browser', format: 'esm', outfile: join(out, 'program.mjs') }),
    build({ entryPoints: [join(work, 'entry.ts')], bundle: true, logLevel: 'silent', platform: 'browser', format: 'iife', outfile: join(out, 'program.js') }),
    build({ entryPoints: [join(work, 'elements.ts')], bundle: true, logLevel: 'silent', platform: 'browser', format: 'esm', outfile: join(out, 'elements.mjs') }),
  ]);
  for (const name of programFiles) copyFileSync(join(folder, 'dist', name), join(out, name));
  cpSync(join(folder, 'dist'), join(out, 'files'), { recursive: true });
  for (const [name, script] of [['module', '<script type="module" src="program.mjs"></script>'], ['script', '<script src="program.js"></script>'], ['elements', '<script type="module" src="elements.mjs"></script>']]) {
    writeFileSync(join(out, `${name}.html`), pageAround('', script).replace('<link rel="icon" href="data:,">', '<link rel="icon" href="files/icon.svg">'));
  }
  server = await startServer({ root: out });
});
after(async () => {
  await server?.close();
  rmSync(installed.work, { recursive: true, force: true });
});

for (const name of ['module', 'script']) {
  test(`a program bundled as a ${name} computes in a page`, async () => {
    const { page, faults } = await open(made.browser, `${server.url}${name}.html`);
    await page.waitForFunction(() => document.title !== 'Host');
    assert.deepEqual(JSON.parse(await page.title()), {
      weights: [0.7310585975646973, 0.2689414322376251, 0, 0, 0, 0], emptyRows: [1], rows: 0, refused: 'out_of_range d',
      build: 'simd', copied: [1, 2, 4], own: [1, 3, 8], kind: 'worker', workers: 2, same: true,
    });
    assert.deepEqual(faults, []);
  });
}

test('the elements of the package make a plate in a page that bundles them', async () => {
  const { page, faults } = await open(made.browser, `${server.url}elements.html`);
  await page.waitForFunction(() => document.title !== 'Host');
  assert.equal(await page.title(), 'true masked-softmax worker');
  assert.deepEqual(faults, []);
});
