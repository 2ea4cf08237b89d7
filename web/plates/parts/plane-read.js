/**
 * What the study of kernels found, read once: points, weights, fields and terms by name. No drawing; the only arithmetic is picking entries out of
 * series. Rules come in the study's order: Gaussian, dot product, scaled dot product.
 */

import { numeric, series, value } from './read.js';

/** @typedef {import('../../chart/types.js').Result} Result */
/** @typedef {{x: number, y: number}} Point */

/** A rule's name, its word in a narrow place, and its class: ink, red and blue. */
export const RULES = /** @type {const} */ ([
  { name: 'Gaussian', short: 'Gaussian', kind: 'neutral', formula: '−½|q − k|²' },
  { name: 'dot product', short: 'dot', kind: 'unscaled', formula: 'q·k' },
  { name: 'scaled dot product', short: 'scaled', kind: 'scaled', formula: 'q·k / √2' },
]);

/**
 * @typedef {object} Plane
 * @property {Point} query  after the move
 * @property {Point[]} keys
 * @property {Point} queryBefore  before it
 * @property {Point[]} keysBefore
 * @property {Point} queryGiven  as given or drawn, before norms are made equal
 * @property {Point[]} keysGiven
 * @property {number[]} norms
 * @property {boolean[]} undirected
 * @property {number[][]} weights  by rule
 * @property {number[][]} weightsBefore
 * @property {number[][]} scores
 * @property {number[]} movedBy  by rule: the largest change of a weight
 * @property {boolean[]} stays
 * @property {number[][]} terms  q·k, q·b_k, b_q·k, b_q·b_k, a value a key
 * @property {Point} queryBias
 * @property {Point} keyBias
 * @property {Point[]} gradient  by rule, for b_k
 * @property {ArrayLike<number>[]} fields  by rule
 * @property {number} side  cells of a field, each way
 * @property {number} extent  half the side of the square
 * @property {number[][]} matched  scaled Gaussian, scaled dot product
 * @property {number} most  from 0: the key on which those two part most
 * @property {number} chosen  from 0: the key of the fields
 * @property {string} move
 * @property {number} angle  degrees
 * @property {boolean} equal
 * @property {boolean} scaledGaussian
 */

/**
 * @param {Result} result
 * @returns {Plane}
 */
export function readPlane(result) {
  const points = (/** @type {string} */ name) => pairs(series(result, name));
  const keys = points('keys');
  const rows = (/** @type {string} */ name) => split(series(result, name), keys.length);
  const { data, shape } = result.series.field;
  const cells = shape[1] * shape[2];
  const [queryBias, keyBias] = points('biases');
  return {
    query: points('query')[0], keys, queryBefore: points('query_before')[0], keysBefore: points('keys_before'),
    queryGiven: points('query_given')[0], keysGiven: points('keys_given'),
    norms: series(result, 'norms'), undirected: series(result, 'undirected').map((each) => each === 1),
    weights: rows('weights'), weightsBefore: rows('weights_before'), scores: rows('scores'), movedBy: series(result, 'moved_by'), stays: series(result, 'stays').map((each) => each === 1),
    terms: rows('terms'), queryBias, keyBias, gradient: points('bias_gradient'),
    fields: RULES.map((_, rule) => part(/** @type {Float64Array | number[]} */ (data), rule * cells, cells)), side: shape[1], extent: value(result, 'extent'),
    matched: rows('matched'), most: value(result, 'most') - 1, chosen: numeric(result, 'key') - 1,
    move: String(result.params.move), angle: numeric(result, 'angle'), equal: result.params.equal_norms === true, scaledGaussian: result.params.gaussian === 'scaled',
  };
}

/** A share of a series without a copy of it, where there is a way. @param {Float64Array | number[]} data @param {number} from @param {number} count */
const part = (data, from, count) => (data instanceof Float64Array ? data.subarray(from, from + count) : data.slice(from, from + count));

/** @param {number[]} flat @returns {Point[]} */
const pairs = (flat) => Array.from({ length: flat.length / 2 }, (_, i) => ({ x: flat[2 * i], y: flat[2 * i + 1] }));

/** @param {number[]} flat @param {number} columns @returns {number[][]} */
const split = (flat, columns) => Array.from({ length: columns === 0 ? 0 : flat.length / columns }, (_, row) => flat.slice(row * columns, (row + 1) * columns));
