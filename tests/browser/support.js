/**
 * What the browser tests share: one Chromium a file, tabs that keep a record of everything they should not do, and ways into a plate.
 *
 * @import { Browser, BrowserContextOptions, Page } from 'playwright-core'
 * @import { StudyResult } from '../../web/engine/types.js'
 */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { chromium } from 'playwright-core';
import { chromiumOptions } from '../../build-scripts/lib/chromium.mjs';
import { closeServers, serveSite } from './server.js';

/** The pages of the plates, by study. */
export const pages = { kernels: 'from-kernels-to-dot-products.html', saturation: 'one-square-root.html', 'masked-softmax': 'masked-softmax.html', masks: 'masks.html', precision: 'precision.html', batched: 'batched-attention.html', additive: 'additive-scoring.html', cost: 'the-price-of-attention.html' };

/** Milliseconds until a plate must be drawn, on a slow machine. */
const PATIENCE = 20000;

/** Starts Chromium and the site before the tests of a file, and stops both after them. */
export function setting() {
  /** @type {{browser: Browser, site: {url: string}}} */
  const made = /** @type {any} */ ({});
  before(async () => {
    [made.browser, made.site] = await Promise.all([chromium.launch(chromiumOptions()), serveSite()]);
  });
  after(async () => {
    await made.browser?.close();
    await closeServers();
  });
  return made;
}

/**
 * A tab in a context of its own, and what happened in it since it was last handed out. `altered`: it cannot be handed out again.
 * @typedef {{page: Page, record: {faults: string[], hosts: Set<string>}, altered: boolean}} Tab
 */

/** Tabs that tests gave back, by browser and options: another page in a tab costs a quarter of a new tab. @type {WeakMap<Browser, Map<string, Tab[]>>} */
const given = new WeakMap();

/** What changes a tab for whatever it shows next. */
const alterations = /** @type {const} */ ({
  page: ['addInitScript', 'emulateMedia', 'exposeBinding', 'exposeFunction', 'route', 'setExtraHTTPHeaders', 'setViewportSize'],
  context: ['addCookies', 'addInitScript', 'exposeBinding', 'exposeFunction', 'grantPermissions', 'newCDPSession', 'newPage', 'route', 'setOffline'],
});

/** @param {Browser} browser @param {BrowserContextOptions} options @returns {Promise<Tab>} */
async function newTab(browser, options) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 1000 }, ...options });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  /** @type {Tab} */
  const tab = { page, record: { faults: [], hosts: new Set() }, altered: false };
  /** Requests belong to who asked for them, whenever they end. @type {WeakMap<object, Tab['record']>} */
  const askers = new WeakMap();
  context.on('console', (message) => { if (['error', 'warning'].includes(message.type())) tab.record.faults.push(`console: ${message.text()}`); });
  context.on('weberror', (error) => { tab.record.faults.push(`exception: ${error.error()}`); });
  context.on('request', (request) => {
    askers.set(request, tab.record);
    if (/^(https?|wss?):/.test(request.url())) tab.record.hosts.add(new URL(request.url()).host);
  });
  context.on('requestfailed', (request) => {
    const why = request.failure()?.errorText;
    // the browser fetches the icon when it has time, and breaks that off when the page goes on
    if (!(request.url().endsWith('/icon.svg') && why === 'net::ERR_ABORTED')) (askers.get(request) ?? tab.record).faults.push(`failed: ${request.url()} ${why}`);
  });
  for (const [target, names] of /** @type {[any, readonly string[]][]} */ ([[page, alterations.page], [context, alterations.context]])) {
    for (const name of names) {
      const method = target[name].bind(target);
      target[name] = (/** @type {unknown[]} */ ...args) => {
        tab.altered = true;
        return method(...args);
      };
    }
  }
  return tab;
}

/** Empties a tab for the next test, or closes it where something of this one would stay. @param {Tab} tab @param {Tab[]} shelf */
async function giveBack(tab, shelf) {
  const { page } = tab;
  tab.record = { faults: [], hosts: new Set() };
  if (tab.altered || !page.url().startsWith('http:') || page.context().pages().length !== 1) return page.context().close();
  await page.mouse.move(0, 0);
  // an empty document of the same origin: what was here is gone, and its storage can be emptied
  const empty = `${new URL(page.url()).origin}/nothing-here`;
  await page.route(empty, (route) => route.fulfill({ contentType: 'text/html', body: '<!DOCTYPE html><link rel="icon" href="data:,">' }));
  await page.goto(empty);
  await page.unroute(empty);
  await page.evaluate(() => { localStorage.clear(); sessionStorage.clear(); });
  tab.altered = false;
  shelf.push(tab);
}

/**
 * Opens an address in a tab that nobody else uses. `faults` collects console errors and warnings, exceptions and failed requests, `hosts` every host asked.
 * @param {Browser} browser
 * @param {string} url
 * @param {BrowserContextOptions & {fresh?: boolean}} [options] `fresh`: in a new context, where nothing was ever loaded
 */
export async function open(browser, url, { fresh = false, ...options } = {}) {
  const shelves = given.get(browser) ?? new Map();
  given.set(browser, shelves);
  const kind = JSON.stringify(options);
  /** @type {Tab[]} */
  const shelf = shelves.get(kind) ?? [];
  shelves.set(kind, shelf);
  const tab = (!fresh && url.startsWith('http:') ? shelf.pop() : null) ?? await newTab(browser, options);
  const { page } = tab;
  /** @type {Tab['record']} */
  const { faults, hosts } = tab.record = { faults: [], hosts: new Set() };
  await page.goto(url);
  return { page, faults, hosts, close: () => giveBack(tab, shelf) };
}

/**
 * Waits until every plate of the page is drawn live.
 * @param {Page | import('playwright-core').Frame} page
 */
export const live = (page) => page.waitForFunction(() => {
  const plates = [...document.querySelectorAll('attention-plate')];
  return plates.length > 0 && plates.every((plate) => /** @type {HTMLElement} */ (plate).dataset.state === 'live');
}, null, { timeout: PATIENCE });

/**
 * Opens a page of the site and waits until its plate is live.
 * @param {{browser: Browser, site: {url: string}}} made
 * @param {keyof typeof pages} study
 * @param {string} [hash]
 * @param {BrowserContextOptions & {fresh?: boolean}} [options]
 */
export async function openPlate(made, study, hash = '', options = {}) {
  const opened = await open(made.browser, `${made.site.url}${pages[study]}${hash}`, options);
  await live(opened.page);
  return opened;
}

/** Opens the controls that a plate folds away, as a reader does. @param {Page} page */
export async function unfold(page) {
  await part(page, '.fold[aria-expanded="false"]').click();
  await part(page, '.fold[aria-expanded="true"]').waitFor();
}

/**
 * The result on show, with arrays as plain numbers.
 * @param {Page | import('playwright-core').Frame} page
 * @returns {Promise<{params: Record<string, any>, series: Record<string, number[]>}>}
 */
export const shown = (page) => page.evaluate(() => {
  const { params, series } = /** @type {any} */ (document.querySelector('attention-plate')).result;
  return { params, series: Object.fromEntries(Object.entries(series).map(([name, { data }]) => [name, [...data]])) };
});

/** A run of the core in the same form. @param {StudyResult} result @returns {{params: Record<string, any>, series: Record<string, any[]>}} */
export const plain = ({ params, series }) => ({ params, series: Object.fromEntries(Object.entries(series).map(([name, { data }]) => [name, [...data]])) });

/**
 * Waits until the result on show has these parameters.
 * @param {Page | import('playwright-core').Frame} page
 * @param {Record<string, unknown>} wanted
 */
export async function shows(page, wanted) {
  try {
    await page.waitForFunction((expected) => {
      const params = /** @type {any} */ (document.querySelector('attention-plate'))?.result?.params;
      return params && Object.entries(expected).every(([key, value]) => params[key] === value);
    }, wanted, { timeout: 8000 });
  } catch {
    assert.fail(`the plate shows ${JSON.stringify((await shown(page)).params)}, not ${JSON.stringify(wanted)}`);
  }
}

/**
 * A part of the live plate, the first where a page has two; the static pictures in its light DOM have the same parts.
 * @param {Page | import('playwright-core').Frame | import('playwright-core').FrameLocator} page
 * @param {string} selector
 */
export const part = (page, selector) => page.locator('attention-plate').first().locator(`.plate:not(.static .plate) ${selector}`);

/**
 * Cells of a table inside the plate, row by row.
 * @param {Page} page
 * @param {string} selector of the table
 */
export const cellsOf = (page, selector) => part(page, `${selector} tbody tr`).evaluateAll(
  (rows) => rows.map((row) => [...row.children].map((cell) => (cell.textContent ?? '').trim())),
);

/**
 * True when the text is the value as printed: every digit shown is right. '0' is an exact zero; '<0.005' and '>0.995' are bounds.
 * @param {string} text
 * @param {number} value
 */
export function prints(text, value) {
  const plainText = text.replace('\u2212', '-').replace(/^±\s*/, '');
  if (plainText === '0') return value === 0;
  if (/^[<>]/.test(plainText)) return plainText[0] === '<' ? value > 0 && value < Number(plainText.slice(1)) : value > Number(plainText.slice(1)) && value <= 1;
  if (plainText === 'NaN') return Number.isNaN(value);
  if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(plainText)) return false;
  const [mantissa, exponent = '0'] = plainText.split('e');
  const digits = (mantissa.split('.')[1] ?? '').length - Number(exponent);
  return Math.abs(Number(plainText) - value) <= 0.5000001 * 10 ** -digits;
}
