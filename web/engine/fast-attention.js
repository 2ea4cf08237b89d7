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
 * @property {FastRows} [rows] these queries are some of more, of which the mask speaks
 * @property {FastTensor} [output] (batch, heads, n, v)
 *
 * @typedef {object} FastRows
 * @property {number} first the queries given are rows first, first + 1, ...
 * @property {number} total of so many
 * @property {number} [slice] what is given, batch x heads in order, is slice, slice + 1, ... of the mask's `batch` x `heads`
 * @property {number} [batch]
 * @property {number} [heads]
 *
 * @typedef {object} FastTilesOptions
 * @property {number} batch
 * @property {number} heads
 * @property {number} queries
 * @property {number} keys
 * @property {string} [mask]
 * @property {ArrayLike<number> | ArrayLike<number>[]} [validLens]
 *
 * @typedef {object} FastTiles tiles of queries and keys: run without a mask, with one, and not at all
 * @property {number} full
 * @property {number} mixed
 * @property {number} empty
 */
import { AttentionError } from './errors.js';
import { knownOptions } from './fast-memory.js';

/** A word of `rows`. @param {string} name @param {unknown} value */
export function count(name, value) {
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
      const { rows } = options;
      memory.words(16, rows === undefined ? [0, 0] : [count('first', rows.first), count('total', rows.total)]);
      memory.words(24, rows?.heads === undefined ? [0, 0, 0] : [count('slice', rows.slice), count('batch', rows.batch), count('heads', rows.heads)]);
      memory.check(memory.exports.attn_attention(queries.address, keys.address, values.address, output.address, logNormalizer.address));
      const [full, mixed, empty] = memory.numbers(3);
      return { output: memory.taken(output), logNormalizer: memory.taken(logNormalizer), tiles: { full, mixed, empty } };
    });
  },

  /**
   * The tiles that an attention of these sizes will visit, by block of queries, one head after the other: to share out its work.
   * @param {FastTilesOptions} options
   * @returns {{tileQueries: number, tileKeys: number, visited: Uint32Array}}
   */
  tiles(options) {
    knownOptions(/** @type {any} */ (options), ['batch', 'heads', 'queries', 'keys', 'mask', 'validLens']);
    const sizes = [count('batch', options.batch), count('heads', options.heads), count('queries', options.queries), count('keys', options.keys)];
    return memory.call(() => {
      memory.mask(4, options);
      memory.words(0, sizes);
      memory.check(memory.exports.attn_visits());
      const [address, length, tileQueries, tileKeys] = memory.numbers(4);
      return { tileQueries, tileKeys, visited: new Uint32Array(memory.exports.memory.buffer, address, length).slice() };
    });
  },
});
