// The editor's edits of a mask as text, held against the core's own reading of what comes out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asOperand, joined, kinds, kindsFor, moved, numbersIn, numbersOff, stackParams, withNumber, withNumbersOf } from '../../web/elements/mask-words.js';
import { loadCore } from './support.js';

const core = await loadCore();
const sheets = (/** @type {string} */ text) => core.parseMask(text).sheets;

test('joined sheets are read back as those sheets', () => {
  for (const stack of [['causal'], ['causal', 'window(2)'], ['causal | all', 'padding(3)'], ['causal & all', '~none'], ['~(causal | all)', 'rows(10,01)', 'causal(bottom_right)'], ['window(1) | global(0)']]) {
    const text = joined(stack);
    assert.deepEqual(stack.length === 1 ? [core.parseMask(text).text] : sheets(text), stack);
  }
  assert.equal(asOperand('~(causal | all)'), '~(causal | all)');
  assert.equal(asOperand('(causal) | (all)'), '((causal) | (all))');
});

test('numbers are found and changed, also of composed sheets; cells have none', () => {
  assert.deepEqual(numbersIn('window(3)'), [{ before: 'window(', number: '3' }]);
  assert.deepEqual(numbersIn('padding(1,3;2,4)').map(({ number }) => number), ['1', '3', '2', '4']);
  assert.deepEqual(numbersIn('window(2, bottom_right)').map(({ number }) => number), ['2']);
  for (const none of ['causal', 'causal(bottom_right)', 'causal | all', 'rows(10,01)', '~rows(10,01)', 'window(1) | rows(10,01)']) assert.deepEqual(numbersIn(none), []);
  assert.deepEqual(numbersIn('~(window(3,1) | global(0))').map(({ before, number }) => before + number), ['~(window(3', ',1', ') | global(0']);
  assert.equal(withNumber('~(window(3,1) | global(0))', 2, '5'), '~(window(3,1) | global(5))');
  assert.equal(withNumber('padding(1,3;2,4)', 2, '17'), 'padding(1,3;17,4)');
  assert.equal(withNumber('window(2, bottom_right)', 0, '5'), 'window(5, bottom_right)');
});

test('a refused text lends the sheets its numbers, and nothing else', () => {
  const stack = ['causal', 'documents(3,3)', 'window(2, bottom_right) | all'];
  assert.deepEqual(withNumbersOf(stack, 'causal & documents(4,3) & (window(2, bottom_right) | all)'), ['causal', 'documents(4,3)', 'window(2, bottom_right) | all']);
  assert.deepEqual(withNumbersOf(stack, 'causal & documents(-4,2.5) & (window(07, bottom_right) | all)'), ['causal', 'documents(-4,2.5)', 'window(07, bottom_right) | all']);
  for (const other of ['', 'causal', 'causal & documents(4,3)', 'causal & documents(4,2,1) & (window(2, bottom_right) | all)', 'causal & documents(4,3) & (window(2, bottom_right) | al']) assert.equal(withNumbersOf(stack, other), stack);
  assert.deepEqual(withNumbersOf([], 'causal'), []);
  assert.deepEqual(numbersIn('documents(-4,2.5)').map(({ before, number }) => before + number), ['documents(-4', ',2.5']);
  assert.equal(withNumber('documents(-4,2.5)', 0, '3'), 'documents(3,2.5)');
});

test('a sheet keeps its state wherever it goes', () => {
  const stack = [{ text: 'causal', on: true }, { text: 'window(2)', on: false }, { text: 'padding(3)', on: true }];
  assert.deepEqual(stackParams(stack), { mask: 'causal & window(2) & padding(3)', off: '2' });
  assert.deepEqual(stackParams(moved(stack, 1, 0)), { mask: 'window(2) & causal & padding(3)', off: '1' });
  assert.deepEqual(stackParams(moved(stack, 1, 2)), { mask: 'causal & padding(3) & window(2)', off: '3' });
  assert.deepEqual(stackParams(stack.slice(1)), { mask: 'window(2) & padding(3)', off: '1' });
  assert.deepEqual(numbersOff('1,3'), [1, 3]);
  assert.deepEqual(numbersOff(''), []);
});

test('every kind has a first text that the core takes at every size it is offered for', () => {
  const known = /there are (.*)/.exec((() => { try { core.parseMask('x'); } catch (error) { return /** @type {Error} */ (error).message; } return ''; })())?.[1].split(', ');
  assert.deepEqual(kinds.map(({ name }) => name).sort(), known?.sort(), 'the menu and the core know the same kinds');
  for (const sizes of [{ queries: 1, keys: 1 }, { queries: 2, keys: 2 }, { queries: 6, keys: 6 }, { queries: 3, keys: 7 }, { queries: 7, keys: 3 }, { queries: 64, keys: 64 }, { queries: 16384, keys: 16384 }]) {
    const offered = kindsFor(sizes);
    for (const { name, first } of offered) {
      const text = first(sizes);
      const parsed = core.parseMask(text);
      assert.equal(parsed.text, text, `${name} comes in its canonical form`);
      assert.equal(core.maskReport(text, sizes).rows, sizes.queries * parsed.sizes.batch, `${name} at ${sizes.queries} x ${sizes.keys}`);
    }
    assert.ok(offered.length >= 10);
  }
});
