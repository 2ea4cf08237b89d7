// `npm run bench -- --only page`: the built site in one Chromium: from navigation to the first drawn chart, from slider input to redraw over 200
// moves of d, painting and dragging on a mask of 64 x 64, dragging the query and a key in the plane, one attentionStats of width 512, and normals a second of
// both generators against plain JavaScript. Prints tables; it asserts no time. What runs in the page is tests/bench/in-page.js.
import { join } from 'node:path';
import { dragPoint, moveSlider, paintCells, timeNormals, timeStats, watchFirstChart } from '../../tests/bench/in-page.js';
import { log, root } from '../lib/run.mjs';
import { siteFolder } from '../lib/steps.mjs';
import { startServer } from '../serve.mjs';

const navigations = 9;
const moves = 200;
const maskSize = 64;
/** Three sheets, a fourth by the brush, and eight sequences; the columns that are painted go over open pairs and closed ones. */
const maskHash = `#mask=${encodeURIComponent('causal & window(20) & padding(64,60,52,48,40,33,17,8)')}&queries=${maskSize}&keys=${maskSize}`;
const maskStrokes = [5, 30, 50];
const statsRepeats = 5;
const normalsCount = 2 ** 20;
const normalsRounds = 15;

/**
 * The value that a share of all values does not exceed.
 * @param {number[]} values @param {number} share
 */
function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
}

/** @param {number[]} values */
const summary = (values) => ({ median: quantile(values, 0.5), p95: quantile(values, 0.95), max: Math.max(...values), count: values.length });

/**
 * @param {import('playwright-core').Browser} browser
 * @param {string} address of the saturation page
 */
async function measure(browser, address) {
  /** @type {{firstPaint: number, drawn: number, seen: number}[]} */
  const firsts = [];
  for (let i = 0; i < navigations; ++i) {
    const context = await browser.newContext({ viewport: { width: 1200, height: 1000 } });
    const page = await context.newPage();
    await page.addInitScript(watchFirstChart);
    await page.goto(address);
    firsts.push(await page.evaluate(() => /** @type {any} */ (window).firstChart));
    await context.close();
  }
  log(`bench: ${navigations} navigations`);

  const context = await browser.newContext({ viewport: { width: 1200, height: 1000 } });
  const page = await context.newPage();
  await page.addInitScript(watchFirstChart);
  await page.goto(address);
  await page.evaluate(() => /** @type {any} */ (window).firstChart);
  // the golden ratio's multiples: every part of the slider, no two neighbours in a row
  const places = Array.from({ length: moves }, (_, i) => ((i + 1) * 0.6180339887498949) % 1);
  const slider = await page.evaluate(moveSlider, { key: 'd', places });
  log(`bench: ${moves} moves of d`);
  const stats = await page.evaluate(timeStats, { module: new URL('attn-core.mjs', address).href, d: 512, repeats: statsRepeats });
  await context.close();
  return {
    'navigation to first paint (static picture)': summary(firsts.map(({ firstPaint }) => firstPaint)),
    'navigation to first live chart drawn': summary(firsts.map(({ drawn }) => drawn)),
    'navigation to first live chart on screen': summary(firsts.map(({ seen }) => seen)),
    'slider input to answer of the core': summary(slider.core),
    'slider input to redraw': summary(slider.patched),
    'slider input to next frame': summary(slider.framed),
    'attentionStats({d: 512})': summary(stats),
  };
}

/**
 * A large mask under a brush and under a slider.
 * @param {import('playwright-core').Browser} browser
 * @param {string} address of the page of masks
 */
async function measureMask(browser, address) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 1000 } });
  const page = await context.newPage();
  await page.addInitScript(watchFirstChart);
  await page.goto(address + maskHash);
  await page.evaluate(() => /** @type {any} */ (window).firstChart);
  const places = Array.from({ length: moves }, (_, i) => ((i + 1) * 0.6180339887498949) % 1);
  const dragged = await page.evaluate(moveSlider, { key: 'sequence', places });
  const painted = await page.evaluate(paintCells, { rows: maskSize, columns: maskSize, strokes: maskStrokes });
  await context.close();
  log(`bench: ${painted.patched.length} cells painted`);
  const size = `${maskSize} x ${maskSize}`;
  return {
    [`painting ${size}: pointer to answer of the core`]: summary(painted.core),
    [`painting ${size}: pointer to redraw`]: summary(painted.patched),
    [`painting ${size}: pointer to next frame`]: summary(painted.framed),
    [`dragging at ${size}: slider input to redraw`]: summary(dragged.patched),
  };
}

/**
 * A point of the section's example, dragged through the plane. With the query only the weights change; with a key, three fields of 96 x 96 a place.
 * @param {import('playwright-core').Browser} browser
 * @param {string} address of the page of kernels
 */
async function measurePlane(browser, address) {
  const places = Array.from({ length: moves }, (_, i) => /** @type {[number, number]} */ ([0.5 + 0.4 * Math.cos(i / 9), 0.5 + 0.35 * Math.sin(i / 7)]));
  /** @type {Record<string, ReturnType<typeof summary>>} */
  const rows = {};
  for (const [name, param] of /** @type {[string, 'query' | 'keys'][]} */ ([['the query', 'query'], ['a key', 'keys']])) {
    const context = await browser.newContext({ viewport: { width: 1200, height: 1000 } });
    const page = await context.newPage();
    await page.addInitScript(watchFirstChart);
    await page.goto(address);
    await page.evaluate(() => /** @type {any} */ (window).firstChart);
    const dragged = await page.evaluate(dragPoint, { param, places });
    await context.close();
    log(`bench: ${name} at ${moves} places in the plane`);
    rows[`dragging ${name} in the plane: to answer of the core`] = summary(dragged.core);
    rows[`dragging ${name} in the plane: pointer to redraw`] = summary(dragged.patched);
    rows[`dragging ${name} in the plane: to next frame`] = summary(dragged.framed);
  }
  return rows;
}

/**
 * Normals a second, and how many times as many as the plain form makes: medians over the rounds, the ratio taken within each round.
 * @param {import('playwright-core').Browser} browser
 * @param {string} module address of attn.mjs
 */
async function measureNormals(browser, module) {
  const page = await browser.newPage();
  await page.goto(module);
  const times = await page.evaluate(timeNormals, { module, count: normalsCount, rounds: normalsRounds });
  await page.close();
  log(`bench: ${normalsRounds} rounds of ${normalsCount} normals`);
  /** @param {number[]} of */
  const row = (of) => ({
    perSecond: Math.round((normalsCount * 1000) / quantile(of, 0.5)),
    timesPlain: quantile(of.map((time, round) => times.plain[round] / time), 0.5),
  });
  return { 'torch randn': row(times.torch), 'jax normal': row(times.jax), 'Box-Muller in JavaScript': row(times.plain) };
}

/**
 * Measures the site and prints what it took.
 * @param {() => Promise<import('playwright-core').Browser>} launch
 */
export async function benchPage(launch) {
  const server = await startServer({ root: siteFolder });
  const moduleServer = await startServer({ root: join(root, 'build/wasm-release') });
  const browser = await launch();
  try {
    const rows = { ...await measure(browser, `${server.url}one-square-root.html`), ...await measureMask(browser, `${server.url}masks.html`), ...await measurePlane(browser, `${server.url}from-kernels-to-dot-products.html`) };
    process.stdout.write(`\n${'milliseconds'.padEnd(54)}${['median', 'p95', 'max', 'n'].map((head) => head.padStart(9)).join('')}\n`);
    for (const [name, { median, p95, max, count }] of Object.entries(rows)) {
      process.stdout.write(`${name.padEnd(54)}${[median, p95, max].map((value) => value.toFixed(1).padStart(9)).join('')}${String(count).padStart(9)}\n`);
    }
    const normals = await measureNormals(browser, `${moduleServer.url}attn.mjs`);
    process.stdout.write(`\n${'normals a second'.padEnd(54)}${['million', 'ratio'].map((head) => head.padStart(9)).join('')}\n`);
    for (const [name, { perSecond, timesPlain }] of Object.entries(normals)) {
      process.stdout.write(`${name.padEnd(54)}${[perSecond / 1e6, timesPlain].map((value) => value.toFixed(1).padStart(9)).join('')}\n`);
    }
    return { rows, normals: { count: normalsCount, rounds: normalsRounds, rows: normals } };
  } finally {
    await browser.close();
    await server.close();
    await moduleServer.close();
  }
}
