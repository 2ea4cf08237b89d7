// What a program, or an address, may ask of the fast kernels: how many workers, which build, where the files lie. Nothing is started here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressFault, runOptions } from '../../web/engine/run-options.js';
import { openSeats } from '../../web/engine/seats.js';
import { refuses } from './support.js';

test('seats are asked for by options that exist', async () => {
  await refusedSeats({ worker: 3 }, { code: 'unknown_parameter', param: 'worker', message: 'worker is not an option; there are workers, simd, base' });
  await refusedSeats({ base: 'nowhere', workers: 1 }, { code: 'wrong_type', param: 'base', message: /^base is "nowhere"; give/ });
  await refusedSeats({ base: 3 }, { code: 'wrong_type', param: 'base' });
  for (const bad of [null, 5, 'x']) await refusedSeats(bad, { code: 'wrong_type', param: 'options' });
  for (const bad of ['2', null, {}, true]) await refusedSeats({ workers: bad }, { code: 'wrong_type', param: 'workers', message: /^workers is .+; allowed are whole numbers from 1 to 16$/ });
  for (const bad of [NaN, 1.5, 0, -1, 17]) await refusedSeats({ workers: bad }, { code: 'out_of_range', param: 'workers', message: `workers is ${bad}; allowed are whole numbers from 1 to 16` });
  for (const bad of [null, '', 5]) await refusedSeats({ simd: bad }, { code: 'unknown_choice', param: 'simd', message: /^simd is .+; allowed are "auto", "simd" and "relaxed"$/ });
});

/** @param {any} asked @param {object} error */
const refusedSeats = (asked, error) => assert.rejects(openSeats(asked), { name: 'AttentionError', ...error });

test('?workers= is checked, a program’s word counts more, and the machine decides where nobody asks', () => {
  assert.deepEqual(runOptions({}, '?workers=3&simd=simd', 8), { workers: 3, simd: 'simd' });
  assert.deepEqual(runOptions({ workers: 2, simd: 'relaxed' }, '?workers=3&simd=simd', 8), { workers: 2, simd: 'relaxed' });
  assert.deepEqual([1, 2, 64].map((processors) => runOptions({}, '?plate=cost', processors).workers), [1, 2, 4]);
  assert.equal(runOptions({}, '?workers=16', 2).workers, 16);
  for (const bad of ['0', '17', '-1', '2.5', 'two', '', '1e1', ' 2', '99999999999999999999']) {
    refuses(() => runOptions({}, `?workers=${encodeURIComponent(bad)}`, 2), { code: 'out_of_range', param: 'workers', message: /whole numbers from 1 to 16/ });
  }
  refuses(() => runOptions({}, '?simd=avx', 2), { code: 'unknown_choice', param: 'simd', message: /"auto", "simd" and "relaxed"/ });
  // one thread asks nothing of the number of workers
  for (const fine of ['', '?workers=2&simd=relaxed', '?workers=abc', '?workers=2&workers=99']) assert.equal(addressFault(fine), '');
  assert.equal(addressFault('?workers=two&simd=avx'), 'simd is "avx"; allowed are "auto", "simd" and "relaxed"');
  assert.equal(addressFault('?simd=simd&simd=relaxed'), 'simd is "simd, relaxed"; allowed are "auto", "simd" and "relaxed"', 'given twice');
  refuses(() => runOptions({}, '?workers=2&workers=99', 2), { code: 'out_of_range', param: 'workers' });
  assert.deepEqual(runOptions({ workers: undefined, simd: undefined }, '?workers=3&simd=simd', 8), { workers: 3, simd: 'simd' });
  for (const bad of [0, 17, 1.5, NaN]) refuses(() => runOptions({ workers: bad }, '', 2), { code: 'out_of_range', param: 'workers' });
  for (const bad of ['2', '2 ', null, {}]) refuses(() => runOptions({ workers: bad }, '?workers=2', 2), { code: 'wrong_type', param: 'workers' });
  refuses(() => runOptions({ simd: null }, '?simd=simd', 2), { code: 'unknown_choice', param: 'simd', message: /^simd is null;/ });
});
