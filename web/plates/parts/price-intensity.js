/**
 * Figure 3 of "The price of attention": operations a byte against the number of queries, with as many keys. Kept scores hold the ratio
 * below (d + v)/8, dotted; tiles let it grow. Dotted, too, what the accelerators and the reader's machine ask for.
 *
 * Formulas alone. The rule at the chosen number of queries is dragged; where the chosen number of keys is another, its value says for how many it holds.
 */

import { scaleLinear, scaleLog } from 'd3-scale';
import { axisBottom, axisLeft, roundTicks } from '../../chart/axis.js';
import { count } from '../../chart/format.js';
import { endLabels } from '../../chart/labels.js';
import { pointMark, series } from '../../chart/line.js';
import { h } from '../../chart/node.js';
import { picture } from '../../chart/picture.js';
import { reference } from '../../chart/reference.js';
import { handle, rule } from '../../chart/rule.js';
import { textWidth } from '../../chart/text.js';
import { three } from './price-read.js';

/** @typedef {import('../../chart/types.js').Mark} Mark */
/** @typedef {import('../../chart/types.js').VNode} VNode */
/** @typedef {import('./price-read.js').Passes} Passes */
/** @typedef {import('./price-read.js').Price} Price */

/**
 * @param {object} o
 * @param {Passes} o.passes
 * @param {Price} o.price
 * @param {number} o.width
 * @param {boolean} o.narrow
 * @param {number} o.widen
 * @param {string | null} o.hover
 * @returns {{node: VNode, marks: Mark[], height: number, toValue: (x: number, y: number) => number}}
 */
export function intensityFigure({ passes, price, width, narrow, widen, hover }) {
  const greatest = passes.n[passes.n.length - 1];
  const top = 2 * Math.max(passes.limit, 16);
  const asked = [...price.machines.map(({ name, ridge }) => ({ text: `${name}, ${three(ridge)}`, at: ridge })), ...(price.measured ? [{ text: `measured, ${three(price.ridge)}`, at: price.ridge }] : [])].filter(({ at }) => at < top * 0.95);
  const towards = `kept, to ${three(passes.limit)}`;
  const size = narrow ? 14 : 15;
  const labels = Math.round(widen * Math.max(...[...asked.map(({ text }) => text), towards].map((text) => textWidth(text, size)))) + 14;
  const frame = { left: 42, right: width - labels, top: 48, bottom: 48 + (narrow ? 170 : 190) };
  const x = scaleLog().base(2).domain([1, greatest]).range([frame.left, frame.right]);
  const y = scaleLinear().domain([0, top]).range([frame.bottom, frame.top]);
  const axisY = frame.bottom + 8;
  const height = axisY + 50;
  const points = (/** @type {number[]} */ ratios) => ratios.map((ratio, i) => ({ x: x(passes.n[i]), y: y(ratio) }));
  const kept = points(passes.kept);
  // The line of tiles leaves the sheet: it is n/4 and more, and a last point lies on the edge.
  const within = passes.tiled.filter((ratio) => ratio <= top).length;
  const tiled = points(passes.tiled.slice(0, within));
  if (within > 0 && within < passes.n.length) {
    const [a, b] = [passes.tiled[within - 1], passes.tiled[within]];
    const share = (top - a) / (b - a);
    tiled.push({ x: x(passes.n[within - 1] + share * (passes.n[within] - passes.n[within - 1])), y: frame.top });
  }
  const atX = x(price.n);
  const edge = tiled[tiled.length - 1];
  const marks = passes.n.map((n, i) => ({
    id: `length-${n}`, x: (i === 0 ? x(n) : (x(passes.n[i - 1]) + x(n)) / 2) - 1, y: frame.top - 12, w: Math.max(4, (frame.right - frame.left) / (passes.n.length - 1)), h: frame.bottom - frame.top + 20, cx: x(n), cy: kept[i].y,
    text: `${count(n)} queries and keys: ${three(passes.kept[i])} operations a byte with scores kept, ${three(passes.tiled[i])} in tiles`,
  }));
  // on a phone to the left of its line, where there is room; and wherever the rule does not cross it
  const long = widen * textWidth('in tiles', 15);
  const crossed = (/** @type {number} */ from) => atX > from - 5 && atX < from + long + 5;
  const before = edge && (narrow ? !crossed(edge.x - 7 - long) || crossed(edge.x + 9) : crossed(edge.x + 9));
  // a phone has no room for what the axis says as well
  const text = `${three(passes.here)}${price.m === price.n || narrow ? '' : ` with ${count(price.n)} ${price.n === 1 ? 'key' : 'keys'}`}`;
  const spot = clearSpot({ x: atX, y: y(passes.here), width: widen * textWidth(text, 14), frame, lines: [kept, tiled, [{ x: frame.left, y: y(passes.limit) }, { x: frame.right, y: y(passes.limit) }]] });
  const hovered = marks.find((mark) => mark.id === hover);
  const node = picture({ width, height, narrow, ink: true }, [],
    axisLeft({ ticks: roundTicks(0, top, 5).filter(({ value }) => value <= top).map(({ value, label }) => ({ at: y(value), label })), x: frame.left - 8, name: 'operations a byte', nameX: 0, nameY: 18 }),
    axisBottom({ ticks: [1, 32, 1024, 32768].map((n) => ({ at: x(n), label: count(n) })), y: axisY, name: 'queries n, as many keys', nameX: frame.right, nameAnchor: 'end', nameY: axisY + 42 }),
    reference({ x1: frame.left, x2: frame.right, y: y(passes.limit) }),
    asked.map(({ at }) => h('path', { class: 'crossing', d: `M${frame.right - 26} ${Math.round(y(at)) + 0.5}H${frame.right}` })),
    rule({ x: atX, y1: frame.top - 12, y2: axisY }),
    h('g', { class: 'broken' }, series(tiled, 'scaled', { size: 0 })),
    series(kept, 'unscaled', { size: 0 }),
    edge && h('text', { class: 'end-label scaled', x: edge.x + (before ? -7 : 9), y: frame.top - 2, dy: '0.33em', 'text-anchor': before ? 'end' : 'start' }, 'in tiles'),
    h('g', { class: 'rule-values' }, pointMark({ x: Math.round(atX) + 0.5, y: y(passes.here) }, 'unscaled', 3.6),
      h('text', { class: 'value unscaled', x: spot.x, y: spot.y, dy: '0.33em', 'text-anchor': spot.anchor, 'font-size': 14 }, text)),
    endLabels([...asked.map(({ text, at }) => ({ y: y(at), text, kind: 'reference' })), { y: kept[kept.length - 1].y, text: towards, kind: 'unscaled' }], { x: frame.right + 9, gap: 17, limits: [frame.top - 8, frame.bottom] }),
    handle({ x: atX, y: axisY, r: 6 }),
    hovered && h('circle', { class: 'ring', cx: hovered.cx, cy: hovered.cy, r: 7 }));
  return { node, marks, height, toValue: (at) => Math.round(Math.max(1, Math.min(greatest, x.invert(at)))) };
}

/**
 * Where a value stands beside the rule: a little above its point or as far from it as it takes, above before below, so that no line
 * runs through it; to the right of the rule before the left of it.
 * @param {object} o
 * @param {number} o.x  of the rule
 * @param {number} o.y  of the point
 * @param {number} o.width  of the text
 * @param {{left: number, right: number, top: number, bottom: number}} o.frame
 * @param {Array<Array<{x: number, y: number}>>} o.lines
 * @returns {{x: number, y: number, anchor: 'start' | 'end'}}
 */
function clearSpot({ x, y, width, frame, lines }) {
  const right = { from: x + 9, to: x + 9 + width, x: x + 9, anchor: /** @type {const} */ ('start') };
  const left = { from: x - 9 - width, to: x - 9, x: x - 9, anchor: /** @type {const} */ ('end') };
  const sides = [right, left].filter(({ from, to }) => from >= frame.left && to <= frame.right);
  for (let away = 13; away < frame.bottom - frame.top; away += 2) {
    for (const at of [y - away, y + away].filter((height) => height >= frame.top - 6 && height <= frame.bottom - 8)) {
      const side = sides.find(({ from, to }) => !lines.some((line) => meets(line, from, to, at)));
      if (side) return { x: side.x, y: at, anchor: side.anchor };
    }
  }
  const { x: place, anchor } = sides[0] ?? (x > (frame.left + frame.right) / 2 ? left : right);
  return { x: place, y: Math.max(frame.top - 6, y - 13), anchor };
}

/**
 * Whether a broken line comes within a few pixels of a text: half its height and a little more.
 * @param {Array<{x: number, y: number}>} line
 * @param {number} from
 * @param {number} to
 * @param {number} at
 */
function meets(line, from, to, at) {
  return line.slice(1).some((b, i) => {
    const a = line[i];
    if (b.x < from || a.x > to) return false;
    const height = (/** @type {number} */ x) => (b.x === a.x ? a.y : a.y + ((b.y - a.y) * (Math.max(a.x, Math.min(b.x, x)) - a.x)) / (b.x - a.x));
    const ends = [height(from), height(to)];
    return Math.min(...ends) < at + 8 && Math.max(...ends) > at - 8;
  });
}
