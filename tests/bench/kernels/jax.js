/**
 * jax-js on its WebAssembly device as an implementation: its own attention function where there is one, everything traced once by jit. Arrays stay in
 * its memory; a run waits until the result is there, reading it out is not timed.
 *
 * @import { Implementation } from './measure.js'
 * @import { Inputs, Workload } from './workloads.js'
 */
import { openKeys } from './workloads.js';

/** Heads count as entries of the batch. @param {any} jax @param {Workload} workload @param {Inputs} inputs */
function attention({ jit, nn, numpy: np }, { batch, heads, n, m, widths: [d], mask }, { queries: [queries], keys: [keys], values }) {
  /** @param {Float32Array} data @param {number} rows */
  const array = (data, rows) => np.array(data, { shape: [batch * heads, rows, 1, d] });
  const operands = [array(queries, n), array(keys, m), array(values, m)];
  const lengths = Array.isArray(mask) ? np.array(Int32Array.from(mask), { shape: [batch] }) : undefined;
  const way = jit((/** @type {any} */ q, /** @type {any} */ k, /** @type {any} */ v) =>
    nn.dotProductAttention(q, k, v, { isCausal: mask === 'causal', ...(lengths ? { keyValueSeqLengths: lengths.ref } : {}) }));
  return () => way(...operands.map((x) => x.ref));
}

/** @param {any} jax @param {Workload} workload @param {Inputs} inputs */
function maskedSoftmax({ jit, nn, numpy: np }, workload, { queries: [scores] }) {
  const { batch, n, m } = workload;
  const bias = new Float32Array(batch * m);
  for (let b = 0; b < batch; ++b) bias.fill(-1e9, b * m + openKeys(workload, b, 0), (b + 1) * m);
  const operands = [np.array(scores, { shape: [batch, n, m] }), np.array(bias, { shape: [batch, 1, m] })];
  const way = jit((/** @type {any} */ s, /** @type {any} */ mask) => nn.softmax(s.add(mask), -1));
  return () => way(...operands.map((x) => x.ref));
}

/** @param {any} jax @param {Workload} workload @param {Inputs} inputs */
function additive({ jit, numpy: np }, { batch, n, m, widths: [h] }, { queries: [queries], keys: [keys], w }) {
  const operands = [np.array(queries, { shape: [batch, n, 1, h] }), np.array(keys, { shape: [batch, 1, m, h] }), np.array(w, { shape: [h] })];
  const way = jit((/** @type {any} */ q, /** @type {any} */ k, /** @type {any} */ weight) => np.sum(np.tanh(q.add(k)).mul(weight), -1));
  return () => way(...operands.map((x) => x.ref));
}

/** @param {any} jax @param {Workload} workload @param {Inputs} inputs */
function entropies({ jit, nn, numpy: np }, { n, m, widths }, { queries, keys }) {
  const operands = [...widths.map((d, i) => np.array(queries[i], { shape: [n, d] })), ...widths.map((d, i) => np.array(keys[i], { shape: [m, d] }))];
  const way = jit((/** @type {any[]} */ ...xs) => {
    const parts = widths.flatMap((d, i) => {
      const unscaled = np.matmul(xs[i], np.transpose(xs[widths.length + i]));
      return [unscaled.ref.mul(1 / Math.sqrt(d)), unscaled];
    });
    const logs = nn.logSoftmax(np.concatenate(parts, 0), -1);
    return np.sum(np.exp(logs.ref).mul(logs), -1).mul(-1);
  });
  return () => way(...operands.map((x) => x.ref));
}

const ways = { attention, softmax: maskedSoftmax, additive, entropy: entropies };

/**
 * @param {{jax: string}} addresses of its module
 * @returns {Promise<Implementation>}
 */
export async function jax({ jax: module }) {
  const library = await import(module);
  await library.init('wasm');
  library.defaultDevice('wasm');
  return {
    prepare(workload, inputs) {
      const way = ways[workload.kind](library, workload, inputs);
      /** @type {any} */
      let last;
      return {
        run: async () => {
          last?.dispose();
          last = way();
          await last.blockUntilReady();
        },
        output: () => last.ref.dataSync(),
        release: () => last?.dispose(),
      };
    },
  };
}
