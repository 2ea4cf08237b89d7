/**
 * The other operations of a module for speed: masked softmax, batched matrix products, additive scores, entropies. It computes nothing;
 * cpp/bindings/fast/more.cpp is the other side. Results are FastTensors where the first operand is one, else {data, shape}.
 *
 * @import { FastMemory, FastTensor, Only, Operand, Written } from './fast-memory.js'
 * @import { SpanFunction } from './fast-spans.js'
 *
 * @typedef {object} FastSoftmaxOptions
 * @property {Operand} scores (batch, n, m) or (batch, heads, n, m)
 * @property {string} [mask] a mask expression
 * @property {ArrayLike<number> | ArrayLike<ArrayLike<number>>} [validLens] (batch), or a row of (n) for each of the batch
 * @property {SpanFunction} [spans] a mask of your own: for each query the spans of keys [begin, end) that it may attend to (fast-spans.js)
 * @property {FastTensor} [output] of the shape of the scores; may be the scores themselves
 *
 * @typedef {object} FastMatmulOptions
 * @property {Operand} a (batch, n, k) or (batch, heads, n, k)
 * @property {Operand} b (batch, k, m), or (batch, m, k) with transposeB; as many axes as a
 * @property {boolean} [transposeB]
 * @property {FastTensor} [output] (batch, n, m), not one of the operands
 *
 * @typedef {object} FastAdditiveOptions
 * @property {Operand} queries (batch, n, h) or (batch, heads, n, h), projected already
 * @property {Operand} keys (batch, m, h), as many axes as the queries
 * @property {Operand} w (h)
 * @property {FastTensor} [output] (batch, n, m), not one of the operands
 *
 * @typedef {object} FastEntropiesOptions
 * @property {Operand} queries (batch, n, d) or (batch, heads, n, d)
 * @property {Operand} keys (batch, m, d), as many axes as the queries
 */
import { AttentionError } from './errors.js';
import { fourSizes, knownOptions, sameAxes, shapeText, shown } from './fast-checks.js';
import { readMask } from './fast-spans.js';

/**
 * Sizes as (batch, rows, width): heads are further examples.
 * @param {string} param @param {FastTensor} tensor
 */
function three(param, { shape }) {
  const [batch, heads, ...rest] = fourSizes(param, shape);
  return [batch * heads, ...rest];
}

/**
 * Two operands of as many axes, the same examples and heads.
 * @param {string} param @param {FastTensor} tensor @param {string} other @param {FastTensor} first
 */
function fits(param, tensor, other, first) {
  if (tensor.shape.length === first.shape.length && tensor.shape.slice(0, -2).every((size, axis) => size === first.shape[axis])) return;
  throw new AttentionError('wrong_shape', param, `${param}: shape ${shapeText(tensor.shape)} does not fit ${other} of shape ${shapeText(first.shape)}; all axes but the last two must be the same`);
}

/** @param {FastMemory} memory */
export const moreOf = (memory) => ({
  /**
   * Softmax over the last axis of the keys that a mask allows; +0 elsewhere.
   * @template {FastSoftmaxOptions} O
   * @param {Only<O, FastSoftmaxOptions>} options
   * @returns {Written<O, 'output', O['scores']>}
   */
  maskedSoftmax(options) {
    knownOptions(options, ['scores', 'mask', 'validLens', 'spans', 'output']);
    const mask = readMask(options, () => {
      const sizes = fourSizes('scores', memory.shape('scores', options.scores));
      return { sizes, slice: 0, slices: sizes[0] * sizes[1], first: 0, rows: sizes[2] };
    });
    return memory.call(() => {
      const [scores] = memory.operands(options, ['scores']);
      const sizes = memory.sizes('scores', scores, 4);
      const output = memory.output('output', options.output, [...scores.shape], scores === options.scores);
      sameAxes('scores', scores.shape, { output: output.shape });
      memory.mask(mask, sizes);
      memory.words(0, sizes);
      memory.words(4, memory.sizes('output', output, 4));
      memory.run('softmax', [scores.address, output.address]);
      return memory.taken(output);
    });
  },

  /**
   * The matrix product of each example, a b or a b^T.
   * @template {FastMatmulOptions} O
   * @param {Only<O, FastMatmulOptions>} options
   * @returns {Written<O, 'output', O['a']>}
   */
  batchMatmul(options) {
    knownOptions(options, ['a', 'b', 'transposeB', 'output']);
    return memory.call(() => {
      const [a, b] = memory.operands(options, ['a', 'b']);
      const sizes = three('a', a);
      fits('b', b, 'a', a);
      const { transposeB = false } = options;
      if (typeof transposeB !== 'boolean') throw new AttentionError('wrong_type', 'transposeB', `transposeB is ${shown(transposeB)}; give true or false`);
      const columns = b.shape[b.shape.length - (transposeB ? 2 : 1)];
      const output = memory.output('output', options.output, [...a.shape.slice(0, -1), columns], a === options.a);
      memory.apart('output', output, { a, b });
      memory.words(0, sizes);
      memory.words(3, three('b', b));
      memory.words(6, three('output', output));
      memory.words(9, [transposeB ? 1 : 0]);
      memory.run('matmul', [a.address, b.address, output.address]);
      return memory.taken(output);
    });
  },

  /**
   * sum_h w_h tanh(q_h + k_h) of every query and key.
   * @template {FastAdditiveOptions} O
   * @param {Only<O, FastAdditiveOptions>} options
   * @returns {Written<O, 'output', O['queries']>}
   */
  additiveScores(options) {
    knownOptions(options, ['queries', 'keys', 'w', 'output']);
    return memory.call(() => {
      const [queries, keys, w] = memory.operands(options, ['queries', 'keys', 'w']);
      const sizes = three('queries', queries);
      fits('keys', keys, 'queries', queries);
      const output = memory.output('output', options.output, [...queries.shape.slice(0, -1), keys.shape[keys.shape.length - 2]], queries === options.queries);
      memory.apart('output', output, { queries, keys, w });
      memory.words(0, sizes);
      memory.words(3, three('keys', keys));
      memory.words(6, memory.sizes('w', w, 1));
      memory.words(7, three('output', output));
      memory.run('additive', [queries.address, keys.address, w.address, output.address]);
      return memory.taken(output);
    });
  },

  /**
   * Entropies, in nats, of the weights of every query: softmax(q . k / sqrt(d)) and softmax(q . k). Row-major (batch, n).
   * @param {FastEntropiesOptions} options
   * @returns {{scaled: Float64Array, unscaled: Float64Array}}
   */
  entropies(options) {
    knownOptions(options, ['queries', 'keys']);
    return memory.call(() => {
      const [queries, keys] = memory.operands(options, ['queries', 'keys']);
      const sizes = three('queries', queries);
      fits('keys', keys, 'queries', queries);
      const rows = sizes[0] * sizes[1];
      const found = memory.lent('queries', 16 * rows);
      memory.words(0, sizes);
      memory.words(3, three('keys', keys));
      memory.run('entropies', [queries.address, keys.address, found, found + 8 * rows]);
      const both = new Float64Array(memory.exports.memory.buffer, found, 2 * rows);
      return { scaled: both.slice(0, rows), unscaled: both.slice(rows) };
    });
  },
});
