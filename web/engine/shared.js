/**
 * One engine per folder of assets: every plate of a page that uses the same files shares one worker and one core.
 */
import { assetsAt } from './assets.js';
import { Engine } from './engine.js';
import { inlineBytes, originIsOpaque, rungsFor } from './ladder.js';

/** @type {Map<string, Engine>} */
const engines = new Map();

/**
 * @param {string} [base] folder of the bundle's files; default: beside this script
 * @returns {Engine}
 */
export function sharedEngine(base) {
  const assets = assetsAt(base);
  let engine = engines.get(assets.base);
  if (!engine) {
    engine = new Engine({
      rungs: rungsFor(assets),
      wasmUrl: originIsOpaque() ? undefined : assets.wasm,
      inlineBytes: () => inlineBytes(assets),
    });
    engines.set(assets.base, engine);
  }
  return engine;
}
