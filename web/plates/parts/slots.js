/**
 * The ledger's slots, gathered again into the tables they are printed in: rows and columns are read from the entries (`[1][0][2]`,
 * `d = 64, scaled`). Values, texts and verdicts are the core's.
 */

import { series, words } from './read.js';

/** @typedef {import('../../chart/types.js').Result} Result */

/**
 * @typedef {object} Slot one printed number
 * @property {number} number  in the ledger
 * @property {string} entry  which number of its table
 * @property {string} row  heading of its row
 * @property {string} column
 * @property {string} printed
 * @property {string} ours
 * @property {number} value  before rounding
 * @property {boolean} match
 *
 * @typedef {object} PrintedTable
 * @property {string} framework  'jax' or 'torch'
 * @property {string} place
 * @property {string} about
 * @property {string} calls
 * @property {Slot[]} slots
 * @property {number} matches
 * @property {number} columns  numbers in a row of print
 * @property {boolean} named  rows and columns have names, not indices
 */

/**
 * The printed tables, those of one framework beside those of the other where both are asked for.
 * @param {Result} result
 * @returns {PrintedTable[]}
 */
export function readTables(result) {
  const of = Object.fromEntries(['framework', 'place', 'about', 'calls', 'entry', 'printed', 'ours', 'verdict'].map((name) => [name, words(result, name)]));
  const values = series(result, 'value');
  const numbers = series(result, 'slot');
  /** @type {PrintedTable[]} */
  const tables = [];
  numbers.forEach((number, i) => {
    const last = tables[tables.length - 1];
    const [framework, place, about, calls] = [of.framework[i], of.place[i], of.about[i], of.calls[i]];
    const same = last && last.framework === framework && last.about === about && last.place === place;
    const table = same ? last : { framework, place, about, calls, slots: [], matches: 0, columns: 0, named: !of.entry[i].startsWith('[') };
    if (!same) tables.push(table);
    const match = of.verdict[i] === 'match';
    table.slots.push({ number, entry: of.entry[i], ...placeOf(of.entry[i]), printed: of.printed[i], ours: of.ours[i], value: values[i], match });
    table.matches += match ? 1 : 0;
  });
  for (const table of tables) table.columns = new Set(table.slots.map(({ column }) => column)).size;
  return sideBySide(tables);
}

/** @param {string} entry */
function placeOf(entry) {
  const index = /^(.*)\[(\d+)\]$/.exec(entry);
  if (index) return { row: index[1], column: index[2] };
  const [row, column = ''] = entry.split(', ');
  return { row, column };
}

/**
 * The first table of each framework, then the second of each, and so on.
 * @param {PrintedTable[]} tables
 */
function sideBySide(tables) {
  const frameworks = [...new Set(tables.map(({ framework }) => framework))];
  const lists = frameworks.map((framework) => tables.filter((table) => table.framework === framework));
  return Array.from({ length: Math.max(0, ...lists.map(({ length }) => length)) }, (_, i) => lists.flatMap((list) => list[i] ?? [])).flat();
}
