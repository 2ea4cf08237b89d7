/**
 * The controls of a plate, made from the declaration of its parameters alone: native inputs, one template a kind. A new parameter
 * in the registry needs nothing here. They hold no state: values come in with the view, edits go out through `edit`.
 *
 * @import { Parameter } from '../engine/types.js'
 * @import { LengthsMode } from './lengths.js'
 * @import { Control } from './control-parts.js'
 * @import { View } from './template.js'
 */
import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { describedBy, errorLine, invalid, nameOf, nameSeen, numberOrText, spoken, typing, underItsName } from './control-parts.js';
import { complaint, fieldName, inMode, isLength, parseLengths, withLength } from './lengths.js';
import { maskEditor } from './mask-editor.js';
import { numberTable } from './number-table.js';
import { isBegun } from './number-text.js';
import { lastPosition, nudge, positionOf, valueAt } from './positions.js';
import { inWords, nextSeed } from './state.js';
import { unhurried } from './unhurried.js';
import { choiceName } from './words.js';
import { sliderScale } from '../chart/scale.js';

/** A slider over more values than this, one a step, could not be aimed at; the number is typed instead. */
const SLIDER_LIMIT = 4096;

/**
 * A range input whose keys move by the parameter's own scale.
 * @param {Parameter} p
 * @param {Control} control
 */
function range(p, control) {
  const { view, id } = control;
  const value = Number(control.value);
  const edit = (/** @type {number} */ next) => view.edit(p.key, next);
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = nudge(p, value, event.key, event.shiftKey);
    if (next === null) return;
    event.preventDefault();
    edit(next);
  };
  return html`
    <div class="control control-range" data-key="${p.key}" title="${p.help ?? ''}">
      ${view.picture(sliderScale(p))}
      <label class="control-name" for="${id}"><i>${nameSeen(p)}</i></label>
      <output class="control-value" for="${id}" aria-live="off">${spoken(p, value)}</output>
      <input type="range" id="${id}" min="0" max="${lastPosition(p)}" step="1" .value="${live(String(positionOf(p, value)))}"
        aria-valuetext="${spoken(p, value)}" aria-invalid="${invalid(control)}" aria-describedby="${describedBy(control)}" ?disabled="${view.still}"
        @input="${(/** @type {InputEvent} */ event) => edit(valueAt(p, Number(/** @type {HTMLInputElement} */ (event.target).value)))}"
        @keydown="${onKey}">
      ${errorLine(control)}
    </div>`;
}

/**
 * A real: a range input for round values, and a field for any other.
 * @param {Parameter} p
 * @param {Control} control
 */
function real(p, control) {
  const { view, id, value } = control;
  const name = nameOf(p);
  // an entry that is refused, or about to be, stands in the field; the slider stays where the plate is
  const wanted = view.params[p.key];
  const allowed = typeof wanted === 'number' && wanted >= (p.min ?? -Infinity) && wanted <= (p.max ?? Infinity);
  const valid = Number(allowed ? wanted : view.shown[p.key]);
  const edit = (/** @type {number} */ next) => view.edit(p.key, next);
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = nudge(p, valid, event.key, event.shiftKey);
    if (next === null) return;
    event.preventDefault();
    edit(next);
  };
  const { onInput, onChange } = typing((text) => view.type(p.key, numberOrText(text)), isBegun);
  const onBlur = (/** @type {FocusEvent} */ event) => { /** @type {HTMLInputElement} */ (event.target).value = String(value); };
  return html`
    <div class="control control-range control-real" data-key="${p.key}" title="${p.help ?? ''}">
      ${view.picture(sliderScale(p))}
      <label class="control-name" for="${id}"><i>${name}</i></label>
      <span class="control-value"><input type="text" class="real-text" inputmode="${(p.min ?? 0) < 0 ? nothing : 'decimal'}" autocomplete="off" spellcheck="false"
        aria-label="${name}, typed" .value="${unhurried(String(value), view.arrivals)}" aria-invalid="${invalid(control)}" aria-describedby="${describedBy(control)}"
        ?disabled="${view.still}" @input="${onInput}" @change="${onChange}" @blur="${onBlur}">${p.unit ? ` ${p.unit}` : nothing}</span>
      <input type="range" id="${id}" min="0" max="${lastPosition(p)}" step="1" .value="${live(String(positionOf(p, valid)))}"
        aria-valuetext="${spoken(p, valid)}" ?disabled="${view.still}"
        @input="${(/** @type {InputEvent} */ event) => edit(valueAt(p, Number(/** @type {HTMLInputElement} */ (event.target).value)))}"
        @keydown="${onKey}">
      ${errorLine(control)}
    </div>`;
}

/**
 * @param {Parameter} p
 * @param {Control} control
 */
function number(p, control) {
  const { view, id, value } = control;
  const { onInput, onChange } = typing((text) => view.type(p.key, numberOrText(text)));
  const isSeed = p.key === 'seed';
  const again = () => view.edit(p.key, nextSeed(Number(view.params[p.key]), p.min ?? 0, p.max ?? 2 ** 32 - 1));
  return html`
    <div class="control ${isSeed ? 'control-seed' : 'control-number'}" data-key="${p.key}" title="${p.help ?? ''}">
      <label class="control-name" for="${id}"><i>${nameOf(p)}</i></label>
      <input type="number" id="${id}" min="${p.min ?? nothing}" max="${p.max ?? nothing}" step="${p.step ?? 1}" .value="${live(String(value))}"
        aria-invalid="${invalid(control)}" aria-describedby="${describedBy(control)}" ?disabled="${view.still}" @input="${onInput}" @change="${onChange}">
      ${isSeed ? html`<button class="button" type="button" ?disabled="${view.still}" @click="${again}">draw again</button>` : nothing}
      ${errorLine(control)}
    </div>`;
}

/**
 * One filled segment among several.
 * @param {{name: string, label: string, checked: boolean, still: boolean, choose: () => void}} segment
 */
const segment = ({ name, label, checked, still, choose }) => html`<label class="segment">
  <input type="radio" name="${name}" .checked="${live(checked)}" ?disabled="${still}" @change="${choose}"><span>${label}</span></label>`;

/**
 * @param {Parameter} p
 * @param {Control} control
 */
function choice(p, control) {
  const { view, id, value } = control;
  return html`
    <fieldset class="control control-choice" data-key="${p.key}" title="${p.help ?? ''}">
      <legend class="control-name"><i>${nameOf(p)}</i></legend>
      <div class="segments">${(p.choices ?? []).map((label) => segment({
        name: id, label: choiceName(label), checked: label === value, still: view.still, choose: () => view.edit(p.key, label),
      }))}</div>
      ${errorLine(control)}
    </fieldset>`;
}

/**
 * @param {Parameter} p
 * @param {Control} control
 */
function flag(p, control) {
  const { view, value } = control;
  return html`
    <div class="control control-flag" data-key="${p.key}" title="${p.help ?? ''}">
      <label class="segment"><input type="checkbox" .checked="${live(value === true)}" ?disabled="${view.still}"
        @change="${(/** @type {Event} */ event) => view.edit(p.key, /** @type {HTMLInputElement} */ (event.target).checked)}"><span>${nameOf(p)}</span></label>
      ${errorLine(control)}
    </div>`;
}

/** @type {[LengthsMode, string][]} */
const lengthsModes = [['sequence', 'per sequence'], ['query', 'per query'], ['none', 'none']];

/**
 * One field a sequence or a query. It speaks of batch, queries and keys, which a study with a lengths parameter declares.
 * @param {Parameter} p
 * @param {Control} control
 */
function lengths(p, control) {
  const { view, id } = control;
  const text = String(control.value);
  const { mode, rows } = parseLengths(text);
  const sizes = { batch: Number(view.params.batch), queries: Number(view.params.queries), keys: Number(view.params.keys) };
  const words = control.error && complaint(text, sizes.keys);
  /** @param {number} b @param {number} q @param {string} field */
  const cell = (b, q, field) => {
    const { onInput, onChange } = typing((typed) => view.type(p.key, withLength(text, b, q, typed)));
    return html`<input type="number" min="0" max="${sizes.keys}" step="1" aria-label="valid length of ${fieldName(mode, b, q)}" .value="${live(field)}"
      aria-invalid="${words && isLength(field, sizes.keys) ? nothing : invalid(control)}" aria-describedby="${describedBy(control)}" ?disabled="${view.still}"
      @input="${onInput}" @change="${onChange}">`;
  };
  return html`
    <div class="control control-lengths" data-key="${p.key}" role="group" aria-labelledby="${id}-name" title="${p.help ?? ''}">
      <span class="control-name" id="${id}-name"><i>${nameOf(p)}</i></span>
      <div class="segments" role="radiogroup" aria-label="how ${nameOf(p)} are given">${lengthsModes.map(([each, label]) => segment({
        name: id, label, checked: each === mode, still: view.still,
        choose: () => view.edit(p.key, each === 'none' ? '' : inMode(text, each, sizes)),
      }))}</div>
      <div class="lengths-fields">${rows.map((row, b) => html`<div class="lengths-row">${row.map((field, q) => cell(b, q, field))}</div>`)}</div>
      ${errorLine({ ...control, error: words || control.error })}
    </div>`;
}

/**
 * @param {Parameter} p
 * @returns {(p: Parameter, control: Control) => unknown}
 */
function templateOf(p) {
  switch (p.kind) {
    case 'integer': return p.scale !== 'log2' && (p.max ?? Infinity) - (p.min ?? 0) > SLIDER_LIMIT * (p.step ?? 1) ? number : range;
    case 'number': return real;
    case 'numbers': return numberTable;
    case 'choice': return choice;
    case 'flag': return flag;
    case 'lengths': return lengths;
    case 'mask': return (parameter, control) => maskEditor(parameter, control, nameOf(parameter));
    // a list belongs to another control: which sheets are laid aside is said in the stack
    default: return () => nothing;
  }
}

/**
 * The parameters in the plate's rows; those the plate does not name, in a row of their own at the end.
 * @param {Parameter[]} parameters
 * @param {string[][]} rows
 * @returns {Parameter[][]}
 */
export function inRows(parameters, rows) {
  const byKey = new Map(parameters.map((parameter) => [parameter.key, parameter]));
  const placed = rows.map((row) => row.flatMap((key) => byKey.get(key) ?? []));
  const rest = parameters.filter(({ key, kind }) => !rows.flat().includes(key) && kind !== 'list');
  return rest.length > 0 ? [...placed, rest] : placed;
}

/**
 * A parameter that chooses one of what the result counts, `sequence` of its `sequences`, goes no further than they do.
 * @param {Parameter} p
 * @param {View['series']} series of the result on show
 * @returns {Parameter}
 */
export function within(p, series) {
  const count = p.kind === 'integer' ? series[`${p.key}s`] : undefined;
  return count && count.shape.length === 1 && count.data.length === 1 ? { ...p, max: Math.min(p.max ?? Infinity, Number(count.data[0])) } : p;
}

/** Where there is only one, nothing is chosen; a value beyond it waits to be mended. @param {View} view @param {Parameter} p */
const isChoice = ({ params }, { kind, key, min, max }) => kind !== 'integer' || max !== min || params[key] !== min;

/** What is measured is set by measuring. @param {View} view */
const byHand = ({ study, plate }) => study.parameters.filter(({ key }) => !plate.meter?.params.includes(key));

/** What of the reader's doing opens the folded rows, among the tables that he opens. */
export const FOLD = 'controls';

/**
 * The parameters whose controls are folded away: those of the rows that the plate folds, and those it does not name.
 * @param {Parameter[]} parameters
 * @param {View['plate']} plate
 */
export const foldedOf = (parameters, { controls: rows, folded }) => (folded ? parameters.filter(({ key, kind }) => kind !== 'list' && !rows.slice(0, folded.from).flat().includes(key)) : []);

/** @param {View} view @param {Parameter} p */
const control = (view, p) => templateOf(p)(p, {
  view,
  id: `${view.uid}-${p.key}`,
  value: view.rejected[p.key]?.value ?? view.params[p.key],
  error: underItsName(p, view.rejected[p.key]?.error.message),
  fault: view.rejected[p.key]?.error,
});

/**
 * What a folded control is set to, under the names that stand on it; of a table only that it is given.
 * @param {View} view
 * @param {Parameter} p
 */
const setting = ({ params }, p) => (p.kind === 'choice' ? choiceName(String(params[p.key])) : p.kind === 'numbers' ? `${nameOf(p)} given` : inWords([p], params, nameOf)[0]);

/**
 * The button that folds and unfolds rows. Beside it stands what they are set to where that is not what they begin with, while they are folded; and
 * why they cannot be: a complaint is not folded away.
 * @param {View} view
 * @param {unknown} rows
 */
function fold(view, rows) {
  const { plate, params, uid, rejected } = view;
  const open = view.openTables.has(FOLD);
  const idle = plate.idle?.(params) ?? [];
  const folded = foldedOf(byHand(view), plate);
  const held = folded.some(({ key }) => rejected[key]);
  // tables last: they say least
  const set = open ? [] : folded.filter(({ key, default: first }) => params[key] !== first && !idle.includes(key)).sort((a, b) => Number(a.kind === 'numbers') - Number(b.kind === 'numbers'));
  return html`<p class="fold-line"><button class="fold" type="button" aria-expanded="${open}" aria-controls="${uid}-fold" aria-disabled="${held ? 'true' : nothing}"
      ?disabled="${view.still}" @click="${() => { if (!held) view.openTable(FOLD, !open); }}">${plate.folded?.name}</button>${held ? ' · open while an entry is refused' : set.map((p) => ` · ${setting(view, p)}`)}</p>
    <div class="controls" id="${uid}-fold" ?hidden="${!open}">${rows}</div>`;
}

/** @param {View} view */
export function controls(view) {
  const { plate, series } = view;
  const rows = inRows(byHand(view), plate.controls).map((row, i) => html`
  ${plate.rowNames?.[i] ? html`<p class="controls-name">${plate.rowNames[i]}</p>` : nothing}
  <div class="control-row">${row.map((p) => within(p, series)).filter((p) => isChoice(view, p)).map((p) => control(view, p))}</div>`);
  const from = plate.folded?.from ?? rows.length;
  return html`<div class="controls">${rows.slice(0, from)}${from < rows.length ? fold(view, rows.slice(from)) : nothing}</div>`;
}
