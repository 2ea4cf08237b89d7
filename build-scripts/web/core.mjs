// The built core, loaded in Node for the page build: the registry, and a study run at its own defaults. What is drawn in the
// static pictures is computed here, by the very module that ships, once in a process; nothing is kept on the disk. Which module of those
// that pages download runs a study is asked of the modules themselves.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** @typedef {import('../../web/chart/types.js').Result} Result */
/** @typedef {import('../../web/engine/types.js').Registry} Registry */
/** @typedef {import('../../web/engine/types.js').Exercise} Exercise */

/** Cores by address: Node keeps an imported module, too. @type {Map<string, ReturnType<typeof startCore>>} */
const cores = new Map();

/** @param {string} wasmDir holds attn.mjs and attn.wasm */
export function loadCore(wasmDir) {
  const { href } = pathToFileURL(resolve(wasmDir, 'attn.mjs'));
  const core = cores.get(href) ?? startCore(href);
  cores.set(href, core);
  core.catch(() => cores.delete(href));
  return core;
}

/**
 * @param {string} href of attn.mjs
 * @returns {Promise<{registry: Registry, exercises: Exercise[], run: (study: string, params?: Record<string, unknown>) => Result,
 *   repair: (study: string, params: Record<string, unknown>) => {notices: {message: string}[]}}>}
 */
async function startCore(href) {
  const { default: createModule } = await import(href);
  const core = await createModule();
  /** What is run at the same settings for pages and for pictures is run once. @type {Map<string, Result>} */
  const results = new Map();
  return {
    registry: JSON.parse(core.describe()),
    exercises: JSON.parse(core.exercises()),
    repair: (study, params) => core.repair(study, params),
    run(study, params = {}) {
      const key = JSON.stringify([study, params]);
      const answer = results.get(key) ?? core.run(study, params);
      if (!answer.ok) throw new Error(`${study}: ${answer.error.message}`);
      results.set(key, answer);
      return answer;
    },
  };
}

/**
 * The modules that pages download: attn-<group>.mjs and .wasm for each group named in modules.json.
 * @param {string} wasmDir
 * @returns {Promise<{group: string, registry: Registry}[]>}
 */
export async function loadGroups(wasmDir) {
  /** @type {string[]} */
  const groups = JSON.parse(await readFile(resolve(wasmDir, 'modules.json'), 'utf8'));
  return Promise.all(groups.map(async (group) => {
    const { default: createModule } = await import(pathToFileURL(resolve(wasmDir, `attn-${group}.mjs`)).href);
    return { group, registry: JSON.parse((await createModule()).describe()) };
  }));
}

/**
 * Which module runs a study. Every study has to be in exactly one.
 * @param {Registry} registry  of all studies
 * @param {{group: string, registry: Registry}[]} groups
 * @returns {Record<string, string>} groups by study
 */
export function groupsByStudy({ studies }, groups) {
  return Object.fromEntries(studies.map(({ id }) => {
    const holders = groups.filter(({ registry }) => registry.studies.some((study) => study.id === id)).map(({ group }) => group);
    if (holders.length !== 1) throw new Error(`the study ${id} is in ${holders.length === 0 ? 'no module' : `the modules ${holders.join(' and ')}`}; every study is in one`);
    return [id, holders[0]];
  }));
}

/**
 * The plate of a study: web/plates/<study>.js.
 * @param {string} study
 * @returns {Promise<import('../../web/chart/types.js').Plate>}
 */
export async function loadPlate(study) {
  return (await import(new URL(`../../web/plates/${study}.js`, import.meta.url).href)).default;
}
