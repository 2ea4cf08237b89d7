/**
 * The runs that are timed for the plate on cost: a job as the study `cost` declares it (kind, mask and sizes) becomes tensors in the memory of the fast
 * kernels and a function that runs it once. Nothing is copied and nothing allocated while it runs. Which jobs there are is the study's business.
 *
 * @import { Fast } from './fast.js'
 * @import { FastTensor } from './fast-memory.js'
 */

/**
 * @typedef {object} Job a row of the study's series
 * @property {number} key stands for it
 * @property {string} name for a reader
 * @property {boolean} offered small enough for a page
 * @property {string} kind
 * @property {string} mask expression; '' for none
 * @property {number} batch
 * @property {number} n
 * @property {number} m
 * @property {number} d
 * @property {number} v
 * @property {number} h
 * @property {number} block queries at a time whose hidden layer is written out
 * @property {number} least queries, the fewest whose time may stand for all
 * @property {number} [queries] of the n, that are run: all without it. What all queries share is run in the same proportion
 * @property {number} share of the workload that one run is
 * @property {number} operations of one run
 * @property {number} bytes of all its tensors
 *
 * @typedef {{run: () => void, free: () => void}} Workload
 *
 * @typedef {{tensor: Fast['tensor'], [operation: string]: any}} Kernels of which some may be missing: `runs` asks
 */

/**
 * Numbers that are nothing in particular, evenly in (-1, 1): what matters is that none is special. (A linear congruence modulo 2^32, Numerical Recipes.)
 * @param {Float32Array} out
 * @param {number} seed
 */
function fill(out, seed) {
  let state = seed >>> 0;
  for (let i = 0; i < out.length; ++i) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    out[i] = (state >>> 8) / 0x800000 - 1 + 2 ** -24;
  }
}

/**
 * Makes tensors for one job and forgets none of them.
 * @typedef {{drawn: (...shape: number[]) => FastTensor, room: (...shape: number[]) => FastTensor}} Maker of tensors with numbers in them, and of those that results go to
 */

/**
 * A map is divided by sqrt(d), as layers are initialised, so that what comes out of it is no larger than what went in: of wide projections that spread, the
 * factored form takes one tanh for every hidden unit of every pair.
 * @param {FastTensor} map
 * @param {number} d
 */
function asInitialised(map, d) {
  const { view } = map;
  for (let i = 0; i < view.length; ++i) view[i] /= Math.sqrt(d);
  return map;
}

/**
 * Queries divided by sqrt(d), anew in every run: n d divisions, where the scores would take n m.
 * @param {Job} job
 * @param {Maker} maker
 */
function scaledQueries({ batch, n, d, queries = n }, { drawn, room }) {
  const [given, scaled] = [drawn(batch, queries, d), room(batch, queries, d)];
  return {
    scaled,
    scale() {
      const [from, to, factor] = [given.view, scaled.view, 1 / Math.sqrt(d)];
      for (let i = 0; i < to.length; ++i) to[i] = from[i] * factor;
    },
  };
}

/**
 * Queries and keys on their way into the hidden layer: a map h x d for each sequence, the same work as one map for all. With a part of the queries
 * goes the same part of the keys' projection; the keys that they are scored with are then drawn.
 * @param {Kernels} fast
 * @param {Job} job
 * @param {Maker} maker
 */
function projections(fast, { batch, n, m, d, h, queries: run = n }, { drawn, room }) {
  const [queriesIn, queryMap, keyMap] = [drawn(batch, run, d), ...[0, 1].map(() => asInitialised(drawn(batch, h, d), d))];
  const keysIn = drawn(batch, Math.ceil(m * run / n), d);
  const [queries, keys] = [room(batch, run, h), room(batch, m, h)];
  // where all keys are projected anew it is at once into their place
  const keysOut = run === n ? keys : room(...keysIn.shape.slice(0, 2), h);
  if (run !== n) fill(keys.view, 1);
  return {
    queries, keys,
    project() {
      fast.batchMatmul({ a: queriesIn, b: queryMap, transposeB: true, output: queries });
      fast.batchMatmul({ a: keysIn, b: keyMap, transposeB: true, output: keysOut });
    },
  };
}

/**
 * What every kind runs.
 * @type {Record<string, (fast: Kernels, job: Job, maker: Maker) => () => void>}
 */
const kinds = {
  attention(fast, { batch, n, m, d, v, mask, queries = n }, { drawn, room }) {
    const operands = { queries: drawn(batch, queries, d), keys: drawn(batch, m, d), values: drawn(batch, m, v), output: room(batch, queries, v), ...(mask === '' ? {} : { mask }) };
    return () => {
      // the sums of exponentials come with the output, as a small tensor of their own
      fast.attention(operands).logNormalizer.free();
    };
  },
  'attention-materialised'(fast, job, maker) {
    const { batch, n, m, d, v, mask, queries = n } = job;
    const { drawn, room } = maker;
    const { scaled, scale } = scaledQueries(job, maker);
    const [keys, values] = [drawn(batch, m, d), drawn(batch, m, v)];
    const [scores, weights, output] = [room(batch, queries, m), room(batch, queries, m), room(batch, queries, v)];
    return () => {
      scale();
      fast.batchMatmul({ a: scaled, b: keys, transposeB: true, output: scores });
      fast.maskedSoftmax({ scores, output: weights, ...(mask === '' ? {} : { mask }) });
      fast.batchMatmul({ a: weights, b: values, output });
    };
  },
  'dot-scores'(fast, job, maker) {
    const { batch, n, m, d, queries = n } = job;
    const { scaled, scale } = scaledQueries(job, maker);
    const operands = { a: scaled, b: maker.drawn(batch, m, d), transposeB: true, output: maker.room(batch, queries, m) };
    return () => {
      scale();
      fast.batchMatmul(operands);
    };
  },
  'additive-factored'(fast, job, maker) {
    const { queries, keys, project } = projections(fast, job, maker);
    const operands = { queries, keys, w: maker.drawn(job.h), output: maker.room(job.batch, job.queries ?? job.n, job.m) };
    return () => {
      project();
      fast.additiveScores(operands);
    };
  },
  'additive-direct'(fast, job, maker) {
    const { m, h, block, queries: n = job.n } = job;
    const { queries, keys, project } = projections(fast, job, maker);
    const w = maker.drawn(1, 1, h);
    // the last block may be a smaller one
    const blocks = [Math.min(block, n), n % block].filter((count) => count > 0).map((count) => ({ count, output: maker.room(1, count * m, h), scores: maker.room(1, count * m, 1) }));
    return () => {
      project();
      for (let first = 0; first < n; first += block) {
        const { count, output, scores } = first + block <= n ? blocks[0] : blocks[blocks.length - 1];
        fast.additiveHidden({ queries, keys, first, count, output });
        fast.batchMatmul({ a: output, b: w, transposeB: true, output: scores });
      }
    };
  },
};

/** The functions of the kernels that a kind needs. @type {Record<string, string[]>} */
const needs = {
  attention: ['attention'],
  'attention-materialised': ['batchMatmul', 'maskedSoftmax'],
  'dot-scores': ['batchMatmul'],
  'additive-factored': ['batchMatmul', 'additiveScores'],
  'additive-direct': ['batchMatmul', 'additiveHidden'],
};

/** Whether these kernels can run such a job. @param {Kernels} fast @param {string} kind */
export const runs = (fast, kind) => Object.hasOwn(needs, kind) && needs[kind].every((name) => typeof fast[name] === 'function');

/**
 * @param {Kernels} fast
 * @param {Job} job whose kind `runs`
 * @returns {Workload}
 */
export function workload(fast, job) {
  /** @type {FastTensor[]} */
  const tensors = [];
  const room = (/** @type {number[]} */ ...shape) => {
    const tensor = fast.tensor(shape);
    tensors.push(tensor);
    return tensor;
  };
  const free = () => { for (const tensor of tensors) tensor.free(); };
  try {
    const run = kinds[job.kind](fast, job, {
      room,
      drawn(...shape) {
        const tensor = room(...shape);
        fill(tensor.view, tensors.length);
        return tensor;
      },
    });
    return { run, free };
  } catch (thrown) {
    free();
    throw thrown;
  }
}
