// The package: what is in it and what it weighs, that it brings nothing else along, and that programs in Node, in TypeScript and in bundles find what they
// import. In a browser it is tested by tests/browser/package.test.js.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { build, transform } from 'esbuild';
import { root } from './support.js';
import { installPackage, programFiles } from './support-package.js';

const run = promisify(execFile);
const { work, folder, bytes, files, packages } = await installPackage();
after(() => rmSync(work, { recursive: true, force: true }));
const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** What program.ts returns; its arithmetic has the same bits everywhere, or is asked of itself. */
const expected = {
  // the weights of README.md, in full: 0.731, 0.269, 0
  weights: [0.7310585975646973, 0.2689414322376251, 0, 0, 0, 0], emptyRows: [1], rows: 0, refused: 'out_of_range d',
  build: 'simd', copied: [1, 2, 4], own: [1, 3, 8], kind: 'worker', workers: 2, same: true,
};

/** @param {string} entry @param {import('esbuild').BuildOptions} options */
async function bundled(entry, options) {
  const { errors, warnings } = await build({ entryPoints: [join(work, entry)], absWorkingDir: work, bundle: true, logLevel: 'silent', ...options });
  assert.deepEqual([errors, warnings], [[], []]);
}

test('it holds what programs and pages use, and no sources, tests or pages of ours', () => {
  const strange = files.filter((file) => !/^(package\.json|README\.md|LICENSE|dist\/((plates\/|stills\/)?[\w-]+\.js|[\w-]+\.(mjs|wasm|d\.mts)|types\/[\w/-]+\.d\.ts|pictures\/[\w-]+\.svg|fonts\/[\w-]+\.woff2|embed\.html|style\.css|icon\.svg|LICENSES\.txt))$/.test(file));
  assert.deepEqual(strange, []);
  for (const file of ['README.md', 'LICENSE', 'dist/LICENSES.txt', 'dist/attn-core.mjs', 'dist/attention-plates.mjs', 'dist/plates/saturation.js', 'dist/fonts/KaTeX_Main-Regular.woff2', ...programFiles.map((name) => `dist/${name}`)]) {
    assert.ok(files.includes(file), file);
  }
  // compressed by npm; the budget that README.md states
  assert.ok(bytes <= 3_300_000, `the tarball has ${bytes} bytes`);
  const ofProgram = ['attn-core.mjs', ...programFiles].reduce((sum, name) => sum + readFileSync(join(folder, 'dist', name)).length, 0);
  assert.ok(ofProgram <= 1_100_000, `the files of a program have ${ofProgram} bytes`);
});

test('it brings no other package along, and every way in leads somewhere', () => {
  assert.deepEqual(packages, ['node_modules/attention-plates']);
  assert.deepEqual(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies, ...manifest.optionalDependencies }), []);
  const ways = Object.values(manifest.exports).flatMap((/** @type {any} */ way) => (typeof way === 'string' ? [way] : Object.values(way)));
  for (const way of [...ways, manifest.main, manifest.types].filter((path) => !path.includes('*'))) assert.ok(existsSync(join(folder, way)), way);
});

test('a program in Node imports it by its name, and its files by theirs', async () => {
  const { code } = await transform(readFileSync(join(work, 'program.ts'), 'utf8'), { loader: 'ts', format: 'esm' });
  writeFileSync(join(work, 'program.mjs'), code);
  writeFileSync(join(work, 'main.mjs'), [
    "import { program } from './program.mjs';",
    "const found = ['attn.wasm', 'attn-worker-fast.js', 'plates/saturation.js', 'package.json'].map((name) => import.meta.resolve(`attention-plates/${name}`).split('/attention-plates/')[1]);",
    'console.log(JSON.stringify([await program(), found]));',
  ].join('\n'));
  const { stdout } = await run(process.execPath, [join(work, 'main.mjs')], { cwd: work });
  assert.deepEqual(JSON.parse(stdout), [expected, ['dist/attn.wasm', 'dist/attn-worker-fast.js', 'dist/plates/saturation.js', 'package.json']]);
});

test('its declarations hold strict programs to what there is, with and without a browser’s types', async () => {
  // what only a browser's types or Node's know is left out
  writeFileSync(join(work, 'plain.ts'), readFileSync(join(work, 'program.ts'), 'utf8').replace("new URL('attn.wasm', 'https://example.org/')", "'https://example.org/attn.wasm'"));
  const types = ['--typeRoots', join(root, 'node_modules/@types')];
  const check = (/** @type {string[]} */ ...args) => run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--noEmit', '--strict', '--target', 'es2022', ...types, ...args], { cwd: work })
    .then(() => '', (/** @type {{stdout: string}} */ { stdout }) => stdout);
  const answers = await Promise.all([
    check('--module', 'node16', '--moduleResolution', 'node16', '--lib', 'es2022', '--types', 'node', 'program.ts'),
    check('--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2022,dom,dom.iterable', '--types', '', 'program.ts', 'elements.ts'),
    check('--module', 'nodenext', '--moduleResolution', 'nodenext', '--lib', 'es2022,dom', '--types', 'node', 'program.ts', 'elements.ts'),
    // with nobody's types but the language's own, and the declarations looked at as closely as the program
    check('--module', 'nodenext', '--moduleResolution', 'nodenext', '--lib', 'es2022', '--types', '', '--skipLibCheck', 'false', 'plain.ts'),
    check('--module', 'nodenext', '--moduleResolution', 'nodenext', '--lib', 'es2022,dom,dom.iterable', '--types', '', '--skipLibCheck', 'false', 'program.ts', 'elements.ts'),
  ]);
  assert.deepEqual(answers, ['', '', '', '', '']);
});

test('bundles for Node and for browsers are made without a flag, and run where the files lie beside them', async () => {
  const out = join(work, 'bundle');
  mkdirSync(out);
  for (const name of programFiles) copyFileSync(join(folder, 'dist', name), join(out, name));
  writeFileSync(join(work, 'entry.ts'), "import { program } from './program.ts';\nconsole.log(JSON.stringify(await program()));\n");
  for (const platform of /** @type {const} */ (['browser', 'node'])) {
    await bundled('entry.ts', { platform, format: 'esm', outfile: join(out, `${platform}.mjs`) });
    const { stdout } = await run(process.execPath, [join(out, `${platform}.mjs`)], { cwd: work });
    assert.deepEqual(JSON.parse(stdout), expected, platform);
  }
  await bundled('elements.ts', { format: 'esm', outfile: join(out, 'elements.mjs') });
  // what is not used of the core is left out, so it has no effect by itself
  writeFileSync(join(work, 'unused.ts'), "import { loadCore } from 'attention-plates';\nexport const answer: number = 42;\n");
  await bundled('unused.ts', { format: 'esm', outfile: join(out, 'unused.mjs') });
  assert.ok(readFileSync(join(out, 'unused.mjs')).length < 200);
});

test('a CommonJS bundle, which has no address of its own, is told where the files are or says so', async () => {
  const out = join(work, 'common');
  mkdirSync(out);
  writeFileSync(join(work, 'common.ts'), [
    "import { loadCore } from 'attention-plates';",
    "declare const require: any;",
    "const wasm = require('node:fs').readFileSync(process.argv[2]);",
    'loadCore({ wasm }).then((core) => core.parseMask("causal").text, String).then(async (text) => {',
    '  console.log(JSON.stringify([text, await loadCore().catch(({ code, param }) => [code, param])]));',
    '});',
  ].join('\n'));
  await build({ entryPoints: [join(work, 'common.ts')], bundle: true, logLevel: 'silent', platform: 'node', format: 'cjs', outfile: join(out, 'main.cjs') });
  const { stdout } = await run(process.execPath, [join(out, 'main.cjs'), join(folder, 'dist/attn.wasm')]);
  assert.deepEqual(JSON.parse(stdout), ['causal', ['wasm_unreachable', 'wasm']]);
});
