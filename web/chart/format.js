/**
 * Numbers as the plates print them: true minus sign, lining figures, and never a rounding that lies. An exact zero
 * prints as `0`, a weight too small for its digits as `<0.001`, so that nothing but zero looks like zero.
 *
 * Not here: words around the numbers. Every plate, tip and table goes through this file.
 */

import { format } from 'd3-format';

/** @type {Map<string, (value: number) => string>} */
const cache = new Map();

/**
 * @param {string} specifier  of d3-format
 * @param {number} value
 */
function by(specifier, value) {
  let print = cache.get(specifier);
  if (!print) cache.set(specifier, (print = format(specifier)));
  return print(value);
}

/** @param {number} value */
function special(value) {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '∞' : '−∞';
}

/**
 * A number with a fixed count of decimals. A value that would round to zero and is not keeps its sign and size.
 * @param {number} value
 * @param {number} digits
 */
export function fixed(value, digits) {
  if (!Number.isFinite(value)) return special(value);
  if (value === 0) return by(`.${digits}f`, 0);
  const least = 10 ** -digits;
  if (Math.abs(value) < least / 2) return `${value < 0 ? '>−' : '<'}${by(`.${digits}f`, least)}`;
  return by(`.${digits}f`, value);
}

/**
 * A weight, or any share of one: `0` only if it is zero, `1` only if it is one.
 * @param {number} value
 * @param {number} digits
 */
export function weight(value, digits) {
  if (!Number.isFinite(value)) return special(value);
  if (value === 0) return '0';
  if (value === 1) return '1';
  const least = 10 ** -digits;
  if (value > 0 && value < least / 2) return `<${by(`.${digits}f`, least)}`;
  if (value < 1 && value > 1 - least / 2) return `>${by(`.${digits}f`, 1 - least)}`;
  return by(`.${digits}f`, value);
}

/**
 * A number to four significant figures, for tips and tables: 0.4923, 1.2e−9.
 * @param {number} value
 */
export function precise(value) {
  if (!Number.isFinite(value)) return special(value);
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 1e6) return by(size < 1 ? '.4~r' : '.5~r', value);
  return by('.3~e', value).replace(/e\+?-?/, (e) => (e.includes('-') ? 'e−' : 'e'));
}

/**
 * A tick label: as many decimals as the step between ticks needs.
 * @param {number} value
 * @param {number} step
 */
export function tick(value, step) {
  if (value === 0) return '0';
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return by(`.${digits}~f`, value);
}

/**
 * A count, with thin groups from ten thousand on.
 * @param {number} value
 */
export function count(value) {
  return value >= 10000 ? by(',d', value).replace(/,/g, '\u202f') : by('d', value);
}

const WORDS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];

/**
 * A count in words up to twelve, in figures beyond.
 * @param {number} value
 */
export function words(value) {
  return WORDS[value] ?? count(value);
}

/**
 * `1 query`, `2 queries`.
 * @param {number} value
 * @param {string} one
 * @param {string} many
 */
export function plural(value, one, many) {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/**
 * `a`, `a and b`, `a, b and c`.
 * @param {string[]} items
 */
export function list(items) {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')} and ${items[items.length - 1]}`;
}

/**
 * A number before it is rounded for print: twelve significant figures, which a double carries with room to spare.
 * @param {number} value
 */
export function unrounded(value) {
  if (!Number.isFinite(value)) return special(value);
  return value === 0 ? '0' : by('.12~r', value);
}

/**
 * A number as its author wrote it: the fewest digits that mean it.
 * @param {number} value
 */
export function shortest(value) {
  return Number.isFinite(value) ? String(value).replace('-', '−') : special(value);
}
