/**
 * The fast kernels of this project as implementations: on tensors that live in the module's memory, on arrays that are copied in and out, and, for
 * attention, on arrays shared among workers without shared memory.
 *
 * @import { Implementation } from './measure.js'
 * @import { Inputs, Workload } from './workloads.js'
 */
import { maskExpression } from './workloads.js';

/** @typedef {(shape: number[], data: Float32Array) => any} Hold makes an operand */

/** @param {any} fast @param {Hold} hold @param {Workload} workload @param {Inputs} inputs @returns {() => Float32Array} */
function attention(fast, hold, workload, { queries: [queries], keys: [keys], values }) {
  const { batch, heads, n, m, widths: [d] } = workload;
  const mask = maskExpression(workload);
  const output = outputOf(fast, hold, [batch, heads, n, d]);
  const args = { queries: hold([batch, heads, n, d], queries), keys: hold([batch, heads, m, d], keys), values: hold([batch, heads, m, d], values), ...(mask ? { mask } : {}), ...output };
  return () => {
    const { output: out, logNormalizer } = fast.attention(args);
    // in the module's memory it stays until it is freed
    logNormalizer.free?.();
    return flat(out);
  };
}

/** @param {any} fast @param {Hold} hold @param {Workload} workload @param {Inputs} inputs @returns {() => Float32Array} */
function maskedSoftmax(fast, hold, workload, { queries: [scores] }) {
  const { batch, n, m } = workload;
  const mask = maskExpression(workload);
  const output = outputOf(fast, hold, [batch, n, m]);
  const args = { scores: hold([batch, n, m], scores), ...(mask ? { mask } : {}), ...output };
  return () => flat(fast.maskedSoftmax(args));
}

/** @param {any} fast @param {Hold} hold @param {Workload} workload @param {Inputs} inputs @returns {() => Float32Array} */
function additive(fast, hold, { batch, n, m, widths: [h] }, { queries: [queries], keys: [keys], w }) {
  const output = outputOf(fast, hold, [batch, n, m]);
  const args = { queries: hold([batch, n, h], queries), keys: hold([batch, m, h], keys), w: hold([h], w), ...output };
  return () => flat(fast.additiveScores(args));
}

/** @param {any} fast @param {Hold} hold @param {Workload} workload @param {Inputs} inputs @returns {() => Float64Array} */
function entropies(fast, hold, { n, m, widths }, { queries, keys }) {
  const operands = widths.map((d, i) => ({ queries: hold([1, n, d], queries[i]), keys: hold([1, m, d], keys[i]) }));
  const out = new Float64Array(widths.length * 2 * n);
  return () => {
    operands.forEach((pair, i) => {
      const { scaled, unscaled } = fast.entropies(pair);
      out.set(scaled, 2 * i * n);
      out.set(unscaled, (2 * i + 1) * n);
    });
    return out;
  };
}

/** A place for the answer, so that repeated runs take no memory; arrays have none. @param {any} fast @param {Hold} hold @param {number[]} shape */
const outputOf = (fast, hold, shape) => (hold === holdArray ? {} : { output: fast.tensor(shape) });

/** @type {Hold} */
const holdArray = (shape, data) => ({ data, shape });

/** The numbers of a tensor of the module's memory, or of an answer that was copied out. @param {any} tensor @returns {Float32Array} */
const flat = (tensor) => tensor.view ?? tensor.data ?? tensor;

const ways = { attention, softmax: maskedSoftmax, additive, entropy: entropies };

/**
 * @param {{core: string}} addresses of attn-core.mjs
 * @param {'auto' | 'simd'} simd
 * @param {boolean} copied whether arrays are copied in and out
 * @returns {Promise<Implementation>}
 */
export async function ours({ core: module }, simd, copied = false) {
  const { loadFast } = await import(module);
  const fast = await loadFast({ simd });
  return {
    prepare(workload, inputs) {
      const way = ways[workload.kind](fast, copied ? holdArray : (shape, data) => fast.tensor(shape, data), workload, inputs);
      /** @type {ArrayLike<number>} */
      let last = [];
      return { run: () => { last = way(); }, output: () => last, release: () => {} };
    },
  };
}

/**
 * @param {{core: string}} addresses of attn-core.mjs; the workers' script is beside it
 * @param {number} workers
 * @returns {Promise<Implementation>} of attention alone
 */
export async function oursInWorkers({ core: module }, workers) {
  const { createPool } = await import(module);
  const pool = await createPool({ workers });
  return {
    prepare(workload, { queries: [queries], keys: [keys], values }) {
      const { batch, heads, n, m, widths: [d] } = workload;
      const mask = maskExpression(workload);
      const args = { queries: { data: queries, shape: [batch, heads, n, d] }, keys: { data: keys, shape: [batch, heads, m, d] }, values: { data: values, shape: [batch, heads, m, d] }, ...(mask ? { mask } : {}) };
      /** @type {ArrayLike<number>} */
      let last = [];
      return { run: async () => { last = (await pool.attention(args)).output.data; }, output: () => last, release: () => pool.close() };
    },
  };
}
