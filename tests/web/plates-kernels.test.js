// Plate I on the real core: points where they are, bars as long as weights, bands as wide as the field, and hands that lead back to the parameters.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixed, precise, weight } from '../../web/chart/format.js';
import { textWidth } from '../../web/chart/text.js';
import plate from '../../web/plates/kernels.js';
import { movedTo, placeText, REACH, toPx } from '../../web/plates/parts/plane-hands.js';
import { readPlane } from '../../web/plates/parts/plane-read.js';
import { drawsFrom, loadCore, parameterOf } from './support.js';
import { checkFigures, elements, textOf, withClass } from './support-chart.js';

const core = await loadCore();
const study = /** @type {import('../../web/engine/types.js').Study} */ (core.describe().studies.find(({ id }) => id === 'kernels'));

/**
 * @param {Record<string, any>} params
 * @param {Partial<import('../../web/chart/types.js').Env>} [env]
 */
function drawn(params, env = {}) {
  const result = core.run('kernels', params);
  const drawing = plate.draw(result, { width: 974, uid: 'u', params: result.params, hover: null, ...env });
  const [plane, weights, fields, terms] = drawing.figures;
  return { result, drawing, plane, weights, fields, terms, model: readPlane(result) };
}

/** @param {(n: number) => number} draw @param {number} rows */
const table = (draw, rows) => Array.from({ length: rows }, () => `${(draw(1001) - 500) / 100},${(draw(1001) - 500) / 100}`).join(';');

/** Presets, edges, and points at random under every move. @type {Record<string, any>[]} */
const settings = [
  {}, ...study.presets.map(({ params }) => params), { generator: 'torch', points: 'section-2', seed: 3, key: 9 },
  { points: 'own', keys: '0,0', query: '0,0', equal_norms: true, key: 1 }, { points: 'own', keys: '5,5;-5,-5', query: '5,-5', move: 'both', shift: '5,5', key: 2 },
  { points: 'own', keys: '1,1;1,1;1,1', query: '1,1', key: 3, move: 'rotate', angle: 180 }, { move: 'rotate', angle: -90, equal_norms: true },
  ...(() => {
    const draw = drawsFrom(11);
    return Array.from({ length: 14 }, (_, i) => {
      const keys = 1 + draw(24);
      return {
        points: 'own', query: table(draw, 1), keys: table(draw, keys), key: 1 + draw(keys), gaussian: ['plain', 'scaled'][draw(2)], equal_norms: draw(2) === 1,
        move: ['none', 'keys', 'both', 'rotate', 'query'][i % 5], shift: table(draw, 1), angle: draw(361) - 180,
      };
    });
  })(),
];

/** Numbers of a path. @param {string} d */
const numbersOf = (d) => (d.match(/-?\d+(\.\d+)?/g) ?? []).map(Number);

/** The middle of the plane's square and px a unit, read off the axes. @param {import('../../web/chart/types.js').Figure} plane */
function squareOf(plane) {
  const [left] = withClass(plane.node, 'axis-y');
  const ticks = elements(left, 'text').filter(({ attrs }) => attrs.class === 'tick').map((each) => ({ y: Number(each.attrs.y), value: Number(textOf(each).replace('−', '-')) }));
  const unit = (ticks[0].y - ticks[ticks.length - 1].y) / (ticks[ticks.length - 1].value - ticks[0].value);
  const [bottom] = withClass(plane.node, 'axis-x');
  const zero = elements(bottom, 'text').find((each) => textOf(each) === '0');
  return { unit, x: Number(zero?.attrs.x), y: Number(ticks.find(({ value }) => value === 0)?.y) };
}

test('numbers of maps that lie side by side do not touch', () => {
  for (const params of settings.slice(0, 12)) {
    for (const width of [320, 559, 560]) {
      const { fields } = drawn(params, { width });
      const rows = withClass(fields.node, 'axis-x').map((axis) => elements(axis, 'text').filter(({ attrs }) => attrs.class === 'tick'));
      assert.equal(rows.length, 3);
      const words = rows.flat().filter((each) => textOf(each) !== '').map((each) => ({ x: Number(each.attrs.x), half: textWidth(textOf(each), width < 560 ? 14 : 15) / 2, text: textOf(each) }));
      assert.ok(words.length >= 7, 'all three at the first map, two at least at the others');
      words.slice(1).forEach(({ x, half }, i) => assert.ok(x - half > words[i].x + words[i].half + 3, `${width} px: "${words[i].text}" and what follows`));
    }
  }
});

test('every figure is whole at every setting and width', () => {
  for (const params of settings) {
    for (const width of [320, 358, 559, 560, 700, 819, 820, 974, 1300]) {
      const { drawing } = drawn(params, { width });
      checkFigures(drawing, { uid: 'u', width });
      assert.deepEqual(drawing.figures.map(({ id }) => id), ['plane', 'weights', 'fields', 'terms']);
    }
  }
});

test('the query and every key stand at their entries, and can be taken there', () => {
  for (const params of settings) {
    const { plane, model } = drawn(params);
    const square = squareOf(plane);
    const at = (/** @type {{x: number, y: number}} */ point) => ({ x: square.x + point.x * square.unit, y: square.y - point.y * square.unit });
    const near = (/** @type {number} */ a, /** @type {number} */ b) => assert.ok(Math.abs(a - b) < 0.1, `${a} for ${b}`);
    const rings = withClass(plane.node, 'plane-key').map((key) => elements(key, 'circle')[0].attrs);
    assert.equal(rings.length, model.keys.length);
    rings.forEach(({ cx, cy }, k) => { near(Number(cx), at(model.keys[k]).x); near(Number(cy), at(model.keys[k]).y); });
    const [ring] = withClass(plane.node, 'handle');
    near(Number(ring.attrs.cx), at(model.query).x);
    near(Number(ring.attrs.cy), at(model.query).y);
    const handles = plane.handles ?? [];
    assert.deepEqual(handles.map(({ id }) => id), ['query', ...model.keys.map((_, k) => `key-${k + 1}`)]);
    for (const handle of handles) {
      const mark = plane.marks.find(({ id }) => id === handle.id);
      assert.ok(mark && mark.cx === handle.x && mark.cy === handle.y && mark.text.startsWith(`${handle.label}: ${handle.text}`));
    }
    assert.deepEqual(withClass(plane.node, 'chosen').map((each) => textOf(each)), [String(model.chosen + 1)]);
  }
});

test('a hand that lets a point lie changes no weight that is printed', () => {
  for (const params of settings) {
    const { plane, model } = drawn(params);
    for (const handle of plane.handles ?? []) {
      const moved = /** @type {Record<string, any>} */ (handle.nudge(0, 0));
      assert.deepEqual(Object.keys(moved), ['points', 'query', 'keys']);
      const after = readPlane(core.run('kernels', { ...params, ...moved }));
      // Entries are written to a hundredth, others to a ten-thousandth; under equal norms a short key's direction may turn by that much.
      for (const [is, was] of [[after.query, model.query], ...after.keys.map((key, k) => [key, model.keys[k]])]) {
        assert.ok(Math.hypot(is.x - was.x, is.y - was.y) < (model.equal ? 0.05 : 0.0075), `${handle.id} of ${JSON.stringify(params)}: ${placeText(is)} for ${placeText(was)}`);
      }
    }
  }
});

test('a point comes to the place of the hand, whatever the move', () => {
  const draw = drawsFrom(5);
  for (const move of ['none', 'keys', 'both', 'rotate', 'query']) {
    for (const width of [328, 974]) {
      const params = { points: 'own', query: '1,0.5', keys: '1,1;-1,0.5;0.5,-1', key: 2, move, shift: '0.5,-0.25', angle: 130 };
      const { plane } = drawn(params, { width });
      const square = squareOf(plane);
      for (const handle of plane.handles ?? []) {
        const wanted = { x: (draw(401) - 200) / 100, y: (draw(401) - 200) / 100 };
        const after = readPlane(core.run('kernels', { ...params, .../** @type {Record<string, any>} */ (handle.move(square.x + wanted.x * square.unit, square.y - wanted.y * square.unit)) }));
        const is = handle.id === 'query' ? after.query : after.keys[Number(handle.id.slice(4)) - 1];
        assert.ok(Math.hypot(is.x - wanted.x, is.y - wanted.y) < 0.015, `${move} ${handle.id}: ${placeText(is)} for ${placeText(wanted)}`);
      }
    }
  }
});

test('a step of the keys is a tenth, on the sheet as in the parameter', () => {
  const { plane } = drawn({ points: 'own', query: '1,0.5', keys: '1,1;-1,0.5', key: 2 });
  const [query, , second] = plane.handles ?? [];
  assert.deepEqual(query.nudge(1, 0), { points: 'own', query: '1.1,0.5', keys: '1,1;-1,0.5' });
  assert.deepEqual(second.nudge(0, -10), { points: 'own', query: '1,0.5', keys: '1,1;-1,-0.5' });
  assert.deepEqual(second.nudge(-10, 10), { points: 'own', query: '1,0.5', keys: '1,1;-2,1.5' });
});

test('under equal norms a hand turns a key and leaves its own length', () => {
  const params = { points: 'own', query: '1,0.5', keys: '3,4;-1,0;0,-2', key: 2, equal_norms: true };
  const { model } = drawn(params);
  const moved = movedTo(model, 0, { x: -0.5, y: 0 });
  assert.equal(moved.keys, '-5,0;-1,0;0,-2');
  assert.equal(movedTo(model, 0, { x: 0, y: 0 }).keys, '3,4;-1,0;0,-2');
  const after = readPlane(core.run('kernels', { ...params, ...moved }));
  assert.ok(after.norms.every((norm) => Math.abs(norm - model.norms[0]) < 1e-12));
});

test('hands keep to the range of the entries and to the square', () => {
  for (const key of ['query', 'keys', 'shift']) {
    const { min, max } = parameterOf(study, key);
    assert.deepEqual([min, max], [-REACH, REACH]);
  }
  for (const params of settings) {
    const { plane, fields, model } = drawn(params);
    for (const handle of [...plane.handles ?? [], ...fields.handles ?? []]) {
      for (const [x, y] of [[-1e5, -1e5], [1e5, 3], [40, 1e5]]) {
        const moved = /** @type {Record<string, any>} */ (handle.move(x, y));
        const after = readPlane(core.run('kernels', { ...params, ...moved, key: 1 }));
        const is = handle.id.startsWith('query') ? after.query : after.keys[Number(handle.id.split('-')[1]) - 1];
        if (model.move === 'none' && !model.equal) assert.ok(Math.abs(is.x) <= model.extent && Math.abs(is.y) <= model.extent);
      }
    }
  }
});

test('a plane in the hand keeps its measure until it is let go', () => {
  const near = core.run('kernels', { points: 'own', query: '1,0.5', keys: '1,1;-1,0.5', key: 1 });
  const far = { points: 'own', query: '1,0.5', keys: '1,1;-3.2,0.5', key: 1 };
  const held = squareOf(drawn(far, { taken: 'key-2', before: near }).plane);
  assert.equal(held.unit, squareOf(drawn(near.params).plane).unit);
  assert.ok(squareOf(drawn(far).plane).unit < held.unit);
  const { fields } = drawn(far, { taken: 'key-2', before: near });
  assert.equal(elements(fields.node, 'clipPath').length, 3);
  checkFigures(drawn(far, { taken: 'key-2', before: near }).drawing, { uid: 'u', width: 974 });
});

test('traces lead from where each point was, and only after a move', () => {
  for (const params of settings) {
    const { plane, model } = drawn(params);
    const { d } = withClass(plane.node, 'traces')[0].attrs;
    if (model.move === 'none') assert.equal(d, '');
    const frame = { left: 38, top: 30, size: Number(plane.width) - 48, extent: model.extent };
    const ways = [[model.queryBefore, model.query], ...model.keysBefore.map((before, k) => [before, model.keys[k]])].filter(([a, b]) => {
      const [from, to] = [toPx(frame, a), toPx(frame, b)];
      return Math.hypot(from.x - to.x, from.y - to.y) >= 1;
    });
    assert.equal((d.match(model.move === 'rotate' ? /A/g : /L/g) ?? []).length, ways.length, JSON.stringify(params));
  }
});

test('three bars a key, as long as their weights, on one measure', () => {
  for (const params of settings) {
    const { weights, model } = drawn(params);
    const groups = withClass(weights.node, 'rule-bars').slice(0, 3);
    const [axis] = withClass(weights.node, 'axis-y');
    const ticks = elements(axis, 'text').filter(({ attrs }) => attrs.class === 'tick');
    const unit = (Number(ticks[0].attrs.y) - Number(ticks[2].attrs.y)) / Number(textOf(ticks[2]));
    groups.forEach((group, rule) => {
      const rises = [...String(elements(group, 'path')[0].attrs.d).matchAll(/M[\d.]+ [\d.]+v-?([\d.]+)h/g)].map((match) => Number(match[1]) + (rule === 2 ? 1 : 0));
      const values = model.weights[rule].filter((value) => value > 0);
      assert.equal(rises.length, values.length);
      // the least bar is a hair; an open one as low as its stroke has no inside
      rises.forEach((rise, i) => { if (values[i] * unit > 1.01) assert.ok(Math.abs(rise - values[i] * unit) < 0.06, `${rise} for ${values[i] * unit}`); });
    });
    const strokes = groups.map((group) => (String(elements(group, 'path')[1].attrs.d).match(/M/g) ?? []).length);
    assert.deepEqual(strokes, model.stays.map((stays) => (model.move === 'none' || stays ? 0 : model.keys.length)));
    assert.deepEqual(weights.marks.map(({ id }) => id), model.keys.map((_, k) => `bar-${k + 1}`));
  }
});

test('a band lies where the field has its values', () => {
  for (const params of settings.slice(0, 16)) {
    const { fields, model } = drawn(params);
    const panels = withClass(fields.node, 'field');
    assert.equal(panels.length, 3);
    panels.forEach((panel, rule) => {
      const bands = withClass(panel, 'filled');
      assert.equal(bands.length, 10, 'an element a band');
      const field = Array.from(model.fields[rule]);
      const frame = numbersOf(withClass(panel, 'field-frame')[0].attrs.d);
      const size = frame[2] + 1;
      bands.forEach(({ attrs }, i) => {
        const level = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9][i];
        // Area by the shoelace formula against the share of cells above the level.
        const area = attrs.d.split('z').filter(Boolean).reduce((sum, ring) => {
          const n = numbersOf(ring);
          let twice = 0;
          for (let j = 0; j < n.length; j += 2) twice += n[j] * n[(j + 3) % n.length] - n[(j + 2) % n.length] * n[j + 1];
          return sum - twice / 2;
        }, 0);
        const cells = field.filter((value) => value >= level).length / field.length;
        assert.ok(Math.abs(area / (size * size) - cells) < 0.02, `level ${level}: ${area / (size * size)} for ${cells}`);
      });
    });
  }
});

test('what stays and what moves is said three times, and every time by the core’s bound', () => {
  for (const params of settings) {
    const { drawing, fields, model } = drawn(params);
    const said = withClass(fields.node, 'field-verdict').map(textOf);
    assert.equal(said.length, 3);
    if (model.move === 'none') {
      said.forEach((text, rule) => assert.equal(text, `key ${model.chosen + 1}: ${weight(model.weights[rule][model.chosen], 3)}`));
      assert.equal(withClass(fields.node, 'verdict').length, 0);
      continue;
    }
    assert.deepEqual(withClass(fields.node, 'verdict').map(({ attrs }) => attrs.class.includes('match')), model.stays);
    said.forEach((text, rule) => assert.equal(text, model.stays[rule] ? 'weights stay' : `weights move, by up to ${weight(model.movedBy[rule], 3)}`));
    const row = drawing.readout?.rows.find(([name]) => name === 'the move');
    assert.deepEqual(row?.slice(1), model.stays.map((stays) => (stays ? 'stays' : 'moves')));
    const colours = (drawing.headline ?? []).flatMap((part) => (typeof part === 'object' && !('i' in part) ? Object.keys(part) : []));
    assert.deepEqual(colours, [...(model.stays.includes(true) ? ['blue'] : []), ...(model.stays.includes(false) ? ['red'] : [])]);
  }
});

test('the section’s example under each move', () => {
  assert.deepEqual(['keys', 'both', 'rotate', 'query'].map((move) => drawn({ move }).model.stays), [[false, true, true], [true, false, false], [true, true, true], [false, false, false]]);
});

test('terms that are the same for every key are a level line, the others have a stem a key', () => {
  for (const params of settings) {
    const { terms, model } = drawn(params);
    const rows = withClass(terms.node, 'term');
    const words = rows.map((row) => textOf(withClass(row, 'term-word')[0]));
    const [query, keys] = [model.queryBias, model.keyBias].map(({ x, y }) => x !== 0 || y !== 0);
    assert.deepEqual(words, ['differs from key to key', keys ? 'the same for all: cancels' : 'the keys have no bias', query ? 'differs from key to key' : 'the query has no bias', query && keys ? 'the same for all: cancels' : 'no two biases']);
    assert.deepEqual(rows.map((row) => withClass(row, 'term-level').length), [0, keys ? 1 : 0, 0, query && keys ? 1 : 0]);
    for (const row of [1, 3]) assert.equal(new Set(model.terms[row]).size, 1, 'the same for every key indeed');
    assert.equal((withClass(rows[0], 'term-stems')[0].attrs.d.match(/M/g) ?? []).length, model.keys.length);
    const stems = numbersOf(withClass(rows[0], 'term-stems')[0].attrs.d);
    const [largest, other] = [0, 1].map((nth) => model.terms[0].map((value, k) => ({ value: Math.abs(value), k })).sort((a, b) => b.value - a.value)[nth]);
    const length = (/** @type {number} */ k) => Math.abs(stems[3 * k + 2] - stems[3 * k + 1]);
    if (other && other.value > 0.2) assert.ok(Math.abs(length(other.k) / length(largest.k) - other.value / largest.value) < 0.03);
  }
});

test('the note names the key where the scaled rules part most, and never says more than digits show', () => {
  for (const params of settings) {
    const { drawing, weights, model } = drawn(params);
    const words = withClass(weights.node, 'part-word');
    if (model.keys.length === 1) {
      assert.equal(drawing.note, null);
      assert.equal(words.length, 0);
      continue;
    }
    const text = (drawing.note?.text ?? []).map((part) => (typeof part === 'string' ? part : Object.values(part)[0])).join('');
    const pair = model.matched.map((row) => weight(row[model.most], 3));
    if (text.startsWith('Nowhere')) {
      model.matched[0].forEach((each, k) => assert.equal(weight(each, 3), weight(model.matched[1][k], 3)));
      assert.equal(words.length, 0);
    } else {
      assert.ok(text.includes(`key ${model.most + 1}: ${pair[0]} against ${pair[1]}. Its norm is ${fixed(model.norms[model.most], 2)}`), text);
      assert.equal(text.includes('hold a long key back'), model.matched[1][model.most] > model.matched[0][model.most]);
      assert.equal(words.length, 1);
    }
    assert.equal(text.includes('no direction'), model.equal && model.undirected.includes(true));
  }
});

test('tables say the core’s numbers', () => {
  for (const params of settings.slice(0, 8)) {
    const { plane, weights, terms, drawing, model } = drawn(params);
    assert.equal(plane.table.rows.length, model.keys.length + 1);
    assert.deepEqual(plane.table.rows.slice(1).map((row) => row[2]), model.keys.map(placeText));
    const columns = model.move === 'none' ? [2, 4, 6] : [2, 5, 8];
    columns.forEach((column, rule) => assert.deepEqual(weights.table.rows.map((row) => row[column]), model.weights[rule].map(precise)));
    assert.deepEqual(terms.table.rows.map((row) => row.slice(1)), model.keys.map((_, k) => model.terms.map((row) => fixed(row[k], 4))));
    assert.deepEqual(drawing.readout?.rows[0].slice(1), model.weights.map((row) => weight(Math.max(...row), 3)));
    assert.deepEqual(drawing.readout?.rows[1].slice(1), model.weights.map((row) => String(row.indexOf(Math.max(...row)) + 1)));
  }
});

test('choosing a key shows its fields; the chosen one asks for nothing', () => {
  const { plane, weights, model } = drawn({ key: 2 });
  for (const mark of [...plane.marks.slice(1), ...weights.marks]) {
    const k = Number(mark.id.split('-')[1]);
    if (k === model.chosen + 1) assert.equal(mark.edit, undefined);
    else assert.deepEqual(mark.edit && [mark.edit.param, mark.edit.value], ['key', k]);
  }
});

test('few elements, however fine the field and however many the keys', () => {
  const draw = drawsFrom(2);
  const count = (/** @type {Record<string, any>} */ params) => drawn(params).drawing.figures.reduce((sum, { node }) => sum + elements(node).length, 0);
  // with the 26 elements of the axes of three fields
  assert.ok(count({}) < 256, String(count({})));
  assert.ok(count({ points: 'own', keys: table(draw, 24), move: 'both', key: 1 }) < 340);
});

test('keys that share the largest weight are not ranked', () => {
  const said = (/** @type {Record<string, any>} */ params) => {
    const result = core.run('kernels', { points: 'own', ...params });
    const { headline, readout } = plate.draw(result, { width: 974, uid: 'u', params: result.params, hover: null });
    return { headline: (headline ?? []).map((part) => (typeof part === 'string' ? part : Object.values(part)[0])).join(''), on: readout?.rows.find(([name]) => name === 'on key')?.slice(1) };
  };
  const origin = said({ query: '0,0' });
  assert.match(origin.headline, /the dot product, scaled or not, all keys the same\.$/);
  assert.deepEqual(origin.on?.slice(1), ['all', 'all']);
  assert.equal(said({ query: '1,1', keys: '1,1;1,1' }).headline, 'All three rules give all keys the same.');
  const shared = said({ query: '1,0', keys: '1,1;1,-1;-2,0', gaussian: 'plain' });
  assert.equal(shared.headline, 'All three rules give most to keys 1 and 2 alike.');
  assert.deepEqual(shared.on, ['1 and 2', '1 and 2', '1 and 2']);
});

test('the printed line leaves out what changes nothing', () => {
  const idle = (/** @type {Record<string, any>} */ params) => plate.idle?.(core.run('kernels', params).params);
  assert.deepEqual(idle({ points: 'section-1', move: 'none' }), ['query', 'keys', 'shift', 'angle']);
  assert.deepEqual(idle({ points: 'own', move: 'rotate' }), ['generator', 'seed', 'shift']);
  assert.deepEqual(idle({ points: 'own', move: 'both' }), ['generator', 'seed', 'angle']);
});
