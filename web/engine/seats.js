/**
 * Where the fast kernels can run: engines for a pool or a meter, of the build that the machine, the address or the program chooses. In a browser each
 * climbs the ladder of every worker here: same origin, blob, the page itself. It starts nothing: an engine starts with its first call.
 *
 * @import { CoreFiles } from './assets.js'
 * @import { Rung } from './ladder.js'
 * @import { FastBuild } from './fast.js'
 */
import { assetsAt, coreAt } from './assets.js';
import { Engine } from './engine.js';
import { AttentionError } from './errors.js';
import { chooseBuild } from './fast.js';
import { knownOptions, shown } from './fast-checks.js';
import { inlineBytes, originIsOpaque, rungsFor } from './ladder.js';
import { runOptions } from './run-options.js';

/** The names of the modules, as groups of studies have names; one worker's script knows both. @type {Record<FastBuild, string>} */
export const fastGroups = { simd: 'fast', relaxed: 'fast-relaxed' };

/** The name of the module of masks, which both builds need. */
export const spansGroup = 'spans';

/**
 * @typedef {object} Host what a browser and Node do differently
 * @property {(files: CoreFiles) => Rung[]} rungs
 * @property {(files: CoreFiles) => string | undefined} wasmUrl undefined where nothing can be fetched
 * @property {(files: CoreFiles) => Promise<Uint8Array>} inlineBytes
 * @property {() => number | Promise<number>} processors
 *
 * @typedef {object} SeatOptions
 * @property {number} [workers] 1 to 16; default: the address's `?workers=`, else one a processor, at most 4
 * @property {'auto' | FastBuild} [simd] default: the address's `?simd=`, else 'auto', relaxed SIMD where it runs
 * @property {string} [base] folder of the files; default: beside this script
 *
 * @typedef {(part: FastBuild | 'spans' | 'worker') => string} Addresses absolute ones, where files need not lie in one folder or have our names
 */

/** @type {Host} */
const browserHost = {
  rungs: rungsFor,
  wasmUrl: (files) => (originIsOpaque() ? undefined : files.wasm),
  inlineBytes,
  processors: () => globalThis.navigator?.hardwareConcurrency ?? 1,
};

/** @param {unknown} base */
function folderAt(base) {
  try {
    if (base !== undefined && typeof base !== 'string') throw new TypeError('no text');
    return assetsAt(base);
  } catch {
    throw new AttentionError('wrong_type', 'base', `base is ${shown(base)}; give the address of the folder of the files, absolute where there is no document`);
  }
}

/**
 * A module, and what serves it.
 * @param {FastBuild | 'spans'} part
 * @param {string} [base] folder of the files
 * @param {Addresses} [addresses]
 * @returns {CoreFiles}
 */
function filesOf(part, base, addresses) {
  const group = part === 'spans' ? spansGroup : fastGroups[part];
  if (base === undefined && addresses) {
    const worker = addresses('worker');
    return { ...coreAt(group, { base: worker }), worker, wasm: addresses(part) };
  }
  const assets = folderAt(base);
  return { ...coreAt(group, assets), worker: coreAt(fastGroups.simd, assets).worker };
}

/**
 * @param {SeatOptions} [asked]
 * @param {Host} [host]
 * @param {Addresses} [addresses] where no base is given
 * @returns {Promise<{engines: Engine[], build: FastBuild}>} Errors: out_of_range and wrong_type naming workers; unknown_choice, wasm_no_simd naming simd; wrong_type naming base; unknown_parameter
 */
export async function openSeats(asked = {}, host = browserHost, addresses = undefined) {
  knownOptions(asked, ['workers', 'simd', 'base']);
  const { workers: wanted, simd: choice, base } = asked;
  const { workers, simd } = runOptions({ workers: wanted, simd: choice }, undefined, await host.processors());
  const { build } = chooseBuild(simd);
  const files = filesOf(build, base, addresses);
  const spans = filesOf('spans', base, addresses);
  const rungs = host.rungs(files);
  const engines = Array.from({ length: workers }, (_, seat) => new Engine({
    // the page is one place only: the first seat may fall back to it
    rungs: seat === 0 ? rungs : rungs.filter(({ kind }) => kind !== 'main-thread'),
    wasmUrl: host.wasmUrl(files),
    inlineBytes: () => host.inlineBytes(files),
    build,
    beside: { wasmUrl: host.wasmUrl(spans), inlineBytes: () => host.inlineBytes(spans) },
  }));
  return { engines, build };
}
