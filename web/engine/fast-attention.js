/**
 * Attention by the fused kernels of a module for speed: memory grows with queries plus keys, masks save the work that they hide.
 *
 * @import { FastMemory, FastTensor, Operand } from './fast-memory.js'
 *
 * @typedef {object} FastAttentionOptions tensors of (batch, heads, rows, width), or of three axes for one head
 * @property {Operand} queries (batch, heads, n, d)
 * @property {Operand} keys (batch, heads, m, d)
 * @property {Operand} values (batch, heads, m, v)
 * @property {string} [mask] a mask expression over all queries
 * @property {ArrayLike<number> | ArrayLike<number>[]} [validLens] (batch), or a row of (queries) for each of the batch
 * @property {{first: number, total: number}} [rows] these queries are rows first, first + 1, ... of `total`, of which the mask speaks
 * @property {FastTensor} [output] (batch, heads, n, v)
 *
 * @typedef {object} FastTiles tiles of queries and keys: run without a mask, with one, and not at all
 * @property {number} full
 * @property {number} mixed
 * @property {number} empty
 */
import { AttentionError } from './errors.js';
import { knownOptions } from './fast-memory.js';

/** @param {string} name @param {unknown} value */
function count(name, value) {
  if (typeof value !== 'number' || !Number.isInteger(value)) throw new AttentionError('not_an_integer', 'rows', `rows.${name} is ${value}; give an integer`);
  if (value < 0 || value > 0xffffffff) throw new AttentionError('out_of_range', 'rows', `rows.${name} is ${value}; allowed is 0 to 4294967295`);
  return value;
}

/** @param {FastMemory} memory */
export const attentionOf = (memory) => ({
  /**
   * The output is `output` where it is given; else a FastTensor if the queries are one, else {data, shape}. So is the logarithm of each
   * query's sum of exponentials, (batch, heads, n).
   * @param {FastAttentionOptions} options
   */
  attention(options) {
    knownOptions(/** @type {any} */ (options), ['queries', 'keys', 'values', 'mask', 'validLens', 'rows', 'output']);
    return memory.call(() => {
      const queries = memory.operand('queries', options.queries);
      const keys = memory.operand('keys', options.keys);
      const values = memory.operand('values', options.values);
      const sizes = memory.sizes('queries', queries, 4);
      const width = values.shape[values.shape.length - 1] ?? 0;
      const stays = queries === options.queries;
      const output = memory.output('output', options.output, [...queries.shape.slice(0, -1), width], stays);
      const logNormalizer = memory.output('logNormalizer', undefined, queries.shape.slice(0, -1), stays);
      memory.mask(18, options);
      memory.words(0, sizes);
      memory.words(4, memory.sizes('keys', keys, 4));
      memory.words(8, memory.sizes('values', values, 4));
      memory.words(12, memory.sizes('output', output, 4));
      memory.words(16, options.rows === undefined ? [0, 0] : [count('first', options.rows.first), count('total', options.rows.total)]);
      memory.check(memory.exports.attn_attention(queries.address, keys.address, values.address, output.address, logNormalizer.address));
      const [full, mixed, empty] = memory.numbers(3);
      return { output: memory.taken(output), logNormalizer: memory.taken(logNormalizer), tiles: { full, mixed, empty } };
    });
  },
});
