// Valid lengths as text, rows and edits; the core is the judge of every text made here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { complaint, formatLengths, inMode, parseLengths, withLength } from '../../web/elements/lengths.js';
import { anyParams, drawsFrom, loadCore } from './support.js';

const core = await loadCore();
const study = core.describe().studies.find(({ id }) => id === 'masked-softmax');
assert.ok(study);

test('text -> rows -> text', () => {
  for (const text of ['', '2', '2,3', '1,3;2,4', '1,2,3;', '0;5']) {
    const { mode, rows } = parseLengths(text);
    assert.equal(formatLengths(mode, rows), text);
  }
  assert.deepEqual(parseLengths('1,3;2,4'), { mode: 'query', rows: [['1', '3'], ['2', '4']] });
  assert.deepEqual(parseLengths(' 2, 3 '), { mode: 'sequence', rows: [['2'], ['3']] });
});

test('one field changes one length', () => {
  assert.equal(withLength('2,3', 1, 0, '1'), '2,1');
  assert.equal(withLength('1,3;2,4', 1, 0, '0'), '1,3;0,4');
  assert.equal(withLength('1,2,3;', 0, 2, '1'), '1,2,1;');
  assert.equal(withLength('2,3', 0, 0, ''), ',3');
});

test('a wrong field is named, with what it may hold', () => {
  assert.equal(complaint('9,3', 4), 'sequence 1: 9 is not possible; whole numbers from 0 to 4');
  assert.equal(complaint('1,3;2,-1', 4), 'sequence 2, query 2: -1 is not possible; whole numbers from 0 to 4');
  assert.equal(complaint('2,', 12), 'sequence 2 needs a whole number from 0 to 12');
  assert.equal(complaint('1.5,7', 4), 'sequence 1: 1.5 is not possible; whole numbers from 0 to 4. sequence 2: 7 is not possible; whole numbers from 0 to 4');
  assert.equal(complaint('9'.repeat(99), 4), `sequence 1: ${'9'.repeat(40)}… is not possible; whole numbers from 0 to 4`);
});

test('a field is wrong exactly when the core refuses it', () => {
  for (const field of ['0', '1', '4', '5', '-1', '1.5', '', '4.0', '1e0', 'x', '9'.repeat(400)]) {
    const refused = (() => { try { core.run('masked-softmax', { keys: 4, lens: `2,${field}` }); return false; } catch { return true; } })();
    assert.equal(complaint(`2,${field}`, 4) !== '', refused, field);
  }
});

test('in every mode the core accepts what the control says, with the meaning kept', () => {
  for (let seed = 1; seed <= 200; ++seed) {
    const params = anyParams(study, drawsFrom(seed));
    const sizes = { batch: Number(params.batch), queries: Number(params.queries), keys: Number(params.keys) };
    /** @type {Float64Array | string[]} */
    const before = core.run(study.id, params).series.valid_lens.data;
    const perQuery = inMode(String(params.lens), 'query', sizes);
    assert.deepEqual(core.run(study.id, { ...params, lens: perQuery }).series.valid_lens.data, before, `${params.lens} -> ${perQuery}`);
    const perSequence = inMode(String(params.lens), 'sequence', sizes);
    const after = core.run(study.id, { ...params, lens: perSequence }).series.valid_lens.data;
    for (let b = 0; b < sizes.batch; ++b) {
      const row = before.slice(b * sizes.queries, (b + 1) * sizes.queries);
      assert.ok(after.slice(b * sizes.queries, (b + 1) * sizes.queries).every((length) => length === Math.max(...row.map(Number))), `${params.lens} -> ${perSequence}`);
    }
    assert.equal(inMode(perSequence, 'none', sizes), '');
  }
});
