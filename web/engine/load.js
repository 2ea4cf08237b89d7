/**
 * Turns wasm, fetched or handed over as bytes, into a running instance of the core. Not a bundler's loader: the Emscripten
 * glue is told to use the module compiled here, so that a failed download or a policy comes back as an error value
 * with its reason instead of an abort. Bytes are never fetched from a data: URL (a policy of 'self' refuses that).
 *
 * @import { EmbindModule, ModuleFactory } from './types.js'
 */
import { AttentionError, isWithoutMemory } from './errors.js';
import { hasRelaxed, probe } from './probe.js';

/**
 * @typedef {object} WasmSource one of wasmUrl and wasmBytes
 * @property {string} [wasmUrl] absolute
 * @property {Uint8Array} [wasmBytes]
 * @property {string} [build] where the glue at hand knows several builds: which one this is
 * @property {WasmSource} [beside] a second module that the first needs
 */

/** @param {string} url @param {string} why @param {string} [param] */
const unreachable = (url, why, param = '') => new AttentionError('wasm_unreachable', param, `The numerical core could not be loaded from ${url} (${why}).`);

/**
 * Compiles while the bytes arrive where the server names the type; any other server costs one pass more.
 * @param {string} url
 * @param {string} [param]
 * @returns {Promise<WebAssembly.Module>}
 */
async function compileFrom(url, param) {
  /** @type {Response} */
  let response;
  try {
    response = await fetch(url, { credentials: 'same-origin' });
  } catch (reason) {
    throw unreachable(url, reason instanceof Error ? reason.message : String(reason), param);
  }
  if (!response.ok) throw unreachable(url, `HTTP ${response.status}`, param);
  const typed = (response.headers.get('content-type') ?? '').split(';')[0].trim() === 'application/wasm';
  try {
    return typed ? await WebAssembly.compileStreaming(response) : await WebAssembly.compile(await response.arrayBuffer());
  } catch (reason) {
    if (isWithoutMemory(reason)) throw reason;
    throw unreachable(url, `not a WebAssembly file: ${reason instanceof Error ? reason.message : reason}`, param);
  }
}

/** Whether these are the bytes of the build with relaxed SIMD, which exports a name of its own. @param {Uint8Array} bytes */
const isRelaxed = (bytes) => new TextDecoder('latin1').decode(bytes).includes('attn_relaxed');

/**
 * @param {WasmSource} source
 * @param {{param: string, file: string, plain?: string}} [option] of a program, that says where the module is, and which file that should be; `plain`: on an engine without relaxed SIMD
 * @returns {Promise<WebAssembly.Module>} rejects with an AttentionError
 */
export async function compileCore({ wasmUrl, wasmBytes }, option) {
  const obstacle = probe();
  if (obstacle) throw AttentionError.from(obstacle);
  if (!wasmBytes) return compileFrom(/** @type {string} */ (wasmUrl), option?.param);
  try {
    return await WebAssembly.compile(/** @type {Uint8Array<ArrayBuffer>} */ (wasmBytes));
  } catch (reason) {
    if (isWithoutMemory(reason)) throw reason;
    const why = reason instanceof Error ? reason.message : reason;
    if (option && isRelaxed(wasmBytes) && !hasRelaxed()) {
      throw new AttentionError('wasm_no_simd', option.param, `${option.param} is attn-fast-relaxed.wasm, and the WebAssembly of this engine has no relaxed SIMD; give ${option.plain ?? option.file}`);
    }
    if (option) throw new AttentionError('wasm_unreachable', option.param, `${option.param} is no WebAssembly module, or a damaged one (${why}); give ${option.file}`);
    throw new AttentionError('wasm_unreachable', '', `The numerical core that came with the page is damaged (${why}).`);
  }
}

/**
 * @param {ModuleFactory} createModule default export of the Emscripten glue
 * @param {WebAssembly.Module} compiled
 * @returns {Promise<EmbindModule>}
 */
export function instantiateCore(createModule, compiled) {
  return new Promise((resolve, reject) => {
    createModule({
      /** @param {WebAssembly.Imports} imports @param {(instance: WebAssembly.Instance, module: WebAssembly.Module) => void} received */
      instantiateWasm(imports, received) {
        // the glue, too, fails on a module that is not its own
        WebAssembly.instantiate(compiled, imports).then((instance) => received(instance, compiled)).catch(reject);
        return {};
      },
      // never used for fetching, but the glue may ask, and its own guess needs an import.meta.url that classic scripts lack
      locateFile: (/** @type {string} */ name) => name,
    }).then(resolve, reject);
  });
}

/**
 * The bytes of a base64 text, decoded by hand so that no data: URL is involved.
 * @param {string} text
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function bytesOfBase64(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
