/**
 * What a mask tells, as text: bytes in units of 1024, large counts in short, yes and no, and the table of all of it.
 */

import { format } from 'd3-format';
import { count, weight } from '../../chart/format.js';
import { brief, together } from './sheet-words.js';

/** @typedef {import('./mask-sheets.js').Sheets} Sheets */

const three = format('.3~r');
const short = format('.3~s');

/** A count that keeps to few letters: 36, 9 999, 134M. @param {number} value */
export function compact(value) {
  return value < 1e5 ? count(value) : short(value);
}

/**
 * Bytes in the largest unit of which there is one; three figures.
 * @param {number} bytes
 */
export function bytesText(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${value >= 1000 ? String(Math.round(value)) : three(value)} ${units[unit]}`;
}

/** @param {boolean | null} self */
export function selfText(self) {
  return self === null ? 'queries and keys do not pair off' : self ? 'yes' : 'no';
}

/**
 * The ways to store a mask, in the order they are drawn.
 * @param {Sheets} model
 */
export function representations({ bytes: [lengths, boolean, bits, float32, float16] }) {
  return [
    { name: 'lengths', bytes: lengths }, { name: 'a bit a pair', bytes: bits }, { name: 'a byte a pair', bytes: boolean },
    { name: 'float16 bias', bytes: float16 }, { name: 'float32 bias', bytes: float32 },
  ];
}

/**
 * @param {Sheets} model
 * @returns {import('../../chart/types.js').Table}
 */
export function factsTable(model) {
  const yes = (/** @type {boolean | null} */ self) => (self === null ? '–' : self ? 'yes' : 'no');
  return {
    caption: ['What each sheet tells, and all together'],
    columns: [['sheet'], ['share open'], ['pairs it alone closes'], ['in rows'], ['own key']],
    rows: [
      ...model.sheets.map((sheet) => [brief(sheet.text, 60), weight(sheet.density, 6), ...(sheet.on ? [count(sheet.sole), count(sheet.soleRows)] : ['laid aside', '']), yes(sheet.self)]),
      [together(model), weight(model.density, 6), '', '', yes(model.self)],
      ['empty rows', count(model.emptyRows), '', '', ''],
      ['one length a query can say it', model.prefix ? 'yes' : 'no', '', '', ''],
      ...representations(model).map(({ name, bytes }) => [`memory: ${name}`, Number.isFinite(bytes) ? `${count(bytes)} B` : 'cannot', '', '', '']),
    ],
  };
}
