/**
 * Reading a result of the core: a series of numbers or words by name, or a clear error. No drawing and no arithmetic.
 */

/** @typedef {import('../../chart/types.js').Result} Result */

/**
 * @param {Result} result
 * @param {string} name
 * @returns {number[]}
 */
export function series(result, name) {
  const found = data(result, name);
  if (found instanceof Float64Array) return Array.from(found);
  return Array.from(found, (each) => {
    if (typeof each !== 'number') throw new Error(`the series "${name}" of ${result.study} holds words, not numbers`);
    return each;
  });
}

/**
 * A series of words.
 * @param {Result} result
 * @param {string} name
 * @returns {string[]}
 */
export function words(result, name) {
  return Array.from(data(result, name), (each) => {
    if (typeof each !== 'string') throw new Error(`the series "${name}" of ${result.study} holds numbers, not words`);
    return each;
  });
}

/**
 * @param {Result} result
 * @param {string} name
 * @returns {ArrayLike<number | string>}
 */
function data(result, name) {
  const found = result.series[name];
  if (!found) throw new Error(`${result.study} has no series "${name}"`);
  return found.data;
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
