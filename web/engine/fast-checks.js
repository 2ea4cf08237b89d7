/**
 * What callers give the fast kernels, looked at before anything is copied or computed: options, shapes, data, lengths. For the calls on one thread and for
 * the pool, which say the same of the same mistake. It allocates nothing; whether shapes fit each other, and what a mask says, the kernels know.
 *
 * @import { ArrayTensor } from './fast-memory.js'
 */
import { AttentionError } from './errors.js';

/** What cannot be seen in a message, or turns its words around: text_quote.cpp knows the same. */
const unseen = /[\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Text between quotes, its first 40 characters. @param {string} text */
const quoted = (text) => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text).replace(unseen, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A name that a caller made up, in a message: one that could not be read there between quotes. @param {string} name */
const named = (name) => (/^[\p{L}\p{N}_$.-]{1,40}$/u.test(name) ? name : quoted(name));

/** The language's own word for what kind of object it is: "Float64Array"; classes of one's own are an "Object". @param {object} value @returns {string} */
const kindOf = (value) => Object.prototype.toString.call(value).slice(8, -1);

/**
 * Whether a value has fields to be read: an object of no kind that the language has for something else, as a list, a Map or a Promise.
 * @param {unknown} value @returns {value is object}
 */
export function hasFields(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const kind = kindOf(value);
  return kind === 'Object' || typeof (/** @type {any} */ (globalThis)[kind]) !== 'function';
}

/**
 * What was given, in a message: numbers, short texts and the like as they are, of everything else its kind.
 * @param {unknown} value @returns {string}
 */
export function shown(value) {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'bigint') return `${String(value).slice(0, 40)}n`;
  if (typeof value === 'symbol' || typeof value === 'function') return `a ${typeof value}`;
  if (typeof value !== 'object' || value === null) return String(value);
  const kind = kindOf(value);
  if (kind === 'Array' || kind === 'Object') return `an ${kind.toLowerCase()}`;
  return `${/^[AEIOU](?!int|RL)/.test(kind) ? 'an' : 'a'} ${named(kind)}`;
}

/**
 * Options as they are when a call is made: what a getter among them throws is its own. Those of a class are read from it.
 * @template T @param {T} options @returns {T}
 */
export const readOnce = (options) => (hasFields(options) && Object.getPrototypeOf(options) === Object.prototype ? { ...options } : options);

/**
 * The first option nobody knows, as an error.
 * @param {unknown} options @param {string[]} known @param {string} [param] the name of them all
 */
export function knownOptions(options, known, param = 'options') {
  if (!hasFields(options)) throw new AttentionError('wrong_type', param, `${param} is ${shown(options)}; give an object with ${known.join(', ')}`);
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new AttentionError('unknown_parameter', unknown, `${named(unknown)} is not an option; there are ${known.join(', ')}`);
}

/**
 * Refuses a field nobody knows: what it says would not be done.
 * @param {string} param @param {object} value @param {readonly string[]} known
 */
export function onlyFields(param, value, known) {
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) throw new AttentionError('unknown_parameter', `${param}.${key}`, `${param}.${named(key)} is not a field; there are ${known.join(', ')}`);
  }
}

/**
 * A whole number that fits in a word.
 * @param {string} name in messages @param {unknown} value @param {string} [param] @param {number} [least] @param {number} [most]
 */
export function count(name, value, param = name, least = 0, most = 0xffffffff) {
  const refused = (/** @type {string} */ code) => new AttentionError(code, param, `${name} is ${shown(value)}; allowed are integers from ${least} to ${most}`);
  if (typeof value !== 'number') throw refused('wrong_type');
  if (!Number.isInteger(value)) throw refused('not_an_integer');
  if (value < least || value > most) throw refused('out_of_range');
  return value;
}

/** A shape in words, as the core writes it: of many axes the first eight. @param {readonly number[]} shape */
export function shapeText(shape) {
  const more = shape.length > 8 ? `, and ${shape.length - 8} more` : '';
  return `(${shape.slice(0, 8).join(', ')}${more}${shape.length === 1 ? ',' : ''})`;
}

/**
 * Sizes, each read once: what a list says of itself may be another thing the next time.
 * @param {string} param
 * @param {unknown} given
 * @returns {number[]} a copy
 */
export function checkedShape(param, given) {
  if (!Array.isArray(given)) throw new AttentionError('wrong_type', `${param}.shape`, `${param}.shape is ${shown(given)}; give an array of sizes`);
  /** @type {number[]} */
  const shape = [];
  for (let axis = 0, axes = given.length; axis < axes; ++axis) shape.push(count(`${param}.shape[${axis}]`, given[axis], `${param}.shape`));
  return shape;
}

/** From so many elements on, no module has room for them. */
const tooMany = 2 ** 29;

/**
 * Numbers for a tensor of this shape: a typed array as it is, of a list a copy, each entry read once.
 * @param {string} param @param {readonly number[]} shape @param {unknown} given
 * @returns {ArrayLike<number>}
 */
export function checkedData(param, shape, given) {
  if (!isList(given) || /^\[object Big/.test(Object.prototype.toString.call(given))) throw new AttentionError('wrong_type', `${param}.data`, `${param}.data is ${shown(given)}; give an array of numbers`);
  const size = shape.reduce((product, axis) => product * axis, 1);
  const { length } = given;
  if (length !== size) {
    const detached = ArrayBuffer.isView(given) && given.buffer.byteLength === 0 && size > 0;
    throw new AttentionError('wrong_shape', param, `${param} has ${length} values; its shape ${shapeText(shape)} has ${size}${detached ? ' (a view of memory that has grown has none: ask for it anew)' : ''}`);
  }
  const number = (/** @type {number} */ i) => {
    const value = given[i];
    if (typeof value !== 'number') throw new AttentionError('wrong_type', `${param}.data`, `${param}.data[${i}] is ${shown(value)}; give a number`);
    return value;
  };
  if (size === 0 || ArrayBuffer.isView(given) || size >= tooMany) return /** @type {ArrayLike<number>} */ (given);
  const first = number(0), data = new Float32Array(size);
  data[0] = first;
  for (let i = 1; i < size; ++i) data[i] = number(i);
  return data;
}

/** Of a frame or context of another's, too. @param {unknown} data @returns {data is Float32Array} */
const isFloats = (data) => ArrayBuffer.isView(data) && Object.prototype.toString.call(data) === '[object Float32Array]';

/**
 * A tensor of JavaScript's own.
 * @param {string} param @param {unknown} value
 * @returns {ArrayTensor}
 */
export function arrayTensor(param, value) {
  if (typeof value !== 'object' || value === null || !('data' in value || 'shape' in value)) throw new AttentionError('wrong_type', param, `${param} is ${shown(value)}; give a FastTensor, or {data, shape} with a Float32Array`);
  const { data, shape } = /** @type {Partial<ArrayTensor>} */ (value);
  onlyFields(param, value, ['data', 'shape']);
  if (!isFloats(data)) throw new AttentionError('wrong_type', `${param}.data`, `${param}.data is ${shown(data)}; give a Float32Array`);
  const sizes = checkedShape(param, shape);
  checkedData(param, sizes, data);
  return { data, shape: sizes };
}

/**
 * Sizes on four axes, a one for heads that are not there.
 * @param {string} param @param {readonly number[]} shape
 */
export function fourSizes(param, shape) {
  if (shape.length === 4) return shape;
  if (shape.length === 3) return [shape[0], 1, shape[1], shape[2]];
  throw new AttentionError('wrong_shape', param, `${param} has ${shape.length} axes; allowed are 3 (batch, rows, width) and 4 (batch, heads, rows, width)`);
}

/**
 * Operands and outputs have three axes or four, but all of a call as many.
 * @param {string} first @param {readonly number[]} shape its shape @param {Record<string, readonly number[]>} others
 */
export function sameAxes(first, shape, others) {
  for (const [param, { length }] of Object.entries(others)) {
    if (length !== shape.length) throw new AttentionError('wrong_shape', param, `${param} has ${length} axes and ${first} ${shape.length}; give both as many`);
  }
}

/** @param {unknown} value @returns {value is ArrayLike<unknown>} */
export const isList = (value) => typeof value === 'object' && value !== null && Number.isInteger(/** @type {any} */ (value).length) && /** @type {any} */ (value).length >= 0;

/** One of an expression, lengths and spans, or none; an expression is text. @param {{mask?: unknown, validLens?: unknown, spans?: unknown}} options */
export function checkedMask({ mask, validLens, spans }) {
  const [first, second] = Object.entries({ mask, validLens, spans }).filter(([, given]) => given !== undefined).map(([name]) => name);
  if (second !== undefined) throw new AttentionError('wrong_type', first, `${first} and ${second} are both given; give one`);
  if (mask !== undefined && typeof mask !== 'string') throw new AttentionError('wrong_type', 'mask', `mask is ${shown(mask)}; give a mask expression as text, such as "causal"`);
}

/**
 * Valid lengths of a batch, or of each of its queries. How many there are is looked at before they are.
 * @param {unknown} given @param {number} batch @param {number} queries
 * @returns {{lengths: number[], shape: number[]}} row-major
 */
export function checkedLengths(given, batch, queries) {
  if (!isList(given)) throw new AttentionError('wrong_type', 'validLens', `validLens is ${shown(given)}; give an array of ${batch} lengths, or of ${batch} arrays of ${queries} lengths`);
  if (given.length !== batch) throw new AttentionError('wrong_shape', 'validLens', `validLens has ${given.length} entries; the batch has ${batch}`);
  const deep = batch > 0 && isList(given[0]);
  /** @type {number[]} */
  const lengths = [];
  /** @param {string} name @param {unknown} length */
  const push = (name, length) => {
    if (typeof length !== 'number') throw new AttentionError('wrong_type', 'validLens', `${name} is ${shown(length)}; allowed are integers from 0 to the number of keys`);
    lengths.push(length);
  };
  for (let i = 0; i < batch; ++i) {
    const row = given[i];
    if (!deep) {
      push(`validLens[${i}]`, row);
      continue;
    }
    if (!isList(row)) throw new AttentionError('wrong_type', 'validLens', `validLens[${i}] is ${shown(row)}; give an array of ${queries} lengths, as validLens[0] is`);
    if (row.length !== queries) throw new AttentionError('wrong_shape', 'validLens', `validLens[${i}] has ${row.length} entries; there are ${queries} queries`);
    for (let j = 0; j < queries; ++j) push(`validLens[${i}][${j}]`, row[j]);
  }
  return { lengths, shape: deep ? [batch, queries] : [batch] };
}
