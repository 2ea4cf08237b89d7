/**
 * Where the sheets and their composite lie. Few cells: the sheets at the left, in rows, the composite larger at the right, an arrow
 * between. Many cells, or a phone: the composite below the sheets, as wide as it may be.
 *
 * Only places, in px; nothing is drawn here.
 */

import { textWidth } from '../../chart/text.js';

/** Between two sheets in a row: room for the sign of composition. */
const GAP = 42;
const TIGHT = 30;
/** Above a map: its column numbers. */
const NUMBERS = 22;
/** Below a map: the first line of its name, and each further line. */
const NAME = 28;
const LINE = 18;
/** Beside the composite: the word for an empty row. */
const WORD = 58;
/** An arrow with its air. */
const ARROW = 62;
const LARGEST = 40;
const LARGEST_SHEET = 28;
/** At the end of a row that goes on in the next: room for the sign of composition. */
const WRAP = 26;
/** From this many columns on the composite has a row of its own. */
const MANY = 21;

/** @typedef {{x: number, y: number, size: number}} Place  left and upper edge of the first cell, and a cell's side */

/**
 * @typedef {object} SheetLayout
 * @property {number} height
 * @property {Array<Place & {numbers: boolean, joint: Joint | null, room: number}>} sheets  `numbers`: rows are numbered; `joint`: none before the first; `room`: px for its name
 * @property {Place} composite
 * @property {{x: number, y: number, down: boolean}} arrow
 *
 * @typedef {{x: number, y: number}} Joint  middle of the sign that composes a sheet with the one before it: between the two, or at the end of the row before
 */

/**
 * @param {object} o
 * @param {number} o.width
 * @param {boolean} o.narrow
 * @param {number} o.count  of sheets
 * @param {number} o.rows
 * @param {number} o.columns
 * @param {string} o.rowName  the longest
 * @param {number} o.lines  below each sheet
 * @returns {SheetLayout}
 */
export function sheetLayout({ width, narrow, count, rows, columns, rowName, lines }) {
  const gutter = Math.max(22, textWidth(rowName, 13) + 11);
  const o = { width, count, rows, columns, gutter, foot: NAME + (lines - 1) * LINE, gap: narrow ? TIGHT : GAP };
  return narrow || columns >= MANY || rows >= 2 * MANY || count > 6 ? below(o, narrow) : beside(o);
}

/** @typedef {{width: number, count: number, rows: number, columns: number, gutter: number, foot: number, gap: number}} Given */

/**
 * @param {Given} o
 * @returns {SheetLayout}
 */
function beside({ width, count, rows, columns, gutter, foot, gap }) {
  const size = cell(Math.min(LARGEST, 360 / columns, 420 / rows));
  const left = width - (gutter + columns * size + WORD) - ARROW;
  let best = { size: 0, perRow: 1 };
  for (let perRow = 1; perRow <= count; perRow++) {
    const lines = Math.ceil(count / perRow);
    const wide = (left - gutter - (perRow - 1) * gap - wrap(count, perRow)) / (perRow * columns);
    const tall = (Math.max(rows * size, 370) - (lines - 1) * (NUMBERS + foot)) / (lines * rows);
    const fits = cell(Math.min(LARGEST_SHEET, size * 0.75, wide, tall));
    if (fits > best.size) best = { size: fits, perRow };
  }
  const block = rowsOfSheets({ count, rows, columns, gutter, foot, gap, ...best });
  const height = Math.max(block.height, NUMBERS + rows * size + NAME);
  const top = (height - block.height) / 2;
  const used = gutter + best.perRow * columns * best.size + (best.perRow - 1) * gap + wrap(count, best.perRow);
  const free = width - used - gutter - columns * size - WORD;
  const x = Math.round(used + gutter + Math.max(ARROW, free * 0.56));
  const y = Math.round((height - NUMBERS - rows * size - NAME) / 2) + NUMBERS;
  return {
    height,
    sheets: block.sheets.map((place) => moved(place, 0, Math.round(top))),
    composite: { x, y, size },
    arrow: { x: (used + x - gutter) / 2, y: y + (rows * size) / 2, down: false },
  };
}

/**
 * @param {Given} o
 * @param {boolean} narrow
 * @returns {SheetLayout}
 */
function below({ width, count, rows, columns, gutter, foot, gap }, narrow) {
  const perRow = Math.min(count, narrow ? 2 : count > 6 || count === 4 ? 4 : 3);
  const lines = Math.ceil(count / perRow);
  const wide = (width - gutter - (perRow - 1) * gap - wrap(count, perRow)) / (Math.max(perRow, narrow ? 2 : 3) * columns);
  const size = cell(Math.min(LARGEST_SHEET, wide, Math.max(2, 660 / lines / rows)));
  const block = rowsOfSheets({ count, rows, columns, gutter, foot, gap, perRow, size });
  const large = cell(Math.min(narrow ? 48 : LARGEST, (width - gutter - WORD) / columns, 580 / rows));
  const y = block.height + 34 + NUMBERS;
  const x = narrow ? gutter : Math.round((width - columns * large) / 2);
  const shift = narrow ? 0 : Math.round((width - gutter - perRow * columns * size - (perRow - 1) * gap - wrap(count, perRow)) / 2);
  return {
    height: y + rows * large + NAME,
    sheets: block.sheets.map((place) => moved(place, shift, 0)),
    composite: { x, y, size: large },
    arrow: { x: x + (columns * large) / 2, y: block.height + 12, down: true },
  };
}

/**
 * @param {object} o
 * @param {number} o.count
 * @param {number} o.rows
 * @param {number} o.columns
 * @param {number} o.gutter
 * @param {number} o.foot
 * @param {number} o.gap
 * @param {number} o.perRow
 * @param {number} o.size
 */
function rowsOfSheets({ count, rows, columns, gutter, foot, gap, perRow, size }) {
  const pitch = NUMBERS + rows * size + foot + 8;
  const x = (/** @type {number} */ s) => gutter + (s % perRow) * (columns * size + gap);
  const y = (/** @type {number} */ s) => NUMBERS + Math.floor(s / perRow) * pitch;
  const end = (/** @type {number} */ s) => ({ x: x(s) + columns * size + (s % perRow === perRow - 1 ? WRAP - 8 : gap / 2), y: y(s) + (rows * size) / 2 });
  const sheets = Array.from({ length: count }, (_, s) => ({ x: x(s), y: y(s), size, numbers: s % perRow === 0, joint: s === 0 ? null : end(s - 1), room: columns * size + gap - 8 }));
  return { sheets, height: Math.ceil(count / perRow) * pitch - 8 };
}

/** What rows that go on keep free at their ends, px. @param {number} count @param {number} perRow */
const wrap = (count, perRow) => (count > perRow ? WRAP : 0);

/**
 * @template {Place & {joint: Joint | null}} P
 * @param {P} place
 * @param {number} dx
 * @param {number} dy
 * @returns {P}
 */
const moved = (place, dx, dy) => ({ ...place, x: place.x + dx, y: place.y + dy, joint: place.joint && { x: place.joint.x + dx, y: place.joint.y + dy } });

/** Whole pixels where a cell has several, so that hairlines are sharp. @param {number} size */
function cell(size) {
  return size >= 4 ? Math.floor(size) : Math.max(0.5, Math.floor(size * 10) / 10);
}
