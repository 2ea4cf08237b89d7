// npm run bench: builds the site if need be and measures in Chromium; `-- --only page` the site (bench/page.mjs). Prints tables and writes
// build/bench.json. It asserts no time.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, runMain, StepError } from './lib/run.mjs';
import { buildSite, ensureToolchain } from './lib/steps.mjs';

/** What there is to measure: the function that does it and the fields that it fills. */
const parts = {
  page: async (/** @type {any} */ launch) => (await import('./bench/page.mjs')).benchPage(launch),
};

/** What the last run wrote, so that a run of one part keeps the other's figures. @param {string} file */
function before(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

await runMain(async () => {
  const { values } = parseArgs({ options: { only: { type: 'string' } } });
  const only = values.only?.split(',') ?? Object.keys(parts);
  const unknown = only.filter((name) => !Object.hasOwn(parts, name));
  if (unknown.length > 0) throw new StepError(`nothing is called '${unknown.join("', '")}'; there are: ${Object.keys(parts).join(', ')}`);
  await buildSite();
  await ensureToolchain('browser');
  const { chromium } = await import('playwright-core');
  const { chromiumOptions } = await import('./lib/chromium.mjs');
  /** @type {string | undefined} */
  let version;
  const launch = async () => {
    const browser = await chromium.launch(chromiumOptions());
    version = browser.version();
    return browser;
  };
  const file = join(root, 'build/bench.json');
  mkdirSync(join(root, 'build'), { recursive: true });
  let fields = before(file);
  for (const name of /** @type {(keyof typeof parts)[]} */ (only)) fields = { ...fields, ...await parts[name](launch) };
  const machine = { cpu: cpus()[0]?.model ?? '', threads: availableParallelism(), node: process.version, chromium: version };
  writeFileSync(file, `${JSON.stringify({ ...fields, unit: 'ms', machine }, null, 2)}\n`);
  process.stdout.write(`\n${machine.cpu}, ${machine.threads} threads, Chromium ${machine.chromium}; written to build/bench.json\n`);
});
