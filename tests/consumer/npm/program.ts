// A program of somebody else's that has installed the package: type-checked against its declarations, bundled, run in Node and in Chromium. What the
// compiler must refuse stands at the end; it is never called.
import { AttentionError, createPool, loadCore, loadFast } from 'attention-plates';
import type { ArrayTensor, Fast, FastTensor, LoadedCore, Pool, PoolResult, SpanFunction } from 'attention-plates';

/** Numbers of the exact core, of the kernels on one thread and in two workers; the last two are asked to have the same bits. */
export async function program() {
  const core: LoadedCore = await loadCore();
  const { weights, emptyRows } = core.maskedSoftmax(Float32Array.of(2, 1, 0, 5, 6, 7), [2, 1, 3], { validLens: [2, 0] });
  const report = core.maskReport('causal & padding(2)', { queries: 4, keys: 4 });
  let refused = '';
  try {
    core.run('saturation', { d: 3 });
  } catch (error) {
    if (error instanceof AttentionError) refused = `${error.code} ${error.param}`;
  }

  const fast: Fast = await loadFast({ simd: 'simd' });
  const queries: ArrayTensor = { data: Float32Array.of(0, 0, 0), shape: [1, 3, 1] };
  const values: ArrayTensor = { data: Float32Array.of(1, 3, 8), shape: [1, 3, 1] };
  const copied: Float32Array = fast.attention({ queries, keys: queries, values, mask: 'causal' }).output.data;
  const kept: FastTensor = fast.tensor([1, 3, 1], queries.data);
  const output = fast.tensor([1, 3, 1]);
  const spans: SpanFunction = (_batch, _head, query) => [[query, query + 1]];
  fast.attention({ queries: kept, keys: kept, values, spans, output, logNormalizer: false });
  const own: Float32Array = output.view.slice();
  // shapes are taken as they are given, for reading too
  const lens: readonly (readonly number[])[] = [[1, 2, 3]];
  fast.attention({ queries: { data: queries.data, shape: kept.shape }, keys: fast.tensor(kept.shape), values: kept, validLens: lens, rows: { first: 0, total: 3 } });
  core.composeMasks([{ data: Uint8Array.of(1), shape: [1, 1, 1] as const }] as const);
  const product: FastTensor = fast.batchMatmul({ a: kept, b: kept, transposeB: true });
  product.free();

  const pool: Pool = await createPool({ workers: 2, simd: 'simd' });
  try {
    const n = 2048;
    const large: ArrayTensor = { data: Float32Array.from({ length: n * 64 }, (_, i) => ((i * 37) % 101) / 50 - 1), shape: [1, n, 64] };
    const shared: PoolResult = await pool.attention({ queries: large, keys: large, values: large, mask: 'causal' }, { onProgress: (share: number) => share });
    const alone = fast.attention({ queries: large, keys: large, values: large, mask: 'causal' });
    const same = alone.output.data.every((value, i) => Object.is(value, shared.output.data[i]));
    return { weights: [...weights], emptyRows: [...emptyRows], rows: report.emptyRows, refused, build: fast.build, copied: [...copied], own: [...own], kind: pool.kind, workers: pool.workers, same };
  } finally {
    pool.close();
  }
}

export async function refusedByTheCompiler(core: LoadedCore, fast: Fast, pool: Pool, tensor: FastTensor) {
  // @ts-expect-error no such option
  await loadCore({ wsam: new URL('attn.wasm', 'https://example.org/') });
  // @ts-expect-error no such build
  await loadFast({ simd: 'avx' });
  // @ts-expect-error a number of workers
  await createPool({ workers: '2' });
  // @ts-expect-error no such option
  core.maskedSoftmax(Float32Array.of(1), [1, 1, 1], { lens: [1] });
  // @ts-expect-error no such framework
  core.maskCode('causal', { queries: 2, keys: 2 }, 'caffe');
  // @ts-expect-error values are missing
  fast.attention({ queries: tensor, keys: tensor });
  // @ts-expect-error a result of arrays has no view
  fast.maskedSoftmax({ scores: { data: Float32Array.of(1), shape: [1, 1, 1] } }).view;
  // @ts-expect-error a result in the module's memory has no data
  fast.attention({ queries: tensor, keys: tensor, values: tensor }).output.data;
  // @ts-expect-error it was not wanted
  fast.attention({ queries: tensor, keys: tensor, values: tensor, logNormalizer: false }).logNormalizer.view;
  // @ts-expect-error no such option
  fast.attention({ queries: tensor, keys: tensor, values: tensor, maks: 'causal' });
  const misspelt = { scores: tensor, maks: 'causal' };
  // @ts-expect-error nor in a variable
  fast.maskedSoftmax(misspelt);
  // @ts-expect-error no such field of rows
  fast.attention({ queries: tensor, keys: tensor, values: tensor, rows: { first: 0, total: 2, slices: 1 } });
  // @ts-expect-error no such option
  fast.batchMatmul({ a: tensor, b: tensor, transpose: true });
  // @ts-expect-error a tensor's shape is for reading
  tensor.shape[0] = 2;
  // @ts-expect-error no such option
  await pool.attention({ queries: tensor, keys: tensor, values: tensor }, { progress: true });
}
