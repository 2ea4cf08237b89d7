/**
 * The messages between the page and the core's service, in one place: shapes, constructors, and what is transferred.
 * page -> service: `start` once, then `call`s. service -> page: `ready` or `failed` once, then one `answer` per call, and before
 * the answer of a long run any number of `progress`.
 * Nothing but plain values and typed arrays ever crosses.
 *
 * @import { ErrorValue, Registry } from './types.js'
 * @import { WasmSource } from './load.js'
 */

/**
 * @typedef {'run'|'repair'|'settle'|'checkAnswer'} Method names of functions of the core: a page runs studies and has answers checked, and its modules hold nothing else
 *
 * @typedef {'tiles'|'attention'|'piece'|'release'|'prepare'|'sample'|'limit'|'discard'} FastMethod functions of the service of the fast kernels (fast-service.js)
 *
 * @typedef {{type: 'start'} & WasmSource} StartMessage
 * @typedef {{type: 'call', id: number, method: Method | FastMethod, args: unknown[]}} CallMessage
 * @typedef {StartMessage | CallMessage} Request
 *
 * @typedef {{type: 'ready', registry: Registry}} ReadyMessage
 * @typedef {{type: 'failed', error: ErrorValue}} FailedMessage
 * @typedef {{type: 'answer', id: number, value?: any, error?: ErrorValue}} AnswerMessage exactly one of value and error
 * @typedef {{type: 'progress', id: number, share: number}} ProgressMessage share 0 to 1 of the call's work
 * @typedef {ReadyMessage | FailedMessage | AnswerMessage | ProgressMessage} Reply
 */

/** Methods that take a function of the share done as their third argument. @type {ReadonlySet<string>} */
export const longMethods = new Set(['run', 'settle']);

/** @type {ReadonlySet<string>} */
export const methods = new Set(['run', 'repair', 'settle', 'checkAnswer']);

/** @param {WasmSource} source @returns {StartMessage} */
export const start = (source) => ({ type: 'start', ...source });

/** @param {number} id @param {Method | FastMethod} method @param {unknown[]} args @returns {CallMessage} */
export const call = (id, method, args) => ({ type: 'call', id, method, args });

/** @param {Registry} registry @returns {ReadyMessage} */
export const ready = (registry) => ({ type: 'ready', registry });

/** @param {ErrorValue} error @returns {FailedMessage} */
export const failed = (error) => ({ type: 'failed', error });

/** @param {number} id @param {unknown} value @returns {AnswerMessage} */
export const answer = (id, value) => ({ type: 'answer', id, value });

/** @param {number} id @param {ErrorValue} error @returns {AnswerMessage} */
export const refusal = (id, error) => ({ type: 'answer', id, error });

/** @param {number} id @param {number} share @returns {ProgressMessage} */
export const progress = (id, share) => ({ type: 'progress', id, share });

/**
 * Every buffer inside a result, each once. Results are copies that nobody else holds, so they can be moved.
 * @param {unknown} value
 * @param {Set<ArrayBuffer>} [found]
 * @returns {ArrayBuffer[]}
 */
export function buffersOf(value, found = new Set()) {
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer) found.add(value.buffer);
  } else if (value !== null && typeof value === 'object') {
    for (const entry of Object.values(value)) buffersOf(entry, found);
  }
  return [...found];
}
