/**
 * Servers for the browser tests: the site as `npm start` serves it, the same with something broken, and pages of another origin.
 * Each listens on a free port of its own, so two servers are two origins.
 */
import { createReadStream, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { contentSecurityPolicy, startServer } from '../../build-scripts/serve.mjs';
import { root } from '../web/support.js';

/** The built site; ATTN_SITE names another folder than dist/. */
export const site = process.env.ATTN_SITE ?? join(root, 'dist');

/** What listens. @type {Set<{close: () => Promise<void>}>} */
const servers = new Set();

/** Closes every server of this file; a test that fails leaves its own behind. */
export const closeServers = () => Promise.all([...servers].map((server) => server.close()));

/** The site with its strict policy. @param {string} [base] path it appears under */
export async function serveSite(base) {
  const server = await startServer({ root: site, base });
  servers.add(server);
  return server;
}

export { contentSecurityPolicy };

/** @type {Record<string, string>} */
const types = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.wasm': 'application/wasm', '.woff2': 'font/woff2', '.json': 'application/json' };

/**
 * Pages given as text, and behind them the files of the site.
 * @param {object} [options]
 * @param {Record<string, string>} [options.pages] by path
 * @param {string[]} [options.missing] files of the site that are not there
 * @param {Record<string, string>} [options.headers]
 * @returns {Promise<{url: string}>}
 */
export async function servePages({ pages = {}, missing = [], headers = {} } = {}) {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const file = join(site, path);
    if (Object.hasOwn(pages, path)) {
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', ...headers });
      response.end(pages[path]);
    } else if (!missing.includes(path) && !path.endsWith('/') && existsSync(file)) {
      response.writeHead(200, { 'Content-Type': types[extname(file)] ?? 'application/octet-stream', ...headers });
      createReadStream(file).pipe(response);
    } else {
      response.writeHead(404, headers);
      response.end();
    }
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', () => resolve(undefined)); });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  servers.add({ close: () => new Promise((resolve) => { server.close(() => resolve()); server.closeAllConnections(); }) });
  return { url: `http://127.0.0.1:${port}/` };
}

/**
 * A bare page around some markup.
 * @param {string} body
 * @param {string} [head]
 */
export const pageAround = (body, head = '') => `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Host</title><link rel="icon" href="data:,">${head}</head><body>${body}</body></html>`;
