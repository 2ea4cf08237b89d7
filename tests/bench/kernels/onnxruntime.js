/**
 * onnxruntime-web as an implementation: a session a workload. Its interface copies what goes in and what comes out in every run; that is timed, since
 * nobody can have it otherwise.
 *
 * @import { Implementation } from './measure.js'
 * @import { Inputs, Workload } from './workloads.js'
 */
import { graphOf } from './onnx-graphs.js';

/** @param {Workload} workload @param {Inputs} inputs @returns {Record<string, [Float32Array, number[]]>} */
function feedsOf({ kind, batch, heads, n, m, widths }, { queries, keys, values, w }) {
  const [d] = widths;
  if (kind === 'attention') return { q: [queries[0], [batch, heads, n, d]], k: [keys[0], [batch, heads, m, d]], v: [values, [batch, heads, m, d]] };
  if (kind === 'softmax') return { q: [queries[0], [batch, 1, n, m]] };
  if (kind === 'additive') return { q: [queries[0], [batch, n, 1, d]], k: [keys[0], [batch, 1, m, d]], w: [w, [d, 1]] };
  return Object.fromEntries(widths.flatMap((width, i) => [[`q${width}`, [queries[i], [n, width]]], [`k${width}`, [keys[i], [m, width]]]]));
}

/**
 * @param {{onnxruntime: string, onnxruntimeWasm: string}} addresses of its module and of its WebAssembly
 * @param {number} threads more than one needs a page that is cross-origin isolated
 * @returns {Promise<Implementation>}
 */
export async function onnxruntime({ onnxruntime: module, onnxruntimeWasm }, threads = 1) {
  const ort = await import(module);
  ort.env.wasm.wasmPaths = { wasm: onnxruntimeWasm };
  ort.env.wasm.numThreads = threads;
  ort.env.logLevel = 'error';
  return {
    async prepare(workload, inputs) {
      const session = await ort.InferenceSession.create(graphOf(workload), { executionProviders: ['wasm'], graphOptimizationLevel: 'all' });
      const feeds = Object.fromEntries(Object.entries(feedsOf(workload, inputs)).map(([name, [data, shape]]) => [name, new ort.Tensor('float32', data, shape)]));
      /** @type {any} */
      let last;
      return {
        run: async () => { last = await session.run(feeds); },
        output: () => last.out.data,
        release: () => { session.release(); },
      };
    },
  };
}
