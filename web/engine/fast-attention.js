/**
 * Attention by the fused kernels of a module for speed: memory grows with queries plus keys, masks save the work that they hide.
 *
 * @import { FastMemory, Only, Operand, Written } from './fast-memory.js'
 * @import { SpanFunction, SpanPart, SpanTable } from './fast-spans.js'
 *
 * @typedef {object} FastAttentionOptions tensors of (batch, heads, rows, width), or of three axes for one head
 * @property {Operand} queries (batch, heads, n, d)
 * @property {Operand} keys (batch, heads, m, d)
 * @property {Operand} values (batch, heads, m, v)
 * @property {string} [mask] a mask expression over all queries
 * @property {ArrayLike<number> | ArrayLike<ArrayLike<number>>} [validLens] (batch), or a row of (queries) for each of the batch
 * @property {SpanFunction | SpanTable} [spans] a mask of your own: for each query the spans of keys [begin, end) that it may attend to (fast-spans.js)
 * @property {FastRows} [rows] these queries are some of more, of which the mask speaks
 * @property {FastTensor} [output] (batch, heads, n, v), not one of the operands
 * @property {FastTensor | false} [logNormalizer] (batch, heads, n), where it goes; false: it is not wanted
 *
 * @typedef {object} FastRows
 * @property {number} first the queries given are rows first, first + 1, ...
 * @property {number} total of so many, 1 at least
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
 * @property {ArrayLike<number> | ArrayLike<ArrayLike<number>>} [validLens]
 * @property {SpanFunction | SpanTable} [spans]
 *
 * @typedef {object} FastTiles tiles of queries and keys: run without a mask, with one, and not at all
 * @property {number} full
 * @property {number} mixed
 * @property {number} empty
 */
import { AttentionError } from './errors.js';
import { count, fourSizes, knownOptions, sameAxes, shapeText, shown } from './fast-checks.js';
import { FastTensor } from './fast-memory.js';
import { readMask } from './fast-spans.js';

const slicesOfMask = ['slice', 'batch', 'heads'];

/**
 * The words of `rows`, all zeros where there are none.
 * @param {unknown} given
 * @param {string[]} [more] what it may have beside first and total
 * @returns {{rows: [number, number], slices: [number, number, number]}} first and total; slice, batch and heads
 */
export function rowsOf(given, more = []) {
  if (given === undefined) return { rows: [0, 0], slices: [0, 0, 0] };
  knownOptions(given, ['first', 'total', ...more], 'rows');
  const rows = /** @type {Record<string, unknown>} */ (given);
  // as many as a mask may speak of
  const word = (/** @type {string} */ name, least = 0) => count(`rows.${name}`, rows[name], 'rows', least, 0x7fffffff);
  // a part of the mask's slices is named by all three
  const part = more.some((name) => rows[name] !== undefined);
  const [first, total] = [word('first'), word('total', 1)];
  if (!part) return { rows: [first, total], slices: [0, 0, 0] };
  const [slice, batch, heads] = [word('slice'), word('batch'), word('heads', 1)];
  if (batch * heads > 0xffffffff) throw new AttentionError('out_of_range', 'rows', `rows: ${batch} examples of ${heads} heads are more than can be counted`);
  return { rows: [first, total], slices: [slice, batch, heads] };
}

/**
 * Which rows of its mask a call needs: its words for `rows`, and sizes of its operands.
 * @param {FastMemory} memory @param {{queries: Operand, keys: Operand}} options @param {number[]} [rows] @param {number[]} [slices]
 * @returns {SpanPart}
 */
export function partOf(memory, options, [first, total] = [0, 0], [slice, batch, heads] = [0, 0, 0]) {
  const queries = fourSizes('queries', memory.shape('queries', options.queries));
  const keys = fourSizes('keys', memory.shape('keys', options.keys));
  return { sizes: [...(heads > 0 ? [batch, heads] : queries.slice(0, 2)), total > 0 ? total : queries[2], keys[2]], slice, slices: queries[0] * queries[1], first, rows: queries[2] };
}

/** The tiles that the last call left. @param {FastMemory} memory @returns {FastTiles} */
export function tilesLeft(memory) {
  const [full, mixed, empty] = memory.numbers(3);
  return { full, mixed, empty };
}

/**
 * Where the logarithms of the sums go; undefined where nobody wants them.
 * @param {FastMemory} memory @param {unknown} given @param {number[]} shape @param {boolean} stays
 */
function normalizer(memory, given, shape, stays) {
  if (given === false) return undefined;
  if (given !== undefined && !(given instanceof FastTensor)) throw new AttentionError('wrong_type', 'logNormalizer', `logNormalizer is ${shown(given)}; give a FastTensor, or false`);
  const tensor = memory.output('logNormalizer', given, shape, stays);
  if (String(tensor.shape) !== String(shape)) throw new AttentionError('wrong_shape', 'logNormalizer', `logNormalizer has shape ${shapeText(tensor.shape)}; allowed is ${shapeText(shape)}`);
  return tensor;
}

/** @param {FastMemory} memory */
export const attentionOf = (memory) => ({
  /**
   * The output is `output` where it is given; else a FastTensor if the queries are one, else {data, shape}. So is the logarithm of each
   * query's sum of exponentials, (batch, heads, n), or undefined where it is not wanted.
   * @template {FastAttentionOptions} O
   * @param {Only<O, FastAttentionOptions> & {rows?: Only<NonNullable<O['rows']>, FastRows>}} options
   * @returns {{output: Written<O, 'output', O['queries']>, logNormalizer: O extends {logNormalizer: false} ? undefined : Written<O, 'logNormalizer', O['queries']>, tiles: FastTiles}}
   */
  attention(options) {
    knownOptions(options, ['queries', 'keys', 'values', 'mask', 'validLens', 'spans', 'rows', 'output', 'logNormalizer']);
    const { rows, slices } = rowsOf(options.rows, slicesOfMask);
    const mask = readMask(options, () => partOf(memory, options, rows, slices));
    return memory.call(() => {
      const [queries, keys, values] = memory.operands(options, ['queries', 'keys', 'values']);
      const sizes = memory.sizes('queries', queries, 4);
      const stays = queries === options.queries;
      const output = memory.output('output', options.output, [...queries.shape.slice(0, -1), values.shape[values.shape.length - 1] ?? 0], stays);
      sameAxes('queries', queries.shape, { keys: keys.shape, values: values.shape, output: output.shape });
      const logNormalizer = normalizer(memory, options.logNormalizer, queries.shape.slice(0, -1), stays);
      memory.apart('output', output, { queries, keys, values });
      memory.apart('logNormalizer', logNormalizer, { queries, keys, values, output });
      const keySizes = memory.sizes('keys', keys, 4);
      memory.mask(mask, [...(slices[2] > 0 ? slices.slice(1) : sizes.slice(0, 2)), rows[1] > 0 ? rows[1] : sizes[2], keySizes[2]]);
      memory.words(0, sizes);
      memory.words(4, keySizes);
      memory.words(8, memory.sizes('values', values, 4));
      memory.words(12, memory.sizes('output', output, 4));
      memory.words(16, rows);
      memory.words(24, slices);
      memory.run('attention', [queries.address, keys.address, values.address, output.address, logNormalizer?.address ?? 0, 0]);
      return { output: memory.taken(output), logNormalizer: logNormalizer && memory.taken(logNormalizer), tiles: tilesLeft(memory) };
    });
  },

  /**
   * The tiles that an attention of these sizes will visit, by block of queries, one head after the other: to share out its work.
   * @param {FastTilesOptions} options
   * @returns {{tileQueries: number, tileKeys: number, visited: Uint32Array}}
   */
  tiles(options) {
    knownOptions(options, ['batch', 'heads', 'queries', 'keys', 'mask', 'validLens', 'spans']);
    const sizes = [count('batch', options.batch), count('heads', options.heads), count('queries', options.queries), count('keys', options.keys)];
    const mask = readMask(options, () => ({ sizes, slice: 0, slices: sizes[0] * sizes[1], first: 0, rows: sizes[2] }));
    return memory.call(() => {
      memory.mask(mask, sizes);
      return memory.masks.visits();
    });
  },
});
