/**
 * The shapes that cross from the C++ core to the page, as JSDoc types. No code: importing it costs nothing.
 * The values themselves (which studies, which parameters, which ranges) live in the C++ registry alone and arrive by `describe()`.
 *
 * @typedef {'integer'|'number'|'choice'|'flag'|'lengths'|'mask'|'list'|'numbers'} Kind
 *   An `integer` is a multiple of step above min; a `number` is any real in [min, max], and step is only how far a control moves.
 *   A `lengths` parameter is text: '2,3' one valid length per sequence, '1,3;2,4' one per query (a row is a sequence; a single row ends in ';'), '' none.
 *   It speaks of the parameters `batch`, `queries` and `keys` of the same study.
 *   A `numbers` parameter is a table of reals as text: '1,0.5;2,-1', a semicolon between rows, '' none. min and max bound every finite entry.
 *
 * @typedef {object} Parameter one declared parameter of a study
 * @property {string} key name in the URL and in `params`
 * @property {string} label
 * @property {string} [symbol]
 * @property {string} [unit]
 * @property {Kind} kind
 * @property {number} [min] of integers, numbers and the entries of tables
 * @property {number} [max] likewise
 * @property {number} [step] likewise
 * @property {'linear'|'log2'|'log10'} [scale] likewise
 * @property {boolean} [nonFinite] tables only: nan, inf and -inf are entries too
 * @property {boolean} [growable] tables only: rows may be added and taken away
 * @property {string} [rowName] tables only: what a row is, 'key'
 * @property {string[]} [columnNames] tables only: 'x', 'y'; numbered where there is none
 * @property {string[]} [choices] choices only
 * @property {ParameterValue} default
 * @property {string} [help]
 *
 * @typedef {number|string|boolean} ParameterValue
 * @typedef {Record<string, ParameterValue>} Params every key a declared one
 *
 * @typedef {object} SeriesDeclaration
 * @property {string} name
 * @property {string} unit
 * @property {string[]} axes
 * @property {'numbers'|'words'} values
 * @property {string} label
 *
 * @typedef {object} Preset
 * @property {string} id
 * @property {string} label
 * @property {Params} params
 * @property {string} note of a mistake: what goes wrong, in words; '' otherwise
 *
 * @typedef {object} Claim
 * @property {string} id
 * @property {string} sentence
 *
 * @typedef {object} Study
 * @property {string} id
 * @property {string} title
 * @property {string} summary
 * @property {Parameter[]} parameters
 * @property {SeriesDeclaration[]} series
 * @property {Preset[]} presets
 * @property {Claim[]} claims
 *
 * @typedef {object} Registry
 * @property {string} version
 * @property {Study[]} studies
 *
 * @typedef {object} Series
 * @property {string} unit
 * @property {number[]} shape
 * @property {Float64Array|string[]} data row-major; texts where the declaration says `words`
 *
 * @typedef {object} StudyResult
 * @property {string} study
 * @property {Params} params every parameter, as the study used it
 * @property {Record<string, Series>} series
 * @property {string} code the lines of PyTorch or JAX that make the same numbers; '' where there are none
 *
 * @callback Progress
 * @param {number} share of a long run that is done, 0 to 1
 * @returns {void}
 *
 * @typedef {object} Notice what `repair` changed, in words
 * @property {string} param
 * @property {string} message
 *
 * @typedef {object} Repaired
 * @property {Params} params
 * @property {Notice[]} notices
 *
 * @typedef {object} Settled a repaired state and its result
 * @property {StudyResult} result
 * @property {Notice[]} notices
 *
 * @typedef {'number'|'choice'|'several'|'matrix'} AnswerKind
 *
 * @typedef {object} ExercisePart one question; its answer is text: a number; the id of a choice; ids with commas or 'none'; rows with
 *   ';' of entries with ',', or of cells 0 and 1 without
 * @property {string} id
 * @property {string} ask the question in one sentence
 * @property {AnswerKind} kind
 * @property {string} [unit] numbers only
 * @property {string} [exact] numbers and entries: how exact, in words
 * @property {{id: string, label: string}[]} [choices]
 * @property {number} [rows] matrices only, as all that follows
 * @property {number} [columns]
 * @property {boolean} [cells] entries are 0 or 1
 * @property {number} [first] number of the first row and column
 * @property {string} [rowName]
 * @property {string} [columnName]
 * @property {string} [one] what 1 says of a row and a column: a query "may see" a key; '' for nothing
 *
 * @typedef {object} Exercise
 * @property {string} id
 * @property {string} title
 * @property {string} study whose page asks it
 * @property {ExercisePart[]} parts
 *
 * @typedef {object} Verdict
 * @property {string} part
 * @property {'right'|'close'|'wrong'} outcome
 * @property {string} words
 * @property {number[]} entries of a matrix: the wrong ones, row-major
 *
 * @typedef {object} ErrorValue
 * @property {string} code
 * @property {string} param the argument or parameter at fault, '' when there is none
 * @property {string} message
 * @property {number} [at] in a text that was read: the character at fault, counted from 0
 *
 * @typedef {Float32Array|Float64Array} FloatArray
 *
 * @typedef {object} TensorValue
 * @property {FloatArray} data row-major
 * @property {number[]} shape
 *
 * @typedef {{data: FloatArray, shape: readonly number[]}} TensorInput a TensorValue that is given, whose shape nobody changes
 *
 * @typedef {object} ScoreRuleOptions a scoring rule with its parameters; matrices are TensorValues of two axes, widened to double
 * @property {'dot' | 'scaled-dot' | 'gaussian' | 'bilinear' | 'low-rank' | 'additive' | 'cosine'} rule
 * @property {boolean} [scaled] gaussian: divide every term by the root of d; low-rank: divide by the root of the rank; default false
 * @property {boolean} [queryNorm] gaussian: keep the term of the query alone; default true
 * @property {TensorInput} [matrix] bilinear: M (d_q, d_k)
 * @property {boolean} [keysFirst] bilinear: Q (M K^T) instead of (Q M) K^T; default false
 * @property {TensorInput} [queryMap] low-rank: A (d_q, r); additive: W_q (h, d_q)
 * @property {TensorInput} [keyMap] low-rank: B (d_k, r); additive: W_k (h, d_k)
 * @property {TensorInput} [scoreVector] additive: w_v (h)
 * @property {'tanh' | 'identity'} [activation] additive; default tanh
 *
 * @typedef {ScoreRuleOptions | ScoreRuleOptions['rule']} ScoreRule
 *
 * @typedef {object} DropoutOptions
 * @property {number} rate in [0, 1)
 * @property {'jax' | 'torch'} [generator] whose tosses: flax.nnx.Dropout's or torch.nn.functional.dropout's on the CPU; default jax
 * @property {number} [seed] default 0; torch tosses from manual_seed(seed) on
 * @property {number} [call] of flax's layer, from 0; default 0
 * @property {boolean} [training] false leaves everything as it is; default true
 *
 * @typedef {object} AttentionOptions one of validLens, mask and expression, as in MaskedSoftmaxOptions
 * @property {ScoreRule} [rule] default scaled-dot
 * @property {ArrayLike<number>} [validLens]
 * @property {readonly number[]} [validLensShape]
 * @property {Uint8Array} [mask]
 * @property {readonly number[]} [maskShape]
 * @property {string} [expression]
 * @property {DropoutOptions} [dropout] default none
 *
 * @typedef {object} MaskedSoftmaxOptions one of validLens, mask, expression and bias (compose masks first)
 * @property {string} [expression] a mask expression
 * @property {Float32Array} [bias] added to the scores
 * @property {readonly number[]} [biasShape] three or four axes that broadcast to the shape of the scores
 * @property {BiasDtype} [biasDtype] the format whose lowest finite value excludes a key; default float32
 * @property {ArrayLike<number>} [validLens] whole numbers in 0..keys
 * @property {readonly number[]} [validLensShape] (batch), the default, or (batch, queries)
 * @property {Uint8Array} [mask] 0 = this query may not attend to this key, anything else = it may
 * @property {readonly number[]} [maskShape] three axes that broadcast to the shape of the scores
 *
 * @typedef {object} MaskedSoftmaxResult
 * @property {FloatArray} weights same type and shape as the scores
 * @property {number[]} shape
 * @property {Float64Array} emptyRows flat indices batch*queries + query of the rows that keep no key; with heads (batch*heads + head)*queries + query
 *
 * @typedef {object} Mask
 * @property {Uint8Array} data 0 is masked, anything else allowed
 * @property {readonly number[]} shape three axes
 *
 * @typedef {object} ComposedMask
 * @property {Uint8Array} data
 * @property {number[]} shape
 * @property {Float64Array} emptyRows flat indices of the rows (last axis: keys) that keep no key
 *
 * @typedef {'float32' | 'float16' | 'bfloat16'} BiasDtype
 * @typedef {'pytorch' | 'pytorch-mha' | 'pytorch-flex' | 'jax' | 'keras' | 'numpy'} MaskFramework
 *
 * @typedef {object} MaskSizes batch and heads default to what the expression asks for
 * @property {number} [batch]
 * @property {number} [heads]
 * @property {number} queries
 * @property {number} keys
 *
 * @typedef {object} ParsedMask
 * @property {string} text the canonical form
 * @property {string[]} sheets the operands of the top-level AND
 * @property {{batch: number, heads: number, queries: number, keys: number}} sizes 1 where any size fits
 *
 * @typedef {{batch: number, head: number, first: number, last: number}} QueryRun queries first..last, all counted from 0
 *
 * @typedef {object} SheetReport
 * @property {string} text
 * @property {number} allowedCells
 * @property {number} soleCells cells that this sheet alone excludes
 * @property {number} soleRows rows with such a cell
 * @property {QueryRun[]} soleRuns
 * @property {boolean | null} keepsSelf every query may attend to the key at its own index; null with more queries than keys
 *
 * @typedef {object} MaskReport
 * @property {Required<MaskSizes>} sizes
 * @property {Required<MaskSizes>} own the axes that runs speak of
 * @property {number} rows
 * @property {number} cells
 * @property {number} allowedCells
 * @property {number | null} density
 * @property {number} intervals runs of keys in all own rows together
 * @property {number} emptyRows
 * @property {(QueryRun & {reason: number})[]} emptyRuns
 * @property {{smallest: number[], involved: number[], text: string}[]} reasons sheets by index
 * @property {SheetReport[]} sheets
 * @property {boolean | null} keepsSelf
 * @property {{batch: number, query: number} | null} losesSelf
 * @property {boolean} prefix one prefix length a query says the same
 * @property {{batch: number, query: number} | null} notPrefix
 * @property {{lengths: number | null, boolean: number, bits: number, additiveFloat32: number, additiveFloat16: number}} bytes
 *
 * @typedef {object} AttentionStatsOptions
 * @property {number} d dimension of queries and keys
 * @property {number} [numKeys] default 64
 * @property {number} [numQueries] default 256
 * @property {boolean} [scaled] divide by the square root of d; default true
 * @property {number} [seed] default 0
 *
 * @typedef {object} AttentionStats means over the queries, each with its standard error
 * @property {number} entropy nats
 * @property {number} entropyStandardError nats
 * @property {number} jacobianNorm Frobenius norm
 * @property {number} jacobianNormStandardError
 * @property {number} scoreVariance
 * @property {number} scoreVarianceStandardError
 * @property {number} largestWeight
 * @property {number} largestWeightStandardError
 *
 * @typedef {object} EmbindModule the instance the Emscripten factory resolves to; every answer carries `ok`. The module of a group of
 *   studies holds describe, run and repair alone, that of the exercises exercises and checkAnswer; the functions on arrays are attn.mjs's
 * @property {() => string} describe
 * @property {(id: string, params: Record<string, ParameterValue | undefined>, progress: Progress | undefined) => any} run
 * @property {(id: string, params: Record<string, ParameterValue | undefined>) => any} repair
 * @property {() => string} exercises
 * @property {(part: string, answer: string) => any} checkAnswer
 * @property {(scores: FloatArray, shape: readonly number[], options: MaskedSoftmaxOptions) => any} maskedSoftmax
 * @property {(masks: readonly Mask[]) => any} composeMasks
 * @property {(options: AttentionStatsOptions) => any} attentionStats
 * @property {(request: ArrayRequest) => any} randomArrays
 * @property {(text: string) => any} parseMask
 * @property {(text: string, sizes: MaskSizes) => any} maskCells
 * @property {(text: string, sizes: MaskSizes) => any} maskReport
 * @property {(text: string, sizes: MaskSizes, framework: string) => any} maskCode
 * @property {(text: string, sizes: MaskSizes, options: object | undefined) => any} additiveBias
 * @property {(text: string, sizes: MaskSizes) => any} validLensOf
 * @property {(rule: ScoreRule, queries: TensorInput, keys: TensorInput) => any} scores
 * @property {(a: TensorInput, b: TensorInput) => any} batchMatmul
 * @property {(queries: TensorInput, keys: TensorInput, values: TensorInput, options: AttentionOptions | undefined) => any} attention
 * @property {(values: TensorInput, options: DropoutOptions) => any} dropout
 * @property {(rule: ScoreRule, queries: TensorInput, keys: TensorInput, upstream: TensorInput) => any} scoresGradient
 * @property {(weights: TensorInput, upstream: TensorInput) => any} softmaxGradient
 * @property {(queries: TensorInput, keys: TensorInput, values: TensorInput, upstream: TensorInput, options: AttentionOptions | undefined) => any} attentionGradient
 *
 * @typedef {(moduleArguments: object) => Promise<EmbindModule>} ModuleFactory default export of attn.mjs and of attn-<group>.mjs
 */

/**
 * @typedef {object} ArrayRequest
 * @property {'jax' | 'torch'} generator
 * @property {number} seed jax: 0 to 2^32 - 1; torch: negative ones too, of which the low 32 bits count
 * @property {readonly {call: 'uniform' | 'normal' | 'rand' | 'randn', shape: readonly number[], dtype?: 'float32'}[]} calls
 */
export {};
