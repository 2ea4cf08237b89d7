/**
 * What callers give the exact core, copied before it is called: no code of theirs, neither a getter nor a proxy, then runs inside the module, where what it
 * throws would leave the call in its middle. Of each argument the fields are read that it may have; numbers in typed arrays stay where they are, everything
 * else is copied. Not a check of values: those are the core's, in cpp/bindings, which is told of an option nobody knows by its name.
 *
 * @typedef {(value: unknown, param: string) => any} Reader
 */
import { AttentionError } from './errors.js';
import { knownOptions, onlyFields, shown } from './fast-checks.js';

/** @param {unknown} value @returns {value is object} that has fields to be read */
const hasFields = (value) => typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);

/** Numbers and text as they are, arrays of them copied as far as the first entry that the core will refuse, other objects as an empty one. @type {Reader} */
export const plain = (value) => (Array.isArray(value) ? entries(value, (entry) => plain(entry, ''), (entry) => typeof entry === 'number') : hasFields(value) ? {} : value);

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
 * A thing with these fields and no other.
 * @param {Record<string, Reader>} fields
 * @returns {Reader}
 */
export const thing = (fields) => {
  const known = Object.keys(fields);
  return (value, param) => {
    if (!hasFields(value)) return plain(value, param);
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
  if (!hasFields(value)) return plain(value, param);
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(fields, name));
  return Object.assign(fieldsOf(value, fields, (name) => name), ...unknown.map((name) => ({ [name]: undefined })));
};

/** A list of such things. @param {Reader} read @returns {Reader} */
export const listOf = (read) => (value, param) => (Array.isArray(value) ? entries(value, (entry, i) => read(entry, `${param}[${i}]`), hasFields) : plain(value, param));

/** @param {string[]} names @returns {Record<string, Reader>} */
const all = (names) => Object.fromEntries(names.map((name) => [name, plain]));

export const tensor = thing({ data: plain, shape: plain });

/** What composeMasks gives says which rows are empty, too. */
export const masks = listOf(thing({ data: plain, shape: plain, emptyRows: plain }));

const ruleFields = options({ ...all(['rule', 'scaled', 'queryNorm', 'keysFirst', 'activation']), matrix: tensor, queryMap: tensor, keyMap: tensor, scoreVector: tensor });

/** @type {Reader} */
export const rule = (value, param) => {
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
  if (!hasFields(value)) return plain(value, param);
  knownOptions(value, ['generator', 'seed', 'calls']);
  return fieldsOf(value, { generator: plain, seed: plain, calls }, (name) => name);
};

/** Parameters of a study, whatever their names. @type {Reader} */
export const params = (value) => (hasFields(value) ? Object.fromEntries(Object.entries(value).map(([name, given]) => [name, plain(given, name)])) : plain(value, 'params'));

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
