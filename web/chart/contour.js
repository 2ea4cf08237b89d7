/**
 * A field over the plane as bands of ink: one path a level, laid on each other so that a band has the ink of its middle value, each with a line
 * along its edge, as on an engraved map. Few elements however fine the field, and no more points than an eye can tell.
 *
 * Not a scale and not a legend: values are shares, 0 without ink, 1 with all of it. Where the lines run is said by rings.js.
 * ink of the band from a to b = (a + b) / 2.
 */

import { h } from './node.js';
import { ringsOf } from './rings.js';

/** @typedef {import('./types.js').VNode} VNode */

/** The levels of a field of weights: every tenth, and half of the first, below which a key hardly counts. */
export const LEVELS = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/** A line may be drawn straight where it leaves out points no further from it than this, px. */
const STRAIGHT = 0.1;

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
  const inks = bandInk(levels);
  const frame = { columns, rows, x, y, width, height };
  return h('g', { class: 'contour' }, ringsOf({ values, columns, rows }, levels).map((rings, i) => {
    let d = '';
    for (const ring of rings) d += written(placed(ring, frame));
    // laid over the bands below, this path brings them to the ink of its own band
    const below = i === 0 ? 0 : inks[i - 1];
    return h('path', { class: levels[i] === strong ? 'filled strong' : 'filled', 'fill-rule': 'evenodd', 'fill-opacity': String(Math.round((1000 * (inks[i] - below)) / (1 - below)) / 1000), d });
  }));
}

/** @typedef {Pick<Parameters<typeof contourBands>[0], 'columns' | 'rows' | 'x' | 'y' | 'width' | 'height'>} Frame */

/** A ring on the sheet, px, and which of its points stay whatever comes. @typedef {{x: number[], y: number[], stays: boolean[]}} Outline */

/**
 * A ring that goes round the corners of the field instead of cutting them. Along an edge, the points stay where the line comes to it and leaves it.
 * @param {number[]} ring  x, y, x, y, ... in cells
 * @param {Frame} frame
 * @returns {Outline}
 */
function placed(ring, { columns, rows, x, y, width, height }) {
  // the edge lies in the middle of the frame's line, which hides it: nothing crosses a level there
  const [left, top, right, bottom] = [x + 0.5, y + 0.5, x + width - 0.5, y + height - 0.5];
  /** Which edges point i lies on, as bits: left, top, right, bottom. @param {number} i */
  const edges = (i) => (ring[i] <= 0 ? 1 : 0) | (ring[i + 1] <= 0 ? 2 : 0) | (ring[i] >= columns ? 4 : 0) | (ring[i + 1] >= rows ? 8 : 0);
  /** @type {Outline} */
  const all = { x: [], y: [], stays: [] };
  const add = (/** @type {number} */ px, /** @type {number} */ py, /** @type {boolean} */ stays) => { all.x.push(px); all.y.push(py); all.stays.push(stays); };
  let before = edges(ring.length - 2);
  let here = edges(0);
  for (let i = 0; i < ring.length; i += 2) {
    const next = edges((i + 2) % ring.length);
    if (here === 0) add(x + (ring[i] * width) / columns, y + (ring[i + 1] * height) / rows, false);
    else if (here !== before || here !== next) add(here & 1 ? left : here & 4 ? right : x + (ring[i] * width) / columns, here & 2 ? top : here & 8 ? bottom : y + (ring[i + 1] * height) / rows, true);
    if (here !== 0 && next !== 0 && (here & next) === 0) add((here | next) & 1 ? left : right, (here | next) & 2 ? top : bottom, true);
    [before, here] = [here, next];
  }
  return all;
}

/**
 * An outline as path data with few points: from each point that is kept, the line goes as far as it leaves every point between within STRAIGHT.
 * Those lines that do lie in a wedge, which each further point narrows.
 * @param {Outline} outline
 */
function written({ x, y, stays }) {
  const count = x.length;
  if (count < 3) return '';
  let d = `M${tenth(x[0])} ${tenth(y[0])}`;
  let [fromX, fromY, far] = [x[0], y[0], 0];
  // the wedge's two borders, as directions; none yet
  let [rightX, rightY, leftX, leftY] = [0, 0, 0, 0];
  let open = true;
  for (let i = 1; i < count; ++i) {
    let dx = x[i] - fromX;
    let dy = y[i] - fromY;
    let distance = Math.sqrt(dx * dx + dy * dy);
    if (!open && (distance < far || rightX * dy - rightY * dx < 0 || dx * leftY - dy * leftX < 0)) {
      [fromX, fromY, far, open] = [x[i - 1], y[i - 1], 0, true];
      d += `L${tenth(fromX)} ${tenth(fromY)}`;
      [dx, dy] = [x[i] - fromX, y[i] - fromY];
      distance = Math.sqrt(dx * dx + dy * dy);
    }
    if (stays[i]) {
      [fromX, fromY, far, open] = [x[i], y[i], 0, true];
      d += `L${tenth(fromX)} ${tenth(fromY)}`;
      continue;
    }
    if (distance <= STRAIGHT) continue;
    far = distance;
    const sine = STRAIGHT / distance;
    const cosine = Math.sqrt(1 - sine * sine);
    const [nearX, nearY, awayX, awayY] = [dx * cosine + dy * sine, dy * cosine - dx * sine, dx * cosine - dy * sine, dy * cosine + dx * sine];
    if (open || rightX * nearY - rightY * nearX > 0) [rightX, rightY] = [nearX, nearY];
    if (open || awayX * leftY - awayY * leftX > 0) [leftX, leftY] = [awayX, awayY];
    open = false;
  }
  if (!stays[count - 1] && !open) d += `L${tenth(x[count - 1])} ${tenth(y[count - 1])}`;
  return `${d}z`;
}

/** Places on the sheet as they are written, by tenths of a pixel: there are thousands in a drawing and few different ones. @type {string[]} */
const texts = [];

/** @param {number} value  px, not below zero */
function tenth(value) {
  const tenths = Math.round(value * 10);
  return (texts[tenths] ??= String(tenths / 10));
}
