/**
 * Times work where it runs. A repetition is as many runs as take a few milliseconds together, because clocks of browsers step by 0.1 ms and more; how
 * many that are is found while warming up, which also takes V8 past its slow first code. What lies ready is bounded in bytes: the workload that has
 * waited longest is let go and made again when its turn comes. It decides nothing about what is measured: that is meter.js.
 *
 * @import { Fast } from './fast.js'
 * @import { Job, Workload } from './workloads.js'
 */
import { AttentionError } from './errors.js';
import { runs, workload } from './workloads.js';

/** Bytes of tensors that lie ready. */
const READY_BYTES = 160 * 2 ** 20;

/** Milliseconds that a job is warmed up, unless its first run takes longer. */
const WARM_MS = 20;

/**
 * @typedef {object} Warmed
 * @property {boolean} known false: these kernels cannot run such a job
 * @property {number} ms of one run, roughly
 */

/**
 * @param {Fast} fast
 * @param {() => number} [now] milliseconds
 */
export function createStopwatch(fast, now = () => performance.now()) {
  /** Those that lie ready, the one that has waited longest first. @type {Map<number, {made: Workload, bytes: number}>} */
  const ready = new Map();
  /** @type {Map<number, Job>} */
  const jobs = new Map();
  /** Iterations of a limit's repetition. @type {Map<string, number>} */
  const iterations = new Map();

  /** @param {number} key */
  const drop = (key) => {
    ready.get(key)?.made.free();
    ready.delete(key);
  };

  /** @param {Job} job @returns {{made: Workload, fresh: boolean}} */
  function taken(job) {
    const known = ready.get(job.key);
    if (known) {
      ready.delete(job.key);
      ready.set(job.key, known);
      return { made: known.made, fresh: false };
    }
    const waiting = () => [...ready.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    while (ready.size > 0 && waiting() + job.bytes > READY_BYTES) drop(/** @type {number} */ (ready.keys().next().value));
    const made = workload(fast, job);
    ready.set(job.key, { made, bytes: job.bytes });
    return { made, fresh: true };
  }

  return {
    /** Makes a job and runs it, unmeasured but for a first idea. What was prepared under its key before is forgotten. @param {Job} job @returns {Warmed} */
    prepare(job) {
      if (!runs(fast, job.kind)) return { known: false, ms: 0 };
      drop(job.key);
      jobs.set(job.key, job);
      const { made } = taken(job);
      const start = now();
      let last = start;
      let before;
      do {
        before = last;
        made.run();
        last = now();
      } while (last - start < WARM_MS);
      return { known: true, ms: last - before };
    },

    /**
     * One repetition.
     * @param {{key: number, least: number}} request of a job that was prepared; milliseconds that a repetition takes at least, if the first run tells truly
     * @returns {number} milliseconds of one run
     */
    sample({ key, least }) {
      const job = jobs.get(key);
      if (!job) throw new AttentionError('engine_unavailable', 'key', `The job ${key} was not prepared.`);
      const { made, fresh } = taken(job);
      if (fresh) made.run();
      const start = now();
      let [elapsed, count] = [0, 0];
      // asking the clock costs little beside a run, and there are only so many runs of the small ones
      do {
        made.run();
        ++count;
        elapsed = now() - start;
      } while (elapsed < least);
      return elapsed / count;
    },

    /**
     * One repetition of a limit of the machine.
     * @param {{kind: 'madd' | 'copy' | 'exp', least: number}} request
     * @returns {number} operations, bytes or exponentials a millisecond
     */
    limit({ kind, least }) {
      const { spin } = fast.limits();
      const timed = (/** @type {number} */ times) => {
        const start = now();
        const amount = spin(kind, times);
        return { amount, elapsed: now() - start };
      };
      let times = iterations.get(kind);
      for (;;) {
        if (times === undefined) {
          times = 1;
          for (let { elapsed } = timed(times); elapsed < least; { elapsed } = timed(times)) times = Math.ceil(times * Math.min(16, 1.3 * least / Math.max(elapsed, least / 16)));
          iterations.set(kind, times);
        }
        const { amount, elapsed } = timed(times);
        if (elapsed >= least / 2) return amount / elapsed;
        // the time that said how many was not its own: the core was another's for a while
        times = undefined;
      }
    },

    /** Frees everything. */
    discard() {
      for (const key of [...ready.keys()]) drop(key);
      jobs.clear();
    },
  };
}
