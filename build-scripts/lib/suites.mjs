// The suites of `npm test`: each runs one thing and counts what passed and failed. A suite that runs no test has
// failed; so has one whose runner exits with an error, whatever it counted.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { checkHouse } from '../house.mjs';
import { checkLayers } from '../layers.mjs';
import { weigh } from '../sizes.mjs';
import { findingText } from './files.mjs';
import { collect, log, root } from './run.mjs';
import { buildEnvironment, buildPreset, siteFolder } from './steps.mjs';

/** @typedef {{passed: number, failed: number, skipped: number}} Counts */

const wasmDir = join(root, 'build/wasm-release');

/** @param {string} file */
const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '');

/** @param {string} text @param {RegExp} pattern first group: the number */
const number = (text, pattern) => Number(pattern.exec(text)?.[1] ?? 0);

/** A runner's output without its lines on what went well. @param {string} output */
const troubles = (output) =>
  output
    .split('\n')
    .filter((line) => !/^\s*Start +\d+: |\.\. +Passed +[\d.]+ sec|^\s*✔ /.test(line))
    .join('\n')
    .trimEnd();

/**
 * Makes a runner's exit status count when its own figures tell of no failure.
 * @param {Counts} counts @param {import('./run.mjs').RunResult} result @returns {Counts}
 */
function settle(counts, { code, output }) {
  const failed = counts.failed === 0 && code !== 0 ? 1 : counts.failed;
  if (failed > 0) log(troubles(output));
  return { ...counts, failed };
}

/**
 * Builds a preset and runs its tests.
 * @param {string} preset
 * @param {{selection?: string[], targets?: string[]}} [options] arguments of ctest; what to build, if not all
 * @returns {Promise<Counts>}
 */
async function runCtest(preset, { selection = [], targets } = {}) {
  await buildPreset(preset, { warningsAreErrors: true, targets });
  const report = join(root, 'build', preset, 'ctest.xml');
  rmSync(report, { force: true });
  const args = ['--preset', preset, '-j', '2', '--output-junit', report, ...selection];
  const result = await collect(`${preset}: test`, 'ctest', args, { env: buildEnvironment() });
  const [head] = /<testsuite\b[^>]*>/.exec(read(report)) ?? [''];
  const failed = number(head, /\bfailures="(\d+)"/);
  const skipped = number(head, /\bskipped="(\d+)"/) + number(head, /\bdisabled="(\d+)"/);
  const passed = number(head, /\btests="(\d+)"/) - failed - skipped;
  return settle({ passed, failed, skipped }, result);
}

/**
 * A preset whose ctests run many cases each: their Catch2 reports, `catch2*.xml`, count the cases. A run that broke off leaves no figure there, and fails.
 * @param {string} preset
 * @param {string[]} [targets]
 * @returns {Promise<Counts>}
 */
async function runCatch(preset, targets) {
  const folder = join(root, 'build', preset);
  const reports = () => (existsSync(folder) ? readdirSync(folder) : []).filter((name) => /^catch2.*\.xml$/.test(name)).map((name) => join(folder, name));
  for (const report of reports()) rmSync(report);
  const ctest = await runCtest(preset, { targets });
  const cases = reports().map((report) => /<OverallResultsCases\b[^>]*>/.exec(read(report))?.[0] ?? '');
  /** @param {RegExp} pattern */
  const sum = (pattern) => cases.reduce((total, text) => total + number(text, pattern), 0);
  return {
    passed: sum(/\bsuccesses="(\d+)"/),
    failed: Math.max(ctest.failed, sum(/\bfailures="(\d+)"/)),
    skipped: sum(/\bskips="(\d+)"/),
  };
}

/** Test files at a time: Node leaves a core idle, of two the half. Most files wait, for a worker or for a page. */
const atOnce = Math.max(2, availableParallelism() - 1);

/**
 * Runs the test files of a folder with Node's test runner.
 * @param {string} name @param {string} folder @returns {Promise<Counts>}
 */
async function runNode(name, folder) {
  const files = readdirSync(join(root, folder)).filter((file) => file.endsWith('.test.js')).sort();
  if (files.length === 0) return { passed: 0, failed: 0, skipped: 0 };
  const report = join(root, 'build/test-results', `${name}.tap`);
  mkdirSync(dirname(report), { recursive: true });
  rmSync(report, { force: true });
  const result = await collect(name, process.execPath, [
    '--test',
    `--test-concurrency=${atOnce}`,
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=tap',
    `--test-reporter-destination=${report}`,
    ...files.map((file) => join(folder, file)),
  ]);
  // The totals stand in the last lines; a test's own output may look like them.
  const totals = read(report).slice(-400);
  /** @param {string} what */
  const total = (what) => number(totals, new RegExp(`^# ${what} (\\d+)$`, 'm'));
  return settle(
    { passed: total('pass'), failed: total('fail') + total('cancelled'), skipped: total('skipped') + total('todo') },
    result,
  );
}

/** The pages in Chromium, and the ledger's also over its module without SIMD. @returns {Promise<Counts>} */
async function runBrowser() {
  await buildPreset('wasm-release', { warningsAreErrors: true, targets: ['attn_wasm_scalar', 'attn_wasm_print_scalar'] });
  return runNode('browser', 'tests/browser');
}

/** Layers, house rules and types. @returns {Promise<Counts>} */
async function runCheck() {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const [name, check] of /** @type {const} */ ([['layers', checkLayers], ['house rules', checkHouse]])) {
    const { findings, files } = check(root);
    for (const finding of findings) log(findingText(finding));
    const ok = findings.length === 0 && files > 0;
    if (!ok) log(`${name}: ${findings.length} findings in ${files} files`);
    counts[ok ? 'passed' : 'failed'] += 1;
  }
  const types = await collect('types', process.execPath, [
    join(root, 'node_modules/typescript/bin/tsc'),
    '--project',
    join(root, 'build-scripts/tsconfig.json'),
  ]);
  if (types.code !== 0) log(types.output.trimEnd());
  counts[types.code === 0 ? 'passed' : 'failed'] += 1;
  return counts;
}

/** Budgets in bytes. @returns {Promise<Counts>} */
async function runSizes() {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { what, bytes, budget } of await weigh({ wasmDir, site: siteFolder })) {
    const ok = bytes <= budget;
    log(`  ${what}: ${bytes} of ${budget} bytes, brotli${ok ? '' : ': too heavy'}`);
    counts[ok ? 'passed' : 'failed'] += 1;
  }
  return counts;
}

/**
 * @typedef {object} Suite
 * @property {string} name
 * @property {string} what one line
 * @property {('native' | 'wasm' | 'browser' | 'packages' | 'site')[]} needs
 * @property {() => Promise<Counts>} run
 * @property {'C++' | 'pages'} [beside] runs when those without have run, beside suites of the other kind; no two of the two kinds run in one folder of
 *   build/ but wasm-release, where steps.mjs lets one build wait for another
 */

/** In the order of the table. @type {Suite[]} */
export const suites = [
  { name: 'check', what: 'layers, house rules, types', needs: ['packages'], run: runCheck },
  { name: 'native', what: 'C++ tests', needs: ['native'], run: () => runCtest('native-release', { selection: ['-E', '^(consumer$|scalar:)'] }) },
  { name: 'consumer', what: 'find_package from an empty folder', needs: ['native'], run: () => runCtest('native-release', { selection: ['-R', '^consumer$'] }) },
  { name: 'asan', what: 'C++ tests, sanitised', needs: ['native'], beside: 'C++', run: () => runCatch('native-asan') },
  { name: 'scalar', what: 'C++ tests without SIMD', needs: ['native'], run: () => runCtest('native-release', { selection: ['-R', '^scalar:'] }) },
  { name: 'wasm', what: 'C++ tests as WebAssembly', needs: ['wasm', 'packages'], beside: 'C++', run: () => runCatch('wasm-release', ['attn_tests', 'attn_tests_relaxed']) },
  { name: 'unit', what: 'JavaScript tests', needs: ['site', 'native'], beside: 'pages', run: () => runNode('unit', 'tests/web') },
  { name: 'browser', what: 'pages in Chromium', needs: ['site', 'browser'], beside: 'pages', run: runBrowser },
  { name: 'sizes', what: 'weight of module and pages', needs: ['site', 'browser'], beside: 'pages', run: runSizes },
];

