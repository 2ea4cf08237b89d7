// Large attentions over several workers: that a pool of engines that answer, fail and stop on command gives every query its answer
// once, in shares that are even, drops what was overtaken or cancelled, and outlives a worker.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AttentionError } from '../../web/engine/errors.js';
import { BREAK_EVEN, Pool } from '../../web/engine/pool.js';
import { readSpans } from '../../web/engine/fast-spans.js';
import { drawsFrom, turn } from './support.js';
import { causal, tileKeys, tileQueries } from './support-pool.js';

/** @import { PoolOperands, PoolOptions } from '../../web/engine/pool.js' */

/** Attention of one slice in double, and what the kernels say beside it. @param {any} operands */
function reference({ queries, keys, values, rows, mask }) {
  const [n, d] = queries.shape.slice(-2);
  const slices = queries.shape.slice(0, -2).reduce((/** @type {number} */ product, /** @type {number} */ size) => product * size, 1);
  const [m, v] = [keys.shape.at(-2), values.shape.at(-1)];
  const [output, logNormalizer] = [new Float32Array(slices * n * v), new Float32Array(slices * n)];
  for (let s = 0; s < slices; ++s) {
    for (let i = 0; i < n; ++i) {
      const last = mask === 'causal' ? Math.min(m, (rows?.first ?? 0) + i + 1) : m;
      const weights = Array.from({ length: last }, (_, j) => {
        let score = 0;
        for (let c = 0; c < d; ++c) score += queries.data[(s * n + i) * d + c] * keys.data[(s * m + j) * d + c];
        return Math.exp(score / Math.sqrt(d));
      });
      const sum = weights.reduce((a, b) => a + b, 0);
      for (let c = 0; c < v; ++c) output[(s * n + i) * v + c] = weights.reduce((a, w, j) => a + w * values.data[(s * m + j) * v + c], 0) / sum;
      logNormalizer[s * n + i] = Math.log(sum);
    }
  }
  return { output: { data: output, shape: [...queries.shape.slice(0, -1), v] }, logNormalizer: { data: logNormalizer, shape: queries.shape.slice(0, -1) }, tiles: { full: slices, mixed: n, empty: 1 } };
}

/** @param {{data: any, shape: number[]}} actual @param {{data: any, shape: number[]}} expected */
function same(actual, expected) {
  assert.deepEqual(actual.shape, expected.shape);
  assert.equal(actual.data.length, expected.data.length);
  assert.equal(actual.data.findIndex((/** @type {number} */ value, /** @type {number} */ i) => !Object.is(value, expected.data[i])), -1, 'first element that differs');
}

/** An engine whose answers come when the test says so, or at once. */
class FakeEngine {
  kind = /** @type {any} */ ('worker');
  /** @type {{method: string, request: any, answer: () => void, fail: (code: string) => void}[]} */ asked = [];
  /** @type {any[]} */ held = [];
  stopped = 0;
  /** @type {string} */ refusesToStart = '';

  /** @param {boolean} [prompt] */
  constructor(prompt = true) { this.prompt = prompt; }

  async start() {
    if (this.refusesToStart) {
      this.kind = undefined;
      throw new AttentionError(this.refusesToStart, '', 'no worker here');
    }
  }

  /** @param {string} method @param {[any]} args @param {unknown} _ @param {ArrayBuffer[]} [transfer] */
  async call(method, [given], _, transfer = []) {
    await this.start();
    const request = structuredClone(given, { transfer });
    if (method === 'piece' && request.keys) this.held = structuredClone([request.keys, request.values]);
    return new Promise((resolve, reject) => {
      const compute = () => {
        if (method === 'tiles') return { tileQueries, tileKeys, visited: new Array(request.batch * request.heads).fill(0).flatMap(() => (request.mask === 'causal' ? causal(request.queries) : causal(request.queries).map(() => Math.ceil(request.keys / tileKeys)))) };
        if (method === 'attention') return reference(request);
        if (method === 'release') return (this.held = []);
        assert.equal(this.held.length, 2, 'a piece comes with its keys, or they are there');
        const { output, logNormalizer, tiles } = reference({ keys: this.held[0], values: this.held[1], ...request });
        const sent = [request.queries, request.keys, request.values].filter(Boolean).map(({ data }) => data);
        // whoever reads them once more reads nonsense
        for (const { buffer } of sent) new Float32Array(buffer).fill(NaN);
        return { output: output.data, logNormalizer: logNormalizer.data, tiles, spare: sent };
      };
      let answered = false;
      const answer = () => {
        if (!answered) resolve(compute());
        answered = true;
      };
      const entry = { method, request, answer, fail: (/** @type {string} */ code) => reject(new AttentionError(code, '', `${code} here`)) };
      this.asked.push(entry);
      if (this.prompt || method === 'tiles') entry.answer();
    });
  }

  stop() { ++this.stopped; }

  get pieces() { return this.asked.filter(({ method }) => method === 'piece'); }
}

/** @param {number} count @param {boolean} [prompt] @param {number} [breakEven] */
function poolOf(count, prompt = true, breakEven = 0) {
  const engines = Array.from({ length: count }, () => new FakeEngine(prompt));
  return { engines, pool: new Pool({ engines: /** @type {any} */ (engines), build: 'simd', breakEven, perPiece: { largest: 60e3, smallest: 10e3 } }) };
}

/** @param {number[]} leading @param {number} n @param {number} m @param {number} [seed] @returns {PoolOperands & {queries: {data: Float32Array}}} */
function operands(leading, n, m, seed = 1) {
  const draw = drawsFrom(seed);
  const drawn = (/** @type {number[]} */ ...shape) => ({ data: Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => draw(2001) / 1000 - 1), shape });
  return /** @type {any} */ ({ queries: drawn(...leading, n, 4), keys: drawn(...leading, m, 4), values: drawn(...leading, m, 3) });
}

test('one, two and three workers give the same bits, the kernel’s own, in the shape that was asked', async () => {
  for (const [leading, mask] of /** @type {[number[], string | undefined][]} */ ([[[1, 1], 'causal'], [[2, 3], undefined], [[3], 'causal'], [[1], undefined]])) {
    const given = { ...operands(leading, 165, 130), ...(mask && { mask }) };
    const expected = reference({ ...given });
    for (const count of [1, 2, 3]) {
      const { pool, engines } = poolOf(count);
      /** @type {number[]} */
      const told = [];
      const result = await pool.attention(given, { onProgress: (share) => told.push(share) });
      same(result.output, expected.output);
      same(result.logNormalizer, expected.logNormalizer);
      assert.ok(engines.every(({ pieces }) => pieces.length > 0), 'everybody worked');
      assert.deepEqual(told, [...told].sort((a, b) => a - b));
      assert.equal(told.at(-1), 1);
      assert.ok(told.length > 2);
      assert.equal(result.tiles.mixed, engines.flatMap(({ pieces }) => pieces).reduce((sum, { request }) => sum + request.queries.shape[2], 0), 'tiles of all pieces');
    }
  }
});

test('keys go to a worker once for all pieces of a slice', async () => {
  const { pool, engines } = poolOf(2);
  await pool.attention({ ...operands([1, 1], 640, 640), mask: 'causal' });
  for (const { pieces, asked } of engines) {
    assert.ok(pieces.length > 3);
    assert.deepEqual(pieces.map(({ request }) => 'keys' in request), pieces.map((_, i) => i === 0));
    assert.equal(asked.at(-1)?.method, 'release');
  }
  const heads = poolOf(2);
  await heads.pool.attention({ ...operands([1, 4], 640, 640), mask: 'causal' });
  const sent = heads.engines.map(({ pieces }) => pieces.filter(({ request }) => request.keys).length);
  assert.ok(sent[0] + sent[1] <= 6, `${sent} copies of the keys of 4 heads: one each, and one for each worker that helps another out`);
});

test('what comes back from workers is sent again, whatever lay in it', async () => {
  const { pool, engines } = poolOf(2);
  for (const [n, seed] of [[640, 1], [640, 2], [300, 3]]) {
    for (const engine of engines) engine.asked.length = 0;
    const given = operands([1, 1], n, n, seed);
    same((await pool.attention(given)).output, reference(given).output);
    const keys = engines.flatMap(({ pieces }) => pieces.filter(({ request }) => request.keys).map(({ request }) => request.keys.data.buffer.byteLength));
    assert.equal(keys.length, 2);
    // new ones are as large as what they hold
    if (n === 640) assert.deepEqual(keys, [640 * 16, 640 * 16]);
    else assert.ok(keys.every((bytes) => bytes > n * 16), String(keys));
  }
});

test('little work, and shapes that do not fit, are one call of one worker', async () => {
  const { pool, engines } = poolOf(2, true, 1e6);
  const given = operands([1], 64, 64);
  same((await pool.attention(given)).output, reference(given).output);
  assert.deepEqual(engines.map(({ asked }) => asked.map(({ method }) => method)), [['attention'], []]);
  assert.equal(given.queries.data.length, 256, 'the operands are still the caller’s');
  // causal halves the work: 64 KB of scores by 7 are above, its visited tiles below
  await pool.attention({ ...operands([1], 400, 400), mask: 'causal' });
  assert.deepEqual(engines[0].asked.map(({ method }) => method), ['attention', 'tiles', 'attention']);
  const misfit = poolOf(2);
  const wrong = { ...operands([1], 200, 200), keys: operands([2], 1, 200).keys };
  await misfit.pool.attention(wrong).catch(() => {});
  assert.deepEqual(misfit.engines[0].asked.map(({ method }) => method), ['attention'], 'the kernel is to say what is wrong');
  assert.ok(BREAK_EVEN > 1e8 && BREAK_EVEN < 1e9);
});

test('what no kernel could take is refused at once, by name, and nothing is left open', async () => {
  const { pool, engines } = poolOf(2);
  const good = operands([1], 200, 200);
  const refused = (/** @type {any} */ change, /** @type {any} */ options, /** @type {object} */ error) => assert.rejects(pool.attention(/** @type {any} */ (change && { ...good, ...change }), options), { name: 'AttentionError', ...error });
  await refused({}, { signal: 'x' }, { code: 'wrong_type', param: 'signal', message: 'signal is "x"; give an AbortSignal' });
  await refused({}, { onProgress: 3 }, { code: 'wrong_type', param: 'onProgress' });
  await refused({}, { latest: 1 }, { code: 'wrong_type', param: 'latest' });
  await refused({}, { lates: true }, { code: 'unknown_parameter', param: 'lates', message: 'lates is not an option; there are signal, onProgress, latest' });
  await refused({}, null, { code: 'wrong_type', param: 'options' });
  await refused(undefined, undefined, { code: 'wrong_type', param: 'operands' });
  await refused(null, undefined, { code: 'wrong_type', param: 'operands' });
  await refused({ rows: { first: 0, total: 200 } }, undefined, { code: 'unknown_parameter', param: 'rows', message: 'rows is not an option; there are queries, keys, values, mask, validLens, spans' });
  await refused({ mask: () => 1 }, undefined, { code: 'wrong_type', param: 'mask', message: 'mask is a function; give a mask expression as text, such as "causal"' });
  await refused({ mask: 'all', validLens: [1] }, undefined, { code: 'wrong_type', param: 'mask' });
  await refused({ spans: 'causal' }, undefined, { code: 'wrong_type', param: 'spans', message: 'spans is "causal"; give a function (batch, head, query) => [[begin, end], ...]' });
  await refused({ spans: () => [[0, 201]] }, undefined, { code: 'out_of_range', param: 'spans', message: 'spans(0, 0, 0)[0][1] is 201; allowed are integers from 0 to 200, the number of keys' });
  await refused({ spans: () => [], validLens: [1] }, undefined, { code: 'wrong_type', param: 'validLens', message: 'validLens and spans are both given; give one' });
  await refused({ validLens: [null] }, undefined, { code: 'wrong_type', param: 'validLens', message: 'validLens[0] is null; allowed are integers from 0 to the number of keys' });
  await refused({ validLens: { length: 1e9 } }, undefined, { code: 'wrong_shape', param: 'validLens' });
  await refused({ queries: { data: () => 1, shape: [1, 200, 4] } }, undefined, { code: 'wrong_type', param: 'queries.data', message: 'queries.data is a function; give a Float32Array' });
  await refused({ keys: { data: new Float64Array(800), shape: [1, 200, 4] } }, undefined, { code: 'wrong_type', param: 'keys.data', message: 'keys.data is a Float64Array; give a Float32Array' });
  await refused({ keys: { data: new Float32Array(8), shape: [2, 4] } }, undefined, { code: 'wrong_shape', param: 'keys' });
  await refused({ values: { view: new Float32Array(4), shape: 5 } }, undefined, { code: 'wrong_type', param: 'values.shape' });
  await refused({ values: 5 }, undefined, { code: 'wrong_type', param: 'values', message: 'values is 5; give a FastTensor, or {data, shape} with a Float32Array' });
  await refused({ values: { view: new Float32Array(800), shape: [1, 200, 4], dtype: 'float32' } }, undefined, { code: 'unknown_parameter', param: 'values.dtype', message: 'values.dtype is not a field; there are view, shape' });
  await refused({ values: { view: new Float32Array(7), shape: [1, 200, 4] } }, undefined, { code: 'wrong_shape', param: 'values' });
  const freed = new (class { get view() { throw new Error('gone'); } get address() { return 0; } get shape() { return [1, 200, 4]; } })();
  await refused({ queries: freed }, undefined, { code: 'wrong_type', param: 'queries', message: 'queries has been freed' });
  assert.ok(engines.every(({ asked }) => asked.length === 0));
  // nobody holds a promise that this could reject
  pool.close();
  await turn();
  same((await pool.attention(good)).output, reference(good).output);
});

test('shapes and lengths are those of the moment of the call, of data and of views; what the elements are is asked for anew', async () => {
  const { pool, engines } = poolOf(2);
  const given = operands([1], 200, 200);
  const before = reference(given).output;
  const [viewed, validLens] = [{ view: given.queries.data, shape: [...given.queries.shape] }, [150]];
  const answer = pool.attention({ ...given, queries: viewed, validLens });
  for (const { shape } of [viewed, given.keys, given.values]) /** @type {number[]} */ (shape)[1] = 1;
  validLens[0] = 9;
  same((await answer).output, before);
  for (const { request } of engines.flatMap(({ asked }) => asked)) assert.deepEqual(request.validLens ?? [150], [150]);
  const gone = { view: new Float32Array(800), shape: [1, 200, 4] };
  const late = pool.attention({ ...operands([1], 200, 200), queries: gone });
  gone.view = new Float32Array(0);
  await assert.rejects(late, { code: 'wrong_shape', param: 'queries' });
});

test('a function of spans is read at once, in the page; workers are sent the rows of their pieces', async () => {
  const { pool, engines } = poolOf(2);
  const given = operands([2, 3], 165, 130);
  let asked = 0;
  const spans = (/** @type {number} */ batch, /** @type {number} */ head, /** @type {number} */ query) => {
    ++asked;
    return query % 7 === 0 ? [] : [[0, Math.min(query, 130)], [head, head + batch]];
  };
  const run = pool.attention({ ...given, spans });
  assert.equal(asked, 2 * 3 * 165);
  // the reference knows no spans: what is sent counts here
  await run;
  assert.equal(asked, 2 * 3 * 165);
  const part = (/** @type {number} */ slice, /** @type {number} */ slices, /** @type {number} */ first, /** @type {number} */ rows) => ({ ...readSpans(spans, { sizes: [2, 3, 165, 130], slice, slices, first, rows }) });
  assert.deepEqual(engines.flatMap((engine) => engine.asked).filter(({ method }) => method === 'tiles').map(({ request }) => request.spans), [part(0, 6, 0, 165)]);
  const pieces = engines.flatMap((engine) => engine.pieces);
  assert.ok(pieces.length > 2);
  for (const { request } of pieces) assert.deepEqual(request.spans, part(request.rows.slice, request.queries.shape[1], request.rows.first, request.queries.shape[2]));
  const little = poolOf(2, true, 1e9);
  await little.pool.attention({ ...given, spans });
  assert.deepEqual(little.engines[0].asked.map(({ method, request }) => [method, request.spans]), [['attention', part(0, 6, 0, 165)]]);
  const broken = poolOf(2);
  for (const thrown of [new Error('no rows'), undefined, 'text']) {
    const reason = await broken.pool.attention({ ...given, spans: () => { throw thrown; } }).then(() => assert.fail(), (/** @type {unknown} */ why) => why);
    assert.equal(reason, thrown);
  }
  assert.ok(broken.engines.every((engine) => engine.asked.length === 0));
});

test('a cancelled run is over at once, and its workers are asked for nothing more', async () => {
  const { pool, engines } = poolOf(2, false);
  const stop = new AbortController();
  /** @type {number[]} */
  const told = [];
  const run = pool.attention({ ...operands([1], 640, 640), mask: 'causal' }, { signal: stop.signal, onProgress: (share) => told.push(share) });
  await turn();
  assert.deepEqual(engines.map(({ pieces }) => pieces.length), [2, 2], 'one at work and one ready each');
  engines[0].pieces[0].answer();
  await turn();
  assert.equal(told.length, 1);
  stop.abort();
  await assert.rejects(run, { name: 'AttentionError', code: 'cancelled' });
  const before = engines.map(({ pieces }) => pieces.length);
  for (const { pieces } of engines) for (const piece of pieces) piece.answer();
  await turn();
  assert.deepEqual(engines.map(({ pieces }) => pieces.length), before);
  assert.equal(told.length, 1, 'and tells nothing more');
  await assert.rejects(pool.attention(operands([1], 8, 8), { signal: AbortSignal.abort() }), { code: 'cancelled' });
  // the next run finds its keys sent anew
  for (const engine of engines) engine.prompt = true;
  const next = operands([1], 333, 333, 2);
  same((await pool.attention(next)).output, reference(next).output);
});

test('runs go in the order of their calls; of those that want to be the latest, only the newest is answered', async () => {
  const { pool, engines } = poolOf(1, false);
  const order = /** @type {string[]} */ ([]);
  const ask = (/** @type {string} */ name, /** @type {PoolOptions} */ options) => pool.attention(operands([1], 300, 300), options).then(() => order.push(name), ({ code }) => order.push(`${name} ${code}`));
  const all = [ask('first', {}), ask('second', { latest: true }), ask('third', {}), ask('fourth', { latest: true })];
  await turn();
  assert.deepEqual(order, ['second cancelled']);
  const others = engines[0].pieces.length;
  assert.equal(others, 2, 'one run at a time');
  engines[0].prompt = true;
  for (const { answer } of engines[0].pieces) answer();
  await Promise.all(all);
  assert.deepEqual(order, ['second cancelled', 'first', 'third', 'fourth']);
});

test('a newer run overtakes the one under way', async () => {
  const { pool, engines } = poolOf(2, false);
  const old = pool.attention(operands([1], 300, 300), { latest: true });
  await turn();
  const newer = operands([1], 300, 300, 3);
  const run = pool.attention(newer, { latest: true });
  await assert.rejects(old, { code: 'cancelled', message: /overtaken/ });
  for (const engine of engines) engine.prompt = true;
  same((await run).output, reference(newer).output);
});

test('a piece whose worker stops goes to whoever is there; a worker that cannot start is done without', async () => {
  const { pool, engines } = poolOf(3, false);
  engines[2].refusesToStart = 'engine_unavailable';
  const given = { ...operands([1], 640, 640), mask: 'causal' };
  const run = pool.attention(given);
  await turn();
  engines[1].pieces[0].fail('engine_crashed');
  engines[1].pieces[1].fail('engine_crashed');
  for (const engine of engines) engine.prompt = true;
  engines[0].pieces.forEach(({ answer }) => answer());
  same((await run).output, reference(given).output);
  assert.equal(pool.workers, 2);
  assert.ok(engines[1].pieces[2].request.keys, 'the keys went with the instance');
});

test('a second worker whose script is not there leaves all to the first, and is asked again in the next run', async () => {
  const { pool, engines } = poolOf(2);
  const given = { ...operands([1], 640, 640), mask: 'causal' };
  engines[1].refusesToStart = 'engine_crashed';
  same((await pool.attention(given)).output, reference(given).output);
  assert.equal(pool.workers, 1);
  assert.ok(engines[1].stopped > 0, 'it does not remember');
  Object.assign(engines[1], { refusesToStart: '', kind: 'worker' });
  same((await pool.attention(given)).output, reference(given).output);
  assert.equal(pool.workers, 2);
  assert.ok(engines[1].pieces.length > 0);
  const alone = poolOf(1);
  alone.engines[0].refusesToStart = 'engine_crashed';
  await assert.rejects(alone.pool.attention(given), { code: 'engine_crashed' });
});

test('a tensor whose memory has moved is asked for its elements anew', async () => {
  const { pool, engines } = poolOf(1, false);
  const given = operands([1], 400, 400);
  let views = 0;
  const moving = { shape: given.queries.shape, get view() { return ++views, given.queries.data.slice(); } };
  const run = pool.attention({ ...given, queries: moving });
  await turn();
  const before = views;
  engines[0].prompt = true;
  engines[0].pieces.forEach(({ answer }) => answer());
  same((await run).output, reference(given).output);
  assert.ok(views > before);
});

test('a shape that is changed before the answer changes nothing', async () => {
  for (const count of [1, 2]) {
    const { pool } = poolOf(count, true, count === 1 ? Infinity : 0);
    const given = operands([1], 100, 100);
    const run = pool.attention(given);
    for (const { shape } of [given.queries, given.keys, given.values]) /** @type {any} */ (shape).push(2);
    const { output } = await run;
    for (const { shape } of [given.queries, given.keys, given.values]) /** @type {any} */ (shape).pop();
    same(output, reference(given).output);
    assert.deepEqual(output.shape, [1, 100, 3]);
  }
});

test('an error of the kernel ends the run with it', async () => {
  const { pool, engines } = poolOf(2, false);
  const run = pool.attention(operands([1], 300, 300));
  await turn();
  engines[0].pieces[0].fail('too_large');
  await assert.rejects(run, { code: 'too_large' });
  const always = poolOf(1, false);
  const crashing = always.pool.attention(operands([1], 300, 300));
  for (let i = 0; i < 8; ++i) {
    await turn();
    always.engines[0].pieces.at(-1)?.fail('engine_crashed');
    always.engines[0].pieces.at(-2)?.fail('engine_crashed');
  }
  await assert.rejects(crashing, { code: 'engine_crashed' });
});

test('in the page itself one piece follows the other, with a pause before each', async () => {
  const engines = [new FakeEngine(), new FakeEngine()];
  engines[0].kind = 'main-thread';
  let pauses = 0;
  const pool = new Pool({ engines: /** @type {any} */ (engines), build: 'simd', breakEven: 0, perPiece: { largest: 60e3, smallest: 10e3 }, later: (task) => { ++pauses; setImmediate(task); } });
  const given = operands([1], 400, 400);
  same((await pool.attention(given)).output, reference(given).output);
  assert.equal(pool.workers, 1);
  assert.ok(pauses > 5 && pauses === engines[0].pieces.length);
  assert.equal(engines[1].asked.length, 0);
});

test('a closed pool cancels what is open and lets its workers go', async () => {
  const { pool, engines } = poolOf(2, false);
  const runs = [pool.attention(operands([1], 300, 300)), pool.attention(operands([1], 300, 300))];
  await turn();
  pool.close();
  for (const run of runs) await assert.rejects(run, { code: 'cancelled', message: /closed/ });
  assert.deepEqual(engines.map(({ stopped }) => stopped), [1, 1]);
});
