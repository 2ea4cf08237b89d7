/**
 * The far side of the protocol: owns the one instance of the core and answers calls in order. Runs in a worker or, as the
 * last rung of the ladder, in the page; it knows neither. What a long run tells of its progress goes out at once, by `tell`. A trap inside the module spoils the instance, not the service:
 * the call is refused with `core_failed` and the next one finds a fresh instance of the same compiled module.
 *
 * @import { ModuleFactory } from './types.js'
 * @import { Core } from './core.js'
 * @import { Reply, Request } from './protocol.js'
 */
import { createCore } from './core.js';
import { AttentionError, errorValue } from './errors.js';
import { compileCore, instantiateCore } from './load.js';
import * as protocol from './protocol.js';

/**
 * @param {ModuleFactory} createModule default export of the Emscripten glue
 * @returns {{handle(request: Request, tell?: (reply: Reply) => void): Promise<Reply>}} `tell` takes what comes before the reply
 */
export function createService(createModule) {
  /** @type {WebAssembly.Module | undefined} */
  let compiled;
  /** @type {Core | undefined} */
  let core;

  /** @param {WebAssembly.Module} module */
  const instantiate = async (module) => createCore(await instantiateCore(createModule, module));

  /** @param {protocol.StartMessage} request @returns {Promise<Reply>} */
  async function start(request) {
    try {
      compiled = await compileCore(request);
      core = await instantiate(compiled);
      return protocol.ready(core.describe());
    } catch (thrown) {
      return protocol.failed(errorValue(thrown));
    }
  }

  /** @param {protocol.CallMessage} request @param {(reply: Reply) => void} tell @returns {Promise<Reply>} */
  async function call({ id, method, args }, tell) {
    try {
      if (!protocol.methods.has(method)) throw new AttentionError('unknown_parameter', 'method', `the core has no function '${method}'.`);
      if (!compiled) throw new AttentionError('engine_unavailable', '', 'The numerical core has not been started.');
      core ??= await instantiate(compiled);
      const progress = (/** @type {number} */ share) => tell(protocol.progress(id, share));
      const long = protocol.longMethods.has(method);
      return protocol.answer(id, (/** @type {any} */ (core))[method](...(long ? [args[0], args[1], progress] : args)));
    } catch (thrown) {
      // an instance that has trapped is not to be trusted
      if (!(thrown instanceof AttentionError) || thrown.code === 'core_failed') core = undefined;
      return protocol.refusal(id, errorValue(thrown));
    }
  }

  return { handle: (request, tell = () => {}) => (request.type === 'start' ? start(request) : call(request, tell)) };
}
