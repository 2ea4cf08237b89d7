/**
 * Worker threads of Node for the pool of the fast kernels: what the ladder of workers is in a browser. The worker's script and the modules are read from
 * files beside this one. Used where there is no browser; the studies' engine does not use it.
 *
 * @import { CoreFiles } from './engine/assets.js'
 * @import { Port } from './engine/ladder.js'
 * @import { Host } from './engine/seats.js'
 */
import { AttentionError } from './engine/errors.js';
import { shown } from './engine/fast-checks.js';
import { builtin } from './node-builtin.js';

/** @param {CoreFiles} files @returns {Promise<Port>} */
async function nodeWorker(files) {
  const { Worker: Thread } = await builtin('worker_threads');
  const worker = new Thread(new URL(files.worker));
  // an idle worker must not keep the process alive; one that works does
  let open = 0;
  let closed = false;
  const count = (/** @type {number} */ change) => {
    open += change;
    if (open > 0) worker.ref();
    else worker.unref();
  };
  return {
    post(request, transfer = []) {
      count(1);
      worker.postMessage(request, transfer);
    },
    listen(onReply, onCrash) {
      worker.on('message', (reply) => {
        count(-1);
        onReply(reply);
      });
      const end = (/** @type {string} */ why) => {
        if (!closed) onCrash(why);
        closed = true;
      };
      worker.on('error', (error) => end(error instanceof Error ? error.message : String(error)));
      worker.on('exit', (code) => end(`it has ended with code ${code}`));
      count(0);
    },
    close() {
      closed = true;
      worker.terminate();
    },
  };
}

/** @param {string} url of a file @returns {Promise<Uint8Array>} */
async function fileBytes(url) {
  const { readFile } = await builtin('fs/promises');
  try {
    return new Uint8Array(await readFile(new URL(url)));
  } catch (reason) {
    throw new AttentionError('wasm_unreachable', '', `The fast kernels could not be read (${reason instanceof Error ? reason.message : reason}).`);
  }
}

/** @type {Host} */
export const nodeHost = {
  rungs(files) {
    if (!files.worker.startsWith('file:')) throw new AttentionError('wrong_type', 'base', `base leads to ${shown(files.worker)}; give the address of a folder of files, "file:///...", from which Node can start workers`);
    return [{ kind: 'worker', open: () => nodeWorker(files) }];
  },
  wasmUrl: () => undefined,
  inlineBytes: (files) => fileBytes(files.wasm),
  processors: () => builtin('os').then(({ availableParallelism, cpus }) => availableParallelism?.() ?? cpus().length),
};
