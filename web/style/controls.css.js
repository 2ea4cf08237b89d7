/**
 * Controls as an engraved scale: a hairline with ticks and a ring for the thumb, names in italic, values at the right;
 * switches with one filled segment. All are native inputs underneath. Focus is a second ring.
 *
 * Part of web/style/plate.css.js; names of classes are the element's own markup.
 */

export const controlsCss = `
.plate .controls { display: grid; grid-template-columns: minmax(0, 1fr); gap: 16px; }
.plate .control-row { display: flex; flex-wrap: wrap; gap: 16px 34px; align-items: flex-end; }
/* one line, whatever it says: nothing below it moves under a hand that changes what it tells */
.plate .fold-line { margin: 0 0 0 -6px; padding: 2px 0 2px 2px; overflow: hidden; font-size: 16px; font-style: italic; color: var(--ap-soft); white-space: nowrap; text-overflow: ellipsis; }
.plate .fold { font: inherit; text-align: left; border: 0; background: none; }
@media (scripting: none) {
  .plate .controls[hidden] { display: grid !important; }
  .plate .fold-line { display: none; }
}
.plate .controls[hidden] { display: none; }
.plate .control { margin: 0; padding: 0; border: 0; min-width: 0; }
.plate .control-name { padding: 0; line-height: 26px; font-style: italic; color: var(--ap-ink); }
.plate .control-name sub { font-size: 0.75em; line-height: 0; }
.plate .control-value { font-feature-settings: "lnum", "tnum"; }
.plate .control-range { flex: 1 1 104px; display: grid; grid-template: "name value" 26px "track track" 26px "error error" auto / 1fr auto; align-items: baseline; }
.plate-saturation .control-range[data-key="d"] { flex: 2.4 1 200px; }
.plate-batched .control-row { column-gap: 28px; }
.plate-batched .control-range[data-key="width"] { flex-basis: 148px; }
.plate-ledger .control-range[data-key="offset"] { flex-basis: 196px; }
.plate .control-range .control-name { grid-area: name; white-space: nowrap; }
.plate .control-range .control-value { grid-area: value; padding-left: 10px; }
.plate .control-scale { grid-area: track; align-self: center; display: block; width: 100%; height: 12px; overflow: visible; pointer-events: none; }
.plate .control-scale path { fill: none; stroke: var(--ap-ink); stroke-width: 1; }
.plate input { font: inherit; color: inherit; accent-color: var(--ap-ink); }
.plate input[type="range"] { grid-area: track; align-self: stretch; appearance: none; -webkit-appearance: none; box-sizing: border-box;
  width: calc(100% + 16px); height: 26px; margin: 0 -8px; padding: 0; background: transparent; cursor: pointer; outline-offset: 2px; touch-action: pan-y; }
.plate input[type="range"]::-webkit-slider-runnable-track { height: 26px; background: transparent; border: 0; }
.plate input[type="range"]::-webkit-slider-thumb { -webkit-appearance: none; box-sizing: border-box; width: 16px; height: 16px; margin-top: 5px;
  border: 1.4px solid var(--ap-ink); border-radius: 50%; background: var(--ap-sheet); }
.plate input[type="range"]::-moz-range-track { height: 26px; background: transparent; border: 0; }
.plate input[type="range"]::-moz-range-thumb { box-sizing: border-box; width: 16px; height: 16px;
  border: 1.4px solid var(--ap-ink); border-radius: 50%; background: var(--ap-sheet); }
.plate input[type="range"]:focus { outline: 2px solid transparent; }
.plate input[type="range"]:focus-visible::-webkit-slider-thumb { box-shadow: 0 0 0 3px var(--ap-sheet), 0 0 0 4.5px var(--ap-ink); }
.plate input[type="range"]:focus-visible::-moz-range-thumb { box-shadow: 0 0 0 3px var(--ap-sheet), 0 0 0 4.5px var(--ap-ink); }
.plate input:disabled { opacity: 1; cursor: default; color: inherit; -webkit-text-fill-color: currentColor; }

.plate input[type="number"] { box-sizing: border-box; width: 100%; min-width: 0; height: 26px; padding: 0 2px; text-align: right; appearance: textfield; -moz-appearance: textfield;
  background: transparent; border: 0; border-bottom: 1px solid var(--ap-rule); border-radius: 0; font-feature-settings: "lnum", "tnum"; }
.plate input[type="number"]::-webkit-inner-spin-button, .plate input[type="number"]::-webkit-outer-spin-button { -webkit-appearance: none; margin: 0; }
.plate input[type="number"]:hover { border-bottom-color: var(--ap-ink); }
.plate input[type="number"]:focus-visible { outline: 1.5px solid var(--ap-ink); outline-offset: 2px; border-bottom-color: transparent; }
.plate input[aria-invalid="true"] { color: var(--ap-red); border-bottom: 2px solid var(--ap-red); }
.plate .control-error { grid-area: error; flex-basis: 100%; margin: 4px 0 0; max-width: 34em; color: var(--ap-red); font-style: italic; font-size: 15px; line-height: 1.3; overflow-wrap: anywhere; }

.plate .button, .plate .segments, .plate .control-flag .segment { border: 1px solid var(--ap-ink); background: transparent; border-radius: 0; }
.plate .button { box-sizing: border-box; min-height: 26px; margin: 0; padding: 0 13px; font: inherit; font-size: 16px; line-height: 24px; color: var(--ap-ink); cursor: pointer; }
.plate .button:disabled { cursor: default; }
.plate .button:enabled:hover { background: var(--ap-hairline); }
.plate .button[aria-pressed="true"], .plate .button[aria-pressed="true"]:enabled:hover { background: var(--ap-ink); color: var(--ap-sheet); }
.plate .button:focus-visible { outline: 1.5px solid var(--ap-ink); outline-offset: 2px; }

.plate .segments { display: inline-flex; }
.plate .segment { position: relative; display: inline-flex; cursor: pointer; font-size: 16px; line-height: 24px; }
.plate .segments .segment + .segment { border-left: 1px solid var(--ap-ink); }
.plate .segment input { position: absolute; inset: 0; width: 100%; height: 100%; margin: 0; opacity: 0; cursor: inherit; }
.plate .segment span { padding: 0 13px; white-space: nowrap; }
.plate .segment input:checked + span { background: var(--ap-ink); color: var(--ap-sheet); }
.plate .segment input:not(:checked):enabled:hover + span { background: var(--ap-hairline); }
.plate .segment input:focus-visible + span { outline: 1.5px solid var(--ap-ink); outline-offset: 2px; position: relative; z-index: 1; }
.plate .control-flag .segment { display: inline-flex; }

.plate .control-choice .control-name { display: block; }
/* Segments that wrap: each brings its own lines, laid over its neighbours'. */
.plate .control-choice .segments { flex-wrap: wrap; padding: 1px 0 0 1px; border: 0; }
.plate .control-choice .segments .segment { margin: -1px 0 0 -1px; border: 1px solid var(--ap-ink); }
.plate-masks .control-range { max-width: 300px; }
.plate .control-seed, .plate .control-number { flex: 0 1 132px; display: grid; grid-template: "name field" 26px "again again" auto "error error" auto / auto minmax(0, 1fr); gap: 0 10px; align-items: baseline; }
.plate .control-seed .control-name { grid-area: name; }
.plate .control-seed input { grid-area: field; height: 24px; }
.plate .control-seed .button { grid-area: again; }
.plate .entries-grid input, .plate .real-text, .plate .entry-with-name input, .plate .table-text { box-sizing: border-box; height: 26px; min-width: 0; padding: 0 2px; text-align: right;
  background: transparent; border: 0; border-bottom: 1px solid var(--ap-rule); border-radius: 0; font-feature-settings: "lnum", "tnum"; }
.plate :is(.entry, .real-text, .table-text):hover { border-bottom-color: var(--ap-ink); }
.plate :is(.entry, .real-text, .table-text):focus-visible { outline: 1.5px solid var(--ap-ink); outline-offset: 2px; border-bottom-color: transparent; }
.plate :is(.entry, .real-text, .table-text)[aria-invalid="true"] { border-bottom: 2px solid var(--ap-red); }
.plate .control-real { flex-basis: 150px; }
.plate .real-text { width: 3.6em; height: 24px; }
.plate .control-numbers { flex: 0 1 auto; }
.plate .control-numbers:has(details[open]) { flex: 1 1 100%; }
.plate .one-row { display: flex; flex-wrap: wrap; gap: 2px 14px; align-items: baseline; }
.plate .entries-row { display: inline-flex; flex-wrap: wrap; gap: 4px 12px; align-items: baseline; }
.plate .entry-with-name { display: inline-flex; gap: 7px; align-items: baseline; }
.plate .entry-with-name i { color: var(--ap-soft); }
.plate .entry-with-name input { width: 3.4em; }
.plate .entry.non-finite { font-style: italic; border-bottom-style: dashed; border-bottom-color: var(--ap-red); }
.plate .entries summary { display: flex; width: fit-content; gap: 10px; align-items: baseline; min-height: 26px; margin-left: -6px; padding: 0 6px; line-height: 26px; }
.plate .entries summary::after { content: ""; flex: none; width: 5px; height: 5px; border: solid var(--ap-ink); border-width: 0 1.2px 1.2px 0; transform: translateY(-3px) rotate(45deg); }
.plate .entries[open] summary::after { transform: rotate(225deg); }
.plate .entries summary:focus-visible { outline: 1.5px solid var(--ap-ink); outline-offset: 2px; }
.plate .entries-size { color: var(--ap-soft); }
.plate .entries-body { display: grid; gap: 10px; justify-items: start; margin: 4px 0 2px; }
.plate .entries-scroll { max-width: 100%; max-height: 340px; margin: -3px; padding: 3px; overflow: auto; }
.plate .entries-grid :is(th, td) { padding: 2px 0 2px 12px; }
.plate .entries-grid :is(th, td):first-child { padding-left: 0; }
.plate .entries-grid tbody tr + tr > * { border-top: 0; }
.plate .entries-grid tbody th { color: var(--ap-soft); }
.plate .entries-grid input { width: 4.6em; }
.plate .entries-grid .sheet-button { min-height: 26px; line-height: 24px; }
.plate .entries-note, .plate .entries-buttons { margin: 0; font-size: 15px; font-style: italic; color: var(--ap-soft); }
.plate .entries-buttons { display: flex; gap: 8px; font-style: normal; }
.plate .odd-mark { display: inline-block; width: 7px; height: 7px; margin-right: 8px; background: var(--ap-red); forced-color-adjust: none; }
.plate .entries-text { display: flex; gap: 10px; align-items: baseline; width: 100%; max-width: 40em; }
.plate .entries-text span { flex: none; font-style: italic; color: var(--ap-soft); }
.plate .table-text { flex: 1 1 auto; width: 100%; text-align: left; }
.plate .control-lengths { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; }
.plate .control-lengths .lengths-fields { display: flex; flex-wrap: wrap; gap: 4px 22px; }
.plate .control-lengths .lengths-row { display: flex; flex-wrap: wrap; gap: 4px 8px; }
.plate .control-lengths input { width: 34px; text-align: center; }
.plate .lengths-row + .lengths-row { padding-left: 22px; border-left: 1px solid var(--ap-hairline); }
.plate .control-lengths .segment input { width: 100%; }
.plate .control-mask { flex: 1 1 100%; display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0 12px; align-items: baseline; }
.plate .control-mask .control-error { grid-column: 1 / -1; }
.plate .caret { margin: 0 0 2px; font: 13px/1.25 ui-monospace, Consolas, monospace; font-style: normal; white-space: pre; overflow: hidden; }
.plate .mask-text { box-sizing: border-box; width: 100%; min-width: 0; height: 28px; padding: 0 2px; font-size: 19px; background: transparent; border: 0;
  border-bottom: 1px solid var(--ap-rule); border-radius: 0; font-feature-settings: "lnum"; }
.plate .mask-text::placeholder { color: var(--ap-soft); font-style: italic; opacity: 1; }
.plate .mask-text:hover { border-bottom-color: var(--ap-ink); }
.plate .mask-text:focus-visible { outline: 1.5px solid var(--ap-ink); outline-offset: 2px; border-bottom-color: transparent; }
.plate .sheet-stack { grid-column: 1 / -1; display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 292px), 1fr)); gap: 6px 34px; margin: 12px 0 0; padding: 0; list-style: none; }
.plate .sheet-row { display: flex; gap: 10px; align-items: center; min-width: 0; min-height: 28px; border-bottom: 1px solid var(--ap-hairline); }
.plate .sheet-switch { flex: 0 0 auto; display: inline-flex; align-items: center; justify-content: center; width: 26px; height: 26px; }
.plate .sheet-switch input { width: 15px; height: 15px; margin: 0; }
.plate .sheet-text { flex: 1 1 auto; min-width: 0; overflow-wrap: anywhere; }
.plate .sheet-row.laid-aside .sheet-text { color: var(--ap-soft); text-decoration: line-through; text-decoration-color: var(--ap-rule); }
.plate .sheet-text input[type="number"] { width: 1.7em; min-width: 24px; height: 24px; padding: 0; text-align: center; }
.plate .sheet-text input[type="number"].long { width: 3.4em; }
.plate .sheet-buttons { display: inline-flex; gap: 4px; }
.plate .sheet-button { min-width: 26px; padding: 0; border-color: var(--ap-rule); }
.plate .sheet-button:disabled { color: var(--ap-soft); border-color: var(--ap-hairline); }
.plate .sheet-add { grid-column: 1 / -1; display: flex; gap: 8px; max-width: 100%; margin-top: 10px; }
.plate .sheet-kind { min-width: 0; min-height: 26px; padding: 0 6px; font: inherit; font-size: 16px; color: var(--ap-ink); background: var(--ap-sheet); border: 1px solid var(--ap-rule); border-radius: 0; }
.plate .sheet-kind:focus-visible { outline: 1.5px solid var(--ap-ink); outline-offset: 2px; }
.plate .sheet-add .button { flex: 0 0 auto; }
.plate .presets { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 18px; }
.plate .presets .button { border-color: var(--ap-rule); }
.plate .presets .button[aria-pressed="true"] { border-color: var(--ap-ink); }
.plate .controls-name { margin: 0 0 -8px; }
.plate .controls-name, .plate .presets-name { font-size: 13px; letter-spacing: 0.12em; text-transform: uppercase; color: var(--ap-soft); }
.plate .presets-name { margin: 18px 0 0; }
.plate .presets-name + .presets { margin-top: 4px; }
.plate .presets + .presets-name { margin-top: 12px; }
.plate .preset-note .ruled-note { margin-top: 14px; }

@container plate (max-width: 559px) {
  .plate .control-row { gap: 14px 26px; }
  .plate-saturation .control-range[data-key="d"] { flex-basis: 100%; }
  .plate .lengths-row + .lengths-row { padding-left: 0; border-left: 0; }
  /* Many examples: one line of each kind, moved sideways. */
  .plate .presets-name + .presets { flex-wrap: nowrap; margin-inline: -3px; padding: 3px 36px 3px 3px; overflow-x: auto; scroll-snap-type: x proximity; scroll-padding: 3px; mask-image: linear-gradient(to right, #000 calc(100% - 36px), transparent); }
  .plate .presets-name + .presets .button { flex: 0 0 auto; scroll-snap-align: start; }
}
@media (pointer: coarse) {
  .plate .control-range { grid-template-rows: 26px 36px auto; }
  .plate input[type="range"], .plate input[type="range"]::-webkit-slider-runnable-track { height: 36px; }
  .plate input[type="range"]::-webkit-slider-thumb { width: 22px; height: 22px; margin-top: 7px; }
  .plate input[type="range"]::-moz-range-thumb { width: 22px; height: 22px; }
  .plate input[type="range"] { width: calc(100% + 22px); margin: 0 -11px; }
  .plate .fold { min-height: 34px; }
  .plate .button { min-height: 34px; line-height: 32px; }
  .plate .segment { line-height: 32px; }
  .plate .sheet-button { min-width: 34px; }
  .plate .entries summary { min-height: 34px; line-height: 34px; }
  .plate :is(.entries-grid, .entry-with-name) input, .plate .table-text { height: 32px; }
  .plate .entries-grid .sheet-button { min-height: 34px; line-height: 32px; }
}
@media print { .plate .presets-name, .plate .entries-body { display: none; } }
`;
