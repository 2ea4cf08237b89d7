/**
 * How a plate looks inside its shadow root: figures on a grid, the tip, the readout, the ruled note, messages, and
 * the wait rule; with the controls (controls.css.js), the marks (chart.css.js) and the colours (tokens.css.js).
 *
 * `partsCss` is the same without `:host`, for the static picture that stands in a page before any script has run:
 * both are the same markup, so nothing moves when one takes the other's place.
 */

import { chartCss } from './chart.css.js';
import { controlsCss } from './controls.css.js';
import { family, hostTokens } from './tokens.css.js';

/** What the host is; pages say the same of `attention-plate`. */
export const hostText = `font-family: ${family}; font-size: 18px; font-style: normal; font-weight: 400; line-height: 1.45; text-align: left;
  font-feature-settings: "lnum", "kern", "liga"; color: var(--ap-ink);`;

const figuresCss = `
.plate { container: plate / inline-size; }
.plate .figures { display: grid; grid-template-columns: minmax(0, 1fr); gap: 30px 48px; margin-top: 22px; }
.plate .figure { margin: 0; min-width: 0; }
.plate .canvas { position: relative; }
.plate .canvas:focus-visible { outline: 1.5px solid var(--ap-ink); outline-offset: 6px; }
.plate .taken-ring { stroke: var(--ap-ink); stroke-width: 2; pointer-events: none; }
.plate figcaption { margin-top: 12px; font-size: 16px; line-height: 1.4; }
.plate .fig-number { font-weight: 500; letter-spacing: 0.04em; }
.plate .blue { color: var(--ap-blue); }
.plate .red { color: var(--ap-red); }
.plate-saturation .figure-entropy { grid-area: entropy; }
.plate-saturation .figure-weights { grid-area: weights; }
.plate-saturation .figure-jacobian { grid-area: jacobian; }
.plate-saturation .readout { grid-area: readout; }
.plate .readout { min-width: 0; overflow-x: auto; overflow-y: hidden; }
.plate-saturation .figures { grid-template: "entropy" auto "readout" auto "weights" auto "jacobian" auto / minmax(0, 1fr); }
@container plate (min-width: 820px) {
  .plate-saturation .figures { grid-template: "entropy entropy" auto "weights readout" auto "weights jacobian" 1fr / minmax(0, 1fr) calc((100% - 48px) * 0.36); }
}
@container plate (min-width: 820px) {
  .plate-ledger .figures { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
  .plate-ledger .figure-prose { grid-column: 1 / -1; }
}
.plate-kernels .figure-plane { grid-area: plane; }
.plate-kernels .figure-weights { grid-area: weights; }
.plate-kernels .figure-fields { grid-area: fields; }
.plate-kernels .figure-terms { grid-area: terms; }
.plate-kernels .ruled-note { grid-area: note; align-self: start; }
.plate-kernels .figures { grid-template: "plane" auto "weights" auto "fields" auto "note" auto "terms" auto "readout" auto / minmax(0, 1fr); }
@container plate (min-width: 820px) {
  .plate-kernels .figures { grid-template: "plane weights weights" auto "fields fields fields" auto "terms terms readout" auto "terms terms note" 1fr / calc((100% - 48px) * 0.46) minmax(0, 1fr) calc((100% - 48px) * 0.36); }
}
@container plate (min-width: 820px) {
  .plate-batched .figures { grid-template-columns: minmax(0, 1fr) calc(100% - 48px - (100% - 48px) * 0.56); }
  .plate-batched .figures > :is(.figure-flow, .figure-sums, .ruled-note) { grid-column: 1 / -1; }
}
.plate-batched .figures > .ruled-note { order: 1; }
.plate-batched .figures > :is(.figure-stored, .figure-shapes, .figure-sums) { order: 2; }
.plate-additive .figures { grid-template-columns: minmax(0, 1fr); }
.plate-additive .figure-weights, .plate-additive .readout { grid-area: auto; }
.plate-additive .figures > .readout { order: 1; }
.plate-additive figcaption .blue { white-space: nowrap; }
.plate-additive .figures > .figure:not(.figure-weights) { order: 2; }
@container plate (min-width: 820px) {
  .plate-additive .figures { grid-template-columns: calc((100% - 48px) * 0.5) 48px calc((100% - 48px) * 0.16 - 48px) 48px minmax(0, 1fr); gap: 34px 0; }
  .plate-additive .figure { grid-column: 1 / -1; }
  .plate-additive .figure-weights { grid-area: 1 / 1 / auto / 4; }
  .plate-additive .readout { grid-area: 1 / 5; align-self: start; margin-top: 10px; }
  .plate-additive .figure-parameters { grid-column: 1; }
  .plate-additive .figure-variance { grid-column: 3 / -1; }
}
.plate-cost .readout { order: 1; }
.plate-cost .figures > .ruled-note { order: 1; }
.plate-cost .figures > .figure:not(.figure-roofline) { order: 2; }
.plate-cost .readout caption { text-wrap: pretty; }
.plate-cost .readout th { white-space: normal; }
@container plate (min-width: 820px) {
  .plate-cost .figures { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
  .plate-cost .figures > :is(.figure-roofline, .figure-growth, .figure-race, .readout, .ruled-note) { grid-column: 1 / -1; }
}
.plate-masks .figures > .ruled-note { order: 1; }
.plate-masks .figures > .figure-tells { order: 2; }
.plate-precision .figures > .ruled-note { order: 1; }
.plate-precision .figures > :is(.figure-formats, .figure-layers) { order: 2; }
.plate .tip { padding: 1px 9px 2px; border: 1px solid var(--ap-ink); background: var(--ap-sheet); color: var(--ap-ink); font-size: 15px; line-height: 1.35; font-feature-settings: "lnum", "tnum"; }

.plate table { border-collapse: collapse; font-size: 16px; font-feature-settings: "lnum", "tnum"; }
.plate th, .plate td { padding: 4px 0 4px 18px; text-align: right; font-weight: 400; white-space: nowrap; }
.plate th:first-child { padding-left: 0; text-align: left; }
.plate thead th { border-bottom: 1px solid var(--ap-ink); font-style: italic; }
.plate tbody tr + tr > * { border-top: 1px solid var(--ap-hairline); }
.plate caption { caption-side: bottom; padding-top: 8px; text-align: left; font-size: 15px; color: var(--ap-soft); }
.plate .readout table { width: 100%; }
.plate .readout th, .plate .readout td { padding: 5px 0 5px 12px; }
.plate .readout th:first-child { padding-left: 0; }
.plate-saturation .readout :is(th, td):is(:nth-child(3), :nth-child(5)) { width: 3.6em; padding-left: 6px; text-align: left; font-size: 15px; color: var(--ap-soft); font-style: normal; }
@container plate (max-width: 559px) {
  .plate-cost .readout table { font-size: 14px; }
  .plate-cost .readout :is(th, td):not(:first-child) { padding-left: 10px; }
}
@container plate (min-width: 820px) and (max-width: 919px) {
  .plate .readout :is(table, caption) { font-size: 15px; }
  .plate .readout th, .plate .readout td { padding-left: 6px; }
  .plate-saturation .readout :is(th, td):is(:nth-child(3), :nth-child(5)) { width: 3.4em; padding-left: 4px; font-size: 14px; }
}
@container plate (max-width: 559px) {
  .plate .readout th, .plate .readout td { padding-left: 5px; }
  .plate-saturation .readout :is(th, td):is(:nth-child(3), :nth-child(5)) { width: 3.4em; padding-left: 4px; }
}

.plate .data { margin: 2px -7px 0; padding: 0 7px; overflow-x: auto; font-size: 15px; }
/* What opens and closes: a table of values, code, controls that are folded away. */
.plate :is(.data summary, .code summary) { width: max-content; max-width: 100%; margin-left: -6px; padding: 1px 6px; font-style: italic; }
.plate .fold { padding: 1px 0 1px 4px; }
.plate :is(summary, .fold) { cursor: pointer; list-style: none; }
.plate summary::-webkit-details-marker { display: none; }
.plate :is(.data summary, .code summary, .fold)::before { content: "+"; content: "+" / ""; display: inline-block; width: 0.8em; font-style: normal; }
.plate :is(.data[open] summary, .code[open] summary, .fold[aria-expanded="true"])::before { content: "−"; content: "−" / ""; }
.plate .data summary { margin-block: 1px; }
.plate :is(.data summary, .fold:enabled) { color: var(--ap-soft); }
.plate :is(.data summary, .fold:enabled):hover { color: var(--ap-ink); }
.plate :is(.data summary, .code summary, .code pre, .fold):focus-visible { outline: 1.5px solid var(--ap-ink); outline-offset: -1px; }
.plate .data table { margin: 6px 0 10px; font-size: 15px; }
.plate .data caption { caption-side: top; padding: 0 0 4px; }

.plate .ruled-note { border: 1px solid var(--ap-rule); padding: 12px 18px; font-size: 17px; }
.plate .ruled-note.warning { border-color: var(--ap-red); }
.plate .ruled-note b { font-weight: 500; }
.plate .ruled-note.warning b { color: var(--ap-red); }
.plate .notice, .error { margin: 14px 0 0; overflow-wrap: anywhere; }
.plate .notice:empty, .error:empty { display: none; }
/* above the picture that stands in, which may be several screens tall */
.error.still { margin: 0 0 14px; }
/* what a hand may do keeps its place where nothing can be done, so that nothing moves when the live plate comes */
.plate.is-still .act { visibility: hidden; }
.still-picture { display: block; max-width: 100%; height: auto; }
.plate .notice { padding-left: 12px; border-left: 1px solid var(--ap-ink); font-style: italic; font-size: 16px; }
.error { border: 1px solid var(--ap-red); padding: 10px 16px; color: var(--ap-red); font-size: 17px; }
.plate .wait { position: relative; height: 0; }
.plate .wait span { top: 10px; }
.wait span { position: absolute; top: 0; left: 0; width: 100%; height: 1.5px; background: var(--ap-ink); transform-origin: 0 50%; animation: plate-wait 4s cubic-bezier(0.1, 0.7, 0.3, 1) both; }
.wait.known span { animation: none; transition: transform 0.12s linear; }
@keyframes plate-wait { from { transform: scaleX(0); } to { transform: scaleX(0.96); } }
.plate .headline { margin: 24px 0 -4px; font-size: 25px; line-height: 1.25; font-feature-settings: "lnum", "tnum"; }
/* As tall as the longest that a drag brings: the plane stays under the finger that moves a point. */
@container plate (max-width: 860px) { .plate-kernels .headline { min-height: 2.5em; } }
@container plate (max-width: 559px) { .plate-kernels .headline { min-height: 3.75em; } }
.plate .code { margin-top: 24px; padding-top: 8px; border-top: 1px solid var(--ap-hairline); font-size: 16px; }
.plate .code pre { margin: 8px 0 10px; padding: 11px 16px; border: 1px solid var(--ap-hairline); overflow-x: auto; tab-size: 4; white-space: pre;
  font-family: ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 13.5px; line-height: 1.5; }
.plate .code pre code { font: inherit; }
.plate .code-foot { display: flex; gap: 12px; align-items: baseline; margin: 0; }
.plate .code-foot .button { border-color: var(--ap-rule); }
.plate .copied { font-style: italic; color: var(--ap-soft); }
.plate .measure { display: flex; flex-wrap: wrap; gap: 8px 10px; align-items: baseline; margin-top: 18px; }
.plate .measure-state { color: var(--ap-soft); font-size: 16px; font-feature-settings: "lnum", "tnum"; }
.plate .foot { display: flex; flex-wrap: wrap; gap: 8px 10px; align-items: baseline; margin-top: 26px; }
.plate .foot .button { border-color: var(--ap-rule); }
.plate .engine-status { margin-left: auto; color: var(--ap-soft); font-size: 15px; font-style: italic; }
.plate .print-link { margin: 14px 0 0; font-size: 13px; overflow-wrap: anywhere; }

@media (prefers-reduced-motion: reduce) { .wait span { animation: none; transform: scaleX(0.5); } .wait.known span { transition: none; } }
@media (forced-colors: active) {
  .chart { forced-color-adjust: none; }
  /* Whatever the two colours are: so little of one over the other leaves every number readable without an outline. */
  .chart .heatmap .filled.inked { opacity: 0.4; }
  .chart .heatmap .filled.tinted { opacity: 0.8; }
  .plate .segment input:checked + span, .plate .button[aria-pressed="true"] { forced-color-adjust: none; background: Highlight; color: HighlightText; }
  .plate .control-scale path { stroke: CanvasText; }
}
@media print {
  /* The plate as at a width of 974 px (which it is drawn for, PRINT_WIDTH), made to fit one sheet of A4 or of US Letter, which is shorter. */
  .plate { zoom: 0.59; max-width: 974px; margin: 0 auto; }
  .plate .chart { max-height: 770px; }
  .plate .segment span { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .plate .foot, .plate .measure, .plate .code, .plate .fold-line, .plate .presets, .plate .preset-note, .plate .sheet-stack, .plate .sheet-add, .plate .data, .plate .tip, .plate .act, .plate .notice, .plate .wait, .plate .control-seed .button { display: none; }
  .plate .controls { gap: 8px; }
  /* What is folded stays so: the last line says all there is to say. */
  .plate .controls .controls { display: contents; }
  .plate .control-row { align-items: flex-start; }
  .plate .figures { gap: 18px 48px; margin-top: 14px; }
  .plate .figure, .plate .readout, .plate .ruled-note { break-inside: avoid; }
  /* Large maps and what they tell on one sheet; code is not printed, so neither is whose. */
  .plate-masks .figure-sheets .chart { max-height: 310px; }
  .plate-masks .control-row { display: contents; }
  .plate-masks .controls { display: flex; flex-wrap: wrap; gap: 8px 26px; align-items: flex-end; }
  .plate-masks .control-mask { flex: 1 0 100%; }
  .plate-masks .control[data-key="framework"] { display: none; }
  /* Three figures, of which the first may have eight rows, on one sheet. */
  .plate-precision { zoom: 0.48; }
  .plate-precision .figure-trace .chart { max-height: 350px; }
  .plate-precision .control-row { display: contents; }
  .plate-precision .controls { display: flex; flex-wrap: wrap; gap: 8px 26px; align-items: flex-end; }
  .plate-precision .figures { gap: 12px; }
  /* One row of controls; that the approximation is on show is seen in the figure. */
  .plate-saturation .control[data-key="theory"] { display: none; }
  /* Plates of four figures and more, as large as they come: the first below the page's opening words, the others on the next sheet. */
  :is(.plate-kernels, .plate-batched, .plate-additive, .plate-cost) { zoom: 0.73; max-width: none; }
  :is(.plate-kernels, .plate-batched, .plate-additive, .plate-cost) .control-row { display: contents; }
  :is(.plate-kernels, .plate-batched, .plate-additive, .plate-cost) .controls { display: flex; flex-wrap: wrap; gap: 8px 26px; align-items: flex-end; }
  :is(.plate-kernels, .plate-batched, .plate-additive, .plate-cost) .control-range { flex: 0 0 130px; }
  .plate-kernels .figures { grid-template: "plane weights weights" auto "fields fields fields" auto "terms terms readout" auto "note note note" auto / calc((100% - 48px) * 0.46) minmax(0, 1fr) calc((100% - 48px) * 0.36); gap: 18px 48px; }
  .plate-kernels .figure-fields { break-before: page; }
  .plate-kernels :is(.figure-plane, .figure-weights) .chart { max-height: 520px; }
  .plate-kernels .figure-fields .chart { max-height: 460px; }
  .plate-kernels .figure-terms .chart { max-height: 400px; }
  .plate-kernels .control:is([data-key="query"], [data-key="keys"]) { display: none; }
  .plate-batched .figure-flow .chart { max-height: 530px; }
  .plate-batched .figures:has(> .ruled-note) .figure-flow .chart { max-height: 430px; }
  .plate-batched .figure-sums .chart { max-height: 420px; }
  .plate-batched .figures { gap: 18px 48px; }
  .plate-batched .figures > :is(.figure-stored, .figure-shapes) { break-before: page; }
  .plate-batched .control-numbers:not(.one-row) { display: none; }
  .plate-cost .figures { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 12px 48px; }
  .plate-cost .figures > :is(.figure-roofline, .figure-growth, .figure-race, .readout, .ruled-note) { grid-column: 1 / -1; }
  .plate-cost .figures > .readout { font-size: 14px; }
  .plate-cost .figures > .ruled-note { order: 3; }
  .plate-cost .figure-roofline .chart { max-height: 366px; }
  .plate-cost .figures > .figure-passes { break-before: page; }
  .plate-cost .figure-passes .chart { max-height: 225px; }
  .plate-cost .figure-intensity .chart { max-height: 270px; }
  .plate-cost .figure-growth .chart { max-height: 326px; }
  .plate-cost .figure-race .chart { max-height: 294px; }
  /* The second may have eight rows. */
  .plate-additive .figures { gap: 14px 0; }
  .plate-additive .figure-weights .chart { max-height: 200px; }
  .plate-additive .figure-units .chart { max-height: 360px; }
  .plate-additive .figure-falls { break-before: page; }
  .plate-additive .figure-falls .chart { max-height: 330px; }
  .plate-additive :is(.figure-costs, .figure-parameters, .figure-variance) .chart { max-height: 280px; }
  .plate-additive .controls-name { display: none; }
  /* The eight tables on one sheet, the numbers in prose and the seeds on another. */
  .plate-ledger { zoom: 0.525; }
  .plate-ledger .figures { gap: 8px 48px; }
  .plate-ledger .figure-prose { break-before: page; }
}
`;

/** Everything but the host and its colours. */
export const partsCss = chartCss + controlsCss + figuresCss;

/**
 * The sheet of the shadow root. A plate brings its own ground: on a page that stays white while the reader prefers dark, its
 * ink would vanish.
 */
export const plateCss = `${hostTokens}:host { display: block; background: var(--ap-sheet); ${hostText} }\n${partsCss}`;

export default plateCss;
