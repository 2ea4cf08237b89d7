/**
 * The kernels for speed, in one of two builds: fixed-width SIMD, or relaxed SIMD where the engine has it, which fuses multiply and add.
 * Not the exact core: results of the two differ in the last bits, and by no more than this, the same operands given (tests/web/fast-builds.test.js):
 *   attention          output 2^-21 (1 + s) max |v|; logNormalizer 2^-20 (1 + s + ln m)
 *   attentionWeights   the same; a weight 2^-20 (1 + s + ln m) of itself
 *   attentionGradient  2^-20 (1 + s + ln m) of the sum of the sizes of an entry's terms (attn/fused_gradient.hpp)
 *   maskedSoftmax      2^-21 (2 + t) of itself, t how far its score lies below the row's largest
 *   batchMatmul        k 2^-23 of sum_t |a_t b_t|
 *   additiveScores     8e-7 sum_h |w_h|; additiveHidden 8e-7
 *   entropies          2^-21 (1 + s) (1 + ln m) nats, for the unscaled form s sqrt(d) in place of s
 * s is the largest sum_c |q_c k_c| / sqrt(d) of the query's keys, m the number of keys. For operands as they come; of alike ones attn/fused.hpp speaks.
 * Zeros behind a mask and counts of tiles are the same.
 * Calls are synchronous and run where they are made; every function throws an AttentionError {code, param, message}; what a function, a getter or a
 * proxy of the caller's throws it throws as it is.
 *
 * @import { FastExports } from './fast-memory.js'
 * @import { WasmSource } from './load.js'
 */
import { AttentionError, errorValue, isWithoutMemory } from './errors.js';
import { attentionOf } from './fast-attention.js';
import { gradientOf } from './fast-gradient.js';
import { FastMasks } from './fast-masks.js';
import { FastMemory, NoRoom } from './fast-memory.js';
import { count, readOnce, shown } from './fast-checks.js';
import { hiddenOf } from './fast-hidden.js';
import { moreOf } from './fast-more.js';
import { Passed } from './fast-spans.js';
import { compileCore } from './load.js';
import { hasRelaxed } from './probe.js';
import { simdFrom } from './run-options.js';

/**
 * @typedef {'simd' | 'relaxed'} FastBuild
 * @typedef {object} FastOptions
 * @property {'auto' | FastBuild} [simd] `auto`: relaxed where it runs
 * @property {Record<FastBuild | 'spans', WasmSource | (() => Promise<WasmSource>)>} sources of the two builds, of which one is asked for, and of attn-spans.wasm, which reads masks
 *
 * @typedef {Awaited<ReturnType<typeof loadFast>>} Fast
 */

/**
 * Which build runs here, and why.
 * @param {'auto' | FastBuild} simd what is asked for
 * @param {typeof globalThis.WebAssembly} [wasm]
 * @returns {{build: FastBuild, reason: string}}
 */
export function chooseBuild(simd, wasm = globalThis.WebAssembly) {
  simdFrom(simd);
  const relaxed = hasRelaxed(wasm);
  if (simd === 'simd') return { build: 'simd', reason: 'asked for' };
  if (relaxed) return { build: 'relaxed', reason: simd === 'relaxed' ? 'asked for' : 'this engine has relaxed SIMD' };
  if (simd === 'relaxed') throw new AttentionError('wasm_no_simd', 'simd', 'simd is "relaxed"; the WebAssembly of this engine has no relaxed SIMD');
  return { build: 'simd', reason: 'this engine has no relaxed SIMD' };
}

/** The number that a text is, by the grammar of attn/text.hpp, or NaN: Number alone knows 0x3, too. @param {string} text */
const numberOf = (text) => (/^[-+.0-9eE]+$/.test(text) ? Number(text) : NaN);

/** @type {Record<FastBuild, string>} */
const files = { simd: 'attn-fast.wasm', relaxed: 'attn-fast-relaxed.wasm' };

/**
 * What each module is known by: functions that the other has not.
 * @type {Record<'wasm' | 'spans', {file: string, has: string[]}>}
 */
const modules = {
  wasm: { file: `${files.simd} or ${files.relaxed}`, has: ['attn_attention', 'attn_spin'] },
  spans: { file: 'attn-spans.wasm', has: ['attn_bind', 'attn_check_attention'] },
};

/**
 * A module without glue, and of its kind.
 * @param {keyof typeof modules} param as which option programs give it
 * @param {WasmSource | (() => Promise<WasmSource>)} source
 * @returns {Promise<{module: WebAssembly.Module, names: Set<string>}>} names of what it exports
 */
async function moduleOf(param, source) {
  const { file, has } = modules[param];
  const module = await compileCore(typeof source === 'function' ? await source() : source, { param, file, plain: param === 'wasm' ? files.simd : file });
  const names = new Set(WebAssembly.Module.exports(module).map(({ name }) => name));
  const missing = has.find((name) => !names.has(name));
  if (missing !== undefined) throw new AttentionError('wasm_unreachable', param, `${param} is another WebAssembly module, without ${missing}; give ${file}`);
  return { module, names };
}

/**
 * @param {WebAssembly.Module} module
 * @param {Record<string, (...args: number[]) => number>} host what it asks for beside: to hear that memory has grown, and to end a call that finds no room (cpp/bindings/plain/room.cpp)
 * @returns {Promise<any>} its exports
 */
async function instance(module, host) {
  /** @type {Record<string, Record<string, (...args: number[]) => number>>} */
  const given = { host: { ...host, no_room: (bytes) => { throw new NoRoom(bytes >>> 0); } } };
  for (const { module: from, name } of WebAssembly.Module.imports(module)) (given[from] ??= {})[name] ??= () => 0;
  const { exports } = await WebAssembly.instantiate(module, given);
  return exports;
}

/**
 * Which of the two builds was given. Where neither was asked for it is the one that runs; the other one of what was asked for is refused.
 * @param {Set<string>} names of what it exports
 * @param {FastOptions['simd']} asked @param {{build: FastBuild, reason: string}} chosen
 * @returns {{build: FastBuild, reason: string}}
 */
function givenBuild(names, asked, chosen) {
  const build = names.has('attn_relaxed') ? 'relaxed' : 'simd';
  if (build === chosen.build) return chosen;
  if (asked === 'auto') return { build, reason: 'this module was given' };
  throw new AttentionError('wasm_unreachable', 'wasm', `wasm is ${files[build]}, and simd is "${asked}"; give ${files[chosen.build]}, or say simd: "${build}"`);
}

/**
 * @param {FastOptions} options
 */
export async function loadFast({ simd = 'auto', sources }) {
  const chosen = chooseBuild(simd);
  const [fast, spans] = await Promise.all([moduleOf('wasm', sources[chosen.build]), moduleOf('spans', sources.spans)]);
  const { build, reason } = givenBuild(fast.names, simd, chosen);
  /** @type {FastMemory} */
  let memory;
  /** @type {FastMasks} */
  let masks;
  const [exports, exportsOfMasks] = await Promise.all([
    instance(fast.module, {
      mask_rows: (batch, head, first, queries, to, room) => masks.rows(batch, head, first, queries, memory.exports.memory, to, room),
    }),
    // numbers as text: cpp/bindings/plain/text.cpp
    instance(spans.module, {
      number_text: (value, to) => masks.write(to, Object.is(value, -0) ? '-0' : String(value)),
      parse_number: (from, bytes) => numberOf(masks.read(from, bytes)),
    }),
  ]);
  masks = new FastMasks(exportsOfMasks);
  memory = new FastMemory(exports, masks);
  masks.exports._initialize();
  memory.exports._initialize();

  /** Which kinds of work `spin` knows, and in what it counts them. */
  const kinds = { madd: 'operations', copy: 'bytes', exp: 'exponentials' };
  const operations = { ...attentionOf(memory), ...gradientOf(memory), ...moreOf(memory), ...hiddenOf(memory) };
  /** @template {(...args: any[]) => any} F @param {F} operation @returns {F} */
  const guarded = (operation) => /** @type {F} */ ((/** @type {any[]} */ ...args) => {
    try {
      return operation(...args);
    } catch (thrown) {
      if (thrown instanceof Passed) throw thrown.thrown;
      // what comes from outside the modules is of an argument's own code
      const ours = memory.within || masks.within || thrown instanceof WebAssembly.RuntimeError || isWithoutMemory(thrown);
      memory.within = masks.within = false;
      throw ours && !(thrown instanceof AttentionError) ? AttentionError.from(errorValue(thrown)) : thrown;
    }
  });
  return {
    /** Which build runs, and why. */
    build,
    reason,
    /** A tensor in the module's memory, of zeros or of `data`. @param {readonly number[]} shape @param {ArrayLike<number>} [data] */
    tensor: guarded(/** @param {readonly number[]} shape @param {ArrayLike<number>} [data] */ (shape, data) => memory.tensor(shape, data)),
    /** Bytes of memory the kernels and the masks have taken from the engine. */
    get memoryBytes() { return memory.exports.memory.buffer.byteLength + masks.exports.memory.buffer.byteLength; },
    /** What the machine can do at most, as work for the caller to time. */
    limits: () => ({
      kinds,
      /**
       * Does a piece of work `iterations` times: independent multiply-adds, copying 32 MiB, 4096 exponentials.
       * @param {keyof typeof kinds} kind @param {number} iterations
       * @returns {number} operations, bytes read and written, or exponentials
       */
      spin(kind, iterations) {
        const index = Object.keys(kinds).indexOf(kind);
        if (index < 0) throw new AttentionError('unknown_choice', 'kind', `kind is ${shown(kind)}; allowed are ${Object.keys(kinds).join(', ')}`);
        return memory.exports.attn_spin(index, count('iterations', iterations));
      },
    }),
    .../** @type {typeof operations} */ (Object.fromEntries(Object.entries(operations).map(([name, operation]) => {
      const safe = guarded(/** @type {(options: any) => unknown} */ (operation));
      return [name, (/** @type {unknown} */ options) => safe(readOnce(options))];
    }))),
  };
}
