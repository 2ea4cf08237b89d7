/**
 * The whole of a plate as one Lit template of a view: controls, presets, messages, figures, readout, foot. Pure. The same template makes the
 * live element and, written out as text (static.js), the picture that stands in the page before any script has run; so nothing moves
 * when one takes the other's place.
 *
 * @import { Drawing, Figure, Plate, VNode } from '../chart/types.js'
 * @import { MeasureView } from './measure.js'
 * @import { ErrorValue, Params, ParameterValue, Preset, Series, Study } from '../engine/types.js'
 */
import { html, nothing } from 'lit';
import { codePanel } from './code-panel.js';
import { controls } from './controls.js';
import { measureRow } from './measure.js';
import { dataTable, richText } from './rich.js';
import { isPreset } from './state.js';
import { atFirstSetting } from './words.js';

/**
 * @typedef {object} Rejected an entry the core refused, kept so that it stands beside its reason
 * @property {ParameterValue} value
 * @property {ErrorValue} error
 * @property {Params} [along] what was to change with it
 *
 * @typedef {object} View
 * @property {Study} study
 * @property {Plate} plate
 * @property {Params} params what the controls show
 * @property {Params} shown parameters of the result on show, all valid
 * @property {Record<string, Rejected>} rejected
 * @property {number} arrivals states that came from elsewhere: an address, a preset, reset, a program
 * @property {string} notice
 * @property {string} error a failure that belongs to no control
 * @property {string} announcement said to screen readers only
 * @property {boolean} busy an answer has been awaited for a while
 * @property {number | null} share of the awaited answer that is done, 0 to 1; null while nothing is known of it
 * @property {MeasureView | null} measuring of a plate that can measure the machine
 * @property {Record<string, Series>} series of the result on show
 * @property {string} code lines of the framework that make the numbers on show
 * @property {string} copied
 * @property {() => void} copyCode
 * @property {Drawing} drawing
 * @property {string} uid
 * @property {boolean} still true in the static picture: nothing can be operated
 * @property {string} status where the numbers are computed
 * @property {string} printLine
 * @property {ReadonlySet<string>} openTables figures whose table of values is open, and tables of numbers that are unfolded
 * @property {(node: VNode) => unknown} picture markup of an SVG tree, or nothing where it is patched in later
 * @property {(key: string, value: ParameterValue) => void} edit a change that is valid by itself
 * @property {(key: string, value: ParameterValue, along?: Params, said?: string) => void} type a typed entry, which the core may refuse, what changes with it, and what to say of it
 * @property {(params: Record<string, ParameterValue>, said: string) => void} change several at once, and what to say of it
 * @property {(preset: Preset) => void} choose
 * @property {() => void} reset
 * @property {() => void} copyLink
 * @property {(table: string, open: boolean) => void} openTable
 */

/** @param {View} view @param {Preset[]} list @param {string} name */
const presetRow = (view, list, name) => (list.length === 0 ? nothing : html`
  <div class="presets" role="group" aria-label="${name}">${list.map((preset) => html`
    <button class="button" type="button" data-preset="${preset.id}" ?disabled="${view.still}"
      aria-pressed="${isPreset(preset, view.params) ? 'true' : 'false'}"
      @click="${() => view.choose(preset)}">${preset.label}</button>`)}</div>`);

/**
 * Examples, then mistakes: those that say what goes wrong. What the one on show says stands below, in place for a reader who goes through them.
 * @param {View} view
 */
function presets(view) {
  const told = view.study.presets.filter(({ note }) => note);
  const shown = told.find((preset) => isPreset(preset, view.params));
  const examples = presetRow(view, view.study.presets.filter(({ note }) => !note), 'examples');
  return told.length === 0 ? examples : html`
    <p class="presets-name">examples</p>${examples}
    <p class="presets-name">mistakes</p>${presetRow(view, told, 'mistakes')}
    <div class="preset-note" role="status">${shown ? html`<div class="ruled-note warning"><b>What goes wrong.</b> ${shown.note}</div>` : nothing}</div>`;
}

/**
 * A figure that can be dragged is a slider of its own; one that cannot is a group whose marks are walked by arrow keys; one that stands still is an image.
 * @param {View} view
 * @param {Figure} figure
 */
function canvas(view, figure) {
  const { uid, study, params } = view;
  const describedBy = `${uid}-${figure.id}-summary`;
  if (view.still) {
    return html`<div class="canvas" data-figure="${figure.id}" role="img" aria-label="figure ${figure.number}" aria-describedby="${describedBy}">${view.picture(figure.node)}</div>`;
  }
  const parameter = figure.drag && study.parameters.find(({ key }) => key === figure.drag?.param);
  if (figure.drag && parameter) {
    return html`
      <div class="canvas can-drag" tabindex="0" data-figure="${figure.id}" role="slider" aria-label="figure ${figure.number}: ${figure.drag.label}"
        aria-valuemin="${parameter.min}" aria-valuemax="${parameter.max}" aria-valuenow="${params[parameter.key]}"
        aria-valuetext="${parameter.symbol || parameter.label} = ${params[parameter.key]}" aria-describedby="${describedBy}"
        >${view.picture(figure.node)}<div class="tip" hidden></div></div>`;
  }
  const [handles, idle] = [(figure.handles ?? []).length > 0, figure.marks.length === 0];
  const keys = figure.paint ? ': arrows walk from pair to pair, space closes or opens one'
    : handles ? ': arrows walk from point to point, Enter takes one up and puts it down, arrows move it meanwhile' : '';
  return html`
    <div class="canvas" tabindex="${idle && !handles ? nothing : '0'}" data-figure="${figure.id}" role="${keys ? 'application' : 'group'}"
      aria-label="figure ${figure.number}${keys || (figure.marks.length > 1 ? ': arrows walk from mark to mark' : '')}" aria-describedby="${describedBy}"
      >${view.picture(figure.node)}<div class="tip" hidden></div></div>`;
}

/**
 * @param {View} view
 * @param {Figure} figure
 */
const figureTemplate = (view, figure) => html`
  <figure class="figure figure-${figure.id}">
    ${canvas(view, figure)}
    <figcaption><b class="fig-number">Fig. ${figure.number}.</b> ${richText(figure.caption)}</figcaption>
    <p class="visually-hidden" id="${view.uid}-${figure.id}-summary">${figure.summary}</p>
    <details class="data" ?open="${view.openTables.has(figure.id)}"
      @toggle="${(/** @type {Event} */ event) => view.openTable(figure.id, /** @type {HTMLDetailsElement} */ (event.target).open)}">
      <summary>values</summary>${view.openTables.has(figure.id) || view.still ? dataTable(figure.table) : nothing}</details>
  </figure>`;

/**
 * A thin rule that fills: by the share that is done where the core tells it, else slowly by itself. Its length is set by the element.
 * @param {boolean} busy
 * @param {number | null} share
 * @param {string} [name] of what is waited for
 */
export const waitRule = (busy, share, name = 'computing') => html`
  <div class="wait${share === null ? '' : ' known'}" ?hidden="${!busy}" role="progressbar" aria-label="${name}" aria-valuemin="0" aria-valuemax="100"
    aria-valuenow="${share === null ? nothing : Math.round(share * 100)}"><span></span></div>`;

/** @param {View} view */
export function plateTemplate(view) {
  const { study, drawing } = view;
  return html`
    <div class="plate plate-${study.id}${view.still ? ' is-still' : ''}" aria-busy="${view.busy ? 'true' : 'false'}">
      ${controls(view)}
      ${presets(view)}
      ${view.measuring ? measureRow(view.measuring) : nothing}
      <p class="notice" role="status">${view.notice}</p>
      <p class="error" role="alert">${view.error}</p>
      ${waitRule(view.busy || view.measuring?.running === true, view.measuring?.share ?? view.share, view.measuring?.running ? 'measuring' : undefined)}
      ${drawing.headline ? html`<p class="headline" role="status">${richText(drawing.headline)}</p>` : nothing}
      <div class="figures">
        ${drawing.figures.map((figure) => figureTemplate(view, figure))}
        ${drawing.readout ? html`<div class="readout">${dataTable(drawing.readout)}</div>` : nothing}
        ${drawing.note ? html`<div class="ruled-note ${drawing.note.kind}"><b>${drawing.note.title}</b> ${richText(drawing.note.text)}</div>` : nothing}
      </div>
      ${codePanel(view)}
      <div class="foot">
        <button class="button" type="button" data-action="reset" ?disabled="${view.still}" @click="${view.reset}">reset</button>
        <button class="button" type="button" data-action="copy-link" ?disabled="${view.still}" @click="${view.copyLink}">copy link</button>
        <span class="engine-status">${view.status}</span>
      </div>
      <p class="visually-hidden" aria-live="polite">${view.announcement}</p>
      <p class="print-link">${view.printLine}</p>
    </div>`;
}

/**
 * What is shown where there is no live plate, or not yet: why, and what stands in for it; what the page has put inside the element.
 * @param {object} of
 * @param {string | undefined} of.study
 * @param {boolean} of.busy
 * @param {number | null} of.share
 * @param {string} of.words why it stands still; '' while it need not
 * @param {string} of.asked the state that the address asks for, or ''
 * @param {boolean} of.inside whether the page has put a picture of the first setting inside the element
 * @param {string} of.picture the address of a picture that stands in, or ''
 * @param {View | null} of.view of the first setting, if that stands in
 */
export const stillTemplate = ({ study, busy, share, words, asked, inside, picture, view }) => html`${waitRule(busy, share)}
  <p class="error still" role="alert">${words}${words && (picture || view || (inside && asked)) ? atFirstSetting(asked) : nothing}</p>
  ${view ? plateTemplate(view) : picture ? html`<img class="still-picture" src="${picture}" alt="The plate ${study} at its first setting.">` : nothing}<slot></slot>`;
