/**
 * What the kernels are measured on: sizes, masks and seeds of each workload, and how much useful work it is. Useful work counts the multiply-adds of
 * the pairs that a mask leaves open, two operations each: 2 pairs (d + v) for attention. What a way of computing does besides is its own affair.
 *
 * @typedef {'attention' | 'softmax' | 'additive' | 'entropy'} Kind
 * @typedef {object} Workload
 * @property {string} id
 * @property {Kind} kind
 * @property {string} title
 * @property {number} batch
 * @property {number} heads
 * @property {number} n queries
 * @property {number} m keys
 * @property {number[]} widths d of queries and keys, and of values: one for all but entropies
 * @property {'none' | 'causal' | number[]} mask lengths, one an entry of the batch
 * @property {number} seed of the inputs
 * @property {boolean} [isolated] whether the page may share memory between threads
 * @property {string[]} [names] the implementations, where they are not those of the other workloads
 */

/** @type {Workload[]} */
export const workloads = [
  { id: 'a1', kind: 'attention', title: '4 × 512 × 512, d = v = 64', batch: 4, heads: 1, n: 512, m: 512, widths: [64], mask: 'none', seed: 1 },
  { id: 'a', kind: 'attention', title: 'the same, lengths 512, 384, 256, 128', batch: 4, heads: 1, n: 512, m: 512, widths: [64], mask: [512, 384, 256, 128], seed: 2 },
  { id: 'b1', kind: 'attention', title: '4 × 512 × 512, d = v = 256', batch: 4, heads: 1, n: 512, m: 512, widths: [256], mask: 'none', seed: 3 },
  { id: 'b', kind: 'attention', title: 'the same, lengths 512, 384, 256, 128', batch: 4, heads: 1, n: 512, m: 512, widths: [256], mask: [512, 384, 256, 128], seed: 4 },
  { id: 'c', kind: 'attention', title: '8 heads, 1024 × 1024, d = v = 64, causal', batch: 1, heads: 8, n: 1024, m: 1024, widths: [64], mask: 'causal', seed: 5 },
  { id: 'g', kind: 'attention', title: '8192 × 8192, d = v = 64, causal', batch: 1, heads: 1, n: 8192, m: 8192, widths: [64], mask: 'causal', seed: 6 },
  {
    id: 'g2', kind: 'attention', title: '8192 × 8192, d = v = 64, causal, two threads', batch: 1, heads: 1, n: 8192, m: 8192, widths: [64], mask: 'causal', seed: 6,
    isolated: true, names: ['ours', 'ours (1 worker)', 'ours (2 workers)', 'onnxruntime-web (2 threads)', 'TensorFlow.js (2 threads)'],
  },
  { id: 'd1', kind: 'softmax', title: 'masked softmax of 4 × 512 × 512', batch: 4, heads: 1, n: 512, m: 512, widths: [0], mask: [512, 384, 256, 128], seed: 7 },
  { id: 'e', kind: 'additive', title: 'additive scores, 4 × 512 × 512, h = 64', batch: 4, heads: 1, n: 512, m: 512, widths: [64], mask: 'none', seed: 8 },
  { id: 'f', kind: 'entropy', title: 'entropies of 256 × 64, d = 4 to 512, scaled and not', batch: 1, heads: 1, n: 256, m: 64, widths: [4, 8, 16, 32, 64, 128, 256, 512], mask: 'none', seed: 9 },
];

/** Too long to hold queries × keys: only its memory is measured. @type {Workload} */
export const longWorkload = { id: 'long', kind: 'attention', title: '32768 × 32768, d = v = 64, causal', batch: 1, heads: 1, n: 32768, m: 32768, widths: [64], mask: 'causal', seed: 10 };

/** @param {string} id */
export function workloadOf(id) {
  const found = [...workloads, longWorkload].find((workload) => workload.id === id);
  if (!found) throw new Error(`there is no workload ${id}`);
  return found;
}

/** How many keys, from the first, a query may attend to. @param {Workload} workload @param {number} batch @param {number} query */
export function openKeys({ mask, m }, batch, query) {
  if (mask === 'none') return m;
  return mask === 'causal' ? Math.min(query + 1, m) : mask[batch];
}

/** Pairs of query and key that are open, over all heads. @param {Workload} workload */
export function openPairs(workload) {
  let pairs = 0;
  for (let b = 0; b < workload.batch; ++b) {
    for (let i = 0; i < workload.n; ++i) pairs += openKeys(workload, b, i);
  }
  return pairs * workload.heads;
}

/**
 * Useful multiplications and additions of one run; undefined where multiply-adds are not what the workload is made of.
 * @param {Workload} workload
 */
export function usefulOperations(workload) {
  const width = workload.widths.reduce((sum, d) => sum + d, 0);
  if (workload.kind === 'attention') return 4 * openPairs(workload) * width;
  // one product of queries and keys serves both entropies
  return workload.kind === 'entropy' ? 2 * openPairs(workload) * width : undefined;
}

/** The mask as an expression of the core; '' is none. @param {Workload} workload */
export function maskExpression({ mask }) {
  if (mask === 'none') return '';
  return mask === 'causal' ? 'causal' : `padding(${mask.join(',')})`;
}

/**
 * @typedef {object} Inputs
 * @property {Float32Array[]} queries (batch, heads, n, d), one a width; scores (batch, n, m) for a softmax
 * @property {Float32Array[]} keys (batch, heads, m, d)
 * @property {Float32Array} values (batch, heads, m, v)
 * @property {Float32Array} w (h), of variance 1 / h
 */

/**
 * Standard normal numbers by the core's own generator: the same everywhere.
 * @param {{randomArrays: (request: any) => Float32Array[]}} core
 * @param {Workload} workload
 * @returns {Inputs}
 */
export function makeInputs(core, { kind, batch, heads, n, m, widths, seed }) {
  /** @param {number[]} shape */
  const call = (...shape) => ({ call: 'randn', shape });
  /** @param {{call: string, shape: number[]}[]} calls @returns {Float32Array[]} */
  const draw = (calls) => core.randomArrays({ generator: 'torch', seed, calls });
  const none = new Float32Array(0);
  if (kind === 'softmax') return { queries: draw([call(batch, n, m)]), keys: [], values: none, w: none };
  if (kind === 'additive') {
    const [queries, keys, w] = draw([call(batch, n, widths[0]), call(batch, m, widths[0]), call(widths[0])]);
    // as a layer is initialised: scores of about one, not of the square root of h
    return { queries: [queries], keys: [keys], values: none, w: w.map((x) => x / Math.sqrt(widths[0])) };
  }
  const arrays = draw([...widths.map((d) => call(batch, heads, n, d)), ...widths.map((d) => call(batch, heads, m, d)), ...(kind === 'attention' ? [call(batch, heads, m, widths[0])] : [])]);
  return { queries: arrays.slice(0, widths.length), keys: arrays.slice(widths.length, 2 * widths.length), values: arrays[2 * widths.length] ?? none, w: none };
}
