/**
 * Fused attention's other two forms on a module for speed: with its weights, and its gradients, for which the weights are made again tile
 * by tile, so that no matrix of queries x keys is held.
 *
 * @import { FastMemory, Like, Only, Operand } from './fast-memory.js'
 * @import { FastTiles } from './fast-attention.js'
 * @import { SpanFunction } from './fast-spans.js'
 *
 * @typedef {object} FastWeightsOptions tensors of (batch, heads, rows, width), or of three axes for one head
 * @property {Operand} queries (batch, heads, n, d)
 * @property {Operand} keys (batch, heads, m, d)
 * @property {Operand} values (batch, heads, m, v)
 * @property {string} [mask] a mask expression over all queries
 * @property {ArrayLike<number> | ArrayLike<ArrayLike<number>>} [validLens] (batch), or a row of (queries) for each of the batch
 * @property {SpanFunction} [spans] a mask of your own, as of `attention`
 * @property {{first: number, total: number}} [rows] these queries are rows first, first + 1, ... of `total`, of which the mask speaks
 *
 * @typedef {object} FastGradientOptions
 * @property {Operand} queries
 * @property {Operand} keys
 * @property {Operand} values
 * @property {Operand} output (batch, heads, n, v), what `attention` gave for these operands and this mask
 * @property {Operand} logNormalizer (batch, heads, n), what it gave beside it
 * @property {Operand} upstream (batch, heads, n, v), the gradient with respect to the output
 * @property {string} [mask]
 * @property {ArrayLike<number> | ArrayLike<ArrayLike<number>>} [validLens]
 * @property {SpanFunction} [spans]
 */
import { AttentionError } from './errors.js';
import { partOf, rowsOf, tilesLeft } from './fast-attention.js';
import { knownOptions, sameAxes, shapeText } from './fast-checks.js';
import { readMask } from './fast-spans.js';

/** @param {FastMemory} memory */
export const gradientOf = (memory) => ({
  /**
   * As `attention`, and the weights (batch, heads, n, m): exact zeros where the mask closes. Results are FastTensors if the queries are one.
   * @template {FastWeightsOptions} O
   * @param {Only<O, FastWeightsOptions> & {rows?: Only<NonNullable<O['rows']>, NonNullable<FastWeightsOptions['rows']>>}} options
   * @returns {{output: Like<O['queries']>, weights: Like<O['queries']>, logNormalizer: Like<O['queries']>, tiles: FastTiles}}
   */
  attentionWeights(options) {
    knownOptions(options, ['queries', 'keys', 'values', 'mask', 'validLens', 'spans', 'rows']);
    const { rows: [first, total] } = rowsOf(options.rows);
    const mask = readMask(options, () => partOf(memory, options, [first, total]));
    return memory.call(() => {
      const [queries, keys, values] = memory.operands(options, ['queries', 'keys', 'values']);
      const sizes = memory.sizes('queries', queries, 4);
      sameAxes('queries', queries.shape, { keys: keys.shape, values: values.shape });
      const keySizes = memory.sizes('keys', keys, 4);
      memory.words(0, sizes);
      memory.words(4, keySizes);
      memory.words(8, memory.sizes('values', values, 4));
      const rows = queries.shape.slice(0, -1);
      const stays = queries === options.queries;
      const output = memory.output('output', undefined, [...rows, values.shape.at(-1) ?? 0], stays);
      const weights = memory.output('weights', undefined, [...rows, keys.shape.at(-2) ?? 0], stays);
      const logNormalizer = memory.output('logNormalizer', undefined, rows, stays);
      memory.words(12, memory.sizes('output', output, 4));
      memory.words(16, [first, total]);
      memory.words(24, [0, 0, 0]);
      memory.mask(mask, [sizes[0], sizes[1], total > 0 ? total : sizes[2], keySizes[2]]);
      memory.words(32, memory.sizes('weights', weights, 4));
      memory.run('attention', [queries, keys, values, output, logNormalizer, weights].map(({ address }) => address), 'attention_weights');
      return { output: memory.taken(output), weights: memory.taken(weights), logNormalizer: memory.taken(logNormalizer), tiles: tilesLeft(memory) };
    });
  },

  /**
   * Gradients of the sum of upstream x output with respect to queries, keys and values; FastTensors if the queries are one.
   * @template {FastGradientOptions} O
   * @param {Only<O, FastGradientOptions>} options
   * @returns {{queries: Like<O['queries']>, keys: Like<O['queries']>, values: Like<O['queries']>, tiles: FastTiles}}
   */
  attentionGradient(options) {
    knownOptions(options, ['queries', 'keys', 'values', 'output', 'logNormalizer', 'upstream', 'mask', 'validLens', 'spans']);
    const mask = readMask(options, () => partOf(memory, options));
    return memory.call(() => {
      const [queries, keys, values, output, logNormalizer, upstream] = memory.operands(options, ['queries', 'keys', 'values', 'output', 'logNormalizer', 'upstream']);
      const sizes = memory.sizes('queries', queries, 4);
      sameAxes('queries', queries.shape, { keys: keys.shape, values: values.shape, output: output.shape, upstream: upstream.shape });
      const keySizes = memory.sizes('keys', keys, 4);
      memory.words(0, sizes);
      memory.words(4, keySizes);
      memory.words(8, memory.sizes('values', values, 4));
      memory.words(12, memory.sizes('output', output, 4));
      memory.mask(mask, [...sizes.slice(0, 3), keySizes[2]]);
      memory.words(32, memory.sizes('upstream', upstream, 4));
      const rows = output.shape.slice(0, -1);
      if (String(logNormalizer.shape) !== String(rows)) {
        throw new AttentionError('wrong_shape', 'logNormalizer', `logNormalizer has shape ${shapeText(logNormalizer.shape)}; allowed is ${shapeText(rows)}`);
      }
      memory.words(36, rows.length === 2 ? [rows[0], 1, rows[1]] : rows);
      const stays = queries === options.queries;
      const gradients = [queries, keys, values].map((operand) => memory.output('gradient', undefined, [...operand.shape], stays));
      const addresses = [queries, keys, values, output, logNormalizer, upstream, ...gradients].map(({ address }) => address);
      memory.run('attention_gradient', addresses);
      const [ofQueries, ofKeys, ofValues] = gradients.map((gradient) => memory.taken(gradient));
      return { queries: ofQueries, keys: ofKeys, values: ofValues, tiles: tilesLeft(memory) };
    });
  },
});
