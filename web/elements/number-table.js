/**
 * The control of a table of reals: a field an entry, each named by its row and column, rows to add and take away where the study lets
 * them, and the text as a whole. It is folded unless it is one short row. A refused entry stays in its field, and the reason below.
 * Edits as text, and words, are in number-text.js.
 *
 * @import { Parameter } from '../engine/types.js'
 * @import { Control } from './control-parts.js'
 */
import { html, nothing } from 'lit';
import { describedBy, errorLine, invalid, nameOf, typing } from './control-parts.js';
import {
  columnName, complaint, entryName, isBegun, isEntry, isNonFinite, nonFiniteWords, ofLength, parseTable, rowName, shownEntry, shownTable, sizesOf, sizeWords, stepped, withEntry, withoutRow, withRow,
} from './number-text.js';
import { unhurried } from './unhurried.js';

/** A single row of so many entries is laid open. */
const FEW = 8;

/** Tables larger than this are edited as text alone. */
const MOST_FIELDS = 400;

/** Steps of an arrow key with Shift. */
const FAR = 10;

/** What the parts of one table share. @typedef {{p: Parameter, control: Control, text: string, rows: string[][], faulty: string, type: (text: string) => void, put: (text: string, said: string) => void}} Shown */

/** @param {Shown} shown @param {number} r @param {number} c */
function field({ p, control, text, rows, faulty, type }, r, c) {
  const entry = rows[r][c];
  const enter = (/** @type {string} */ typed) => type(withEntry(text, r, c, typed));
  const { onInput, onChange } = typing(enter, isBegun);
  const at = (/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.target);
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    const next = direction && !(event.ctrlKey || event.metaKey || event.altKey) ? stepped(at(event).value, p, direction * (event.shiftKey ? FAR : 1)) : null;
    if (next === null) return;
    event.preventDefault();
    at(event).value = next;
    enter(next);
  };
  const onFocus = (/** @type {Event} */ event) => {
    if (at(event).value === entry) return;
    at(event).value = entry;
    // with the text goes the selection that a Tab has made
    at(event).select();
  };
  const wrong = Boolean(control.error) && (!faulty || !isEntry(entry, p));
  return html`<input type="text" class="entry${isNonFinite(entry) ? ' non-finite' : ''}" data-entry="${r}:${c}" autocomplete="off" spellcheck="false" autocapitalize="off"
    aria-label="${entryName(p, r, c, sizesOf(rows))}" title="${entry === shownEntry(entry) ? nothing : entry}" .value="${unhurried(shownEntry(entry), control.view.arrivals)}"
    aria-invalid="${wrong ? 'true' : nothing}" aria-describedby="${wrong ? describedBy(control) : nothing}" ?disabled="${control.view.still}"
    @input="${onInput}" @change="${onChange}" @keydown="${onKey}"
    @focus="${onFocus}" @blur="${(/** @type {Event} */ event) => { at(event).value = shownEntry(entry); }}">`;
}

/** The focus goes to what has come, or to the neighbour of what is gone, once it is drawn. @param {Event} event @param {string} selector */
function focusLater(event, selector) {
  const control = /** @type {HTMLElement} */ (event.currentTarget).closest('.control-numbers');
  requestAnimationFrame(() => { /** @type {HTMLElement | null | undefined} */ (control?.querySelector(selector))?.focus(); });
}

/** @param {Shown} shown */
function grid(shown) {
  const { p, control, text, rows, put } = shown;
  const { columns } = sizesOf(rows);
  const { still } = control.view;
  const remove = (/** @type {Event} */ event, /** @type {number} */ r) => {
    put(withoutRow(text, r), `${rowName(p, r)} is taken away`);
    focusLater(event, rows.length > 2 ? `[data-row="${Math.min(r, rows.length - 2)}"]` : '[data-entry="0:0"]');
  };
  return html`
    <div class="entries-scroll"><table class="entries-grid">
      <thead><tr><td></td>${Array.from({ length: columns }, (_, c) => html`<th scope="col">${p.columnNames?.[c] ? columnName(p, c) : c + 1}</th>`)}</tr></thead>
      <tbody>${rows.map((row, r) => html`<tr><th scope="row">${rowName(p, r)}</th>${row.map((_, c) => html`<td>${field(shown, r, c)}</td>`)}
        ${p.growable ? html`<td><button class="button sheet-button" type="button" data-row="${r}" aria-label="take ${rowName(p, r)} away" title="take ${rowName(p, r)} away"
          ?disabled="${still || rows.length === 1}" @click="${(/** @type {Event} */ event) => remove(event, r)}">${'×'}</button></td>` : nothing}</tr>`)}</tbody>
    </table></div>`;
}

/**
 * A single row, laid open. Where its entries have no names of their own there may be more or fewer of them, as the core allows.
 * @param {Shown} shown
 */
function oneRow(shown) {
  const { p, control, text, rows: [row], put } = shown;
  const { view, id } = control;
  const count = row.length;
  const button = (/** @type {string} */ sign, /** @type {string} */ label, /** @type {number} */ columns) => html`
    <button class="button sheet-button" type="button" aria-label="${label}" title="${label}" ?disabled="${view.still || columns === 0}"
      @click="${() => put(ofLength(text, columns, p), `${p.label}: ${columns} numbers`)}">${sign}</button>`;
  return html`
    <div class="control control-numbers one-row" data-key="${p.key}" role="group" aria-labelledby="${id}-name" title="${p.help ?? ''}">
      <span class="control-name" id="${id}-name"><i>${nameOf(p)}</i></span>
      <span class="entries-row">${row.map((_, c) => html`<span class="entry-with-name">${p.columnNames?.[c] ? html`<i aria-hidden="true">${p.columnNames[c]}</i>` : nothing}${field(shown, 0, c)}</span>`)}
        ${p.columnNames?.length ? nothing : html`<span class="sheet-buttons">${button('+', 'one number more', count + 1)}${button('−', 'one number fewer', count - 1)}</span>`}</span>
      ${errorLine(control)}
    </div>`;
}

/** @param {Shown} shown @param {boolean} drawn */
function unfolded(shown, drawn) {
  const { p, control, text, rows, faulty, type, put } = shown;
  const { view, id } = control;
  const { onInput, onChange } = typing(type);
  const add = (/** @type {Event} */ event) => {
    put(withRow(text, p), `${rowName(p, rows.length)} is added`);
    focusLater(event, `[data-entry="${rows.length}:0"]`);
  };
  const mayDraw = !drawn && view.plate.drawn?.[p.key] && !view.plate.drawn[p.key].own;
  const odd = nonFiniteWords(text, p);
  return html`
    ${rows.length === 0 ? nothing : rows.length * sizesOf(rows).columns > MOST_FIELDS ? html`<p class="entries-note">So many entries are edited as text.</p>` : grid(shown)}
    ${odd ? html`<p class="entries-note"><span class="odd-mark" aria-hidden="true"></span>${odd}.</p>` : nothing}
    ${drawn ? html`<p class="entries-note">These are drawn; the first entry you type makes them yours.</p>` : nothing}
    ${p.growable || mayDraw ? html`<p class="entries-buttons">
      ${p.growable ? html`<button class="button" type="button" data-action="add-row" ?disabled="${view.still}" @click="${add}">add a ${p.rowName || 'row'}</button>` : nothing}
      ${mayDraw ? html`<button class="button" type="button" data-action="draw-table" ?disabled="${view.still}" @click="${() => put('', `${p.label} are drawn`)}">as drawn</button>` : nothing}</p>` : nothing}
    <label class="entries-text"><span>as text</span><input type="text" class="table-text" id="${id}-text" autocomplete="off" spellcheck="false" autocapitalize="off" aria-label="${p.label || p.key}, as text"
      .value="${unhurried(text, view.arrivals)}" aria-invalid="${faulty ? nothing : invalid(control)}" aria-describedby="${describedBy(control)}" ?disabled="${view.still}" @input="${onInput}" @change="${onChange}"
      @blur="${(/** @type {Event} */ event) => { /** @type {HTMLInputElement} */ (event.target).value = text; }}"></label>`;
}

/**
 * @param {Parameter} p
 * @param {Control} given
 */
export function numberTable(p, given) {
  const { view, id } = given;
  const { text: standing, drawn, along } = shownTable(p.key, view.plate.drawn ?? {}, view.params, view.series);
  const text = given.error ? String(given.value) : standing;
  const rows = parseTable(text);
  const faulty = given.error ? complaint(text, p) : '';
  const control = { ...given, error: faulty || given.error };
  /** @type {Shown} */
  const shown = {
    p, control, text, rows, faulty,
    type: (typed) => view.type(p.key, typed, along),
    put: (next, said) => view.type(p.key, next, along, said),
  };
  const name = nameOf(p);
  // by what stands, so that a refused entry does not take the fields from under the hand
  const [row, ...others] = parseTable(standing);
  if (!p.growable && row && row.length <= FEW && others.length === 0 && rows.length === 1) return oneRow(shown);
  const fold = `numbers:${p.key}`;
  const open = view.openTables.has(fold);
  return html`
    <div class="control control-numbers" data-key="${p.key}" role="group" aria-label="${name}" title="${p.help ?? ''}">
      <details class="entries" ?open="${open}" @toggle="${(/** @type {Event} */ event) => view.openTable(fold, /** @type {HTMLDetailsElement} */ (event.target).open)}">
        <summary><i class="control-name">${name}</i> <span class="entries-size">${drawn ? `${sizeWords(text, p).split(':')[0]}, as drawn` : sizeWords(text, p)}</span></summary>
        ${open ? html`<div class="entries-body">${unfolded(shown, drawn)}</div>` : nothing}
      </details>
      ${errorLine(control)}
    </div>`;
}
