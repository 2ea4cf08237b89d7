// What the fast calls hold of their arguments: a tensor's sizes cannot be changed from outside, views of the module's own memory are read where they lie
// however the memory grows, and a tensor has no fields but its own.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { checkedData, shapeText } from '../../web/engine/fast-checks.js';
import { loadFast } from '../../web/engine/fast.js';
import { drawsFrom, wasmDir } from './support.js';

const read = (/** @type {string} */ of) => ({ wasmBytes: new Uint8Array(readFileSync(`${wasmDir}/${of}.wasm`)) });
const load = () => loadFast({ simd: 'simd', sources: { simd: read('attn-fast'), relaxed: read('attn-fast'), spans: read('attn-spans') } });

test('a tensor is as large as it was made: assigning sizes, addresses or memories is refused', async () => {
  const fast = await load();
  const [output, other] = [fast.tensor([1, 1, 1]), fast.tensor([1, 64, 64], new Float32Array(4096).fill(7))];
  for (const [name, value] of /** @type {[string, unknown][]} */ ([['shape', [1, 64, 64]], ['size', 4096], ['address', 0], ['memory', null], ['view', new Float32Array(4096)]])) {
    // modules are strict code; in sloppy code the assignment is ignored
    assert.throws(() => { /** @type {any} */ (output)[name] = value; }, TypeError, name);
    assert.equal(Reflect.set(output, name, value), false, name);
  }
  assert.throws(() => { /** @type {any} */ (output.shape)[1] = 64; }, TypeError);
  assert.deepEqual([output.shape, output.size, output.view.length], [[1, 1, 1], 1, 1]);
  const a = { data: new Float32Array(512).fill(1), shape: [1, 64, 8] };
  assert.throws(() => fast.batchMatmul({ a, b: a, transposeB: true, output }), { code: 'wrong_shape', param: 'output' });
  assert.ok(other.view.every((value) => value === 7));
});

test('operands that are views of the module’s memory are read where they lie, though copying those before makes it grow', async () => {
  const draw = drawsFrom(17);
  const some = (/** @type {number} */ size) => Float32Array.from({ length: size }, () => draw(2001) / 1000 - 1);
  // each copy takes 2 MB, and the module has little room to spare: the first, the second or the third of a call makes it grow
  const [n, d] = [8192, 64];
  const fast = await load();
  let grew = 0;
  for (let filler = 0; filler < 5; ++filler) {
    const tensors = [1, 2, 3].map(() => fast.tensor([1, n, d], some(n * d)));
    const part = (/** @type {number} */ which) => tensors[which].view.subarray(0, 16 * d);
    const plain = (/** @type {number} */ which) => ({ data: part(which).slice(), shape: [1, 16, d] });
    const expected = fast.additiveScores({ queries: plain(1), keys: plain(0), w: { data: part(2).slice(0, d), shape: [d] } });
    const weighed = fast.attention({ queries: plain(0), keys: plain(1), values: plain(2), validLens: [3] });
    const before = fast.memoryBytes;
    const keys = tensors[0].view;
    // the large operand first, so that the others are copied from memory that has moved
    const found = fast.batchMatmul({ a: { data: keys, shape: [1, n, d] }, b: { data: part(1), shape: [1, 16, d] }, transposeB: true });
    grew += Number(fast.memoryBytes > before);
    assert.deepEqual(found, fast.batchMatmul({ a: { data: tensors[0].view.slice(), shape: [1, n, d] }, b: plain(1), transposeB: true }));
    assert.deepEqual(fast.additiveScores({ queries: { data: part(1), shape: [1, 16, d] }, keys: { data: part(0), shape: [1, 16, d] }, w: { data: part(2).subarray(0, d), shape: [d] } }), expected);
    const lengths = fast.tensor([1], [3]);
    assert.deepEqual(fast.attention({ queries: { data: part(0), shape: [1, 16, d] }, keys: { data: part(1), shape: [1, 16, d] }, values: { data: part(2), shape: [1, 16, d] }, validLens: lengths.view }), weighed);
  }
  assert.ok(grew > 0, 'the memory grew in none of the calls');
});

test('valid lengths in the module’s memory are read before it grows', async () => {
  const fast = await load();
  const lengths = fast.tensor([1], [2]);
  const keys = fast.tensor([1, 4, 64], new Float32Array(256).fill(1));
  const before = fast.memoryBytes;
  // 16 MB of queries, copied in while the lengths lie there
  const { output } = fast.attention({ queries: { data: new Float32Array(65536 * 64), shape: [1, 65536, 64] }, keys: { data: keys.view, shape: [1, 4, 64] }, values: { data: Float32Array.of(1, 3, NaN, NaN), shape: [1, 4, 1] }, validLens: lengths.view });
  assert.ok(fast.memoryBytes > before);
  assert.deepEqual([...output.data.subarray(0, 3)], [2, 2, 2]);
});

test('a tensor has data and a shape and nothing else', async () => {
  const fast = await load();
  const a = { data: new Float32Array(6), shape: [1, 2, 3] };
  for (const name of ['strides', 'offset', 'dtype']) {
    assert.throws(() => fast.batchMatmul({ a, b: /** @type {any} */ ({ ...a, [name]: 0 }), transposeB: true }), { code: 'unknown_parameter', param: `b.${name}`, message: `b.${name} is not a field; there are data, shape` });
  }
});

test('shapes in messages are as short as the core’s, however many axes they have', () => {
  assert.deepEqual([[], [3], [2, 3], [1, 2, 3, 4, 5, 6, 7, 8]].map(shapeText), ['()', '(3,)', '(2, 3)', '(1, 2, 3, 4, 5, 6, 7, 8)']);
  assert.equal(shapeText(new Array(1_000_000).fill(1)), '(1, 1, 1, 1, 1, 1, 1, 1, and 999992 more)');
  assert.throws(() => checkedData('queries', new Array(1_000_000).fill(1), new Float32Array(2)), (/** @type {any} */ error) => error.param === 'queries' && error.message.length < 120);
});

test('what an argument does while it is read spoils no call: getters throw what they throw, calls within a call are refused', async () => {
  const fast = await load();
  const draw = drawsFrom(5);
  const tensor = () => fast.tensor([1, 40, 8], Float32Array.from({ length: 320 }, () => draw(1000) / 500 - 1));
  const [queries, keys, values] = [tensor(), tensor(), tensor()];
  const mine = new RangeError('mine');
  assert.throws(() => fast.attention({ queries, keys, values, get mask() { return ((/** @returns {string} */ () => { throw mine; })()); } }), (thrown) => thrown === mine);
  const wanted = fast.attention({ queries, keys, values, validLens: [30] }).output.view.slice();
  // an option is read before the call begins: what its getter calls is a call by itself
  const found = fast.attention({ queries, keys, values, get validLens() { fast.maskedSoftmax({ scores: queries, output: tensor() }); return [30]; } });
  assert.deepEqual(found.output.view, wanted);
  // an entry is read while the call is made
  const lens = { length: 1, get 0() { fast.maskedSoftmax({ scores: keys, output: tensor() }); return 30; } };
  assert.throws(() => fast.attention({ queries, keys, values, validLens: /** @type {any} */ (lens) }), { name: 'AttentionError', param: 'options', message: /make that call before/ });
  assert.deepEqual(fast.attention({ queries, keys, values, validLens: [30] }).output.view, wanted);
});
