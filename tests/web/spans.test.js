// The module of masks for the modules for speed: its rows of spans against the cells that the exact core makes, its memory under the masks that have most
// spans, and the module when its memory is full.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FastMasks } from '../../web/engine/fast-masks.js';
import { NoRoom } from '../../web/engine/fast-memory.js';
import { loadFast } from '../../web/engine/fast.js';
import { loadCore, wasmDir } from './support.js';

const core = await loadCore();
const bytes = (/** @type {string} */ name) => new Uint8Array(readFileSync(`${wasmDir}/${name}`));
const sources = { simd: { wasmBytes: bytes('attn-fast.wasm') }, relaxed: { wasmBytes: bytes('attn-fast-relaxed.wasm') }, spans: { wasmBytes: bytes('attn-spans.wasm') } };

/** The module by itself, its host's numbers and errors those of fast.js. */
async function loadMasks() {
  /** @type {FastMasks} */
  let masks;
  const host = {
    number_text: (/** @type {number} */ value, /** @type {number} */ to) => masks.write(to, String(value)),
    parse_number: (/** @type {number} */ from, /** @type {number} */ size) => Number(masks.read(from, size)),
    no_room: (/** @type {number} */ size) => { throw new NoRoom(size >>> 0); },
  };
  const module = await WebAssembly.compile(sources.spans.wasmBytes);
  /** @type {Record<string, Record<string, any>>} */
  const imports = { host };
  for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] ??= () => 0;
  masks = new FastMasks(/** @type {any} */ ((await WebAssembly.instantiate(module, imports)).exports));
  masks.exports._initialize();
  return masks;
}

/**
 * The rows of a block as lists of spans.
 * @param {FastMasks} masks @param {number} batch @param {number} head @param {number} first @param {number} queries
 */
function rowsOf(masks, batch, head, first, queries) {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const room = 16000;
  const count = masks.rows(batch, head, first, queries, memory, 64, room);
  assert.ok(count <= room);
  const words = new Uint32Array(memory.buffer, 64, count);
  let at = queries;
  const rows = [...words.subarray(0, queries)].map((spans) => Array.from({ length: spans }, () => [words[at++], words[at++]]));
  assert.equal(at, count);
  return rows;
}

const { simd: fast } = { simd: await loadFast({ simd: 'simd', sources }) };

test('rows of spans are the cells that the exact core makes, of expressions of every kind', async () => {
  const masks = await loadMasks();
  const sizes = { batch: 2, heads: 2, queries: 37, keys: 41 };
  const shape = [2, 2, 37, 41];
  for (const mask of ['all', 'none', 'causal', 'causal(bottom_right)', 'window(5)', 'window(2, 3)', 'padding(0, 41)', 'left_padding(7, 40)', 'documents(20, 21; 41)', 'prefix(3, 9)', 'chunks(8)',
    'global(0, 13)', 'dilated(4, 3)', '~causal', 'causal & ~window(4) | global(2)', '(padding(30, 12) | chunks(5)) & ~global(1)', `document_ids(${Array.from({ length: 41 }, (_, i) => i % 7).join()})`]) {
    masks.begin();
    const [some, batch, heads, queries] = masks.bind({ mask }, shape);
    assert.equal(some, 1);
    const { data, shape: own } = core.maskCells(mask, sizes);
    // what is said to be the same is: the cells have one sheet for the batch, and for the heads
    assert.deepEqual([batch, heads], [own[0] === 1 ? 1 : 0, own[1] === 1 ? 1 : 0], mask);
    for (const [b, h] of [[0, 0], [0, 1], [1, 0], [1, 1]]) {
      for (const [first, count] of [[0, 32], [32, 5], [7, 1]]) {
        const rows = rowsOf(masks, b, h, first, count);
        for (const [r, spans] of rows.entries()) {
          const start = (((own[0] === 1 ? 0 : b) * own[1] + (own[1] === 1 ? 0 : h)) * 37 + first + r) * 41;
          const cells = new Uint8Array(41);
          let last = -1;
          for (const [begin, end] of spans) {
            assert.ok(begin > last && end > begin && end <= 41, `${mask}: ${JSON.stringify(spans)}`);
            cells.fill(1, begin, last = end);
          }
          assert.deepEqual(cells, Uint8Array.from(data.subarray(start, start + 41)), `${mask}: row ${first + r} of ${b}, ${h}`);
          if (queries) assert.deepEqual(spans, rows[0], mask);
        }
      }
    }
    masks.release();
  }
});

test('valid lengths as rows: of sequences, and of queries', async () => {
  const masks = await loadMasks();
  assert.deepEqual(masks.bind({ validLens: [3, 0] }, [2, 4, 5, 9]), [1, 0, 1, 1]);
  assert.deepEqual(rowsOf(masks, 0, 3, 0, 2), [[[0, 3]], [[0, 3]]]);
  assert.deepEqual(rowsOf(masks, 1, 0, 4, 1), [[]]);
  masks.release();
  assert.deepEqual(masks.bind({ validLens: [[1, 0], [9, 2]] }, [2, 4, 2, 9]), [1, 0, 1, 0]);
  assert.deepEqual(rowsOf(masks, 1, 1, 0, 2), [[[0, 9]], [[0, 2]]]);
  masks.release();
  assert.deepEqual(masks.bind({}, [2, 4, 2, 9]), [0, 0, 0, 0]);
});

test('a call that is none is refused in the words of the core, and the mask at the character at fault', () => {
  const tensor = (/** @type {number[]} */ ...shape) => ({ data: new Float32Array(shape.reduce((a, b) => a * b, 1)), shape });
  const operands = { queries: tensor(1, 4, 2), keys: tensor(1, 5, 2), values: tensor(1, 5, 3) };
  const refused = (/** @type {object} */ more, /** @type {object} */ error) => assert.throws(() => fast.attention({ ...operands, ...more }), { name: 'AttentionError', ...error });
  refused({ mask: 'causal & windo(3)' }, { code: 'syntax', param: 'mask', at: 9, message: /^mask: at character 10, "windo" is not a kind of mask; there are causal, padding/ });
  refused({ mask: 'a\u0000"\n\\é' }, { code: 'syntax', param: 'mask', at: 0 });
  refused({ mask: '\n\n\u0000' }, { code: 'syntax', at: 2, message: 'mask: at character 3, expected a term, ~ or (, found "\\u0000"' });
  refused({ mask: 'rows(11, 11)' }, { code: 'wrong_shape', param: 'mask', message: /^mask: rows\(11,11\) has shape \(1, 1, 2, 2\) and does not broadcast to \(1, 1, 4, 5\): axis 2 \(queries\) has 2, allowed are 1 and 4$/ });
  refused({ validLens: [6] }, { code: 'out_of_range', param: 'validLens', message: 'validLens[0] is 6; allowed are integers from 0 to 5, the number of keys' });
  refused({ validLens: [1.5] }, { code: 'not_an_integer', param: 'validLens', message: 'validLens[0] is 1.5; allowed are integers from 0 to 5, the number of keys' });
  refused({ validLens: [-0.1] }, { code: 'not_an_integer', message: 'validLens[0] is -0.1; allowed are integers from 0 to 5, the number of keys' });
  refused({ keys: tensor(1, 5, 3) }, { code: 'wrong_shape', param: 'keys', message: 'keys: shape (1, 5, 3) does not fit queries of shape (1, 4, 2); axis 2 (width) is 3, allowed is 2' });
  refused({ rows: { first: 3, total: 5 } }, { code: 'out_of_range', param: 'rows', message: 'rows: 4 queries from 3 on; there are 5' });
  // the mask's words come first
  refused({ keys: tensor(1, 5, 3), mask: 'none none' }, { code: 'syntax' });
  assert.deepEqual(fast.attention({ ...operands, mask: 'causal' }).tiles, { full: 0, mixed: 1, empty: 0 });
});

test('the mask that has most spans, 4096 x 4096, takes the memory of a block of queries', async () => {
  const masks = await loadMasks();
  const shape = [1, 2, 4096, 4096];
  const mask = 'dilated(4096, 2) | ~causal & ~dilated(4096, 2)';
  masks.begin();
  const before = masks.exports.memory.buffer.byteLength;
  masks.bind({ mask: 'dilated(4096, 2, bottom_right)' }, shape);
  masks.bind({ mask }, shape);
  // the last block has most: 2048 spans of 8 bytes in each of 32 rows, half a megabyte
  const memory = new WebAssembly.Memory({ initial: 32 });
  for (let first = 0; first < 4096; first += 32) masks.rows(0, 0, first, 32, memory, 64, 500000);
  const found = masks.rows(0, 1, 4064, 32, memory, 64, 500000);
  assert.ok(found > 32 * 2000 * 2, `${found} words`);
  // written out, it were 16 MB; a span each, 64 MB
  const grown = masks.exports.memory.buffer.byteLength - before;
  assert.ok(grown < 8 * 2 ** 20, `${grown} bytes more`);
  masks.release();

  // through the kernels, whose memory holds the spans of one block, too
  const ones = (/** @type {number} */ n, /** @type {number} */ width) => fast.tensor([1, n, width], new Float32Array(n * width).fill(1));
  const [queries, keys, values] = [ones(4096, 1), ones(4096, 1), ones(4096, 1)];
  const start = fast.memoryBytes;
  const { output, tiles } = fast.attention({ queries, keys, values, mask });
  assert.ok(/** @type {any} */ (output).view.every((/** @type {number} */ entry) => Math.abs(entry - 1) < 1e-6));
  assert.equal(tiles.full + tiles.mixed + tiles.empty, 128 * 43);
  assert.ok(fast.memoryBytes - start < 16 * 2 ** 20, `${fast.memoryBytes - start} bytes more`);
});
