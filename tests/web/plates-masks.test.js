// Plate V on the real core: every sheet and the composite are the core's cells, empty rows are named with their reason, sheets are
// turned over and cells painted as text that the core reads back, and a square of thousands is drawn in tiles.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toString } from '../../web/chart/node.js';
import plate from '../../web/plates/masks.js';
import { bytesText, compact } from '../../web/plates/parts/mask-facts.js';
import { operands, readSheets } from '../../web/plates/parts/mask-sheets.js';
import { sheetLayout } from '../../web/plates/parts/sheet-layout.js';
import { brief, lines, ranges } from '../../web/plates/parts/sheet-words.js';
import { loadCore } from './support.js';
import { cellsOf, checkFigures, elements, textOf, withClass } from './support-chart.js';

/** @typedef {import('../../web/chart/types.js').Drawing} Drawing */
/** @typedef {import('../../web/chart/types.js').Paint} Paint */

const core = await loadCore();
const study = /** @type {import('../../web/engine/types.js').Study} */ (core.describe().studies.find(({ id }) => id === 'masks'));

/**
 * @param {Record<string, any>} params
 * @param {{width?: number, hover?: {figure: string, mark: string} | null}} [env]
 */
function drawn(params, { width = 974, hover = null } = {}) {
  const result = core.run('masks', params);
  const drawing = plate.draw(result, { width, uid: 'u', params: result.params, hover });
  const [figure] = drawing.figures;
  return { result, drawing, figure, model: readSheets(result), maps: withClass(figure.node, 'heatmap') };
}

/** @param {import('../../web/chart/types.js').Rich} rich */
const plain = (rich) => rich.map((part) => (typeof part === 'string' ? part : Object.values(part)[0])).join('');
/** @param {Drawing} drawing */
const noteOf = ({ note }) => (note ? `${note.title} ${plain(note.text)}` : '');

const square = (/** @type {number} */ n) => ({ queries: n, keys: n });
const ones = (/** @type {number} */ queries, /** @type {number} */ keys) => Array.from({ length: queries }, () => '1'.repeat(keys)).join(', ');

/** @type {Record<string, any>[]} */
const settings = [
  {}, { off: '2' }, { off: '1,2,3' }, { meant: 'causal' }, { mask: 'all', ...square(1) }, { mask: 'none', ...square(1) }, { mask: 'padding(0) & causal' },
  { mask: 'causal & padding(6,3)', sequence: 2 }, { mask: 'causal & padding(6,3,0)', sequence: 1, meant: 'causal' }, { mask: 'causal | global(0)' },
  { mask: '(global(0) | window(2,2)) & ~causal & chunks(2)' }, { mask: 'causal(bottom_right) & window(4,bottom_right)', queries: 3, keys: 8 }, { mask: 'causal(bottom_right)', queries: 9, keys: 3 },
  { mask: 'causal & window(3) & documents(4,2) & padding(5)' }, { mask: `causal & rows(${ones(6, 6)})` }, { mask: 'causal & left_padding(4)', meant: 'causal & padding(4)' },
  { mask: 'causal & window(4) & documents(4,4) & padding(7) & prefix(2) & chunks(4) & dilated(3,2) & window(3,3)', ...square(8), off: '6,7' },
  { mask: 'causal & window(20) & padding(40)', ...square(64), meant: 'causal & window(21) & padding(40)' }, { mask: 'window(9)', queries: 64, keys: 1 }, { mask: 'all & causal', queries: 1, keys: 64 },
  { mask: 'causal & window(4096) & padding(9000)', ...square(16384) }, { mask: 'causal & padding(100,65)', queries: 65, keys: 100, sequence: 2 }, { mask: 'documents(5,95)', ...square(100), meant: 'causal' },
  { mask: `rows(${ones(2, 3)}; ${ones(2, 3)})`, queries: 2, keys: 3, sequence: 2 }, { mask: 'rows(10,11/01,11)', ...square(2), head: 2 },
  ...study.presets.map((preset) => preset.params),
];

test('one sheet, none and several are each said in their number', () => {
  const said = (/** @type {Record<string, any>} */ params) => drawn(params).figure.summary.split('.')[0];
  assert.equal(said({ mask: 'causal' }), 'The sheet is causal; it lies over 6 queries and 6 keys');
  assert.equal(said({ mask: 'causal', off: '1' }), 'The sheet is causal (laid aside); no sheet lies over 6 queries and 6 keys');
  assert.equal(said({ mask: 'causal & window(2)' }), 'The sheets are causal and window(2); both lie on each other over 6 queries and 6 keys');
  assert.equal(said({ mask: 'causal & window(2)', off: '2' }), 'The sheets are causal and window(2) (laid aside); one of two lies over 6 queries and 6 keys');
});

test('the figures are whole at every setting and width', () => {
  for (const params of settings) {
    for (const width of [320, 358, 559, 560, 700, 820, 974, 1300]) {
      const { drawing } = drawn(params, { width });
      checkFigures(drawing, { uid: 'u', width });
      assert.ok(drawing.summary.length > 20 && plain(drawing.headline ?? []).endsWith('.'));
    }
  }
});

test('a map a sheet and one of all: each cell is the core’s', () => {
  for (const params of settings) {
    const { result, model, maps } = drawn(params);
    const { rows, columns, sheets, single } = model;
    assert.equal(maps.length, sheets.length + 1);
    const shares = Array.from(/** @type {Float64Array} */ (result.series.sheets.data));
    sheets.forEach((_, s) => cellsOf(maps[s], rows, columns).forEach((cell, at) => {
      const share = shares[s * rows * columns + at];
      assert.equal(cell.excluded, share === 0 ? 1 : 0, `${params.mask}: sheet ${s + 1}, cell ${at}`);
      if (single) assert.ok(cell.inks.length === 0 && cell.tints.length === 0);
      else assert.ok(share === 0 ? cell.tints.length === 0 : Math.abs((cell.tints[0] ?? 0) - share * 0.46) <= 0.00501);
    }));
    const [allowed, weights] = ['allowed', 'weights'].map((name) => Array.from(/** @type {Float64Array} */ (result.series[name].data)));
    cellsOf(maps[sheets.length], rows, columns).forEach((cell, at) => {
      assert.equal(cell.excluded, allowed[at] === 0 ? 1 : 0);
      if (single) assert.equal(cell.inks[0] ?? 0, Math.round(weights[at] * 100) / 100);
      else assert.equal(cell.inks.length, 0, 'no weights where a cell is many pairs');
      assert.equal(cell.differs, Number(result.series.differs.data[at] ?? 0) > 0 ? 1 : 0);
    });
  }
});

test('sheets laid aside are pale and say so, and a name turns its sheet over', () => {
  const { figure, result } = drawn({ off: '2' });
  assert.deepEqual(withClass(figure.node, 'sheet-map').map(({ attrs }) => attrs.class.includes('aside')), [false, true, false]);
  assert.equal(withClass(figure.node, 'sheet-word').map(textOf).join(), 'laid aside');
  assert.deepEqual(withClass(figure.node, 'sheet-name').map(textOf), ['causal', 'window(2)', 'padding(3)']);
  const edits = figure.marks.flatMap(({ edit }) => (edit ? [edit] : []));
  assert.deepEqual(edits.map(({ param, value }) => [param, value]), [['off', '1,2'], ['off', ''], ['off', '2,3']]);
  for (const { param, value } of edits) assert.equal(core.run('masks', { ...result.params, [param]: value }).params.off, value);
});

test('a sign of composition before every sheet that lies on but the first, between two maps or at the end of the row before', () => {
  for (const params of settings) {
    for (const width of [320, 700, 974]) {
      const { figure, model, maps } = drawn(params, { width });
      const signs = withClass(figure.node, 'joint').map(({ attrs }) => ({ x: Number(attrs.x), y: Number(attrs.y) }));
      assert.equal(signs.length, Math.max(0, model.sheets.filter(({ on }) => on).length - 1), `${params.mask} at ${width}`);
      const frames = maps.map((map) => withClass(map, 'cells-frame')[0].attrs.d.match(/-?[\d.]+/g)?.map(Number) ?? []);
      for (const { x, y } of signs) {
        assert.ok(x >= 8 && x <= figure.width - 8, `the whole sign is in the figure, at ${x} of ${figure.width}`);
        // 8: half the width of the sign and a little air; the arrow is no higher than 26
        assert.ok(frames.every(([left, top, right, bottom]) => x + 8 <= left || x - 8 >= right || y + 8 <= top || y - 8 >= bottom), `${params.mask} at ${width}: the sign at ${x}, ${y} lies on a map`);
      }
    }
  }
});

test('empty rows are named at their end and explained below', () => {
  const { drawing, figure } = drawn({});
  assert.equal(withClass(figure.node, 'empty').length, 2);
  assert.match(plain(drawing.headline ?? []), /^6 of 36 pairs stay open; two queries see nothing\.$/);
  assert.equal(drawing.note?.kind, 'warning');
  assert.equal(noteOf(drawing), 'Two empty rows. Queries 5 and 6 see nothing: window(2) leaves them keys 4 to 6, and padding(3) closes those. '
    + 'Either sheet alone leaves each of them a key. Their weights are zero, not uniform and not NaN.');
  assert.equal(drawn({ mask: 'causal & padding(3)' }).drawing.note, null);
});

test('a reason of one sheet, of three, of several sets, in other sequences, and of thousands of rows', () => {
  assert.match(noteOf(drawn({ mask: 'padding(0) & causal' }).drawing), /^Six empty rows\. Queries 1 to 6 see nothing: padding\(0\) alone closes every key\. Their/);
  assert.match(noteOf(drawn({ mask: 'none & causal & padding(0)' }).drawing), /none alone closes every key\. So does padding\(0\)\./);
  const three = noteOf(drawn({ mask: 'rows(110,111,111) & rows(101,111,111) & rows(011,111,111)', ...square(3) }).drawing);
  assert.match(three, /^One empty row\. Query 1 sees nothing: rows\(110,111,111\), rows\(101,111,111\) and rows\(011,111,111\) together close every key, and no two of them do\. Its weights/);
  assert.match(noteOf(drawn({ mask: 'window(2) & padding(3) & left_padding(6) & padding(2)' }).drawing), /Queries 5 and 6 see nothing: [^.]+\. Either sheet alone leaves each of them a key\. So does another pair with padding\(2\)\./);
  assert.match(noteOf(drawn({ mask: 'causal & left_padding(6,4,5)' }).drawing), /Queries 1 and 2 of sequence 2 and query 1 of sequence 3 see nothing/);
  assert.match(noteOf(drawn({ mask: 'padding(0,6,0)' }).drawing), /^Twelve empty rows\. Queries 1 to 6 of sequences 1 and 3 see nothing: padding\(0,6,0\) alone closes every key\./);
  const every = noteOf(drawn({ mask: 'window(2) & padding(3) & padding(6,6)', off: '3', sequence: 2 }).drawing);
  assert.match(every, /^Four empty rows\. Queries 5 and 6 of every sequence see nothing: window\(2\) leaves them keys 4 to 6, and padding\(3\) closes those\.[^.]*\. Their weights/);
  const many = drawn({ mask: 'causal & window(4096) & padding(9000)', ...square(16384) });
  assert.match(noteOf(many.drawing), /^3289 empty rows\. Queries 13096 to 16384 see nothing: window\(4096\) and padding\(9000\) together close every key/);
});

test('every empty row of the core is told or counted', () => {
  let told = 0;
  for (const params of settings) {
    const { drawing, model } = drawn(params);
    if (model.emptyRows === 0) {
      assert.ok(!/empty row/.test(noteOf(drawing)));
      continue;
    }
    told++;
    assert.match(noteOf(drawing), /^[A-Z\d][\w ]* empty rows?\. /);
    assert.match(noteOf(drawing), /not uniform and not NaN/);
    for (const { reason } of model.runs) for (const text of reason) assert.ok(model.sheets.some((sheet) => sheet.on && sheet.text === text), `${text} is a sheet that is on`);
  }
  assert.ok(told >= 6, `${told} settings have empty rows`);
});

test('where the mask is not what was meant, cells are framed and counted', () => {
  const { drawing, figure, maps, model } = drawn({ mask: 'causal & window(4)', meant: 'causal & window(3)' });
  const cells = cellsOf(maps[2], 6, 6);
  assert.equal(cells.filter(({ differs }) => differs).length, 3);
  assert.equal(noteOf(drawing), 'Not what was meant. Against causal & window(3): 3 pairs open that should be closed.');
  assert.match(plain(figure.caption), /with a corner filled: where the mask differs from causal & window\(3\)/);
  assert.equal(withClass(figure.node, 'differing').length, 1);
  assert.ok(model.differs);
  assert.match(figure.marks.find(({ id }) => id === 'pair-4-1')?.text ?? '', /meant to be closed$/);
  assert.match(noteOf(drawn({ mask: 'causal', meant: 'causal' }).drawing), /^As meant\./);
  assert.equal(withClass(drawn({ mask: 'causal' }).figure.node, 'differing').length, 0);
});

test('marks say which sheets close a pair, and pointing frames it on every sheet', () => {
  const { figure } = drawn({});
  const text = (/** @type {string} */ id) => figure.marks.find((mark) => mark.id === id)?.text ?? '';
  assert.equal(text('pair-5-4'), 'query 5, key 4: closed by padding(3)');
  assert.equal(text('pair-5-6'), 'query 5, key 6: closed by causal, window(2) and padding(3)');
  assert.equal(text('pair-1-2'), 'query 1, key 2: closed by causal and window(2)');
  assert.match(text('pair-2-1'), /^query 2, key 1: weight 0\.\d+, score −?\d/);
  assert.equal(text('sheet-3-5-4'), 'padding(3), query 5, key 4: closed');
  for (const mark of ['pair-5-4', 'sheet-3-5-4']) assert.equal(withClass(drawn({}, { hover: { figure: 'sheets', mark } }).figure.node, 'cell-hover').length, 4);
  assert.match(drawn({ mask: 'causal', ...square(16384) }).figure.marks.find(({ id }) => id === 'pair-1-1')?.text ?? '', /^queries 1 to 256, keys 1 to 256: 0\.50\d of the pairs open$/);
});

test('painting closes and opens cells of one sheet of rows, and the core reads them back', () => {
  for (const params of [{}, { mask: 'causal | global(0)' }, { mask: `rows(${ones(6, 6)}) & causal` }, { mask: '(window(2) & causal) & padding(6,3)', sequence: 2 }, { mask: 'causal', queries: 3, keys: 9 }, { mask: 'causal', ...square(64) }]) {
    const { result, figure, model } = drawn(params);
    const paint = /** @type {Paint} */ (figure.paint);
    const [row, column] = [2, 1];
    const before = model.sheets.map((sheet) => sheet.text);
    const after = drawn({ ...result.params, [paint.param]: paint.at(row, column) });
    assert.equal(after.model.sheets.length, before.length + (model.painted ? 0 : 1));
    assert.ok(after.model.painted > 0);
    const sheet = after.model.sheets[after.model.painted - 1];
    for (let i = 0; i < model.rows; i++) for (let j = 0; j < model.columns; j++) assert.equal(sheet.share(i, j), i === row && j === column ? 0 : 1);
    assert.deepEqual(after.model.sheets.filter(({ number }) => number !== after.model.painted).map((each) => each.text), before.filter((_, s) => s + 1 !== model.painted));
    assert.equal(after.model.allowed(row, column), 0);
    const again = /** @type {Paint} */ (after.figure.paint);
    assert.equal(again.open(row, column), false);
    assert.equal(again.at(row, column), again.at(row, column, true));
    const healed = drawn({ ...after.result.params, mask: again.at(row, column) });
    assert.deepEqual(Array.from(/** @type {Float64Array} */ (healed.result.series.allowed.data)), Array.from(/** @type {Float64Array} */ (result.series.allowed.data)));
    const stroke = drawn({ ...result.params, mask: paint.stroke([{ row: 0, column: 0 }, { row: 1, column: 1 }, { row: 2, column: 2 }], false) }).model;
    for (const i of [0, 1, 2]) assert.equal(stroke.allowed(i, i), 0);
    const mark = figure.marks.find(({ id }) => id === paint.mark(row, column));
    assert.ok(mark);
    assert.deepEqual(paint.cell(mark.x + mark.w / 2, mark.y + mark.h / 2), { row, column });
    assert.equal(paint.cell(-5, 10), null);
  }
  assert.equal(drawn({ mask: 'causal', ...square(65) }).figure.paint, undefined);
});

test('the table holds each weight or the sheets that close the pair', () => {
  const { figure } = drawn({});
  assert.deepEqual(figure.table.rows.map(([head]) => head), ['query 1', 'query 2', 'query 3', 'query 4', 'query 5 (empty)', 'query 6 (empty)']);
  assert.deepEqual(figure.table.rows[0].slice(1, 3), ['1', 'closed by causal and window(2)']);
  for (const params of settings) {
    const { figure: { table }, model } = drawn(params);
    assert.equal(table.rows.length, model.rows);
    assert.equal(table.columns.length, model.columns + 1);
  }
});

test('what the mask tells: a line a sheet, and all together', () => {
  const { drawing } = drawn({});
  const tells = drawing.figures[1];
  assert.equal(withClass(tells.node, 'tell').length, 4);
  assert.deepEqual(withClass(tells.node, 'verdict').map(({ tag }) => tag), ['circle', 'circle', 'rect', 'rect']);
  assert.deepEqual(tells.table.rows[1], ['window(2)', '0.305556', '9', '4', 'yes']);
  assert.equal(tells.table.rows.find(([name]) => name === 'memory: a byte a pair')?.[1], '36 B');
  assert.equal(tells.table.rows.find(([name]) => name === 'memory: lengths')?.[1], 'cannot');
  const lengths = drawn({ mask: 'causal & padding(3)' }).drawing.figures[1];
  assert.ok(withClass(lengths.node, 'tell-value').map(textOf).includes('yes: 1, 2, 3, 3, 3, 3'));
  for (const params of settings) {
    for (const width of [320, 974]) {
      const figure = drawn(params, { width }).drawing.figures[1];
      for (const { attrs } of elements(figure.node, 'circle')) assert.ok(Number(attrs.cx) <= width);
    }
  }
});

test('maps do not overlap and stay in the figure', () => {
  for (const width of [320, 358, 560, 700, 974, 1300]) {
    for (const [count, rows, columns] of [[1, 6, 6], [3, 6, 6], [4, 12, 12], [8, 8, 8], [8, 64, 64], [2, 3, 40], [5, 40, 3], [1, 1, 1], [6, 20, 20], [3, 64, 64], [12, 10, 10]]) {
      const { sheets, composite, height } = sheetLayout({ width, narrow: width < 560, count, rows, columns, rowName: String(rows), lines: 2 });
      const boxes = [...sheets, composite].map(({ x, y, size }) => ({ x, y, right: x + columns * size, bottom: y + rows * size }));
      boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => assert.ok(a.right < b.x || b.right < a.x || a.bottom < b.y || b.bottom < a.y, `${count} of ${rows} x ${columns} at ${width}`)));
      for (const box of boxes) assert.ok(box.x >= 0 && box.right <= width && box.bottom <= height, `${count} of ${rows} x ${columns} at ${width}: ${box.right}`);
      assert.ok(sheets.every(({ size }) => size <= composite.size), 'no sheet is larger than what they leave');
    }
  }
});

test('64 x 64 with eight sheets is few elements', () => {
  const { figure } = drawn({ mask: 'causal & window(40) & padding(60) & chunks(32) & documents(30,34) & window(30,30) & prefix(9) & dilated(20,2)', ...square(64) });
  assert.ok(elements(figure.node).length < 700, `${elements(figure.node).length} elements`);
  assert.ok(toString(figure.node).length < 400_000);
});

test('words: ranges, brevity, lines, bytes, counts, operands', () => {
  assert.deepEqual(ranges([1, 3, 4, 5, 8, 9]), ['1', '3 to 5', '8', '9']);
  assert.equal(brief('window(2)', 20), 'window(2)');
  assert.equal(brief('rows(111111, 111111, 111111)', 16), 'rows(111111, 1…)');
  assert.deepEqual(lines('causal(bottom_right)', 100, 16), ['causal(', 'bottom_right)']);
  assert.deepEqual([6, 1023, 1024, 1536, 2 ** 30, 1000 * 1024].map(bytesText), ['6 B', '1023 B', '1 KiB', '1.5 KiB', '1 GiB', '1000 KiB']);
  assert.deepEqual([0, 36, 99999, 134217728].map(compact), ['0', '36', '99\u202f999', '134M']);
  assert.deepEqual(operands('causal & (a | b & c) & rows(1, 0)', '&'), ['causal', '(a | b & c)', 'rows(1, 0)']);
  assert.deepEqual(operands('documents(4,2), causal | global(0), none', ','), ['documents(4,2)', 'causal | global(0)', 'none']);
});

test('the emblem is the sheets and what they leave', () => {
  const result = core.run('masks', plate.emblem.params);
  const node = plate.emblem.draw(result, { width: 358, uid: 'e', params: result.params });
  const maps = withClass(node, 'heatmap');
  assert.equal(maps.length, 3);
  assert.ok(Number(node.attrs.height) < 320);
  assert.deepEqual(cellsOf(maps[2], 6, 6).map(({ excluded }) => excluded), Array.from(/** @type {Float64Array} */ (result.series.allowed.data), (share) => (share === 0 ? 1 : 0)));
});
