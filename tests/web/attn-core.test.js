// The core as programs get it: attn-core.mjs as built, in Node, from a folder that holds nothing but it and the modules.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { bundle } from '../../build-scripts/web/bundle.mjs';
import { loadCore as loadReference, wasmDir } from './support.js';

const work = mkdtempSync(join(tmpdir(), 'attn core-'));
after(() => rmSync(work, { recursive: true, force: true }));
await bundle({ outDir: join(work, 'site'), wasmDir });
const alone = join(work, 'alone');
mkdirSync(alone);
for (const file of ['attn-core.mjs', 'attn.wasm', 'attn-fast.wasm', 'attn-fast-relaxed.wasm']) copyFileSync(join(work, 'site', file), join(alone, file));

/** @type {{loadCore: import('../../web/attn-core.js').LoadCore, loadFast: import('../../web/attn-core.js').LoadFast, AttentionError: typeof import('../../web/engine/errors.js').AttentionError}} */
const { loadCore, loadFast, AttentionError } = await import(pathToFileURL(join(alone, 'attn-core.mjs')).href);
const core = await loadCore();
const reference = await loadReference();

test('every function computes what the core of the site computes', () => {
  assert.deepEqual(Object.keys(core), ['describe', 'run', 'repair', 'exercises', 'checkAnswer', 'maskedSoftmax', 'composeMasks', 'attentionStats', 'randomArrays', 'parseMask', 'maskCells', 'maskReport', 'maskCode', 'additiveBias', 'validLensOf',
    'scores', 'batchMatmul', 'attention', 'dropout', 'scoresGradient', 'softmaxGradient', 'attentionGradient']);
  assert.deepEqual(core.describe(), reference.describe());
  for (const { id } of core.describe().studies) assert.deepEqual(core.run(id), reference.run(id));
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
  renameSync(file, `${file}.away`);
  try {
    await assert.rejects(loadCore(), { name: 'AttentionError', code: 'wasm_unreachable' });
  } finally {
    renameSync(`${file}.away`, file);
  }
});

test('the kernels for speed are loaded from beside it, or from where they are', async () => {
  const queries = { data: Float32Array.of(0, 0), shape: [1, 2, 1] }, values = { data: Float32Array.of(1, 3), shape: [1, 2, 1] };
  for (const options of [undefined, { wasm: pathToFileURL(join(alone, 'attn-fast.wasm')), simd: /** @type {const} */ ('simd') }]) {
    const fast = await loadFast(options);
    const { output } = fast.attention({ queries, keys: queries, values, mask: 'causal' });
    assert.deepEqual(/** @type {{data: Float32Array}} */ (output).data, Float32Array.of(1, 2));
    assert.throws(() => fast.attention({ queries, keys: queries, values, mask: 'causally' }), (/** @type {any} */ error) => error instanceof AttentionError && error.code === 'syntax');
  }
  await assert.rejects(loadFast({ simd: /** @type {any} */ ('mmx') }), { code: 'unknown_choice', param: 'simd' });
  await assert.rejects(loadFast({ wasm: /** @type {any} */ (7) }), { code: 'wrong_type', param: 'wasm' });
});
