// `npm run bench -- --only kernels`: the fast kernels against what else computes attention in a browser tab, and against the limit of one thread
// there. A fresh browser a workload; all implementations of a workload in one page, taking turns (tests/bench/kernels). Prints a table a workload,
// writes build/bench.svg, and returns what goes into build/bench.json. It asserts no time.
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { maskExpression, usefulOperations, workloadOf, workloads } from '../../tests/bench/kernels/workloads.js';
import { log, root, seconds } from '../lib/run.mjs';
import { startServer } from '../serve.mjs';
import { measureMemory } from './memory.mjs';
import { everybody, ours, variants } from './options.mjs';
import { benchFolder, ensurePeers, familyOf, peersAmong, peerVersions, writeBenchSite } from './peers.mjs';
import { benchPicture } from './picture.mjs';
import { rateOf, rowsOf } from './statistics.mjs';
import { memoryTable, workloadTable } from './table.mjs';

/** @typedef {import('playwright-core').Browser} Browser */
/** @typedef {import('./statistics.mjs').Row} Row */

/** What tells a wrong mask or a wrong formula from float32: the former are off by tenths. */
const tolerance = 1e-4;

const plans = {
  full: { kernels: { batch: 20, warm: 300, budget: 2500, rounds: 21 }, limit: { rounds: 15, milliseconds: 40 } },
  quick: { kernels: { batch: 10, warm: 100, budget: 400, rounds: 7 }, limit: { rounds: 9, milliseconds: 20 } },
};

/** A processor's name without what every processor's name has. @param {string} model */
export const shortName = (model) => model.replace(/\((R|TM)\)|\bCPU\b|@.*$|\b\d+-Core Processor\b|\bProcessor\b/gi, '').replace(/\s+/g, ' ').trim();

const pictureFile = join(root, 'build/bench.svg');

/** The pages may load what this server has, compile WebAssembly, and make workers of their own text, as peers do; nothing of any other host. */
const policy = { 'Content-Security-Policy': "default-src 'self' data: blob:; script-src 'self' blob: 'unsafe-eval'" };

/** With these a page is cross-origin isolated: it may share memory between threads. */
const isolation = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };

/**
 * Calls a function of the page's module in a fresh browser.
 * @param {() => Promise<Browser>} launch @param {string} url of the server
 * @param {string} name @param {unknown} request
 * @returns {Promise<any>}
 */
async function inFreshPage(launch, url, name, request) {
  const browser = await launch();
  try {
    const page = await browser.newPage();
    await page.goto(url);
    return await page.evaluate(async ([module, called, argument]) => (await import(/** @type {string} */ (module)))[/** @type {string} */ (called)](argument), [`${url}kernels.js`, name, request]);
  } finally {
    await browser.close();
  }
}

/**
 * Who runs a workload: those that were asked for, or, of those that the workload has of its own, the same ones in other forms.
 * @param {Pick<import('../../tests/bench/kernels/workloads.js').Workload, 'names'>} workload @param {string[]} implementations
 */
export function runnersOf({ names }, implementations) {
  const families = new Set(implementations.map(familyOf));
  return names?.filter((name) => families.has(familyOf(name))) ?? implementations;
}

/** @param {() => Promise<Browser>} launch */
async function browserVersion(launch) {
  const browser = await launch();
  const version = browser.version();
  await browser.close();
  return version;
}

/** @param {string} url @param {Record<string, string>} paths @returns {any} */
const absolute = (url, paths) => Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, url + path]));

/**
 * @param {() => Promise<Browser>} launch
 * @param {import('./options.mjs').Options} [options] of names that there are
 */
export async function benchKernels(launch, { quick = false, implementations = everybody, ...options } = {}) {
  // two threads have implementations of their own: they are measured when everybody is, or when asked for
  const chosen = options.workloads ?? workloads.filter(({ isolated }) => !isolated || implementations === everybody).map(({ id }) => id);
  const peers = peersAmong(chosen.flatMap((id) => runnersOf(workloadOf(id), implementations)));
  await ensurePeers(peers);
  const paths = await writeBenchSite(peers);
  const plan = quick ? plans.quick : plans.full;
  const server = await startServer({ root: benchFolder, extraHeaders: policy });
  const isolated = await startServer({ root: benchFolder, extraHeaders: { ...policy, ...isolation } });
  try {
    const limit = await inFreshPage(launch, server.url, 'measureLimit', plan.limit);
    const most = Math.max(limit.simd, limit.relaxed);
    process.stdout.write(`\nlimit of one thread: ${(limit.simd / 1e9).toFixed(1)} GFLOP/s with SIMD, ${(limit.relaxed / 1e9).toFixed(1)} with relaxed SIMD\n`);
    /** @type {Row[]} */
    const rows = [];
    /** @type {Record<string, number>} operations a second, by workload */
    const limits = {};
    for (const id of chosen) {
      const start = performance.now();
      const workload = workloadOf(id);
      const { url } = workload.isolated ? isolated : server;
      const names = runnersOf(workload, implementations);
      // one thread's limit takes turns with everybody, where it is one thread that is measured and multiply-adds
      const operations = workload.isolated ? undefined : usefulOperations(workload);
      const limited = operations !== undefined;
      const { outcomes, limit: here } = await inFreshPage(launch, url, 'measureWorkload', { id, names, addresses: absolute(url, paths), plan: plan.kernels, tolerance, limited });
      const rate = here ? rateOf(here) : most;
      if (here) limits[id] = rate;
      const measured = rowsOf(id, outcomes, { ours, operations, limit: rate });
      rows.push(...measured);
      process.stdout.write(`\n${workloadTable(`${id}: ${workload.title}`, measured)}${here ? `  limit in the same rounds: ${(rate / 1e9).toFixed(1)} GFLOP/s\n` : ''}`);
      log(`bench: ${id} in ${seconds(start)}`);
    }
    const chromium = await browserVersion(launch);
    const where = [shortName(cpus()[0]?.model ?? ''), `Chromium ${chromium.split('.')[0]}`].filter(Boolean).join(' · ');
    const titles = Object.fromEntries(chosen.map((id) => [id, workloadOf(id).title]));
    const drawn = rows.filter(({ workload }) => !workloadOf(workload).isolated);
    writeFileSync(pictureFile, benchPicture(drawn, { ours, hidden: variants, limits, where, titles }));
    log(`bench: ${pictureFile} written`);
    const memory = chosen.includes('g') ? await measureMemory(launch, server.url, absolute(server.url, paths), implementations) : [];
    if (memory.length > 0) process.stdout.write(`\n${memoryTable(memory)}`);
    const described = chosen.map((id) => ({ ...workloadOf(id), mask: maskExpression(workloadOf(id)), operations: usefulOperations(workloadOf(id)) ?? null }));
    return { limit, limits, peers: peerVersions(peers), workloads: described, kernels: rows, memory };
  } finally {
    await server.close();
    await isolated.close();
  }
}
