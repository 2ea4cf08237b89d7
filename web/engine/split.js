/**
 * How one attention is cut into pieces of work for several workers: whole slices (one head of one sequence each), or blocks of queries of one
 * slice. What counts is the number of tiles that the kernel will visit, so that a causal mask's long rows are shared as fairly as its short ones.
 * Pieces get smaller towards the end (guided self-scheduling: a piece is 1 / (2 workers) of what is left, within bounds), so that workers
 * which take the next piece when they are done finish together. Pure; it runs nothing and knows no mask.
 */

/**
 * @typedef {object} Piece
 * @property {number} slice the first one, counted through batch x heads
 * @property {number} slices more than 1 only where all queries of each are in the piece
 * @property {number} row the first query
 * @property {number} rows
 * @property {number} tiles to be visited
 *
 * @typedef {object} Plan
 * @property {number} slices batch x heads
 * @property {number} queries of a slice
 * @property {number} tileQueries queries in a block: pieces begin at multiples of it, so that the cut never changes a result
 * @property {ArrayLike<number>} visited tiles to be visited by each block of queries, slice after slice
 *
 * @typedef {object} Bounds
 * @property {number} workers
 * @property {number} largest tiles that a piece may have: how long a worker can be deaf to cancelling
 * @property {number} smallest tiles below which a piece does not pay for its messages
 */

/**
 * Multiply-adds of a piece. At most what takes some 10 ms at 30e9 a second: so long a worker is deaf to cancelling for each piece it has, and so fine is
 * progress. At least some 1 ms, below which messages cost more than a piece evens out.
 * A block of queries is never cut: with d = v = 64 a piece has 256 queries before 9000 keys, 64 before 32,768, one block of 32 from 37,000 keys on, and only
 * beyond 73,000 keys is that more than the largest. Each call looks for NaN and infinities among the keys that its queries see, which is what few queries
 * cost: with d = 64 and no mask, of the processor time a query has in pieces of 512, those of 256 take 1.01, of 128 1.03, of 64 1.04 to 1.06 and of 32 1.07
 * (65,536 keys) to 1.15 (8192).
 */
export const PER_PIECE = { largest: 300e6, smallest: 30e6 };

/**
 * These bounds in tiles.
 * @param {{largest: number, smallest: number}} perPiece multiply-adds @param {number} perTile multiply-adds
 */
export function inTiles({ largest, smallest }, perTile) {
  const tiles = (/** @type {number} */ work) => Math.max(1, Math.floor(work / perTile));
  return { largest: tiles(largest), smallest: tiles(smallest) };
}

/** @param {Plan} plan */
export const tilesOf = ({ visited }) => {
  let sum = 0;
  for (let i = 0; i < visited.length; ++i) sum += visited[i];
  return sum;
};

/**
 * @param {Plan} plan
 * @param {Bounds} bounds
 * @returns {Piece[]} every query of every slice once, in order
 */
export function split(plan, { workers, largest, smallest }) {
  const { slices, queries, tileQueries, visited } = plan;
  const blocks = Math.ceil(queries / tileQueries);
  if (slices === 0 || blocks === 0) return [];
  /** @type {Piece[]} */
  const pieces = [];
  const tilesIn = (/** @type {number} */ slice, first = 0, end = blocks) => {
    let sum = 0;
    for (let block = first; block < end; ++block) sum += visited[slice * blocks + block];
    return sum;
  };
  let left = tilesOf(plan);
  const share = () => Math.min(largest, Math.max(smallest, workers > 1 ? Math.ceil(left / (2 * workers)) : left));

  for (let slice = 0; slice < slices;) {
    let target = share();
    let tiles = tilesIn(slice);
    if (tiles <= target) {
      let count = 1;
      for (let more = 0; slice + count < slices && tiles + (more = tilesIn(slice + count)) <= target; ++count) tiles += more;
      pieces.push({ slice, slices: count, row: 0, rows: queries, tiles });
      left -= tiles;
      slice += count;
      continue;
    }
    for (let block = 0; block < blocks; target = share()) {
      let end = block + 1;
      tiles = visited[slice * blocks + block];
      while (end < blocks && tiles + visited[slice * blocks + end] <= target) tiles += visited[slice * blocks + end++];
      // what would be left of the slice is too little to be sent by itself
      if (tilesIn(slice, end) < Math.min(smallest, target) / 2) {
        tiles += tilesIn(slice, end);
        end = blocks;
      }
      const row = block * tileQueries;
      pieces.push({ slice, slices: 1, row, rows: Math.min(end * tileQueries, queries) - row, tiles });
      left -= tiles;
      block = end;
    }
    ++slice;
  }
  return pieces;
}
