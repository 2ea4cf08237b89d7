/**
 * What the tests of drawings share: looking into an SVG tree. No test here.
 *
 * @import { VNode } from '../../web/chart/types.js'
 */
import assert from 'node:assert/strict';
import { toString } from '../../web/chart/node.js';
import { textWidth } from '../../web/chart/text.js';
import { markAt, neighbour } from '../../web/elements/marks.js';

/**
 * Every element of a tree with this tag, in drawing order.
 * @param {VNode} node
 * @param {string} [tag]
 * @returns {VNode[]}
 */
export function elements(node, tag) {
  const below = node.children.flatMap((child) => (typeof child === 'string' ? [] : elements(child, tag)));
  return tag === undefined || node.tag === tag ? [node, ...below] : below;
}

/** @param {VNode} node @param {string} name */
export const withClass = (node, name) => elements(node).filter(({ attrs }) => (attrs.class ?? '').split(' ').includes(name));

/** The words of an element. @param {VNode} node @returns {string} */
export const textOf = (node) => node.children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');

/** All ids of a tree. @param {VNode} node */
export const idsOf = (node) => elements(node).flatMap(({ attrs }) => (attrs.id === undefined ? [] : [attrs.id]));

/**
 * What holds of every figure of every plate.
 * @param {import('../../web/chart/types.js').Drawing} drawing
 * @param {{uid: string, width: number, nan?: boolean}} env  `nan`: a printed value may be NaN, an attribute never
 */
export function checkFigures(drawing, { uid, width, nan = false }) {
  assert.deepEqual(drawing.figures.map(({ number }) => number), drawing.figures.map((_, i) => i + 1));
  const ids = drawing.figures.flatMap(({ node }) => idsOf(node));
  assert.equal(new Set(ids).size, ids.length, 'no id twice');
  for (const id of ids) assert.ok(id.startsWith(`${uid}-`), `${id} carries the prefix`);
  for (const figure of drawing.figures) {
    const whole = toString(figure.node);
    const markup = nan ? whole.replace(/>[^<]*\bNaN<\//g, '></') : whole;
    const wrong = markup.search(/NaN|undefined|Infinity|\[object/);
    assert.equal(wrong, -1, `${figure.id}: ${markup.slice(Math.max(0, wrong - 40), wrong + 50)}`);
    assert.ok(!/ style=|<style|<script|https?:/.test(markup), 'no inline style, nothing from outside');
    assert.equal(figure.node.attrs.viewBox, `0 0 ${Math.round(figure.width)} ${Math.round(figure.height)}`);
    assert.ok(figure.width <= width, 'no wider than the plate');
    for (const [, id] of markup.matchAll(/url\(#([^)]+)\)/g)) assert.ok(ids.includes(id), `the pattern ${id} exists`);
    assert.ok(figure.caption.length > 0 && figure.summary.length > 20);
    for (const row of figure.table.rows) assert.equal(row.length, figure.table.columns.length);
    const marks = figure.marks.map(({ id }) => id);
    assert.equal(new Set(marks).size, marks.length, 'no mark twice');
    for (const { x, y, w, h, cx, cy, text } of figure.marks) {
      for (const value of [x, y, w, h, cx, cy]) assert.ok(Number.isFinite(value));
      assert.ok(w > 0 && h > 0 && text.length > 0);
      assert.ok(cx >= 0 && cx <= figure.width && cy >= -1 && cy <= figure.height, 'the tip stands in the figure');
    }
    const narrow = /\bnarrow\b/.test(figure.node.attrs.class);
    for (const text of elements(figure.node, 'text')) {
      const size = Number(text.attrs['font-size'] ?? (/row-head|number/.test(text.attrs.class ?? '') ? 13 : /\bborne\b/.test(text.attrs.class) && narrow ? 13.5 : narrow ? 14 : 15));
      const length = textWidth(textOf(text), size, /\b(name|empty)\b/.test(text.attrs.class ?? ''));
      const at = Number(text.attrs.x ?? 0);
      const anchor = text.attrs['text-anchor'] ?? 'start';
      const from = anchor === 'start' ? at : anchor === 'end' ? at - length : at - length / 2;
      // what stands in no type is nowhere; kerning, which is not measured, makes words a little shorter
      if (length === 0) continue;
      assert.ok(Number(text.attrs.y ?? 0) >= 8 && Number(text.attrs.y ?? 0) <= figure.height, `${figure.id} at ${width}: "${textOf(text)}" stands at ${text.attrs.y} of ${figure.height}`);
      assert.ok(from >= -0.5 && from + length <= figure.width + 0.5, `${figure.id} at ${width}: "${textOf(text)}" leaves the figure (${from} to ${from + length} of ${figure.width})`);
    }
  }
}

/**
 * What each cell of a heatmap looks like, read back from its paths, in row order.
 * @param {VNode} map
 * @param {number} rows
 * @param {number} columns
 */
export function cellsOf(map, rows, columns) {
  const frame = withClass(map, 'cells-frame')[0].attrs.d.match(/-?[\d.]+/g)?.map(Number) ?? [];
  const [x, y, right, bottom] = frame;
  const size = (right - x) / columns;
  assert.ok(Math.abs((bottom - y) / rows - size) < 0.02, 'cells are square');
  const cells = Array.from({ length: rows * columns }, () => ({ excluded: 0, inks: /** @type {number[]} */ ([]), tints: /** @type {number[]} */ ([]), dots: 0, differs: 0 }));
  /** Cells under a path of rectangles. @param {string} d @returns {number[]} */
  const under = (d) => [...d.matchAll(/M(-?[\d.]+) (-?[\d.]+)h([\d.]+)v[\d.]+h-[\d.]+z/g)].flatMap(([, left, top, width]) => {
    const [row, column] = [Math.round((Number(top) - y) / size), Math.round((Number(left) - x) / size)];
    return Array.from({ length: Math.round(Number(width) / size) }, (_, i) => row * columns + column + i);
  });
  for (const { attrs } of withClass(map, 'filled')) {
    const kind = attrs.class.split(' ')[1];
    for (const at of under(attrs.d)) {
      if (kind === 'excluded') cells[at].excluded++;
      if (kind === 'inked') cells[at].inks.push(Number(attrs['fill-opacity']));
      if (kind === 'tinted') cells[at].tints.push(Number(attrs['fill-opacity']));
    }
    if (kind === 'differing-corner') for (const [, px, py] of attrs.d.matchAll(/M(-?[\d.]+) (-?[\d.]+)v/g)) cells[Math.round((Number(py) - y) / size) * columns + Math.round((Number(px) - x) / size) - 1].differs++;
  }
  for (const { attrs } of withClass(map, 'dots')) {
    for (const [, px, py] of attrs.d.matchAll(/M(-?[\d.]+) (-?[\d.]+)h/g)) cells[Math.floor((Number(py) - y) / size) * columns + Math.floor((Number(px) - x) / size)].dots++;
  }
  return cells;
}

/**
 * What a reader can come to: every mark is meant by some place of the figure, and, unless the arrows move a parameter there, arrow keys lead to it.
 * @param {import('../../web/chart/types.js').Figure} figure
 */
export function checkReach({ id, marks, drag }) {
  for (const mark of marks) {
    // a place every half pixel of its box, in the middle and between the middle and the edges
    const met = [0.5, 0.25, 0.75, 0.05, 0.95].some((share) => Array.from({ length: Math.ceil(2 * mark.w) }, (_, i) => mark.x + i / 2 + 0.25).some((x) => markAt(marks, x, mark.y + share * mark.h) === mark));
    assert.ok(met, `${id}: a pointer comes to ${mark.id}`);
  }
  if (drag || marks.length === 0) return;
  const reached = new Set([marks[0]]);
  for (const current of reached) {
    for (const key of ['ArrowRight', 'ArrowLeft', 'ArrowDown', 'ArrowUp']) {
      const next = neighbour(marks, current, key);
      if (next) reached.add(next);
    }
  }
  assert.deepEqual(marks.filter((mark) => !reached.has(mark)).map((mark) => mark.id), [], `${id}: arrows lead to every mark`);
}

/** A value back from its place on a logarithmic axis, told by two of its ticks. @param {VNode} axis @param {'x' | 'y'} way */
export function logScale(axis, way) {
  const value = (/** @type {VNode} */ tick) => {
    const raised = elements(tick, 'tspan')[0];
    return raised ? Number(textOf(raised).replace('−', '-')) : Math.log10(Number(textOf(tick).replace(/\u202f/g, '')));
  };
  const ticks = withClass(axis, 'tick').map((tick) => ({ at: Number(tick.attrs[way]), exponent: value(tick) }));
  const [a, b] = [ticks[0], ticks[ticks.length - 1]];
  return (/** @type {number} */ at) => 10 ** (a.exponent + ((at - a.at) * (b.exponent - a.exponent)) / (b.at - a.at));
}
