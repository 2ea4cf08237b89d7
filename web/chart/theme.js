/**
 * The ink: every colour of the plates, light and dark, and the arithmetic that keeps them readable. Style sheets
 * and the pictures of the README are written from this table; the marks themselves carry class names only.
 *
 * Not here: sizes of pages and controls (web/style). contrast = (L1 + 0.05) / (L2 + 0.05), L relative luminance.
 */

/** @typedef {[number, number, number]} Rgb */

/** Blue is scaled (and weight); red is unscaled (and warning). The three `value` inks are explained at inkSteps. */
export const light = {
  paper: '#faf6ec', sheet: '#fdfbf5', ink: '#211c16', soft: '#6f665a',
  rule: '#b9ae9c', hairline: '#d9d0bf', blue: '#1d4f7c', red: '#a6342b',
  'value-low': '#000', 'value-mid': '#000', 'value-high': '#fff',
};

export const dark = {
  paper: '#15130f', sheet: '#1b1814', ink: '#ece5d6', soft: '#a39a8b',
  rule: '#5b5347', hairline: '#3a352d', blue: '#86b6e2', red: '#ea8f82',
  'value-low': '#fff', 'value-mid': '#000', 'value-high': '#000',
};

/** Paper for print: white ground, black ink, the two colours. */
export const print = { ...light, paper: '#fff', sheet: '#fff', ink: '#000', soft: '#555' };

/**
 * A value printed on a cell inked from sheet to blue is black or white, whichever keeps 4.5:1. On the light sheet
 * black serves up to a share of 0.755 and white beyond; on the dark sheet white serves up to 0.61 and black beyond.
 * So there are three classes of printed value, each with an ink of its own.
 */
export const inkSteps = { low: 0.61, high: 0.755 };

/**
 * Class of a value printed over blue ink of this share.
 * @param {number} share  0..1
 */
export function valueClass(share) {
  if (share < inkSteps.low) return 'value-low';
  return share < inkSteps.high ? 'value-mid' : 'value-high';
}

/**
 * @param {string} hex  '#rrggbb' or '#rgb'
 * @returns {Rgb}
 */
export function rgb(hex) {
  const full = hex.length === 4 ? hex.replace(/[0-9a-f]/gi, (c) => c + c) : hex;
  return /** @type {Rgb} */ ([1, 3, 5].map((i) => parseInt(full.slice(i, i + 2), 16)));
}

/**
 * Colour of `over` laid on `under` at this opacity, rounded as a screen rounds it.
 * @param {Rgb} over
 * @param {Rgb} under
 * @param {number} opacity
 * @returns {Rgb}
 */
export function blend(over, under, opacity) {
  return /** @type {Rgb} */ (over.map((v, i) => Math.round(v * opacity + under[i] * (1 - opacity))));
}

/**
 * WCAG 2 contrast ratio.
 * @param {Rgb} a
 * @param {Rgb} b
 */
export function contrast(a, b) {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

/** @param {Rgb} colour */
function luminance(colour) {
  const [r, g, b] = colour.map((byte) => {
    const v = byte / 255;
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/**
 * The colours as custom properties, for a rule of a style sheet.
 * @param {typeof light} colours
 */
export function tokens(colours) {
  return Object.entries(colours).map(([name, value]) => `--ap-${name}: ${value};`).join(' ');
}
