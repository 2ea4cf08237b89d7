// A small static server for the built site. It is not meant for the open internet: the site is
// plain files and any web server can carry it. This one exists so that `npm start` and the browser
// tests serve the pages with the headers a careful host would set: a strict
// Content-Security-Policy, correct media types, and leave for other origins to embed the element.
// Node built-ins only.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream';

/** @type {Record<string, string>} */
const mediaTypes = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
  '.xml': 'application/xml; charset=utf-8',
};

/** What the pages may load: their own files, and WebAssembly compiled from them. */
export const contentSecurityPolicy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";

/** What a picture opened by itself may load: nothing, but the style inside it, without which all its ink is black. */
export const picturePolicy = "default-src 'none'; style-src 'unsafe-inline'";

/** @type {Record<string, string>} */
const headers = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  // Pages of other origins may use the element's module, its WebAssembly and its fonts.
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Cache-Control': 'no-cache',
};

/**
 * The file below `root` that a request path names, or the redirect or status that answers it.
 * @param {string} root absolute folder
 * @param {string} base path prefix, '/' or '/some/folder/'
 * @param {string} target the request's path and query
 * @returns {Promise<{file: string, size: number, modified: Date} | {location: string} | {status: number}>}
 */
async function find(root, base, target) {
  const [rawPath, query] = target.split(/\?(.*)/s);
  let path;
  try {
    path = decodeURIComponent(rawPath);
  } catch {
    return { status: 400 };
  }
  if (path.includes('\0')) return { status: 400 };
  if (path + '/' === base) return { location: base };
  if (!path.startsWith(base)) return { status: 404 };
  let file = resolve(root, './' + path.slice(base.length));
  if (file !== root && !file.startsWith(root + sep)) return { status: 404 };
  try {
    let found = await stat(file);
    if (found.isDirectory()) {
      // Relative links of an index page need the slash.
      if (!path.endsWith('/')) return { location: `${rawPath.replace(/^\/+/, '/')}/${query ? '?' + query : ''}` };
      file = join(file, 'index.html');
      found = await stat(file);
    } else if (path.endsWith('/')) {
      return { status: 404 };
    }
    return found.isFile() ? { file, size: found.size, modified: found.mtime } : { status: 404 };
  } catch {
    return { status: 404 };
  }
}

/**
 * Starts the server.
 * @param {object} options
 * @param {string} options.root folder to serve
 * @param {number} [options.port] 0 takes any free port
 * @param {number} [options.tries] how many ports after `port` to try when it is taken
 * @param {string} [options.host]
 * @param {string} [options.base] path the site appears under
 * @param {Record<string, string>} [options.extraHeaders] sent with every file, in place of those of the same name
 * @returns {Promise<{url: string, port: number, close: () => Promise<void>}>}
 */
export async function startServer({ root, port = 0, tries = 0, host = '127.0.0.1', base = '/', extraHeaders = {} }) {
  const folder = resolve(root);
  const server = createServer(async (request, response) => {
    /** @param {number} status @param {Record<string, string | number>} extra @param {string} text */
    const answer = (status, extra, text) => {
      response.writeHead(status, { ...headers, 'Content-Type': 'text/plain; charset=utf-8', ...extra });
      response.end(request.method === 'HEAD' ? undefined : text);
    };
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return answer(405, { Allow: 'GET, HEAD' }, 'Only GET and HEAD.\n');
    }
    const found = await find(folder, base, request.url ?? '/');
    if ('location' in found) return answer(301, { Location: found.location }, 'Moved.\n');
    if ('status' in found) return answer(found.status, {}, found.status === 400 ? 'Bad request.\n' : 'Not found.\n');

    const extension = extname(found.file);
    // with every answer about the file: a browser that keeps its copy takes the headers of the 304 for it
    const own = extension === '.svg' ? { ...headers, 'Content-Security-Policy': picturePolicy } : headers;
    const tag = `"${found.size.toString(36)}-${found.modified.getTime().toString(36)}"`;
    if (request.headers['if-none-match'] === tag) {
      response.writeHead(304, { ...own, ...extraHeaders, ETag: tag });
      return response.end();
    }
    response.writeHead(200, {
      ...own,
      ...extraHeaders,
      ETag: tag,
      'Content-Type': mediaTypes[extension] ?? 'application/octet-stream',
      'Content-Length': found.size,
    });
    if (request.method === 'HEAD') return response.end();
    // A reader who leaves in mid-file is no error of ours.
    pipeline(createReadStream(found.file), response, () => {});
  });

  /** @param {number} candidate @returns {Promise<void>} */
  const listen = (candidate) =>
    new Promise((done, fail) => {
      server.once('error', fail);
      server.listen(candidate, host, () => {
        server.off('error', fail);
        done();
      });
    });
  for (let candidate = port; ; candidate += 1) {
    try {
      await listen(candidate);
      break;
    } catch (error) {
      const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      if (!taken || candidate >= port + tries || candidate >= 65535) throw error;
    }
  }

  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const shownHost = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${shownHost}:${address.port}${base}`,
    port: address.port,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
