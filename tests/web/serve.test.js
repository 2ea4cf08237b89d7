// The static server: what it serves, with which headers, and what it refuses.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startServer } from '../../build-scripts/serve.mjs';

/** @type {string} */
let folder;
/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'serve-'));
  mkdirSync(join(folder, 'site/sub folder'), { recursive: true });
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  writeFileSync(join(folder, 'site/index.html'), '<p>home</p>');
  writeFileSync(join(folder, 'site/sub folder/index.html'), '<p>sub</p>');
  for (const name of ['a.js', 'a.mjs', 'a.css', 'a.wasm', 'a.svg', 'a.json', 'a.woff2', 'a.bin']) {
    writeFileSync(join(folder, 'site', name), name);
  }
  server = await startServer({ root: join(folder, 'site') });
});
after(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * A request whose path goes out as it is written; fetch would tidy it.
 * @param {string} path @param {{method?: string, headers?: Record<string, string>, port?: number}} [options]
 * @returns {Promise<{status: number, headers: import('node:http').IncomingHttpHeaders, body: string}>}
 */
function ask(path, { method = 'GET', headers = {}, port = server.port } = {}) {
  return new Promise((done, fail) => {
    request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk) => { body += chunk; });
      response.on('end', () => done({ status: response.statusCode ?? 0, headers: response.headers, body }));
    }).on('error', fail).end();
  });
}

test('files come with their media type', async () => {
  const expected = {
    '/': 'text/html; charset=utf-8',
    '/a.js': 'text/javascript; charset=utf-8',
    '/a.mjs': 'text/javascript; charset=utf-8',
    '/a.css': 'text/css; charset=utf-8',
    '/a.wasm': 'application/wasm',
    '/a.svg': 'image/svg+xml; charset=utf-8',
    '/a.json': 'application/json; charset=utf-8',
    '/a.woff2': 'font/woff2',
    '/a.bin': 'application/octet-stream',
  };
  for (const [path, type] of Object.entries(expected)) {
    const { status, headers, body } = await ask(path);
    assert.equal(status, 200, path);
    assert.equal(headers['content-type'], type, path);
    assert.equal(Number(headers['content-length']), body.length, path);
  }
});

test('every answer carries the strict policy and may be used by other origins', async () => {
  for (const path of ['/', '/a.js', '/missing', '/sub%20folder', '/%zz']) {
    const { headers } = await ask(path);
    assert.equal(headers['content-security-policy'], "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'", path);
    assert.equal(headers['access-control-allow-origin'], '*', path);
    assert.equal(headers['x-content-type-options'], 'nosniff', path);
  }
});

test('a picture may use the style inside it and load nothing, also when it is not sent again', async () => {
  const { headers } = await ask('/a.svg');
  assert.equal(headers['content-security-policy'], "default-src 'none'; style-src 'unsafe-inline'");
  const again = await ask('/a.svg', { headers: { 'If-None-Match': String(headers.etag) } });
  assert.deepEqual([again.status, again.headers['content-security-policy']], [304, headers['content-security-policy']]);
});

test('a folder is its index page, under the address with the slash', async () => {
  const bare = await ask('/sub%20folder?x=1');
  assert.equal(bare.status, 301);
  assert.equal(bare.headers.location, '/sub%20folder/?x=1');
  assert.equal((await ask('/sub%20folder/')).body, '<p>sub</p>');
  // Two leading slashes in a redirect would name another host.
  assert.equal((await ask('//sub%20folder')).headers.location, '/sub%20folder/');
});

test('nothing outside the folder is served', async () => {
  for (const path of ['/../secret.txt', '/..%2fsecret.txt', '/%2e%2e/secret.txt', '/sub%20folder/../../secret.txt', '//secret.txt', '/..\\secret.txt']) {
    const { status, body } = await ask(path);
    assert.equal(status, 404, path);
    assert.doesNotMatch(body, /secret/, path);
  }
});

test('what is wrong is refused', async () => {
  assert.equal((await ask('/missing.js')).status, 404);
  assert.equal((await ask('/a.js/')).status, 404);
  assert.equal((await ask('/%zz')).status, 400);
  assert.equal((await ask('/%00')).status, 400);
  const post = await ask('/', { method: 'POST' });
  assert.equal(post.status, 405);
  assert.equal(post.headers.allow, 'GET, HEAD');
});

test('HEAD has the headers without the body; an unchanged file is not sent again', async () => {
  const head = await ask('/a.js', { method: 'HEAD' });
  assert.deepEqual([head.status, head.headers['content-length'], head.body], [200, '4', '']);
  const again = await ask('/a.js', { headers: { 'If-None-Match': String(head.headers.etag) } });
  assert.deepEqual([again.status, again.body], [304, '']);
  writeFileSync(join(folder, 'site/a.js'), 'changed');
  assert.equal((await ask('/a.js', { headers: { 'If-None-Match': String(head.headers.etag) } })).body, 'changed');
});

test('under a base path the site is there and only there', async () => {
  const based = await startServer({ root: join(folder, 'site'), base: '/courses/plates/' });
  try {
    assert.equal(based.url, `http://127.0.0.1:${based.port}/courses/plates/`);
    assert.equal((await ask('/courses/plates/a.css', { port: based.port })).body, 'a.css');
    assert.equal((await ask('/courses/plates', { port: based.port })).headers.location, '/courses/plates/');
    assert.equal((await ask('/a.css', { port: based.port })).status, 404);
  } finally {
    await based.close();
  }
});

test('a taken port is an error, or gives way to the next free one', async () => {
  await assert.rejects(startServer({ root: folder, port: server.port }), { code: 'EADDRINUSE' });
  const next = await startServer({ root: folder, port: server.port, tries: 50 });
  assert.ok(next.port > server.port && next.port <= server.port + 50);
  await next.close();
});

test('the folder may itself be a link', async () => {
  symlinkSync(join(folder, 'site'), join(folder, 'link'));
  const linked = await startServer({ root: join(folder, 'link') });
  assert.equal((await ask('/a.css', { port: linked.port })).body, 'a.css');
  await linked.close();
});
