/**
 * What controls of every kind have in common: the name of a parameter, the line that says why an entry was refused, and typing.
 *
 * @import { Parameter, ParameterValue } from '../engine/types.js'
 * @import { View } from './template.js'
 */
import { html, nothing } from 'lit';

/**
 * Everything a control needs besides its parameter.
 * @typedef {object} Control
 * @property {View} view
 * @property {string} id unique in the page
 * @property {ParameterValue} value
 * @property {string | undefined} error why the entry was refused
 * @property {import('../engine/types.js').ErrorValue | undefined} fault the same with its place
 */

/** @param {Parameter} p */
export const nameOf = (p) => (p.symbol && p.symbol !== p.label ? `${p.label} ${p.symbol}` : p.label || p.key);

/** The same to be seen: a symbol's subscript, d_q, stands low. @param {Parameter} p */
export function nameSeen(p) {
  const [, letter, below] = /^([^_]+)_(.+)$/.exec(p.symbol ?? '') ?? [];
  return letter === undefined ? nameOf(p) : html`${p.label} ${letter}<sub aria-hidden="true">${below}</sub><span class="visually-hidden">_${below}</span>`;
}

/**
 * Why an entry was refused, under the name that its field has: a key of several words, dropout_seed, is for addresses and programs.
 * @param {Parameter} p
 * @param {string} [message]
 */
export const underItsName = (p, message) => (p.key.includes('_') && !p.symbol && message?.startsWith(p.key) ? `${p.label}${message.slice(p.key.length)}` : message);

/** @param {Parameter} p @param {ParameterValue} value */
export const spoken = (p, value) => `${value}${p.unit ? ` ${p.unit}` : ''}`;

/** @param {Control} control */
export const errorLine = ({ id, error }) => (error ? html`<p class="control-error" id="${id}-error">${error}</p>` : nothing);

/** The attributes that tie an input to its error line. @param {Control} control */
export const invalid = ({ error }) => (error ? 'true' : nothing);
/** @param {Control} control */
export const describedBy = ({ id, error }) => (error ? `${id}-error` : nothing);

/**
 * Typed entry. While the field is being emptied, or holds only the beginning of a number, nothing is said; when it is left so, the core says why.
 * @param {(text: string) => void} enter
 * @param {(text: string) => boolean} [isBegun]
 */
export const typing = (enter, isBegun = (text) => text === '') => ({
  onInput: (/** @type {Event} */ event) => {
    const field = /** @type {HTMLInputElement} */ (event.target);
    if (!isBegun(field.value)) enter(field.value);
  },
  onChange: (/** @type {Event} */ event) => {
    const field = /** @type {HTMLInputElement} */ (event.target);
    if (isBegun(field.value)) enter(field.value);
  },
});

/** Text of a number field as a value; what is no number goes to the core as the text it is. @param {string} text */
export const numberOrText = (text) => (text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) + 0 : text);
