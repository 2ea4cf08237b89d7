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
/** From this many columns on the composite has a row of its own. */
const MANY = 21;

/** @typedef {{x: number, y: number, size: number}} Place  left and upper edge of the first cell, and a cell's side */

/**
 * @typedef {object} SheetLayout
 * @property {number} height
 * @property {Array<Place & {numbers: boolean, joined: boolean, room: number}>} sheets  `numbers`: rows are numbered; `joined`: another stands at its left; `room`: px for its name
 * @property {Place} composite
 * @property {{x: number, y: number, down: boolean}} arrow
 * @property {number} gap  px between two sheets
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
    const wide = (left - gutter - (perRow - 1) * gap) / (perRow * columns);
    const tall = (Math.max(rows * size, 370) - (lines - 1) * (NUMBERS + foot)) / (lines * rows);
    const fits = cell(Math.min(LARGEST_SHEET, size * 0.75, wide, tall));
    if (fits > best.size) best = { size: fits, perRow };
  }
  const block = rowsOfSheets({ count, rows, columns, gutter, foot, gap, ...best });
  const height = Math.max(block.height, NUMBERS + rows * size + NAME);
  const top = (height - block.height) / 2;
  const used = gutter + best.perRow * columns * best.size + (best.perRow - 1) * gap;
  const free = width - used - gutter - columns * size - WORD;
  const x = Math.round(used + gutter + Math.max(ARROW, free * 0.56));
  const y = Math.round((height - NUMBERS - rows * size - NAME) / 2) + NUMBERS;
  return {
    height, gap,
    sheets: block.sheets.map((place) => ({ ...place, y: place.y + Math.round(top) })),
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
  const wide = (width - gutter - (perRow - 1) * gap) / (Math.max(perRow, narrow ? 2 : 3) * columns);
  const size = cell(Math.min(LARGEST_SHEET, wide, Math.max(2, 660 / lines / rows)));
  const block = rowsOfSheets({ count, rows, columns, gutter, foot, gap, perRow, size });
  const large = cell(Math.min(narrow ? 48 : LARGEST, (width - gutter - WORD) / columns, 580 / rows));
  const y = block.height + 34 + NUMBERS;
  const x = narrow ? gutter : Math.round((width - columns * large) / 2);
  const shift = narrow ? 0 : Math.round((width - gutter - perRow * columns * size - (perRow - 1) * gap) / 2);
  return {
    height: y + rows * large + NAME, gap,
    sheets: block.sheets.map((place) => ({ ...place, x: place.x + shift })),
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
  const sheets = Array.from({ length: count }, (_, s) => ({
    x: gutter + (s % perRow) * (columns * size + gap), y: NUMBERS + Math.floor(s / perRow) * pitch, size,
    numbers: s % perRow === 0, joined: s % perRow > 0, room: columns * size + gap - 8,
  }));
  return { sheets, height: Math.ceil(count / perRow) * pitch - 8 };
}

/** Whole pixels where a cell has several, so that hairlines are sharp. @param {number} size */
function cell(size) {
  return size >= 4 ? Math.floor(size) : Math.max(0.5, Math.floor(size * 10) / 10);
}
