// The most memory that a page's process ever had, by implementation: the resident set's high water mark that Linux keeps for the renderer, in a
// browser that did nothing else. Empty on other systems.
import { readFileSync } from 'node:fs';
import { longWorkload } from '../../tests/bench/kernels/workloads.js';

/** What runs: an empty page to compare with, g by everyone who gets that far, on two threads (workers are in the page's process) and four times its length by ours. */
const cases = [
  { what: 'empty page', id: '', name: '', every: 1 },
  { what: 'g: ours', id: 'g', name: 'ours', every: 64 },
  { what: 'g: ours (2 workers)', id: 'g', name: 'ours (2 workers)', every: 64 },
  { what: 'g: onnxruntime-web', id: 'g', name: 'onnxruntime-web', every: 64 },
  { what: 'g: TensorFlow.js', id: 'g', name: 'TensorFlow.js', every: 64 },
  { what: 'g: jax-js', id: 'g', name: 'jax-js', every: 64 },
  { what: `${longWorkload.title}: ours`, id: longWorkload.id, name: 'ours', every: 256 },
];

/** Peak resident set of a process, MiB; 0 where the system keeps none. @param {number} pid */
function peakOf(pid) {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/**
 * @param {() => Promise<import('playwright-core').Browser>} launch
 * @param {string} url of the server
 * @param {import('../../tests/bench/kernels/page.js').Addresses} addresses
 * @param {string[]} implementations that were asked for; an empty page is measured to compare with
 * @returns {Promise<{what: string, mebibytes: number, error: number | null}[]>}
 */
export async function measureMemory(launch, url, addresses, implementations) {
  if (process.platform !== 'linux') return [];
  const out = [];
  for (const { what, id, name, every } of cases.filter(({ name }) => name === '' || implementations.includes(name.replace(/ \(\d workers\)$/, '')))) {
    const browser = await launch();
    try {
      const page = await browser.newPage();
      await page.goto(url);
      const module = `${url}kernels.js`;
      /** @type {string} */
      const problem = id === '' ? '' : await page.evaluate(async ([from, request]) => (await import(/** @type {string} */ (from))).computeOnce(request), /** @type {[string, any]} */ ([module, { id, name, addresses }]));
      const session = await browser.newBrowserCDPSession();
      const { processInfo } = await session.send('SystemInfo.getProcessInfo');
      // Chromium keeps a spare renderer; the page's is the larger one
      const mebibytes = Math.max(...processInfo.filter(({ type }) => type === 'renderer').map(({ id: pid }) => peakOf(pid)));
      // only now, for the reference needs memory too
      const error = id === '' || problem !== '' ? null : await page.evaluate(async ([from, request]) => (await import(/** @type {string} */ (from))).errorOfLast(request), /** @type {[string, any]} */ ([module, { every }]));
      out.push({ what: problem === '' ? what : `${what} (${problem})`, mebibytes, error });
    } finally {
      await browser.close();
    }
  }
  return out;
}
