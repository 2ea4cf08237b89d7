/**
 * A field over the plane as bands of ink: one path a level, laid on each other so that a band has the ink of its middle value, and one path
 * for all the lines between them, as on an engraved map. Few elements however fine the field.
 *
 * Not a scale and not a legend: values are shares, 0 without ink, 1 with all of it. Lines are d3-contour's, by marching squares, linear between
 * the middles of cells. ink of the band from a to b = (a + b) / 2.
 */

import { contours } from 'd3-contour';
import { h } from './node.js';

/** @typedef {import('./types.js').VNode} VNode */

/** The levels of a field of weights: every tenth, and half of the first, below which a key hardly counts. */
export const LEVELS = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

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
export function contourBands({ values, columns, rows, x, y, width, height, levels = LEVELS, strong }) {
  const lines = contours().size([columns, rows]);
  const place = (/** @type {number[]} */ [column, row]) => `${tenth(x + (column * width) / columns)} ${tenth(y + (row * height) / rows)}`;
  const inks = bandInk(levels);
  let thin = '';
  let heavy = '';
  const bands = levels.map((level, i) => {
    // its types ask for an array, its code only reads by index
    const { coordinates } = lines.contour(/** @type {number[]} */ (values), level);
    let area = '';
    for (const ring of coordinates.flat()) {
      area += `M${closed(ring, columns, rows).map(place).join('L')}z`;
      const line = open(ring, columns, rows, place);
      if (level === strong) heavy += line;
      else thin += line;
    }
    // laid over the bands below, this path brings them to the ink of its own band
    const below = i === 0 ? 0 : inks[i - 1];
    return h('path', { class: 'filled', 'fill-rule': 'evenodd', 'fill-opacity': String(Math.round((1000 * (inks[i] - below)) / (1 - below)) / 1000), d: area });
  });
  return h('g', { class: 'contour' }, bands, h('path', { class: 'contour-line', d: thin }), strong !== undefined && h('path', { class: 'contour-line strong', d: heavy }));
}

/** @param {number} value */
const tenth = (value) => String(Math.round(value * 10) / 10);

/**
 * Which sides of the field a point lies on, as bits: left, top, right, bottom.
 * @param {number[]} point @param {number} columns @param {number} rows
 */
const sides = ([column, row], columns, rows) => (column <= 0 ? 1 : 0) | (row <= 0 ? 2 : 0) | (column >= columns ? 4 : 0) | (row >= rows ? 8 : 0);

/**
 * A ring that goes round the corners of the field instead of cutting them.
 * @param {number[][]} ring  its last point is its first
 * @param {number} columns
 * @param {number} rows
 */
function closed(ring, columns, rows) {
  /** @type {number[][]} */
  const all = [];
  for (let i = 0; i + 1 < ring.length; ++i) {
    all.push(ring[i]);
    const [from, to] = [sides(ring[i], columns, rows), sides(ring[i + 1], columns, rows)];
    const both = from | to;
    if (from !== 0 && to !== 0 && (from & to) === 0) all.push([both & 1 ? 0 : columns, both & 2 ? 0 : rows]);
  }
  return all;
}

/**
 * The parts of a ring inside the field, without its edge, where nothing crosses a level.
 * @param {number[][]} ring
 * @param {number} columns
 * @param {number} rows
 * @param {(point: number[]) => string} place
 */
function open(ring, columns, rows, place) {
  let path = '';
  let down = false;
  for (let i = 0; i + 1 < ring.length; ++i) {
    const [from, to] = [sides(ring[i], columns, rows), sides(ring[i + 1], columns, rows)];
    if (from !== 0 && to !== 0) down = false;
    else {
      path += down ? `L${place(ring[i + 1])}` : `M${place(ring[i])}L${place(ring[i + 1])}`;
      down = true;
    }
  }
  return path;
}
