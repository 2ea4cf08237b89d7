/**
 * What a reader is told when the numbers cannot be computed here. The static picture stays; these sentences say so.
 *
 * @import { ErrorValue } from '../engine/types.js'
 * @import { RungKind } from '../engine/ladder.js'
 */

/** @param {ErrorValue} error @returns {string} */
export const cannotCompute = (error) => `This figure stands still: ${lowerFirst(error.message)}${/[.!?]$/.test(error.message) ? '' : '.'}`;

/** @param {string} text */
const lowerFirst = (text) => (/^[A-Z][a-z]+ /.test(text) ? text[0].toLowerCase() + text.slice(1) : text);

/** @param {RungKind | undefined} kind */
export const whereComputed = (kind) => (kind === undefined ? '' : kind === 'main-thread' ? 'computed here, in the page' : 'computed here, in a worker');
