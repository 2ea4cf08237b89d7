// The far side of the protocol: starting, answering, and surviving a module that traps.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { buffersOf, call, start } from '../../web/engine/protocol.js';
import { createService } from '../../web/engine/service.js';
import { serve } from '../../web/engine/worker.js';
import { wasmDir } from './support.js';

const { default: createModule } = await import(pathToFileURL(`${wasmDir}/attn.mjs`).href);
const wasmBytes = new Uint8Array(await readFile(`${wasmDir}/attn.wasm`));

test('start, then calls, with the real module from bytes', async () => {
  const service = createService(createModule);
  const ready = await service.handle(start({ wasmBytes }));
  assert.equal(ready.type, 'ready');
  assert.ok(ready.type === 'ready');
  assert.ok(ready.registry.studies.length >= 2);
  const reply = await service.handle(call(7, 'settle', ['masked-softmax', { keys: '3', lens: '2,9' }]));
  assert.ok(reply.type === 'answer');
  assert.equal(reply.id, 7);
  assert.equal(reply.value.result.params.lens, '2,3');
  assert.deepEqual(reply.value.notices.map((/** @type {{param: string}} */ { param }) => param), ['lens']);
  const refused = await service.handle(call(8, 'run', ['masked-softmax', { keys: 0 }]));
  assert.ok(refused.type === 'answer');
  assert.deepEqual([refused.error?.code, refused.error?.param, refused.value], ['out_of_range', 'keys', undefined]);
});

test('what is no function of the core is refused by name', async () => {
  const service = createService(createModule);
  await service.handle(start({ wasmBytes }));
  for (const name of ['constructor', 'attentionStats']) {
    const reply = await service.handle(call(1, /** @type {any} */ (name), []));
    assert.ok(reply.type === 'answer');
    assert.match(reply.error?.message ?? '', new RegExp(name));
  }
});

test('a call before start, damaged bytes, and a file that is not there are errors, not crashes', async () => {
  const early = await createService(createModule).handle(call(1, 'run', ['saturation', {}]));
  assert.ok(early.type === 'answer');
  assert.equal(early.error?.code, 'engine_unavailable');
  const damaged = await createService(createModule).handle(start({ wasmBytes: wasmBytes.slice(0, 1000) }));
  assert.ok(damaged.type === 'failed');
  assert.equal(damaged.error.code, 'wasm_unreachable');
});

test('a trap spoils the instance, not the service', async () => {
  let made = 0;
  /** @type {any} */
  const trapping = async () => {
    const instance = ++made;
    return {
      describe: () => '{"version":"0","studies":[]}',
      run() {
        if (instance === 1) throw new WebAssembly.RuntimeError('unreachable');
        return { ok: true, study: 'x', instance };
      },
    };
  };
  const service = createService((/** @type {any} */ options) => new Promise((resolve) => {
    options.instantiateWasm({}, () => {});
    resolve(trapping());
  }));
  await service.handle(start({ wasmBytes: Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0) }));
  const trapped = await service.handle(call(1, 'run', ['x', {}]));
  assert.ok(trapped.type === 'answer');
  assert.equal(trapped.error?.code, 'core_failed');
  assert.match(trapped.error?.message ?? '', /unreachable/);
  const after = await service.handle(call(2, 'run', ['x', {}]));
  assert.ok(after.type === 'answer');
  assert.equal(after.value.instance, 2);
});

test('results are moved, each buffer once', () => {
  const shared = new Float64Array(4);
  assert.deepEqual(buffersOf({ a: shared, b: { c: shared.subarray(1) }, d: [new Float32Array(1)], e: 'text', f: null }).map(({ byteLength }) => byteLength), [32, 4]);
});

test('loaded in a page the script leaves a service; in a worker it listens and moves its results', async () => {
  /** @type {any} */
  const page = {};
  serve(createModule, 'first', page);
  serve(createModule, 'second', page);
  for (const group of ['first', 'second']) assert.equal((await page.__attentionPlatesCore[group]().handle(start({ wasmBytes }))).type, 'ready');

  class WorkerGlobalScope {
    static { /** @type {any} */ (this.prototype).WorkerGlobalScope = this; }
    /** @type {(event: any) => Promise<void>} */ listener = async () => {};
    /** @type {any[]} */ posted = [];
    /** @param {string} type @param {any} listener */
    addEventListener(type, listener) { assert.equal(type, 'message'); this.listener = listener; }
    /** @param {any} message @param {ArrayBuffer[]} moved */
    postMessage(message, moved) { this.posted.push({ message, moved }); }
  }
  const worker = new WorkerGlobalScope();
  serve(createModule, 'first', worker);
  await worker.listener({ data: start({ wasmBytes }) });
  await worker.listener({ data: call(1, 'run', ['masked-softmax', {}]) });
  const [ready, answer] = worker.posted;
  assert.equal(ready.message.type, 'ready');
  assert.ok(answer.moved.includes(answer.message.value.series.weights.data.buffer));
  assert.equal(answer.moved.length, Object.keys(answer.message.value.series).length);
  worker.posted.length = 0;
  await worker.listener({ data: call(2, 'run', ['ledger', { runs: 40 }]) });
  const kinds = worker.posted.map(({ message }) => message.type);
  assert.ok(kinds.length > 5 && kinds.slice(0, -1).every((kind) => kind === 'progress') && kinds.at(-1) === 'answer');
});

test('a long run tells its progress before it answers, with the id of its call; words cross as texts', async () => {
  const service = createService(createModule);
  await service.handle(start({ wasmBytes }));
  /** @type {any[]} */
  const told = [];
  const reply = await service.handle(call(5, 'settle', ['ledger', { runs: '40' }]), (message) => told.push(message));
  assert.ok(reply.type === 'answer' && reply.error === undefined);
  const { series, code } = reply.value.result;
  assert.ok(told.length >= 5);
  for (const { type, id } of told) assert.deepEqual([type, id], ['progress', 5]);
  const shares = told.map(({ share }) => share);
  assert.deepEqual(shares, [...shares].sort((a, b) => a - b), 'never backwards');
  assert.ok(shares[0] < 0.5 && shares[shares.length - 1] === 1);
  assert.equal(series.printed.data.length, 112);
  assert.ok(series.printed.data.every((/** @type {unknown} */ text) => typeof text === 'string'));
  assert.equal(buffersOf(reply).length, Object.values(series).filter((/** @type {any} */ { data }) => data instanceof Float64Array).length, 'numbers are moved, words copied');
  assert.match(code, /torch\.manual_seed\(0\)/);
});
