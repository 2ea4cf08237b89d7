// Builds the whole site into a folder: scripts (bundle.mjs), their declarations (types.mjs), pages (pages.mjs), pictures (pictures.mjs), the style sheet, fonts and the wasm.
// Everything is written beside the folder first and then swapped in, so a build that fails leaves the last site standing.
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import baseCss from '../../web/elements/base.css.js';
import { fontsCss } from '../../web/style/fonts.css.js';
import { hostText, partsCss } from '../../web/style/plate.css.js';
import { pageTokens } from '../../web/style/tokens.css.js';
import { bundle } from './bundle.mjs';
import { loadCore } from './core.mjs';
import { licences } from './licences.mjs';
import { renderPages } from './pages.mjs';
import { renderPictures } from './pictures.mjs';
import { writeTypes } from './types.mjs';

const web = fileURLToPath(new URL('../../web/', import.meta.url));
const require = createRequire(import.meta.url);

/** Font files the style sheet names, by package. */
const fonts = [
  ...['latin', 'greek'].flatMap((set) => ['normal', 'italic'].map((style) => `@fontsource-variable/eb-garamond/files/eb-garamond-${set}-wght-${style}.woff2`)),
  'katex/dist/fonts/KaTeX_Main-Regular.woff2',
];

/** The one style sheet of the pages. */
export async function styleSheet() {
  const file = (/** @type {string} */ name) => readFile(join(web, 'style', name), 'utf8');
  const text = [
    fontsCss('fonts/'), pageTokens, `body, attention-plate { ${hostText} }`, await file('page.css'), await file('exercises.css'),
    baseCss.replace(/^:host.*$/m, ''), partsCss,
  ].join('\n');
  return (await transform(text, { loader: 'css', minify: true, charset: 'utf8' })).code;
}

/**
 * @param {object} options
 * @param {string} options.wasmDir holds attn.mjs, attn.wasm, and the groups' modules
 * @param {string} options.outDir
 * @param {(line: string) => void} [options.log]
 */
export async function buildWeb({ wasmDir, outDir, log = () => {} }) {
  const out = resolve(outDir);
  const next = `${out}.next-${process.pid}`;
  await rm(next, { recursive: true, force: true });
  try {
    await mkdir(join(next, 'fonts'), { recursive: true });
    await mkdir(join(next, 'pictures'), { recursive: true });
    log('site: scripts and declarations');
    await Promise.all([bundle({ outDir: next, wasmDir }), writeTypes(next)]);
    log('site: pages and pictures');
    const core = await loadCore(wasmDir);
    const { registry, run } = core;
    for (const [name, text] of Object.entries(await renderPages(registry, run, core))) await writeFile(join(next, name), text);
    for (const [name, text] of Object.entries(await renderPictures(registry, run))) await writeFile(join(next, 'pictures', name), text);
    await writeFile(join(next, 'style.css'), await styleSheet());
    for (const font of fonts) await copyFile(resolvePackageFile(font), join(next, 'fonts', font.slice(font.lastIndexOf('/') + 1)));
    await copyFile(join(web, 'style/icon.svg'), join(next, 'icon.svg'));
    await writeFile(join(next, 'LICENSES.txt'), licences());
    await swap(next, out);
  } catch (error) {
    await rm(next, { recursive: true, force: true });
    throw error;
  }
}

/**
 * A file of a package, whether or not the package exports it by name.
 * @param {string} path
 */
function resolvePackageFile(path) {
  const name = path.split('/').slice(0, path.startsWith('@') ? 2 : 1).join('/');
  return join(dirname(require.resolve(`${name}/package.json`)), path.slice(name.length + 1));
}

/**
 * Puts the new folder in the place of the old one.
 * @param {string} next
 * @param {string} out
 */
async function swap(next, out) {
  const old = `${out}.old-${process.pid}`;
  await rm(old, { recursive: true, force: true });
  await rename(out, old).catch((/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rename(next, out);
  await rm(old, { recursive: true, force: true });
}
