/**
 * A result of the study "batched", read once into named values for the figures and the words: the matrices of every stage, their shapes,
 * the row sums after dropout, and the two shapes of the checker.
 *
 * Nothing is computed here but places in arrays. Indices count from 0, b a sequence, i a row, j a column.
 */

import { fixed } from '../../chart/format.js';
import { givenAs } from './mask-words.js';
import { numeric, series, value, words } from './read.js';

/** @typedef {import('../../chart/types.js').Result} Result */

/**
 * @typedef {object} Matrices  a series of matrices, one a sequence
 * @property {number[]} shape
 * @property {(b: number, i: number, j: number) => number} at
 */

/** The stages in the order of the computation. */
export const STAGES = /** @type {const} */ (['queries', 'keys', 'products', 'scaled', 'allowed', 'weights', 'pooled', 'values', 'output']);
/** @typedef {typeof STAGES[number]} Stage */

/**
 * @typedef {object} Flow
 * @property {number} batch
 * @property {number} queries
 * @property {number} keys
 * @property {number} d
 * @property {number} width  of the values
 * @property {number} sequence  the one followed, from 0; -1 where the batch is empty
 * @property {number} query  the one whose row sums are counted, from 0; -1 where there is none
 * @property {Record<Stage, Matrices>} stages
 * @property {Matrices} plain  the output by a plain matrix product, where 0 times NaN is NaN
 * @property {(b: number, i: number, j: number) => boolean} kept  dropout's toss
 * @property {(b: number, i: number) => boolean} empty  the query keeps no key
 * @property {Record<'weights' | 'pooled', (b: number, i: number) => number>} sums  of the rows, before and after dropout
 * @property {'none' | 'sequence' | 'query'} given  how the valid lengths were given
 * @property {number} rate  p
 * @property {boolean} training
 * @property {boolean} identity  the values are identity matrices, whatever the table says
 * @property {boolean} drops  dropout is at work
 */

/**
 * @param {Result} result
 * @returns {Flow}
 */
export function readFlow(result) {
  const { params } = result;
  const matrices = (/** @type {string} */ name) => {
    const { shape } = result.series[name];
    const data = series(result, name);
    return { shape, at: (/** @type {number} */ b, /** @type {number} */ i, /** @type {number} */ j) => data[(b * shape[1] + i) * shape[2] + j] };
  };
  const stages = /** @type {Record<Stage, Matrices>} */ (Object.fromEntries(STAGES.map((name) => [name, matrices(name)])));
  const [batch, queries, d] = stages.queries.shape;
  const [, keys, width] = stages.values.shape;
  const toss = matrices('kept');
  const empties = series(result, 'empty_rows');
  const ofRow = (/** @type {string} */ name) => {
    const data = series(result, name);
    return (/** @type {number} */ b, /** @type {number} */ i) => data[b * queries + i];
  };
  const rate = numeric(result, 'dropout');
  const training = params.training === true;
  return {
    batch, queries, keys, d, width, stages, plain: matrices('plain_output'), rate, training, identity: params.identity === true, drops: training && rate > 0,
    sequence: batch === 0 ? -1 : Math.min(batch, numeric(result, 'sequence')) - 1,
    query: batch === 0 || queries === 0 ? -1 : Math.min(queries, numeric(result, 'row')) - 1,
    kept: (b, i, j) => toss.at(b, i, j) === 1,
    empty: (b, i) => empties[b * queries + i] === 1,
    sums: { weights: ofRow('sum_expected'), pooled: ofRow('pooled_sums') },
    given: givenAs(String(params.lens)),
  };
}

/** A key that this query may attend to. @param {Flow} flow @param {number} b @param {number} i @param {number} j */
export const isOpen = ({ stages }, b, i, j) => stages.allowed.at(b, i, j) === 1;

/** A key that some query of the sequence may attend to. @param {Flow} flow @param {number} b @param {number} j */
export const isSeen = (flow, b, j) => Array.from({ length: flow.queries }, (_, i) => i).some((i) => isOpen(flow, b, i, j));

/** A key whose value some query of the sequence reads. @param {Flow} flow @param {number} b @param {number} j */
export const isRead = (flow, b, j) => Array.from({ length: flow.queries }, (_, i) => i).some((i) => flow.stages.pooled.at(b, i, j) !== 0);

/** How many keys a query keeps. @param {Flow} flow @param {number} b @param {number} i */
export const openKeys = (flow, b, i) => Array.from({ length: flow.keys }, (_, j) => j).filter((j) => isOpen(flow, b, i, j)).length;

/** `(2, 1, 10)`. @param {ArrayLike<number>} shape */
export const shapeText = (shape) => `(${Array.from(shape).join(', ')})`;

/** A rate or another number of the reader's own, in its own digits. @param {number} given */
export const ownText = (given) => String(given).replace('-', '−');

/**
 * @typedef {object} Sums  the sums of the chosen row after dropout, over many draws
 * @property {number} draws
 * @property {number} mean
 * @property {number} meanError  one standard error
 * @property {number} variance
 * @property {number} varianceError
 * @property {number} predicted  variance
 * @property {number} squares  sum of the squared weights
 * @property {number[]} edges  of the histogram, one more than counts
 * @property {number[]} counts
 * @property {number[]} exact  counts to expect; none where they are not known
 * @property {number[]} oneHot  counts of a row with one key
 * @property {number} oneHotKept  the weight of the one key where it is kept
 * @property {number} zeroShare  of draws in which the one key is dropped
 * @property {number} zeroError  its standard error, as p gives it
 */

/**
 * @param {Result} result
 * @param {Flow} flow
 * @returns {Sums | null} null where there is no row
 */
export function readSums(result, { sequence, query, queries }) {
  if (sequence < 0 || query < 0) return null;
  const row = sequence * queries + query;
  const of = (/** @type {string} */ name) => series(result, name)[row];
  return {
    draws: numeric(result, 'draws'), mean: of('sum_mean'), meanError: of('sum_mean_se'), variance: of('sum_variance'), varianceError: of('sum_variance_se'),
    predicted: of('predicted_variance'), squares: of('sum_squares'), edges: series(result, 'histogram_edges'), counts: series(result, 'histogram'),
    exact: series(result, 'histogram_exact'), oneHot: series(result, 'histogram_one_hot'), oneHotKept: value(result, 'one_hot_kept'),
    zeroShare: value(result, 'one_hot_zero_share'), zeroError: value(result, 'one_hot_zero_se'),
  };
}

/**
 * @typedef {object} Shapes  of the checker
 * @property {number[]} left
 * @property {number[]} right
 * @property {boolean} fits
 * @property {number[]} product  none where the two do not fit
 * @property {string} said  then, in the framework's words, why
 */

/**
 * @param {Result} result
 * @returns {Shapes}
 */
export function readShapes(result) {
  const sizes = (/** @type {string} */ key) => String(result.params[key]).split(',').map(Number);
  return { left: sizes('left'), right: sizes('right'), fits: value(result, 'product_ok') === 1, product: series(result, 'product_sizes'), said: words(result, 'product_shape')[0] };
}

/**
 * Entries of a matrix that are not finite numbers, by sequence, row and column.
 * @param {Flow} flow
 * @param {Stage} stage
 * @returns {Array<{b: number, i: number, j: number}>}
 */
export const notFinite = ({ stages }, stage) => notFiniteIn(stages[stage]);

/** @param {Matrices} matrices */
export function notFiniteIn({ shape: [batch, rows, columns], at }) {
  const found = [];
  for (let b = 0; b < batch; b++) for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) if (!Number.isFinite(at(b, i, j))) found.push({ b, i, j });
  return found;
}

/**
 * A sum of weights: `1` where it is one in three decimals and so told, `0` only for zero.
 * @param {number} sum
 */
export const sumText = (sum) => (sum === 0 ? '0' : fixed(sum, 3));
