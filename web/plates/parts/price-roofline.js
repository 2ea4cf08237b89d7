/**
 * Figure 1 of "The price of attention": the roofline. Across, operations a byte; up, throughput; both logarithmic. A machine is a roof:
 * it rises with its bandwidth and levels at its peak. Each algorithm is a line at its own ratio, by formula, with a mark where it meets
 * the chosen accelerator's roof, and a bar from quartile to quartile where it was timed on the reader's machine. The roof of that machine is drawn at the
 * upper quartile of what its limits reached, since other work only lowers them, and hatched down to the lower.
 *
 * Nothing is computed here but places: ratios, roofs and throughputs are the core's.
 */

import { scaleLog } from 'd3-scale';
import { axisBottom, axisLeft } from '../../chart/axis.js';
import { hatch } from '../../chart/hatch.js';
import { endLabels } from '../../chart/labels.js';
import { pointMark } from '../../chart/line.js';
import { h } from '../../chart/node.js';
import { picture } from '../../chart/picture.js';
import { textWidth } from '../../chart/text.js';
import { powers, powerText } from './hidden-fall.js';
import { partOf, percent, speed, three } from './price-read.js';

/** @typedef {import('../../chart/types.js').Mark} Mark */
/** @typedef {import('../../chart/types.js').VNode} VNode */
/** @typedef {import('./price-read.js').Price} Price */
/** @typedef {import('./price-read.js').Algorithm} Algorithm */

/** Names on a phone. @type {Record<string, string>} */
const SHORT = { 'attention, scores kept': 'scores kept', 'attention, tiled': 'tiled', 'additive, hidden units kept': 'hidden units kept', 'additive, factored': 'factored' };

/** The mark of an algorithm: filled where it keeps a tensor of all pairs, open where it does not. @param {Algorithm} algorithm */
export const kindOf = ({ keeps }) => (keeps ? 'unscaled' : 'scaled');

/**
 * @param {object} o
 * @param {Price} o.price
 * @param {number} o.width
 * @param {boolean} o.narrow
 * @param {number} o.widen
 * @param {string} o.uid
 * @param {string | null} o.hover
 * @returns {{node: VNode, marks: Mark[], height: number}}
 */
export function rooflineFigure({ price, width, narrow, widen, uid, hover }) {
  const { algorithms, machines, chosen, measured, peak, bandwidth } = price;
  const ratios = algorithms.map(({ intensity }) => intensity);
  const [left, right] = [Math.min(-1, Math.floor(Math.log10(Math.min(...ratios)) + 1e-9)), Math.max(3, Math.ceil(Math.log10(Math.max(...ratios)) - 1e-9))];
  const size = narrow ? 14 : 15;
  const roofs = [...machines.map((machine) => ({ ...machine, own: false })), ...(measured ? [{ name: 'as measured', gflops: peak.high, gbs: bandwidth.high, own: true }] : [])];
  const labels = Math.round(widen * Math.max(...roofs.flatMap(({ name }) => roofName(name, narrow)).map((line) => textWidth(line, size)))) + 12;
  const head = 4 * 19 + 6;
  const frame = { left: 52, right: width - labels, top: head + 34, bottom: head + 34 + (narrow ? 250 : 320) };
  const x = scaleLog().domain([10 ** left, 10 ** right]).range([frame.left, frame.right]);
  // a slow machine's roof is on the sheet as well
  const floor = measured ? Math.min(0, ...[peak.low, ...algorithms.map(({ gflops }) => gflops.low)].map((gflops) => Math.floor(Math.log10(gflops))).filter(Number.isFinite)) : 0;
  const y = scaleLog().domain([10 ** floor, 10 ** 5.4]).range([frame.bottom, frame.top]);
  const axisY = frame.bottom + 10;
  const height = axisY + 48;
  const inside = (/** @type {number} */ at) => Math.max(frame.top, Math.min(frame.bottom, at));

  /** A roof from the left end, or from where it comes into sight, over its ridge to the right end. @param {number} gflops @param {number} gbs */
  const roof = (gflops, gbs) => {
    const start = Math.max(10 ** left, 10 ** floor / gbs);
    const ridge = gflops / gbs;
    const corner = ridge > start && ridge < 10 ** right ? [{ x: x(ridge), y: y(gflops) }] : [];
    return [{ x: x(start), y: y(Math.min(gflops, gbs * start)) }, ...corner, { x: frame.right, y: y(Math.min(gflops, gbs * 10 ** right)) }];
  };
  const path = (/** @type {Array<{x: number, y: number}>} */ points) => points.map((p, i) => `${i === 0 ? 'M' : 'L'}${px(p.x)} ${px(p.y)}`).join('');
  const ordered = algorithms.map((algorithm, i) => ({ algorithm, id: `work-${i + 1}`, at: x(algorithm.intensity) })).sort((a, b) => a.at - b.at);
  const tops = ordered.map(({ algorithm, at }, i) => ({ ...nameOf(algorithm, at, frame.left, width, narrow, size, widen), y: 30 + i * 19 }));
  const places = ordered.map(({ algorithm, id, at }, i) => ({
    id, at, top: tops[i], cy: inside(y(Number.isFinite(algorithm.gflops.median) ? algorithm.gflops.median : algorithm.attainable)), text: wordsOf(algorithm, price),
  }));
  const marks = marksOf(places, frame);
  // what a hand may do: where a plate stands still, in print and in pictures it goes, with the ground that hides the lines behind it
  const remark = { x: (frame.left + frame.right) / 2, y: Math.round(y(10 ** 1.05)), size: narrow ? 14 : 16, text: narrow ? 'measure, and your roof stands here' : 'measure, and the roof of your own machine stands here', half: 0 };
  if (!measured) remark.half = widen * textWidth(remark.text, remark.size) / 2 + 5;
  const hovered = marks.find((mark) => mark.id === hover);
  const low = roof(peak.low, bandwidth.low);
  const high = roof(peak.high, bandwidth.high);

  const node = picture({ width, height, narrow, ink: true }, measured ? [hatch(`${uid}-roof`, 'excluded', { spacing: 3 })] : [],
    axisLeft({ ticks: powers(floor, 5, 7).map((e) => ({ at: y(10 ** e), label: powerText(e) })), x: frame.left - 8, name: 'GFLOP/s', nameX: 0, nameY: frame.top - 14 }),
    axisBottom({ ticks: powers(left, right, narrow ? 5 : 8).map((e) => ({ at: x(10 ** e), label: powerText(e) })), y: axisY, name: 'operations a byte', nameX: frame.right, nameAnchor: 'end', nameY: axisY + 42 }),
    ordered.map(({ at }, i) => h('path', { class: 'crossing', d: brokenLine(Math.round(at) + 0.5, tops[i].y + 5, axisY, [
      ...tops.filter(({ from, to }) => at > from - 3 && at < to + 3),
    ].map((text) => text.y)) })),
    !measured && h('rect', { class: 'ground act', x: px(remark.x - remark.half), y: remark.y - 14, width: px(2 * remark.half), height: 20 }),
    machines.map((machine) => h('path', { class: machine === chosen ? 'roof' : 'reference', d: path(roof(machine.gflops, machine.gbs)) })),
    measured && [
      h('path', { class: 'band', d: `${path(high)}L${[...low].reverse().map((p) => `${px(p.x)} ${px(p.y)}`).join('L')}Z`, fill: `url(#${uid}-roof)` }),
      h('path', { class: 'roof own', d: path(roof(peak.high, bandwidth.high)) }),
    ],
    algorithms.map((algorithm) => h('g', { class: `series ${kindOf(algorithm)}` }, pointMark({ x: x(algorithm.intensity), y: y(algorithm.attainable) }, kindOf(algorithm), measured ? 3 : 4.2))),
    algorithms.filter(({ gflops }) => Number.isFinite(gflops.median)).map((algorithm) => h('g', { class: `series ${kindOf(algorithm)}` },
      h('path', { class: 'line', d: `M${px(x(algorithm.intensity))} ${px(inside(y(algorithm.gflops.low)))}V${px(inside(y(algorithm.gflops.high)))}` }),
      pointMark({ x: x(algorithm.intensity), y: inside(y(algorithm.gflops.median)) }, kindOf(algorithm), 4.2))),
    !measured && h('text', { class: 'remark act', x: remark.x, y: remark.y, 'text-anchor': 'middle', 'font-size': remark.size }, remark.text),
    tops.map((top, i) => h('text', { class: `roof-work ${kindOf(ordered[i].algorithm)}`, x: top.x, y: top.y, 'text-anchor': top.anchor, 'font-size': size }, top.text)),
    endLabels(roofs.flatMap(({ name, gflops, gbs, own }) => roofName(name, narrow).map((text) => ({ y: y(Math.min(gflops, gbs * 10 ** right)), text, kind: own || name === chosen.name ? 'neutral' : 'reference' }))), { x: frame.right + 9, gap: 17, limits: [frame.top - 6, frame.bottom] }),
    hovered && h('circle', { class: 'ring', cx: hovered.cx, cy: hovered.cy, r: 8 }));
  return { node, marks, height };
}

/** @param {number} value */
const px = (value) => Math.round(value * 100) / 100;

/**
 * An upright line that leaves out the texts on its way.
 * @param {number} x
 * @param {number} from
 * @param {number} to
 * @param {number[]} texts  their base lines, downwards
 */
function brokenLine(x, from, to, texts) {
  let top = from;
  let d = '';
  for (const base of texts.filter((each) => each > from).sort((a, b) => a - b)) {
    if (base - 14 > top) d += `M${x} ${top}V${base - 14}`;
    top = Math.max(top, base + 6);
  }
  return `${d}M${x} ${top}V${to}`;
}

/** The lines of a machine's name: on a phone a long one has two. @param {string} name @param {boolean} narrow */
const roofName = (name, narrow) => (narrow && name.endsWith(' tensor cores') ? [name.slice(0, -' cores'.length), 'cores'] : [name]);

/**
 * The name of an algorithm above its line: to the right of it, or to the left where the sheet ends.
 * @param {Algorithm} algorithm
 * @param {number} at  px
 * @param {number} left
 * @param {number} right
 * @param {boolean} narrow
 * @param {number} size
 * @param {number} widen
 */
function nameOf(algorithm, at, left, right, narrow, size, widen) {
  const text = `${narrow ? SHORT[algorithm.name] ?? algorithm.name : algorithm.name}, ${three(algorithm.intensity)}`;
  const long = textWidth(text, size) * widen;
  const beyond = at - 4 + long > right;
  const x = beyond ? Math.max(left, at + 4) : at - 4;
  return { text, x, anchor: beyond ? 'end' : 'start', from: beyond ? x - long : x, to: beyond ? x : x + long };
}

/** @param {Algorithm} algorithm @param {Price} price */
function wordsOf({ name, intensity, attainable, byMemory, here, gflops, reached, timed }, { chosen, measured, n }) {
  const there = `${chosen.name}: at most ${speed(attainable)}, limited by ${byMemory ? 'memory' : 'arithmetic'}`;
  const part = partOf(timed, n);
  const own = measured ? `; as measured, at most ${speed(here)}${Number.isFinite(gflops.median) ? `, reached ${speed(gflops.median)}, ${percent(reached)} of it${part && `, timed on ${part}`}` : ''}` : '';
  return `${name}: ${three(intensity)} operations a byte. ${there}${own}`;
}

/** Lines nearer than this, px, are pointed at together. */
const APART = 8;

/**
 * A mark a line, as wide as its neighbours allow. Lines that nearly coincide are one mark that tells of all of them, and their names are
 * marks of their own.
 * @param {Array<{id: string, at: number, top: {from: number, to: number, y: number}, cy: number, text: string}>} places  from left to right
 * @param {{top: number, bottom: number}} frame
 * @returns {Mark[]}
 */
function marksOf(places, frame) {
  /** @type {Array<typeof places>} */
  const groups = [];
  for (const place of places) {
    const last = groups[groups.length - 1];
    if (last && place.at - last[last.length - 1].at < APART) last.push(place);
    else groups.push([place]);
  }
  return groups.flatMap((group, i) => {
    const [{ at: first, id, cy }, { at: last }] = [group[0], group[group.length - 1]];
    const before = Math.min(12, i > 0 ? (first - groups[i - 1][groups[i - 1].length - 1].at) / 2 : 12);
    const after = Math.min(12, i + 1 < groups.length ? (groups[i + 1][0].at - last) / 2 : 12);
    const strip = { x: first - before, y: frame.top - 12, w: last - first + before + after, h: frame.bottom - frame.top + 24, cx: first, cy };
    if (group.length === 1) return [{ id, ...strip, text: group[0].text }];
    return [
      ...group.map(({ id: own, at, top, text, cy: height }) => ({ id: own, x: top.from, y: top.y - 14, w: top.to - top.from, h: 19, cx: at, cy: height, text })),
      { id: `${id}-together`, ...strip, text: group.map(({ text }) => text).join('. ') },
    ];
  });
}
