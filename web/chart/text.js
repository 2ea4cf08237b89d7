/**
 * How wide a word is, without a browser: the advance widths of EB Garamond, in thousandths of the type size. Good to
 * a few per cent (kerning and ligatures are left out), which is what placing a label beside a line needs.
 *
 * Not a layout engine: nothing here breaks lines. width = size / 1000 * sum of advances.
 */

/** Characters from the space (32) to the tilde (126). */
const ROMAN = [
  200, 250, 330, 468, 441, 650, 756, 200, 315, 315, 340, 590, 230, 274, 230, 399, 480, 480, 480, 480, 480, 480, 480,
  480, 480, 480, 248, 228, 560, 566, 560, 376, 749, 692, 587, 710, 754, 564, 512, 729, 810, 340, 340, 681, 584, 901,
  792, 763, 552, 763, 713, 465, 670, 738, 672, 916, 707, 578, 603, 331, 399, 331, 500, 500, 200, 399, 515, 407, 506,
  390, 318, 435, 515, 245, 226, 469, 240, 778, 528, 495, 519, 522, 334, 323, 314, 527, 438, 685, 430, 438, 377, 376,
  260, 376, 500,
];

/** Every other character: signs such as the minus, and the radical, are about this wide. */
const OTHER = 590;

/** Italic letters run a little narrower than roman ones; figures do not. */
const ITALIC = 0.97;

/**
 * @param {string} text
 * @param {number} size  px
 * @param {boolean} [italic]
 * @returns {number} px
 */
export function textWidth(text, size, italic = false) {
  let sum = 0;
  for (const character of text) sum += ROMAN[(character.codePointAt(0) ?? 0) - 32] ?? OTHER;
  return (sum * size * (italic ? ITALIC : 1)) / 1000;
}
