// npm run bench: builds the site if need be and measures in Chromium: the site (bench/page.mjs), and the fast kernels against their peers and the limit
// (bench/kernels.mjs). Prints tables and writes build/bench.json and build/bench.svg. It asserts no time.
//   npm run bench -- [--only page|kernels] [--quick] [--workloads a1,g] [--implementations ours,jax-js]; --help says which names there are
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { benchOptions, usage } from './bench/options.mjs';
import { root, runMain } from './lib/run.mjs';
import { buildSite, ensureToolchain } from './lib/steps.mjs';

/** @typedef {() => Promise<import('playwright-core').Browser>} Launch */
/** @typedef {import('./bench/options.mjs').Options} Options */

/** What there is to measure: each returns the fields of build/bench.json that it fills. */
const parts = {
  page: async (/** @type {Launch} */ launch) => (await import('./bench/page.mjs')).benchPage(launch),
  kernels: async (/** @type {Launch} */ launch, /** @type {Options} */ options) => (await import('./bench/kernels.mjs')).benchKernels(launch, options),
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
  const { only, help, ...options } = benchOptions(process.argv.slice(2));
  if (help) {
    process.stdout.write(usage);
    return;
  }
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
  for (const name of /** @type {(keyof typeof parts)[]} */ (only)) fields = { ...fields, ...await parts[name](launch, options) };
  const machine = { cpu: cpus()[0]?.model ?? '', threads: availableParallelism(), node: process.version, chromium: version };
  writeFileSync(file, `${JSON.stringify({ ...fields, unit: 'ms', machine }, null, 2)}\n`);
  process.stdout.write(`\n${machine.cpu}, ${machine.threads} threads, Chromium ${machine.chromium}; written to build/bench.json\n`);
});
