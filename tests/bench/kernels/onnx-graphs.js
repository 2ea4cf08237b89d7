/**
 * The workloads as ONNX graphs, in the form that onnxruntime runs fastest here: the scale and the transposition of keys stand beside a product, where
 * its optimizer makes them part of it; masks are biases of 0 and a number so low that its exponential is 0, held by the model.
 *
 * @import { Workload } from './workloads.js'
 */
import { onnxModel } from './onnx-writer.js';
import { openKeys } from './workloads.js';

/** e^closed is 0 in float32. */
const closed = -1e9;

/** @param {Workload} workload @returns {import('./onnx-writer.js').Constant | undefined} (batch, 1, 1, m) for lengths, (1, 1, n, m) for causal */
function bias(workload) {
  const { mask, batch, n, m } = workload;
  if (mask === 'none') return undefined;
  const rows = mask === 'causal' ? n : batch;
  const values = new Float32Array(rows * m);
  for (let row = 0; row < rows; ++row) values.fill(closed, row * m + (mask === 'causal' ? openKeys(workload, 0, row) : openKeys(workload, row, 0)), (row + 1) * m);
  return { name: 'bias', shape: mask === 'causal' ? [1, 1, n, m] : [batch, 1, 1, m], values };
}

/** @param {string} name @param {number[]} shape @param {number[]} values @returns {import('./onnx-writer.js').Constant} */
const floats = (name, shape, values) => ({ name, shape, values: Float32Array.from(values) });

/** @param {Workload} workload */
function attentionGraph(workload) {
  const { batch, heads, n, m, widths: [d] } = workload;
  const mask = bias(workload);
  return onnxModel({
    inputs: [{ name: 'q', shape: [batch, heads, n, d] }, { name: 'k', shape: [batch, heads, m, d] }, { name: 'v', shape: [batch, heads, m, d] }],
    outputs: [{ name: 'out', shape: [batch, heads, n, d] }],
    constants: [floats('scale', [], [1 / Math.sqrt(d)]), ...(mask ? [mask] : [])],
    nodes: [
      { op: 'Transpose', inputs: ['k'], outputs: ['kt'], attributes: { perm: [0, 1, 3, 2] } },
      { op: 'MatMul', inputs: ['q', 'kt'], outputs: ['products'] },
      { op: 'Mul', inputs: ['products', 'scale'], outputs: ['scores'] },
      ...(mask ? [{ op: 'Add', inputs: ['scores', 'bias'], outputs: ['masked'] }] : []),
      { op: 'Softmax', inputs: [mask ? 'masked' : 'scores'], outputs: ['weights'], attributes: { axis: -1 } },
      { op: 'MatMul', inputs: ['weights', 'v'], outputs: ['out'] },
    ],
  });
}

/** @param {Workload} workload */
function softmaxGraph(workload) {
  const { batch, n, m } = workload;
  const mask = bias(workload);
  return onnxModel({
    inputs: [{ name: 'q', shape: [batch, 1, n, m] }],
    outputs: [{ name: 'out', shape: [batch, 1, n, m] }],
    constants: mask ? [mask] : [],
    nodes: [
      ...(mask ? [{ op: 'Add', inputs: ['q', 'bias'], outputs: ['masked'] }] : []),
      { op: 'Softmax', inputs: [mask ? 'masked' : 'q'], outputs: ['out'], attributes: { axis: -1 } },
    ],
  });
}

/** @param {Workload} workload */
function additiveGraph({ batch, n, m, widths: [h] }) {
  return onnxModel({
    inputs: [{ name: 'q', shape: [batch, n, 1, h] }, { name: 'k', shape: [batch, 1, m, h] }, { name: 'w', shape: [h, 1] }],
    outputs: [{ name: 'out', shape: [batch, n, m, 1] }],
    nodes: [
      { op: 'Add', inputs: ['q', 'k'], outputs: ['sums'] },
      { op: 'Tanh', inputs: ['sums'], outputs: ['features'] },
      { op: 'MatMul', inputs: ['features', 'w'], outputs: ['out'] },
    ],
  });
}

/** All widths and both forms in one graph. @param {Workload} workload */
function entropyGraph({ n, m, widths }) {
  /** @type {import('./onnx-writer.js').Node[]} */
  const nodes = [];
  /** @type {import('./onnx-writer.js').Constant[]} */
  const constants = [];
  /** @type {string[]} */
  const parts = [];
  for (const d of widths) {
    nodes.push({ op: 'Transpose', inputs: [`k${d}`], outputs: [`t${d}`], attributes: { perm: [1, 0] } }, { op: 'MatMul', inputs: [`q${d}`, `t${d}`], outputs: [`s${d}`] });
    constants.push(floats(`f${d}`, [], [1 / Math.sqrt(d)]));
    nodes.push({ op: 'Mul', inputs: [`s${d}`, `f${d}`], outputs: [`c${d}`] });
    // both forms as one tensor (2 n, m), so that the small operations are not paid for twice
    nodes.push({ op: 'Concat', inputs: [`c${d}`, `s${d}`], outputs: [`b${d}`], attributes: { axis: 0 } });
    parts.push(`b${d}`);
  }
  nodes.push(
    { op: 'Concat', inputs: parts, outputs: ['scores'], attributes: { axis: 0 } },
    { op: 'LogSoftmax', inputs: ['scores'], outputs: ['logs'], attributes: { axis: -1 } },
    { op: 'Exp', inputs: ['logs'], outputs: ['weights'] },
    { op: 'Mul', inputs: ['logs', 'weights'], outputs: ['terms'] },
    { op: 'ReduceSum', inputs: ['terms', 'axes'], outputs: ['sums'], attributes: { keepdims: 0 } },
    { op: 'Neg', inputs: ['sums'], outputs: ['out'] },
  );
  constants.push({ name: 'axes', shape: [1], values: BigInt64Array.of(1n) });
  return onnxModel({
    inputs: widths.flatMap((d) => [{ name: `q${d}`, shape: [n, d] }, { name: `k${d}`, shape: [m, d] }]),
    outputs: [{ name: 'out', shape: [widths.length * 2 * n] }],
    constants,
    nodes,
  });
}

/** The model's file of a workload. @param {Workload} workload @returns {Uint8Array} */
export function graphOf(workload) {
  return { attention: attentionGraph, softmax: softmaxGraph, additive: additiveGraph, entropy: entropyGraph }[workload.kind](workload);
}
