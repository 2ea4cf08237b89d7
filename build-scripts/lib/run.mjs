// Runs commands for the build scripts: quiet while all is well, with a line of progress on stderr
// for steps that take long, and everything the command said when it fails. Node built-ins only.
import { spawn } from 'node:child_process';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root folder. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

const live = Boolean(process.stderr.isTTY);
const secondsBetweenLines = 10;

/** A command that takes longer hangs; on two slow cores the longest takes a tenth of it. */
const minutesAllowed = 20;

/** A line of progress. @param {string} text */
export function log(text) {
  process.stderr.write(`${live ? '\r\x1b[2K' : ''}${text}\n`);
}

/** A line that the next one overwrites; on a terminal only. @param {string} text */
function transient(text) {
  const width = process.stderr.columns ?? 80;
  process.stderr.write(`\r\x1b[2K${text.slice(0, width - 1)}`);
}

/** Seconds since `start` as text. @param {number} start milliseconds of performance.now() */
export function seconds(start) {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}

/** A failed step: its message is all that the user needs to see. */
export class StepError extends Error {}

/**
 * @typedef {object} RunResult
 * @property {number} code exit status, 128 + n after signal n is not distinguished: -1
 * @property {string} output stdout and stderr as they came
 * @property {number} milliseconds
 */

/**
 * Runs a command to its end and collects what it prints, showing its last line as progress.
 * @param {string} title shown before the progress
 * @param {string} command
 * @param {string[]} args
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv}} [options]
 * @returns {Promise<RunResult>}
 */
export function collect(title, command, args, { cwd = root, env = process.env } = {}) {
  const start = performance.now();
  return new Promise((done, fail) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: minutesAllowed * 60_000 });
    let output = '';
    let shown = start;
    /** @param {string} chunk */
    const take = (chunk) => {
      output += chunk;
      const last = chunk.trimEnd().split('\n').at(-1)?.trim();
      if (!last) return;
      if (live) {
        transient(`  ${title}: ${last}`);
      } else if (performance.now() - shown > secondsBetweenLines * 1000) {
        shown = performance.now();
        log(`  ${title}, ${seconds(start)}: ${last.slice(0, 120)}`);
      }
    };
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', take);
    }
    child.on('error', (error) => fail(new StepError(`${title}: cannot run ${command}: ${error.message}`)));
    child.on('close', (code) => {
      if (live) process.stderr.write('\r\x1b[2K');
      if (performance.now() - start >= minutesAllowed * 60_000) output += `\n${title}: stopped after ${minutesAllowed} minutes\n`;
      done({ code: code ?? -1, output, milliseconds: performance.now() - start });
    });
  });
}

/**
 * Like `collect`, and throws with everything the command printed when it fails.
 * @param {string} title
 * @param {string} command
 * @param {string[]} args
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv}} [options]
 */
export async function step(title, command, args, options) {
  const result = await collect(title, command, args, options);
  if (result.code !== 0) {
    throw new StepError(`${result.output.trimEnd()}\n\n${title}: '${command} ${args.join(' ')}' failed (exit ${result.code})`);
  }
  return result;
}

/**
 * Runs a command that speaks to the user itself; its stdout goes to our stderr, so that a script's
 * own stdout stays clean.
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<number>} exit status
 */
export function show(command, args) {
  return new Promise((done, fail) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
    child.on('error', (error) => fail(new StepError(`cannot run ${command}: ${error.message}`)));
    child.on('close', (code) => done(code ?? -1));
  });
}

/**
 * Runs a script's main function: a StepError is printed as it is and ends with status 1.
 * @param {() => Promise<number | void>} main
 */
export async function runMain(main) {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    log(error.message);
    process.exitCode = 1;
  }
}
