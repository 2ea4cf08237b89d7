/**
 * Valid lengths as text and as rows, and the edits of the control; pure. '2,3': one a sequence; '1,3;2,4': one a query, a row a
 * sequence (a single row ends in ';'); '': none. Text that is neither is left to the core to judge.
 */

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
