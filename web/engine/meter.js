/**
 * Measures the reader's machine for the plate on cost: first its limits, then these again and the jobs that the study lists, in rounds, so that what is
 * compared is interleaved and a drift of the machine hits all alike. It says what is timed and when it is enough; the timing itself is stopwatch.js, where the
 * kernels run. A figure is the median with the quartiles of repetitions. A run that is too long to be repeated is made of part of its queries, and its time
 * multiplied, down to as few as the study allows. Cancelled between two repetitions.
 *
 * @import { Job } from './workloads.js'
 * @import { FastMethod } from './protocol.js'
 * @import { Progress } from './types.js'
 */
import { AttentionError } from './errors.js';

/** Repetitions of each job, and of each limit before the jobs, and the least where time is up. */
const ROUNDS = 7;
const FEWEST_ROUNDS = 3;

/** Milliseconds after which no new round begins. */
const TIME_MS = 6000;

/** Milliseconds of one repetition, at least. */
const LIMIT_MS = 12;
const JOB_MS = 4;

/** Milliseconds of a run that is too long to be repeated, so that fewer queries are tried: by the lower bound of its operations, and as seen. */
const LONG_BY_BOUND_MS = 100;
const LONG_AS_SEEN_MS = 300;

/**
 * @typedef {[median: number, lower: number, upper: number]} Spread
 *
 * @typedef {object} Measured texts of the study's parameters, tables of numbers
 * @property {string} machine 'G,G1,G3;B,B1,B3': GFLOP/s, then GB/s, each with its quartiles
 * @property {string} times rows 'key,median,q1,q3' in milliseconds of the whole job; 'key,median,q1,q3,queries' where one was run on part of its queries
 * @property {Job[]} left out: too long or too large for this machine, or unknown to its kernels
 */

/**
 * Median and quartiles, by straight lines between the ordered values.
 * @param {number[]} values not empty
 * @returns {Spread}
 */
export function spreadOf(values) {
  const ordered = [...values].sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => {
    const place = share * (ordered.length - 1);
    const below = Math.floor(place);
    return ordered[below] + (place - below) * (ordered[Math.min(below + 1, ordered.length - 1)] - ordered[below]);
  };
  return [at(0.5), at(0.25), at(0.75)];
}

/** A number as a reader would type it. @param {number} value @param {number} digits that count */
const written = (value, digits) => String(Number(value.toPrecision(digits)));

/** @param {Spread} spread @param {number} digits */
const spreadText = (spread, digits) => spread.map((value) => written(value, digits)).join(',');

/** Half as many queries, in whole portions of the fewest that may stand for all; as many where there are no fewer. @param {Job} job @param {number} queries */
const halved = ({ least }, queries) => Math.min(queries, Math.ceil(queries / 2 / least) * least);

/**
 * The most queries whose run is short enough, by what is known of `queries` of them; none where the fewest take too long.
 * @param {Job} job
 * @param {number} queries
 * @param {number} ms that these take
 * @param {number} most milliseconds
 */
function shortEnough(job, queries, ms, most) {
  let fewer = queries;
  while (ms * fewer / queries > most) {
    const next = halved(job, fewer);
    if (next === fewer) return undefined;
    fewer = next;
  }
  return fewer;
}

/**
 * @param {(method: FastMethod, request: object) => Promise<any>} ask the stopwatch, wherever it is
 * @param {(machine: string) => Job[]} jobsFor the jobs, asked for once the limits are known
 * @param {object} [options]
 * @param {AbortSignal} [options.signal]
 * @param {Progress} [options.onProgress]
 * @param {() => number} [options.now] milliseconds
 * @returns {Promise<Measured>} rejects with an AttentionError; `cancelled` where the signal said so
 */
export async function measure(ask, jobsFor, { signal, onProgress = () => {}, now = () => performance.now() } = {}) {
  const began = now();
  const send = async (/** @type {FastMethod} */ method, /** @type {object} */ request) => {
    if (signal?.aborted) throw new AttentionError('cancelled', '', 'The measurement was cancelled.');
    return ask(method, request);
  };
  /** Amounts a millisecond of every repetition so far. @type {Record<'madd' | 'copy', number[]>} */
  const limits = { madd: [], copy: [] };
  const kinds = /** @type {const} */ (['madd', 'copy']);
  const limit = async (/** @type {'madd' | 'copy'} */ kind) => { limits[kind].push(await send('limit', { kind, least: LIMIT_MS })); };
  const machineNow = () => kinds.map((kind) => spreadText(/** @type {Spread} */ (spreadOf(limits[kind]).map((perMs) => perMs / 1e6)), 4)).join(';');

  // the limits are the first tenth
  for (let step = 0; step < 2 * ROUNDS; ++step) {
    await limit(kinds[step % 2]);
    onProgress(0.1 * (step + 1) / (2 * ROUNDS));
  }
  const [peak] = spreadOf(limits.madd);
  const all = jobsFor(machineNow());
  const jobs = all.filter(({ offered }) => offered);
  try {
    /** @type {Map<Job, number[]>} */
    const values = new Map();
    /** Queries that are run. @type {Map<Job, number>} */
    const part = new Map();
    for (const [i, job] of jobs.entries()) {
      let queries = shortEnough(job, job.n, job.operations / peak, LONG_BY_BOUND_MS);
      while (queries !== undefined) {
        const { known, ms } = await send('prepare', { ...job, queries }).catch(unlessTooLarge);
        const enough = known ? shortEnough(job, queries, ms, LONG_AS_SEEN_MS) : undefined;
        if (enough === queries) {
          values.set(job, []);
          part.set(job, queries);
          break;
        }
        queries = enough;
      }
      onProgress(0.1 + 0.15 * (i + 1) / jobs.length);
    }
    for (let round = 0; round < ROUNDS && (round < FEWEST_ROUNDS || now() - began < TIME_MS); ++round) {
      // a machine that others use, or that gets warm, has other limits by now
      for (const kind of kinds) await limit(kind);
      let done = 0;
      for (const [job, list] of values) {
        list.push(await send('sample', { key: job.key, least: JOB_MS }));
        onProgress(0.25 + 0.75 * (round + ++done / values.size) / ROUNDS);
      }
    }
    onProgress(1);
    const whole = [...part].every(([{ n }, queries]) => queries === n);
    const times = [...values].map(([job, list]) => {
      const queries = /** @type {number} */ (part.get(job));
      const all = /** @type {Spread} */ (spreadOf(list).map((ms) => ms / job.share * (job.n / queries)));
      return `${job.key},${spreadText(all, 3)}${whole ? '' : `,${queries}`}`;
    }).join(';');
    return { machine: machineNow(), times, left: all.filter((job) => !values.has(job)) };
  } finally {
    ask('discard', {}).catch(() => {});
  }
}

/** A job that this machine has no memory for is left out. @param {unknown} thrown */
function unlessTooLarge(thrown) {
  if (thrown instanceof AttentionError && thrown.code === 'too_large') return { known: false, ms: 0 };
  throw thrown;
}
