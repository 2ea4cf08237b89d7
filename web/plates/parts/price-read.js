/**
 * The series of "The price of attention" as a model: machines and their roofs, algorithms, passes over memory, growth under masks, and
 * the race of exercise 12.3; with the words that sizes are said in.
 *
 * Reading alone: every number is the core's. A figure that was not measured is NaN.
 */

import { count, precise } from '../../chart/format.js';
import { numeric, series, value, words } from './read.js';

/** @typedef {import('../../chart/types.js').Result} Result */

/** Median, lower and upper quartile. @typedef {{median: number, low: number, high: number}} Spread */

/**
 * @typedef {object} Machine
 * @property {string} name
 * @property {number} gflops
 * @property {number} gbs
 * @property {number} ridge  operations a byte from which arithmetic is the limit
 * @property {string} source
 *
 * @typedef {object} Algorithm
 * @property {string} name
 * @property {boolean} keeps  whether it keeps a tensor that grows with queries times keys in memory
 * @property {number} operations
 * @property {number} bytes
 * @property {number} intensity
 * @property {number} limit  of the intensity
 * @property {number} attainable  on the chosen accelerator, GFLOP/s
 * @property {boolean} byMemory  whether memory limits it there
 * @property {number} here  attainable on the reader's machine, or NaN
 * @property {Spread} ms
 * @property {number} timed  queries that were run for it
 * @property {Spread} gflops
 * @property {number} reached  their median over `here`
 * @property {number} atLeast  operations over the bytes that memory could move in the median of their time
 * @property {boolean} offered  small enough to be run in a page
 *
 * @typedef {object} Price
 * @property {number} n
 * @property {number} m
 * @property {number} d
 * @property {number} v
 * @property {number} h
 * @property {number} window
 * @property {Machine[]} machines
 * @property {Machine} chosen
 * @property {boolean} measured
 * @property {Spread} peak  of the reader's machine, GFLOP/s
 * @property {Spread} bandwidth  GB/s
 * @property {number} ridge
 * @property {Algorithm[]} algorithms
 * @property {number} stale  times that belong to other sizes
 */

/** @param {number[]} of @param {number} at @returns {Spread} */
const spreadAt = (of, at) => ({ median: of[3 * at], low: of[3 * at + 1], high: of[3 * at + 2] });

/** @param {Result} result @returns {Price} */
export function readPrice(result) {
  const get = (/** @type {string} */ name) => series(result, name);
  const [gflops, gbs, ridges, sources] = [get('accelerator_gflops'), get('accelerator_gbs'), get('accelerator_ridge'), words(result, 'accelerator_sources')];
  const machines = words(result, 'accelerator_names').map((name, i) => ({ name, gflops: gflops[i], gbs: gbs[i], ridge: ridges[i], source: sources[i] }));
  const at = value(result, 'accelerator');
  const names = words(result, 'work_names');
  const [operations, bytes, intensity, limit, roofs, byMemory, here, ms, run, throughput, reached, atLeast] = ['work_operations', 'work_bytes', 'work_intensity', 'work_limit', 'work_attainable', 'work_by_memory', 'machine_attainable', 'work_ms', 'work_timed', 'work_gflops', 'work_reached', 'work_at_least'].map(get);
  // the core lists the jobs of the algorithms first
  const offered = get('job_offered');
  const [n, m, d, v, h, window] = ['n', 'm', 'd', 'v', 'h', 'window'].map((key) => numeric(result, key));
  return {
    n, m, d, v, h, window, machines, chosen: machines[at], measured: value(result, 'measured') === 1,
    peak: spreadAt(get('machine_gflops'), 0), bandwidth: spreadAt(get('machine_gbs'), 0), ridge: value(result, 'machine_ridge'), stale: value(result, 'stale'),
    algorithms: names.map((name, i) => ({
      name, keeps: name.endsWith('kept'), operations: operations[i], bytes: bytes[i], intensity: intensity[i], limit: limit[i],
      attainable: roofs[at * names.length + i], byMemory: byMemory[at * names.length + i] === 1, here: here[i], ms: spreadAt(ms, i), timed: run[i], gflops: spreadAt(throughput, i), reached: reached[i], atLeast: atLeast[i], offered: offered[i] === 1,
    })),
  };
}

/**
 * @typedef {object} Passes
 * @property {Array<{name: string, bytes: number, spared: boolean}>} all  spared: not needed in tiles
 * @property {number} limit
 * @property {number} softmax  the limit with the softmax counted
 * @property {number[]} n
 * @property {number[]} kept  intensity
 * @property {number[]} tiled
 * @property {number} here  kept, at the chosen number of queries
 * @property {number} hereTiled
 */

/** @param {Result} result @returns {Passes} */
export function readPasses(result) {
  const bytes = series(result, 'pass_bytes');
  const [here, hereTiled] = series(result, 'here_intensity');
  return {
    all: words(result, 'pass_names').map((name, i) => ({ name, bytes: bytes[i], spared: i < 4 })),
    limit: value(result, 'limit'), softmax: value(result, 'limit_softmax'), n: series(result, 'curve_n'), kept: series(result, 'curve_intensity'), tiled: series(result, 'curve_tiled'), here, hereTiled,
  };
}

/**
 * @typedef {object} Growth
 * @property {number[]} n
 * @property {Array<{name: string, kind: 'unscaled' | 'scaled' | 'neutral', operations: number[], tiles: number[], here: number, share: number, sorts: number[], times: Array<{n: number, operations: number, ms: Spread, timed: number}>}>} masks
 */

/** @param {Result} result @returns {Growth} */
export function readGrowth(result) {
  const n = series(result, 'growth_n');
  const lengths = series(result, 'timed_n');
  const [operations, tiles, here, share, sorts, ms, run, timedOperations] = ['growth_operations', 'growth_tiles', 'here_operations', 'here_share', 'here_tiles', 'growth_ms', 'growth_timed', 'growth_timed_operations'].map((name) => series(result, name));
  /** @type {Array<'unscaled' | 'scaled' | 'neutral'>} */
  const kinds = ['unscaled', 'scaled', 'neutral'];
  return {
    n,
    masks: words(result, 'mask_names').map((name, k) => ({
      name, kind: kinds[k], operations: operations.slice(k * n.length, (k + 1) * n.length), tiles: tiles.slice(k * n.length, (k + 1) * n.length), here: here[k], share: share[k], sorts: sorts.slice(3 * k, 3 * k + 3),
      times: lengths.map((length, i) => ({ n: length, operations: timedOperations[k * lengths.length + i], ms: spreadAt(ms, k * lengths.length + i), timed: run[k * lengths.length + i] })),
    })),
  };
}

/**
 * @typedef {object} Entrant
 * @property {string} rule
 * @property {number} width
 * @property {number} operations
 * @property {number} largest  entries
 * @property {number} byOperations  over those of the dot product
 * @property {number} byLargest
 * @property {Spread} byTime
 * @property {Spread} ms
 * @property {number} n  queries of a sequence
 * @property {number} timed  of them that were run for it
 */

/** @param {Result} result @returns {Entrant[]} */
export function readRace(result) {
  const [operations, largest, byOperations, byLargest, ms, run, byTime] = ['race_operations', 'race_largest', 'race_ratio', 'race_largest_ratio', 'race_ms', 'race_timed', 'race_time_ratio'].map((name) => series(result, name));
  const rules = words(result, 'race_rules');
  const n = value(result, 'race_n');
  return series(result, 'race_widths').flatMap((width, w) => rules.map((rule, r) => {
    const i = w * rules.length + r;
    return { rule, width, operations: operations[i], largest: largest[i], byOperations: byOperations[i], byLargest: byLargest[i], byTime: spreadAt(byTime, i), ms: spreadAt(ms, i), n, timed: run[i] };
  }));
}

/**
 * What there is to time, as the core lists it, and whether a page can bear it.
 * @param {Result} result
 */
export function readJobs(result) {
  const [key, batch, n, m, d, v, h, block, least, share, operations, bytes, offered] = ['key', 'batch', 'n', 'm', 'd', 'v', 'h', 'block', 'least', 'share', 'operations', 'bytes', 'offered'].map((name) => series(result, `job_${name}`));
  const [kinds, masks] = [words(result, 'job_kind'), words(result, 'job_mask')];
  return kinds.map((kind, i) => ({ key: key[i], name: jobName(kind, masks[i], n[i], m[i], d[i]), kind, mask: masks[i], batch: batch[i], n: n[i], m: m[i], d: d[i], v: v[i], h: h[i], block: block[i], least: least[i], share: share[i], operations: operations[i], bytes: bytes[i], offered: offered[i] === 1 }));
}

/** @type {Record<string, string>} */
const KINDS = { attention: 'attention', 'attention-materialised': 'attention, scores kept', 'dot-scores': 'dot product', 'additive-factored': 'additive, factored', 'additive-direct': 'additive, hidden units kept' };

/** @param {string} kind @param {string} mask @param {number} n @param {number} m @param {number} d */
const jobName = (kind, mask, n, m, d) => `${KINDS[kind] ?? kind}${mask === '' ? '' : `, ${mask}`}, ${precise(n)} by ${precise(m)}, width ${precise(d)}`;

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** Bytes as they are said, in powers of a thousand: 16.8 MB. @param {number} bytes */
export function memory(bytes) {
  const step = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3 + 1e-9));
  return `${three(bytes / 1000 ** step)} ${UNITS[step]}`;
}

/** Three significant figures, no more than the number needs; from a thousand on all that are whole, as no rounding may look like a result. @param {number} value */
export function three(value) {
  if (value >= 1000 && value < 1e6) return count(Math.round(value));
  return Number.isFinite(value) ? precise(Number(value.toPrecision(3))) : precise(value);
}

const THOUSANDS = ['', ' thousand', ' million', ' billion', ' trillion', ' quadrillion'];

/** A large count: 268 million. @param {number} value */
export function large(value) {
  if (!(value >= 1e5)) return three(value);
  const step = Math.min(THOUSANDS.length - 1, Math.floor(Math.log10(Number(value.toPrecision(3))) / 3 + 1e-9));
  return `${three(value / 1000 ** step)}${THOUSANDS[step]}`;
}

/** GFLOP/s or TFLOP/s. @param {number} gflops */
export function speed(gflops) {
  return gflops >= 1000 ? `${three(gflops / 1000)} TFLOP/s` : `${three(gflops)} GFLOP/s`;
}

/** Where some of the queries were run for a time: 64 of 512 queries; '' where all were, or none. @param {number} run @param {number} of */
export const partOf = (run, of) => (run < of ? `${count(run)} of ${count(of)} queries` : '');

/** A share as measured: 62%. @param {number} share */
export const percent = (share) => `${count(Math.round(100 * share))}%`;

/**
 * A time with its quartiles: 4.7 ms (4.6 to 4.9), and after it, where it is multiplied: timed on 64 of 512 queries.
 * @param {Spread} ms
 * @param {number} run  queries
 * @param {number} of
 */
export function timed({ median, low, high }, run, of) {
  if (!Number.isFinite(median)) return 'not measured';
  const part = partOf(run, of);
  return `${three(median)} ms (${three(low)} to ${three(high)})${part && `, timed on ${part}`}`;
}
