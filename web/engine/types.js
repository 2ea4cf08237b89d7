/**
 * The shapes that cross from the C++ core to the page, as JSDoc types. No code: importing it costs nothing.
 * The values themselves (which studies, which parameters, which ranges) live in the C++ registry alone and arrive by `describe()`.
 *
 * @typedef {'integer'|'choice'|'flag'|'lengths'} Kind
 *   A `lengths` parameter is text: '2,3' one valid length per sequence, '1,3;2,4' one per query (a row is a sequence; a single row ends in ';'), '' none.
 *   It speaks of the parameters `batch`, `queries` and `keys` of the same study.
 *
 * @typedef {object} Parameter one declared parameter of a study
 * @property {string} key name in the URL and in `params`
 * @property {string} label
 * @property {string} [symbol]
 * @property {string} [unit]
 * @property {Kind} kind
 * @property {number} [min] integers only
 * @property {number} [max] integers only
 * @property {number} [step] integers only
 * @property {'linear'|'log2'} [scale] integers only
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
 * @typedef {object} ErrorValue
 * @property {string} code
 * @property {string} param the argument or parameter at fault, '' when there is none
 * @property {string} message
 *
 * @typedef {Float32Array|Float64Array} FloatArray
 *
 * @typedef {object} MaskedSoftmaxOptions validLens or mask, not both (compose masks first)
 * @property {ArrayLike<number>} [validLens] whole numbers in 0..keys
 * @property {number[]} [validLensShape] (batch), the default, or (batch, queries)
 * @property {Uint8Array} [mask] 0 = this query may not attend to this key, anything else = it may
 * @property {number[]} [maskShape] three axes that broadcast to the shape of the scores
 *
 * @typedef {object} MaskedSoftmaxResult
 * @property {FloatArray} weights same type and shape as the scores
 * @property {number[]} shape
 * @property {Float64Array} emptyRows flat indices batch*queries + query of the rows that keep no key
 *
 * @typedef {object} Mask
 * @property {Uint8Array} data 0 is masked, anything else allowed
 * @property {number[]} shape three axes
 *
 * @typedef {object} ComposedMask
 * @property {Uint8Array} data
 * @property {number[]} shape
 * @property {Float64Array} emptyRows flat indices of the rows (last axis: keys) that keep no key
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
 * @typedef {object} EmbindModule the instance the Emscripten factory resolves to; every answer carries `ok`
 * @property {() => string} describe
 * @property {(id: string, params: Record<string, ParameterValue | undefined>, progress: Progress | undefined) => any} run
 * @property {(id: string, params: Record<string, ParameterValue | undefined>) => any} repair
 * @property {(scores: FloatArray, shape: number[], options: MaskedSoftmaxOptions) => any} maskedSoftmax
 * @property {(masks: Mask[]) => any} composeMasks
 * @property {(options: AttentionStatsOptions) => any} attentionStats
 * @property {(request: ArrayRequest) => any} randomArrays
 *
 * @typedef {(moduleArguments: object) => Promise<EmbindModule>} ModuleFactory default export of attn.mjs
 */

/**
 * @typedef {object} ArrayRequest
 * @property {'jax' | 'torch'} generator
 * @property {number} seed jax: 0 to 2^32 - 1; torch: negative ones too, of which the low 32 bits count
 * @property {{call: 'uniform' | 'normal' | 'rand' | 'randn', shape: number[], dtype?: 'float32'}[]} calls
 */
export {};
