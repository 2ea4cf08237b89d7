/**
 * Entry of the worker script. In a worker it serves the protocol over messages; loaded by a <script> in a page it leaves
 * the same service at `globalThis.__attentionPlatesCore[group]` for the page to use directly. The bundler puts the Emscripten glue in front.
 *
 * @import { ModuleFactory } from './types.js'
 * @import { Request } from './protocol.js'
 */
import { buffersOf } from './protocol.js';
import { createService } from './service.js';

/**
 * @param {ModuleFactory} createModule default export of the Emscripten glue
 * @param {string} group of studies that the module holds
 * @param {any} [scope] the global object
 */
export function serve(createModule, group, scope = globalThis) {
  const inWorker = typeof scope.WorkerGlobalScope === 'function' && scope instanceof scope.WorkerGlobalScope;
  if (!inWorker) {
    (scope.__attentionPlatesCore ??= {})[group] = () => createService(createModule);
    return;
  }
  const service = createService(createModule);
  scope.addEventListener('message', async (/** @type {MessageEvent<Request>} */ { data }) => {
    const reply = await service.handle(data, (progress) => scope.postMessage(progress));
    scope.postMessage(reply, buffersOf(reply));
  });
}
