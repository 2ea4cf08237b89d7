// The tiles that the modules for speed say they leave, both builds, against a count from each mask's definition, query by query and key by key: a tile of
// 32 queries and 96 keys is full where all its pairs are allowed, empty where none is, else mixed. What a mask saves is these numbers; no time is taken.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { chooseBuild, loadFast } from '../../web/engine/fast.js';
import { wasmDir } from './support.js';

/**
 * @typedef {(query: number, key: number, batch: number, head: number) => boolean} Allows
 * @typedef {{mask?: string, validLens?: number[] | number[][], spans?: (batch: number, head: number, query: number) => number[][]}} Given
 */

// Node.js 20 has relaxed SIMD, but switched off.
if (chooseBuild('auto').build === 'simd') setFlagsFromString('--experimental-wasm-relaxed-simd');

const bytes = (/** @type {string} */ name) => new Uint8Array(readFileSync(`${wasmDir}/${name}`));
const sources = { simd: { wasmBytes: bytes('attn-fast.wasm') }, relaxed: { wasmBytes: bytes('attn-fast-relaxed.wasm') }, spans: { wasmBytes: bytes('attn-spans.wasm') } };

// attn/fused.hpp
const [tileQueries, tileKeys] = [32, 96];

/**
 * By the definition.
 * @param {number[]} sizes batch, heads, queries, keys @param {Allows} allows
 */
function counted([batch, heads, queries, keys], allows) {
  const tiles = { full: 0, mixed: 0, empty: 0 };
  const visited = [];
  for (let slice = 0; slice < batch * heads; ++slice) {
    for (let row = 0; row < queries; row += tileQueries) {
      let left = 0;
      for (let column = 0; column < keys; column += tileKeys) {
        const [height, width] = [Math.min(tileQueries, queries - row), Math.min(tileKeys, keys - column)];
        let open = 0;
        for (let i = 0; i < height; ++i) for (let j = 0; j < width; ++j) open += allows(row + i, column + j, Math.floor(slice / heads), slice % heads) ? 1 : 0;
        ++tiles[open === 0 ? 'empty' : open === height * width ? 'full' : 'mixed'];
        left += open === 0 ? 0 : 1;
      }
      visited.push(left);
    }
  }
  return { tiles, visited };
}

/** Which of packed documents a position lies in; -1 behind the last. @param {number[]} lengths @param {number} at */
function documentOf(lengths, at) {
  let end = 0;
  return lengths.findIndex((length) => at < (end += length));
}

const documents = [31, 1, 64, 100, 7, 97];
const lens = [0, 301];
const perQuery = [0, 1].map((batch) => Array.from({ length: 300 }, (_, query) => (batch === 0 ? query : 310 - query)));

/** @type {[string, number[], Given, Allows][]} */
const cases = [
  ['no mask', [1, 2, 100, 200], {}, () => true],
  ['none', [1, 1, 70, 100], { mask: 'none' }, () => false],
  ['causal', [1, 1, 1024, 1024], { mask: 'causal' }, (query, key) => key <= query],
  ['causal at odd sizes', [2, 1, 331, 295], { mask: 'causal' }, (query, key) => key <= query],
  ['causal behind a cache', [1, 1, 65, 331], { mask: 'causal(bottom_right)' }, (query, key) => key <= query + 331 - 65],
  ['a causal window', [1, 1, 1024, 1024], { mask: 'window(64)' }, (query, key) => key <= query && key > query - 64],
  ['a window wider than tiles', [1, 2, 600, 577], { mask: 'window(150,40)' }, (query, key) => key >= query - 150 && key <= query + 40],
  ['packed documents', [1, 1, 300, 300], { mask: `documents(${documents})` }, (query, key) => documentOf(documents, query) === documentOf(documents, key)],
  ['packed documents, causal', [1, 3, 300, 300], { mask: `documents(${documents}) & causal` }, (query, key) => key <= query && documentOf(documents, query) === documentOf(documents, key)],
  ['a prefix', [1, 1, 257, 500], { mask: 'prefix(130)' }, (query, key) => key < 130 || key <= query],
  ['lengths of sequences', [2, 3, 33, 333], { validLens: lens }, (_, key, batch) => key < lens[batch]],
  ['lengths of queries', [2, 1, 300, 310], { validLens: perQuery }, (query, key, batch) => key < perQuery[batch][query]],
  // of two spans that touch, the tile between has all its keys
  ['spans that touch and overlap', [1, 1, 128, 400], { spans: () => [[130, 250], [50, 130], [240, 300]] }, (_, key) => key >= 50 && key < 300],
  ['spans of blocks and of a head', [1, 2, 256, 256], { spans: (_, head, query) => [[0, 20 * head], [query - (query % 64), query - (query % 64) + 64]] }, (query, key, _, head) => key < 20 * head || Math.floor(key / 64) === Math.floor(query / 64)],
  ['spans by query and sequence', [2, 2, 101, 290], { spans: (batch, _, query) => (query % 3 === 0 ? [] : batch === 0 ? [[0, 290]] : [[query, query + 100]]) }, (query, key, batch) => query % 3 !== 0 && (batch === 0 || (key >= query && key < query + 100))],
];

for (const simd of /** @type {const} */ (['simd', 'relaxed'])) {
  const fast = await loadFast({ simd, sources });

  test(`${simd}: tiles are those of the definition, exactly`, () => {
    for (const [name, [batch, heads, queries, keys], given, allows] of cases) {
      const expected = counted([batch, heads, queries, keys], allows);
      const rows = (/** @type {number} */ count) => ({ data: new Float32Array(batch * heads * count), shape: [batch, heads, count, 1] });
      const operands = { queries: rows(queries), keys: rows(keys), values: rows(keys) };
      assert.deepEqual(fast.attention({ ...operands, ...given }).tiles, expected.tiles, name);
      assert.deepEqual(fast.attentionWeights({ ...operands, ...given }).tiles, expected.tiles, `${name}, with weights`);
      const { visited, ...tile } = fast.tiles({ batch, heads, queries, keys, ...given });
      assert.deepEqual(tile, { tileQueries, tileKeys });
      assert.deepEqual([...visited], expected.visited, `${name}, by block of queries`);
    }
  });

  test(`${simd}: some of the queries leave their own tiles, whose sum is that of all`, () => {
    const [queries, keys] = [300, 500];
    const rows = (/** @type {number} */ count) => ({ data: new Float32Array(count), shape: [1, count, 1] });
    const allows = (/** @type {number} */ query, /** @type {number} */ key) => key <= query && key > query - 100;
    const sum = { full: 0, mixed: 0, empty: 0 };
    for (let first = 0; first < queries; first += 128) {
      const count = Math.min(128, queries - first);
      const { tiles } = fast.attention({ queries: rows(count), keys: rows(keys), values: rows(keys), mask: 'window(100)', rows: { first, total: queries } });
      assert.deepEqual(tiles, counted([1, 1, count, keys], (query, key) => allows(first + query, key)).tiles);
      for (const kind of /** @type {const} */ (['full', 'mixed', 'empty'])) sum[kind] += tiles[kind];
    }
    assert.deepEqual(sum, counted([1, 1, queries, keys], allows).tiles);
  });

  test(`${simd}: 4096 by 4096: what is left by formula`, () => {
    const visited = (/** @type {string} */ mask) => [...fast.tiles({ batch: 1, heads: 1, queries: 4096, keys: 4096, mask }).visited];
    const blocks = (/** @type {(first: number) => number} */ tiles) => Array.from({ length: 128 }, (_, block) => tiles(32 * block));
    const tile = (/** @type {number} */ key) => Math.floor(key / tileKeys);
    assert.deepEqual(visited('all'), blocks(() => 43));
    // up to that of the block's last query
    assert.deepEqual(visited('causal'), blocks((first) => tile(first + 31) + 1));
    // from that of the first key of its first query on
    assert.deepEqual(visited('window(64)'), blocks((first) => tile(first + 31) - tile(Math.max(0, first - 63)) + 1));
    // four documents of 1024: from that of the document's first key to that of its last
    assert.deepEqual(visited('documents(1024,1024,1024,1024)'), blocks((first) => tile(first - (first % 1024) + 1023) - tile(first - (first % 1024)) + 1));
  });
}
