/**
 * The type: EB Garamond, served from the plates' own folder, and stand-ins of the same measure for the moment before
 * it arrives, so that no line breaks differently when it does. The stand-ins are the reader's own fonts, scaled:
 * size-adjust = mean width of EB Garamond / mean width of the font (0.385 em against 0.446 em for Georgia and 0.406 em
 * for Times); ascent-override and descent-override = 1.007 and 0.298 of EB Garamond over size-adjust.
 * The radical and the arrow are not in EB Garamond's files; they come from KaTeX's text face.
 *
 * Pages have these in their style sheet; an element in a page that lacks them brings them along (elements/fonts.js).
 */

/** The reader's own fonts at the measure of EB Garamond. */
export const standIns = `
@font-face { font-family: "Garamond by Georgia"; font-style: normal; src: local("Georgia");
  size-adjust: 86.36%; ascent-override: 116.6%; descent-override: 34.51%; line-gap-override: 0%; }
@font-face { font-family: "Garamond by Georgia"; font-style: italic; src: local("Georgia Italic"), local("Georgia-Italic");
  size-adjust: 86.36%; ascent-override: 116.6%; descent-override: 34.51%; line-gap-override: 0%; }
@font-face { font-family: "Garamond by Times"; font-style: normal; src: local("Times New Roman"), local("TimesNewRomanPSMT"), local("Liberation Serif"), local("LiberationSerif"), local("Tinos");
  size-adjust: 94.77%; ascent-override: 106.26%; descent-override: 31.44%; line-gap-override: 0%; }
@font-face { font-family: "Garamond by Times"; font-style: italic; src: local("Times New Roman Italic"), local("TimesNewRomanPS-ItalicMT"), local("Liberation Serif Italic"), local("LiberationSerif-Italic"), local("Tinos Italic");
  size-adjust: 94.77%; ascent-override: 106.26%; descent-override: 31.44%; line-gap-override: 0%; }
@font-face { font-family: "Garamond by DejaVu"; font-style: normal; src: local("DejaVu Serif"), local("DejaVuSerif");
  size-adjust: 72.78%; ascent-override: 138.36%; descent-override: 40.95%; line-gap-override: 0%; }
@font-face { font-family: "Garamond by DejaVu"; font-style: italic; src: local("DejaVu Serif Italic"), local("DejaVuSerif-Italic");
  size-adjust: 70.62%; ascent-override: 142.59%; descent-override: 42.2%; line-gap-override: 0%; }
`;

/** @param {string} folder of the font files, ending in a slash: relative to the style sheet, or absolute */
export const fontsCss = (folder) => `
@font-face { font-family: "EB Garamond"; font-style: normal; font-weight: 400 800; font-display: swap;
  src: url("${folder}eb-garamond-latin-wght-normal.woff2") format("woff2");
  unicode-range: U+0000-00FF, U+0131, U+0152-0153, U+02BB-02BC, U+02C6, U+02DA, U+02DC, U+0304, U+0308, U+0329, U+2000-206F, U+20AC, U+2122, U+2191, U+2193, U+2212, U+2215, U+FEFF, U+FFFD; }
@font-face { font-family: "EB Garamond"; font-style: italic; font-weight: 400 800; font-display: swap;
  src: url("${folder}eb-garamond-latin-wght-italic.woff2") format("woff2");
  unicode-range: U+0000-00FF, U+0131, U+0152-0153, U+02BB-02BC, U+02C6, U+02DA, U+02DC, U+0304, U+0308, U+0329, U+2000-206F, U+20AC, U+2122, U+2191, U+2193, U+2212, U+2215, U+FEFF, U+FFFD; }
@font-face { font-family: "EB Garamond"; font-style: normal; font-weight: 400 800; font-display: swap;
  src: url("${folder}eb-garamond-greek-wght-normal.woff2") format("woff2");
  unicode-range: U+0370-0377, U+037A-037F, U+0384-038A, U+038C, U+038E-03A1, U+03A3-03FF; }
@font-face { font-family: "EB Garamond"; font-style: italic; font-weight: 400 800; font-display: swap;
  src: url("${folder}eb-garamond-greek-wght-italic.woff2") format("woff2");
  unicode-range: U+0370-0377, U+037A-037F, U+0384-038A, U+038C, U+038E-03A1, U+03A3-03FF; }
@font-face { font-family: "Plate Signs"; font-display: swap;
  src: url("${folder}KaTeX_Main-Regular.woff2") format("woff2"); unicode-range: U+2192, U+221A, U+221E, U+2248, U+2260, U+2264-2265; }
${standIns}`;
