/**
 * The type of a plate in a page that is not of this site: EB Garamond and its stand-ins, from the bundle's own folder, once a document; and how
 * much wider than EB Garamond the type at hand runs, for labels that must fit where it has not come. It waits for nothing: browsers fetch a
 * face when a letter needs it, and where they may not (another origin that does not consent, a policy) the stand-ins stay.
 *
 * widen = max over styles of measured width / width by EB Garamond's advances.
 */
import { textWidth } from '../chart/text.js';
import { fontsCss } from '../style/fonts.css.js';
import { family } from '../style/tokens.css.js';

/** A face of this family is declared wherever the others are, and hardly anywhere else. */
const SIGN = 'Plate Signs';

/** Kerning and ligatures, which the advances leave out, stay below this. */
const NOISE = 1.04;

/** No label gives way to a wilder type than this. */
const MOST = 1.6;

const SAMPLE = 'perfectly even, ln 64, unscaled sequence 0.125';

/** @type {WeakSet<Document>} */
const given = new WeakSet();

/**
 * A sheet of the document, since a shadow root's own @font-face counts for nothing; unlike FontFace objects, it can say size-adjust.
 * @param {Document} document
 * @param {string} base absolute folder of the bundle's files, ending in a slash
 */
export function bringFonts(document, base) {
  const view = document.defaultView;
  if (!view || given.has(document) || [...document.fonts].some((face) => face.family.replace(/["']/g, '') === SIGN)) return;
  given.add(document);
  const { CSSStyleSheet } = /** @type {typeof globalThis} */ (/** @type {unknown} */ (view));
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(fontsCss(new URL('fonts/', base).href));
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}

/**
 * @param {Document} document
 * @returns {number} at least 1; 1 where EB Garamond is there
 */
export function typeWidening(document) {
  const pen = document.createElement('canvas').getContext('2d');
  if (!pen) return 1;
  const ratios = ['', 'italic '].map((style) => {
    pen.font = `${style}100px ${family}`;
    return pen.measureText(SAMPLE).width / textWidth(SAMPLE, 100, style !== '');
  });
  const ratio = Math.max(...ratios);
  return ratio > NOISE ? Math.min(MOST, Math.round(ratio * 100) / 100) : 1;
}
