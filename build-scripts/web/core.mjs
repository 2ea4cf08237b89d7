// The built core, loaded in Node for the page build: the registry, and a study run at its own defaults. What is drawn in the
// static pictures is computed here, by the very module that ships; nothing is kept from an earlier build.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** @typedef {import('../../web/chart/types.js').Result} Result */
/** @typedef {import('../../web/engine/types.js').Registry} Registry */

/**
 * @param {string} wasmDir holds attn.mjs and attn.wasm
 * @returns {Promise<{registry: Registry, run: (study: string, params?: Record<string, unknown>) => Result}>}
 */
export async function loadCore(wasmDir) {
  const { default: createModule } = await import(pathToFileURL(resolve(wasmDir, 'attn.mjs')).href);
  const core = await createModule();
  return {
    registry: JSON.parse(core.describe()),
    run(study, params = {}) {
      const answer = core.run(study, params);
      if (!answer.ok) throw new Error(`${study}: ${answer.error.message}`);
      return answer;
    },
  };
}

/**
 * The plate of a study: web/plates/<study>.js.
 * @param {string} study
 * @returns {Promise<import('../../web/chart/types.js').Plate>}
 */
export async function loadPlate(study) {
  return (await import(new URL(`../../web/plates/${study}.js`, import.meta.url).href)).default;
}
