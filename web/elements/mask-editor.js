/**
 * The control of a mask: the expression as text, and below it the stack of its sheets, each to be laid aside, stepped, moved or taken
 * away. The text is the state; the stack is made from the core's reading of it and writes it anew.
 *
 * @import { Parameter } from '../engine/types.js'
 * @import { Control } from './controls.js'
 */
import { html, noChange, nothing } from 'lit';
import { Directive, directive } from 'lit/directive.js';
import { live } from 'lit/directives/live.js';
import { joined, kindsFor, moved, numbersIn, stackParams, withNumber } from './mask-words.js';

/**
 * The text of a field that is left alone while its reader is in it: the canonical form comes when they leave.
 * Bound as a property; what stands in the field is compared, since typing changes it behind Lit's back.
 */
class Unhurried extends Directive {
  /** @param {string} text */
  render(text) { return text; }

  /** @override @param {import('lit').ElementPart} part @param {[string]} values */
  update(part, [text]) {
    const field = /** @type {HTMLInputElement} */ (part.element);
    const root = /** @type {Document | ShadowRoot} */ (field.getRootNode());
    if (root.activeElement !== field && field.value !== text) field.value = text;
    return noChange;
  }
}
const unhurried = directive(Unhurried);

/** Sheets longer than this are cut on their row; the text field has them whole. */
const LONGEST = 44;

/** @typedef {{text: string, on: boolean}} Sheet */

/**
 * The sheets of the result on show; none when it has no such series.
 * @param {import('./template.js').View} view
 * @returns {Sheet[]}
 */
export function sheetsOf({ series }) {
  const texts = series.sheet_text?.data ?? [];
  const on = series.sheet_on?.data ?? [];
  return Array.from(/** @type {ArrayLike<string | number>} */ (texts), (text, i) => ({ text: String(text), on: on[i] === 1 }));
}

/** @param {string} text */
const short = (text) => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

/**
 * The text up to the fault, in even type, with a caret below the character.
 * @param {string} text
 * @param {number} at character, counted in code points
 */
function caret(text, at) {
  const line = [...text.replace(/\s/g, ' ')];
  const from = Math.max(0, at - 24);
  const shown = line.slice(from, from + 48).join('');
  return html`<pre class="caret" aria-hidden="true">${from > 0 ? '…' : ''}${shown}
${' '.repeat(at - from + (from > 0 ? 1 : 0))}^</pre>`;
}

/**
 * @param {Parameter} p
 * @param {Control} control
 * @param {string} name
 */
function field(p, control, name) {
  const { view, id, value, fault } = control;
  const onInput = (/** @type {InputEvent} */ event) => view.type(p.key, /** @type {HTMLInputElement} */ (event.target).value);
  const onBlur = (/** @type {FocusEvent} */ event) => { /** @type {HTMLInputElement} */ (event.target).value = String(value); };
  return html`
    <label class="control-name" for="${id}"><i>${name}</i></label>
    <input type="text" class="mask-text" id="${id}" spellcheck="false" autocomplete="off" autocapitalize="off" .value="${unhurried(String(value))}"
      placeholder="${p.default === '' ? 'none' : nothing}" aria-invalid="${fault ? 'true' : nothing}" aria-describedby="${fault ? `${id}-error` : nothing}" ?disabled="${view.still}" @input="${onInput}" @blur="${onBlur}">
    ${fault ? html`<div class="control-error" id="${id}-error">${fault.at === undefined ? nothing : caret(String(value), fault.at)}<span>${fault.message}</span></div>` : nothing}`;
}

/**
 * A sheet's expression with its numbers as fields.
 * @param {Sheet} sheet
 * @param {number} index
 * @param {import('./template.js').View} view
 * @param {(text: string) => void} change
 */
function expression({ text }, index, view, change) {
  const numbers = numbersIn(text);
  if (numbers.length === 0 || numbers.length > 8) return html`<i class="sheet-text" title="${text}">${short(text)}</i>`;
  const rest = text.slice(numbers.reduce((length, { before, value }) => length + before.length + String(value).length, 0));
  return html`<span class="sheet-text">${numbers.map(({ before, value }, i) => html`<i>${before}</i><input type="number" min="0" step="1" .value="${live(String(value))}"
    aria-label="number ${i + 1} of ${text}, sheet ${index + 1}" ?disabled="${view.still}"
    @input="${(/** @type {InputEvent} */ event) => { const typed = /** @type {HTMLInputElement} */ (event.target).value; if (typed !== '') change(withNumber(text, i, typed)); }}">`)}<i>${rest}</i></span>`;
}

/**
 * @param {Sheet[]} sheets
 * @param {import('./template.js').View} view
 * @param {string} key
 */
function stack(sheets, view, key) {
  const put = (/** @type {Sheet[]} */ next, /** @type {string} */ said) => {
    const { mask, off } = stackParams(next);
    view.change({ [key]: mask, off }, said);
  };
  const button = (/** @type {string} */ label, /** @type {string} */ sign, /** @type {boolean} */ possible, /** @type {() => void} */ act) => html`
    <button class="button sheet-button" type="button" aria-label="${label}" title="${label}" ?disabled="${view.still || !possible}" @click="${act}">${sign}</button>`;
  const row = (/** @type {Sheet} */ sheet, /** @type {number} */ i) => {
    const at = (/** @type {Sheet} */ other) => sheets.map((each, j) => (j === i ? other : each));
    const name = short(sheet.text);
    return html`
    <li class="sheet-row ${sheet.on ? '' : 'laid-aside'}">
      <label class="sheet-switch"><input type="checkbox" .checked="${live(sheet.on)}" aria-label="sheet ${i + 1}, ${name}, laid on" ?disabled="${view.still}"
        @change="${() => put(at({ ...sheet, on: !sheet.on }), `${name} is ${sheet.on ? 'laid aside' : 'laid on'}`)}"></label>
      ${expression(sheet, i, view, (text) => view.type(key, joined(at({ ...sheet, text }).map((each) => each.text))))}
      <span class="sheet-buttons">
        ${button(`move ${name} up`, '↑', i > 0, () => put(moved(sheets, i, i - 1), `${name} is sheet ${i}`))}
        ${button(`move ${name} down`, '↓', i < sheets.length - 1, () => put(moved(sheets, i, i + 1), `${name} is sheet ${i + 2}`))}
        ${button(`take ${name} away`, '×', sheets.length > 1, () => put(sheets.filter((_, j) => j !== i), `${name} is taken away`))}
      </span>
    </li>`;
  };
  const sizes = { queries: Number(view.params.queries), keys: Number(view.params.keys) };
  const add = (/** @type {Event} */ event) => {
    const select = /** @type {HTMLSelectElement} */ (event.target);
    const kind = kindsFor(sizes).find(({ name }) => name === select.value);
    select.value = '';
    if (kind) put([...sheets, { text: kind.first(sizes), on: true }], `${kind.first(sizes).slice(0, LONGEST)} is added as sheet ${sheets.length + 1}`);
  };
  return html`
    <ol class="sheet-stack" aria-label="sheets">${sheets.map(row)}</ol>
    <select class="sheet-add" aria-label="add a sheet" ?disabled="${view.still || sheets.length >= 16}" @change="${add}">
      <option value="">add a sheet …</option>
      ${kindsFor(sizes).map(({ name, about }) => html`<option value="${name}">${name}: ${about}</option>`)}
    </select>`;
}

/**
 * @param {Parameter} p
 * @param {Control} control
 * @param {string} name
 */
export function maskEditor(p, control, name) {
  const sheets = p.default === '' ? [] : sheetsOf(control.view);
  return html`
    <div class="control control-mask" data-key="${p.key}" role="group" aria-label="${name}" title="${p.help ?? ''}">
      ${field(p, control, name)}
      ${sheets.length > 0 ? stack(sheets, control.view, p.key) : nothing}
    </div>`;
}

