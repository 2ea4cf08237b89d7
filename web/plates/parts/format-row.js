/**
 * A result of the study "precision", read once into named values for the figures and the words: the chosen row step by step, the row in
 * every format with every fill, and the three layers.
 *
 * Nothing is computed here but places in arrays; which keys are open and what became of the mask is the core's to say.
 */

import { series, value, words } from './read.js';

/** @typedef {import('../../chart/types.js').Result} Result */
/** @typedef {'exact' | 'leak' | 'uniform' | 'wrong' | 'NaN'} Verdict */

/**
 * @typedef {object} Row
 * @property {string} name  choice of the parameter `row`
 * @property {string} dtype  format of scores, fill and weights
 * @property {string} accumulate  format of the softmax
 * @property {boolean} additive
 * @property {string} fill  choice of the parameter
 * @property {boolean} zeroing
 * @property {number[]} scores  one a key, as all that follow
 * @property {boolean[]} term1  the first term leaves the key
 * @property {boolean[]} term2
 * @property {boolean[]} allowed
 * @property {number[]} bias1  NaN where nothing is added
 * @property {number[]} bias2
 * @property {number[]} filled  scores after masking
 * @property {number[]} difference
 * @property {number[]} exponential
 * @property {number[]} weights
 * @property {number[]} exact  weights of the masked softmax in double
 * @property {number} rowMax
 * @property {number} sum
 * @property {number} leak  weight on excluded keys
 * @property {number} error  largest distance of an allowed weight from the exact one
 * @property {number} fillValue  after rounding
 * @property {string} outcome  the core's words
 * @property {Verdict} verdict
 * @property {boolean} empty  no key is left
 * @property {boolean} zeroed  the final zeroing made the row what it is
 */

/**
 * @typedef {object} Every  the row in every format with every fill
 * @property {string[]} dtypes
 * @property {string[]} fills
 * @property {(dtype: number, fill: number) => {outcome: string, verdict: Verdict, leak: number, fill: number}} cell
 */

/**
 * @typedef {object} Layers
 * @property {number} stages  the input and what each layer gives
 * @property {number} positions
 * @property {(way: number, stage: number, position: number) => number[]} values  way 0: plain arithmetic, 1: the core
 * @property {(way: number, layer: number, query: number, key: number) => number} weight
 */

/**
 * What kind of outcome the core's words name.
 * @param {string} outcome
 * @returns {Verdict}
 */
export function verdictOf(outcome) {
  if (outcome === 'exact' || outcome === 'NaN') return outcome;
  return outcome.startsWith('uniform') ? 'uniform' : outcome.startsWith('wrong') ? 'wrong' : 'leak';
}

/**
 * @param {Result} result
 * @returns {Row}
 */
export function readRow(result) {
  const { params } = result;
  const numbers = (/** @type {string} */ name) => series(result, name);
  const flags = (/** @type {string} */ name) => series(result, name).map((each) => each === 1);
  const allowed = flags('allowed');
  const outcome = words(result, 'outcome')[0];
  const empty = !allowed.includes(true);
  const zeroing = params.zeroing === true;
  return {
    name: String(params.row), dtype: String(params.dtype), accumulate: String(params.accumulate), additive: params.way === 'additive', fill: String(params.fill), zeroing,
    scores: numbers('scores'), term1: flags('term1'), term2: flags('term2'), allowed, bias1: numbers('bias1'), bias2: numbers('bias2'), filled: numbers('filled'),
    difference: numbers('difference'), exponential: numbers('exponential'), weights: numbers('weights'), exact: numbers('exact_weights'),
    rowMax: value(result, 'row_max'), sum: value(result, 'sum'), leak: value(result, 'leak'), error: value(result, 'error'), fillValue: value(result, 'fill_value'),
    outcome, verdict: verdictOf(outcome), empty, zeroed: empty && zeroing,
  };
}

/**
 * @param {Result} result
 * @returns {Every}
 */
export function readEvery(result) {
  const [outcomes, dtypes, fills] = ['table_outcome', 'dtype_names', 'fill_names'].map((name) => words(result, name));
  const [leaks, values] = ['table_leak', 'table_fill'].map((name) => series(result, name));
  return {
    dtypes, fills,
    cell: (dtype, fill) => {
      const at = dtype * fills.length + fill;
      return { outcome: outcomes[at], verdict: verdictOf(outcomes[at]), leak: leaks[at], fill: values[at] };
    },
  };
}

/**
 * @param {Result} result
 * @returns {Layers}
 */
export function readLayers(result) {
  const [, stages, positions, width] = result.series.layer_values.shape;
  const values = series(result, 'layer_values');
  const weights = series(result, 'layer_weights');
  return {
    stages, positions,
    values: (way, stage, position) => {
      const from = ((way * stages + stage) * positions + position) * width;
      return values.slice(from, from + width);
    },
    weight: (way, layer, query, key) => weights[((way * (stages - 1) + layer) * positions + query) * positions + key],
  };
}
