/**
 * The service of the fast kernels behind messages. In a worker it answers them; loaded by a <script> in a page it leaves the same service at
 * `globalThis.__attentionPlatesCore`, under the names of both builds, for the page to use directly. It starts nothing by itself.
 *
 * @import { WasmSource } from './load.js'
 * @import { Reply, Request } from './protocol.js'
 */
import { createFastService } from './fast-service.js';
import { loadFast } from './fast.js';
import { buffersOf } from './protocol.js';

/** @param {WasmSource} source with the build that it is, and the module of masks beside it */
const load = ({ build, beside, ...source }) => loadFast({ simd: /** @type {any} */ (build), sources: /** @type {any} */ ({ [String(build)]: source, spans: beside }) });

/**
 * @param {(onRequest: (request: Request) => void) => void} listen
 * @param {(reply: Reply, transfer: ArrayBuffer[]) => void} post
 */
export function serveFastOver(listen, post) {
  const service = createFastService(load);
  listen(async (request) => {
    const reply = await service.handle(request);
    post(reply, buffersOf(reply));
  });
}

/** @param {any} [scope] the global object */
export function serveFast(scope = globalThis) {
  if (typeof scope.WorkerGlobalScope === 'function' && scope instanceof scope.WorkerGlobalScope) {
    serveFastOver((onRequest) => scope.addEventListener('message', (/** @type {MessageEvent<Request>} */ { data }) => onRequest(data)), (reply, transfer) => scope.postMessage(reply, transfer));
    return;
  }
  const create = () => createFastService(load);
  Object.assign(scope.__attentionPlatesCore ??= {}, { fast: create, 'fast-relaxed': create });
}
