/**
 * Says why WebAssembly cannot run here, before anything is downloaded. Not a feature list: three questions only,
 * each with its own sentence. Answered where the module will run (worker or page), since a worker has its own policy.
 *
 * @import { ErrorValue } from './types.js'
 */

/** `(module (func (result v128) (v128.const i32x4 0 0 0 0)))`: valid only where fixed-width SIMD exists. */
const simdModule = Uint8Array.of(
  0, 97, 115, 109, 1, 0, 0, 0, // magic, version
  1, 5, 1, 96, 0, 1, 123, // type section: () -> v128
  3, 2, 1, 0, // function section
  10, 22, 1, 20, 0, 253, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 11, // body: v128.const 0, end
);

/**
 * @param {typeof globalThis.WebAssembly | undefined} wasm
 * @returns {ErrorValue | null} null: WebAssembly with SIMD may run here
 */
export function probe(wasm = globalThis.WebAssembly) {
  if (typeof wasm?.validate !== 'function') {
    return { code: 'wasm_missing', param: '', message: 'This browser has no WebAssembly, or it is switched off.' };
  }
  if (!wasm.validate(simdModule)) {
    return {
      code: 'wasm_no_simd', param: '',
      message: 'The WebAssembly of this browser has no SIMD (vector) instructions; browsers have them since 2021 (Safari since 2023).',
    };
  }
  try {
    // validate() ignores the page's policy, compiling does not
    new wasm.Module(simdModule);
  } catch {
    return {
      code: 'wasm_blocked', param: '',
      message: "The security policy of this page forbids WebAssembly: its script-src lacks 'wasm-unsafe-eval'.",
    };
  }
  return null;
}

/** `(module (func (result v128) (f32x4.relaxed_madd zeros zeros zeros)))`: valid only where relaxed SIMD exists. */
const relaxedModule = Uint8Array.of(
  0, 97, 115, 109, 1, 0, 0, 0, // magic, version
  1, 5, 1, 96, 0, 1, 123, // type section: () -> v128
  3, 2, 1, 0, // function section
  10, 19, 1, 17, 0, 65, 0, 253, 17, 65, 0, 253, 17, 65, 0, 253, 17, 253, 133, 2, 11, // i32.const 0, i32x4.splat, thrice; f32x4.relaxed_madd; end
);

/** Whether relaxed SIMD may run here. @param {typeof globalThis.WebAssembly | undefined} [wasm] */
export const hasRelaxed = (wasm = globalThis.WebAssembly) => typeof wasm?.validate === 'function' && wasm.validate(relaxedModule);
