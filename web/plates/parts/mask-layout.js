/**
 * Where the matrices of "Masked softmax" lie: three in a row for every sequence (scores, mask, weights, then the row
 * sums) where there is room, one under another on a phone. All cells have one size, so the matrices can be compared.
 *
 * Only places, in px; nothing is drawn here.
 */

/** Room for row numbers, and for row sums with the word "empty" after them. */
const GUTTER = 24;
const SUMS = 92;
/** A cell is never larger than this, nor, where there are many queries, than lets one matrix be seen at once. */
const LARGEST = 46;
const TALLEST = 330;
/** Three matrices stand in a row only if their cells are at least this large. */
const LEAST = 16;
/** The least room between two matrices in a row, with an arrow and the row numbers in it. */
const TIGHTEST = 58;
/** Above a matrix: its title (or the sequence's heading) and the column numbers. */
const HEAD = 30;
const NUMBERS = 22;

/**
 * @typedef {object} Place
 * @property {number} x  left edge of the first cell
 * @property {number} y
 */

/**
 * @typedef {object} Layout
 * @property {number} size  px, a cell's side
 * @property {number} width
 * @property {number} height
 * @property {boolean} stacked
 * @property {number | null} titleY  baseline of the titles over the columns; null if each matrix has its own
 * @property {Array<{heading: number, maps: Place[], arrows: Array<{x: number, y: number, down: boolean}>}>} sequences
 * @property {number} sumsX  where the row sums begin
 */

/**
 * @param {{width: number, batch: number, queries: number, keys: number, narrow: boolean}} o
 * @returns {Layout}
 */
export function maskLayout({ width, batch, queries, keys, narrow }) {
  const inRow = Math.floor((width - GUTTER - 2 * TIGHTEST - SUMS) / (3 * keys));
  const stacked = narrow || inRow < LEAST;
  const room = stacked ? Math.floor((width - GUTTER - SUMS) / keys) : inRow;
  const size = Math.max(10, Math.min(LARGEST, Math.max(28, Math.floor(TALLEST / queries)), room));
  return stacked ? column(width, size, batch, queries, keys) : row(width, size, batch, queries, keys);
}

/**
 * @param {number} width
 * @param {number} size
 * @param {number} batch
 * @param {number} queries
 * @param {number} keys
 * @returns {Layout}
 */
function row(width, size, batch, queries, keys) {
  const side = keys * size;
  const gap = Math.max(TIGHTEST, Math.min(150, Math.floor((width - GUTTER - SUMS - 3 * side) / 2)));
  const xs = [0, 1, 2].map((i) => GUTTER + i * (side + gap));
  const titleY = 18;
  const pitch = HEAD + NUMBERS + queries * size + 26;
  const sequences = Array.from({ length: batch }, (_, b) => {
    const heading = titleY + 12 + b * pitch + 18;
    const y = heading + 8 + NUMBERS;
    const middle = y + (queries * size) / 2;
    return {
      heading, maps: xs.map((x) => ({ x, y })),
      arrows: [0, 1].map((i) => ({ x: xs[i] + side + (gap - GUTTER + 8) / 2, y: middle, down: false })),
    };
  });
  const height = sequences[batch - 1].maps[0].y + queries * size + 8;
  return { size, width, height, stacked: false, titleY, sequences, sumsX: xs[2] + side + 14 };
}

/**
 * @param {number} width
 * @param {number} size
 * @param {number} batch
 * @param {number} queries
 * @param {number} keys
 * @returns {Layout}
 */
function column(width, size, batch, queries, keys) {
  const step = HEAD + 8 + NUMBERS + queries * size;
  let top = 0;
  const sequences = Array.from({ length: batch }, () => {
    const heading = top + 18;
    const maps = [0, 1, 2].map((i) => ({ x: GUTTER, y: heading + HEAD + NUMBERS + i * step }));
    const arrows = [0, 1].map((i) => ({ x: GUTTER + (keys * size) - 8, y: maps[i].y + queries * size + 25, down: true }));
    top = maps[2].y + queries * size + 30;
    return { heading, maps, arrows };
  });
  return { size, width, height: top - 22, stacked: true, titleY: null, sequences, sumsX: GUTTER + keys * size + 12 };
}
