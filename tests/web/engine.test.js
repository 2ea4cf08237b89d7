// The engine against services that answer, fail and crash on command: latest wins, the ladder, restarts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Engine } from '../../web/engine/engine.js';
import { turn } from './support.js';

/** @import { Port, Rung, RungKind } from '../../web/engine/ladder.js' */
/** @import { Reply, Request } from '../../web/engine/protocol.js' */
/** @import { Outcome } from '../../web/engine/engine.js' */

const registry = { version: '0', studies: [] };

/** A place to run whose every step is the test's decision. @param {RungKind} kind @param {(request: Request, port: FakePort) => void} [onStart] */
function place(kind, onStart = (_, port) => port.reply({ type: 'ready', registry })) {
  /** @type {FakePort[]} */
  const ports = [];
  /** @type {Rung} */
  const rung = {
    kind,
    async open() {
      const port = new FakePort(onStart);
      ports.push(port);
      return port;
    },
  };
  return { rung, ports };
}

/** @implements {Port} */
class FakePort {
  /** @type {Extract<Request, {type: 'call'}>[]} */ calls = [];
  /** @type {Extract<Request, {type: 'start'}>[]} */ starts = [];
  closed = false;
  /** @type {(reply: Reply) => void} */ reply = () => {};
  /** @type {(message: string) => void} */ crash = () => {};

  /** @param {(request: Request, port: FakePort) => void} onStart */
  constructor(onStart) { this.onStart = onStart; }

  /** @param {(reply: Reply) => void} onReply @param {(message: string) => void} onCrash */
  listen(onReply, onCrash) { this.reply = onReply; this.crash = onCrash; }

  /** @param {Request} request */
  post(request) {
    if (request.type === 'start') { this.starts.push(request); this.onStart(request, this); } else this.calls.push(request);
  }

  close() { this.closed = true; }

  /** Answers the call at that index with its own first argument. @param {number} i */
  answer(i) { this.reply({ type: 'answer', id: this.calls[i].id, value: this.calls[i].args[0] }); }
}

/** @param {Rung[]} rungs @param {() => Promise<Uint8Array>} [inlineBytes] */
const engineOf = (rungs, inlineBytes = async () => { throw new Error('no inline bytes'); }) => new Engine({ rungs, wasmUrl: 'https://example.org/attn.wasm', inlineBytes });

/** @param {Promise<Outcome>[]} requests */
const kinds = async (requests) => (await Promise.all(requests)).map((outcome) => (outcome.kind === 'answer' ? outcome.value : outcome.kind));

/** @param {string} code @returns {(request: Request, port: FakePort) => void} */
const failing = (code) => (_, port) => port.reply({ type: 'failed', error: { code, param: '', message: `${code} here` } });

test('latest wins: one under way, one waiting, the last one answered', async () => {
  const { rung, ports } = place('worker');
  const client = engineOf([rung]).client();
  const requests = [1, 2, 3, 4].map((n) => client.request('run', [n]));
  await turn();
  const [port] = ports;
  assert.deepEqual(port.calls.map(({ args }) => args[0]), [1], 'only the first went out');
  port.answer(0);
  await turn();
  assert.deepEqual(port.calls.map(({ args }) => args[0]), [1, 4], '2 and 3 never went out');
  port.answer(1);
  assert.deepEqual(await kinds(requests), ['dropped', 'dropped', 'dropped', 4]);
});

test('the last request is answered however the answers fall', async () => {
  for (let seed = 0; seed < 64; ++seed) {
    const { rung, ports } = place('worker');
    const client = engineOf([rung]).client();
    const requests = [];
    let answered = 0;
    // each bit: ask again, or answer what is under way
    for (let bit = 0; bit < 6; ++bit) {
      if ((seed >> bit) & 1) requests.push(client.request('run', [requests.length]));
      else if (ports[0] && answered < ports[0].calls.length) ports[0].answer(answered++);
      await turn();
    }
    if (requests.length === 0) continue;
    for (; answered < ports[0].calls.length; await turn()) ports[0].answer(answered++);
    const outcomes = await kinds(requests);
    assert.equal(outcomes.at(-1), requests.length - 1, `seed ${seed}`);
    const shown = outcomes.filter((outcome) => outcome !== 'dropped');
    assert.deepEqual(shown, [...shown].sort((a, b) => a - b), 'never an older answer after a newer one');
  }
});

test('while a hand never rests, every other answer is shown', async () => {
  const { rung, ports } = place('worker');
  const client = engineOf([rung]).client();
  const requests = [client.request('run', [0])];
  await turn();
  for (let n = 1; n <= 6; ++n) {
    requests.push(client.request('run', [n]));
    ports[0].answer(n - 1);
    await turn();
  }
  ports[0].answer(6);
  assert.deepEqual(await kinds(requests), ['dropped', 1, 'dropped', 3, 'dropped', 5, 6]);
});

test('two plates share one service and do not overtake each other', async () => {
  const { rung, ports } = place('worker');
  const engine = engineOf([rung]);
  const [one, two] = [engine.client(), engine.client()];
  const requests = [one.request('run', ['a']), two.request('run', ['b'])];
  await turn();
  assert.equal(ports.length, 1);
  assert.equal(ports[0].starts.length, 1);
  ports[0].answer(1);
  ports[0].answer(0);
  assert.deepEqual(await kinds(requests), ['a', 'b']);
});

test('a released client drops what is open, once', async () => {
  const { rung, ports } = place('worker');
  const client = engineOf([rung]).client();
  const requests = [client.request('run', [1]), client.request('run', [2])];
  await turn();
  client.release();
  client.release();
  ports[0].answer(0);
  assert.deepEqual(await kinds(requests), ['dropped', 'dropped']);
  assert.equal(ports[0].calls.length, 1);
});

test('an error of the core reaches its caller as an AttentionError', async () => {
  const { rung, ports } = place('worker');
  const client = engineOf([rung]).client();
  const request = client.request('run', ['saturation', { d: 1 }]);
  await turn();
  ports[0].reply({ type: 'answer', id: ports[0].calls[0].id, error: { code: 'out_of_range', param: 'd', message: 'd is 1' } });
  const outcome = await request;
  assert.equal(outcome.kind, 'error');
  assert.ok(outcome.kind === 'error');
  assert.deepEqual([outcome.error.name, outcome.error.code, outcome.error.param, outcome.error.message], ['AttentionError', 'out_of_range', 'd', 'd is 1']);
});

test('the ladder: a rung that cannot open or start gives way to the next', async () => {
  const first = { kind: /** @type {const} */ ('worker'), open: async () => { throw new Error('refused'); } };
  const second = place('blob-worker', (_, port) => port.crash('no script'));
  const third = place('main-thread');
  const engine = engineOf([first, second.rung, third.rung]);
  assert.equal(await engine.start(), registry);
  assert.equal(engine.kind, 'main-thread');
  assert.equal(second.ports[0].closed, true);
});

test('when every rung fails, the reason about WebAssembly is the one told', async () => {
  const blocked = place('worker', failing('wasm_blocked'));
  const refused = { kind: /** @type {const} */ ('main-thread'), open: async () => { throw new Error('no worker here'); } };
  await assert.rejects(engineOf([blocked.rung, refused]).start(), { code: 'wasm_blocked' });
  await assert.rejects(engineOf([refused, blocked.rung]).start(), { code: 'wasm_blocked' });
  await assert.rejects(engineOf([refused]).start(), { code: 'engine_unavailable', message: /no worker here/ });
  const silent = place('worker', (_, port) => port.crash('nothing loaded'));
  await assert.rejects(engineOf([silent.rung, refused]).start(), { code: 'engine_unavailable', message: /no worker here/ });
});

test('no WebAssembly, or none with SIMD, ends the climb at once', async () => {
  for (const code of ['wasm_missing', 'wasm_no_simd']) {
    const second = place('main-thread');
    await assert.rejects(engineOf([place('worker', failing(code)).rung, second.rung]).start(), { code });
    assert.equal(second.ports.length, 0);
  }
});

test('a wasm file that cannot be fetched is replaced by the bytes that travel in a script', async () => {
  const bytes = Uint8Array.of(1, 2, 3);
  const { rung, ports } = place('worker', (request, port) => {
    if ('wasmBytes' in request) port.reply({ type: 'ready', registry });
    else failing('wasm_unreachable')(request, port);
  });
  assert.equal(await engineOf([rung], async () => bytes).start(), registry);
  assert.deepEqual(ports[0].starts, [{ type: 'start', wasmUrl: 'https://example.org/attn.wasm' }, { type: 'start', wasmBytes: bytes }]);
  await assert.rejects(engineOf([place('worker', failing('wasm_unreachable')).rung]).start(), { code: 'wasm_unreachable' });
});

test('a crash: everyone is told, the next request starts the same rung again, then the next rung', async () => {
  const first = place('worker');
  const second = place('blob-worker');
  const engine = engineOf([first.rung, second.rung]);
  const [one, two] = [engine.client(), engine.client()];
  for (const [i, kind] of ['worker', 'worker', 'blob-worker', 'blob-worker'].entries()) {
    const requests = [one.request('run', [1]), two.request('run', [2])];
    await turn();
    assert.equal(engine.kind, kind, `attempt ${i}`);
    const port = [...first.ports, ...second.ports][i];
    assert.equal(port.calls.length, 2);
    port.crash('out of memory');
    for (const outcome of await Promise.all(requests)) {
      assert.ok(outcome.kind === 'error');
      assert.equal(outcome.error.code, 'engine_crashed');
      assert.match(outcome.error.message, /out of memory/);
    }
    assert.equal(port.closed, true);
    assert.equal(engine.kind, undefined);
  }
  const outcome = await one.request('run', [1]);
  assert.ok(outcome.kind === 'error');
  assert.equal(outcome.error.code, 'engine_unavailable');
  assert.equal(first.ports.length + second.ports.length, 4);
});

test('work goes on after a crash', async () => {
  const { rung, ports } = place('worker');
  const client = engineOf([rung]).client();
  const lost = client.request('run', [1]);
  await turn();
  ports[0].crash('gone');
  await lost;
  const again = client.request('run', [2]);
  await turn();
  ports[1].answer(0);
  assert.deepEqual(await kinds([again]), [2]);
});

test('without clients the service is let go after a while, and comes back', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { rung, ports } = place('worker');
  const engine = engineOf([rung]);
  const first = engine.client();
  await first.start();
  first.release();
  const second = engine.client();
  t.mock.timers.tick(60000);
  assert.equal(ports[0].closed, false, 'a plate that moves in the page keeps its service');
  second.release();
  t.mock.timers.tick(60000);
  assert.equal(ports[0].closed, true);
  await engine.client().start();
  assert.equal(ports.length, 2);
});

test('progress is handed to whoever asked, in order, and never after a newer request or the answer', async () => {
  const { rung, ports } = place('worker');
  const engine = engineOf([rung]);
  const client = engine.client();
  const other = engine.client();
  /** @type {[string, number][]} */
  const told = [];
  const tell = (/** @type {string} */ name) => (/** @type {number} */ share) => told.push([name, share]);
  const requests = [client.request('run', ['first'], tell('first')), other.request('run', ['beside'], tell('beside'))];
  await turn();
  const [port] = ports;
  const share = (/** @type {number} */ i, /** @type {number} */ done) => port.reply({ type: 'progress', id: port.calls[i].id, share: done });
  share(0, 0.25);
  share(1, 0.5);
  share(0, 0.75);
  assert.deepEqual(told, [['first', 0.25], ['beside', 0.5], ['first', 0.75]]);
  requests.push(client.request('run', ['second'], tell('second')));
  share(0, 0.9);
  assert.equal(told.length, 3, 'a stale run tells nothing more');
  port.answer(0);
  port.answer(1);
  await turn();
  share(0, 1);
  share(1, 1);
  assert.equal(told.length, 3, 'nor does one that is answered');
  share(2, 0.1);
  assert.deepEqual(told[3], ['second', 0.1]);
  client.release();
  share(2, 0.2);
  assert.equal(told.length, 4, 'nor does anyone hear who has left');
  port.answer(2);
  assert.deepEqual(await kinds(requests), ['dropped', 'beside', 'dropped']);
});

test('progress of a rung that has crashed is nobody’s', async () => {
  const { rung, ports } = place('worker');
  const client = engineOf([rung]).client();
  /** @type {number[]} */
  const told = [];
  const request = client.request('run', [1], (share) => told.push(share));
  await turn();
  ports[0].reply({ type: 'progress', id: ports[0].calls[0].id, share: 0.5 });
  ports[0].crash('out of memory');
  ports[0].reply({ type: 'progress', id: ports[0].calls[0].id, share: 0.6 });
  assert.deepEqual(told, [0.5]);
  assert.equal((await request).kind, 'error');
});
