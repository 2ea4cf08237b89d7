// Bundles the scripts of the site with esbuild: the custom elements and their plates (plates.mjs), the core alone as a module for programs (program.mjs),
// the embed page's script, and for each group of studies a worker with the Emscripten glue inside and a script that carries the wasm bytes and the worker's
// text to where nothing can be fetched. It builds no pages.
// Which plates there are is asked of the core itself: a study `x` is drawn by web/plates/x.js.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { coreNames, exerciseGroup } from '../../web/engine/assets.js';
import { groupsByStudy, loadCore, loadGroups } from './core.mjs';
import { bundleFast } from './fast.mjs';
import { bundlePlates, common } from './plates.mjs';
import { bundleProgram } from './program.mjs';
import { escape, fill } from './template.mjs';

/** @import { Registry } from '../../web/engine/types.js' */

const web = fileURLToPath(new URL('../../web', import.meta.url));

/**
 * The plates' static pictures, for the embed page of a reader without scripts.
 * @param {Registry} registry
 */
const pictureLinks = ({ studies }) => studies.map(({ id, title }) => `<a href="pictures/${id}.svg">${escape(title)}</a>`).join(', ');

/**
 * The files with which a page runs the studies of one group.
 * @param {string} group
 * @param {string} outDir
 * @param {string} wasmDir
 */
export async function bundleGroup(group, outDir, wasmDir) {
  const names = coreNames(group);
  const worker = resolve(outDir, names.worker);
  const wasm = await readFile(join(wasmDir, `attn-${group}.wasm`));
  await build({
    ...common, format: 'iife', outfile: worker,
    stdin: {
      contents: `import createModule from ${JSON.stringify(resolve(wasmDir, `attn-${group}.mjs`))};\nimport { serve } from './engine/worker.js';\nserve(createModule, ${JSON.stringify(group)});`,
      resolveDir: web,
      sourcefile: names.worker,
    },
    // the glue's branches for Node stay in it unused; load.js tells it where everything is
    define: { 'import.meta.url': '"attn:///attn.mjs"' }, external: ['module'],
  });
  await writeFile(resolve(outDir, names.wasm), wasm);
  const inline = JSON.stringify({ wasm: wasm.toString('base64'), worker: await readFile(worker, 'utf8') });
  await writeFile(resolve(outDir, names.inline), `(globalThis.__attentionPlatesInline??={})[${JSON.stringify(group)}]=${inline};\n`);
}

/**
 * Writes attention-plates.js, attention-plates.mjs, plates/<study>.js, stills/<study>.js, attn-core.mjs, attn.wasm, embed.js, embed.html, studies.json and the files of the fast kernels (fast.mjs), and for each
 * group attn-worker-<group>.js, attn-<group>.wasm and attn-inline-<group>.js.
 * @param {object} options
 * @param {string} options.outDir
 * @param {string} options.wasmDir holds attn.mjs, attn.wasm, and the groups' modules
 */
export async function bundle({ outDir, wasmDir }) {
  const { registry, run } = await loadCore(wasmDir);
  const groups = await loadGroups(wasmDir);
  const out = (/** @type {string} */ name) => resolve(outDir, name);
  for (const folder of ['plates', 'stills']) await mkdir(out(folder), { recursive: true });
  const firsts = Object.fromEntries(registry.studies.map((study) => [study.id, { study, result: run(study.id) }]));

  await Promise.all([
    ...Object.entries(await bundlePlates(groupsByStudy(registry, groups), /** @type {any} */ (firsts))).map(([name, text]) => writeFile(out(name), text)),
    bundleProgram({ outDir, wasmDir }),
    build({ ...common, entryPoints: [join(web, 'elements/embed.js')], format: 'iife', outfile: out('embed.js') }),
    bundleFast({ common, outDir, wasmDir }),
    writeFile(out('embed.html'), fill(await readFile(join(web, 'embed.html'), 'utf8'), { pictures: pictureLinks(registry) }, 'web/embed.html')),
    writeFile(out('studies.json'), `${JSON.stringify(registry, null, 1)}\n`),
    ...[...groups.map(({ group }) => group), exerciseGroup].map((group) => bundleGroup(group, outDir, wasmDir)),
  ]);
}
