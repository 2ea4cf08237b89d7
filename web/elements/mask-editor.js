/**
 * The control of a mask: the expression as text, and below it the stack of its sheets, each to be laid aside, stepped, moved or taken
 * away. The text is the state; the stack is made from the core's reading of it and writes it anew.
 *
 * @import { Parameter } from '../engine/types.js'
 * @import { Control } from './control-parts.js'
 */
import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { joined, kindsFor, moved, numbersIn, stackParams, withNumber, withNumbersOf } from './mask-words.js';
import { unhurried } from './unhurried.js';

/** Sheets longer than this are cut on their row; the text field has them whole. */
const LONGEST = 44;

/** Numbers of a sheet that have a field each; longer lists are for the text. */
const MOST_FIELDS = 8;

/** As many sheets as the core takes. */
const MOST_SHEETS = 16;

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
  // what stands here otherwise than in the plate is entered by Enter
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const { value: typed } = /** @type {HTMLInputElement} */ (event.target);
    if (event.key === 'Enter' && !event.isComposing && typed !== String(value)) view.type(p.key, typed);
  };
  const onBlur = (/** @type {FocusEvent} */ event) => { /** @type {HTMLInputElement} */ (event.target).value = String(value); };
  return html`
    <label class="control-name" for="${id}"><i>${name}</i></label>
    <input type="text" class="mask-text" id="${id}" spellcheck="false" autocomplete="off" autocapitalize="off" .value="${unhurried(String(value), view.arrivals)}"
      placeholder="${p.default === '' ? 'none' : nothing}" aria-invalid="${fault ? 'true' : nothing}" aria-describedby="${fault ? `${id}-error` : nothing}" ?disabled="${view.still}" @input="${onInput}" @keydown="${onKey}" @blur="${onBlur}">
    ${fault ? html`<div class="control-error" id="${id}-error">${fault.at === undefined ? nothing : caret(String(value), fault.at)}<span>${fault.message}</span></div>` : nothing}`;
}

/**
 * A sheet's expression with its numbers as fields; those that were refused say so.
 * @param {{text: string, good: string, index: number, control: Control, change: (text: string) => void}} sheet `good`: as the figure has it
 */
function expression({ text, good, index, control, change }) {
  const numbers = numbersIn(text);
  if (numbers.length === 0 || numbers.length > MOST_FIELDS) return html`<i class="sheet-text" title="${text}">${short(text)}</i>`;
  const taken = numbersIn(good);
  const rest = text.slice(numbers.reduce((length, { before, number }) => length + before.length + number.length, 0));
  const fields = numbers.map(({ before, number }, i) => {
    const refused = control.fault !== undefined && number !== taken[i]?.number;
    const onInput = (/** @type {InputEvent} */ event) => {
      const typed = /** @type {HTMLInputElement} */ (event.target).value;
      if (typed !== '') change(withNumber(text, i, typed));
    };
    return html`<i>${before}</i><input type="number" class="${number.length > 2 ? 'long' : nothing}" min="0" step="1" .value="${live(number)}" aria-label="number ${i + 1} of ${good}, sheet ${index + 1}"
      aria-invalid="${refused ? 'true' : nothing}" aria-describedby="${refused ? `${control.id}-error` : nothing}" ?disabled="${control.view.still}" @input="${onInput}">`;
  });
  return html`<span class="sheet-text">${fields}<i>${rest}</i></span>`;
}

/**
 * The focus goes where the sheet goes; from one that is taken away to its neighbour.
 * @param {Event} event of a button in a row
 * @param {number} row
 * @param {number[]} buttons in the row: the first that can be pressed
 */
function focusRow(event, row, buttons) {
  const list = /** @type {HTMLElement} */ (event.currentTarget).closest('.sheet-stack');
  const found = list?.children[row]?.querySelectorAll('button');
  const button = buttons.map((i) => found?.[i]).find((each) => each && !each.disabled);
  button?.focus();
}

/**
 * @param {Sheet[]} sheets as the figure has them
 * @param {Control} control
 * @param {string} key
 */
function stack(sheets, control, key) {
  const { view, value, fault } = control;
  const texts = sheets.map(({ text }) => text);
  const drafts = fault ? withNumbersOf(texts, String(value)) : texts;
  const put = (/** @type {Sheet[]} */ next, /** @type {string} */ said) => {
    const { mask, off } = stackParams(next);
    view.change({ [key]: mask, off }, said);
  };
  const button = (/** @type {string} */ label, /** @type {string} */ sign, /** @type {boolean} */ possible, /** @type {(event: Event) => void} */ act) => html`
    <button class="button sheet-button" type="button" aria-label="${label}" title="${label}" ?disabled="${view.still || !possible}" @click="${act}">${sign}</button>`;
  const last = sheets.length - 1;
  const row = (/** @type {Sheet} */ sheet, /** @type {number} */ i) => {
    const name = short(sheet.text);
    const flip = () => put(sheets.map((each, j) => (j === i ? { ...sheet, on: !sheet.on } : each)), `${name} is ${sheet.on ? 'laid aside' : 'laid on'}`);
    const move = (/** @type {Event} */ event, /** @type {number} */ to) => {
      put(moved(sheets, i, to), `${name} is sheet ${to + 1}`);
      focusRow(event, to, to < i ? [0, 1] : [1, 0]);
    };
    const remove = (/** @type {Event} */ event) => {
      put(sheets.filter((_, j) => j !== i), `${name} is taken away`);
      // with a single sheet left, nothing of it can be pressed but its switch
      if (last > 1) focusRow(event, Math.min(i, last - 1), [2]);
      else /** @type {HTMLElement} */ (event.currentTarget).closest('.sheet-stack')?.querySelector('input')?.focus();
    };
    return html`
    <li class="sheet-row ${sheet.on ? '' : 'laid-aside'}">
      <label class="sheet-switch"><input type="checkbox" .checked="${live(sheet.on)}" aria-label="sheet ${i + 1}, ${name}, laid on" ?disabled="${view.still}" @change="${flip}"></label>
      ${expression({ text: drafts[i], good: sheet.text, index: i, control, change: (text) => view.type(key, joined(drafts.map((each, j) => (j === i ? text : each)))) })}
      <span class="sheet-buttons">
        ${button(`move ${name} up`, '↑', i > 0, (event) => move(event, i - 1))}
        ${button(`move ${name} down`, '↓', i < last, (event) => move(event, i + 1))}
        ${button(`take ${name} away`, '×', last > 0, remove)}
      </span>
    </li>`;
  };
  return html`
    <ol class="sheet-stack" aria-label="sheets">${sheets.map(row)}</ol>
    ${more(view, sheets.length < MOST_SHEETS, (text) => put([...sheets, { text, on: true }], `${short(text)} is added as sheet ${sheets.length + 1}`))}`;
}

/**
 * The kinds of terms, and a button that lays one on: a menu alone would add at every arrow key.
 * @param {import('./template.js').View} view
 * @param {boolean} possible
 * @param {(text: string) => void} add
 */
function more(view, possible, add) {
  const sizes = { queries: Number(view.params.queries), keys: Number(view.params.keys) };
  const act = (/** @type {Event} */ event) => {
    const menu = /** @type {HTMLSelectElement} */ (/** @type {HTMLElement} */ (event.currentTarget).previousElementSibling);
    const kind = kindsFor(sizes).find(({ name }) => name === menu.value);
    if (kind) add(kind.first(sizes));
  };
  return html`
    <div class="sheet-add">
      <select class="sheet-kind" aria-label="kind of the sheet to add" ?disabled="${view.still || !possible}">
        ${kindsFor(sizes).map(({ name, about }) => html`<option value="${name}">${name}: ${about}</option>`)}
      </select><button class="button" type="button" data-action="add-sheet" ?disabled="${view.still || !possible}" @click="${act}">add a sheet</button>
    </div>`;
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
      ${sheets.length > 0 ? stack(sheets, control, p.key) : nothing}
    </div>`;
}

