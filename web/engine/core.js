/**
 * The core as JavaScript functions: values in, values out, an AttentionError for bad input. A thin skin over the Embind module,
 * which checks every argument itself (cpp/bindings takes them unconverted); here answers are unwrapped and options nobody knows are
 * refused. What a function or a getter of the caller's throws it throws as it is. It computes nothing. Scores and weights are row-major (batch, queries, keys); entropies of attentionStats are in nats.
 *
 * @import * as T from './types.js'
 */
import * as read from './core-values.js';
import { AttentionError, errorValue } from './errors.js';
import { knownOptions } from './fast-checks.js';

/**
 * @typedef {object} Core
 * @property {() => T.Registry} describe
 *   The registry: every study with its parameters, series, presets and claims.
 * @property {(id: string, params?: Record<string, T.ParameterValue | undefined>, progress?: T.Progress) => T.StudyResult} run
 *   Runs a study. Pure: the same parameters give the same bits as the native library. Missing parameters take their defaults.
 *   `progress` is told the share done while a long run goes on, before `run` returns; what it throws ends the run. It may run studies itself.
 *   Errors: unknown_study; unknown_parameter, wrong_type, not_an_integer, out_of_range, unknown_choice, wrong_shape naming the parameter.
 * @property {(id: string, params?: Record<string, T.ParameterValue | undefined>) => T.Repaired} repair
 *   The nearest valid parameters, from typed values or URL text, and what was changed. Errors: unknown_study; wrong_type for what is no parameter value.
 * @property {(id: string, params?: Record<string, T.ParameterValue | undefined>, progress?: T.Progress) => T.Settled} settle
 *   `repair`, then `run`.
 * @property {() => T.Exercise[]} exercises
 *   The exercises that the pages ask, with what may be answered; no solutions.
 * @property {(part: string, answer: string) => T.Verdict} checkAnswer
 *   Whether an answer to a part ("5.2") is right, and in words what else it is. Errors: unknown_choice naming `part`; wrong_type,
 *   unknown_choice, wrong_shape, out_of_range for an answer that cannot be read, naming the entry and what is allowed.
 * @property {(scores: T.FloatArray, shape: readonly number[], options?: T.MaskedSoftmaxOptions) => T.MaskedSoftmaxResult} maskedSoftmax
 *   Softmax over the last axis of scores (batch, queries, keys) among the keys that `validLens`, `mask`, `expression` or `bias` allows (one of them).
 *   With an expression or a bias the scores may also be (batch, heads, queries, keys). A bias is added to the scores; where it is at or below
 *   the lowest finite value of `biasDtype` it excludes the key.
 *   A masked weight is exactly 0 whatever its score; a row that keeps no key is all zeros and is listed in `emptyRows`.
 *   Errors: wrong_type, wrong_shape, too_large, not_an_integer, out_of_range naming the argument, the entry and the range;
 *   unknown_parameter for an option that does not exist.
 * @property {(masks: readonly T.Mask[]) => T.ComposedMask} composeMasks
 *   The logical AND of masks of three axes that broadcast to one another, keys last. Errors: as above, naming masks[i].
 * @property {(options: T.AttentionStatsOptions) => T.AttentionStats} attentionStats
 *   Means over `numQueries` random queries against `numKeys` random keys of dimension d, with standard errors.
 *   Errors: wrong_type, not_an_integer, out_of_range, too_large, unknown_parameter naming the option.
 * @property {(request: T.ArrayRequest) => Float32Array[]} randomArrays
 *   A framework's random arrays: `calls` of generator "torch" (rand, randn) go on from one another as in a notebook, those of
 *   "jax" (uniform, normal) each start from key(seed). Errors: unknown_choice, wrong_type, not_an_integer, out_of_range,
 *   too_large naming the entry; a dtype other than float32 is refused.
 * @property {(text: string) => T.ParsedMask} parseMask
 *   Reads a mask expression, `causal & window(2) & padding(6,3)`. Errors: syntax, out_of_range, wrong_shape, with `at`, the character from 0.
 * @property {(text: string, sizes: T.MaskSizes) => {data: Uint8Array, shape: number[]}} maskCells
 *   Its cells, 1 where the query may attend to the key; (batch, heads, queries, keys) with 1 on axes it does not depend on.
 * @property {(text: string, sizes: T.MaskSizes) => T.MaskReport} maskReport
 *   Empty rows and why, density, what each term alone excludes, lengths or not, memory; nothing of queries x keys is written out.
 * @property {(text: string, sizes: T.MaskSizes, framework: T.MaskFramework) => string} maskCode
 *   Lines that make the same mask in another library.
 * @property {(text: string, sizes: T.MaskSizes, options?: {dtype?: T.BiasDtype, fill?: 'lowest' | '-infinity'}) => {data: Float32Array, shape: number[]}} additiveBias
 *   0 where allowed, the fill elsewhere.
 * @property {(text: string, sizes: T.MaskSizes) => {data: Float64Array, shape: number[]}} validLensOf
 *   Valid lengths that say the same. Error: wrong_shape naming the first row that no length expresses.
 * @property {(rule: T.ScoreRule, queries: T.TensorInput, keys: T.TensorInput) => T.TensorValue} scores
 *   Scores (batch, n, m) of queries (batch, n, d_q) with keys (batch, m, d_k). All tensors of a call are Float32Arrays or all Float64Arrays.
 *   Errors: wrong_type, unknown_choice, unknown_parameter, out_of_range; wrong_shape naming both shapes and the axis; too_large.
 * @property {(a: T.TensorInput, b: T.TensorInput) => T.TensorValue} batchMatmul
 *   One product an example, (batch, n, k) by (batch, k, m). Error: wrong_shape, ending with what PyTorch says.
 * @property {(queries: T.TensorInput, keys: T.TensorInput, values: T.TensorInput, options?: T.AttentionOptions) => {output: T.TensorValue, weights: T.TensorValue, pooledWeights: T.TensorValue}} attention
 *   Scores, masked softmax, dropout and the weighted sum of values (batch, m, v): the output (batch, n, v), the weights before dropout and those after it.
 *   A masked or dropped key's value never reaches the output, NaN and infinity included; a query without any key gets zeros.
 * @property {(values: T.TensorInput, options: T.DropoutOptions) => T.TensorValue} dropout
 *   Kept elements divided by 1 - rate, the others 0, by a framework's own tosses.
 * @property {(rule: T.ScoreRule, queries: T.TensorInput, keys: T.TensorInput, upstream: T.TensorInput) => {queries: T.TensorValue, keys: T.TensorValue, parameters: Record<string, T.TensorValue>}} scoresGradient
 *   Gradients of the sum of upstream times scores; Float64Arrays alone, as in the two below.
 * @property {(weights: T.TensorInput, upstream: T.TensorInput) => T.TensorValue} softmaxGradient
 *   Gradient with respect to the scores, from the weights: diag(w) - w w^T applied to each upstream row.
 * @property {(queries: T.TensorInput, keys: T.TensorInput, values: T.TensorInput, upstream: T.TensorInput, options?: T.AttentionOptions) => {queries: T.TensorValue, keys: T.TensorValue, values: T.TensorValue, parameters: Record<string, T.TensorValue>}} attentionGradient
 *   Gradients of the sum of upstream times the output of the attention with these options, its mask and tosses included.
 */

/**
 * Unwraps {ok, ...}: the value, or the error thrown.
 * @param {any} answer
 */
function valueOf(answer) {
  if (!answer.ok) throw AttentionError.from(answer.error);
  const { ok, ...value } = answer;
  return value;
}

/** What the module answers, or as an AttentionError what has stopped it. @template R @param {() => R} call @returns {R} */
function called(call) {
  try {
    return call();
  } catch (thrown) {
    throw AttentionError.from(errorValue(thrown));
  }
}

const softmaxOptions = ['validLens', 'validLensShape', 'mask', 'maskShape', 'expression', 'bias', 'biasShape', 'biasDtype'];

/**
 * @param {T.EmbindModule} module
 * @returns {Core}
 */
export function createCore(module) {
  const { plain, tensor } = read;
  /** @param {keyof T.EmbindModule} name @param {unknown[]} given read already */
  const ask = (name, ...given) => valueOf(called(() => /** @type {any} */ (module)[name](...given)));
  /** @type {Core} */
  const core = {
    // the module of the exercises runs no study
    describe: () => (module.describe ? JSON.parse(called(() => module.describe())) : { version: '', studies: [] }),
    run(id, params = {}, progress) {
      const { tell, thrown } = read.listener(progress);
      const given = read.params(params, 'params');
      const study = plain(id, 'study');
      const answer = called(() => module.run(study, given, tell));
      if (thrown.length > 0) throw thrown[0];
      return valueOf(answer);
    },
    repair: (id, params = {}) => ask('repair', plain(id, 'study'), read.params(params, 'params')),
    settle(id, params, progress) {
      const { params: repaired, notices } = core.repair(id, params);
      return { result: core.run(id, repaired, progress), notices };
    },
    exercises: () => JSON.parse(called(() => module.exercises())),
    checkAnswer: (part, answer) => ask('checkAnswer', read.text(part, 'part', '"5.2"'), read.text(answer, 'answer', '"0.25"')),
    maskedSoftmax(scores, shape, options = {}) {
      knownOptions(options, softmaxOptions);
      return ask('maskedSoftmax', plain(scores, 'scores'), plain(shape, 'scores.shape'), read.softmaxOptions(options, 'options'));
    },
    composeMasks: (masks) => ask('composeMasks', read.masks(masks, 'masks')),
    attentionStats: (options) => ask('attentionStats', read.statsOptions(options, 'options')),
    randomArrays: (request) => ask('randomArrays', read.arrayRequest(request, 'request')).arrays,
    parseMask: (text) => ask('parseMask', plain(text, 'text')),
    maskCells: (text, sizes) => ask('maskCells', plain(text, 'text'), read.maskSizes(sizes, 'sizes')),
    maskReport: (text, sizes) => JSON.parse(ask('maskReport', plain(text, 'text'), read.maskSizes(sizes, 'sizes')).report),
    maskCode: (text, sizes, framework) => ask('maskCode', plain(text, 'text'), read.maskSizes(sizes, 'sizes'), plain(framework, 'framework')).code,
    additiveBias: (text, sizes, options) => ask('additiveBias', plain(text, 'text'), read.maskSizes(sizes, 'sizes'), read.biasOptions(options, 'options')),
    validLensOf: (text, sizes) => ask('validLensOf', plain(text, 'text'), read.maskSizes(sizes, 'sizes')),
    scores: (rule, queries, keys) => ask('scores', read.rule(rule, 'rule'), tensor(queries, 'queries'), tensor(keys, 'keys')).tensor,
    batchMatmul: (a, b) => ask('batchMatmul', tensor(a, 'a'), tensor(b, 'b')).tensor,
    attention: (queries, keys, given, options) => ask('attention', tensor(queries, 'queries'), tensor(keys, 'keys'), tensor(given, 'values'), read.attentionOptions(options, 'options')),
    dropout: (given, options) => ask('dropout', tensor(given, 'values'), read.dropout(options, 'options')).tensor,
    scoresGradient: (rule, queries, keys, upstream) => ask('scoresGradient', read.rule(rule, 'rule'), tensor(queries, 'queries'), tensor(keys, 'keys'), tensor(upstream, 'upstream')),
    softmaxGradient: (weights, upstream) => ask('softmaxGradient', tensor(weights, 'weights'), tensor(upstream, 'upstream')).tensor,
    attentionGradient: (queries, keys, given, upstream, options) =>
      ask('attentionGradient', tensor(queries, 'queries'), tensor(keys, 'keys'), tensor(given, 'values'), tensor(upstream, 'upstream'), read.attentionOptions(options, 'options')),
  };
  return core;
}
