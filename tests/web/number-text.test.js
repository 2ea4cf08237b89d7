// Tables of reals as text, rows and edits; the core is the judge of every text made here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  complaint, entryName, isBegun, isEntry, nonFiniteWords, ofLength, parseTable, shownEntry, shownTable, sizesOf, sizeWords, stepped, tableText, withEntry, withoutRow, withRow, writtenOut,
} from '../../web/elements/number-text.js';
import { drawsFrom, loadCore } from './support.js';

/** @import { Parameter } from '../../web/engine/types.js' */

const core = await loadCore();
const tables = core.describe().studies.flatMap(({ id, parameters }) => parameters.filter(({ kind }) => kind === 'numbers').map((p) => ({ id, p })));
/** @type {Parameter} */
const keys = { key: 'keys', label: 'keys', kind: 'numbers', min: -5, max: 5, step: 0.1, growable: true, rowName: 'key', columnNames: ['x', 'y'], default: '1,0.5;2,-1' };
/** @type {Parameter} */
const values = { key: 'values', label: 'values', kind: 'numbers', min: -1000, max: 1000, step: 0.1, nonFinite: true, rowName: 'entry', columnNames: [], default: '' };

test('text -> rows -> text', () => {
  for (const text of ['', '1', '1,2', '1,0.5;2,-1', 'nan,inf;-inf,1e-7']) assert.equal(tableText(parseTable(text)), text);
  assert.deepEqual(parseTable(' 1, 2 ;3 ,4'), [['1', '2'], ['3', '4']]);
  assert.deepEqual(sizesOf(parseTable('1,2;3')), { rows: 2, columns: 2 });
  assert.deepEqual(sizesOf([]), { rows: 0, columns: 0 });
});

test('edits of an entry, a row, a length', () => {
  assert.equal(withEntry('1,0.5;2,-1', 1, 0, ' 3 '), '1,0.5;3,-1');
  assert.equal(withEntry('1,0.5;2,-1', 0, 1, ''), '1,;2,-1');
  assert.deepEqual(sizesOf(parseTable(withEntry('1,2', 0, 0, '0,5;7'))), { rows: 1, columns: 2 }, 'a separator in an entry does not change the shape');
  assert.equal(withRow('1,0.5', keys), '1,0.5;0,0');
  assert.equal(withRow('', keys), '0,0');
  assert.equal(withRow('3', { ...values, min: 2, max: 9 }), '3;2');
  assert.equal(withoutRow('1,2;3,4;5,6', 1), '1,2;5,6');
  assert.equal(ofLength('1,2,3', 4, values), '1,2,3,0');
  assert.equal(ofLength('1,2,3', 2, values), '1,2');
});

test('every entry has a name: its table, its row where there may be several, its column', () => {
  const sizes = { rows: 3, columns: 2 };
  assert.equal(entryName(keys, 1, 0, sizes), 'keys, key 2, x');
  assert.equal(entryName({ ...keys, label: 'query', growable: false, rowName: 'query' }, 0, 1, { rows: 1, columns: 2 }), 'query, y');
  assert.equal(entryName(values, 2, 1, sizes), 'values, entry 3, number 2');
  assert.equal(entryName({ ...values, label: 'row' }, 0, 1, { rows: 1, columns: 3 }), 'row, number 2');
  assert.equal(sizeWords('1,2;3,4', keys), '2 keys: x, y');
  assert.equal(sizeWords('1,2;3,4', values), '2 entries of 2');
  assert.equal(sizeWords('1,2,3', { ...values, rowName: '' }), '1 row of 3');
  assert.equal(sizeWords('', keys), 'none');
});

test('a wrong entry is named, with what it may hold; of many some are', () => {
  assert.equal(complaint('1,2;7,x', keys), 'keys, key 2, x: 7 is not possible; numbers from -5 to 5. keys, key 2, y: x is not possible; numbers from -5 to 5');
  assert.equal(complaint('1,', keys), 'keys, key 1, y needs a number from -5 to 5');
  assert.match(complaint(withEntry('1,2', 0, 0, '0,5'), keys), /^keys, key 1, x: 0.5 is not possible; numbers from -5 to 5, with a point for decimals$/);
  assert.equal(complaint('nan,inf;-inf,1001', values), 'values, entry 2, number 2: 1001 is not possible; numbers from -1000 to 1000, or nan, inf, -inf');
  assert.match(complaint('9,9;9,9;9,9', keys), /key 2, x[^.]*\. 3 more entries are not possible$/);
  assert.ok(complaint(`1,${'x'.repeat(500)}`, keys).length < 150);
  assert.equal(complaint('', keys), '');
});

test('entries that are not finite are told', () => {
  assert.equal(nonFiniteWords('1,nan;-inf,2', values), 'values, entry 1, number 2 is nan. values, entry 2, number 1 is -inf');
  assert.match(nonFiniteWords('nan,nan,nan,nan,nan', values), /2 more are not finite$/);
  assert.equal(nonFiniteWords('1,2', values), '');
});

test('an entry is wrong exactly when the core refuses it', () => {
  assert.ok(tables.length > 0);
  const entries = ['0', '-1', '+1.5', '.5', '5.', '1e0', '1E-3', '-0', '1e999', '9'.repeat(30), 'nan', 'NaN', 'inf', '-Infinity', '', ' ', 'x', '1x', '0x1', '1e', '-', '--1', '1 2', '1_0', 'é', '5.0001', '-1001', '\uff0c', 'infinite'];
  for (const { id, p } of tables) {
    const row = String(p.default === '' ? '' : p.default);
    if (row === '') continue;
    for (const entry of entries) {
      const text = withEntry(row, 0, 0, entry);
      const refused = (() => { try { core.run(id, { [p.key]: text }); return false; } catch (error) { return ['wrong_type', 'out_of_range'].includes(/** @type {any} */ (error).code) && /** @type {any} */ (error).param === p.key; } })();
      // a study may ask for more, as whole numbers; what is no number is told here
      if (complaint(text, p) !== '') assert.ok(refused, `${id} ${p.key} takes ${entry}`);
      else if (refused) assert.ok(isEntry(entry, p) && p.step === 1, `${id} ${p.key} refuses ${entry}`);
    }
  }
});

test('the beginning of a number is no mistake yet', () => {
  for (const text of ['', '-', '+', '.', '-.', '1e', '1e-', 'n', 'na', '-i', 'in']) assert.equal(isBegun(text), true, text);
  for (const text of ['0', '0.', '-1', '1e5', 'nan', 'inf', 'x', '1,']) assert.equal(isBegun(text), false, text);
});

test('a long entry is shown in few digits, a short one as it is; a step leaves no dust and keeps to the range', () => {
  assert.equal(shownEntry('0.30471709370613098'), '0.30472');
  assert.equal(shownEntry('-1.25'), '-1.25');
  assert.equal(shownEntry('123456789012'), '123460000000');
  assert.equal(shownEntry('not a number at all'), 'not a number at all');
  let entry = '0';
  for (let i = 0; i < 30; ++i) entry = String(stepped(entry, keys, 1));
  assert.equal(entry, '3');
  assert.equal(stepped('4.95', keys, 1), '5');
  assert.equal(stepped('-4', keys, -20), '-5');
  assert.equal(stepped('nan', values, 1), null);
  assert.equal(stepped('', keys, 1), null);
});

test('a series is written out in full, row by row, and read back to the same numbers', () => {
  const draw = drawsFrom(5);
  const data = Float64Array.from({ length: 24 }, () => Math.fround((draw(2 ** 32) / 2 ** 31 - 1) * 3));
  const text = writtenOut({ shape: [2, 3, 4], data });
  assert.deepEqual(sizesOf(parseTable(text)), { rows: 6, columns: 4 });
  assert.deepEqual(parseTable(text).flat().map(Number), [...data]);
  assert.equal(writtenOut({ shape: [1, 3], data: Float64Array.of(NaN, Infinity, -Infinity) }), 'nan,inf,-inf');
  assert.equal(writtenOut({ shape: [2, 0, 2], data: new Float64Array(0) }), '');
  assert.equal(writtenOut({ shape: [2, 0], data: new Float64Array(0) }), '');
  assert.equal(writtenOut(undefined), '');
});

test('a table left to the draw shows what was drawn, and an entry brings along what stands and falls with it', () => {
  const own = { points: 'own' };
  const drawn = { query: { series: 'q', own }, keys: { series: 'k', own }, values: { series: 'v' } };
  const series = { q: { unit: '', shape: [1, 2], data: Float64Array.of(1, 2) }, k: { unit: '', shape: [2, 2], data: Float64Array.of(3, 4, 5, 6) }, v: { unit: '', shape: [1, 1, 2], data: Float64Array.of(7, 8) } };
  const section = { points: 'section-1', query: '0,0', keys: '0,0', values: '', shift: '1,1' };
  assert.deepEqual(shownTable('keys', drawn, section, series), { text: '3,4;5,6', drawn: true, along: { points: 'own', query: '1,2' } });
  assert.deepEqual(shownTable('values', drawn, section, series), { text: '7,8', drawn: true, along: {} });
  assert.deepEqual(shownTable('keys', drawn, { ...section, points: 'own' }, series), { text: '0,0', drawn: false, along: {} });
  assert.deepEqual(shownTable('values', drawn, { ...section, values: '9,9' }, series), { text: '9,9', drawn: false, along: {} });
  assert.deepEqual(shownTable('shift', drawn, section, series), { text: '1,1', drawn: false, along: {} });
});
