// Numbers and words as printed: nothing but zero looks like zero, minus signs are true, labels never touch.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { count, fixed, list, plural, precise, tick, weight, words } from '../../web/chart/format.js';
import { spread, endLabels } from '../../web/chart/labels.js';
import { textWidth } from '../../web/chart/text.js';
import { drawsFrom } from './support.js';

test('fixed decimals', () => {
  for (const [value, digits, text] of /** @type {[number, number, string][]} */ ([
    [3.6817, 2, '3.68'], [-1.5, 1, '−1.5'], [0, 2, '0.00'], [0.004, 2, '<0.01'], [-0.004, 2, '>−0.01'], [0.005, 2, '0.01'],
    [NaN, 2, 'NaN'], [Infinity, 2, '∞'], [-Infinity, 2, '−∞'], [12345.678, 1, '12345.7'],
  ])) assert.equal(fixed(value, digits), text, String(value));
});

test('a weight prints 0 only for zero and 1 only for one', () => {
  assert.equal(weight(1 + Number.EPSILON, 3), '1.000');
  for (const [value, digits, text] of /** @type {[number, number, string][]} */ ([
    [0, 3, '0'], [-0, 3, '0'], [1, 3, '1'], [1e-12, 3, '<0.001'], [Number.MIN_VALUE, 2, '<0.01'], [0.0005, 3, '0.001'], [0.4923, 3, '0.492'],
    [1 - 1e-9, 3, '>0.999'], [0.9996, 3, '>0.999'], [0.9994, 3, '0.999'], [NaN, 3, 'NaN'],
  ])) assert.equal(weight(value, digits), text, String(value));
  const draw = drawsFrom(7);
  for (let i = 0; i < 2000; i++) {
    const value = 10 ** -(draw(16000) / 1000);
    const text = weight(value, 3);
    assert.ok(!/^0(\.0*)?$/.test(text), `${value} prints ${text}`);
    if (/^\d/.test(text)) assert.ok(Math.abs(Number(text) - value) <= 0.0005 + 1e-12);
  }
});

test('precise values keep four figures', () => {
  for (const [value, text] of /** @type {[number, string][]} */ ([
    [0, '0'], [0.49227244, '0.4923'], [11.3137, '11.314'], [1.2344e-9, '1.234e−9'], [-0.00001, '−1e−5'], [0.5, '0.5'], [2.5e7, '2.5e7'], [NaN, 'NaN'],
  ])) assert.equal(precise(value), text);
});

test('ticks have the decimals of their step', () => {
  assert.deepEqual([0, 0.2, 0.4, 1].map((value) => tick(value, 0.2)), ['0', '0.2', '0.4', '1']);
  assert.deepEqual([0.05, 0.1].map((value) => tick(value, 0.05)), ['0.05', '0.1']);
  assert.deepEqual([0, 1, 20].map((value) => tick(value, 1)), ['0', '1', '20']);
});

test('counts, words and lists', () => {
  assert.equal(count(9999), '9999');
  assert.equal(count(4294967295), '4\u202f294\u202f967\u202f295');
  assert.deepEqual([words(1), words(12), words(64)], ['one', 'twelve', '64']);
  assert.deepEqual([plural(1, 'query', 'queries'), plural(2, 'query', 'queries')], ['1 query', '2 queries']);
  assert.deepEqual([list([]), list(['a']), list(['a', 'b']), list(['a', 'b', 'c'])], ['', 'a', 'a and b', 'a, b and c']);
});

test('labels that have room stay where they are', () => {
  assert.deepEqual(spread([10, 100, 50], 18, [0, 200]), [10, 100, 50]);
});

test('labels that would touch part by the same amount', () => {
  assert.deepEqual(spread([50, 52], 18, [0, 200]), [42, 60]);
  assert.deepEqual(spread([60, 60, 60], 10, [0, 200]), [50, 60, 70]);
});

test('labels keep their gap, their order and the limits, whatever is wanted', () => {
  const draw = drawsFrom(11);
  for (let run = 0; run < 500; run++) {
    const wanted = Array.from({ length: 1 + draw(6) }, () => draw(300) - 50);
    const placed = spread(wanted, 15, [0, 200]);
    const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b] || a - b);
    order.forEach((index, k) => {
      assert.ok(placed[index] >= -1e-9 && placed[index] <= 200 + 1e-9, `${wanted} -> ${placed}`);
      if (k > 0) assert.ok(placed[index] - placed[order[k - 1]] >= 15 - 1e-9, `${wanted} -> ${placed}`);
    });
    // No other arrangement that keeps the gap moves the labels less, in squares.
    const cost = (/** @type {number[]} */ ys) => ys.reduce((sum, y, i) => sum + (y - wanted[i]) ** 2, 0);
    for (let nudge = 0; nudge < 20; nudge++) {
      const other = [...placed];
      for (const index of order) other[index] += (draw(200) - 100) / 20;
      const fits = order.every((index, k) => other[index] >= 0 && other[index] <= 200 && (k === 0 || other[index] - other[order[k - 1]] >= 15));
      if (fits) assert.ok(cost(other) >= cost(placed) - 1e-6, `${wanted}: ${other} is nearer than ${placed}`);
    }
  }
});

test('end labels carry the class of their series', () => {
  const node = endLabels([{ y: 10, text: 'scaled', kind: 'scaled' }, { y: 12, text: 'unscaled', kind: 'unscaled' }], { x: 5, gap: 18, limits: [0, 100] });
  const [a, b] = /** @type {import('../../web/chart/types.js').VNode[]} */ (node.children);
  assert.equal(a.attrs.class, 'end-label scaled');
  assert.ok(Number(b.attrs.y) - Number(a.attrs.y) >= 18);
});

test('widths of text grow with the text and the size', () => {
  assert.equal(textWidth('', 15), 0);
  assert.ok(Math.abs(textWidth('0123456789', 10) - 48) < 1e-9, 'figures are 0.48 em');
  assert.ok(textWidth('perfectly even', 15) > textWidth('even', 15));
  assert.ok(textWidth('even', 30) === 2 * textWidth('even', 15));
  assert.ok(textWidth('even', 15, true) < textWidth('even', 15));
});
