// The files of the fast kernels beside the site's scripts: one worker for both builds, for each build and for the masks of both a script that carries its bytes and
// the worker's text to where nothing can be fetched, and attn-pool.js, which a page loads when it measures or shares out work, and not before. The modules themselves are
// copied as they are; nothing here is part of a page's start.
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { coreNames } from '../../web/engine/assets.js';
import { fastGroups, spansGroup } from '../../web/engine/seats.js';

/**
 * @param {object} options
 * @param {import('esbuild').BuildOptions} options.common with absWorkingDir, the folder of the sources
 * @param {string} options.outDir
 * @param {string} options.wasmDir holds attn-fast.wasm, attn-fast-relaxed.wasm and attn-spans.wasm
 */
export async function bundleFast({ common, outDir, wasmDir }) {
  const web = String(common.absWorkingDir);
  const worker = resolve(outDir, coreNames(fastGroups.simd).worker);
  await Promise.all([
    build({ ...common, entryPoints: [join(web, 'attn-worker-fast.js')], format: 'iife', outfile: worker }),
    build({ ...common, entryPoints: [join(web, 'attn-pool.js')], format: 'iife', outfile: resolve(outDir, 'attn-pool.js'), define: { 'import.meta.url': '""' } }),
  ]);
  const text = await readFile(worker, 'utf8');
  await Promise.all([...Object.values(fastGroups), spansGroup].map(async (group) => {
    const names = coreNames(group);
    const wasm = join(wasmDir, names.wasm);
    await copyFile(wasm, resolve(outDir, names.wasm));
    const inline = JSON.stringify({ wasm: (await readFile(wasm)).toString('base64'), worker: group === spansGroup ? '' : text });
    await writeFile(resolve(outDir, names.inline), `(globalThis.__attentionPlatesInline??={})[${JSON.stringify(group)}]=${inline};\n`);
  }));
}
