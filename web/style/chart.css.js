/**
 * How the marks of web/chart look. One sheet for three homes: the shadow root of a plate, the static pictures in the
 * pages, and the pictures of the README. Colours come from the custom properties --ap-*; sizes are in the drawing's
 * own pixels.
 *
 * Not here: pages, controls, tables.
 */

export const chartCss = `
.chart { display: block; width: 100%; height: auto; overflow: visible; font-size: 15px; fill: var(--ap-ink);
  font-variant-numeric: lining-nums tabular-nums; font-feature-settings: normal; -webkit-user-select: none; user-select: none; }
.chart.narrow { font-size: 14px; }
.chart path:not(.band, .filled), .chart circle { fill: none; }
.chart text { stroke: none; }
.axis path { stroke: var(--ap-ink); stroke-width: 1; }
.axis .name { fill: var(--ap-soft); font-style: italic; }
.line { stroke: currentColor; stroke-width: 1.6; stroke-linejoin: round; stroke-linecap: round; }
.chart .scaled { color: var(--ap-blue); }
.chart .unscaled { color: var(--ap-red); }
.chart text.scaled, .chart text.unscaled { fill: currentColor; }
.series.scaled circle.point, circle.point { fill: var(--ap-sheet); stroke: var(--ap-blue); stroke-width: 1.6; }
rect.point { fill: var(--ap-red); }
.chart.in-ink :is(.scaled, .unscaled) { color: var(--ap-ink); }
.chart.in-ink rect.point, .chart.in-ink .cost { fill: var(--ap-ink); }
.chart.in-ink .series circle.point { stroke: var(--ap-ink); }
.broken .line:not(.quartiles) { stroke-dasharray: 7 4; stroke-linecap: butt; }
.growth-line .series.neutral .line { stroke-width: 0.9; }
.chart .hatch path { stroke: currentColor; stroke-width: 0.6; opacity: 0.85; }
.chart .hatch.excluded { color: var(--ap-soft); }
.chart .hatch.excluded path { stroke-width: 0.7; opacity: 0.55; }
.chart path.band { stroke: none; }
.reference { stroke: var(--ap-soft); stroke-width: 1; stroke-dasharray: 1 4; stroke-linecap: round; }
.theory-line { stroke: currentColor; stroke-width: 1.5; stroke-dasharray: 1 5; stroke-linecap: round; }
.end-label.reference { fill: var(--ap-soft); font-style: italic; stroke: none; }
.rule { stroke: var(--ap-ink); stroke-width: 1; }
.chart circle.handle { fill: var(--ap-sheet); stroke: var(--ap-ink); stroke-width: 1.4; }
.rule-values .value, .bar-label { paint-order: stroke; }
.chart .rule-values .value, .chart .bar-label { stroke: var(--ap-sheet); stroke-width: 4px; stroke-linejoin: round; }
.series.unscaled .bar, .series.scaled .bar.thin { fill: currentColor; }
.series.scaled .bar.open { fill: none; stroke: currentColor; stroke-width: 1; }
.bar-line { stroke: var(--ap-rule); stroke-width: 1; }
.ring { stroke: var(--ap-ink); stroke-width: 1.2; }
.hover-column { fill: var(--ap-ink); opacity: 0.07; }
.chart .cells-ground, .chart .ground { fill: var(--ap-sheet); }
.heatmap .filled.inked { fill: var(--ap-blue); }
.heatmap .filled.tinted { fill: var(--ap-soft); }
.cells { stroke: var(--ap-ink); stroke-width: 0.6; opacity: 0.55; }
.cells-frame { stroke: var(--ap-ink); stroke-width: 1; }
.heatmap .dots { stroke: var(--ap-ink); stroke-linecap: round; }
.heatmap .differing { stroke: var(--ap-red); stroke-width: 2; stroke-linecap: square; }
.heatmap .filled.differing-corner { fill: var(--ap-red); }
.heatmap .number, .row-head { fill: var(--ap-soft); font-size: 13px; }
.heatmap .print { pointer-events: none; }
.heatmap .value-low { fill: var(--ap-value-low); }
.heatmap .value-mid { fill: var(--ap-value-mid); }
.heatmap .value-high { fill: var(--ap-value-high); }
.heatmap .value-tint { fill: var(--ap-ink); }
.chart .heatmap .value-excluded { fill: var(--ap-ink); stroke: var(--ap-sheet); stroke-width: 5px; paint-order: stroke; stroke-linejoin: round; }
.cell-hover { fill: none; stroke: var(--ap-ink); stroke-width: 2; }
.map-title { font-style: italic; font-size: 16px; }
.map-title .soft, .soft { fill: var(--ap-soft); }
.row-head .strong { fill: var(--ap-ink); font-style: italic; font-size: 15px; }
.empty { fill: var(--ap-red); font-style: italic; font-size: 14px; }
.sum { font-size: 14px; }
.sum.zero { fill: var(--ap-red); }
.chart circle.verdict.match { fill: none; stroke: var(--ap-blue); stroke-width: 1.3; }
rect.verdict.differs { fill: var(--ap-red); }
.table-title .framework { font-size: 16px; }
.table-title .about { font-style: italic; font-size: 16px; }
.table-verdict { font-size: 15px; }
.table-rule { stroke: var(--ap-ink); stroke-width: 1; }
.chart .row-rule { stroke: var(--ap-hairline); stroke-width: 1; }
.row-word { fill: var(--ap-soft); font-style: italic; font-size: 12.5px; }
.row-name { font-size: 15px; }
.chart .name { font-style: italic; fill: var(--ap-soft); }
.slot .printed { fill: var(--ap-soft); }
.slot.differs .ours { fill: var(--ap-red); }
.chart path.printed-mark { fill: var(--ap-sheet); stroke: var(--ap-ink); stroke-width: 1.4; }
.in-print { font-size: 15px; stroke-linejoin: round; }
.chart .in-print, .chart .remark { stroke: var(--ap-sheet); stroke-width: 4px; paint-order: stroke; }
.measure { stroke: var(--ap-rule); stroke-width: 1; }
.chart .neutral { color: var(--ap-ink); }
.band-ends { stroke: currentColor; stroke-width: 1; }
.mean-tick { stroke: currentColor; stroke-width: 2; }
.prose-range .tick { fill: var(--ap-soft); font-size: 13px; }
.prose-range .tick.mean { fill: currentColor; }
.setting, .below { fill: var(--ap-soft); }
.below { font-size: 14px; }
.borne { font-size: 15px; }
.chart.narrow .borne { font-size: 13.5px; }
.chart path.strip { fill: currentColor; stroke: none; opacity: 0.62; }
.chart path.reference { stroke: var(--ap-ink); }
.remark { font-style: italic; font-size: 16px; fill: var(--ap-ink); }
.leader { stroke: var(--ap-ink); stroke-width: 0.8; }
.arrow { stroke: var(--ap-ink); stroke-width: 1.2; stroke-linecap: round; stroke-linejoin: round; }
.sheet-name { font-style: italic; font-size: 16px; }
.sheet-map.aside .heatmap { opacity: 0.38; }
.sheet-map.aside .sheet-name, .tell.soft-row text { fill: var(--ap-soft); }
.sheet-word { fill: var(--ap-soft); font-size: 14px; }
.joint { fill: var(--ap-soft); font-size: 19px; }
.empty-line { stroke: var(--ap-red); stroke-width: 1.4; }
.tell-value { font-size: 15px; }
.tell-value.unscaled { fill: var(--ap-red); }
.chart circle.memory-point { fill: var(--ap-sheet); stroke: var(--ap-ink); stroke-width: 1.4; }
.key-number { fill: var(--ap-soft); font-size: 13px; }
.flow { stroke: var(--ap-rule); stroke-width: 1; }
.step-name { font-style: italic; font-size: 16px; }
.chart.narrow .step-name { font-size: 15px; }
.step-about, .reading-name, .stage-name { fill: var(--ap-soft); }
.reading-name, .stage-name { font-style: italic; }
.chart .outcome-word { stroke: none; }
.chart .heatmap .filled.wrong { stroke: none; }
.chart .heatmap .value-wrong { fill: var(--ap-red); stroke: var(--ap-sheet); stroke-width: 5px; paint-order: stroke; stroke-linejoin: round; }
.format-name { fill: var(--ap-soft); }
.format-name.chosen { fill: var(--ap-ink); }
.chart .chosen-cell { stroke: var(--ap-ink); stroke-width: 1.6; }
.chart path.dropped { stroke: var(--ap-ink); stroke-width: 0.9; }
.chart .heatmap .value-unread { fill: var(--ap-soft); }
.chart .expected-ticks { stroke: var(--ap-ink); stroke-width: 1; stroke-dasharray: 1 2; }
.chart .measured path.rule { stroke-width: 3; }
.chart .tie-line { stroke: currentColor; stroke-width: 1.1; }
.series.unscaled .tie-line { stroke-width: 1.6; }
.spoils { stroke: var(--ap-red); stroke-width: 0.9; }
.chart .spoil-word { stroke: var(--ap-sheet); stroke-width: 5px; paint-order: stroke; stroke-linejoin: round; }
.spokes { stroke: var(--ap-rule); stroke-width: 0.8; }
.origin { stroke: var(--ap-ink); stroke-width: 1; }
.query-spoke { stroke: var(--ap-ink); stroke-width: 1.2; }
.traces { stroke: var(--ap-ink); stroke-width: 0.8; opacity: 0.6; }
.chart .plane-key circle { fill: var(--ap-ink); stroke: var(--ap-sheet); stroke-width: 1; }
.plane-key text { font-size: 14px; }
.plane-key.chosen text { font-weight: 500; }
.chart .plane-key text, .chart .plane-query, .chart .field-number { stroke: var(--ap-sheet); stroke-width: 4px; paint-order: stroke; stroke-linejoin: round; }
.plane-query { font-style: italic; font-size: 17px; }
.contour .filled { fill: var(--ap-blue); stroke: var(--ap-blue); stroke-width: 0.6; stroke-opacity: 0.75; stroke-linejoin: round; }
.contour .filled.strong { stroke-width: 1.5; stroke-opacity: 1; }
.field-frame { stroke: var(--ap-rule); stroke-width: 1.4; }
.chart .field-keys { stroke: var(--ap-ink); stroke-width: 4.4; stroke-linecap: round; }
.chart circle.field-key { fill: var(--ap-ink); stroke: var(--ap-sheet); stroke-width: 1.6; }
.field-number { font-size: 14px; font-weight: 500; }
.field-name { font-style: italic; font-size: 16px; }
.chart.narrow .field-name { font-size: 15px; }
.strip-band { fill: var(--ap-blue); }
.rule-bars .filled { fill: currentColor; stroke: none; }
.bars-open { stroke: currentColor; stroke-width: 1; }
.bar-tie { stroke: currentColor; stroke-width: 0.8; }
.chart .was { stroke: var(--ap-ink); stroke-width: 1; }
.end-label.neutral { fill: var(--ap-ink); }
.key-number.chosen { fill: var(--ap-ink); font-weight: 500; }
.part-word { fill: var(--ap-soft); font-style: italic; font-size: 14px; }
.term-name { font-style: italic; font-size: 17px; }
.chart.narrow .term-name { font-size: 15px; }
.term-stems { stroke: var(--ap-blue); stroke-width: 1; }
.chart .term-points { fill: var(--ap-sheet); stroke: var(--ap-blue); stroke-width: 1.4; }
.term-level { stroke: var(--ap-ink); stroke-width: 1.2; }
.term-word { fill: var(--ap-soft); font-style: italic; font-size: 15px; }
.unit-zero { stroke: var(--ap-rule); stroke-width: 1; }
.unit-others { stroke: var(--ap-soft); stroke-width: 0.7; opacity: 0.75; }
.chart .unit-curve { color: var(--ap-ink); stroke-width: 1.4; }
.unit-bar { stroke: currentColor; stroke-width: 2.4; }
.unit-name { font-style: italic; fill: var(--ap-soft); }
.unit-gives { font-size: 15px; }
.chart .series.scaled circle.key-chosen, .chart circle.key-chosen { fill: var(--ap-sheet); stroke: var(--ap-blue); stroke-width: 2; }
.fall-aside { opacity: 0.4; }
.chart .slope-label, .chart .slope-about { stroke: var(--ap-sheet); stroke-width: 4px; paint-order: stroke; stroke-linejoin: round; }
.chart .remark.identity { font-size: 15px; fill: var(--ap-soft); }
.chart.narrow .remark.identity { font-size: 13px; }
.slope-about { fill: var(--ap-soft); }
.cost-name.scaled, .cost.scaled { fill: var(--ap-blue); }
.cost-name.dearer, .cost.dearer { fill: var(--ap-soft); }
.cost-bar { fill: var(--ap-ink); }
.cost-bar.scaled { fill: none; stroke: var(--ap-blue); stroke-width: 1; }
.cost-bar.dearer { fill: var(--ap-soft); }
.chart .series.neutral circle.point, .chart circle.chosen-rank { fill: var(--ap-sheet); stroke: var(--ap-ink); stroke-width: 1.4; }
.crossing { stroke: var(--ap-soft); stroke-width: 1; stroke-dasharray: 1 4; stroke-linecap: round; }
.roof { stroke: var(--ap-ink); stroke-width: 1.2; stroke-linejoin: round; }
.roof.own { stroke-width: 2; }
.chart .roof-work { stroke: var(--ap-sheet); stroke-width: 4px; paint-order: stroke; stroke-linejoin: round; }
.pass-bar.unscaled { fill: currentColor; }
.pass-bar.scaled { fill: none; stroke: currentColor; stroke-width: 1; }
.cost.unscaled { fill: var(--ap-red); }
.chart path.diamond { fill: var(--ap-sheet); stroke: var(--ap-ink); stroke-width: 1.4; }
.measure-line { stroke: var(--ap-rule); stroke-width: 1; }
.race-tie { stroke: var(--ap-soft); stroke-width: 0.8; }
.line.quartiles { stroke-width: 3; stroke-linecap: butt; opacity: 0.5; }
`;
