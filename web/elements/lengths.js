/**
 * Valid lengths as text and as rows, the edits of the control, and what is wrong with a field in the reader's words; pure. '2,3': one a sequence; '1,3;2,4': one a query, a row a
 * sequence (a single row ends in ';'); '': none. Whether a text is taken, the core alone judges.
 */
import { shorten } from './state.js';

/** @typedef {'sequence'|'query'|'none'} LengthsMode */

/**
 * @param {string} text
 * @returns {{mode: LengthsMode, rows: string[][]}} the fields as they are written
 */
export function parseLengths(text) {
  if (text.trim() === '') return { mode: 'none', rows: [] };
  if (text.includes(';')) {
    return { mode: 'query', rows: text.replace(/;\s*$/, '').split(';').map((row) => row.split(',').map((field) => field.trim())) };
  }
  return { mode: 'sequence', rows: text.split(',').map((field) => [field.trim()]) };
}

/**
 * @param {LengthsMode} mode
 * @param {string[][]} rows
 * @returns {string}
 */
export function formatLengths(mode, rows) {
  if (mode === 'none') return '';
  // one sequence with a length a query still needs its mark
  if (mode === 'query') return rows.map((row) => row.join(',')).join(';') + (rows.length === 1 ? ';' : '');
  return rows.map((row) => row[0]).join(',');
}

/**
 * @param {string} text
 * @param {number} sequence
 * @param {number} query 0 when the lengths are per sequence
 * @param {string} field the new text of the field
 */
export function withLength(text, sequence, query, field) {
  const { mode, rows } = parseLengths(text);
  const edited = rows.map((row, b) => row.map((old, q) => (b === sequence && q === query ? field.trim() : old)));
  return formatLengths(mode, edited);
}

/**
 * The same lengths said in another mode: a sequence's length for each of its queries; its longest for the whole sequence;
 * every key where there were none.
 * @param {string} text
 * @param {LengthsMode} mode
 * @param {{batch: number, queries: number, keys: number}} sizes
 */
export function inMode(text, mode, { batch, queries, keys }) {
  const { rows } = parseLengths(text);
  const longest = (/** @type {string[]} */ row) => String(Math.max(...row.map(Number)));
  const sequences = Array.from({ length: batch }, (_, b) => rows[b] ?? [String(keys)]);
  if (mode === 'query') {
    return formatLengths(mode, sequences.map((row) => Array.from({ length: queries }, (_, q) => row[q] ?? row[row.length - 1])));
  }
  return formatLengths(mode, sequences.map((row) => [longest(row)]));
}

/** @param {string} field @param {number} keys */
export const isLength = (field, keys) => field !== '' && Number.isInteger(Number(field)) && Number(field) >= 0 && Number(field) <= keys;

/**
 * The name of a field, as its control has it.
 * @param {LengthsMode} mode
 * @param {number} sequence
 * @param {number} query
 */
export const fieldName = (mode, sequence, query) => `sequence ${sequence + 1}${mode === 'query' ? `, query ${query + 1}` : ''}`;

/**
 * Why the core refuses a text, field by field.
 * @param {string} text
 * @param {number} keys of every sequence
 * @returns {string} '' when no field is at fault
 */
export function complaint(text, keys) {
  const { mode, rows } = parseLengths(text);
  return rows.flatMap((row, b) => row.flatMap((field, q) => {
    if (isLength(field, keys)) return [];
    const name = fieldName(mode, b, q);
    return field === '' ? `${name} needs a whole number from 0 to ${keys}` : `${name}: ${shorten(field)} is not possible; whole numbers from 0 to ${keys}`;
  })).join('. ');
}
