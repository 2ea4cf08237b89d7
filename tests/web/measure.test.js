// The measure button's conversation: nothing before it is asked, progress in words, what is set and when, cancelling, failures in a sentence.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AttentionError } from '../../web/engine/errors.js';
import { keptOf, Measuring } from '../../web/elements/measure.js';
import { turn } from './support.js';

/** @import { Meter as Declared } from '../../web/chart/types.js' */

/** @type {Declared} */
const declared = { params: ['machine', 'times'], jobs: (result) => /** @type {any} */ ([{ key: result.params.n, name: `job ${result.params.n}` }]) };

/** A plate and a meter whose every step is the test's decision. */
function setting() {
  const log = /** @type {any[]} */ ([]);
  const steps = /** @type {any} */ ({});
  /** @type {Record<string, any>} */
  const params = { n: 7, machine: '', times: '' };
  const meter = {
    build: 'relaxed', kind: 'worker', close: () => log.push('closed'),
    measure: (/** @type {any} */ jobsFor, /** @type {any} */ options) => new Promise((resolve, reject) => {
      Object.assign(steps, { jobsFor, ...options, resolve, reject });
      options.signal.addEventListener('abort', () => reject(new AttentionError('cancelled', '', 'The measurement was cancelled.')));
    }),
  };
  const measuring = new Measuring({
    base: () => 'https://host.example/site/',
    result: () => ({ study: 'cost', params: { ...params }, series: {} }),
    set: (given) => { log.push(given); Object.assign(params, given); },
    changed: () => {},
  }, async (base) => {
    log.push(`opened ${base}`);
    if (steps.refuse) throw steps.refuse;
    return /** @type {any} */ (meter);
  });
  const view = () => measuring.view(declared, params);
  return { measuring, view, log, steps, params };
}

test('asked for: the roof as soon as it is known, everything at the end, and the meter is let go', async () => {
  const { measuring, view, log, steps } = setting();
  assert.deepEqual([view().running, view().measured, view().words, log], [false, false, '', []], 'nothing of it is loaded before');
  view().measure();
  assert.equal(view().words, 'measuring… 0%');
  await turn();
  assert.deepEqual(log, ['opened https://host.example/site/']);
  assert.deepEqual(steps.jobsFor('60,59,61;30,29,31'), [{ key: 7, name: 'job 7' }], 'the jobs are the study’s');
  assert.deepEqual(log.at(-1), { machine: '60,59,61;30,29,31' });
  steps.onProgress(0.47);
  assert.deepEqual([view().words, measuring.share, view().running], ['measuring… 40%', 0.47, true]);
  steps.resolve({ machine: '60,59,61;30,29,31', times: '7,1,1,1', left: [] });
  await turn();
  assert.deepEqual(log.slice(-2), [{ machine: '60,59,61;30,29,31', times: '7,1,1,1' }, 'closed']);
  assert.deepEqual([view().words, view().measured, view().running, measuring.share, measuring.build], ['Measured with relaxed SIMD, in a worker.', true, false, null, 'relaxed']);
  view().forget();
  assert.deepEqual([log.at(-1), view().measured], [{ machine: '', times: '' }, false]);
});

test('the button cancels what is under way: nothing more is set, and it can begin again', async () => {
  const { measuring, view, log, steps } = setting();
  view().measure();
  await turn();
  const first = { ...steps };
  view().measure();
  assert.deepEqual([view().words, view().running, measuring.share], ['Cancelled.', false, null]);
  await turn();
  assert.equal(log.at(-1), 'closed');
  first.onProgress(0.9);
  first.jobsFor('1,1,1;1,1,1');
  assert.equal(log.at(-1), 'closed');
  assert.equal(view().words, 'Cancelled.');
  view().measure();
  measuring.cancel('The sizes have changed.');
  assert.equal(view().words, 'The sizes have changed.');
  await turn();
  assert.equal(log.at(-1), 'closed', 'a meter that opens too late is let go');
  assert.equal(log.filter((line) => String(line).startsWith('opened')).length, 2);
  measuring.cancel();
  assert.equal(view().words, 'The sizes have changed.', 'nothing to cancel');
});

test('measured again and cancelled, the roof and the times on show are still of one run', async () => {
  const { view, log, steps, params } = setting();
  Object.assign(params, { machine: '60,59,61;30,29,31', times: '7,1,1,1' });
  view().measure();
  await turn();
  assert.deepEqual(steps.jobsFor('50,49,51;20,19,21'), [{ key: 7, name: 'job 7' }]);
  view().measure();
  await turn();
  assert.deepEqual([params.machine, params.times, log.at(-1)], ['60,59,61;30,29,31', '7,1,1,1', 'closed']);
  view().measure();
  await turn();
  steps.jobsFor('50,49,51;20,19,21');
  steps.resolve({ machine: '51,50,52;21,20,22', times: '7,2,2,2', left: [] });
  await turn();
  assert.deepEqual([params.machine, params.times], ['51,50,52;21,20,22', '7,2,2,2']);
});

test('a failure is a sentence', async () => {
  const { view, log, steps } = setting();
  steps.refuse = new AttentionError('out_of_range', 'workers', 'workers is "99"; allowed are whole numbers from 1 to 16');
  view().measure();
  await turn();
  assert.equal(view().words, 'Not measured: workers is “99”; allowed are whole numbers from 1 to 16.');
  steps.refuse = undefined;
  view().measure();
  await turn();
  steps.reject(new WebAssembly.RuntimeError('unreachable'));
  await turn();
  assert.match(view().words, /^Not measured: The computation stopped unexpectedly \(unreachable\)/);
  assert.equal(log.at(-1), 'closed');
  assert.equal(view().running, false);
});

test('a result with other jobs ends the measurement, one with the same does not; words go when the reader moves on', async () => {
  const { measuring, view, steps } = setting();
  const result = (/** @type {number} */ n) => /** @type {any} */ ({ study: 'cost', params: { n }, series: {} });
  measuring.follow(declared, result(8));
  assert.equal(view().words, '', 'nothing to end');
  view().measure();
  await turn();
  measuring.follow(declared, result(7));
  measuring.moveOn();
  assert.deepEqual([view().words, view().running], ['measuring… 0%', true]);
  measuring.follow(declared, result(8));
  assert.deepEqual([view().words, view().running], ['Cancelled: the sizes have changed.', false]);
  measuring.moveOn();
  measuring.moveOn();
  assert.equal(view().words, 'Cancelled: the sizes have changed.', 'the gesture that ended it has more steps, and none of them takes the reason away');
  view().measure();
  assert.equal(view().words, 'measuring… 0%');
  await turn();
  view().measure();
  measuring.moveOn();
  assert.equal(view().words, '', 'a cancel of the reader’s own needs no more words');
  view().measure();
  await turn();
  steps.resolve({ machine: '1,1,1;1,1,1', times: '', left: [1, 2, 2, 3, 4, 5, 5].map((i) => ({ name: `job ${i}` })) });
  await turn();
  assert.equal(view().words, 'Measured with relaxed SIMD, in a worker. Left out, too long or too large: job 1; job 2; job 3; and 2 more.');
});

test('what was measured is kept where a state says nothing of it', () => {
  const wanted = { n: 7, machine: '1,1,1;1,1,1', times: '' };
  assert.deepEqual(keptOf(declared, wanted, { n: '8' }), { machine: '1,1,1;1,1,1' });
  assert.deepEqual(keptOf(declared, wanted), { machine: '1,1,1;1,1,1' });
  for (const raw of [{ machine: '' }, { times: '7,1,1,1' }]) assert.deepEqual(keptOf(declared, wanted, raw), {});
  assert.deepEqual(keptOf(undefined, wanted), {});
  assert.deepEqual(keptOf(declared, undefined), {});
});
