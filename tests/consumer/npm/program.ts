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
  await pool.attention({ queries: tensor, keys: tensor, values: tensor }, { progress: true });
}
