// What callers give the fast kernels, before anything runs: each refusal names the argument, the entry, what it is and what is allowed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { arrayTensor, checkedData, checkedLengths, checkedMask, checkedShape, count, fourSizes, knownOptions, onlyFields, sameAxes, shown } from '../../web/engine/fast-checks.js';

/** @param {() => unknown} action @param {string} code @param {string} param @param {string} message */
const refused = (action, code, param, message) => assert.throws(action, { name: 'AttentionError', code, param, message });

test('values are shown as they are, others by their kind', () => {
  for (const [value, text] of /** @type {[unknown, string][]} */ ([
    [2.5, '2.5'], [NaN, 'NaN'], [null, 'null'], [undefined, 'undefined'], [true, 'true'], ['x'.repeat(50), `"${'x'.repeat(40)}…"`], [7n, '7n'], [Symbol('a'), 'a symbol'], [() => 1, 'a function'],
    [[1], 'an array'], [{}, 'an object'], [Object.create(null), 'an object'], [new Float64Array(1), 'a Float64Array'], [new Int32Array(1), 'an Int32Array'], [new Uint8Array(1), 'a Uint8Array'],
    [new DataView(new ArrayBuffer(1)), 'a DataView'], [new ArrayBuffer(1), 'an ArrayBuffer'], [new Map(), 'a Map'], [new URL('file:///x'), 'a URL'],
    ['a\n\u0000\u001b\u009b\u202e"', '"a\\n\\u0000\\u001b\\u009b\\u202e\\""'], [{ [Symbol.toStringTag]: 'M\n' }, 'a "M\\n"'],
  ])) assert.equal(shown(value), text);
});

test('a tensor that is none says what is wrong with it: itself, its data, their kind', () => {
  const shape = [1, 2, 2];
  const data = (/** @type {unknown} */ given, /** @type {string} */ kind) => refused(() => arrayTensor('queries', { data: given, shape }), 'wrong_type', 'queries.data', `queries.data is ${kind}; give a Float32Array`);
  data(new Float64Array(4), 'a Float64Array');
  data(new Int32Array(4), 'an Int32Array');
  data(new Uint8Array(4), 'a Uint8Array');
  data(new BigInt64Array(4), 'a BigInt64Array');
  data([1, 2, 3, 4], 'an array');
  data({ length: 4 }, 'an object');
  data(new ArrayBuffer(16), 'an ArrayBuffer');
  data('1234', '"1234"');
  data(null, 'null');
  data(undefined, 'undefined');
  refused(() => arrayTensor('keys', { shape }), 'wrong_type', 'keys.data', 'keys.data is undefined; give a Float32Array');
  refused(() => arrayTensor('keys', { data: new Float32Array(4) }), 'wrong_type', 'keys.shape', 'keys.shape is undefined; give an array of sizes');
  for (const [value, kind] of /** @type {[unknown, string][]} */ ([[5, '5'], [null, 'null'], [undefined, 'undefined'], ['q', '"q"'], [new Float32Array(4), 'a Float32Array'], [[1, 2], 'an array'], [{}, 'an object'], [() => 1, 'a function']])) {
    refused(() => arrayTensor('values', value), 'wrong_type', 'values', `values is ${kind}; give a FastTensor, or {data, shape} with a Float32Array`);
  }
  refused(() => arrayTensor('keys', { data: new Float32Array(3), shape }), 'wrong_shape', 'keys', 'keys has 3 values; its shape (1, 2, 2) has 4');
  // those of another frame are no instances of this one's class
  const foreign = runInNewContext('({ data: Float32Array.of(1, 2, 3, 4) })');
  assert.ok(!(foreign.data instanceof Float32Array));
  assert.deepEqual([...arrayTensor('queries', { data: foreign.data, shape }).data], [1, 2, 3, 4]);
});

test('shapes and numbers: the entry, and what it may be', () => {
  const integers = 'allowed are integers from 0 to 4294967295';
  refused(() => checkedShape('keys', new Uint32Array([1, 2])), 'wrong_type', 'keys.shape', 'keys.shape is a Uint32Array; give an array of sizes');
  refused(() => checkedShape('keys', [1, '2']), 'wrong_type', 'keys.shape', `keys.shape[1] is "2"; ${integers}`);
  refused(() => checkedShape('keys', new Array(2)), 'wrong_type', 'keys.shape', `keys.shape[0] is undefined; ${integers}`);
  refused(() => checkedShape('keys', [1, 2.5]), 'not_an_integer', 'keys.shape', `keys.shape[1] is 2.5; ${integers}`);
  refused(() => checkedShape('keys', [-1]), 'out_of_range', 'keys.shape', `keys.shape[0] is -1; ${integers}`);
  refused(() => count('first', NaN), 'not_an_integer', 'first', `first is NaN; ${integers}`);
  refused(() => count('rows.heads', 0, 'rows', 1, 9), 'out_of_range', 'rows', 'rows.heads is 0; allowed are integers from 1 to 9');
  refused(() => checkedData('tensor', [2], [1, 'a']), 'wrong_type', 'tensor.data', 'tensor.data[1] is "a"; give a number');
  // of no elements, too: Float32Array.set would throw of itself
  for (const size of [0, 3]) refused(() => checkedData('tensor', [size], new BigInt64Array(size)), 'wrong_type', 'tensor.data', 'tensor.data is a BigInt64Array; give an array of numbers');
  refused(() => checkedData('tensor', [3], new DataView(new ArrayBuffer(3))), 'wrong_type', 'tensor.data', 'tensor.data is a DataView; give an array of numbers');
  refused(() => checkedData('tensor', [2], { length: 1.5 }), 'wrong_type', 'tensor.data', 'tensor.data is an object; give an array of numbers');
  refused(() => fourSizes('scores', [2, 3]), 'wrong_shape', 'scores', 'scores has 2 axes; allowed are 3 (batch, rows, width) and 4 (batch, heads, rows, width)');
  refused(() => sameAxes('queries', [1, 2, 3], { keys: [1, 1, 2, 3] }), 'wrong_shape', 'keys', 'keys has 4 axes and queries 3; give both as many');
});

test('options, masks and lengths', () => {
  for (const [none, kind] of /** @type {[unknown, string][]} */ ([[[1], 'an array'], [new Map(), 'a Map'], [Promise.resolve(), 'a Promise'], [new Date(0), 'a Date'], [new Float32Array(1), 'a Float32Array'], [null, 'null'], [() => 1, 'a function']])) {
    refused(() => knownOptions(none, ['a', 'b']), 'wrong_type', 'options', `options is ${kind}; give an object with a, b`);
  }
  for (const fine of [{}, Object.create(null), Object.freeze({ a: 1 }), new (class { get a() { return 1; } })()]) knownOptions(fine, ['a', 'b']);
  refused(() => knownOptions({ c: 1 }, ['a', 'b']), 'unknown_parameter', 'c', 'c is not an option; there are a, b');
  refused(() => knownOptions({ 'a\n\u202eb': 1 }, ['a']), 'unknown_parameter', 'a\n\u202eb', '"a\\n\\u202eb" is not an option; there are a');
  refused(() => onlyFields('queries', { 'da ta': 1 }, ['data']), 'unknown_parameter', 'queries.da ta', 'queries."da ta" is not a field; there are data');
  refused(() => knownOptions('a', ['a', 'b'], 'rows'), 'wrong_type', 'rows', 'rows is "a"; give an object with a, b');
  refused(() => checkedMask({ mask: [[true]] }), 'wrong_type', 'mask', 'mask is an array; give a mask expression as text, such as "causal"');
  refused(() => checkedMask({ mask: 'causal', spans: () => [] }), 'wrong_type', 'mask', 'mask and spans are both given; give one');
  const lengths = (/** @type {unknown} */ given, /** @type {string} */ message, code = 'wrong_type') => refused(() => checkedLengths(given, 2, 3), code, 'validLens', message);
  const integers = 'allowed are integers from 0 to the number of keys';
  lengths(5, 'validLens is 5; give an array of 2 lengths, or of 2 arrays of 3 lengths');
  lengths(new Set([1, 2]), 'validLens is a Set; give an array of 2 lengths, or of 2 arrays of 3 lengths');
  lengths([1], 'validLens has 1 entries; the batch has 2', 'wrong_shape');
  lengths([1, 2n], `validLens[1] is 2n; ${integers}`);
  lengths([1, [2, 3, 4]], `validLens[1] is an array; ${integers}`);
  lengths([[1, 2, 3], 4], 'validLens[1] is 4; give an array of 3 lengths, as validLens[0] is');
  lengths([[1, 2, 3], [4]], 'validLens[1] has 1 entries; there are 3 queries', 'wrong_shape');
  lengths([[1, 2, 3], [4, undefined, 5]], `validLens[1][1] is undefined; ${integers}`);
});
