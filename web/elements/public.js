/**
 * What a program may use of the elements, as types: the attributes' properties, what is on show, the events. No code. The element's own class has more
 * than that; define.js holds it to these.
 *
 * @import { ErrorValue, Params, Study, StudyResult, Verdict } from '../engine/types.js'
 *
 * @typedef {object} PlateProperties
 * @property {string | undefined} study which plate
 * @property {string | undefined} theme 'light', 'dark' or 'auto'
 * @property {string | undefined} base folder of the files that go with the elements; default: beside their script
 * @property {Params} params every parameter as the controls show it; set some of them to change the plate
 * @property {Study | null} declaration of the study on show, read only, as those below
 * @property {StudyResult | null} result on show
 * @property {'simd' | 'relaxed' | null} build of the fast kernels that has measured this machine last
 * @property {Promise<boolean>} updateComplete settled when what was set is drawn or asked for
 *
 * @typedef {HTMLElement & PlateProperties} AttentionPlateElement
 * @typedef {{new (): AttentionPlateElement, readonly studies: string[]}} AttentionPlateConstructor `studies`: ids of all that have a plate
 *
 * @typedef {object} PlateEvents they bubble out of shadow roots, the last one only in the document
 * @property {CustomEvent<null>} plate-ready
 * @property {CustomEvent<{params: Params}>} plate-change
 * @property {CustomEvent<ErrorValue>} plate-error
 * @property {CustomEvent<{part: string, outcome: Verdict['outcome']}>} exercise-verdict
 */
export {};
