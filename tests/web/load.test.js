// Loading the module: the three questions of the probe, servers that misbehave, bytes from text, places of files.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { assetsAt, coreAt } from '../../web/engine/assets.js';
import { errorValue } from '../../web/engine/errors.js';
import { bytesOfBase64, compileCore } from '../../web/engine/load.js';
import { probe } from '../../web/engine/probe.js';
import { wasmDir } from './support.js';

const wasm = await readFile(`${wasmDir}/attn.wasm`);

/** @type {Record<string, [number, string, Buffer | string]>} */
const answers = {
  '/attn.wasm': [200, 'application/wasm', wasm],
  '/mistyped.wasm': [200, 'text/plain', wasm],
  '/missing.wasm': [404, 'text/html', '<p>no</p>'],
  '/page.wasm': [200, 'text/html', '<p>the start page</p>'],
  '/page-typed.wasm': [200, 'application/wasm', '<p>the start page</p>'],
};
const server = createServer((request, response) => {
  const [status, type, body] = answers[request.url ?? ''];
  response.writeHead(status, { 'Content-Type': type });
  response.end(body);
});
let origin = '';
before(async () => {
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', () => resolve(undefined)); });
  origin = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
});
after(() => { server.close(); server.closeAllConnections(); });

test('the probe says what is missing: everything, SIMD, or permission', () => {
  assert.equal(probe(), null);
  assert.equal(probe(undefined), null, 'undefined means the one there is');
  assert.equal(probe(/** @type {any} */ (null))?.code, 'wasm_missing');
  assert.equal(probe(/** @type {any} */ ({ validate: () => false }))?.code, 'wasm_no_simd');
  const blocked = probe(/** @type {any} */ ({ validate: () => true, Module: class { constructor() { throw new Error('CSP'); } } }));
  assert.equal(blocked?.code, 'wasm_blocked');
  assert.match(blocked?.message ?? '', /wasm-unsafe-eval/);
});

test('a module is compiled whatever type the server names', async () => {
  for (const name of ['attn.wasm', 'mistyped.wasm']) assert.ok(await compileCore({ wasmUrl: `${origin}/${name}` }) instanceof WebAssembly.Module);
});

test('what cannot be loaded is named with its reason', async () => {
  await assert.rejects(compileCore({ wasmUrl: `${origin}/missing.wasm` }), { code: 'wasm_unreachable', message: /missing\.wasm.*HTTP 404/ });
  await assert.rejects(compileCore({ wasmUrl: `${origin}/page.wasm` }), { code: 'wasm_unreachable', message: /not a WebAssembly file/ });
  await assert.rejects(compileCore({ wasmUrl: `${origin}/page-typed.wasm` }), { code: 'wasm_unreachable', message: /not a WebAssembly file/ });
  await assert.rejects(compileCore({ wasmUrl: 'http://127.0.0.1:1/attn.wasm' }), { code: 'wasm_unreachable', message: /127\.0\.0\.1:1/ });
});

test('an engine without memory is told in words, not in its own', async () => {
  const said = ['WebAssembly.instantiate(): Out of memory: Cannot allocate Wasm memory for new instance', 'Array buffer allocation failed', 'could not allocate memory', 'Out of memory'];
  for (const message of said) {
    const value = errorValue(new RangeError(message));
    assert.deepEqual([value.code, value.message.includes('memory'), value.message.includes(message)], ['core_failed', true, false], message);
  }
  assert.match(errorValue(new WebAssembly.RuntimeError('memory access out of bounds')).message, /stopped unexpectedly \(memory access out of bounds\)/);
});

test('bytes come back from base64 as they were', async () => {
  assert.deepEqual(Buffer.from(bytesOfBase64(wasm.toString('base64'))), wasm);
  assert.ok(await compileCore({ wasmBytes: bytesOfBase64(wasm.toString('base64')) }) instanceof WebAssembly.Module);
});

test('files lie beside the script, or where base says', () => {
  assert.deepEqual(coreAt('first', assetsAt('https://host.example/some/folder')), {
    group: 'first', worker: 'https://host.example/some/folder/attn-worker-first.js',
    wasm: 'https://host.example/some/folder/attn-first.wasm', inline: 'https://host.example/some/folder/attn-inline-first.js',
  });
  assert.equal(coreAt('second', assetsAt('assets/', 'https://host.example/course/page.html')).worker, 'https://host.example/course/assets/attn-worker-second.js');
  assert.equal(assetsAt('/x', 'https://host.example/course/page.html').embed, 'https://host.example/x/embed.html');
  assert.ok(assetsAt().base.endsWith('/web/engine/'), 'a module goes by its own address');
});
