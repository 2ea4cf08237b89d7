// How a large attention is cut into pieces for workers, and the buffers that travel between them and the page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Spares } from '../../web/engine/spares.js';
import { PER_PIECE, inTiles, split, tilesOf } from '../../web/engine/split.js';
import { drawsFrom } from './support.js';
import { causal, tileQueries } from './support-pool.js';

/** @param {ReturnType<typeof split>} pieces @param {{slices: number, queries: number, visited: ArrayLike<number>}} plan */
function coversOnce(pieces, { slices, queries, visited }) {
  const blocks = Math.ceil(queries / tileQueries);
  const seen = new Uint8Array(slices * queries);
  for (const { slice, slices: count, row, rows, tiles } of pieces) {
    assert.equal(row % tileQueries, 0);
    assert.ok(count === 1 || (row === 0 && rows === queries), 'several slices only whole');
    let sum = 0;
    for (let s = slice; s < slice + count; ++s) {
      for (let i = row; i < row + rows; ++i) ++seen[s * queries + i];
      for (let block = row / tileQueries; block * tileQueries < row + rows; ++block) sum += visited[s * blocks + block];
    }
    assert.equal(tiles, sum);
  }
  assert.ok(seen.every((times) => times === 1));
}

/** When the last of `workers` is done that take the next piece as soon as they are free, in tiles. @param {{tiles: number}[]} pieces @param {number} workers */
function makespan(pieces, workers) {
  const busy = new Array(workers).fill(0);
  for (const { tiles } of pieces) busy[busy.indexOf(Math.min(...busy))] += tiles;
  return Math.max(...busy);
}

test('pieces cover every query once, on blocks, within their bounds', () => {
  const draw = drawsFrom(11);
  for (let round = 0; round < 300; ++round) {
    const [slices, queries, workers] = [draw(7), draw(700), 1 + draw(4)];
    const visited = Array.from({ length: slices * Math.ceil(queries / tileQueries) }, () => draw(4) * draw(40));
    const smallest = 1 + draw(20);
    const largest = smallest + draw(200);
    const plan = { slices, queries, tileQueries, visited };
    const pieces = split(plan, { workers, largest, smallest });
    coversOnce(pieces, plan);
    // one block is never cut, and a remainder too small to be sent goes with its neighbour
    const block = Math.max(0, ...visited);
    for (const { tiles } of pieces) assert.ok(tiles <= Math.max(largest, block) + smallest / 2);
  }
  assert.deepEqual(split({ slices: 0, queries: 64, tileQueries, visited: [] }, { workers: 2, largest: 9, smallest: 1 }), []);
  assert.deepEqual(split({ slices: 2, queries: 0, tileQueries, visited: [] }, { workers: 2, largest: 9, smallest: 1 }), []);
});

test('the shares of a causal attention are even to a hundredth, whatever the number of workers', () => {
  const plan = { slices: 1, queries: 8192, tileQueries, visited: causal(8192) };
  // blocks 2k and 2k + 1 visit k + 1 tiles: 2 (1 + ... + 128)
  assert.equal(tilesOf(plan), 16512);
  for (const workers of [1, 2, 3, 4, 8]) {
    const pieces = split(plan, { workers, largest: 1144, smallest: 114 });
    coversOnce(pieces, plan);
    assert.ok(makespan(pieces, workers) <= 16512 / workers + 16512 / 100, `${workers}: ${makespan(pieces, workers)}`);
  }
  const two = split(plan, { workers: 2, largest: 1144, smallest: 114 });
  assert.ok(two.length < 40, `${two.length} messages`);
  assert.ok(two[two.length - 1].tiles < 300, 'the last pieces are small');
});

test('pieces hold some 10 ms of work however long the rows, and no fewer queries than a block', () => {
  // tiles of the kernels: attn/fused.hpp
  const perTile = (/** @type {number} */ width) => 32 * 96 * 2 * width;
  const most = (/** @type {number} */ n, /** @type {number} */ width, /** @type {number} */ workers) => {
    const [row, blocks] = [Math.ceil(n / 96), n / 32];
    for (const visited of [new Array(blocks).fill(row), Array.from({ length: blocks }, (_, block) => Math.ceil((block + 1) / 3))]) {
      const plan = { slices: 1, queries: n, tileQueries: 32, visited };
      const pieces = split(plan, { workers, ...inTiles(PER_PIECE, perTile(width)) });
      coversOnce(pieces, plan);
      // a remainder below half the smallest goes with the last piece
      const work = Math.max(...pieces.map(({ tiles }) => tiles)) * perTile(width);
      assert.ok(work <= Math.max(PER_PIECE.largest + PER_PIECE.smallest / 2, row * perTile(width)), `${n}, ${width}: ${work}`);
    }
    return split({ slices: 1, queries: n, tileQueries: 32, visited: new Array(blocks).fill(row) }, { workers, ...inTiles(PER_PIECE, perTile(width)) })[0].rows;
  };
  assert.deepEqual([8192, 16384, 32768, 65536, 131072].map((n) => most(n, 64, 2)), [256, 128, 64, 32, 32]);
  assert.deepEqual([8192, 16384, 32768].map((n) => most(n, 128, 4)), [128, 64, 32]);
  assert.deepEqual([16384, 32768].map((n) => most(n, 16, 1)), [544, 256]);
});

test('heads go whole where they are small', () => {
  const plan = { slices: 8, queries: 1024, tileQueries, visited: causal(1024, 8) };
  assert.equal(tilesOf(plan), 8 * 272);
  const pieces = split(plan, { workers: 2, largest: 1144, smallest: 114 });
  coversOnce(pieces, plan);
  assert.deepEqual(pieces[0], { slice: 0, slices: 2, row: 0, rows: 1024, tiles: 544 });
  assert.ok(makespan(pieces, 2) <= 8 * 136 + 60, String(makespan(pieces, 2)));
});

test('spare buffers: the smallest that has room, and none that a run did without', () => {
  const spares = new Spares();
  const numbers = Float32Array.of(1, 2, 3);
  const fresh = spares.copy(numbers);
  assert.deepEqual([...fresh], [1, 2, 3]);
  assert.notEqual(fresh.buffer, numbers.buffer);
  const [five, four] = [new Float32Array(5), new Float32Array(4)];
  spares.keep(five, four, new Float32Array(2));
  const copy = spares.copy(numbers);
  assert.equal(copy.buffer, four.buffer);
  assert.deepEqual([...copy], [1, 2, 3]);
  assert.equal(spares.bytes, 28);
  spares.turn();
  assert.equal(spares.bytes, 28, 'what this run has kept, the next may use');
  assert.equal(spares.copy(numbers).buffer, five.buffer);
  spares.keep(copy);
  spares.turn();
  assert.equal(spares.bytes, 16);
  spares.clear();
  assert.equal(spares.bytes, 0);
  // or what is large would stay for as long as there is anything to carry
  spares.keep(new Float32Array(13));
  assert.equal(spares.copy(numbers).buffer.byteLength, 12);
  assert.equal(spares.copy(Float32Array.of(1, 2, 3, 4)).buffer.byteLength, 52);
});
