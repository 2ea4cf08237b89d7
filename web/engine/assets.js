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
 * @property {string} worker
 * @property {string} wasm
 * @property {string} inline registers the wasm bytes and the worker's source where fetch cannot work
 * @property {string} embed
 */

/**
 * @param {string} [base] folder of the bundle's files, absolute or relative to the document; default: beside this script
 * @param {string} [documentUrl]
 * @returns {Assets}
 */
export function assetsAt(base, documentUrl = globalThis.document?.baseURI) {
  const folder = base ? new URL(base.endsWith('/') ? base : `${base}/`, documentUrl) : new URL('.', ownUrl);
  const at = (/** @type {string} */ name) => new URL(name, folder).href;
  return { base: folder.href, worker: at('attn-worker.js'), wasm: at('attn.wasm'), inline: at('attn-inline.js'), embed: at('embed.html') };
}
