// A plate's session against the real core: edits bring dependents along, typed entries are refused beside their field, nothing late wins.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Session } from '../../web/elements/session.js';
import { AttentionError } from '../../web/engine/errors.js';
import { loadCore, turn } from './support.js';

/** @import { Outcome } from '../../web/engine/engine.js' */
/** @import { Study } from '../../web/engine/types.js' */

const core = await loadCore();
const studyOf = (/** @type {string} */ wanted) => /** @type {Study} */ (core.describe().studies.find(({ id }) => id === wanted));
const study = studyOf('masked-softmax');

/** A client that computes with the real core, when the test lets it. @param {Study} of */
function setting(of = study) {
  /** @type {{method: string, params: any, tell: (share: number) => void, answer: () => Promise<void>, settle: (outcome: Outcome) => void}[]} */
  const open = [];
  let changes = 0;
  /** @type {boolean[]} */
  const waits = [];
  /** @type {number[]} */
  const shares = [];
  const client = {
    /** @param {'run'|'settle'|'repair'} method @param {[string, any]} args @param {(share: number) => void} tell @returns {Promise<Outcome>} */
    request(method, [id, params], tell) {
      return new Promise((settle) => {
        open.push({
          method, params, settle, tell,
          async answer() {
            try { settle({ kind: 'answer', value: core[method](id, params) }); } catch (error) { settle({ kind: 'error', error: /** @type {AttentionError} */ (error) }); }
            await turn();
          },
        });
      });
    },
  };
  const session = new Session(of, { client: () => /** @type {any} */ (client), changed: () => { ++changes; }, waiting: (waiting) => waits.push(waiting), progress: (share) => shares.push(share) });
  return { session, open, waits, shares, changes: () => changes, last: () => open[open.length - 1] };
}

/** @param {Study} [of] */
async function started(of) {
  const made = setting(of);
  made.session.restore({});
  await made.last().answer();
  return made;
}

test('a link is settled: texts become values, what had to change is noticed', async () => {
  const { session, last } = setting();
  session.restore({ keys: '3', lens: '2,9', colour: 'red' }, [{ param: 'seed', message: 'before' }]);
  assert.equal(session.wanted.keys, 4, 'a text is not shown before the core has read it');
  await last().answer();
  assert.deepEqual([session.wanted.keys, session.wanted.lens], [3, '2,3']);
  assert.deepEqual(session.notices.map(({ param }) => param), ['seed', 'colour', 'lens']);
  assert.deepEqual(session.result?.params, session.wanted);
});

test('an edit is wanted at once, and dependents follow', async () => {
  const { session, last } = await started();
  session.edit('keys', 2);
  assert.equal(session.wanted.keys, 2);
  assert.equal(session.result?.params.keys, 4);
  assert.equal(last().method, 'settle');
  await last().answer();
  assert.equal(session.wanted.lens, '2,2');
  assert.deepEqual(session.notices.map(({ param }) => param), ['lens']);
});

test('a typed entry is strict: refused, kept beside its reason, while the result stands', async () => {
  const { session, last, changes } = await started();
  session.type('lens', '2,7');
  assert.equal(last().method, 'run');
  const before = changes();
  await last().answer();
  assert.equal(changes(), before + 1);
  assert.equal(session.rejected.lens.value, '2,7');
  assert.match(session.rejected.lens.error.message, /7.*0 to 4/);
  assert.equal(session.wanted.lens, '2,3');
  assert.equal(session.failure, null);
  session.type('lens', '2,1');
  await last().answer();
  assert.deepEqual(session.rejected, {});
  assert.equal(session.result?.params.lens, '2,1');
});

test('a refused entry stays while other controls move, and goes when its own is edited', async () => {
  const { session, last } = await started();
  session.type('seed', -1);
  await last().answer();
  session.edit('causal', true);
  assert.equal(last().params.seed, 0, 'the refused value is not sent again');
  await last().answer();
  assert.equal(session.rejected.seed.value, -1);
  session.edit('seed', 9);
  await last().answer();
  assert.deepEqual(session.rejected, {});
});

test('a refused entry that another change makes valid is taken; until then it stays', async () => {
  const { session, last } = await started();
  session.type('lens', '9,3');
  await last().answer();
  assert.equal(session.rejected.lens.value, '9,3');
  session.edit('keys', 8);
  await last().answer();
  assert.equal(last().method, 'repair');
  await last().answer();
  assert.equal(session.rejected.lens.value, '9,3', 'eight keys are not nine');
  session.edit('keys', 12);
  await last().answer();
  await last().answer();
  assert.equal(last().method, 'run');
  await last().answer();
  assert.deepEqual(session.rejected, {});
  assert.deepEqual([session.wanted.lens, session.result?.params.lens, session.result?.params.keys], ['9,3', '9,3', 12]);
});

test('a refused entry whose fields another change replaces goes with them', async () => {
  const { session, last } = await started();
  session.type('lens', '9,3');
  await last().answer();
  session.edit('batch', 3);
  await last().answer();
  assert.deepEqual(session.rejected, {});
  assert.equal(session.notices[0].param, 'lens');
  assert.equal(String(session.wanted.lens).split(',').length, 3);
});

test('what is tried again does not overtake a hand that moves on', async () => {
  const { session, open, last } = await started();
  session.type('lens', '9,3');
  await last().answer();
  session.edit('keys', 12);
  await last().answer();
  const retried = last();
  session.edit('keys', 5);
  await retried.answer();
  assert.equal(last().method, 'settle', 'the newer state is asked for, the entry not typed into it');
  await last().answer();
  await last().answer();
  assert.equal(session.result?.params.keys, 5);
  assert.equal(session.rejected.lens.value, '9,3');
  assert.ok(open.length > 4);
});

test('what was adjusted before is not said beside a new refusal', async () => {
  const { session, last } = await started();
  session.edit('keys', 2);
  await last().answer();
  assert.equal(session.notices.length, 1);
  session.type('seed', -1);
  await last().answer();
  assert.equal(session.rejected.seed.value, -1);
  assert.deepEqual(session.notices, []);
});

test('two entries typed in one breath: the wrong one is taken back, the right one runs', async () => {
  const { session, open } = await started();
  session.type('seed', -1);
  session.type('lens', '1,1');
  open[1].settle({ kind: 'dropped' });
  await turn();
  await open[2].answer();
  assert.deepEqual([open[3].params.seed, open[3].params.lens], [0, '1,1']);
  await open[3].answer();
  assert.equal(session.rejected.seed.value, -1);
  assert.equal(session.result?.params.lens, '1,1');
  assert.deepEqual(Object.keys(session.rejected), ['seed']);
});

test('an entry that was overtaken by a slider is repaired with a notice, not lost', async () => {
  const { session, open } = await started();
  session.type('seed', -1);
  session.edit('causal', true);
  open[1].settle({ kind: 'dropped' });
  await open[2].answer();
  assert.equal(session.result?.params.seed, 0);
  assert.equal(session.result?.params.causal, true);
  assert.deepEqual(session.notices.map(({ param }) => param), ['seed']);
});

test('an answer that comes while newer is wanted does not turn the controls back', async () => {
  const { session, open } = await started();
  session.edit('keys', 6);
  session.edit('keys', 7);
  await open[1].answer();
  assert.equal(session.result?.params.keys, 6);
  assert.equal(session.wanted.keys, 7);
  await open[2].answer();
  assert.equal(session.result?.params.keys, 7);
});

test('a failure of the machine belongs to no field, and the next answer clears it', async () => {
  const { session, last } = await started();
  session.edit('keys', 5);
  last().settle({ kind: 'error', error: new AttentionError('engine_crashed', '', 'stopped') });
  await turn();
  assert.equal(session.failure?.code, 'engine_crashed');
  assert.deepEqual(session.rejected, {});
  session.edit('keys', 5);
  await last().answer();
  assert.equal(session.failure, null);
});

test('waiting is said once for however many requests', async () => {
  const { session, open, waits } = await started();
  assert.deepEqual(waits, [true, false]);
  session.edit('keys', 5);
  session.edit('keys', 6);
  await open[1].answer();
  assert.deepEqual(waits, [true, false, true]);
  await open[2].answer();
  assert.deepEqual(waits, [true, false, true, false]);
});

test('out of the page nothing is asked; what is wanted is asked for again on return', async () => {
  /** @type {any} */
  let client = null;
  const asked = /** @type {any[]} */ ([]);
  const session = new Session(study, { client: () => client, changed() {}, waiting() {}, progress() {} });
  await session.edit('keys', 9);
  client = { async request(/** @type {string} */ method, /** @type {any} */ [id, params]) { asked.push(params.keys); return { kind: 'answer', value: core.settle(id, params) }; } };
  await session.resume();
  assert.deepEqual(asked, [9]);
  assert.equal(session.result?.params.keys, 9);
});

test('the share done of what is under way is handed on', async () => {
  const { session, last, shares, waits } = await started();
  session.edit('keys', 3);
  last().tell(0.25);
  last().tell(0.75);
  assert.deepEqual(shares, [0.25, 0.75]);
  await last().answer();
  assert.deepEqual(waits, [true, false, true, false]);
});

test('what is typed brings along what was chosen earlier and no longer fits; the typed text itself is never mended', async () => {
  const { session, last } = await started(studyOf('masks'));
  session.edit('off', '3');
  await last().answer();
  session.type('mask', 'causal & window(3)');
  await last().answer();
  assert.equal(last().method, 'settle', 'there is no third sheet any more');
  await last().answer();
  assert.deepEqual([session.wanted.mask, session.wanted.off, session.failure], ['causal & window(3)', '', null]);
  assert.deepEqual(session.notices.map(({ param }) => param), ['off']);
  session.type('mask', 'window(0)');
  await last().answer();
  assert.equal(last().method, 'run');
  assert.equal(session.rejected.mask.error.at, 7);
  assert.equal(session.result?.params.mask, 'causal & window(3)');
});

test('edits that belong together are one question, and forgive what was refused of each', async () => {
  const { session, open, last } = await started(studyOf('masks'));
  session.type('mask', 'causal &');
  await last().answer();
  assert.equal(session.rejected.mask.value, 'causal &');
  const asked = open.length;
  session.change({ mask: 'padding(3) & causal', off: '1' });
  assert.deepEqual(session.rejected, {});
  await last().answer();
  assert.equal(open.length, asked + 1);
  assert.deepEqual([session.result?.params.mask, session.result?.params.off], ['padding(3) & causal', '1']);
});

test('what changes with a typed entry stands and falls with it', async () => {
  const { session, last } = await started();
  session.type('lens', '9,9', { causal: true, seed: 5 });
  assert.deepEqual([session.wanted.lens, session.wanted.causal, session.wanted.seed], ['9,9', true, 5], 'all of it is wanted at once');
  await last().answer();
  assert.equal(session.rejected.lens.value, '9,9');
  assert.deepEqual([session.wanted.lens, session.wanted.causal, session.wanted.seed], ['2,3', false, 0], 'refused, and nothing of it stays');
  session.type('lens', '1,4', { causal: true, seed: 5 });
  await last().answer();
  assert.deepEqual([session.result?.params.lens, session.result?.params.causal, session.result?.params.seed], ['1,4', true, 5]);
  assert.deepEqual(session.rejected, {});
});

test('a refused entry that another change makes valid brings along what it was to', async () => {
  const { session, last } = await started();
  session.type('lens', '9,3', { causal: true });
  await last().answer();
  session.edit('keys', 12);
  await last().answer();
  assert.equal(session.wanted.causal, false);
  await last().answer();
  await last().answer();
  assert.deepEqual([session.result?.params.lens, session.result?.params.causal, session.rejected], ['9,3', true, {}]);
});

test('what was to come along with an overtaken entry does not go back with another one', async () => {
  const { session, open, last } = await started();
  session.type('lens', '9,9', { seed: 5 });
  session.edit('seed', 7);
  open[1].settle({ kind: 'dropped' });
  await open[2].answer();
  session.type('lens', '8,8');
  await last().answer();
  assert.equal(session.rejected.lens.value, '8,8');
  assert.equal(session.wanted.seed, 7);
});
