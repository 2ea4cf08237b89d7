// What `npm run bench` may be asked for: the names there are, the words of --help, and arguments read against both, before anything is built. Pure.
import { parseArgs } from 'node:util';
import { workloads as all } from '../../tests/bench/kernels/workloads.js';
import { StepError } from '../lib/run.mjs';

/** @typedef {{quick?: boolean, workloads?: string[], implementations?: string[]}} Options of the kernels' part */

/** Ours in the form that others are compared with: the best build that runs here, on tensors in its memory. */
export const ours = 'ours';
/** The build without relaxed SIMD, and arrays copied in and out. */
export const variants = ['ours (simd)', 'ours (copied)'];
export const everybody = [ours, ...variants, 'onnxruntime-web', 'TensorFlow.js', 'jax-js', 'plain JavaScript'];

/** What each list may name. */
const names = { only: ['page', 'kernels'], workloads: all.map(({ id }) => id), implementations: everybody };

export const usage = `Usage: npm run bench -- [options]
  --only NAME,NAME             what is measured: ${names.only.join(', ')}; both without it
  --workloads ID,ID            of the kernels, without it all:
${all.map(({ id, title }) => `                                 ${id.padEnd(4)}${title}\n`).join('')}  --implementations NAME,NAME  of the kernels, without it all; quoted, as some names have spaces:
${everybody.map((name) => `                                 ${name}\n`).join('')}  --quick                      fewer and shorter rounds of the kernels
  --help                       this text
`;

/**
 * @param {string[]} args as they follow the command
 * @returns {Options & {only: string[], help: boolean}} lists without repeated names; `only` in its own order
 */
export function benchOptions(args) {
  try {
    const text = { type: /** @type {const} */ ('string') };
    const flag = { type: /** @type {const} */ ('boolean') };
    const { values } = parseArgs({ args, options: { only: text, quick: flag, workloads: text, implementations: text, help: { ...flag, short: 'h' } } });
    const [only, workloads, implementations] = /** @type {const} */ (['only', 'workloads', 'implementations']).map((option) => listed(option, values[option]));
    return { only: only ?? names.only, quick: values.quick, workloads, implementations, help: values.help ?? false };
  } catch (error) {
    throw error instanceof StepError ? error : new StepError(`${error instanceof Error ? error.message : error}\n${usage}`);
  }
}

/** @param {keyof typeof names} option @param {string | undefined} given */
function listed(option, given) {
  if (given === undefined) return undefined;
  const found = [...new Set(given.split(',').map((name) => name.trim()))];
  const unknown = found.filter((name) => !names[option].includes(name));
  if (unknown.length > 0) throw new StepError(`--${option}: nothing is called '${unknown.join("', '")}'; there are: ${names[option].join(', ')}`);
  return found;
}
