/**
 * Closed lines of equal value over a grid, for all levels in one pass: marching squares. Each square between the middles of four neighbouring cells
 * is looked at once, for the levels between its least and its greatest corner, and leaves a note where each line goes on.
 *
 * Not a drawing: lines come in cells of the field, with every point there is. Beyond the field is below every level, so a line that meets the edge
 * goes on along it. Where two opposite corners reach a level and the others do not, they stay apart. Between two middles a and b,
 * a line of level l passes at (l - a) / (b - a).
 */

/** Sides of a square, as the offsets of their numbers: twice the upper left corner's place for the top, one more for the left; `down` is a row of corners. @param {number} down */
const sidesOf = (down) => ({ top: 0, left: 1, right: 3, bottom: 2 * down });

/**
 * Ways through a square by which corners reach the level (1 upper left, 2 upper right, 4 lower right, 8 lower left): from side to side, what is higher on the left hand.
 * @type {(keyof ReturnType<typeof sidesOf>)[][]}
 */
const WAYS = [
  [], ['left', 'top'], ['top', 'right'], ['left', 'right'], ['right', 'bottom'], ['left', 'top', 'right', 'bottom'], ['top', 'bottom'], ['left', 'bottom'],
  ['bottom', 'left'], ['bottom', 'top'], ['top', 'right', 'bottom', 'left'], ['bottom', 'right'], ['right', 'left'], ['right', 'top'], ['top', 'left'], [],
];

/** Where each line goes on, by level and side; all zero between two calls. */
let onward = new Int32Array(0);

/**
 * @param {object} field
 * @param {ArrayLike<number>} field.values  row by row; NaN is below every level
 * @param {number} field.columns
 * @param {number} field.rows
 * @param {number[]} levels  ascending
 * @returns {number[][][]} by level, its rings: x, y, x, y, ... in cells, a cell's middle at a half
 */
export function ringsOf({ values, columns, rows }, levels) {
  const down = columns + 2;
  const sides = 2 * down * (rows + 2);
  if (onward.length < levels.length * sides) onward = new Int32Array(levels.length * sides);
  const ranks = ranksOf(values, columns, rows, levels);
  const offsets = sidesOf(down);
  const ways = WAYS.map((names) => names.map((name) => offsets[name]));
  /** Sides that lines start from, by level. @type {number[][]} */
  const starts = levels.map(() => []);
  for (let row = 0; row <= rows; ++row) {
    for (let at = row * down, end = at + columns; at <= end; ++at) {
      const [nw, ne, se, sw] = [ranks[at], ranks[at + 1], ranks[at + down + 1], ranks[at + down]];
      if (nw === ne && nw === sw && nw === se) continue;
      const most = Math.max(nw, ne, se, sw);
      for (let level = Math.min(nw, ne, se, sw); level < most; ++level) {
        const way = ways[(nw > level ? 1 : 0) | (ne > level ? 2 : 0) | (se > level ? 4 : 0) | (sw > level ? 8 : 0)];
        for (let i = 0; i < way.length; i += 2) {
          onward[level * sides + 2 * at + way[i]] = 2 * at + way[i + 1];
          starts[level].push(2 * at + way[i]);
        }
      }
    }
  }
  return levels.map((level, i) => {
    /** @type {number[][]} */
    const rings = [];
    for (const start of starts[i]) {
      if (onward[i * sides + start] === 0) continue; // its line has been walked
      /** @type {number[]} */
      const ring = [];
      for (let side = start; onward[i * sides + side] !== 0;) {
        placeOn(side, level, values, columns, rows, ring);
        const next = onward[i * sides + side];
        onward[i * sides + side] = 0;
        side = next;
      }
      rings.push(ring);
    }
    return rings;
  });
}

/**
 * How many levels each cell reaches, with a row or column of none on each side of the field.
 * @param {ArrayLike<number>} values @param {number} columns @param {number} rows @param {number[]} levels
 */
function ranksOf(values, columns, rows, levels) {
  const ranks = new Uint8Array((columns + 2) * (rows + 2));
  for (let row = 0, i = 0; row < rows; ++row) {
    for (let column = 0, at = (row + 1) * (columns + 2) + 1; column < columns; ++column, ++i, ++at) {
      const value = values[i];
      let rank = 0;
      while (rank < levels.length && value >= levels[rank]) ++rank;
      ranks[at] = rank;
    }
  }
  return ranks;
}

/**
 * Where a line crosses a side, added to its ring.
 * @param {number} side @param {number} level @param {ArrayLike<number>} values @param {number} columns @param {number} rows @param {number[]} ring
 */
function placeOn(side, level, values, columns, rows, ring) {
  const corner = side >> 1;
  const row = Math.floor(corner / (columns + 2)) - 1;
  const column = corner - (row + 1) * (columns + 2) - 1;
  if (side % 2 === 0) ring.push(column < 0 ? 0 : column + 1 === columns ? columns : column + 0.5 + between(values[row * columns + column], values[row * columns + column + 1], level), row + 0.5);
  else ring.push(column + 0.5, row < 0 ? 0 : row + 1 === rows ? rows : row + 0.5 + between(values[row * columns + column], values[(row + 1) * columns + column], level));
}

/** @param {number} a @param {number} b @param {number} level  where on the way from a to b; half way where one of them is not finite */
function between(a, b, level) {
  const share = (level - a) / (b - a);
  return share >= 0 && share <= 1 ? share : 0.5;
}
