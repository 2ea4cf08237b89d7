// The site's weight, held to its budgets: the WebAssembly modules that pages download, the whole one that programs
// load, their JavaScript glue, the elements' bundle, the script of each plate, and every byte that one plate's page loads (fonts aside), as a browser really asks for
// them. All sizes are of files compressed with brotli at its highest level, in bytes; 1 KB = 1000 bytes. Needs the
// built site and Chromium.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { chromiumOptions } from './lib/chromium.mjs';
import { startServer } from './serve.mjs';

const budgets = { wasm: 90_000, whole: 240_000, fast: 25_000, spans: 28_000, glue: 15_000, elements: 60_000, plate: 16_000, page: 220_000 };

/** Sizes by hash of what was compressed: pages share most of what they load. @type {Map<string, number>} */
const known = new Map();

/** @param {Buffer} bytes */
function compressed(bytes) {
  const hash = createHash('sha256').update(bytes).digest('hex');
  const size = known.get(hash) ?? brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;
  known.set(hash, size);
  return size;
}

/**
 * What the pages of the site load from the server, by page.
 * @param {string} site @param {string[]} pages
 */
async function loadedFiles(site, pages) {
  const { chromium } = await import('playwright-core');
  const server = await startServer({ root: site });
  const browser = await chromium.launch(chromiumOptions());
  try {
    /** @type {Map<string, Set<string>>} */
    const loaded = new Map();
    for (const page of pages) {
      const paths = new Set(/** @type {string[]} */ ([]));
      const context = await browser.newContext();
      // The context hears what workers ask for, too.
      context.on('response', (response) => {
        if (response.url().startsWith(server.url) && response.ok()) paths.add(new URL(response.url()).pathname.slice(1));
      });
      const tab = await context.newPage();
      await tab.goto(server.url + page, { waitUntil: 'networkidle' });
      await context.close();
      loaded.set(page, paths);
    }
    return loaded;
  } finally {
    await browser.close();
    await server.close();
  }
}

/**
 * Weighs the built modules and the site.
 * @param {{wasmDir: string, site: string}} folders
 * @returns {Promise<{what: string, bytes: number, budget: number}[]>}
 */
export async function weigh({ wasmDir, site }) {
  /** @param {string} file */
  const weight = (file) => compressed(readFileSync(file));
  const results = [
    { what: 'attn.wasm', bytes: weight(join(wasmDir, 'attn.wasm')), budget: budgets.whole },
    ...['attn-fast.wasm', 'attn-fast-relaxed.wasm'].map((what) => ({ what, bytes: weight(join(wasmDir, what)), budget: budgets.fast })),
    { what: 'attn-spans.wasm', bytes: weight(join(wasmDir, 'attn-spans.wasm')), budget: budgets.spans },
    { what: 'attn.mjs', bytes: weight(join(wasmDir, 'attn.mjs')), budget: budgets.glue },
  ];
  /** @type {string[]} */
  const groups = JSON.parse(readFileSync(join(wasmDir, 'modules.json'), 'utf8'));
  for (const group of [...groups, 'exercises']) {
    results.push({ what: `attn-${group}.wasm`, bytes: weight(join(wasmDir, `attn-${group}.wasm`)), budget: budgets.wasm });
    results.push({ what: `attn-${group}.mjs`, bytes: weight(join(wasmDir, `attn-${group}.mjs`)), budget: budgets.glue });
  }
  results.push({ what: 'attention-plates.js', bytes: weight(join(site, 'attention-plates.js')), budget: budgets.elements });
  for (const name of readdirSync(join(site, 'plates')).sort()) results.push({ what: `plates/${name}`, bytes: weight(join(site, 'plates', name)), budget: budgets.plate });
  const pages = readdirSync(site, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.html') && readFileSync(join(site, file), 'utf8').includes('<attention-plate'))
    .sort();
  if (pages.length === 0) throw new Error(`${site} holds no page with an <attention-plate>`);
  for (const [page, paths] of await loadedFiles(site, pages)) {
    // A page that never asked for the core has not shown its plate, and its weight says nothing.
    if (![...paths].some((path) => path.endsWith('.wasm'))) throw new Error(`${page} did not load the core`);
    const bytes = [...paths]
      .filter((path) => !/\.(woff2?|ttf)$/.test(path))
      .reduce((sum, path) => sum + weight(join(site, path)), 0);
    results.push({ what: page, bytes, budget: budgets.page });
  }
  return results;
}
