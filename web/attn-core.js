/**
 * The numerical core for programs: built as attn-core.mjs, one ES module beside attn.wasm that works in Node, in browsers and in workers. No element,
 * no worker of its own: calls are synchronous and run where they are made. The bundler hands over the Emscripten glue and the module's own address.
 *
 *   import { loadCore } from './attn-core.mjs';
 *   const core = await loadCore();
 *   const { weights, emptyRows } = core.maskedSoftmax(scores, [batch, queries, keys], { validLens: [2, 3] });
 *
 * The kernels for speed are modules of their own, attn-fast.wasm or attn-fast-relaxed.wasm with attn-spans.wasm, which reads masks for them, and no part of the exact core:
 *
 *   const fast = await loadFast();
 *   const { output } = fast.attention({ queries: { data, shape: [batch, n, d] }, keys, values, mask: 'causal' });
 *
 * A mask of one's own is a function of spans of keys: `spans: (batch, head, query) => [[begin, end], ...]`.
 *
 * Above about 7 ms of work several workers are faster; they need attn-worker-fast.js beside this module:
 *
 *   const pool = await createPool({ workers: 2 });
 *   const { output } = await pool.attention({ queries, keys, values, mask: 'causal' }, { signal, onProgress });
 *   pool.close();
 *
 * @import { Pool } from './engine/pool.js'
 * @import { SeatOptions } from './engine/seats.js'
 * @import { Core } from './engine/core.js'
 * @import { Fast, FastBuild } from './engine/fast.js'
 * @import { ModuleFactory } from './engine/types.js'
 */
import { assetsAt } from './engine/assets.js';
import { createCore } from './engine/core.js';
import { AttentionError, errorValue } from './engine/errors.js';
import { loadFast } from './engine/fast.js';
import { knownOptions, shown } from './engine/fast-checks.js';
import { compileCore, instantiateCore } from './engine/load.js';
import { createPool } from './engine/parallel.js';
import { builtin, inNode } from './node-builtin.js';
import { nodeHost } from './node-seats.js';

/**
 * What a program is given. Every function throws an AttentionError {code, param, message}, or as it is what code of yours throws that it calls; after `core_failed` (the module trapped) load another.
 * @typedef {Pick<Core, 'describe'|'run'|'repair'|'exercises'|'checkAnswer'|'maskedSoftmax'|'composeMasks'|'attentionStats'|'randomArrays'|'parseMask'|'maskCells'|'maskReport'|'maskCode'|'additiveBias'|'validLensOf'|'scores'|'batchMatmul'|'attention'|'dropout'|'scoresGradient'|'softmaxGradient'|'attentionGradient'>} LoadedCore
 *
 * @typedef {object} LoadOptions
 * @property {string | {readonly href: string} | Uint8Array<ArrayBuffer> | ArrayBuffer} [wasm] absolute address of attn.wasm, as text or as a URL, or its bytes; default: beside this module
 *
 * @typedef {(options?: LoadOptions) => Promise<LoadedCore>} LoadCore
 *
 * @typedef {object} LoadFastOptions
 * @property {'auto' | FastBuild} [simd] which build; `auto`: relaxed SIMD where it runs
 * @property {LoadOptions['wasm']} [wasm] of the build that runs, with `auto` either; default: beside this module
 * @property {LoadOptions['wasm']} [spans] of attn-spans.wasm, which both builds need; default: beside this module
 * @typedef {(options?: LoadFastOptions) => Promise<Fast>} LoadFast
 */

/** @type {(keyof LoadedCore)[]} */
const names = ['describe', 'run', 'repair', 'exercises', 'checkAnswer', 'maskedSoftmax', 'composeMasks', 'attentionStats', 'randomArrays', 'parseMask', 'maskCells', 'maskReport', 'maskCode', 'additiveBias', 'validLensOf',
  'scores', 'batchMatmul', 'attention', 'dropout', 'scoresGradient', 'softmaxGradient', 'attentionGradient'];

/**
 * @param {string} href
 * @param {string} param which option names it
 * @returns {Promise<{wasmUrl: string} | {wasmBytes: Uint8Array<ArrayBuffer>}>} files are read, since Node's fetch reads none
 */
async function sourceAt(href, param) {
  if (!href.startsWith('file:') || !inNode()) return { wasmUrl: href };
  const { readFile } = await builtin('fs/promises');
  try {
    return { wasmBytes: new Uint8Array(await readFile(new URL(href))) };
  } catch (reason) {
    throw new AttentionError('wasm_unreachable', param, `The numerical core could not be read (${reason instanceof Error ? reason.message : reason}).`);
  }
}

/**
 * Where the files lie when nobody says so, each as `new URL('attn.wasm', import.meta.url)`: by these words bundlers know a file that has to go with the bundle.
 * @typedef {Record<'core' | FastBuild | 'spans' | 'worker', () => string>} Beside
 */

/**
 * The address of a file beside this module, or beside the script that it is bundled into: scripts and CommonJS have no `import.meta.url`.
 * @param {() => string} beside @param {string} file @param {string} name of the option that says it, too
 */
function addressOf(beside, file, name) {
  try {
    return beside();
  } catch {
    try {
      return new URL(file, assetsAt().base).href;
    } catch {
      throw new AttentionError('wasm_unreachable', name, `Where ${file} lies is not known: a CommonJS bundle has no address of its own; say it with the option ${name}.`);
    }
  }
}

/**
 * @param {LoadOptions['wasm']} given
 * @param {() => string} beside
 * @param {string} file
 * @param {string} [name] of the option
 */
async function sourceOf(given, beside, file, name = 'wasm') {
  const wasm = given === undefined ? addressOf(beside, file, name) : given;
  // by what they are, not by whose: of a frame or context of another's, too
  const kind = Object.prototype.toString.call(wasm);
  if (ArrayBuffer.isView(wasm) && kind === '[object Uint8Array]') return { wasmBytes: wasm };
  if (kind === '[object ArrayBuffer]') return { wasmBytes: new Uint8Array(/** @type {ArrayBuffer} */ (wasm)) };
  const address = typeof wasm === 'object' && wasm !== null && 'href' in wasm ? wasm.href : wasm;
  if (typeof address === 'string' && URL.canParse(address)) return sourceAt(new URL(address).href, name);
  throw new AttentionError('wrong_type', name, `${name} is ${shown(wasm)}; give the absolute address of ${file}, or its bytes as Uint8Array or ArrayBuffer`);
}

/**
 * An instance of the whole module, and of no other: those of the pages' plates and those for speed are others.
 * @param {ModuleFactory} createModule @param {WebAssembly.Module} compiled
 */
async function wholeModule(createModule, compiled) {
  const another = (/** @type {string} */ why) => new AttentionError('wasm_unreachable', 'wasm', `wasm is another WebAssembly module than attn-core.mjs goes with (${why}); give the attn.wasm beside it`);
  const module = await instantiateCore(createModule, compiled).catch((/** @type {unknown} */ reason) => {
    throw reason instanceof TypeError || reason instanceof WebAssembly.LinkError ? another('its parts are others') : AttentionError.from(errorValue(reason));
  });
  const missing = names.find((name) => typeof (/** @type {Record<string, unknown>} */ (/** @type {unknown} */ (module)))[name] !== 'function');
  if (missing !== undefined) throw another(`it leaves ${missing} without a function`);
  return module;
}

/**
 * @param {ModuleFactory} createModule default export of the Emscripten glue
 * @param {Beside} beside
 * @returns {LoadCore}
 */
export const coreLoader = (createModule, beside) => async (options = {}) => {
  knownOptions(options, ['wasm']);
  const compiled = await compileCore(await sourceOf(options.wasm, beside.core, 'attn.wasm'), { param: 'wasm', file: 'attn.wasm' });
  const core = createCore(await wholeModule(createModule, compiled));
  return /** @type {any} */ (Object.fromEntries(names.map((name) => [name, core[name]])));
};

/**
 * @param {Beside} beside
 * @returns {LoadFast}
 */
export const fastLoader = (beside) => async (options = {}) => {
  knownOptions(options, ['simd', 'wasm', 'spans']);
  const { simd, wasm, spans } = options;
  const source = (/** @type {FastBuild} */ build, /** @type {string} */ file) => () => sourceOf(wasm, beside[build], file);
  return loadFast({
    simd,
    sources: {
      simd: source('simd', 'attn-fast.wasm'),
      relaxed: source('relaxed', 'attn-fast-relaxed.wasm'),
      spans: () => sourceOf(spans, beside.spans, 'attn-spans.wasm', 'spans'),
    },
  });
};

/** @type {Record<FastBuild | 'spans' | 'worker', string>} */
const poolFiles = { simd: 'attn-fast.wasm', relaxed: 'attn-fast-relaxed.wasm', spans: 'attn-spans.wasm', worker: 'attn-worker-fast.js' };

/**
 * @typedef {(options?: SeatOptions) => Promise<Pool>} CreatePool
 *
 * @param {Beside} beside
 * @returns {CreatePool}
 */
export const poolMaker = (beside) => (options) => createPool(options, inNode() ? nodeHost : undefined, (part) => addressOf(beside[part], poolFiles[part], 'base'));
