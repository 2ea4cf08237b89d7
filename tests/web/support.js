/**
 * What the JavaScript tests share: the real core in Node, seeded draws, waiting. No test here.
 *
 * @import { Core } from '../../web/engine/core.js'
 * @import { Parameter, ParameterValue, Study } from '../../web/engine/types.js'
 */
import assert from 'node:assert/strict';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createCore } from '../../web/engine/core.js';
import { parseTable, tableText } from '../../web/elements/number-text.js';
import { joined, kindsFor } from '../../web/elements/mask-words.js';
import { AttentionError } from '../../web/engine/errors.js';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const wasmDir = `${root}build/wasm-release`;

/** A fresh instance of the module that the site ships. @returns {Promise<Core>} */
export async function loadCore() {
  const { default: createModule } = await import(pathToFileURL(`${wasmDir}/attn.mjs`).href);
  return createCore(await createModule());
}

/** Of studies that simulate, settings with fewer runs: for tests of what their number cannot change. @type {Record<string, Record<string, ParameterValue>>} */
export const brief = { ledger: { runs: 40 }, seeds: { count: 40 } };

/**
 * Draws from an explicit seed (mulberry32): whole numbers from 0 to below n.
 * @param {number} seed
 */
export function drawsFrom(seed) {
  let state = seed >>> 0;
  return (/** @type {number} */ n) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * n);
  };
}

/**
 * @param {Study} study
 * @param {string} key
 * @returns {Parameter}
 */
export function parameterOf(study, key) {
  const parameter = study.parameters.find((each) => each.key === key);
  assert.ok(parameter, `${study.id} declares ${key}`);
  return parameter;
}

/**
 * Valid values for every parameter of a study, from its declaration.
 * @param {Study} study
 * @param {(n: number) => number} draw
 * @returns {Record<string, ParameterValue>}
 */
export function anyParams(study, draw) {
  /** @type {Record<string, ParameterValue>} */
  const params = {};
  for (const { key, kind, min = 0, max = 0, step = 1, choices = [], default: initial } of study.parameters) {
    if (kind === 'integer') params[key] = min + step * draw(Math.floor((max - min) / step) + 1);
    // hundredths, so that both languages write them alike
    const real = () => Math.min(max, Math.max(min, Math.round(100 * min + draw(1001) * 0.1 * (max - min)) / 100)) + 0;
    if (kind === 'number') params[key] = real();
    // of the default's shape, which other parameters may ask for
    if (kind === 'numbers') params[key] = initial === '' ? '' : tableText(parseTable(String(initial)).map((row) => row.map(() => String(step === 1 ? Math.round(real()) : real()))));
    if (kind === 'choice') params[key] = choices[draw(choices.length)];
    if (kind === 'flag') params[key] = draw(2) === 1;
  }
  // one of the queries or keys, or a number of them; a table has one a row
  const amount = (/** @type {ParameterValue} */ all) => (typeof all === 'string' ? parseTable(all).length : Number(all));
  for (const [one, all] of [['k', 'keys'], ['key', 'keys'], ['query', 'queries']]) if (typeof params[one] === 'number' && params[all] !== undefined) params[one] = Math.min(Number(params[one]), amount(params[all]));
  const sizes = { queries: Number(params.queries), keys: Number(params.keys) };
  for (const { key, kind, default: initial } of study.parameters) {
    if (kind === 'list') params[key] = '';
    if (kind !== 'mask') continue;
    const offered = kindsFor(sizes);
    const sheets = Array.from({ length: 1 + draw(3) }, () => offered[draw(offered.length)].first(sizes));
    params[key] = initial === '' && draw(2) === 0 ? '' : joined(sheets);
    // these terms ask for one sequence and one head
    Object.assign(params, { sequence: 1, head: 1 });
  }
  for (const { key, kind } of study.parameters) {
    if (kind !== 'lengths') continue;
    const [batch, queries, keys] = ['batch', 'queries', 'keys'].map((name) => Number(params[name]));
    const row = (/** @type {number} */ n) => Array.from({ length: n }, () => draw(keys + 1)).join(',');
    const perQuery = () => Array.from({ length: batch }, () => row(queries)).join(';') + (batch === 1 ? ';' : '');
    params[key] = [() => '', () => row(batch), perQuery][draw(3)]();
  }
  return params;
}

/**
 * @param {() => unknown} action
 * @param {{code: string, param: string, message?: RegExp}} expected
 */
export function refuses(action, { code, param, message = /./ }) {
  assert.throws(action, (thrown) => {
    assert.ok(thrown instanceof AttentionError, `an AttentionError, not ${thrown}`);
    assert.deepEqual({ code: thrown.code, param: thrown.param }, { code, param }, thrown.message);
    assert.match(thrown.message, message);
    return true;
  });
}

/** Lets everything that waits on settled promises run. */
export const turn = () => new Promise((resolve) => { setImmediate(resolve); });
