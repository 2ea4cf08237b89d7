/**
 * A field over the plane as bands of ink: one path a level, laid on each other so that a band has the ink of its middle value, each with a line
 * along its edge, as on an engraved map. Few elements however fine the field, and no more points than an eye can tell.
 *
 * Not a scale and not a legend: values are shares, 0 without ink, 1 with all of it. Lines are d3-contour's, by marching squares, linear between
 * the middles of cells. ink of the band from a to b = (a + b) / 2.
 */

import { contours } from 'd3-contour';
import { h } from './node.js';

/** @typedef {import('./types.js').VNode} VNode */

/** The levels of a field of weights: every tenth, and half of the first, below which a key hardly counts. */
export const LEVELS = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/** Points of a line that are nearer than this, px, are one. */
const NEAR = 2.6;

/** Ink where a value is one: points and their numbers are still read over it. */
const MOST_INK = 0.86;

/**
 * The ink of each band, from its level to the next.
 * @param {number[]} levels  ascending
 */
export const bandInk = (levels) => levels.map((level, i) => (MOST_INK * (level + (levels[i + 1] ?? 1))) / 2);

/**
 * @param {object} field
 * @param {ArrayLike<number>} field.values  row by row, the first row at the top; a value belongs to the middle of its cell
 * @param {number} field.columns
 * @param {number} field.rows
 * @param {number} field.x  px, where the first column begins
 * @param {number} field.y
 * @param {number} field.width  px
 * @param {number} field.height
 * @param {number[]} [field.levels]  ascending
 * @param {number} [field.strong]  a level whose line is drawn heavier
 * @returns {VNode}
 */
export function contourBands(field) {
  const { values, x, y, width, height, levels = LEVELS, strong } = field;
  const place = [field.columns, field.rows, x, y, width, height, strong, ...levels].join();
  const last = drawn.get(place);
  if (last && last.values.length === values.length && same(last.values, values)) return last.node;
  const node = bandsOf(field);
  if (drawn.size > KEPT) drawn.clear();
  drawn.set(place, { values, node });
  return node;
}

/** The last field of each place and its bands: while a hand moves what the field does not depend on, nothing is traced anew. @type {Map<string, {values: ArrayLike<number>, node: VNode}>} */
const drawn = new Map();

/** Places that are remembered. */
const KEPT = 24;

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
function same(a, b) {
  for (let i = 0; i < a.length; ++i) if (a[i] !== b[i]) return false;
  return true;
}

/**
 * @param {Parameters<typeof contourBands>[0]} field
 * @returns {VNode}
 */
function bandsOf({ values, columns, rows, x, y, width, height, levels = LEVELS, strong }) {
  // the edge lies in the middle of the frame's line, which hides it: nothing crosses a level there
  const at = (/** @type {number} */ value, /** @type {number} */ cells, /** @type {number} */ from, /** @type {number} */ size) => tenth(from + (value <= 0 ? 0.5 : value >= cells ? size - 0.5 : (value * size) / cells));
  const inks = bandInk(levels);
  const boxes = boxesOf(values, columns, rows, levels);
  return h('g', { class: 'contour' }, levels.map((level, i) => {
    let d = '';
    for (const ring of ringsOf(values, columns, boxes[i], level)) {
      d += `M${closed(ring, columns, rows, (NEAR * columns) / width).map(([column, row]) => `${at(column, columns, x, width)} ${at(row, rows, y, height)}`).join('L')}z`;
    }
    // laid over the bands below, this path brings them to the ink of its own band
    const below = i === 0 ? 0 : inks[i - 1];
    return h('path', { class: level === strong ? 'filled strong' : 'filled', 'fill-rule': 'evenodd', 'fill-opacity': String(Math.round((1000 * (inks[i] - below)) / (1 - below)) / 1000), d });
  }));
}

/** Cells from left to right and top to bottom, the last ones not included. @typedef {{left: number, top: number, right: number, bottom: number}} Box */

/**
 * What of the field each level needs: the cells that reach it, and one around them, where there is one. A level that few cells reach is found in a
 * fraction of the time.
 * @param {ArrayLike<number>} values
 * @param {number} columns
 * @param {number} rows
 * @param {number[]} levels  ascending
 * @returns {Box[]}
 */
function boxesOf(values, columns, rows, levels) {
  /** @type {Box[]} */
  const boxes = levels.map(() => ({ left: columns, top: rows, right: 0, bottom: 0 }));
  for (let row = 0, i = 0; row < rows; ++row) {
    for (let column = 0; column < columns; ++column, ++i) {
      let level = -1;
      while (level + 1 < levels.length && values[i] >= levels[level + 1]) ++level;
      if (level >= 0) widen(boxes[level], column, row, column + 1, row + 1);
    }
  }
  for (let level = levels.length - 2; level >= 0; --level) {
    const { left, top, right, bottom } = boxes[level + 1];
    if (right > left) widen(boxes[level], left, top, right, bottom);
  }
  return boxes.map(({ left, top, right, bottom }) => ({ left: Math.max(0, left - 1), top: Math.max(0, top - 1), right: Math.min(columns, right + 1), bottom: Math.min(rows, bottom + 1) }));
}

/** @param {Box} box @param {number} left @param {number} top @param {number} right @param {number} bottom */
function widen(box, left, top, right, bottom) {
  if (left < box.left) box.left = left;
  if (top < box.top) box.top = top;
  if (right > box.right) box.right = right;
  if (bottom > box.bottom) box.bottom = bottom;
}

/**
 * The closed lines of a level, in cells of the whole field; none where nothing reaches it.
 * @param {ArrayLike<number>} values
 * @param {number} columns
 * @param {Box} box
 * @param {number} level
 * @returns {number[][][]}
 */
function ringsOf(values, columns, { left, top, right, bottom }, level) {
  const [wide, high] = [right - left, bottom - top];
  if (wide <= 0 || high <= 0) return [];
  const part = new Float64Array(wide * high);
  for (let row = 0, i = 0; row < high; ++row) {
    for (let column = 0; column < wide; ++column) part[i++] = values[(top + row) * columns + left + column];
  }
  // its types ask for an array, its code only reads by index
  const rings = contours().size([wide, high]).contour(/** @type {number[]} */ (/** @type {unknown} */ (part)), level).coordinates.flat();
  for (const ring of rings) {
    for (const point of ring) {
      point[0] += left;
      point[1] += top;
    }
  }
  return rings;
}

/** Places on the sheet as they are written, by tenths of a pixel: there are thousands in a drawing and few different ones. @type {string[]} */
const written = [];

/** @param {number} value  px, not below zero */
function tenth(value) {
  const tenths = Math.round(value * 10);
  return (written[tenths] ??= String(tenths / 10));
}

/**
 * Which sides of the field a point lies on, as bits: left, top, right, bottom.
 * @param {number[]} point @param {number} columns @param {number} rows
 */
const sides = ([column, row], columns, rows) => (column <= 0 ? 1 : 0) | (row <= 0 ? 2 : 0) | (column >= columns ? 4 : 0) | (row >= rows ? 8 : 0);

/**
 * A ring that goes round the corners of the field instead of cutting them, without the points that lie too near the last one to be told from it.
 * @param {number[][]} ring  its last point is its first
 * @param {number} columns
 * @param {number} rows
 * @param {number} near  cells
 */
function closed(ring, columns, rows, near) {
  /** @type {number[][]} */
  const all = [];
  let [lastColumn, lastRow] = [-Infinity, -Infinity];
  let before = sides(ring[ring.length - 2], columns, rows);
  for (let i = 0; i + 1 < ring.length; ++i) {
    const [column, row] = ring[i];
    const here = sides(ring[i], columns, rows);
    const next = sides(ring[i + 1], columns, rows);
    // inside, what is far enough from the last; along the edge, where the line comes to it and leaves it, or both sides of a corner
    if (here === 0 ? Math.abs(column - lastColumn) + Math.abs(row - lastRow) >= near : here !== before || here !== next) {
      all.push([column, row]);
      [lastColumn, lastRow] = [column, row];
    }
    if (here !== 0 && next !== 0 && (here & next) === 0) all.push([(here | next) & 1 ? 0 : columns, (here | next) & 2 ? 0 : rows]);
    before = here;
  }
  return all;
}
