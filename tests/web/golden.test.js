// The same parameters give the same bits in the shipped module as natively: hashes of whole runs, kept in tests/data/golden-hashes.txt and
// compared there by every native build too. A changed hash means changed arithmetic.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { loadCore, root } from './support.js';

/**
 * FNV-1a over the 64-bit patterns, least byte first, every NaN as the same; a text counts by its bytes and a zero.
 * @param {Iterable<Float64Array | string[]>} arrays
 */
function hashOf(arrays) {
  let hash = 0xcbf29ce484222325n;
  const view = new DataView(new ArrayBuffer(8));
  /** @param {number} byte */
  const add = (byte) => {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  };
  for (const data of arrays) {
    for (const value of data) {
      if (typeof value === 'string') {
        for (const byte of new TextEncoder().encode(`${value}\0`)) add(byte);
        continue;
      }
      view.setFloat64(0, value, true);
      if (Number.isNaN(value)) view.setBigUint64(0, 0x7ff8000000000000n, true);
      for (let byte = 0; byte < 8; ++byte) add(view.getUint8(byte));
    }
  }
  return hash.toString(16).padStart(16, '0');
}

const lines = readFileSync(`${root}tests/data/golden-hashes.txt`, 'utf8').split('\n').filter((line) => line !== '' && !line.startsWith('#'));

test('the file of hashes is not empty', () => assert.ok(lines.length >= 12));

test('every run has its golden hash, in any order of runs', async () => {
  for (const order of [lines, lines.toReversed?.() ?? [...lines].reverse()]) {
    const core = await loadCore();
    for (const line of order) {
      const [expected, id, ...pairs] = line.split(/\s+/);
      const { params, notices } = core.repair(id, Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s).slice(0, 2))));
      assert.deepEqual(notices, [], line);
      assert.equal(hashOf(Object.values(core.run(id, params).series).map(({ data }) => data)), expected, line);
    }
  }
});
