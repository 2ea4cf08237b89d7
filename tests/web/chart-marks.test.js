// The marks: axes that end with their ticks, lines and bands that break where there is no number, bars on one measure,
// cells that tell zero from small, and ink that stays readable.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axisBottom, axisLeft, roundTicks } from '../../web/chart/axis.js';
import { band } from '../../web/chart/band.js';
import { barWidth, pairedBars } from '../../web/chart/bars.js';
import { cellBorder } from '../../web/chart/cells.js';
import { hatch } from '../../web/chart/hatch.js';
import { heatmap, RULED, TINT } from '../../web/chart/heatmap.js';
import { series } from '../../web/chart/line.js';
import { toString } from '../../web/chart/node.js';
import { ruleValues } from '../../web/chart/rule.js';
import { sliderScale, tickPlaces } from '../../web/chart/scale.js';
import { blend, contrast, dark, inkSteps, light, print, rgb, valueClass } from '../../web/chart/theme.js';
import { textWidth } from '../../web/chart/text.js';
import { cellsOf, elements, withClass } from './support-chart.js';

test('an axis runs from its first tick to its last, ticks outward', () => {
  const bottom = toString(axisBottom({ ticks: [{ at: 10, label: '4' }, { at: 60, label: '8' }, { at: 110, label: '16' }], y: 200, name: 'd' }));
  assert.match(bottom, /d="M10\.5 200\.5H110\.5M10\.5 200\.5v6M60\.5 200\.5v6M110\.5 200\.5v6"/);
  const left = toString(axisLeft({ ticks: [{ at: 200, label: '0' }, { at: 100, label: '1' }], x: 40, name: 'entropy, nats' }));
  assert.match(left, /d="M40\.5 200\.5V100\.5M40\.5 200\.5h-6M40\.5 100\.5h-6"/);
  assert.match(left, />entropy, nats</);
});

test('round ticks are labelled to one precision', () => {
  assert.deepEqual(roundTicks(0, 4.16, 4).map(({ label }) => label), ['0', '1', '2', '3', '4']);
  assert.deepEqual(roundTicks(0, 0.69, 4).map(({ label }) => label), ['0', '0.2', '0.4', '0.6']);
});

test('a series has a mark a point, of its own shape', () => {
  const points = [{ x: 0, y: 1 }, { x: 10, y: 2 }, { x: 20, y: 3 }];
  assert.equal(elements(series(points, 'scaled'), 'circle').length, 3);
  assert.equal(elements(series(points, 'unscaled'), 'rect').length, 3);
  assert.equal(elements(series(points, 'scaled'), 'rect').length, 0);
});

test('a value that is not a number breaks the line and the band', () => {
  const drawn = series([{ x: 0, y: 1 }, { x: 10, y: NaN }, { x: 20, y: 3 }, { x: 30, y: 4 }], 'unscaled');
  assert.equal(elements(drawn, 'rect').length, 3);
  const [path] = elements(drawn, 'path');
  assert.equal(path.attrs.d.split('M').length - 1, 2);
  const area = band([{ x: 0, low: 1, high: 2 }, { x: 10, low: NaN, high: NaN }, { x: 20, low: 1, high: 2 }, { x: 30, low: 1, high: 2 }], 'p');
  assert.equal(area.attrs.d.split('M').length - 1, 2);
  for (const half of [{ low: 1, high: NaN }, { low: NaN, high: 2 }]) {
    assert.equal(band([{ x: 0, low: 1, high: 2 }, { x: 10, ...half }, { x: 20, low: 1, high: 2 }], 'p').attrs.d.split('M').length - 1, 2);
  }
  assert.ok(!/NaN/.test(toString(drawn) + toString(area)));
});

test('a band reaches from low to high', () => {
  assert.equal(band([{ x: 0, low: 12, high: 8 }, { x: 10, low: 22, high: 18 }], 'p').attrs.d, 'M0,8L10,18L10,22L0,12Z');
});

test('bars are on one measure, and only zero draws nothing', () => {
  const drawn = pairedBars({ upper: [0.5, 0, 1e-9, NaN], lower: [0.25, 0.5, 0, 1e-9], x: [0, 100], upperY: 200, lowerY: 208, unit: 100 });
  const [up, down] = drawn.children.map((child) => elements(/** @type {any} */ (child), 'rect'));
  assert.equal(up.length, 2);
  assert.deepEqual([up[0].attrs.height, up[0].attrs.y], ['50', '150']);
  assert.ok(Number(up[1].attrs.height) > 0 && Number(up[1].attrs.height) < 1);
  assert.equal(down.length, 3);
  // The outline's stroke of one pixel lies inside the bar: 0.25 is 25 px from edge to edge.
  assert.deepEqual([down[0].attrs.y, down[0].attrs.height], ['208.5', '24']);
  // An outline needs room for both of its strokes and the sheet between them: a bar is 0.56 of its place wide.
  const looks = (/** @type {number} */ place) => elements(pairedBars({ upper: [0], lower: [0.5], x: [0, place], upperY: 0, lowerY: 8, unit: 100 }), 'rect').map(({ attrs }) => attrs.class);
  assert.deepEqual(looks(2.3 / 0.56), ['bar thin']);
  assert.deepEqual(looks(2.5 / 0.56), ['bar open']);
});

test('bars stay thin and separate', () => {
  for (const pitch of [2, 4, 8, 20, 240]) assert.ok(barWidth(pitch) <= 10 && barWidth(pitch) < pitch * 0.8);
});

test('values beside a rule clear their curve, each other and the edge', () => {
  const curve = [{ x: 0, y: 20 }, { x: 100, y: 80 }];
  const labels = (/** @type {number} */ x) => elements(ruleValues({ x, right: 100, limits: [0, 200], values: [{ y: 80, text: '0.18', kind: 'unscaled', curve }, { y: 82, text: '0.16', kind: 'scaled' }] }), 'text');
  const atEdge = labels(100);
  assert.equal(atEdge[0].attrs['text-anchor'], 'end');
  assert.ok(Number(atEdge[0].attrs.y) < 80 - 13, 'the falling curve to the left pushes the label up');
  assert.ok(Math.abs(Number(atEdge[0].attrs.y) - Number(atEdge[1].attrs.y)) >= 17);
  assert.equal(labels(10)[0].attrs['text-anchor'], 'start');
  // to the left as soon as the label would reach beyond the data: the numbers stand 9 px beside the rule
  const wide = textWidth('0.18', 15);
  assert.equal(labels(100 - 9 - wide - 0.5)[0].attrs['text-anchor'], 'start');
  assert.equal(labels(100 - 9 - wide + 0.5)[0].attrs['text-anchor'], 'end');
});

test('cells: hatched, dotted, inked, printed', () => {
  const drawn = heatmap({
    x: 20, y: 20, size: 40, hatch: 'u-excluded',
    cells: [[{ excluded: true, print: '0' }, { ink: 0.0001, print: '<0.001' }, { ink: 0.5, print: '0.500' }], [{ dot: true }, { excluded: true }, { ink: 1, print: '1' }]],
  });
  assert.equal(withClass(drawn, 'excluded').length, 1, 'one path for all excluded cells');
  assert.equal(withClass(drawn, 'excluded')[0].attrs.fill, 'url(#u-excluded)');
  const look = cellsOf(drawn, 2, 3);
  assert.deepEqual(look.map(({ excluded }) => excluded), [1, 0, 0, 0, 1, 0]);
  assert.deepEqual(look.map(({ dots }) => dots), [0, 0, 0, 1, 0, 0]);
  assert.deepEqual(look.map(({ inks }) => inks), [[], [], [0.5], [], [], [1]], 'an ink of less than a hundredth is none');
  const printed = elements(drawn, 'text').filter((text) => text.attrs.class?.startsWith('print')).map((text) => text.children.join(''));
  assert.deepEqual(printed, ['0', '<0.001', '0.500', '1']);
});

test('small cells carry no values, and their columns stay numbered without crowding', () => {
  const cells = [Array.from({ length: 12 }, () => ({ ink: 0.5, print: '0.50' }))];
  const drawn = heatmap({ x: 0, y: 0, size: 14, hatch: 'h', cells });
  assert.equal(elements(drawn, 'text').filter((text) => text.attrs.class?.startsWith('print')).length, 0);
  assert.equal(elements(drawn, 'text').filter((text) => text.attrs.class === 'number').length, 6 + 1);
  // of an odd number the last is named as well
  const odd = heatmap({ x: 0, y: 0, size: 14, hatch: 'h', rowNumbers: false, cells: [Array.from({ length: 13 }, () => ({}))] });
  assert.deepEqual(elements(odd, 'text').map((text) => text.children.join('')), ['1', '3', '5', '7', '9', '11', '13']);
});

test('a large map is few elements: runs of cells, one path a look, a line around what is open, some of the names', () => {
  const open = (/** @type {number} */ i, /** @type {number} */ j) => j <= i && j > i - 9;
  const cells = Array.from({ length: 64 }, (_, i) => Array.from({ length: 64 }, (__, j) => (open(i, j) ? { ink: 1 / Math.min(i + 1, 9), differs: j === i && i % 2 === 0 } : { excluded: true })));
  for (const size of [5, 5.37, 9]) {
    const drawn = heatmap({ x: 24, y: 22, size, hatch: 'h', cells });
    assert.ok(elements(drawn).length < 90, `${elements(drawn).length} elements`);
    assert.equal(withClass(drawn, 'border').length, size < RULED ? 1 : 0);
    const look = cellsOf(drawn, 64, 64);
    cells.flat().forEach((cell, at) => {
      assert.equal(look[at].excluded, cell.excluded ? 1 : 0);
      assert.deepEqual(look[at].inks, cell.ink === undefined ? [] : [Math.round(cell.ink * 100) / 100]);
      assert.equal(look[at].differs, cell.differs ? 1 : 0);
    });
    const names = elements(drawn, 'text').filter(({ attrs }) => attrs['text-anchor'] === 'middle').map(({ attrs, children }) => ({ at: Number(attrs.x), text: children.join('') }));
    names.slice(1).forEach(({ at, text }, i) => assert.ok(at - names[i].at >= textWidth(text, 13) + 1, 'names do not touch'));
  }
});

test('the border of a region parts what has from what has not, and only there', () => {
  const lattice = { x: 0, y: 0, size: 10, rows: 3, columns: 3 };
  assert.equal(cellBorder(lattice, (i, j) => i === 1 && j === 1), 'M10 10h10M10 20h10M10 10v10M20 10v10');
  assert.equal(cellBorder(lattice, (i) => i === 0), 'M0 10h30');
  assert.equal(cellBorder(lattice, () => true), '');
  assert.equal(cellBorder(lattice, () => true, true), 'M0 0h30M0 30h30M0 0v30M30 0v30');
});

test('a hatch is named by its caller', () => {
  assert.equal(hatch('plate-7-scaled', 'scaled').attrs.id, 'plate-7-scaled');
});

test('slider ticks: powers of two on a log scale, ends always, never many', () => {
  const parameter = (/** @type {object} */ more) => /** @type {any} */ ({ key: 'd', label: 'd', kind: 'integer', default: 1, ...more });
  assert.deepEqual(tickPlaces(parameter({ min: 4, max: 512, scale: 'log2' })).map(Math.round), [0, 14, 29, 43, 57, 71, 86, 100]);
  assert.deepEqual(tickPlaces(parameter({ min: 0.001, max: 10, scale: 'log10' })).map(Math.round), [0, 25, 50, 75, 100]);
  assert.deepEqual(tickPlaces(parameter({ min: 1, max: 4, scale: 'linear' })).map(Math.round), [0, 33, 67, 100]);
  assert.deepEqual(tickPlaces(parameter({ min: 2, max: 128, scale: 'linear' })), [0, 100]);
  assert.deepEqual(tickPlaces(parameter({ min: 5, max: 5 })), [0, 100]);
  for (const [min, max] of [[2, 1024], [1, 1048576], [1, 12]]) {
    for (const scale of ['log2', 'linear']) {
      const places = tickPlaces(parameter({ min, max, scale }));
      assert.ok(places.length <= 10 && places[0] === 0 && places[places.length - 1] === 100 && places.every((p, i) => i === 0 || p > places[i - 1]));
    }
  }
  assert.match(toString(sliderScale(parameter({ min: 1, max: 4 }))), /viewBox="0 0 100 12"/);
});

test('every text pair reaches 4.5:1 in light, dark and print', () => {
  for (const theme of [light, dark, print]) {
    for (const ink of /** @type {const} */ (['ink', 'soft', 'blue', 'red'])) {
      for (const ground of /** @type {const} */ (['paper', 'sheet'])) {
        assert.ok(contrast(rgb(theme[ink]), rgb(theme[ground])) >= 4.5, `${ink} on ${ground}`);
      }
    }
    assert.ok(contrast(rgb(theme.sheet), rgb(theme.ink)) >= 4.5, 'a filled segment');
    assert.ok(contrast(rgb(theme.ink), rgb(theme.hairline)) >= 4.5, 'a button under the pointer');
  }
});

test('a value printed on any ink reaches 4.5:1', () => {
  for (const theme of [light, dark, print]) {
    for (let share = 0; share <= 1; share += 0.001) {
      const ground = blend(rgb(theme.blue), rgb(theme.sheet), Math.round(share * 100) / 100);
      const ink = rgb(theme[valueClass(share)]);
      assert.ok(contrast(ink, ground) >= 4.5, `${valueClass(share)} at ${share}: ${contrast(ink, ground)}`);
    }
    for (let tint = 0; tint <= 1; tint += 0.01) {
      assert.ok(contrast(rgb(theme.ink), blend(rgb(theme.soft), rgb(theme.sheet), tint * TINT)) >= 4.5);
    }
  }
  assert.ok(inkSteps.low < inkSteps.high);
});
