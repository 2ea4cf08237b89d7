/**
 * Tables of reals as text and as rows, the edits of their control, and what is wrong with an entry in the reader's words; pure.
 * '1,0.5;2,-1' is two rows of two; '' none. Whether a text is taken, the core alone judges.
 *
 * @import { DrawnTable } from '../chart/types.js'
 * @import { Parameter, Params, ParameterValue, Series } from '../engine/types.js'
 */
import { shorten } from './state.js';

/** A number as the core reads it. */
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const NON_FINITE = /^(nan|[+-]?inf(inity)?)$/i;

/** The beginning of a number, of which nothing is said while it is being typed. */
const BEGUN = /^[+-]?\.?$|e[+-]?$|^[+-]?(n|na|i|in)$/i;

/** Digits of an entry that its field shows while nobody is in it. */
const SHOWN = 5;

/** @param {string} text */
export const isBegun = (text) => BEGUN.test(text.trim());

/** @param {string} text @returns {string[][]} the entries as they are written */
export const parseTable = (text) => (text.trim() === '' ? [] : text.split(';').map((row) => row.split(',').map((entry) => entry.trim())));

/** @param {string[][]} rows */
export const tableText = (rows) => rows.map((row) => row.join(',')).join(';');

/** A separator typed into an entry is no separator: it stays there, in its wide form, for the core to refuse. @param {string} entry */
const unseparated = (entry) => entry.replace(/,/g, '\uff0c').replace(/;/g, '\uff1b').trim();

/** @param {string} text @param {number} row @param {number} column @param {string} entry as it was typed */
export const withEntry = (text, row, column, entry) => tableText(parseTable(text).map(
  (entries, r) => entries.map((old, c) => (r === row && c === column ? unseparated(entry) : old)),
));

/** Zero, or what of the range is nearest to it. @param {Parameter} p */
const zero = ({ min = 0, max = 0 }) => String(Math.min(Math.max(0, min), max));

/** With a row at the end, of zeros. @param {string} text @param {Parameter} p */
export function withRow(text, p) {
  const rows = parseTable(text);
  const columns = Math.max(1, rows[0]?.length ?? p.columnNames?.length ?? 1);
  return tableText([...rows, Array.from({ length: columns }, () => zero(p))]);
}

/** A single row, one entry longer or shorter. @param {string} text @param {number} columns @param {Parameter} p */
export function ofLength(text, columns, p) {
  const [row = []] = parseTable(text);
  return tableText([[...row.slice(0, columns), ...Array.from({ length: Math.max(0, columns - row.length) }, () => zero(p))]]);
}

/** @param {string} text @param {number} row */
export const withoutRow = (text, row) => tableText(parseTable(text).filter((_, r) => r !== row));

/** NaN or an infinity, which calculations are meant to meet. @param {string} entry */
export const isNonFinite = (entry) => NON_FINITE.test(entry);

/** @param {string} entry @param {Parameter} p */
export function isEntry(entry, { min = -Infinity, max = Infinity, nonFinite = false }) {
  return NUMBER.test(entry) ? Number(entry) >= min && Number(entry) <= max : nonFinite && isNonFinite(entry);
}

/** A long entry in few digits; it is there in full for whoever enters the field. @param {string} entry */
export const shownEntry = (entry) => (NUMBER.test(entry) && entry.length > SHOWN + 3 ? String(Number(Number(entry).toPrecision(SHOWN))) : entry);

/**
 * The entry a step of its field leads to.
 * @param {string} entry
 * @param {Parameter} p
 * @param {number} steps
 * @returns {string | null} null where nothing can be stepped
 */
export function stepped(entry, { min = -Infinity, max = Infinity, step = 1 }, steps) {
  if (!NUMBER.test(entry)) return null;
  // twelve digits: sums of steps leave no dust
  return String(Number(Math.min(Math.max(Number(entry) + steps * step, min), max).toPrecision(12)));
}

/** @param {Parameter} p @param {number} column */
export const columnName = (p, column) => p.columnNames?.[column] ?? `number ${column + 1}`;

/** @param {Parameter} p @param {number} row */
export const rowName = (p, row) => `${p.rowName || 'row'} ${row + 1}`;

/**
 * The name of an entry, as its field and the words about it have it.
 * @param {Parameter} p
 * @param {number} row
 * @param {number} column
 * @param {{rows: number, columns: number}} sizes
 */
export const entryName = (p, row, column, { rows, columns }) => [
  p.label || p.key, ...(rows > 1 || p.growable ? [rowName(p, row)] : []), ...(columns > 1 || p.columnNames?.length ? [columnName(p, column)] : []),
].join(', ');

/** @param {string[][]} rows */
export const sizesOf = (rows) => ({ rows: rows.length, columns: Math.max(0, ...rows.map((row) => row.length)) });

/** @param {string} text @param {Parameter} p @param {(entry: string) => string | null} say what there is to say of an entry, after its name */
function told(text, p, say) {
  const rows = parseTable(text);
  const sizes = sizesOf(rows);
  return rows.flatMap((row, r) => row.flatMap((entry, c) => {
    const words = say(entry);
    return words === null ? [] : [`${entryName(p, r, c, sizes)}${words}`];
  }));
}

/** Reasons that are told one by one; of more, how many they are. */
const MOST_REASONS = 3;

/** @param {string[]} all @param {string} more */
const few = (all, more) => (all.length <= MOST_REASONS ? all.join('. ') : `${all.slice(0, MOST_REASONS).join('. ')}. ${all.length - MOST_REASONS} ${more}`);

/**
 * Why the core refuses a table, entry by entry.
 * @param {string} text
 * @param {Parameter} p
 * @returns {string} '' when no entry is at fault
 */
export function complaint(text, p) {
  const allowed = `from ${p.min} to ${p.max}${p.nonFinite ? ', or nan, inf, -inf' : ''}`;
  return few(told(text, p, (entry) => {
    if (isEntry(entry, p)) return null;
    if (entry === '') return ` needs a number ${allowed}`;
    return `: ${shorten(entry)} is not possible; numbers ${allowed}${entry.includes('\uff0c') ? ', with a point for decimals' : ''}`;
  }), 'more entries are not possible');
}

/** The entries that are no finite numbers, in words; '' where there are none. @param {string} text @param {Parameter} p */
export const nonFiniteWords = (text, p) => few(told(text, p, (entry) => (isNonFinite(entry) ? ` is ${entry}` : null)), 'more are not finite');

/** How large a table is: '6 keys: x, y'. @param {string} text @param {Parameter} p */
export function sizeWords(text, p) {
  const { rows, columns } = sizesOf(parseTable(text));
  if (rows === 0) return 'none';
  const row = p.rowName || 'row';
  const count = rows === 1 ? `1 ${row}` : `${rows} ${/[^aeiou]y$/.test(row) ? `${row.slice(0, -1)}ies` : `${row}s`}`;
  return p.columnNames?.length === columns ? `${count}: ${p.columnNames.join(', ')}` : `${count} of ${columns}`;
}

/** A series as the text of a table, in full: the last axis are its columns. @param {Pick<Series, 'shape' | 'data'> | undefined} series */
export function writtenOut(series) {
  const columns = series?.shape[series.shape.length - 1] ?? 0;
  if (!series || columns === 0) return '';
  const word = (/** @type {number} */ value) => (Number.isNaN(value) ? 'nan' : Number.isFinite(value) ? String(value) : value > 0 ? 'inf' : '-inf');
  const entries = Array.from(/** @type {ArrayLike<number | string>} */ (series.data), (value) => word(Number(value)));
  return tableText(Array.from({ length: entries.length / columns }, (_, r) => entries.slice(r * columns, (r + 1) * columns)));
}

/** Whether a table is its reader's own, or left to the draw. @param {DrawnTable} table @param {ParameterValue} value @param {Params} params */
const isOwn = ({ own }, value, params) => (own ? Object.entries(own).every(([key, wanted]) => Object.is(params[key], wanted)) : value !== '');

/**
 * What a table's fields show, and what an entry in them changes besides the table: to make one table one's own is to make those its own
 * that stand and fall with it, as they were drawn.
 * @param {string} key
 * @param {Record<string, DrawnTable>} drawn of the plate
 * @param {Params} params
 * @param {Record<string, Series>} series
 * @returns {{text: string, drawn: boolean, along: Params}}
 */
export function shownTable(key, drawn, params, series) {
  const table = drawn[key];
  if (!table || isOwn(table, params[key], params)) return { text: String(params[key]), drawn: false, along: {} };
  const same = Object.entries(drawn).filter(([other, { own }]) => other !== key && own && table.own && JSON.stringify(own) === JSON.stringify(table.own));
  return {
    text: writtenOut(series[table.series]), drawn: true,
    along: { ...table.own, ...Object.fromEntries(same.map(([other, { series: name }]) => [other, writtenOut(series[name])])) },
  };
}
