/**
 * Edits of a mask expression that the editor makes, as text; pure. The sheets come from the core's own reading (`sheet_text`), so nothing is
 * parsed here but the numbers between one pair of parentheses. Whether a text is taken, the core alone judges.
 */

import { asOperand, joined } from '../plates/parts/mask-operands.js';

export { asOperand, joined };

/** A number as it may be typed, right or wrong. */
const NUMBER = /-?\d+(?:\.\d+)?/g;

/**
 * The numbers of a sheet: `window(3)` has one, `window(3,3) | global(0)` three. Cells, words of 0 and 1, are no numbers to step.
 * @param {string} text
 * @returns {{before: string, number: string}[]} each number with the text in front of it; the rest of the sheet stands behind the last
 */
export function numbersIn(text) {
  if (/\brows\(/.test(text)) return [];
  let end = 0;
  return [...text.matchAll(NUMBER)].map((match) => {
    const before = text.slice(end, match.index);
    end = match.index + match[0].length;
    return { before, number: match[0] };
  });
}

/**
 * The sheet with another number at a place.
 * @param {string} text
 * @param {number} index of the number
 * @param {string} number as it was typed
 */
export function withNumber(text, index, number) {
  let at = -1;
  return text.replace(NUMBER, (old) => (++at === index ? number.trim() : old));
}

/**
 * The sheets with the numbers of a text that differs from theirs in numbers alone. Where several must change together, as the lengths of
 * documents do, each step on the way is refused; the sheets keep it in sight. Of any other text they take nothing.
 * @param {string[]} sheets
 * @param {string} draft
 */
export function withNumbersOf(sheets, draft) {
  const shape = (/** @type {string} */ text) => text.replace(NUMBER, '0');
  if (sheets.length === 0 || shape(joined(sheets)) !== shape(draft)) return sheets;
  const numbers = draft.match(NUMBER) ?? [];
  let at = 0;
  return sheets.map((text) => text.replace(NUMBER, () => numbers[at++]));
}

/** Numbers of sheets as the parameter `off` has them. @param {string} text @returns {number[]} */
export const numbersOff = (text) => (text === '' ? [] : text.split(',').map(Number));

/**
 * The sheets after a change of their order, and which of them are laid aside: a sheet keeps its state wherever it goes.
 * @param {{text: string, on: boolean}[]} stack
 * @returns {{mask: string, off: string}}
 */
export const stackParams = (stack) => ({
  mask: joined(stack.map(({ text }) => text)),
  off: stack.flatMap(({ on }, i) => (on ? [] : [i + 1])).join(','),
});

/**
 * @template T
 * @param {T[]} items
 * @param {number} from
 * @param {number} to
 */
export function moved(items, from, to) {
  const copy = [...items];
  const [item] = copy.splice(from, 1);
  copy.splice(to, 0, item);
  return copy;
}

/**
 * The kinds of terms, each with a first text that fits the sizes.
 * @type {{name: string, about: string, first: (sizes: {queries: number, keys: number}) => string}[]}
 */
export const kinds = [
  { name: 'causal', about: 'no key after the query', first: () => 'causal' },
  { name: 'padding', about: 'the first keys', first: ({ keys }) => `padding(${Math.max(1, Math.floor(keys / 2))})` },
  { name: 'left_padding', about: 'the last keys', first: ({ keys }) => `left_padding(${Math.max(1, Math.floor(keys / 2))})` },
  { name: 'window', about: 'the latest keys', first: ({ keys }) => `window(${Math.max(1, Math.floor(keys / 3))})` },
  { name: 'documents', about: 'keys of the same document', first: ({ keys }) => (keys < 2 ? `documents(${keys})` : `documents(${Math.ceil(keys / 2)},${Math.floor(keys / 2)})`) },
  { name: 'document_ids', about: 'the same, by ids', first: ({ keys }) => `document_ids(${Array.from({ length: keys }, (_, i) => (i < keys / 2 ? 0 : 1)).join(',')})` },
  { name: 'prefix', about: 'a prefix for all, then causal', first: ({ keys }) => `prefix(${Math.max(1, Math.floor(keys / 3))})` },
  { name: 'chunks', about: 'blocks of positions', first: ({ keys }) => `chunks(${Math.max(1, Math.floor(keys / 2))})` },
  { name: 'global', about: 'positions that see and are seen', first: () => 'global(0)' },
  { name: 'dilated', about: 'every other key back', first: () => 'dilated(2,2)' },
  { name: 'rows', about: 'cells of your own', first: ({ queries, keys }) => `rows(${Array.from({ length: queries }, () => '1'.repeat(keys)).join(',')})` },
  { name: 'all', about: 'every key', first: () => 'all' },
  { name: 'none', about: 'no key', first: () => 'none' },
];

/** Sizes up to which a term is written out cell by cell or key by key. */
export const WRITTEN_OUT = 64;

/** The kinds that can be added at these sizes. @param {{queries: number, keys: number}} sizes */
export const kindsFor = (sizes) => kinds.filter(({ name }) => {
  if (name === 'rows' || name === 'document_ids') return sizes.queries <= WRITTEN_OUT && sizes.keys <= WRITTEN_OUT && (name === 'rows' || sizes.queries <= sizes.keys);
  return name !== 'documents' || sizes.queries <= sizes.keys;
});
