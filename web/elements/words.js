/**
 * Words of the elements that no study declares: what a reader is told when the numbers cannot be computed here (the static picture
 * stays), where they are computed, and how frameworks write their own names.
 *
 * @import { ErrorValue } from '../engine/types.js'
 * @import { RungKind } from '../engine/ladder.js'
 */

import { shorten } from './state.js';

/** @param {ErrorValue} error @returns {string} */
export const cannotCompute = (error) => `This figure stands still: ${lowerFirst(error.message)}${/[.!?]$/.test(error.message) ? '' : '.'}`;

/** Said after it: the picture was made before anything was asked. @param {string} asked the state that the address asks for, `d=8&keys=16`, or '' */
export const atFirstSetting = (asked) => ` It is shown at its first setting${asked === '' ? '' : `, whatever the address asks for (${shorten(asked)})`}.`;

/** @param {string} text */
const lowerFirst = (text) => (/^[A-Z][a-z]+ /.test(text) ? text[0].toLowerCase() + text.slice(1) : text);

/** @param {RungKind | undefined} kind */
export const whereComputed = (kind) => (kind === undefined ? '' : kind === 'main-thread' ? 'computed here, in the page' : 'computed here, in a worker');

/** @type {Record<string, string>} */
const frameworks = {
  jax: 'JAX', torch: 'PyTorch', pytorch: 'PyTorch', 'pytorch-mha': 'MultiheadAttention', 'pytorch-flex': 'FlexAttention', keras: 'Keras', numpy: 'NumPy',
};

/** Fills and rows of the number formats and the section's examples, which have short ids. @type {Record<string, string>} */
const signs = { '-infinity': '−∞', 'two-lowest': '2 × lowest', 'one-key': 'one key', masked: 'none left', 'by-each': 'by each', 'section-1': 'first example', 'section-2': 'second example' };

/** A choice as it is written on its segment: frameworks by their own names, numbers with a true minus, everything else as declared. @param {string} choice */
export const choiceName = (choice) => frameworks[choice] ?? signs[choice] ?? choice.replace(/^-(?=\d)/, '−');

/** The language of a result's code. @param {string} generator a value of the parameter */
export const frameworkName = (generator) => frameworks[generator] ?? (generator === 'both' ? 'JAX and PyTorch' : 'code');
