// npm test: everything that is checked, in one command; the exit status is 0 only when all of it passed.
//   npm test -- --only native,unit    some suites, while developing
// stderr tells the progress and what failed; stdout ends with a table and the line 'N passed, N failed'.
import { parseArgs } from 'node:util';
import { log, runMain, seconds, StepError } from './lib/run.mjs';
import { buildSite, checkNode, ensurePackages, ensureToolchain } from './lib/steps.mjs';

/** @typedef {import('./lib/suites.mjs').Suite} Suite */
/** @typedef {{name: string, what: string, passed: number, failed: number, skipped: number, seconds: number}} Row */

/** The values of --only, or nothing. */
function chosenNames() {
  try {
    const { values } = parseArgs({ options: { only: { type: 'string', multiple: true } } });
    return values.only?.flatMap((text) => text.split(',')).filter((name) => name !== '');
  } catch (error) {
    throw new StepError(`${error instanceof Error ? error.message : error}\nUsage: npm test -- [--only SUITE,SUITE...]`);
  }
}

/** @param {Row[]} rows */
function printTable(rows) {
  /** @param {(string | number)[]} cells */
  const line = ([name, what, passed, failed, skipped, time]) =>
    `${String(name).padEnd(10)}${String(what).padEnd(36)}${[passed, failed, skipped].map((cell) => String(cell).padStart(8)).join('')}${String(time).padStart(9)}\n`;
  process.stdout.write('\n' + line(['suite', '', 'passed', 'failed', 'skipped', 'seconds']));
  for (const row of rows) {
    process.stdout.write(line([row.name, row.what, row.passed, row.failed, row.skipped, row.seconds.toFixed(1)]));
  }
}

/** @param {Suite} suite @returns {Promise<Row>} */
async function runSuite(suite) {
  const start = performance.now();
  log(`\n${suite.name}: ${suite.what}`);
  let counts;
  try {
    counts = await suite.run();
  } catch (error) {
    log(error instanceof StepError ? error.message : String(error instanceof Error ? error.stack : error));
    counts = { passed: 0, failed: 1, skipped: 0 };
  }
  if (counts.passed + counts.failed === 0) {
    log(`${suite.name}: no test ran`);
    counts = { ...counts, failed: 1 };
  }
  log(`${suite.name}: ${counts.passed} passed, ${counts.failed} failed, in ${seconds(start)}`);
  return { name: suite.name, what: suite.what, ...counts, seconds: (performance.now() - start) / 1000 };
}

await runMain(async () => {
  checkNode();
  const names = chosenNames();
  await ensurePackages();
  // Only now may modules be loaded that need npm packages.
  const { suites } = await import('./lib/suites.mjs');
  const unknown = names?.filter((name) => !suites.some((suite) => suite.name === name)) ?? [];
  if (unknown.length > 0) {
    throw new StepError(`no suite '${unknown.join("', '")}'; there are: ${suites.map(({ name }) => name).join(', ')}`);
  }
  const chosen = suites.filter(({ name }) => !names || names.includes(name));
  const needs = new Set(chosen.flatMap((suite) => suite.needs));

  const start = performance.now();
  const wasm = needs.has('wasm') || needs.has('site');
  if (wasm && needs.has('browser')) await ensureToolchain('all');
  else {
    if (wasm) await ensureToolchain('wasm');
    if (needs.has('native')) await ensureToolchain('native');
    if (needs.has('browser')) await ensureToolchain('browser');
  }
  log(`toolchain: ready in ${seconds(start)}`);

  /** @type {Map<string, Row>} */
  const done = new Map();
  let siteIsBuilt = false;
  /** @param {Suite[]} several one after the other */
  const runAll = async (several) => {
    for (const suite of several) {
      const run = async () => {
        if (suite.needs.includes('site') && !siteIsBuilt) await buildSite();
        siteIsBuilt ||= suite.needs.includes('site');
        return suite.run();
      };
      done.set(suite.name, await runSuite({ ...suite, run }));
    }
  };
  // Neither a browser nor the end of a suite fills the cores.
  await runAll(chosen.filter(({ beside }) => beside === undefined));
  await Promise.all(/** @type {const} */ (['C++', 'pages']).map((lane) => runAll(chosen.filter(({ beside }) => beside === lane))));

  const rows = chosen.flatMap(({ name }) => done.get(name) ?? []);
  printTable(rows);
  /** @param {'passed' | 'failed' | 'skipped'} what */
  const sum = (what) => rows.reduce((total, row) => total + row[what], 0);
  const skipped = sum('skipped');
  process.stdout.write(`\n${sum('passed')} passed, ${sum('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
  return sum('failed') === 0 && rows.length > 0 ? 0 : 1;
});
