// The exact core and the code of those who call it: what a function or a getter of theirs throws comes back as it is and leaves a module that works, calls
// may be made from within calls, and refusals name the argument that was given, its own axes and the fields there are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { loadCore } from './support.js';

const core = await loadCore();
const loose = /** @type {any} */ (core);
/** @param {() => unknown} action @param {{code: string, param: string, message?: string | RegExp}} wanted */
const refused = (action, wanted) => assert.throws(action, { name: 'AttentionError', ...wanted });
/** A run that tells its share once. */
const short = { keys: 2, k: 1, rows: 100 };
const ones = (/** @type {number[]} */ ...shape) => ({ data: new Float32Array(shape.reduce((size, axis) => size * axis, 1)).fill(1), shape });
const works = () => assert.deepEqual([...core.maskedSoftmax(Float64Array.of(1, 1), [1, 1, 2]).weights], [0.5, 0.5]);

test('what progress throws ends the run and is thrown as it is, 5000 times in a row', () => {
  const expected = core.run('jacobian', short);
  for (let i = 0; i < 5000; ++i) {
    const mine = i % 2 === 0 ? new RangeError(`mine ${i}`) : { i };
    try {
      core.run('jacobian', short, () => { throw mine; });
      assert.fail('nothing was thrown');
    } catch (thrown) {
      if (thrown !== mine) throw thrown;
    }
  }
  works();
  assert.deepEqual(core.run('jacobian', short), expected);
  // undefined can be thrown, too
  let caught = false;
  try { core.run('jacobian', short, () => { throw undefined; }); } catch (thrown) { caught = thrown === undefined; }
  assert.ok(caught);
});

test('a run that is stopped goes no further, and the next one is whole', () => {
  for (const [id, params] of /** @type {[string, Record<string, any>][]} */ ([['ledger', { runs: 40, generator: 'jax' }], ['seeds', { count: 40 }], ['batched', {}], ['jacobian', {}], ['saturation', { generator: 'torch', draws: 8 }]])) {
    for (const last of id === 'seeds' || id === 'batched' ? [1] : [1, 2]) {
      let told = 0;
      const stop = new Error('stop');
      assert.throws(() => core.run(id, params, () => { if (++told === last) throw stop; }), (thrown) => thrown === stop, id);
      assert.equal(told, last, id);
    }
  }
  const fresh = { generator: 'torch', draws: 8, seed: 3 };
  const stop = new Error('stop');
  assert.throws(() => core.run('saturation', fresh, () => { throw stop; }), (thrown) => thrown === stop);
  let told = 0;
  const whole = core.run('saturation', fresh, () => { ++told; });
  assert.ok(told > 2);
  assert.deepEqual(whole, core.run('saturation', fresh));
});

test('what a getter throws is thrown as it is, and nothing of the call is left behind', () => {
  const mine = new RangeError('mine');
  /** @param {object} base @param {string} name */
  const trap = (base, name) => Object.defineProperty({ ...base }, name, { enumerable: true, get() { throw mine; } });
  const entry = (/** @type {number} */ at) => Object.defineProperty([1, 1, 2], at, { get() { throw mine; } });
  const scores = Float32Array.of(1, 2), shape = [1, 1, 2];
  const calls = [
    ...['validLens', 'mask', 'expression', 'bias', 'biasDtype'].map((name) => () => core.maskedSoftmax(scores, shape, trap({}, name))),
    () => core.maskedSoftmax(scores, entry(1)),
    () => core.maskedSoftmax(scores, shape, { validLens: entry(0) }),
    () => core.maskedSoftmax(scores, new Proxy(shape, { get() { throw mine; } })),
    () => loose.composeMasks([trap({}, 'data')]),
    () => loose.batchMatmul(ones(1, 1, 1), trap({}, 'shape')),
    () => loose.attention(ones(1, 1, 1), ones(1, 1, 1), ones(1, 1, 1), { dropout: trap({}, 'rate') }),
    () => loose.scores(trap({ rule: 'bilinear' }, 'matrix'), ones(1, 1, 1), ones(1, 1, 1)),
    () => loose.randomArrays({ generator: 'torch', seed: 0, calls: [trap({}, 'shape')] }),
    () => loose.attentionStats(trap({}, 'd')),
    () => loose.maskCells('causal', trap({}, 'queries')),
    () => loose.additiveBias('causal', { queries: 1, keys: 1 }, trap({}, 'fill')),
    () => core.run('saturation', trap({}, 'd')),
    () => core.repair('saturation', trap({}, 'd')),
    () => core.run('saturation', new Proxy({}, { ownKeys() { throw mine; } })),
  ];
  for (let round = 0; round < 350; ++round) {
    for (const [index, call] of calls.entries()) {
      let thrown;
      try { call(); } catch (reason) { thrown = reason; }
      if (thrown !== mine) assert.fail(`call ${index}: ${thrown}`);
    }
  }
  works();
});

test('arguments may be of classes, with their fields where those have them', () => {
  class Tensor {
    #data;
    constructor(/** @type {number[]} */ ...values) { this.#data = Float64Array.from(values); }
    get data() { return this.#data; }
    get shape() { return [1, 1, this.#data.length]; }
  }
  assert.deepEqual([.../** @type {any} */ (core.softmaxGradient(new Tensor(0.5, 0.5), new Tensor(1, 0))).data], [0.25, -0.25]);
  class Options { get expression() { return 'padding(1)'; } }
  assert.deepEqual([...core.maskedSoftmax(Float32Array.of(1, 2), [1, 1, 2], new Options()).weights], [1, 0]);
});

test('progress is a function; a study may be run from within, and the outer one goes on', () => {
  for (const [progress, text] of /** @type {[any, string][]} */ ([[5, '5'], ['x', '"x"'], [null, 'null'], [{}, 'an object']])) {
    refused(() => core.run('jacobian', short, progress), { code: 'wrong_type', param: 'progress', message: `progress is ${text}; give a function` });
  }
  // both keep what they have drawn for the next run
  const params = { generator: 'torch', draws: 16, d: 6 }, others = { generator: 'torch', draws: 8, d: 64 };
  const [outer, inner] = [core.run('saturation', params), core.run('saturation', others)];
  let plain = 0, told = 0, within = 0;
  core.run('saturation', { ...params, seed: 1 }, () => { ++plain; });
  const result = core.run('saturation', params, () => {
    ++told;
    assert.deepEqual(core.run('saturation', others, () => { ++within; }), inner);
    works();
  });
  assert.deepEqual(result, outer);
  assert.equal(told, plain);
  assert.ok(within > 0);
  // an error of the inner one is the caller's own, if it is not caught
  refused(() => core.run('jacobian', short, () => { core.run('saturation', { d: 3 }); }), { code: 'out_of_range', param: 'd' });
  works();
});

test('fields nobody knows are refused by name, with those there are', () => {
  const cell = { data: Uint8Array.of(1), shape: [1, 1, 1] };
  for (const [call, param, known] of /** @type {[() => unknown, string, string][]} */ ([
    [() => loose.batchMatmul({ ...ones(1, 1, 1), strides: [9, 9, 9] }, ones(1, 1, 1)), 'a.strides', 'data, shape'],
    [() => loose.attention(ones(1, 1, 1), { ...ones(1, 1, 1), dtype: 'float32' }, ones(1, 1, 1)), 'keys.dtype', 'data, shape'],
    [() => loose.scores({ rule: 'bilinear', matrix: { ...ones(1, 1), transpose: true } }, ones(1, 1, 1), ones(1, 1, 1)), 'matrix.transpose', 'data, shape'],
    [() => loose.composeMasks([cell, { ...cell, invert: true }]), 'masks[1].invert', 'data, shape, emptyRows'],
    [() => loose.randomArrays({ generator: 'torch', seed: 0, calls: [{ call: 'rand', shape: [1] }, { call: 'rand', shape: [1], dType: 'float64' }] }), 'calls[1].dType', 'call, shape, dtype'],
  ])) refused(call, { code: 'unknown_parameter', param, message: `${param} is not a field; there are ${known}` });
  refused(() => loose.randomArrays({ generator: 'torch', seed: 0, calls: [], device: 'cuda' }), { code: 'unknown_parameter', param: 'device', message: 'device is not an option; there are generator, seed, calls' });
  // what one function gives another takes
  assert.deepEqual([...core.composeMasks([core.composeMasks([cell, cell]), core.composeMasks([cell])]).data], [1]);
});

test('refusals name the argument that was given', () => {
  const [scores, shape] = [Float32Array.of(1, 2), [1, 1, 2]];
  const [q, k, v] = [ones(1, 2, 3), ones(1, 4, 3), ones(1, 4, 2)];
  for (const value of [5, null, new String('causal')]) {
    refused(() => loose.maskedSoftmax(scores, shape, { expression: value }), { code: 'wrong_type', param: 'expression', message: /^expression is / });
    refused(() => loose.attention(q, k, v, { expression: value }), { code: 'wrong_type', param: 'expression' });
    refused(() => loose.parseMask(value), { code: 'wrong_type', param: 'text', message: /^text is / });
  }
  refused(() => core.attention(q, k, v, { expression: 'causal &' }), { code: 'syntax', param: 'expression', message: /^expression: at character 9/ });
  refused(() => core.maskedSoftmax(scores, shape, { expression: 'padding(3)' }), { code: 'out_of_range', param: 'expression', message: /^expression: / });
  refused(() => core.maskReport('rows(1, 1)', { queries: 4, keys: 4 }), { code: 'wrong_shape', param: 'text', message: /^text: / });
  for (const dtype of ['float64', 'int8']) {
    const allowed = `is "${dtype}"; allowed are float32, float16 and bfloat16, whose lowest values a float holds`;
    refused(() => loose.additiveBias('causal', { queries: 2, keys: 2 }, { dtype }), { code: 'unknown_choice', param: 'dtype', message: `dtype ${allowed}` });
    refused(() => loose.maskedSoftmax(scores, shape, { bias: Float32Array.of(0, 0), biasShape: shape, biasDtype: dtype }), { code: 'unknown_choice', param: 'biasDtype', message: `biasDtype ${allowed}` });
  }
  // the lowest float throughout is an empty row in the format that has it
  assert.deepEqual([...core.maskedSoftmax(scores, shape, { bias: new Float32Array(2).fill(-3.4028234663852886e38), biasShape: shape, biasDtype: 'float32' }).emptyRows], [0]);
  refused(() => core.attentionStats({ d: 65536, numKeys: 65536, numQueries: 65536 }), { code: 'too_large', param: 'numQueries',
    message: /^numQueries is 65536, numKeys 65536 and d 65536: every query has keys of its own, 281474976710656 numbers in all; allowed are \d+$/ });
});

test('arrays of another frame or of a class of one’s own are arrays; buffers that were moved away are named', () => {
  const foreign = runInNewContext('({ scores: Float32Array.of(1, 1), shape: [1, 1, 2], options: { mask: Uint8Array.of(1, 0), maskShape: [1, 1, 2] }, map: new Map() })');
  assert.ok(!(foreign.scores instanceof Float32Array));
  assert.deepEqual([...core.maskedSoftmax(foreign.scores, foreign.shape, foreign.options).weights], [1, 0]);
  refused(() => core.maskedSoftmax(foreign.scores, foreign.shape, foreign.map), { code: 'wrong_type', param: 'options', message: /^options is a Map; give an object with validLens, / });
  assert.deepEqual([...core.maskedSoftmax(new (class Scores extends Float64Array {})(2), [1, 1, 2]).weights], [0.5, 0.5]);
  const data = new Float32Array(1);
  structuredClone(data, { transfer: [data.buffer] });
  refused(() => core.batchMatmul({ data, shape: [1, 1, 1] }, ones(1, 1, 1)), { code: 'wrong_type', param: 'a.data', message: 'a.data is a Float32Array whose elements have been moved away with its buffer; give one that has them' });
  for (const [given, kind] of /** @type {[unknown, string][]} */ ([[[1, 1], 'an array'], [new Map(), 'an object'], [new Int8Array(2), 'an Int8Array'], [1n, 'bigint'], [true, 'true'], [() => 1, 'a function']])) {
    refused(() => loose.maskedSoftmax(given, [1, 1, 2]), { code: 'wrong_type', param: 'scores', message: `scores is ${kind}; give a Float32Array or a Float64Array` });
  }
});

test('names and texts that only look like others are what they are', () => {
  const odd = JSON.parse('{ "__proto__": 5, "queries": 1, "keys": 1 }');
  refused(() => core.maskCells('causal', odd), { code: 'unknown_parameter', param: '__proto__', message: '__proto__ is not an option; there are batch, heads, queries, keys' });
  refused(() => core.maskedSoftmax(Float32Array.of(1), [1, 1, 1], odd), { code: 'unknown_parameter', param: '__proto__' });
  refused(() => core.run('jacobian', odd), { code: 'unknown_parameter', param: '__proto__' });
  // half a pair of code units, and a control
  refused(() => core.parseMask('\ud800 & causal'), { code: 'syntax', param: 'text', message: 'text: at character 1, expected a term, ~ or (, found "\ufffd"' });
  refused(() => core.parseMask('causal & \u001b[31m'), { code: 'syntax', param: 'text', message: 'text: at character 10, expected a term, ~ or (, found "\\u001b"' });
  refused(() => core.maskCells('causal', /** @type {any} */ ({ queries: 1, keys: 1, 'a\nb': 1 })), { code: 'unknown_parameter', param: 'a\nb', message: /^"a\\nb" is not an option/ });
  refused(() => loose.maskCells('causal', { queries: 1, keys: 1, ['x'.repeat(500)]: 1 }), { code: 'unknown_parameter', param: 'x'.repeat(500), message: /^"x{40}…" is not an option/ });
});

test('axes are those of the argument', () => {
  const flat = ones(2, 3), [q, k, v] = [ones(1, 2, 3), ones(1, 4, 3), ones(1, 4, 2)];
  const wide = (/** @type {any} */ { data, shape }) => ({ data: Float64Array.from(data), shape });
  for (const [call, param, axes] of /** @type {[() => unknown, string, string][]} */ ([
    [() => core.batchMatmul(flat, k), 'a', 'batch, n, k'],
    [() => core.batchMatmul(q, flat), 'b', 'batch, k, m'],
    [() => core.attention(flat, k, v), 'queries', 'batch, queries, width'],
    [() => core.attention(q, flat, v), 'keys', 'batch, keys, width'],
    [() => core.attention(q, k, flat), 'values', 'batch, keys, width'],
    [() => core.dropout(flat, { rate: 0.5 }), 'values', 'batch, rows, columns'],
    [() => core.softmaxGradient(wide(flat), wide(q)), 'weights', 'batch, queries, keys'],
    [() => core.scoresGradient('dot', wide(q), wide(k), wide(flat)), 'upstream', 'batch, queries, keys'],
    [() => core.attentionGradient(wide(q), wide(k), wide(v), wide(flat)), 'upstream', 'batch, queries, width'],
    [() => core.maskedSoftmax(flat.data, flat.shape), 'scores', 'batch, queries, keys'],
  ])) refused(call, { code: 'wrong_shape', param, message: `${param} has shape (2, 3); allowed are three axes (${axes})` });
});

test('a shape of very many axes is told in few words', () => {
  const shape = new Array(10_000).fill(1);
  refused(() => core.maskedSoftmax(Float32Array.of(1), shape), { code: 'wrong_shape', param: 'scores', message: 'scores has shape (1, 1, 1, 1, 1, 1, 1, 1, and 9992 more); allowed are three axes (batch, queries, keys)' });
  refused(() => core.batchMatmul({ data: Float32Array.of(1), shape: [1] }, ones(1, 1, 1)), { code: 'wrong_shape', param: 'a', message: 'a has shape (1,); allowed are three axes (batch, n, k)' });
});
