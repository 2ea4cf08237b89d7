/**
 * The series of "Additive scoring" as a model: pairs of a query and a key, hidden units, the fall of the rows' difference with epsilon,
 * and what the rules cost.
 *
 * Reading alone: every number is the core's. Indices count from 0; the parameters `query` and `key` count from 1.
 */

import { numeric, series, value, words } from './read.js';

/** @typedef {import('../../chart/types.js').Result} Result */

/**
 * @typedef {object} Pairs
 * @property {number} queries
 * @property {number} keys
 * @property {number} hidden  units
 * @property {number} query  chosen
 * @property {number} key  chosen
 * @property {number} epsilon
 * @property {boolean} tanh  or the identity
 * @property {boolean} torch  whose numbers; else JAX's
 * @property {number} difference  largest, between the weight rows
 * @property {(q: number, k: number) => string} print  the weight as the framework prints it, where its roundings are known
 * @property {boolean} asPrinted  whether they are
 * @property {(q: number, k: number) => number} weight
 * @property {(q: number, k: number) => number} score
 * @property {(k: number, u: number) => number} stands  the key's part of what enters a unit
 * @property {(q: number, u: number) => number} shift  the query's part
 * @property {(q: number, k: number, u: number) => number} gives  a unit's contribution to the score
 * @property {number[]} x  where the curves are known: a key's part
 * @property {(q: number, u: number) => number[]} curve  a unit's contribution along x, with this query
 */

/** @param {Result} result @returns {Pairs} */
export function readPairs(result) {
  const [queries, keys, hidden, query, key, epsilon] = ['queries', 'keys', 'hidden', 'query', 'key', 'epsilon'].map((name) => numeric(result, name));
  const of = Object.fromEntries(['weights', 'scores', 'key_parts', 'query_parts', 'contributions', 'hidden_curves', 'hidden_curve_x'].map((name) => [name, series(result, name)]));
  const x = of.hidden_curve_x;
  const texts = words(result, 'weights_text');
  return {
    queries, keys, hidden, query: query - 1, key: key - 1, epsilon, x,
    tanh: result.params.activation === 'tanh', torch: result.params.generator === 'torch', difference: value(result, 'row_difference'),
    print: (q, k) => texts[q * keys + k], asPrinted: value(result, 'as_printed') === 1,
    weight: (q, k) => of.weights[q * keys + k],
    score: (q, k) => of.scores[q * keys + k],
    stands: (k, u) => of.key_parts[k * hidden + u],
    shift: (q, u) => of.query_parts[q * hidden + u],
    gives: (q, k, u) => of.contributions[(q * keys + k) * hidden + u],
    curve: (q, u) => of.hidden_curves.slice((q * hidden + u) * x.length, (q * hidden + u + 1) * x.length),
  };
}

/**
 * @typedef {object} Fall
 * @property {number[]} eps
 * @property {number[]} difference  between the rows, with tanh, at each epsilon
 * @property {number[]} predicted  the line of the predicted slope
 * @property {number} slope  fitted
 * @property {[number, number]} fitted  from which epsilon to which
 * @property {number} predictedSlope
 * @property {number} identity  the difference that the identity leaves
 * @property {Array<{eps: number, difference: number, power: number | null}>} asked  the factors of the exercise; the power from the one before
 */

/** @param {Result} result @returns {Fall} */
export function readFall(result) {
  const [from, to] = series(result, 'fit_range');
  const [differences, slopes] = ['asked_difference', 'asked_slopes'].map((name) => series(result, name));
  return {
    asked: series(result, 'asked_eps').map((eps, i) => ({ eps, difference: differences[i], power: i === 0 ? null : slopes[i - 1] })),
    eps: series(result, 'eps'), difference: series(result, 'eps_difference'), predicted: series(result, 'predicted_line'), slope: value(result, 'fitted_slope'),
    fitted: [from, to], predictedSlope: value(result, 'predicted_slope'), identity: value(result, 'identity_difference'),
  };
}

/**
 * @typedef {object} Costs
 * @property {string[]} rules
 * @property {number[]} parameters
 * @property {number[]} operations
 * @property {number[]} intermediate  numbers in the largest tensor between inputs and weights
 * @property {string[][]} formulas  of the three, rule by rule
 * @property {string[]} orders  of the two products of the bilinear rule
 * @property {number[]} orderOperations
 * @property {number} cheaper  index of an order
 * @property {number} rank  of the factored rule
 */

/** @param {Result} result @returns {Costs} */
export function readCosts(result) {
  const [rules, formulas] = ['rule_names', 'cost_formulas'].map((name) => words(result, name));
  return {
    rules, parameters: series(result, 'parameters'), operations: series(result, 'operations'), intermediate: series(result, 'largest_intermediate'),
    formulas: rules.map((_, i) => formulas.slice(3 * i, 3 * i + 3)), orders: words(result, 'order_names'), orderOperations: series(result, 'order_operations'),
    cheaper: value(result, 'cheaper'), rank: numeric(result, 'rank'),
  };
}

/**
 * @typedef {object} Ranks
 * @property {number} rank  chosen
 * @property {number[]} ranks
 * @property {number[]} parameters  of the factors, at each rank
 * @property {number} at  of the factors, at the chosen rank
 * @property {number} full  parameters of one matrix
 * @property {number} even  the rank, not always whole, at which both have as many
 * @property {number} factor  that replaces 1 / sqrt(d)
 * @property {number[]} measured  ranks whose variance is drawn
 * @property {Spread[]} plain  variance of the factored score at those ranks
 * @property {Spread[]} divided  the same of the score times the factor
 * @property {Spread} plainAt  at the chosen rank
 * @property {Spread} dividedAt
 * @property {number} draws
 *
 * @typedef {{variance: number, error: number}} Spread  a sample variance and its standard error
 */

/** @param {Result} result @returns {Ranks} */
export function readRanks(result) {
  const spread = (/** @type {string} */ name) => {
    const errors = series(result, `${name}_se`);
    return series(result, name).map((variance, i) => ({ variance, error: errors[i] }));
  };
  return {
    rank: numeric(result, 'rank'), ranks: series(result, 'ranks'), parameters: series(result, 'rank_parameters'), at: value(result, 'low_rank_parameters'), full: value(result, 'bilinear_parameters'),
    even: value(result, 'break_even_rank'), factor: value(result, 'score_factor'), measured: series(result, 'variance_ranks'), plain: spread('rank_variance'), divided: spread('rank_variance_scaled'),
    plainAt: spread('score_variance')[0], dividedAt: spread('scaled_variance')[0], draws: value(result, 'variance_draws'),
  };
}
