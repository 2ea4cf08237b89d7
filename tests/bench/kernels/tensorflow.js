/**
 * TensorFlow.js on its WebAssembly backend as an implementation, in its fastest form: one product of two matrices an entry of the batch, with
 * keys transposed beforehand (its batched product and its transposing product are several times slower). Tensors stay in its memory; reading the
 * answer out is not timed.
 *
 * @import { Implementation } from './measure.js'
 * @import { Inputs, Workload } from './workloads.js'
 */
import { openKeys } from './workloads.js';

/** e^closed is 0 in float32. */
const closed = -1e9;

/** @param {any} tf @param {Workload} workload @returns {any[]} one an entry of batch and heads, (m) for lengths, (n, m) for causal; none without a mask */
function biases(tf, workload) {
  const { mask, batch, heads, n, m } = workload;
  if (mask === 'none') return [];
  if (mask === 'causal') {
    const values = new Float32Array(n * m);
    for (let i = 0; i < n; ++i) values.fill(closed, i * m + openKeys(workload, 0, i), (i + 1) * m);
    return Array(batch * heads).fill(tf.tensor(values, [n, m]));
  }
  return Array.from({ length: batch }, (_, b) => tf.tensor(new Float32Array(m).fill(closed, openKeys(workload, b, 0)), [1, m]));
}

/** Matrices of (rows, columns), one after the other. @param {any} tf @param {Float32Array} data @param {number} rows @param {number} columns @returns {any[]} */
const matrices = (tf, data, rows, columns) => Array.from({ length: data.length / (rows * columns) }, (_, i) => tf.tensor(data.slice(i * rows * columns, (i + 1) * rows * columns), [rows, columns]));

/** @param {any} tf @param {Workload} workload @param {Inputs} inputs @returns {() => any[]} */
function attention(tf, workload, { queries: [queries], keys: [keys], values }) {
  const { n, m, widths: [d] } = workload;
  const [q, k, v] = [matrices(tf, queries, n, d), matrices(tf, keys, m, d), matrices(tf, values, m, d)];
  const bias = biases(tf, workload);
  const scale = tf.scalar(1 / Math.sqrt(d));
  return () => q.map((entry, i) => tf.tidy(() => {
    const scores = tf.matMul(tf.mul(entry, scale), tf.transpose(k[i]));
    return tf.matMul(tf.softmax(bias[i] ? tf.add(scores, bias[i]) : scores), v[i]);
  }));
}

/** @param {any} tf @param {Workload} workload @param {Inputs} inputs @returns {() => any[]} */
function maskedSoftmax(tf, workload, { queries: [scores] }) {
  const s = matrices(tf, scores, workload.n, workload.m);
  const bias = biases(tf, workload);
  return () => s.map((entry, i) => tf.tidy(() => tf.softmax(tf.add(entry, bias[i]))));
}

/** @param {any} tf @param {Workload} workload @param {Inputs} inputs @returns {() => any[]} */
function additive(tf, { n, m, widths: [h] }, { queries: [queries], keys: [keys], w }) {
  const [q, k] = [matrices(tf, queries, n, h).map((x) => x.reshape([n, 1, h])), matrices(tf, keys, m, h).map((x) => x.reshape([1, m, h]))];
  const weight = tf.tensor(w, [h, 1]);
  return () => q.map((entry, i) => tf.tidy(() => tf.matMul(tf.tanh(tf.add(entry, k[i])).reshape([n * m, h]), weight)));
}

/** @param {any} tf @param {Workload} workload @param {Inputs} inputs @returns {() => any[]} */
function entropies(tf, { n, m, widths }, { queries, keys }) {
  const q = widths.map((d, i) => tf.tensor(queries[i], [n, d]));
  const k = widths.map((d, i) => tf.tensor(keys[i], [m, d]));
  const scales = widths.map((d) => tf.scalar(1 / Math.sqrt(d)));
  return () => [tf.tidy(() => {
    const scores = tf.concat(widths.flatMap((_, i) => {
      const unscaled = tf.matMul(q[i], tf.transpose(k[i]));
      return [tf.mul(unscaled, scales[i]), unscaled];
    }), 0);
    const z = tf.sub(scores, tf.max(scores, 1, true));
    const e = tf.exp(z);
    const sums = tf.sum(e, 1);
    return tf.sub(tf.log(sums), tf.div(tf.sum(tf.mul(z, e), 1), sums));
  })];
}

const ways = { attention, softmax: maskedSoftmax, additive, entropy: entropies };

/**
 * @param {{tensorflow: string, tensorflowWasm: string}} addresses of its module, and of the folder of its WebAssembly
 * @param {number} threads more than one needs a page that is cross-origin isolated
 * @returns {Promise<Implementation>}
 */
export async function tensorflow({ tensorflow: module, tensorflowWasm }, threads = 1) {
  const tf = await import(module);
  tf.setWasmPaths(tensorflowWasm);
  tf.setThreadsCount(threads);
  if (!await tf.setBackend('wasm')) throw new Error('no wasm backend');
  await tf.ready();
  tf.enableProdMode();
  return {
    prepare(workload, inputs) {
      const way = ways[workload.kind](tf, workload, inputs);
      /** @type {any[]} */
      let last = [];
      return {
        run: () => {
          for (const tensor of last) tensor.dispose();
          last = way();
        },
        output: () => {
          const parts = last.map((tensor) => tensor.dataSync());
          const out = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
          let at = 0;
          for (const part of parts) {
            out.set(part, at);
            at += part.length;
          }
          return out;
        },
        release: () => tf.disposeVariables(),
      };
    },
  };
}
