// The core alone as a module for programs: attn-core.mjs beside attn.wasm. It runs in Node, in browsers and in workers, as it is and inside a bundle of
// somebody else's: whatever is Node's alone is asked for when it runs (web/node-builtin.js), and the files that belong to it are named as bundlers look for
// them, `new URL('attn.wasm', import.meta.url)`.
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { common } from './plates.mjs';

/**
 * The Emscripten glue without what it does for Node: load.js hands it the compiled module, so that it neither reads files nor needs its own address. The
 * branch stays, with functions that do nothing.
 * @param {string} glue path of attn.mjs
 * @returns {import('esbuild').Plugin}
 */
const plainGlue = (glue) => ({
  name: 'glue',
  setup(program) {
    program.onResolve({ filter: /^(node:)?module$/ }, ({ importer }) => (importer === glue ? { path: 'module', namespace: 'glue' } : undefined));
    program.onLoad({ filter: /./, namespace: 'glue' }, () => ({
      contents: "const none = { dirname: () => '', normalize: (path) => path, fileURLToPath: () => '' };\nexport const createRequire = () => () => none;", loader: 'js',
    }));
    program.onLoad({ filter: /[\\/]attn\.mjs$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll('import.meta.url', '"attn:///attn.mjs"'), loader: 'js',
    }));
  },
});

/** What tells webpack and Vite that an import is none of theirs; the minifier takes such comments away. */
const leaveAlone = '/* webpackIgnore: true */ /* @vite-ignore */';

/** What goes with attn-core.mjs, by what it is for. */
const beside = { core: 'attn.wasm', simd: 'attn-fast.wasm', relaxed: 'attn-fast-relaxed.wasm', spans: 'attn-spans.wasm', worker: 'attn-worker-fast.js' };

/**
 * Writes attn-core.mjs and attn.wasm; the other files that go with it are fast.mjs's.
 * @param {object} options
 * @param {string} options.outDir
 * @param {string} options.wasmDir holds attn.mjs and attn.wasm
 */
export async function bundleProgram({ outDir, wasmDir }) {
  const glue = resolve(wasmDir, 'attn.mjs');
  const contents = [
    `import createModule from ${JSON.stringify(glue)};`,
    "import { coreLoader, fastLoader, poolMaker } from './attn-core.js';",
    `const beside = { ${Object.entries(beside).map(([part, file]) => `${part}: () => new URL(${JSON.stringify(file)}, import.meta.url).href`).join(', ')} };`,
    'export const loadCore = coreLoader(createModule, beside);',
    'export const loadFast = fastLoader(beside);',
    'export const createPool = poolMaker(beside);',
    "export { AttentionError } from './engine/errors.js';",
  ].join('\n');
  const { outputFiles: [{ text }] } = await build({
    ...common, stdin: { contents, resolveDir: String(common.absWorkingDir), sourcefile: 'attn-core.mjs' }, format: 'esm', plugins: [plainGlue(glue)], write: false,
  });
  await Promise.all([
    writeFile(resolve(outDir, 'attn-core.mjs'), text.replaceAll('import(`', `import(${leaveAlone}\``)),
    copyFile(join(wasmDir, 'attn.wasm'), resolve(outDir, 'attn.wasm')),
  ]);
}
