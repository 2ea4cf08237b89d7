/**
 * The state of a plate as plain values and as URL text; pure. The text is what stands behind the # of a page: `d=128&seed=7`.
 * Nothing is validated here: whatever a link says goes to the core's `repair`, which knows the ranges.
 *
 * @import { Notice, Params, ParameterValue, Preset, Study } from '../engine/types.js'
 */

/**
 * @param {Study} study
 * @returns {Params} every parameter at its default
 */
export const defaults = (study) => Object.fromEntries(study.parameters.map((parameter) => [parameter.key, parameter.default]));

/**
 * Whether a state is the preset's: a preset speaks of some parameters and leaves the others as they are.
 * @param {Preset} preset
 * @param {Params} params
 */
export const isPreset = (preset, params) => Object.entries(preset.params).every(([key, value]) => Object.is(params[key], value));

/**
 * @param {Params} a
 * @param {Params} b
 */
export function sameParams(a, b) {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && Object.is(a[key], b[key]));
}

/** Commas and semicolons of valid lengths stay readable in a link, and so does most of a mask. @param {string} text */
const encode = (text) => encodeURIComponent(text).replace(/%2C/g, ',').replace(/%3B/g, ';').replace(/%2F/g, '/').replace(/%7C/g, '|');

/**
 * @param {Study} study
 * @param {Params} params
 * @returns {string} the first parameter always, the others where they differ from their default
 */
export function toQuery(study, params) {
  return study.parameters
    .filter((parameter, i) => i === 0 || !Object.is(params[parameter.key], parameter.default))
    .map((parameter) => `${encode(parameter.key)}=${encode(String(params[parameter.key]))}`)
    .join('&');
}

/**
 * @param {string} text with or without a leading # or ?
 * @returns {{raw: Record<string, string>, notices: Notice[]}} texts by key, for `repair`
 */
export function fromQuery(text) {
  /** @type {Map<string, string>} */
  const raw = new Map();
  /** @type {Notice[]} */
  const notices = [];
  for (const [key, value] of new URLSearchParams(text.replace(/^[#?]/, ''))) {
    if (!raw.has(key)) raw.set(key, value);
    else if (raw.get(key) !== value) notices.push({ param: key, message: `${shorten(key)} is given more than once; the first, ${shorten(String(raw.get(key)))}, is taken` });
  }
  return { raw: Object.fromEntries(raw), notices };
}

/** Characters of a strange text that are shown; an address can hold thousands. */
const SHOWN = 40;

/** @param {string} text */
export function shorten(text) {
  const characters = [...text];
  return characters.length > SHOWN ? `${characters.slice(0, SHOWN).join('')}…` : text;
}

/**
 * What a study declares, of whatever was given.
 * @param {Study} study
 * @param {Record<string, ParameterValue>} raw
 */
export const onlyKnown = (study, raw) => Object.fromEntries(study.parameters.filter(({ key }) => Object.hasOwn(raw, key)).map(({ key }) => [key, raw[key]]));

/** A hash that carries a state, not the name of a place in the page. @param {string} hash */
export const isState = (hash) => /^#?[^#=]+=/.test(hash);

/**
 * The seed after this one: a fixed mixing of the old seed (the 32-bit finaliser of MurmurHash3 over seed + 2^32/φ), so that
 * drawing again is as reproducible as everything else.
 * @param {number} seed
 * @param {number} min
 * @param {number} max
 * @returns {number}
 */
export function nextSeed(seed, min, max) {
  let mixed = (seed + 0x9e3779b9) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) >>> 0;
  mixed = (mixed ^ (mixed >>> 16)) >>> 0;
  const count = max - min + 1;
  const next = min + (mixed % count);
  return next !== seed ? next : min + ((next - min + 1) % count);
}

/**
 * The current numbers in words, one text a parameter.
 * @param {Study['parameters']} parameters
 * @param {Params} params
 * @param {(parameter: Study['parameters'][number]) => string} [nameOf]
 * @returns {string[]}
 */
export function inWords(parameters, params, nameOf = ({ symbol, label, key }) => symbol || label || key) {
  return parameters.map((parameter) => {
    const value = params[parameter.key];
    const name = nameOf(parameter);
    if (parameter.kind === 'flag') return `${name} ${value ? 'on' : 'off'}`;
    if (value === '') return `no ${name}`;
    // the link beside this line has a long table whole
    if (parameter.kind === 'numbers') return `${name} ${shorten(String(value))}`;
    return `${name} ${/** @type {ParameterValue} */ (value)}`;
  });
}
