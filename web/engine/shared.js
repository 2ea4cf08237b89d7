/**
 * One engine a group of studies and folder of files: every plate of a page that needs the same module of the core shares one worker
 * and one instance. A page downloads the modules of the studies it shows, and no other.
 */
import { assetsAt, coreAt } from './assets.js';
import { Engine } from './engine.js';
import { inlineBytes, originIsOpaque, rungsFor } from './ladder.js';

/** @type {Map<string, Engine>} by the address of the module */
const engines = new Map();

/**
 * @param {string} group the group of studies to run
 * @param {string} [base] folder of the bundle's files; default: beside this script
 * @returns {Engine}
 */
export function sharedEngine(group, base) {
  const files = coreAt(group, assetsAt(base));
  let engine = engines.get(files.wasm);
  if (!engine) {
    engine = new Engine({
      rungs: rungsFor(files),
      wasmUrl: originIsOpaque() ? undefined : files.wasm,
      inlineBytes: () => inlineBytes(files),
    });
    engines.set(files.wasm, engine);
  }
  return engine;
}
