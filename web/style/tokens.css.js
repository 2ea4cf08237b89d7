/**
 * The colours of web/chart/theme.js as style sheets: once for pages (`:root`), once for the shadow root of a plate
 * (`:host`), each in light, dark, print and forced colours.
 *
 * Inside an element the host decides by its `theme` attribute, else the reader's own preference; nothing here sets
 * color-scheme, because a frame that does would turn opaque.
 */

import { dark, light, print, tokens } from '../chart/theme.js';

/** The type, with stand-ins of its measure. */
export const family = '"EB Garamond", "Plate Signs", "Garamond by Georgia", "Garamond by Times", "Garamond by DejaVu", Georgia, "Times New Roman", serif';

/** Under forced colours the marks keep their shapes and take the reader's colours. */
const forced = tokens({
  paper: 'Canvas', sheet: 'Canvas', ink: 'CanvasText', soft: 'CanvasText', rule: 'CanvasText', hairline: 'GrayText',
  blue: 'LinkText', red: 'CanvasText', 'value-low': 'CanvasText', 'value-mid': 'CanvasText', 'value-high': 'CanvasText',
});

/**
 * @param {string} all  selector of the scope
 * @param {string} unlessLight  the scope unless light is asked for
 * @param {string} ifDark  the scope where dark is asked for
 */
function scoped(all, unlessLight, ifDark) {
  return `
${all} { ${tokens(light)} }
@media (prefers-color-scheme: dark) { ${unlessLight} { ${tokens(dark)} } }
${ifDark} { ${tokens(dark)} }
@media print { ${all}, ${unlessLight}, ${ifDark} { ${tokens(print)} } }
@media (forced-colors: active) { ${all}, ${unlessLight}, ${ifDark} { ${forced} } }
`;
}

export const hostTokens = scoped(':host', ':host(:not([theme="light"]))', ':host([theme="dark"])');

/** A page may ask for a theme by `data-theme`; its plates follow unless they have a theme of their own. */
export const pageTokens = scoped(':root', ':root:not([data-theme="light"])', ':root[data-theme="dark"]')
  + `:root[data-theme="light"] attention-plate:not([theme]) { ${tokens(light)} }\n`
  + `:root[data-theme="dark"] attention-plate:not([theme]) { ${tokens(dark)} }\n`;
