// The fast kernels in workers of a browser: both builds by address, one, two and three workers, the strict policy, from disk, refused workers, cancelling;
// and on the page itself what no matrix of queries x keys would leave room for.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { pageAround, servePages, site } from './server.js';
import { open, setting } from './support.js';

/** @import { Page } from 'playwright-core' */

const made = setting();

/** Under the strict policy of the site: no inline script but what this test adds by itself. @param {string} [before] */
const host = (before = '') => pageAround('', `${before}<script src="attn-pool.js"></script>`);

/** @param {string} search @param {{before?: string, headers?: Record<string, string>}} [options] */
async function poolPage(search, { before, headers } = {}) {
  const server = await servePages({ pages: { '/page.html': host(before) }, headers });
  return open(made.browser, `${server.url}page.html${search}`);
}

/**
 * One attention of a pool made as the page's address says: 1 x 2 x n x n, d = 32, causal with lengths; and how it went.
 * @param {Page} page
 * @param {number} n
 * @param {object} [options]
 */
const attend = (page, n, options = {}) => page.evaluate(async ([size, given]) => {
  const { attentionPool } = /** @type {any} */ (globalThis);
  let state = 7;
  const drawn = () => ({ data: Float32Array.from({ length: 2 * Number(size) * 32 }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  }), shape: [1, 2, Number(size), 32] });
  try {
    const pool = await attentionPool.createPool(given);
    const shares = /** @type {number[]} */ ([]);
    let beats = 0;
    const clock = setInterval(() => { ++beats; }, 0);
    const { output, tiles } = await pool.attention({ queries: drawn(), keys: drawn(), values: drawn(), mask: `causal & padding(${Number(size) - 5})` }, { onProgress: (/** @type {number} */ share) => shares.push(share) });
    clearInterval(clock);
    const { build, workers, kind } = pool;
    pool.close();
    const bits = new Uint32Array(output.data.buffer);
    let hash = 0;
    for (const word of bits) hash = (Math.imul(hash, 31) + word) >>> 0;
    return { build, workers, kind, hash, pieces: shares.length, last: shares.at(-1), beats, tiles, sample: [...output.data.filter((/** @type {number} */ _, /** @type {number} */ i) => i % 997 === 0)], error: null };
  } catch (thrown) {
    const { code, param, message } = /** @type {any} */ (thrown);
    return { error: { code, param, message } };
  }
}, /** @type {const} */ ([n, options]));

test('the address chooses build and workers; workers do not change a bit, builds less than 5e-7', async () => {
  /** @type {Record<string, any>} */
  const results = {};
  for (const search of ['?simd=simd&workers=1', '?simd=simd&workers=3', '?simd=relaxed&workers=1', '?simd=relaxed&workers=2']) {
    const { page, faults, close } = await poolPage(search);
    const result = results[search] = await attend(page, 4000);
    assert.equal(result.error, null, JSON.stringify(result.error));
    assert.deepEqual([result.build, result.workers, result.kind], [/simd=(\w+)/.exec(search)?.[1], Number(search.slice(-1)), 'worker']);
    assert.ok(Number(result.pieces) > 2 && result.last === 1);
    assert.deepEqual(faults, []);
    await close();
  }
  assert.equal(results['?simd=simd&workers=1'].hash, results['?simd=simd&workers=3'].hash);
  assert.equal(results['?simd=relaxed&workers=1'].hash, results['?simd=relaxed&workers=2'].hash);
  assert.deepEqual(results['?simd=simd&workers=3'].tiles, results['?simd=relaxed&workers=1'].tiles);
  const [simd, relaxed] = [results['?simd=simd&workers=1'].sample, results['?simd=relaxed&workers=1'].sample];
  assert.ok(simd.length > 200 && simd.every((/** @type {number} */ value, /** @type {number} */ i) => Math.abs(value - relaxed[i]) < 5e-7));
});

test('a mask of the page’s own, a function, goes to workers as rows', async () => {
  const { page, faults, close } = await poolPage('?workers=2');
  const seen = await page.evaluate(async () => {
    const pool = await /** @type {any} */ (globalThis).attentionPool.createPool();
    let state = 9;
    const drawn = () => ({ data: Float32Array.from({ length: 2 * 4000 * 32 }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state / 2 ** 31 - 1;
    }), shape: [1, 2, 4000, 32] });
    const operands = { queries: drawn(), keys: drawn(), values: drawn() };
    let pieces = 0;
    const onProgress = () => { ++pieces; };
    const spans = (/** @type {number} */ _, /** @type {number} */ head, /** @type {number} */ query) => [[query < 100 ? 0 : query - 100, query + 1], [0, head === 0 ? query + 1 : 0]];
    const own = await pool.attention({ ...operands, spans }, { onProgress });
    const causal = await pool.attention({ ...operands, mask: 'causal' });
    const refused = await pool.attention({ ...operands, spans: () => [[0, 4001]] }).catch((/** @type {any} */ { code, param, message }) => ({ code, param, message }));
    const thrown = await pool.attention({ ...operands, spans: () => { throw new RangeError('my own'); } }).catch((/** @type {any} */ error) => error instanceof RangeError && error.message);
    pool.close();
    // the first head is causal; the second looks back at a hundred keys
    const differs = own.output.data.findIndex((/** @type {number} */ value, /** @type {number} */ i) => !Object.is(value, causal.output.data[i]));
    return { differs, pieces, saved: own.tiles.empty - causal.tiles.empty, refused, thrown };
  });
  assert.deepEqual(faults, []);
  assert.equal(seen.differs, (4000 + 101) * 32, 'from the first query of the second head that has more than a hundred before it');
  assert.ok(seen.pieces > 2 && seen.saved > 1000, JSON.stringify(seen));
  assert.deepEqual(seen.refused, { code: 'out_of_range', param: 'spans', message: 'spans(0, 0, 0)[0][1] is 4001; allowed are integers from 0 to 4000, the number of keys' });
  assert.equal(seen.thrown, 'my own');
  await close();
});

test('what the address cannot mean is said', async () => {
  for (const [search, expected] of /** @type {const} */ ([
    ['?workers=0', { code: 'out_of_range', param: 'workers', message: 'workers is "0"; allowed are whole numbers from 1 to 16' }],
    ['?workers=two', { code: 'out_of_range', param: 'workers', message: 'workers is "two"; allowed are whole numbers from 1 to 16' }],
    ['?simd=avx', { code: 'unknown_choice', param: 'simd', message: 'simd is "avx"; allowed are "auto", "simd" and "relaxed"' }],
  ])) {
    const { page, close } = await poolPage(search);
    assert.deepEqual((await attend(page, 16)).error, expected);
    await close();
  }
  // an engine without relaxed SIMD: 253, 133, 2 is f32x4.relaxed_madd
  const { page, close } = await poolPage('', { before: '<script>{ const { validate } = WebAssembly; WebAssembly.validate = (bytes) => !bytes.join().includes("253,133,2") && validate(bytes); }</script>' });
  assert.equal((await attend(page, 16)).build, 'simd');
  assert.deepEqual((await attend(page, 16, { simd: 'relaxed' })).error?.code, 'wasm_no_simd');
  await close();
});

test('under the site’s policy', async () => {
  const { page, faults, close } = await open(made.browser, `${made.site.url}index.html?workers=2`);
  await page.addScriptTag({ url: 'attn-pool.js' });
  const result = await attend(page, 4000);
  assert.deepEqual([result.error, result.workers, result.kind, result.last], [null, 2, 'worker', 1]);
  assert.deepEqual(faults, []);
  await close();
});

test('from disk, and where workers are refused: one on the page, which goes on living', async () => {
  const file = join(site, 'pool-from-disk.html');
  writeFileSync(file, host());
  try {
    const { page, faults, hosts, close } = await open(made.browser, `${pathToFileURL(file).href}?workers=2`);
    const result = await attend(page, 4000);
    assert.deepEqual([result.error, result.last], [null, 1]);
    assert.ok(['blob-worker', 'main-thread'].includes(String(result.kind)));
    assert.deepEqual([...hosts], []);
    assert.deepEqual(faults, []);
    await close();
  } finally {
    rmSync(file);
  }
  const refused = await poolPage('?workers=4', { before: '<script>globalThis.Worker = class { constructor() { throw new Error("no workers here"); } };</script>' });
  const result = await attend(refused.page, 4000);
  assert.deepEqual([result.error, result.kind, result.workers, result.last], [null, 'main-thread', 1, 1]);
  assert.ok(Number(result.pieces) > 2 && Number(result.beats) >= Number(result.pieces) - 1, `${result.beats} beats of the page's clock in ${result.pieces} pieces`);
  await refused.close();
});

test('a run is cancelled between its pieces, and the pool goes on', async () => {
  const { page, faults, close } = await poolPage('?workers=2');
  const seen = await page.evaluate(async () => {
    const pool = await /** @type {any} */ (globalThis).attentionPool.createPool();
    const operand = () => ({ data: new Float32Array(16384 * 64).fill(0.5), shape: [1, 16384, 64] });
    const operands = { queries: operand(), keys: operand(), values: operand(), mask: 'causal' };
    const stop = new AbortController();
    /** @type {number[]} */
    const shares = [];
    const cancelled = await pool.attention(operands, { signal: stop.signal, onProgress: (/** @type {number} */ share) => { shares.push(share); stop.abort(); } }).catch((/** @type {any} */ { code }) => code);
    const overtaken = pool.attention(operands, { latest: true }).catch((/** @type {any} */ { code }) => code);
    const small = { data: Float32Array.of(1, 2), shape: [1, 2, 1] };
    const { output } = await pool.attention({ queries: small, keys: small, values: small, mask: 'causal' }, { latest: true });
    return { cancelled, shares, overtaken: await overtaken, first: output.data[0] };
  });
  assert.equal(seen.cancelled, 'cancelled');
  assert.ok(seen.shares.length === 1 && seen.shares[0] < 0.5);
  assert.equal(seen.overtaken, 'cancelled');
  assert.equal(seen.first, 1);
  assert.deepEqual(faults, []);
  await close();
});

/**
 * Attention of n queries and n keys, d = v = 64, on the page: all queries under a window, then four blocks of queries of the causal mask, the last of which sees all keys.
 * @param {Page} page @param {'simd' | 'relaxed'} simd @param {number} n
 */
const longRows = (page, simd, n) => page.evaluate(async ([build, count]) => {
  const size = Number(count), d = 64;
  const { loadFast } = await import(new URL('attn-core.mjs', location.href).href);
  const fast = await loadFast({ simd: build });
  const before = fast.memoryBytes;
  let state = 11;
  // in place: the page holds no copies
  const drawn = () => {
    const tensor = fast.tensor([1, size, d]);
    const { view } = tensor;
    for (let i = 0; i < view.length; ++i) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      view[i] = state / 2 ** 31 - 1;
    }
    return tensor;
  };
  const operands = { queries: drawn(), keys: drawn(), values: drawn(), output: fast.tensor([1, size, d]), logNormalizer: fast.tensor([1, size]) };
  const windowed = fast.attention({ ...operands, mask: 'window(64)' }).tiles;
  const output = operands.output.view.slice(-d);
  const { queries, keys, values } = operands;
  const blocks = [0, size / 4, size / 2, size - 64].map((first) => {
    const part = fast.tensor([1, 64, d], queries.view.subarray(first * d, (first + 64) * d));
    const made = fast.attention({ queries: part, keys, values, mask: 'causal', rows: { first, total: size } });
    const last = [...made.output.view.subarray(63 * d)];
    for (const tensor of [part, made.output, made.logNormalizer]) tensor.free();
    return { first, last, tiles: made.tiles };
  });
  /** One query in double. @param {number} query @param {number} from */
  const exact = (query, from) => {
    const [q, k, v] = [queries.view, keys.view, values.view];
    const scores = Array.from({ length: query + 1 - from }, (_, j) => {
      let score = 0;
      for (let c = 0; c < d; ++c) score += q[query * d + c] * k[(from + j) * d + c];
      return score / Math.sqrt(d);
    });
    const sum = scores.reduce((total, score) => total + Math.exp(score), 0);
    return Array.from({ length: d }, (_, c) => scores.reduce((pooled, score, j) => pooled + (Math.exp(score) / sum) * v[(from + j) * d + c], 0));
  };
  const farthest = (/** @type {ArrayLike<number>} */ have, /** @type {number[]} */ want) => want.reduce((most, value, i) => Math.max(most, Math.abs(value - have[i])), 0);
  return {
    build: fast.build, before, after: fast.memoryBytes, windowed,
    apart: Math.max(farthest(output, exact(size - 1, size - 64)), ...blocks.map(({ first, last }) => farthest(last, exact(first + 63, 0)))),
    visited: blocks.map(({ tiles }) => tiles.full + tiles.mixed),
  };
}, /** @type {const} */ ([simd, n]));

test('32,768 and 65,536 queries and keys on the page, in memory that grows with their number and not with its square', async () => {
  for (const simd of /** @type {const} */ (['simd', 'relaxed'])) {
    /** @type {number[]} */
    const grown = [];
    for (const n of [32768, 65536]) {
      const { page, faults, close } = await open(made.browser, `${made.site.url}index.html`);
      const { build, before, after, windowed, apart, visited } = await longRows(page, simd, n);
      assert.equal(build, simd);
      // attn/fused.hpp: tiles of 32 queries and 96 keys
      const tile = (/** @type {number} */ key) => Math.floor(key / 96);
      assert.deepEqual(visited, [0, n / 4, n / 2, n - 64].map((first) => tile(first + 31) + tile(first + 63) + 2));
      assert.equal(windowed.full + windowed.mixed, Array.from({ length: n / 32 }, (_, block) => tile(32 * block + 31) - tile(Math.max(0, 32 * block - 63)) + 1).reduce((a, b) => a + b));
      // 2^-22 (1 + s) max |v|, s below 4 for such operands
      assert.ok(apart < 1.2e-6, String(apart));
      grown.push(after - before);
      // queries, keys, values and output of 64 floats, log normalisers and the rows of the mask; what is left of the first 33 MiB is used before any is taken
      assert.ok(after < 36 * 2 ** 20 + (4 * 64 + 8) * 4 * n, `${after} bytes`);
      assert.deepEqual(faults, []);
      await close();
    }
    // twice the queries and keys: as many bytes more as they and their outputs take, where the square alone would take 12 GiB more
    assert.ok(grown[1] - grown[0] <= (4 * 64 + 8) * 4 * 32768, String(grown));
  }
});
