/**
 * Where the files of the bundle lie: beside the script that is running, whatever host or folder it was loaded from.
 * An element's `base` attribute overrides it. Not a resolver for page links.
 */

/** The classic bundle is known by its <script>, the module by its own URL; read now, since currentScript is gone later. */
const ownUrl = (typeof document === 'object' && document.currentScript instanceof HTMLScriptElement && document.currentScript.src)
  || import.meta.url
  // a bundle pasted into the page itself: its files are taken to lie beside the page
  || (typeof document === 'object' ? document.baseURI : '');

/**
 * @typedef {object} Assets absolute URLs
 * @property {string} base ends with a slash
 * @property {string} embed
 *
 * @typedef {object} CoreFiles what runs the studies of one group: names, or absolute URLs
 * @property {string} group
 * @property {string} worker
 * @property {string} wasm
 * @property {string} inline registers the wasm bytes and the worker's source where fetch cannot work
 */

/** The module that judges answers to exercises goes by a name as the groups of studies do. */
export const exerciseGroup = 'exercises';

/**
 * The names of a group's files, for the page that asks for them and for the build that writes them.
 * @param {string} group of studies, as the registry of the core calls it
 * @returns {CoreFiles}
 */
export const coreNames = (group) => ({ group, worker: `attn-worker-${group}.js`, wasm: `attn-${group}.wasm`, inline: `attn-inline-${group}.js` });

/**
 * @param {string} [base] folder of the bundle's files, absolute or relative to the document; default: beside this script
 * @param {string} [documentUrl]
 * @returns {Assets}
 */
export function assetsAt(base, documentUrl = globalThis.document?.baseURI) {
  const folder = base ? new URL(base.endsWith('/') ? base : `${base}/`, documentUrl) : new URL('.', ownUrl);
  return { base: folder.href, embed: new URL('embed.html', folder).href };
}

/**
 * @param {string} group
 * @param {{base: string}} assets
 * @returns {CoreFiles} absolute
 */
export function coreAt(group, { base }) {
  const { worker, wasm, inline } = coreNames(group);
  const at = (/** @type {string} */ name) => new URL(name, base).href;
  return { group, worker: at(worker), wasm: at(wasm), inline: at(inline) };
}

/** The name of a plate's script, for the page that asks for it and for the build that writes it. @param {string} study */
export const plateName = (study) => `plates/${study}.js`;

/**
 * @param {string} study
 * @param {Assets} assets
 * @returns {string} absolute
 */
export const plateAt = (study, { base }) => new URL(plateName(study), base).href;

/** The name of a script with a study's first result, for where nothing can be computed. @param {string} study */
export const stillName = (study) => `stills/${study}.js`;

/**
 * @param {string} study
 * @param {Assets} assets
 * @returns {{script: string, picture: string}} absolute: of its first result, and of its static picture
 */
export const stillAt = (study, { base }) => ({ script: new URL(stillName(study), base).href, picture: new URL(`pictures/${study}.svg`, base).href });
