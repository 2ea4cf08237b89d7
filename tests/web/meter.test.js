// Measuring with kernels that only say how long they would take: what is timed, how often, in which order, what is left out, and what becomes of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AttentionError } from '../../web/engine/errors.js';
import { createFastService } from '../../web/engine/fast-service.js';
import { measure, spreadOf } from '../../web/engine/meter.js';
import { call, start } from '../../web/engine/protocol.js';
import { createStopwatch } from '../../web/engine/stopwatch.js';
import { runs, workload } from '../../web/engine/workloads.js';

/** @import { Job } from '../../web/engine/workloads.js' */

/** @param {Partial<Job>} given @returns {Job} */
const job = (given) => ({ key: 1, name: 'a job', offered: true, kind: 'attention', mask: '', batch: 1, n: 64, m: 64, d: 8, v: 8, h: 0, block: 0, least: 64, share: 1, operations: 1e6, bytes: 1e6, ...given });

/** Kernels on a clock of their own: a call takes `cost(name, options)` milliseconds of it. @param {(name: string, options: any) => number} [cost] */
function fakeFast(cost = () => 1) {
  const clock = { ms: 0 };
  const log = /** @type {[string, any][]} */ ([]);
  const alive = /** @type {Set<any>} */ (new Set());
  const tensor = (/** @type {number[]} */ ...[shape]) => {
    const made = { shape, view: new Float32Array(/** @type {any} */ (shape).reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b, 1)), free: () => { alive.delete(made); } };
    alive.add(made);
    return made;
  };
  const operation = (/** @type {string} */ name) => (/** @type {any} */ options) => {
    log.push([name, options]);
    clock.ms += cost(name, options);
    for (const operand of Object.values(options)) if (operand?.shape) assert.ok(alive.has(operand), `${name} was given a tensor that is gone`);
    return { logNormalizer: tensor(/** @type {any} */ ([1])) };
  };
  const names = ['attention', 'batchMatmul', 'maskedSoftmax', 'additiveScores', 'additiveHidden'];
  const fast = /** @type {any} */ ({
    tensor, ...Object.fromEntries(names.map((name) => [name, operation(name)])),
    limits: () => ({ spin: (/** @type {string} */ kind, /** @type {number} */ times) => {
      clock.ms += times * (kind === 'madd' ? 0.01 : 2);
      return times * (kind === 'madd' ? 6e5 : 64e6);
    } }),
  });
  return { fast, clock, log, alive, now: () => clock.ms };
}

const shapesOf = (/** @type {[string, any][]} */ log) => log.map(([name, options]) => [name, ...Object.entries(options).map(([key, value]) => (value?.shape ? `${key} ${value.shape.join('x')}` : `${key} ${value}`))].join(', '));

test('maps into the hidden layer are divided by the root of the width, so that projections spread no more than what they are made from', () => {
  const { fast, alive } = fakeFast();
  const made = workload(fast, job({ kind: 'additive-factored', n: 6, m: 5, d: 256, h: 7 }));
  // of numbers evenly in (-1, 1), 1792 together come near 1
  const largest = [...alive].map(({ shape, view }) => [shape.join('x'), Math.max(...view.map(Math.abs))]).filter(([, most]) => Number(most) > 0);
  for (const [shape, most] of largest) assert.ok(shape === '1x7x256' ? Number(most) > 0.06 && Number(most) <= 1 / 16 : shape === '7' || Number(most) > 0.98, `${shape}: ${most}`);
  assert.equal(largest.filter(([shape]) => shape === '1x7x256').length, 2);
  made.free();
});

test('every kind runs what it stands for, on operands that are drawn beforehand', () => {
  const expected = {
    attention: ['attention, queries 2x6x4, keys 2x5x4, values 2x5x3, output 2x6x3, mask causal'],
    'attention-materialised': ['batchMatmul, a 2x6x4, b 2x5x4, transposeB true, output 2x6x5', 'maskedSoftmax, scores 2x6x5, output 2x6x5, mask causal', 'batchMatmul, a 2x6x5, b 2x5x3, output 2x6x3'],
    'dot-scores': ['batchMatmul, a 2x6x4, b 2x5x4, transposeB true, output 2x6x5'],
    'additive-factored': ['batchMatmul, a 2x6x4, b 2x7x4, transposeB true, output 2x6x7', 'batchMatmul, a 2x5x4, b 2x7x4, transposeB true, output 2x5x7', 'additiveScores, queries 2x6x7, keys 2x5x7, w 7, output 2x6x5'],
  };
  for (const [kind, lines] of Object.entries(expected)) {
    const { fast, log, alive } = fakeFast();
    const made = workload(fast, job({ kind, mask: 'causal', batch: 2, n: 6, m: 5, d: 4, v: 3, h: 7 }));
    assert.deepEqual(log, [], 'nothing runs before its time');
    const drawn = [...alive].filter(({ view }) => view.some((/** @type {number} */ x) => x !== 0));
    for (const { view } of drawn) assert.ok(view.every((/** @type {number} */ x) => x > -1 && x < 1 && x !== 0));
    const count = alive.size;
    made.run();
    assert.deepEqual(shapesOf(log), lines);
    assert.equal(alive.size, kind === 'attention' ? count : count + lines.length, kind);
    made.free();
  }
});

test('scores that are products of matrices are scaled: by the queries, anew in every run', () => {
  for (const kind of ['dot-scores', 'attention-materialised']) {
    const { fast, log, alive } = fakeFast();
    const made = workload(fast, job({ kind, n: 6, m: 5, d: 16, v: 3 }));
    const [given] = alive;
    made.run();
    const { a, output } = log[0][1];
    assert.deepEqual([...a.view], [...given.view].map((entry) => entry / 4), kind);
    // what the kernels are given is no view that a growing memory would empty
    given.view.fill(1);
    made.run();
    assert.deepEqual(log.find(([, options], i) => i >= log.length / 2 && options.a === a)?.[1].output, output);
    assert.ok(a.view.every((/** @type {number} */ x) => x === 0.25));
    made.free();
  }
});

test('of part of the queries all is run that they need, and as much of what all share', () => {
  const expected = {
    attention: ['attention, queries 2x2x4, keys 2x6x4, values 2x6x3, output 2x2x3'],
    'attention-materialised': ['batchMatmul, a 2x2x4, b 2x6x4, transposeB true, output 2x2x6', 'maskedSoftmax, scores 2x2x6, output 2x2x6', 'batchMatmul, a 2x2x6, b 2x6x3, output 2x2x3'],
    'dot-scores': ['batchMatmul, a 2x2x4, b 2x6x4, transposeB true, output 2x2x6'],
    'additive-factored': ['batchMatmul, a 2x2x4, b 2x7x4, transposeB true, output 2x2x7', 'batchMatmul, a 2x2x4, b 2x7x4, transposeB true, output 2x2x7', 'additiveScores, queries 2x2x7, keys 2x6x7, w 7, output 2x2x6'],
  };
  for (const [kind, lines] of Object.entries(expected)) {
    const { fast, log } = fakeFast();
    workload(fast, job({ kind, batch: 2, n: 6, m: 6, d: 4, v: 3, h: 7, queries: 2 })).run();
    assert.deepEqual(shapesOf(log), lines);
    // no key is zero: all are as if projected
    for (const [, { keys }] of log.filter(([name]) => name === 'additiveScores')) assert.ok(keys.view.every((/** @type {number} */ x) => x !== 0));
  }
  const { fast, log } = fakeFast();
  workload(fast, job({ kind: 'additive-direct', n: 8, m: 5, d: 4, h: 2, block: 3, queries: 6 })).run();
  assert.deepEqual(log.filter(([name]) => name === 'additiveHidden').map(([, { first, count }]) => [first, count]), [[0, 3], [3, 3]]);
  assert.deepEqual(shapesOf(log.slice(0, 2)), ['batchMatmul, a 1x6x4, b 1x2x4, transposeB true, output 1x6x2', 'batchMatmul, a 1x4x4, b 1x2x4, transposeB true, output 1x4x2'], 'three quarters of five keys, rounded up');
});

test('the hidden layer is written out block by block, the last one smaller', () => {
  const { fast, log, alive } = fakeFast();
  const made = workload(fast, job({ kind: 'additive-direct', n: 7, m: 5, d: 4, h: 2, block: 3 }));
  made.run();
  const hidden = log.filter(([name]) => name === 'additiveHidden').map(([, { first, count, output }]) => [first, count, output.shape]);
  assert.deepEqual(hidden, [[0, 3, [1, 15, 2]], [3, 3, [1, 15, 2]], [6, 1, [1, 5, 2]]]);
  assert.deepEqual(shapesOf(log.slice(-1)), ['batchMatmul, a 1x5x2, b 1x1x2, transposeB true, output 1x5x1']);
  assert.equal(log.length, 2 + 6);
  assert.ok(alive.size > 0);
  const small = workload(fast, job({ kind: 'additive-direct', n: 2, m: 5, d: 4, h: 2, block: 100 }));
  log.length = 0;
  small.run();
  assert.deepEqual(log.filter(([name]) => name === 'additiveHidden').map(([, { first, count }]) => [first, count]), [[0, 2]]);
});

test('a kind that these kernels cannot run is known as such, and its tensors are freed when memory ends', () => {
  const { fast, alive } = fakeFast();
  assert.equal(runs(fast, 'attention'), true);
  for (const kind of ['constructor', 'toString', '']) assert.equal(runs(fast, kind), false);
  delete fast.additiveHidden;
  assert.equal(runs(fast, 'additive-direct'), false);
  let left = 2;
  const { tensor } = fast;
  fast.tensor = (/** @type {any} */ shape) => {
    if (left-- === 0) throw new AttentionError('too_large', 'tensor', 'no room');
    return tensor(shape);
  };
  assert.throws(() => workload(fast, job({})), { code: 'too_large' });
  assert.equal(alive.size, 0);
});

test('a repetition is as many runs as it takes; its time is that of one', () => {
  const { fast, now, log } = fakeFast(() => 0.75);
  const watch = createStopwatch(fast, now);
  assert.deepEqual(watch.prepare(job({})), { known: true, ms: 0.75 });
  assert.equal(log.length, 27, 'warm for 20 ms');
  log.length = 0;
  assert.equal(watch.sample({ key: 1, least: 4 }), 0.75);
  assert.equal(log.length, 6);
  assert.deepEqual(watch.prepare(job({ kind: 'unheard of', key: 2 })), { known: false, ms: 0 });
  assert.throws(() => watch.sample({ key: 2, least: 4 }), { code: 'engine_unavailable' });
  // a clock that steps
  const { fast: other, clock } = fakeFast(() => 0.3);
  const stepping = createStopwatch(other, () => Math.floor(clock.ms / 0.1) * 0.1);
  stepping.prepare(job({}));
  assert.ok(Math.abs(stepping.sample({ key: 1, least: 4 }) - 0.3) < 0.1 / 13);
});

test('a job that is prepared again with fewer queries is another, and its tensors are freed', () => {
  const { fast, now, log, alive } = fakeFast(() => 30);
  const watch = createStopwatch(fast, now);
  watch.prepare(job({}));
  const count = alive.size;
  watch.prepare(job({ queries: 32 }));
  assert.equal(alive.size, count);
  watch.sample({ key: 1, least: 4 });
  assert.deepEqual(log.map(([, { queries }]) => queries.shape[1]), [64, 32, 32]);
});

test('what lies ready is bounded: the longest waiting is let go, and made again unmeasured when its turn comes', () => {
  const { fast, now, log, alive } = fakeFast(() => 10);
  const watch = createStopwatch(fast, now);
  for (const key of [1, 2, 3]) watch.prepare(job({ key, bytes: 70 * 2 ** 20 }));
  log.length = 0;
  watch.sample({ key: 3, least: 4 });
  assert.equal(log.length, 1);
  watch.sample({ key: 1, least: 4 });
  assert.equal(log.length, 3, 'one run more after it was made again');
  watch.sample({ key: 3, least: 4 });
  assert.equal(log.length, 4, 'the second has waited longest, so the third is there');
  watch.discard();
  assert.equal(alive.size, 0);
});

test('the limits of the machine', () => {
  const { fast, now } = fakeFast();
  const watch = createStopwatch(fast, now);
  const near = (/** @type {number} */ actual, /** @type {number} */ wanted) => assert.ok(Math.abs(actual / wanted - 1) < 1e-9, `${actual}`);
  near(watch.limit({ kind: 'madd', least: 12 }), 6e7);
  near(watch.limit({ kind: 'copy', least: 12 }), 32e6);
  const before = now();
  watch.limit({ kind: 'madd', least: 12 });
  assert.ok(now() - before >= 12 && now() - before < 20, 'found once, and one repetition each time after');
});

test('a limit is found anew when a pause has passed for its work', () => {
  const { fast, clock, now } = fakeFast();
  const { spin } = fast.limits();
  let pauses = 1;
  fast.limits = () => ({ spin: (/** @type {string} */ kind, /** @type {number} */ times) => {
    if (pauses-- > 0) clock.ms += 40;
    return spin(kind, times);
  } });
  assert.ok(Math.abs(createStopwatch(fast, now).limit({ kind: 'madd', least: 12 }) / 6e7 - 1) < 1e-9);
  assert.ok(now() > 64 && now() < 90, 'a pause, a repetition of one call that is too short, the search and a repetition');
});

test('median and quartiles', () => {
  assert.deepEqual(spreadOf([5]), [5, 5, 5]);
  assert.deepEqual(spreadOf([4, 1]), [2.5, 1.75, 3.25]);
  assert.deepEqual(spreadOf([7, 1, 3, 5, 2]), [3, 2, 5]);
});

/** A stopwatch that takes what it is told to. @param {Record<number, number>} ms by job */
function fakeWatch(ms) {
  const asked = /** @type {string[]} */ ([]);
  const clock = { ms: 0 };
  let serial = 0;
  /** Of the queries that are run. @type {Map<number, number>} */
  const share = new Map();
  const ask = async (/** @type {string} */ method, /** @type {any} */ request) => {
    asked.push(`${method} ${request.kind ?? request.key ?? ''}${method === 'prepare' ? ` ${request.key}` : ''}`);
    if (method === 'limit') return (request.kind === 'madd' ? 60e6 : 30e6) * (1 + 0.01 * (serial++ % 7));
    if (method === 'prepare') {
      if (request.kind === 'huge') throw new AttentionError('too_large', 'tensor', 'no room');
      if (request.kind === 'broken') throw new AttentionError('core_failed', '', 'trapped');
      clock.ms += 20;
      share.set(request.key, request.queries / request.n);
      return { known: request.kind === 'attention', ms: ms[request.key] * request.queries / request.n };
    }
    if (method === 'sample') {
      const one = ms[request.key] * (share.get(request.key) ?? NaN);
      clock.ms += Math.max(one, request.least);
      return one * (1 + 0.01 * (serial++ % 7));
    }
    return undefined;
  };
  return { ask, asked, clock, now: () => clock.ms };
}

test('limits first, then rounds over all jobs in their order; texts that the study reads', async () => {
  const { ask, asked, now } = fakeWatch({ 10: 1, 11: 2 });
  /** @type {string[]} */
  const machines = [];
  /** @type {number[]} */
  const told = [];
  const { machine, times } = await measure(ask, (text) => {
    machines.push(text);
    return [job({ key: 10 }), job({ key: 11, share: 0.25 })];
  }, { now, onProgress: (share) => told.push(share) });
  assert.match(machines.join(), /^61\.\d+,60\.\d+,62\.\d+;30\.\d+,30\.\d+,31\.\d+$/, 'once, before the jobs');
  assert.match(machine, /^61\.\d+,6\d\.\d+,62\.\d+;30\.\d+,30\.\d+,31\.\d+$/);
  assert.match(times, /^10,1\.0\d,1\.0\d,1\.0\d;11,8\.\d\d,8\.\d\d,8\.\d\d$/, 'a run that is a quarter of its workload counts four times');
  assert.deepEqual(asked.slice(0, 14), Array(7).fill(['limit madd', 'limit copy']).flat());
  assert.deepEqual(asked.slice(14, 16), ['prepare attention 10', 'prepare attention 11']);
  assert.deepEqual(asked.slice(16, -1), Array(7).fill(['limit madd', 'limit copy', 'sample 10', 'sample 11']).flat());
  assert.equal(asked.at(-1), 'discard ');
  assert.deepEqual(told, [...told].sort((a, b) => a - b));
  assert.equal(told.at(-1), 1);
});

test('what would take too long, is not known or has no room is left out; a trap is told', async () => {
  const { ask, now } = fakeWatch({ 1: 1, 2: 1, 3: 301, 4: 1, 5: 1 });
  const { times, left } = await measure(ask, () => [
    job({ key: 6, offered: false }), job({ key: 1 }), job({ key: 2, operations: 7e9 }), job({ key: 3 }), job({ key: 4, kind: 'huge' }), job({ key: 5, kind: 'unheard of' }),
  ], { now });
  assert.equal(times.split(';').length, 1);
  assert.match(times, /^1,/);
  assert.deepEqual(left.map(({ key }) => key), [6, 2, 3, 4, 5]);
  assert.equal((await measure(ask, () => [], { now })).times, '');
  await assert.rejects(measure(ask, () => [job({ kind: 'broken' })], { now }), { code: 'core_failed' });
});

test('what takes too long is run on part of its queries, no fewer than may stand for all, and its time is that of all', async () => {
  const jobs = [
    job({ key: 1, n: 512, least: 64 }), job({ key: 2, n: 512, least: 64 }), job({ key: 3, n: 512, least: 64 }),
    job({ key: 4, n: 100, least: 32, operations: 13e9 }), job({ key: 5, n: 100, least: 32, operations: 30e9 }), job({ key: 6, n: 512, least: 64, share: 0.25 }), job({ key: 7, n: 64, least: 64 }),
  ];
  const { ask, asked, now } = fakeWatch({ 1: 5, 2: 1000, 3: 2600, 4: 10, 5: 10, 6: 301, 7: 301 });
  /** @type {[number, number][]} */
  const prepared = [];
  const { times, left } = await measure((method, request) => {
    if (method === 'prepare') prepared.push([/** @type {any} */ (request).key, /** @type {any} */ (request).queries]);
    return ask(method, request);
  }, () => jobs, { now });
  // 60 million operations a millisecond: the fourth is 213 ms by its bound, 68 on 32 queries; half of 100 is 64 in whole portions of 32
  assert.deepEqual(prepared, [[1, 512], [2, 512], [2, 128], [3, 512], [4, 32], [6, 512], [6, 256], [7, 64]]);
  assert.deepEqual(left.map(({ key }) => key), [3, 5, 7], 'too long on 64 of 512, and by its bound on 32 of 100; none may stand for all');
  const rows = times.split(';').map((row) => row.split(',').map(Number));
  assert.deepEqual(rows.map(([key, , , , queries]) => [key, queries]), [[1, 512], [2, 128], [4, 32], [6, 256]]);
  // within the seven hundredths that repetitions differ by
  for (const [key, all] of [[1, 5], [2, 1000], [4, 10], [6, 1204]]) assert.ok(Math.abs(rows.filter(([each]) => each === key)[0][1] / all - 1.03) < 0.031, `${key}`);
  assert.ok(asked.includes('sample 2') && !asked.includes('sample 3'));
});

test('the limits are those of the whole time: one that others took away at first is found', async () => {
  const { ask, now } = fakeWatch({ 1: 1 });
  let asks = 0;
  const { machine } = await measure(async (method, request) => {
    const answer = await ask(method, request);
    return method === 'limit' && ++asks <= 6 ? Number(answer) / 10 : answer;
  }, () => [job({})], { now });
  assert.match(machine, /^6\d/);
});

test('no new round when time is up, but three at least', async () => {
  const slow = fakeWatch({ 1: 290, 2: 290 });
  await measure(slow.ask, () => Array.from({ length: 10 }, (_, i) => job({ key: 1 + i % 2 })), { now: slow.now });
  assert.equal(slow.asked.filter((line) => line.startsWith('sample')).length, 30);
});

test('cancelled between two repetitions: nothing more is asked but to free what there is', async () => {
  const { ask, asked, now } = fakeWatch({ 1: 1 });
  const stop = new AbortController();
  const measured = measure(async (method, request) => {
    if (method === 'sample' && asked.filter((line) => line.startsWith('sample')).length === 2) stop.abort();
    return ask(method, request);
  }, () => [job({})], { now, signal: stop.signal });
  await assert.rejects(measured, { name: 'AttentionError', code: 'cancelled' });
  assert.deepEqual(asked.slice(-2), ['sample 1', 'discard ']);
});

test('the service: what it knows, errors as values, a fresh instance after a trap', async () => {
  let made = 0;
  const service = createFastService(async ({ build }) => {
    if (build !== 'simd') throw new AttentionError('wasm_unreachable', '', 'no such build');
    const { fast } = fakeFast();
    const instance = ++made;
    return { ...fast, attention: (/** @type {any} */ { trap }) => {
      if (trap) throw new AttentionError('core_failed', '', 'unreachable');
      return { instance };
    } };
  });
  const reply = async (/** @type {any} */ method, /** @type {any} */ request) => /** @type {any} */ (await service.handle(call(1, method, [request])));
  assert.equal((await reply('attention', {})).error.code, 'engine_unavailable');
  assert.equal((await service.handle(start({ build: 'relaxed' }))).type, 'failed');
  assert.equal((await service.handle(start({ build: 'simd' }))).type, 'ready');
  assert.equal((await reply('attention', {})).value.instance, 1);
  assert.equal((await reply('attention', { trap: true })).error.code, 'core_failed');
  assert.equal((await reply('attention', {})).value.instance, 2);
  assert.match((await reply('constructor', {})).error.message, /no function 'constructor'/);
  assert.equal((await reply('piece', { queries: {} })).error.param, 'keys');
});
