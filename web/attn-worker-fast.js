/**
 * Entry of the worker of the fast kernels, for both builds: the service over the messages of a browser's worker or of a thread of Node, or left for the page
 * to use directly where there is no worker. One plain script, so that it runs in all of them.
 */
import { serveFast, serveFastOver } from './engine/fast-worker.js';
import { builtin, inNode } from './node-builtin.js';

serveFast();
// messages wait in the port until somebody listens
if (inNode()) {
  builtin('worker_threads').then(({ parentPort }) => {
    if (parentPort) serveFastOver((onRequest) => { parentPort.on('message', onRequest); }, (reply, transfer) => parentPort.postMessage(reply, transfer));
  });
}
