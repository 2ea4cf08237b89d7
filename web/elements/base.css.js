/**
 * The rules a plate cannot work without: what is hidden, what lies over what, where a finger may drag. Looks are web/style's.
 */
export default `
:host { display: block; position: relative; }
[hidden] { display: none !important; }
.visually-hidden { position: absolute; width: 1px; height: 1px; margin: -1px; padding: 0; border: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.canvas { position: relative; touch-action: pan-y; }
.canvas.can-edit { cursor: pointer; }
.canvas.can-drag { cursor: ew-resize; }
.canvas.can-paint { cursor: cell; touch-action: pan-y; user-select: none; -webkit-user-select: none; }
.canvas.over-handle { cursor: grab; }
.canvas.holding { cursor: grabbing; }
.tip { position: absolute; z-index: 1; pointer-events: none; transform: translate(8px, calc(-100% - 8px)); width: max-content; max-width: min(18em, 100%); box-sizing: border-box; }
.tip-left { transform: translate(calc(-100% - 8px), calc(-100% - 8px)); }
.tip-below { transform: translate(8px, 12px); }
.tip-left.tip-below { transform: translate(calc(-100% - 8px), 12px); }
/* over the figure, so that waiting moves nothing */
.wait { position: absolute; inset: 0 0 auto; pointer-events: none; }
@media screen { .print-link { display: none; } }
`;
