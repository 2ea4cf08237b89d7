/**
 * A result of the study "masks", read once into named values for the figures and the words: the sheets, what they leave together,
 * the runs of empty queries with their reasons, and what the mask tells as a whole.
 *
 * Nothing is computed here but places in arrays. A drawn cell is a pair of query and key, or a tile of many; a share is of its pairs.
 */

import { numeric, series, value, words } from './read.js';

/** @typedef {import('../../chart/types.js').Result} Result */
/** @typedef {(row: number, column: number) => number} Cells */

/**
 * @typedef {object} Sheet
 * @property {number} number  from 1
 * @property {string} text  as an expression
 * @property {boolean} on  false if it is laid aside
 * @property {Cells} share  of the pairs in this cell that the sheet leaves open
 * @property {number} sole  pairs that no other sheet closes
 * @property {number} soleRows
 * @property {boolean | null} self  leaves every query its own key; null where queries and keys do not pair off
 * @property {number} density
 */

/**
 * @typedef {object} EmptyRun  consecutive queries without a key, numbers from 1
 * @property {number} sequence  0: every one
 * @property {number} head  0: every one
 * @property {number} first
 * @property {number} last
 * @property {string[]} reason  smallest set of sheets that leaves them nothing
 * @property {string[]} involved  every sheet in a set of that size
 */

/**
 * @typedef {object} Sheets
 * @property {number} queries
 * @property {number} keys
 * @property {number} sequence  shown, from 1
 * @property {number} head
 * @property {number} rows  drawn
 * @property {number} columns
 * @property {[number, number]} tile  queries and keys a drawn cell
 * @property {boolean} single  each drawn cell is one pair
 * @property {Sheet[]} sheets
 * @property {Cells} allowed
 * @property {Cells | null} weight
 * @property {Cells | null} score
 * @property {Cells | null} differs
 * @property {(row: number) => number} empty  share of the row's queries that keep no key
 * @property {EmptyRun[]} runs
 * @property {number} painted  number of the sheet that is painted, 0 if there is none
 * @property {number} sequences
 * @property {number} heads
 * @property {number} density
 * @property {number} allowedCells
 * @property {number} cells
 * @property {number} emptyRows
 * @property {boolean | null} self
 * @property {boolean} prefix
 * @property {number[]} prefixLens
 * @property {number[]} bytes  lengths, boolean, bits, additive float32, additive float16
 */

/**
 * @param {Result} result
 * @returns {Sheets}
 */
export function readSheets(result) {
  const [, rows, columns] = result.series.sheets.shape;
  const tile = series(result, 'tile');
  const at = (/** @type {number[]} */ data, /** @type {number} */ from = 0) => (/** @type {number} */ i, /** @type {number} */ j) => data[from + i * columns + j];
  const whole = (/** @type {string} */ name) => {
    const data = series(result, name);
    return data.length > 0 ? at(data) : null;
  };
  const shares = series(result, 'sheets');
  const [on, sole, soleRows, self, density] = ['on', 'sole', 'sole_rows', 'self', 'density'].map((name) => series(result, `sheet_${name}`));
  const sheets = words(result, 'sheet_text').map((text, s) => ({
    number: s + 1, text, on: on[s] === 1, share: at(shares, s * rows * columns), sole: sole[s], soleRows: soleRows[s], self: yesNo(self[s]), density: density[s],
  }));
  const empty = series(result, 'empty');
  return {
    queries: numeric(result, 'queries'), keys: numeric(result, 'keys'), sequence: numeric(result, 'sequence'), head: numeric(result, 'head'),
    rows, columns, tile: [tile[0], tile[1]], single: tile[0] === 1 && tile[1] === 1, sheets,
    allowed: at(series(result, 'allowed')), weight: whole('weights'), score: whole('score_values'), differs: whole('differs'),
    empty: (row) => empty[row], runs: readRuns(result, sheets.map(({ text }) => text)),
    painted: value(result, 'painted'), sequences: value(result, 'sequences'), heads: value(result, 'heads'),
    density: value(result, 'density'), allowedCells: value(result, 'allowed_cells'), cells: value(result, 'cells'), emptyRows: value(result, 'empty_rows'),
    self: yesNo(value(result, 'self')), prefix: value(result, 'prefix') === 1, prefixLens: series(result, 'prefix_lens'), bytes: series(result, 'bytes'),
  };
}

/**
 * The core tells runs on the axes that the mask itself has, but counts rows of the whole batch: runs that hold for every sequence or
 * head are told once, and known by the count.
 * @param {Result} result
 * @param {string[]} texts  of the sheets
 * @returns {EmptyRun[]}
 */
function readRuns(result, texts) {
  const [sequence, head, first, last] = ['sequence', 'head', 'first', 'last'].map((name) => series(result, `run_${name}`));
  const reason = words(result, 'run_reason').map((text) => operands(text, '&').map((term) => named(term, texts)));
  const involved = words(result, 'run_involved').map((text) => operands(text, ','));
  const told = first.reduce((sum, from, i) => sum + last[i] - from + 1, 0);
  const [sequences, heads, rows] = ['sequences', 'heads', 'empty_rows'].map((name) => value(result, name));
  const alone = (/** @type {number[]} */ numbers) => numbers.every((number) => number === 1);
  const [everySequence, everyHead] = [[false, false], [true, false], [false, true], [true, true]]
    .find(([s, h]) => (!s || (sequences > 1 && alone(sequence))) && (!h || (heads > 1 && alone(head))) && told * (s ? sequences : 1) * (h ? heads : 1) === rows) ?? [false, false];
  return sequence.map((_, i) => ({
    sequence: everySequence ? 0 : sequence[i], head: everyHead ? 0 : head[i], first: first[i], last: last[i], reason: reason[i], involved: involved[i],
  }));
}

/**
 * A term as its sheet is written: what is composed itself stands in parentheses only among others.
 * @param {string} term
 * @param {string[]} sheets
 */
function named(term, sheets) {
  const inner = term.startsWith('(') ? term.slice(1, -1) : term;
  return !sheets.includes(term) && sheets.includes(inner) ? inner : term;
}

/**
 * What stands between signs of one kind, outside of all parentheses: the operands of a top-level AND, the items of a list.
 * @param {string} text
 * @param {'&' | ','} sign
 */
export function operands(text, sign) {
  /** @type {string[]} */
  const parts = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth++;
    if (character === ')') depth--;
    if (character === sign && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** @param {number} flag */
function yesNo(flag) {
  return Number.isFinite(flag) ? flag === 1 : null;
}
