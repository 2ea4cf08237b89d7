/**
 * What pages and programs are given of the fast kernels in workers: `createPool` for large attentions, `createMeter` for timing the machine. Both find their
 * files beside the script and the build in `?simd=`, the pool the number of workers in `?workers=`, unless they are told.
 *
 * @import { Addresses, Host, SeatOptions } from './seats.js'
 * @import { Measured } from './meter.js'
 * @import { Job } from './workloads.js'
 * @import { FastMethod } from './protocol.js'
 * @import { Progress } from './types.js'
 */
import { AttentionError } from './errors.js';
import { measure } from './meter.js';
import { Pool } from './pool.js';
import { openSeats } from './seats.js';

/**
 * A pool whose first worker runs.
 * @param {SeatOptions} [options]
 * @param {Host} [host] default: a browser
 * @param {Addresses} [addresses] of the files where no `base` is given; default: beside this script
 * @returns {Promise<Pool>} rejects with an AttentionError: out_of_range and wrong_type naming workers; unknown_choice, wasm_no_simd naming simd; why nothing runs
 */
export async function createPool(options, host, addresses) {
  const pool = new Pool(await openSeats(options, host, addresses));
  try {
    await pool.start();
  } catch (thrown) {
    pool.close();
    // files that do not come are those of the folder that was given
    throw thrown instanceof AttentionError && thrown.param === '' && options?.base !== undefined ? new AttentionError(thrown.code, 'base', thrown.message) : thrown;
  }
  return pool;
}

/**
 * @typedef {object} Meter
 * @property {'simd' | 'relaxed'} build
 * @property {import('./ladder.js').RungKind | undefined} kind where it measures
 * @property {(jobsFor: (machine: string) => Job[], options?: {signal?: AbortSignal, onProgress?: Progress}) => Promise<Measured>} measure
 * @property {() => void} close
 */

/**
 * One thread is measured, whatever number of workers the address says.
 * @param {SeatOptions} [options]
 * @returns {Promise<Meter>}
 */
export async function createMeter(options) {
  const { engines: [engine], build } = await openSeats({ workers: 1, ...options });
  await engine.start();
  const kind = engine.kind;
  const ask = async (/** @type {FastMethod} */ method, /** @type {object} */ request) => {
    // a page that measures by itself is still to be operated
    if (kind === 'main-thread') await new Promise((resolve) => { setTimeout(resolve, 0); });
    return engine.call(method, [request]);
  };
  return { build, kind, measure: (jobsFor, taking) => measure(ask, jobsFor, taking), close: () => engine.stop() };
}
