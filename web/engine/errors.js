/**
 * The one error type of the JavaScript side. It carries the core's error value {code, param, message} unchanged;
 * between threads only that value travels, never an Error object. Codes added here, beyond the core's own, concern
 * the machine: `wasm_missing`, `wasm_no_simd`, `wasm_blocked`, `wasm_unreachable`, `core_failed`, `engine_crashed`, `engine_unavailable`, `plate_unreachable`, `cancelled`.
 *
 * @import { ErrorValue } from './types.js'
 */

export class AttentionError extends Error {
  /**
   * @param {string} code
   * @param {string} param the argument or parameter at fault, '' when there is none
   * @param {string} message a sentence that names the argument, the entry and the allowed range
   * @param {number} [at] in a text that was read: the character at fault, counted from 0
   */
  constructor(code, param, message, at) {
    super(message);
    this.name = 'AttentionError';
    this.code = code;
    this.param = param;
    this.at = at;
  }

  /** @param {ErrorValue} value */
  static from(value) {
    return new AttentionError(value.code, value.param ?? '', value.message, value.at);
  }
}

/** Whether an engine says, in its own words, that memory was refused. @param {unknown} thrown */
export const isWithoutMemory = (thrown) => thrown instanceof Error && /out of memory|(?:cannot|could not|failed to) allocate|allocation failed/i.test(thrown.message);

/**
 * The value of any thrown thing. A C++ exception reaches JavaScript as a number or a bare WebAssembly.Exception,
 * a trap as a RuntimeError; both mean that the module instance can no longer be trusted.
 * @param {unknown} thrown
 * @returns {ErrorValue}
 */
export function errorValue(thrown) {
  // one of another script of the page has another class
  if (thrown instanceof Error && thrown.name === 'AttentionError' && 'code' in thrown) {
    thrown = AttentionError.from(/** @type {any} */ (thrown));
  }
  if (thrown instanceof AttentionError) {
    return { code: thrown.code, param: thrown.param, message: thrown.message, ...(thrown.at === undefined ? {} : { at: thrown.at }) };
  }
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  if (isWithoutMemory(thrown)) return { code: 'core_failed', param: '', message: 'The computation found too little memory. Closing other tabs and programs may help, then loading this anew.' };
  return { code: 'core_failed', param: '', message: `The computation stopped unexpectedly (${why}).` };
}
