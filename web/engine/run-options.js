/**
 * What an address or a program may ask of the fast kernels: `?workers=2`, how many workers share a large run, and `?simd=simd`, which of the two
 * builds runs (whether it can is for chooseBuild of fast.js to say). What a program asks for counts more; where nobody asks, the machine decides.
 */
import { AttentionError } from './errors.js';
import { shown } from './fast-checks.js';

/** More workers than this would only wait for each other. */
export const MOST_WORKERS = 16;

/** What a machine is taken to share out by itself: a page leaves some of it to others. */
const USUAL_WORKERS = 4;

/** @param {unknown} given by a program, which has numbers, or as text in an address @param {boolean} [asText] @returns {number} */
function workersFrom(given, asText = false) {
  const workers = asText && /^\d{1,4}$/.test(String(given)) ? Number(given) : given;
  if (typeof workers === 'number' && Number.isInteger(workers) && workers >= 1 && workers <= MOST_WORKERS) return workers;
  const code = asText || typeof workers === 'number' ? 'out_of_range' : 'wrong_type';
  throw new AttentionError(code, 'workers', `workers is ${shown(given)}; allowed are whole numbers from 1 to ${MOST_WORKERS}`);
}

/** @param {unknown} given @returns {'auto' | 'simd' | 'relaxed'} Error: unknown_choice naming simd */
export function simdFrom(given) {
  if (given !== 'auto' && given !== 'simd' && given !== 'relaxed') {
    throw new AttentionError('unknown_choice', 'simd', `simd is ${shown(given)}; allowed are "auto", "simd" and "relaxed"`);
  }
  return given;
}

/** What an address says of a parameter: one that is given twice is neither of the two. @param {URLSearchParams} address @param {string} param */
const given = (address, param) => (address.has(param) ? address.getAll(param).join(', ') : null);

/**
 * What an address asks of one thread and nobody can have, in words: to be told before anything is asked of the kernels. The number of workers, right or
 * wrong, is nothing to one thread.
 * @param {string} [search] of the address
 * @returns {string} '' where nothing is wrong
 */
export function addressFault(search = globalThis.location?.search ?? '') {
  const address = new URLSearchParams(search);
  try {
    if (address.has('simd')) simdFrom(given(address, 'simd'));
    return '';
  } catch (thrown) {
    return /** @type {AttentionError} */ (thrown).message;
  }
}

/**
 * @param {{workers?: unknown, simd?: unknown}} [asked] by the program; what it leaves open is looked for in the address
 * @param {string} [search] of the address, '?workers=2'
 * @param {number} [processors] that the machine says it has
 * @returns {{workers: number, simd: 'auto' | 'simd' | 'relaxed'}} Errors: out_of_range and wrong_type naming workers, unknown_choice naming simd
 */
export function runOptions(asked = {}, search = globalThis.location?.search ?? '', processors = globalThis.navigator?.hardwareConcurrency ?? 1) {
  const address = new URLSearchParams(search);
  const usual = () => Math.max(1, Math.min(processors, USUAL_WORKERS));
  const fromAddress = () => (address.has('workers') ? workersFrom(given(address, 'workers'), true) : usual());
  return {
    workers: asked.workers === undefined ? fromAddress() : workersFrom(asked.workers),
    simd: simdFrom(asked.simd === undefined ? given(address, 'simd') ?? 'auto' : asked.simd),
  };
}
