// Masks of the caller's own for the fast kernels, both builds: spans in any order against attention in double precision and, bit for bit, against the same
// cells as an expression; what is refused, what is passed on, what is read and how often.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { chooseBuild, loadFast } from '../../web/engine/fast.js';
import { SpanTable, readSpans } from '../../web/engine/fast-spans.js';
import { drawsFrom, root, wasmDir } from './support.js';

// Node.js 20 has relaxed SIMD, but switched off.
if (chooseBuild('auto').build === 'simd') setFlagsFromString('--experimental-wasm-relaxed-simd');

const bytes = (/** @type {string} */ name) => new Uint8Array(readFileSync(`${wasmDir}/${name}`));
const sources = { simd: { wasmBytes: bytes('attn-fast.wasm') }, relaxed: { wasmBytes: bytes('attn-fast-relaxed.wasm') }, spans: { wasmBytes: bytes('attn-spans.wasm') } };

/** Entries in -2 to 2. @param {(n: number) => number} draw @param {number[]} shape */
const random = (draw, shape) => ({ data: Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => draw(4001) / 1000 - 2), shape });

/**
 * Rows of spans for every query: some empty, some of one span, most of several that overlap, touch, repeat or hold no key, in any order.
 * @param {number} seed @param {number[]} sizes batch, heads, queries, keys
 * @param {(batch: number, head: number) => number} [sheet] which of several sheets a head has
 */
function randomSpans(seed, [batch, heads, queries, keys], sheet = (b, h) => b * heads + h) {
  const draw = drawsFrom(seed);
  const row = () => Array.from({ length: [0, 1, 1, 2, 5, 12][draw(6)] }, () => [draw(keys + 1), draw(keys + 1)].sort((a, b) => a - b));
  const rows = Array.from({ length: batch * heads }, () => Array.from({ length: queries }, row));
  const spans = (/** @type {number} */ b, /** @type {number} */ h, /** @type {number} */ q) => rows[sheet(b, h)][q];
  const allows = (/** @type {number} */ b, /** @type {number} */ h, /** @type {number} */ q, /** @type {number} */ k) => spans(b, h, q).some(([begin, end]) => k >= begin && k < end);
  const list = (/** @type {number} */ count, /** @type {(i: number) => string} */ text, separator = ',') => Array.from({ length: count }, (_, i) => text(i)).join(separator);
  /** The same cells as an expression. */
  const mask = `rows(${list(batch, (b) => list(heads, (h) => list(queries, (q) => list(keys, (k) => (allows(b, h, q, k) ? '1' : '0'), '')), '/'), ';')})`;
  return { spans, allows, mask };
}

/** @param {any} value */
const numbers = (value) => (value.view ?? value.data);

/** @param {Record<string, any>} actual @param {Record<string, any>} expected results of a call, tensor by tensor */
function same(actual, expected) {
  assert.deepEqual(Object.keys(actual), Object.keys(expected));
  for (const name of Object.keys(expected)) {
    if (name === 'tiles') assert.deepEqual(actual[name], expected[name]);
    else assert.equal(Buffer.compare(Buffer.from(numbers(actual[name]).buffer), Buffer.from(numbers(expected[name]).buffer)), 0, name);
  }
}

/** @type {[number, number[], ((batch: number, head: number) => number)?][]} */
const cases = [[1, [1, 1, 5, 7]], [2, [2, 3, 37, 41]], [3, [2, 2, 65, 200]], [4, [1, 3, 40, 300], () => 0], [5, [3, 2, 33, 100], (b) => b % 2], [6, [2, 2, 34, 97], (b, h) => (b + h) % 2], [7, [2, 2, 33, 1], () => 0]];

for (const simd of /** @type {const} */ (['simd', 'relaxed'])) {
  const fast = await loadFast({ simd, sources });

  test(`${simd}: random spans are the mask they say, and the bits of the same cells as an expression, in every call`, () => {
    for (const [seed, sizes, sheet] of cases) {
      const [batch, heads, n, m] = sizes;
      const { spans, allows, mask } = randomSpans(seed, sizes, sheet);
      const draw = drawsFrom(100 + seed);
      const [d, v] = [8, 5];
      const operands = { queries: random(draw, [batch, heads, n, d]), keys: random(draw, [batch, heads, m, d]), values: random(draw, [batch, heads, m, v]) };
      const forward = /** @type {any} */ (fast.attention({ ...operands, spans }));
      same(forward, fast.attention({ ...operands, mask }));
      let empty = 0;
      for (let row = 0; row < batch * heads * n; ++row) {
        const slice = Math.floor(row / n);
        const scores = Array.from({ length: m }, (_, k) => {
          if (!allows(Math.floor(slice / heads), slice % heads, row % n, k)) return -Infinity;
          let score = 0;
          for (let c = 0; c < d; ++c) score += operands.queries.data[row * d + c] * operands.keys.data[(slice * m + k) * d + c];
          return score / Math.sqrt(d);
        });
        const weights = scores.map(Math.exp);
        const sum = weights.reduce((a, b) => a + b, 0);
        if (sum === 0) {
          ++empty;
          assert.equal(forward.logNormalizer.data[row], -Infinity);
        }
        for (let c = 0; c < v; ++c) {
          const expected = sum === 0 ? 0 : weights.reduce((pooled, weight, k) => pooled + weight / sum * operands.values.data[(slice * m + k) * v + c], 0);
          // eight units in the last place of values up to 2; without a key, exactly +0
          const found = forward.output.data[row * v + c];
          assert.ok(sum === 0 ? Object.is(found, 0) : Math.abs(found - expected) < 8 * 2 ** -23, `seed ${seed}, row ${row}`);
        }
      }
      assert.ok(empty > 0 || n < 10, 'some rows are empty');
      same(fast.attentionWeights({ ...operands, spans }), fast.attentionWeights({ ...operands, mask }));
      const backward = { ...operands, output: forward.output, logNormalizer: forward.logNormalizer, upstream: random(draw, [batch, heads, n, v]) };
      same(fast.attentionGradient({ ...backward, spans }), fast.attentionGradient({ ...backward, mask }));
      const scores = random(draw, sizes);
      assert.deepEqual(fast.maskedSoftmax({ scores, spans }), fast.maskedSoftmax({ scores, mask }));
      assert.deepEqual(fast.tiles({ batch, heads, queries: n, keys: m, spans }), fast.tiles({ batch, heads, queries: n, keys: m, mask }));
    }
  });

  test(`${simd}: of blocks of queries and of slices only their own rows are asked for, once each and in order`, () => {
    const sizes = [2, 3, 70, 50];
    const { spans, mask } = randomSpans(11, sizes);
    const draw = drawsFrom(12);
    /** @type {string[]} */
    let asked = [];
    const noted = (/** @type {number} */ b, /** @type {number} */ h, /** @type {number} */ q) => {
      asked.push(`${b} ${h} ${q}`);
      return spans(b, h, q);
    };
    const operands = { queries: random(draw, [1, 2, 8, 4]), keys: random(draw, [1, 2, 50, 4]), values: random(draw, [1, 2, 50, 4]) };
    const rows = { first: 61, total: 70, slice: 2, batch: 2, heads: 3 };
    same(fast.attention({ ...operands, rows, spans: noted }), fast.attention({ ...operands, rows, mask }));
    assert.deepEqual(asked, [[0, 2], [1, 0]].flatMap(([b, h]) => Array.from({ length: 8 }, (_, i) => `${b} ${h} ${61 + i}`)));
    asked = [];
    assert.throws(() => fast.attention({ ...operands, rows: { ...rows, first: 65 }, spans: noted }), { code: 'out_of_range', param: 'rows', message: 'rows: 8 queries from 65 on; there are 70' });
    assert.equal(asked.length, 10, 'and none that is not there');
    assert.throws(() => fast.attention({ ...operands, rows: { ...rows, slice: 5 }, spans: noted }), { code: 'out_of_range', param: 'rows' });
    // three axes are one head
    asked = [];
    const flat = { queries: random(draw, [2, 2, 4]), keys: random(draw, [2, 50, 4]), values: random(draw, [2, 50, 4]) };
    fast.attentionWeights({ ...flat, rows: { first: 3, total: 9 }, spans: noted });
    assert.deepEqual(asked, ['0 0 3', '0 0 4', '1 0 3', '1 0 4']);
  });

  test(`${simd}: what is no function of spans is refused by its place`, () => {
    const operands = { queries: random(drawsFrom(21), [1, 2, 4, 2]), keys: random(drawsFrom(22), [1, 2, 9, 2]), values: random(drawsFrom(23), [1, 2, 9, 3]) };
    const refused = (/** @type {any} */ change, /** @type {object} */ error) => assert.throws(() => fast.attention({ ...operands, ...change }), { name: 'AttentionError', param: 'spans', ...error });
    for (const spans of [null, 5, 'causal', [[0, 1]], {}]) refused({ spans }, { code: 'wrong_type', message: /^spans is .+; give a function \(batch, head, query\) => \[\[begin, end\], \.\.\.\]$/ });
    const gives = (/** @type {unknown} */ row) => ({ spans: (/** @type {number} */ _, /** @type {number} */ h, /** @type {number} */ q) => (h === 1 && q === 2 ? row : [[0, 9]]) });
    for (const [row, code, message] of /** @type {[unknown, string, string][]} */ ([
      [undefined, 'wrong_type', 'spans(0, 1, 2) gave undefined; give an array of pairs [begin, end]'],
      [Promise.resolve([]), 'wrong_type', 'spans(0, 1, 2) gave a Promise; give an array of pairs [begin, end]'],
      ['ab', 'wrong_type', 'spans(0, 1, 2) gave "ab"; give an array of pairs [begin, end]'],
      [[0, 4], 'wrong_type', 'spans(0, 1, 2)[0] is 0; give a pair [begin, end]'],
      [new Array(1), 'wrong_type', 'spans(0, 1, 2)[0] is undefined; give a pair [begin, end]'],
      [{ length: 1e9 }, 'wrong_type', 'spans(0, 1, 2)[0] is undefined; give a pair [begin, end]'],
      [[[0, 4], [5]], 'wrong_shape', 'spans(0, 1, 2)[1] has 1 entries; a pair [begin, end] has 2'],
      [[[0, 4, 5]], 'wrong_shape', 'spans(0, 1, 2)[0] has 3 entries; a pair [begin, end] has 2'],
      [[['0', 4]], 'wrong_type', 'spans(0, 1, 2)[0][0] is "0"; allowed are integers from 0 to 9, the number of keys'],
      [[[0, 4n]], 'wrong_type', 'spans(0, 1, 2)[0][1] is 4n; allowed are integers from 0 to 9, the number of keys'],
      [[[0, 1.5]], 'not_an_integer', 'spans(0, 1, 2)[0][1] is 1.5; allowed are integers from 0 to 9, the number of keys'],
      [[[NaN, 1]], 'not_an_integer', 'spans(0, 1, 2)[0][0] is NaN; allowed are integers from 0 to 9, the number of keys'],
      [[[-1, 1]], 'out_of_range', 'spans(0, 1, 2)[0][0] is -1; allowed are integers from 0 to 9, the number of keys'],
      [[[0, 9], [3, 10]], 'out_of_range', 'spans(0, 1, 2)[1][1] is 10; allowed are integers from 0 to 9, the number of keys'],
      [[[2 ** 32, 2 ** 32 + 1]], 'out_of_range', 'spans(0, 1, 2)[0][0] is 4294967296; allowed are integers from 0 to 9, the number of keys'],
      [[[5, 4]], 'out_of_range', 'spans(0, 1, 2)[0] is [5, 4]; allowed is a begin that is at most the end'],
    ])) refused(gives(row), { code, message });
    refused({ spans: () => [], mask: 'all' }, { code: 'wrong_type', param: 'mask', message: 'mask and spans are both given; give one' });
    refused({ spans: () => [], validLens: [1] }, { code: 'wrong_type', param: 'validLens', message: 'validLens and spans are both given; give one' });
    refused({ spans: () => [], keys: random(drawsFrom(22), [1, 2, 9, 3]) }, { code: 'wrong_shape', param: 'keys' });
    refused({ spans: () => [], queries: 5 }, { code: 'wrong_type', param: 'queries' });
    assert.throws(() => fast.maskedSoftmax({ scores: operands.keys, spans: /** @type {any} */ (5) }), { code: 'wrong_type', param: 'spans' });
    assert.throws(() => fast.tiles({ batch: 1, heads: 1, queries: 2, keys: 3, spans: () => [[0, 4]] }), { code: 'out_of_range', param: 'spans' });
    // rows of any kind that has a length, and spans without a key
    const { spans } = gives([Uint32Array.of(4, 4), [0, 0], { 0: 9, 1: 9, length: 2 }]);
    assert.deepEqual(/** @type {any} */ (fast.attention({ ...operands, spans: /** @type {any} */ (spans) })).output.data.subarray(18, 21), new Float32Array(3));
  });

  test(`${simd}: what the function throws passes on as it is, and no call is left half done`, () => {
    const scores = fast.tensor([1, 64, 64], random(drawsFrom(31), [1, 64, 64]).data);
    const before = scores.view.slice();
    for (const thrown of [new Error('no rows today'), 'a text', undefined, 7]) {
      for (const at of [0, 40, 63]) {
        const spans = (/** @type {number} */ _, /** @type {number} */ __, /** @type {number} */ query) => {
          if (query === at) throw thrown;
          return [[0, 64]];
        };
        let caught = /** @type {unknown} */ ('nothing');
        try {
          fast.maskedSoftmax({ scores, spans, output: scores });
        } catch (reason) {
          caught = reason;
        }
        assert.equal(caught, thrown);
        assert.deepEqual(scores.view, before);
      }
    }
    const [queries, keys] = [fast.tensor([1, 64, 8]), fast.tensor([1, 64, 8])];
    const failing = (/** @type {number} */ _, /** @type {number} */ __, /** @type {number} */ query) => (query < 63 ? [[0, 64]] : [[0, 65]]);
    const work = () => {
      assert.throws(() => fast.attention({ queries, keys, values: keys, spans: failing }), { code: 'out_of_range' });
      assert.throws(() => fast.attention({ queries: { data: new Float32Array(512), shape: [1, 64, 8] }, keys, values: keys, spans: () => { throw new Error('none'); } }), { message: 'none' });
      const { output, logNormalizer } = fast.attention({ queries, keys, values: keys, spans: () => [[3, 60], [0, 5]] });
      for (const tensor of [output, logNormalizer]) /** @type {any} */ (tensor).free();
    };
    for (let i = 0; i < 3; ++i) work();
    const taken = fast.memoryBytes;
    // 2 KB an output: 1 MB would not have gone unseen
    for (let i = 0; i < 250; ++i) work();
    assert.equal(fast.memoryBytes, taken);
    // a mask that has gone is no mask of the next call
    assert.deepEqual(fast.attention({ queries, keys, values: keys }).tiles, { full: 2, mixed: 0, empty: 0 });
  });

  test(`${simd}: a function may make calls of its own, and free what it likes`, () => {
    const draw = drawsFrom(41);
    const operands = { queries: random(draw, [1, 40, 4]), keys: random(draw, [1, 50, 4]), values: random(draw, [1, 50, 4]) };
    const { spans } = randomSpans(42, [1, 1, 40, 50]);
    const expected = fast.attention({ ...operands, spans });
    const busy = (/** @type {number} */ b, /** @type {number} */ h, /** @type {number} */ q) => {
      fast.attention({ ...operands, mask: 'causal' });
      assert.throws(() => fast.attention({ ...operands, mask: 'casual' }), { code: 'syntax' });
      return spans(b, h, q);
    };
    same(fast.attention({ ...operands, spans: busy }), expected);
    const queries = fast.tensor(operands.queries.shape, operands.queries.data);
    for (const length of [NaN, -1, 0.5]) assert.throws(() => fast.attention({ ...operands, spans: () => ({ length, 0: [0, 3] }) }), { code: 'wrong_type', param: 'spans' });
    assert.throws(() => fast.attention({ ...operands, queries, spans: () => { queries.free(); return []; } }), { code: 'wrong_type', param: 'queries', message: 'queries has been freed' });
    const changing = { ...operands, keys: { ...operands.keys, shape: [...operands.keys.shape] } };
    assert.throws(() => fast.attention({ ...changing, spans: () => { changing.keys.shape[1] = 25; changing.keys.data = new Float32Array(100); return [[0, 50]]; } }), { name: 'AttentionError' });
    const whole = { first: 0, total: 64 };
    const growing = { ...operands, queries: { data: operands.queries.data.slice(0, 32), shape: [1, 8, 4] } };
    const { tiles } = fast.attention({ ...growing, rows: whole, spans: () => { growing.queries = Object.assign(growing.queries, { data: operands.queries.data, shape: [1, 40, 4] }); return [[0, 50]]; } });
    assert.equal(tiles.full + tiles.mixed + tiles.empty, 2);
  });
}

test('a sheet that repeats the one before is kept once, and what is the same is known', () => {
  const part = (/** @type {number[]} */ sizes) => ({ sizes, slice: 0, slices: sizes[0] * sizes[1], first: 0, rows: sizes[2] });
  const table = (/** @type {number} */ seed, /** @type {number[]} */ sizes, /** @type {(b: number, h: number) => number} */ sheet) => readSpans(randomSpans(seed, sizes, sheet).spans, part(sizes));
  const sizes = [2, 3, 20, 30];
  const [one, ofBatch, each, crossed] = [() => 0, (/** @type {number} */ b) => b, (/** @type {number} */ b, /** @type {number} */ h) => 3 * b + h, (/** @type {number} */ _, /** @type {number} */ h) => h % 2].map((sheet) => table(51, sizes, sheet));
  assert.deepEqual([one, ofBatch, each, crossed].map(({ sheets, same: is }) => [[...sheets], is]), [
    [[0, 0, 0, 0, 0, 0], [1, 1, 0]], [[0, 0, 0, 1, 1, 1], [0, 1, 0]], [[0, 1, 2, 3, 4, 5], [0, 0, 0]], [[0, 1, 2, 2, 3, 4], [0, 0, 0]],
  ]);
  assert.deepEqual([one, ofBatch, each].map(({ ends }) => ends.length), [21, 41, 121]);
  // rows whose spans lie one behind the other alike, but are cut otherwise
  const cut = readSpans((_, head, query) => (head === query ? [[0, 1], [1, 2]] : []), part([1, 2, 2, 4]));
  assert.deepEqual([[...cut.sheets], [...cut.ends]], [[0, 1], [0, 2, 2, 2, 4]]);
  assert.ok(readSpans(cut, part([1, 1, 1, 1])) === cut && cut instanceof SpanTable);
  const none = readSpans(() => assert.fail('of no rows none is asked for'), part([2, 0, 5, 5]));
  assert.deepEqual([none.sheets.length, none.visits(32, 96).length], [0, 0]);
});

test('a part of a table is the table of that part', () => {
  const sizes = [2, 2, 70, 90];
  const { spans } = randomSpans(61, sizes, (b, h) => [0, 1, 1, 2][2 * b + h]);
  const whole = readSpans(spans, { sizes, slice: 0, slices: 4, first: 0, rows: 70 });
  for (const [slice, slices, row, rows] of [[0, 4, 0, 70], [1, 2, 0, 70], [3, 1, 32, 38], [2, 1, 0, 32], [0, 1, 64, 6]]) {
    assert.deepEqual(whole.part({ slice, slices, row, rows }), readSpans(spans, { sizes, slice, slices, first: row, rows }));
  }
});

test('the block-sparse example of README.md: the tiles that it says cost nothing, and its end beyond the keys', async () => {
  const [, empty, all] = (/tiles\.empty: (\d+) of (\d+)/.exec(readFileSync(`${root}README.md`, 'utf8')) ?? assert.fail('README.md counts its tiles')).map(Number);
  const fast = await loadFast({ simd: 'simd', sources });
  const spans = (/** @type {number} */ _, /** @type {number} */ __, /** @type {number} */ query) => [[0, 64], [query - (query % 64), query - (query % 64) + 64]];
  const ones = (/** @type {number} */ n) => ({ data: new Float32Array(n).fill(1), shape: [1, n, 1] });
  const attend = (/** @type {number} */ n) => fast.attention({ queries: ones(n), keys: ones(n), values: ones(n), spans });
  const { tiles } = attend(4096);
  assert.equal(tiles.empty, empty);
  assert.equal(tiles.full + tiles.mixed + tiles.empty, all);
  assert.throws(() => attend(4100), { code: 'out_of_range', param: 'spans' });
});
