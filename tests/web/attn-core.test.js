// The core as programs get it: attn-core.mjs as built, in Node, from a folder that holds nothing but it, the modules and the script of their worker.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { bundle } from '../../build-scripts/web/bundle.mjs';
import { brief, drawsFrom, loadCore as loadReference, wasmDir } from './support.js';

const work = mkdtempSync(join(tmpdir(), 'attn core-'));
after(() => rmSync(work, { recursive: true, force: true }));
await bundle({ outDir: join(work, 'site'), wasmDir });
const alone = join(work, 'alone');
mkdirSync(alone);
for (const file of ['attn-core.mjs', 'attn.wasm', 'attn-fast.wasm', 'attn-fast-relaxed.wasm', 'attn-spans.wasm', 'attn-worker-fast.js']) copyFileSync(join(work, 'site', file), join(alone, file));

/** @type {{loadCore: import('../../web/attn-core.js').LoadCore, loadFast: import('../../web/attn-core.js').LoadFast,
 *   createPool: import('../../web/attn-core.js').CreatePool, AttentionError: typeof import('../../web/engine/errors.js').AttentionError}} */
const { loadCore, loadFast, createPool, AttentionError } = await import(pathToFileURL(join(alone, 'attn-core.mjs')).href);
const core = await loadCore();
const reference = await loadReference();

test('every function computes what the core of the site computes', () => {
  assert.deepEqual(Object.keys(core), ['describe', 'run', 'repair', 'exercises', 'checkAnswer', 'maskedSoftmax', 'composeMasks', 'attentionStats', 'randomArrays', 'parseMask', 'maskCells', 'maskReport', 'maskCode', 'additiveBias', 'validLensOf',
    'scores', 'batchMatmul', 'attention', 'dropout', 'scoresGradient', 'softmaxGradient', 'attentionGradient']);
  assert.deepEqual(core.describe(), reference.describe());
  for (const { id } of core.describe().studies) assert.deepEqual(core.run(id, brief[id]), reference.run(id, brief[id]));
  assert.deepEqual(core.exercises(), reference.exercises());
  assert.deepEqual(core.checkAnswer('5.2a', '-65504'), reference.checkAnswer('5.2a', '-65504'));
  assert.deepEqual(core.repair('saturation', { d: '9999' }), reference.repair('saturation', { d: '9999' }));
  const { weights, emptyRows } = core.maskedSoftmax(Float32Array.of(1, 2, 3, 4, 5, 6), [2, 1, 3], { validLens: [2, 0] });
  assert.ok(weights instanceof Float32Array);
  assert.ok(Math.abs(weights[0] - 1 / (1 + Math.E)) < 1e-7 && Math.abs(weights[0] + weights[1] - 1) < 1e-7);
  assert.deepEqual([...weights.subarray(2)], [0, 0, 0, 0]);
  assert.deepEqual([...emptyRows], [1]);
  assert.deepEqual([...core.composeMasks([{ data: Uint8Array.of(1, 0), shape: [1, 1, 2] }, { data: Uint8Array.of(1, 1), shape: [1, 1, 2] }]).data], [1, 0]);
  assert.deepEqual(core.attentionStats({ d: 16, numQueries: 8 }), reference.attentionStats({ d: 16, numQueries: 8 }));
});

test('bad input is an AttentionError that names it', () => {
  for (const [action, code, param] of /** @type {[() => unknown, string, string][]} */ ([
    [() => core.run('saturation', { d: 3 }), 'out_of_range', 'd'],
    [() => core.run('entropy'), 'unknown_study', 'study'],
    [() => core.maskedSoftmax(Float64Array.of(1, 2), [1, 1, 2], { validLens: [3] }), 'out_of_range', 'validLens'],
    [() => core.checkAnswer('0.1', '1'), 'unknown_choice', 'part'],
    [() => core.checkAnswer('5.2a', 'much'), 'wrong_type', 'answer'],
  ])) {
    assert.throws(action, (/** @type {any} */ error) => {
      assert.ok(error instanceof AttentionError && error instanceof Error);
      assert.deepEqual([error.code, error.param], [code, param]);
      return error.message.length > 10;
    });
  }
});

test('the wasm from an address or as bytes; anything else is refused', async () => {
  const file = join(alone, 'attn.wasm');
  const bytes = new Uint8Array(readFileSync(file));
  for (const wasm of [pathToFileURL(file), pathToFileURL(file).href, bytes, bytes.buffer]) {
    assert.deepEqual((await loadCore({ wasm })).run('masked-softmax'), reference.run('masked-softmax'));
  }
  for (const wasm of ['attn.wasm', 7]) await assert.rejects(loadCore({ wasm: /** @type {any} */ (wasm) }), { code: 'wrong_type', param: 'wasm' });
  await assert.rejects(loadCore({ wasm: Uint8Array.of(1, 2, 3) }), { code: 'wasm_unreachable' });
  // modules for speed, those of plates and answers, and one that holds nothing
  const others = ['attn-fast.wasm', 'attn-spans.wasm', 'attn-first.wasm', 'attn-exercises.wasm'].map((name) => new Uint8Array(readFileSync(join(wasmDir, name))));
  for (const other of [...others, Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)]) {
    await assert.rejects(loadCore({ wasm: other }), { name: 'AttentionError', code: 'wasm_unreachable', param: 'wasm', message: /^wasm is another WebAssembly module than attn-core\.mjs goes with \(.+\); give the attn\.wasm beside it$/ });
  }
  renameSync(file, `${file}.away`);
  try {
    await assert.rejects(loadCore(), { name: 'AttentionError', code: 'wasm_unreachable' });
  } finally {
    renameSync(`${file}.away`, file);
  }
});

test('the kernels for speed are loaded from beside it, or from where they are', async () => {
  const queries = { data: Float32Array.of(0, 0), shape: [1, 2, 1] }, values = { data: Float32Array.of(1, 3), shape: [1, 2, 1] };
  for (const options of [undefined, { wasm: pathToFileURL(join(alone, 'attn-fast.wasm')), simd: /** @type {const} */ ('simd') }, { spans: new Uint8Array(readFileSync(join(alone, 'attn-spans.wasm'))) }]) {
    const fast = await loadFast(options);
    const { output } = fast.attention({ queries, keys: queries, values, mask: 'causal' });
    assert.deepEqual(/** @type {{data: Float32Array}} */ (output).data, Float32Array.of(1, 2));
    assert.throws(() => fast.attention({ queries, keys: queries, values, mask: 'causally' }), (/** @type {any} */ error) => error instanceof AttentionError && error.code === 'syntax');
  }
  await assert.rejects(loadFast({ simd: /** @type {any} */ ('mmx') }), { code: 'unknown_choice', param: 'simd' });
  await assert.rejects(loadFast({ wasm: /** @type {any} */ (7) }), { code: 'wrong_type', param: 'wasm' });
  await assert.rejects(loadFast({ spans: /** @type {any} */ (7) }), { code: 'wrong_type', param: 'spans', message: 'spans is 7; give the absolute address of attn-spans.wasm, or its bytes as Uint8Array or ArrayBuffer' });
  await assert.rejects(loadFast({ spans: pathToFileURL(join(alone, 'attn-no.wasm')) }), { code: 'wasm_unreachable', param: 'spans' });
  for (const [simd, file] of /** @type {['simd' | 'relaxed', string][]} */ ([['simd', 'attn-fast.wasm'], ['relaxed', 'attn-fast-relaxed.wasm']])) {
    if (simd === 'relaxed' && (await loadFast()).build !== 'relaxed') continue;
    await assert.rejects(loadFast({ simd, wasm: '/nowhere.wasm' }), { code: 'wrong_type', param: 'wasm', message: `wasm is "/nowhere.wasm"; give the absolute address of ${file}, or its bytes as Uint8Array or ArrayBuffer` });
  }
  for (const bad of [null, 5]) await assert.rejects(loadCore(/** @type {any} */ (bad)), { code: 'wrong_type', param: 'options' });
  await assert.rejects(loadFast({ wasm: /** @type {any} */ (null) }), { code: 'wrong_type', param: 'wasm' });
});

test('a pool of worker threads gives the bits of one call, whatever the mask and however many they are', async () => {
  const draw = drawsFrom(5);
  const drawn = (/** @type {number[]} */ ...shape) => ({ data: Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => draw(4001) / 1000 - 2), shape });
  const fast = await loadFast({ simd: 'simd' });
  const pools = await Promise.all([1, 3].map((workers) => createPool({ workers, simd: 'simd' })));
  try {
    assert.deepEqual(pools.map(({ workers, build, kind }) => [workers, build, kind]), [[1, 'simd', 'worker'], [3, 'simd', 'worker']]);
    // blocks of 64 keys: the own one, some before it and one after it, which each head shifts
    const spans = (/** @type {number} */ batch, /** @type {number} */ head, /** @type {number} */ query) => {
      const own = Math.floor(query / 64);
      return [own, own - 3 - head, own - 9, 26 - own + batch].filter((block) => block >= 0 && block < 26 && query % 101 > 0).map((block) => [64 * block, 64 * block + 64]);
    };
    for (const [heads, mask] of /** @type {[number, object][]} */ ([[3, { mask: 'causal & padding(1700, 900)' }], [2, { validLens: [1500, 1600] }], [2, {}], [5, { spans }], [6, { spans: (/** @type {number} */ batch, /** @type {number} */ _, /** @type {number} */ query) => spans(batch, 0, query) }]])) {
      const operands = { queries: drawn(2, heads, 1700, 32), keys: drawn(2, heads, 1700, 32), values: drawn(2, heads, 1700, 32), ...mask };
      const expected = /** @type {import('../../web/engine/pool.js').PoolResult} */ (fast.attention(operands));
      for (const pool of pools) {
        let told = 0;
        const { output, logNormalizer, tiles } = await pool.attention(operands, { onProgress: (share) => { told += share < 1 ? 1 : 0; } });
        assert.ok(told > 0, 'in pieces');
        assert.deepEqual([output.shape, logNormalizer.shape], [[2, heads, 1700, 32], [2, heads, 1700]]);
        for (const [have, want] of [[output, expected.output], [logNormalizer, expected.logNormalizer]]) {
          assert.equal(Buffer.compare(Buffer.from(have.data.buffer), Buffer.from(want.data.buffer)), 0);
        }
        assert.deepEqual(tiles, expected.tiles);
      }
    }
    const operands = { queries: drawn(1, 4, 3), keys: drawn(1, 5, 3), values: drawn(1, 5, 2) };
    assert.deepEqual((await pools[1].attention(operands)).output, fast.attention(operands).output);
    const given = { ...operands, spans: (/** @type {number} */ _, /** @type {number} */ __, /** @type {number} */ query) => [[query, 5]] };
    assert.deepEqual((await pools[1].attention(given)).output, fast.attention(given).output);
    const thrown = new Error('no rows');
    for (const call of [async () => fast.attention({ ...operands, spans: () => { throw thrown; } }), () => pools[1].attention({ ...operands, spans: () => { throw thrown; } })]) {
      await assert.rejects(call, (/** @type {unknown} */ reason) => reason === thrown);
    }
    await assert.rejects(pools[1].attention({ ...operands, mask: 'casual' }), { name: 'AttentionError', code: 'syntax', param: 'mask' });
    await assert.rejects(pools[1].attention({ ...operands, keys: drawn(1, 5, 4) }), { code: 'wrong_shape', param: 'keys' });
    await assert.rejects(pools[1].attention(/** @type {any} */ ({})), { code: 'wrong_type', param: 'queries' });
    await assert.rejects(pools[1].attention({ ...operands, mask: 'window(0x3)' }), { code: 'syntax', param: 'mask' });
    await assert.rejects(pools[1].attention(operands, { signal: /** @type {any} */ ('x') }), { code: 'wrong_type', param: 'signal' });
    // tensors of a module are copied
    const [queries, keys, values] = [operands.queries, operands.keys, operands.values].map(({ data, shape }) => fast.tensor(shape, data));
    assert.deepEqual((await pools[0].attention({ queries, keys, values })).output, fast.attention(operands).output);
  } finally {
    for (const pool of pools) pool.close();
  }
  await assert.rejects(createPool({ workers: 0 }), { code: 'out_of_range', param: 'workers' });
  await assert.rejects(createPool(/** @type {any} */ ({ worker: 2 })), { code: 'unknown_parameter', param: 'worker' });
  for (const bad of [null, 5]) await assert.rejects(createPool(/** @type {any} */ (bad)), { code: 'wrong_type', param: 'options' });
  await assert.rejects(createPool({ base: 'nowhere' }), { code: 'wrong_type', param: 'base' });
  await assert.rejects(loadFast(/** @type {any} */ ({ smid: 'simd' })), { code: 'unknown_parameter', param: 'smid' });
  await assert.rejects(createPool({ simd: /** @type {any} */ ('mmx') }), { code: 'unknown_choice', param: 'simd' });
  await assert.rejects(createPool({ base: `${pathToFileURL(work).href}/nowhere/`, workers: 1 }), { name: 'AttentionError', code: 'wasm_unreachable', param: 'base' });
  await assert.rejects(createPool({ base: 'https://example.org/files/', workers: 1 }), { code: 'wrong_type', param: 'base', message: /^base leads to "https:.*give the address of a folder of files, "file:/ });
  await assert.rejects(createPool({ base: /** @type {any} */ (5) }), { code: 'wrong_type', param: 'base', message: /^base is 5; give / });
});
