/**
 * Reading a result of the core: a series by name, or a clear error. No drawing and no arithmetic.
 */

/** @typedef {import('../../chart/types.js').Result} Result */

/**
 * @param {Result} result
 * @param {string} name
 * @returns {number[]}
 */
export function series(result, name) {
  const found = result.series[name];
  if (!found) throw new Error(`${result.study} has no series "${name}"`);
  return Array.from(found.data);
}

/**
 * A series of one value.
 * @param {Result} result
 * @param {string} name
 */
export function value(result, name) {
  return series(result, name)[0];
}

/**
 * A parameter that is a number.
 * @param {Result} result
 * @param {string} key
 */
export function numeric(result, key) {
  const found = result.params[key];
  if (typeof found !== 'number') throw new Error(`${result.study} has no number "${key}"`);
  return found;
}
