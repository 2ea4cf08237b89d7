/**
 * The three places the core can run, tried in order: a worker of the same origin, a worker made from a blob (pages of another
 * origin, files opened from disk), the page itself. Each rung opens a Port; what is said over it is protocol.js.
 * No retry logic here: engine.js decides when to climb.
 *
 * @import { CoreFiles } from './assets.js'
 * @import { Reply, Request } from './protocol.js'
 */
import { AttentionError } from './errors.js';
import { bytesOfBase64 } from './load.js';

/**
 * @typedef {object} Port
 * @property {(request: Request, transfer?: ArrayBuffer[]) => void} post
 * @property {(onReply: (reply: Reply) => void, onCrash: (message: string) => void) => void} listen
 * @property {() => void} close
 *
 * @typedef {'worker'|'blob-worker'|'main-thread'} RungKind
 *
 * @typedef {object} Rung
 * @property {RungKind} kind
 * @property {() => Promise<Port>} open
 *
 * @typedef {object} Inline what attn-inline-<group>.js registers under its group
 * @property {string} wasm base64
 * @property {string} worker source text of attn-worker-<group>.js
 */

/** @type {Map<string, Promise<void>>} */
const scripts = new Map();

/**
 * Loads a classic script once per page; unlike fetch, this works across origins and from disk.
 * @param {string} url
 * @returns {Promise<void>}
 */
export function loadScript(url) {
  const known = scripts.get(url);
  if (known) return known;
  const loading = new Promise((/** @type {(value: void) => void} */ resolve, reject) => {
    const script = document.createElement('script');
    script.src = url;
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => {
      scripts.delete(url);
      reject(new AttentionError('engine_unavailable', '', `${url} could not be loaded.`));
    });
    document.head.append(script);
    script.remove();
  });
  scripts.set(url, loading);
  return loading;
}

/**
 * @param {CoreFiles} files
 * @returns {Promise<Inline>}
 */
async function inlineAssets(files) {
  await loadScript(files.inline);
  const inline = /** @type {any} */ (globalThis).__attentionPlatesInline?.[files.group];
  if (!inline) throw new AttentionError('engine_unavailable', '', `${files.inline} holds no core.`);
  return inline;
}

/**
 * @param {CoreFiles} files
 * @returns {Promise<Uint8Array>} the wasm bytes, from a script instead of a download
 */
export const inlineBytes = async (files) => bytesOfBase64((await inlineAssets(files)).wasm);

/** Pages opened from disk and sandboxed frames have the opaque origin 'null': nothing can be fetched there. */
export const originIsOpaque = () => globalThis.origin === 'null';

/**
 * @param {Worker} worker
 * @returns {Port}
 */
function workerPort(worker) {
  return {
    post: (request, transfer = []) => worker.postMessage(request, transfer),
    listen(onReply, onCrash) {
      worker.addEventListener('message', ({ data }) => onReply(data));
      worker.addEventListener('messageerror', () => onCrash('a message could not be read'));
      worker.addEventListener('error', (event) => {
        event.preventDefault();
        onCrash(event.message || 'the worker script could not be loaded');
      });
    },
    close: () => worker.terminate(),
  };
}

/**
 * @param {CoreFiles} files
 * @returns {Promise<Port>}
 */
async function blobWorker(files) {
  // importScripts reaches other origins without their consent to fetching; an opaque origin needs the source itself
  const source = originIsOpaque() ? (await inlineAssets(files)).worker : `importScripts(${JSON.stringify(files.worker)});`;
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  const port = workerPort(new Worker(url));
  return { ...port, close() { port.close(); URL.revokeObjectURL(url); } };
}

/**
 * @param {CoreFiles} files
 * @returns {Promise<Port>}
 */
async function mainThread(files) {
  await loadScript(files.worker);
  const service = /** @type {any} */ (globalThis).__attentionPlatesCore[files.group]();
  /** @type {(reply: Reply) => void} */
  let reply = () => {};
  let closed = false;
  return {
    post(request) {
      const hand = (/** @type {Reply} */ answered) => { if (!closed) reply(answered); };
      service.handle(request, hand).then(hand);
    },
    listen(onReply) { reply = onReply; },
    close() { closed = true; },
  };
}

/**
 * @param {CoreFiles} files
 * @returns {Rung[]}
 */
export function rungsFor(files) {
  /** @type {Rung[]} */
  const rungs = [];
  if (!originIsOpaque() && new URL(files.worker).origin === globalThis.origin) {
    rungs.push({ kind: 'worker', open: async () => workerPort(new Worker(files.worker)) });
  }
  rungs.push({ kind: 'blob-worker', open: () => blobWorker(files) });
  rungs.push({ kind: 'main-thread', open: () => mainThread(files) });
  return rungs;
}
