/**
 * What runs in the benchmark's page: a workload's inputs, its reference, its implementations, their errors and times. The page itself is empty; the
 * runner (build-scripts/bench/kernels.mjs) calls measureWorkload and measureLimit and gets plain numbers.
 *
 * @import { Implementation, Plan, Prepared } from './measure.js'
 *
 * @typedef {Record<'core' | 'onnxruntime' | 'onnxruntimeWasm' | 'tensorflow' | 'tensorflowWasm' | 'jax', string>} Addresses
 *
 * @typedef {object} Outcome of one implementation
 * @property {string} name
 * @property {number | null} error largest difference from double precision
 * @property {string} problem why there are no times; '' when there are
 * @property {number[]} times milliseconds a run
 * @property {number} repeats runs a batch
 */
import { jax } from './jax.js';
import { limitRun } from './limit.js';
import { takeTurns } from './measure.js';
import { onnxruntime } from './onnxruntime.js';
import { ours, oursInWorkers } from './ours.js';
import { plainJavaScript } from './plain.js';
import { largestError, reference } from './reference.js';
import { tensorflow } from './tensorflow.js';
import { makeInputs, workloadOf } from './workloads.js';

export { measureLimit } from './limit.js';

/** @type {Record<string, (addresses: Addresses) => Promise<Implementation>>} */
const implementations = {
  'ours': (addresses) => ours(addresses, 'auto'),
  'ours (simd)': (addresses) => ours(addresses, 'simd'),
  'ours (copied)': (addresses) => ours(addresses, 'auto', true),
  'onnxruntime-web': (addresses) => onnxruntime(addresses),
  'TensorFlow.js': (addresses) => tensorflow(addresses),
  'jax-js': jax,
  'plain JavaScript': plainJavaScript,
  'ours (1 worker)': (addresses) => oursInWorkers(addresses, 1),
  'ours (2 workers)': (addresses) => oursInWorkers(addresses, 2),
  'onnxruntime-web (2 threads)': (addresses) => onnxruntime(addresses, 2),
  'TensorFlow.js (2 threads)': (addresses) => tensorflow(addresses, 2),
};

/** Among those who take turns; no implementation is called so. */
const limitName = 'limit';

/** Anything thrown, in one line. @param {unknown} reason */
const words = (reason) => (reason instanceof Error ? reason.message : String(reason)).split('\n')[0];

/**
 * @param {object} request
 * @param {string} request.id of the workload
 * @param {string[]} request.names of the implementations
 * @param {Addresses} request.addresses
 * @param {Plan} request.plan
 * @param {number} request.tolerance an output further than this from double precision is wrong
 * @param {boolean} request.limited whether the limit takes turns with them
 * @returns {Promise<{outcomes: Outcome[], limit: {operations: number, times: number[]} | null}>} `limit`: operations of a run, milliseconds a run
 */
export async function measureWorkload({ id, names, addresses, plan, tolerance, limited }) {
  const workload = workloadOf(id);
  const { loadCore } = await import(addresses.core);
  const inputs = makeInputs(await loadCore(), workload);
  const wanted = reference(workload, inputs);
  /** @type {Outcome[]} */
  const outcomes = [];
  /** @type {Record<string, Prepared>} */
  const ready = {};
  for (const name of names) {
    /** @type {Outcome} */
    const outcome = { name, error: null, problem: '', times: [], repeats: 0 };
    outcomes.push(outcome);
    try {
      const prepared = await (await implementations[name](addresses)).prepare(workload, inputs);
      await prepared.run();
      await prepared.run();
      outcome.error = largestError(prepared.output(), wanted);
      if (outcome.error <= tolerance) ready[name] = prepared;
      else outcome.problem = 'wrong';
    } catch (reason) {
      outcome.problem = words(reason);
    }
  }
  const spin = limited ? limitRun() : null;
  const timed = await takeTurns({ ...ready, ...(spin && { [limitName]: { run: spin.run, output: () => [], release: () => {} } }) }, plan);
  for (const outcome of outcomes) Object.assign(outcome, timed[outcome.name] ?? {});
  return { outcomes, limit: spin && { operations: spin.operations, times: timed[limitName].times } };
}

/** What computeOnce left. @type {{workload: import('./workloads.js').Workload, inputs: import('./workloads.js').Inputs, prepared: Prepared} | undefined} */
let last;

/**
 * Computes a workload three times and keeps the answer: what a page that does nothing else needs, buffers that go round included.
 * @param {{id: string, name: string, addresses: Addresses}} request
 * @returns {Promise<string>} why it could not, or ''
 */
export async function computeOnce({ id, name, addresses }) {
  try {
    const workload = workloadOf(id);
    const { loadCore } = await import(addresses.core);
    const inputs = makeInputs(await loadCore(), workload);
    const prepared = await (await implementations[name](addresses)).prepare(workload, inputs);
    for (let i = 0; i < 3; ++i) await prepared.run();
    last = { workload, inputs, prepared };
    return '';
  } catch (reason) {
    return words(reason);
  }
}

/** Largest difference of that answer from double precision, in one row of so many. @param {{every: number}} request */
export function errorOfLast({ every }) {
  if (!last) throw new Error('nothing was computed');
  return largestError(last.prepared.output(), reference(last.workload, last.inputs, every));
}
