/**
 * What an address or a program may ask of the fast kernels: `?workers=2`, how many workers share a large run, and `?simd=simd`, which of the two
 * builds runs (whether it can is for chooseBuild of fast.js to say). What a program asks for counts more; where nobody asks, the machine decides.
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

/** @param {unknown} given @returns {'auto' | 'simd' | 'relaxed'} Error: unknown_choice naming simd */
export function simdFrom(given) {
  if (given !== 'auto' && given !== 'simd' && given !== 'relaxed') {
    throw new AttentionError('unknown_choice', 'simd', `simd is ${JSON.stringify(given)?.slice(0, 40)}; allowed are "auto", "simd" and "relaxed"`);
  }
  return given;
}

/** What an address says of a parameter: one that is given twice is neither of the two. @param {URLSearchParams} address @param {string} param */
const given = (address, param) => (address.has(param) ? address.getAll(param).join(', ') : null);

/**
 * What an address asks for and nobody can have, in words: to be told before anything is asked of the kernels.
 * @param {string} [search] of the address
 * @returns {string[]}
 */
export function addressFaults(search = globalThis.location?.search ?? '') {
  const address = new URLSearchParams(search);
  return /** @type {const} */ ([['workers', workersFrom], ['simd', simdFrom]]).flatMap(([param, check]) => {
    try {
      if (address.has(param)) check(given(address, param));
      return [];
    } catch (thrown) {
      return [/** @type {AttentionError} */ (thrown).message];
    }
  });
}

/**
 * @param {{workers?: unknown, simd?: unknown}} [asked] by the program; what it leaves open is looked for in the address
 * @param {string} [search] of the address, '?workers=2'
 * @param {number} [processors] that the machine says it has
 * @returns {{workers: number, simd: 'auto' | 'simd' | 'relaxed'}} Errors: out_of_range naming workers, unknown_choice naming simd
 */
export function runOptions(asked = {}, search = globalThis.location?.search ?? '', processors = globalThis.navigator?.hardwareConcurrency ?? 1) {
  const address = new URLSearchParams(search);
  const workers = asked.workers ?? given(address, 'workers');
  const simd = asked.simd ?? given(address, 'simd');
  return {
    workers: workers === null ? Math.max(1, Math.min(processors, USUAL_WORKERS)) : workersFrom(workers),
    simd: simdFrom(simd ?? 'auto'),
  };
}
