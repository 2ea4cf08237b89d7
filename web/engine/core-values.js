/**
 * What callers give the exact core, copied before it is called: no code of theirs, neither a getter nor a proxy, then runs inside the module, where what it
 * throws would leave the call in its middle. Of each argument the fields are read that it may have; numbers in typed arrays stay where they are, everything
 * else is copied. Not a check of values: those are the core's, in cpp/bindings, which is told of an option nobody knows by its name.
 *
 * @typedef {(value: unknown, param: string) => any} Reader
 */
import { AttentionError } from './errors.js';
import { hasFields, knownOptions, onlyFields, shown } from './fast-checks.js';

/** Numbers and text as they are, arrays of them copied as far as the first entry that the core will refuse, objects that are no numbers as an empty one. @type {Reader} */
export const plain = (value, param) => {
  if (Array.isArray(value)) return entries(value, (entry, i) => plain(entry, `${param}[${i}]`), (entry) => typeof entry === 'number');
  if (ArrayBuffer.isView(value)) return elements(value, param);
  // half of a pair of code units is no character, and would be read as one with the next
  if (typeof value === 'string') return value.replace(/\p{Cs}/gu, '\ufffd');
  return typeof value === 'object' && value !== null ? {} : value;
};

/**
 * Elements where they are, as an array of this frame's own class: the core asks of which one it is, and a class of the caller's may have code.
 * @param {ArrayBufferView} view @param {string} param
 */
function elements(view, param) {
  const kind = Object.prototype.toString.call(view).slice(8, -1), Kind = /** @type {any} */ (globalThis)[kind];
  const { buffer, byteOffset, length } = /** @type {Float32Array} */ (view);
  if (view.byteLength === 0 && isDetached(buffer)) throw new AttentionError('wrong_type', param, `${param} is a ${kind} whose elements have been moved away with its buffer; give one that has them`);
  return Object.getPrototypeOf(view) === Kind?.prototype || !/Array$/.test(kind) ? view : new Kind(buffer, byteOffset, length);
}

/** @param {ArrayBufferLike} buffer */
function isDetached(buffer) {
  try {
    new Uint8Array(buffer);
    return false;
  } catch {
    return true;
  }
}

/**
 * @param {unknown[]} given @param {(entry: unknown, index: number) => any} read @param {(entry: unknown) => boolean} goesOn
 */
function entries(given, read, goesOn) {
  const copy = [];
  for (let i = 0; i < given.length; ++i) {
    const entry = given[i];
    copy.push(read(entry, i));
    if (!goesOn(entry)) break;
  }
  return copy;
}

/** @param {object} value @param {Record<string, Reader>} fields @param {(name: string) => string} named */
function fieldsOf(value, fields, named) {
  /** @type {Record<string, unknown>} */
  const copy = {};
  for (const [name, read] of Object.entries(fields)) {
    const given = /** @type {any} */ (value)[name];
    if (given !== undefined) copy[name] = read(given, named(name));
  }
  return copy;
}

/**
 * What has no fields where some are wanted. Numbers, text and null the core refuses, in words of its own.
 * @param {unknown} value @param {string} param @param {string[]} known
 */
function fieldless(value, param, known) {
  if (typeof value === 'object' && value !== null) throw new AttentionError('wrong_type', param, `${param} is ${shown(value)}; give an object with ${known.join(', ')}`);
  return value;
}

/**
 * A thing with these fields and no other.
 * @param {Record<string, Reader>} fields
 * @returns {Reader}
 */
export const thing = (fields) => {
  const known = Object.keys(fields);
  return (value, param) => {
    if (!hasFields(value)) return fieldless(value, param, known);
    onlyFields(param, value, known);
    return fieldsOf(value, fields, (name) => `${param}.${name}`);
  };
};

/**
 * Options of these names. Others are handed on by name alone, for the core to refuse.
 * @param {Record<string, Reader>} fields
 * @returns {Reader}
 */
export const options = (fields) => (value, param) => {
  if (!hasFields(value)) return fieldless(value, param, Object.keys(fields));
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(fields, name));
  return { ...Object.fromEntries(unknown.map((name) => [name, undefined])), ...fieldsOf(value, fields, (name) => name) };
};

/** A list of such things. @param {Reader} read @returns {Reader} */
export const listOf = (read) => (value, param) => {
  if (Array.isArray(value)) return entries(value, (entry, i) => read(entry, `${param}[${i}]`), hasFields);
  return typeof value === 'object' && value !== null ? {} : value;
};

/** @param {string[]} names @returns {Record<string, Reader>} */
const all = (names) => Object.fromEntries(names.map((name) => [name, plain]));

export const tensor = thing({ data: plain, shape: plain });

/** What composeMasks gives says which rows are empty, too. */
export const masks = listOf(thing({ data: plain, shape: plain, emptyRows: plain }));

const ruleFields = options({ ...all(['rule', 'scaled', 'queryNorm', 'keysFirst', 'activation']), matrix: tensor, queryMap: tensor, keyMap: tensor, scoreVector: tensor });

/** @type {Reader} */
export const rule = (value, param) => {
  if (typeof value === 'object' && value !== null && !hasFields(value)) throw new AttentionError('wrong_type', 'rule', `rule is ${shown(value)}; give a name or {rule, ...}`);
  const read = ruleFields(value, param);
  // who has given a tensor here would hear of its fields else
  if (hasFields(value) && read.rule === undefined) throw new AttentionError('wrong_type', 'rule', 'rule is an object that names no rule; the rule is the first argument, a name or {rule, ...}');
  return read;
};

export const dropout = options(all(['rate', 'generator', 'seed', 'call', 'training']));

const masking = all(['validLens', 'validLensShape', 'mask', 'maskShape', 'expression']);

export const attentionOptions = options({ ...masking, rule, dropout });

export const softmaxOptions = options({ ...masking, ...all(['bias', 'biasShape', 'biasDtype']) });

export const statsOptions = options(all(['d', 'numKeys', 'numQueries', 'scaled', 'seed']));

export const maskSizes = options(all(['batch', 'heads', 'queries', 'keys']));

export const biasOptions = options(all(['dtype', 'fill']));

const calls = listOf(thing({ call: plain, shape: plain, dtype: plain }));

/** @type {Reader} */
export const arrayRequest = (value, param) => {
  if (!hasFields(value)) return fieldless(value, param, ['generator', 'seed', 'calls']);
  knownOptions(value, ['generator', 'seed', 'calls']);
  return fieldsOf(value, { generator: plain, seed: plain, calls }, (name) => name);
};

/** Parameters of a study, whatever their names. @type {Reader} */
export const params = (value) => {
  if (hasFields(value)) return Object.fromEntries(Object.entries(value).map(([name, given]) => [name, plain(given, name)]));
  if (typeof value === 'object' && value !== null) throw new AttentionError('wrong_type', 'params', `params is ${shown(value)}; give an object of parameters`);
  return value;
};

/** Text, which the core has no words for where it is none. @param {unknown} value @param {string} param @param {string} such */
export function text(value, param, such) {
  if (typeof value !== 'string') throw new AttentionError('wrong_type', param, `${param} is ${shown(value)}; give text such as ${such}`);
  return value;
}

/**
 * A function for the core that throws nothing: what it throws is kept for the end of the run, which it stops.
 * @param {unknown} progress
 * @returns {{tell: ((share: number) => boolean) | undefined, thrown: unknown[]}}
 */
export function listener(progress) {
  if (progress !== undefined && typeof progress !== 'function') throw new AttentionError('wrong_type', 'progress', `progress is ${shown(progress)}; give a function`);
  /** @type {unknown[]} */
  const thrown = [];
  const tell = progress && ((/** @type {number} */ share) => {
    try {
      progress(share);
    } catch (reason) {
      thrown.push(reason);
    }
    return thrown.length === 0;
  });
  return { tell, thrown };
}
