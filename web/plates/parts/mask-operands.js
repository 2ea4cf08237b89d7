/**
 * Sheets put together as the text of one mask; pure. What a sheet says, the core has written; here it only gets the parentheses it needs.
 */

/**
 * A sheet as an operand of AND: what is itself composed stands in parentheses.
 * @param {string} text
 */
export function asOperand(text) {
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth++;
    if (character === ')') depth--;
    if (depth === 0 && (character === '|' || character === '&')) return `(${text})`;
  }
  return text;
}

/** @param {string[]} sheets at least one */
export const joined = (sheets) => (sheets.length === 1 ? sheets[0] : sheets.map(asOperand).join(' & '));
