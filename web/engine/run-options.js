/**
 * What an address or a program may ask of the fast kernels: `?workers=2`, how many workers share a large run, and `?simd=simd`, which of the two
 * builds runs (checked by chooseBuild of fast.js). What a program asks for counts more; where nobody asks, the machine decides.
 */
import { AttentionError } from './errors.js';

/** More workers than this would only wait for each other. */
export const MOST_WORKERS = 16;

/** What a machine is taken to share out by itself: a page leaves some of it to others. */
const USUAL_WORKERS = 4;

/** @param {unknown} given a number, or text of an address @returns {number} */
function workersFrom(given) {
  const count = typeof given === 'string' && /^\d{1,4}$/.test(given) ? Number(given) : given;
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > MOST_WORKERS) {
    throw new AttentionError('out_of_range', 'workers', `workers is ${JSON.stringify(given)?.slice(0, 40)}; allowed are whole numbers from 1 to ${MOST_WORKERS}`);
  }
  return count;
}

/**
 * @param {{workers?: unknown, simd?: unknown}} [asked] by the program; what it leaves open is looked for in the address
 * @param {string} [search] of the address, '?workers=2'
 * @param {number} [processors] that the machine says it has
 * @returns {{workers: number, simd: any}} Error: out_of_range naming workers
 */
export function runOptions(asked = {}, search = globalThis.location?.search ?? '', processors = globalThis.navigator?.hardwareConcurrency ?? 1) {
  const address = new URLSearchParams(search);
  const workers = asked.workers ?? address.get('workers');
  const simd = asked.simd ?? address.get('simd');
  return {
    workers: workers === null ? Math.max(1, Math.min(processors, USUAL_WORKERS)) : workersFrom(workers),
    simd: simd ?? 'auto',
  };
}
