/**
 * The weight of one key wherever the query could stand, under each rule: three squares of the plane on one scale, bands of blue ink with a line at
 * every tenth, and under each square what a move has done to the weights. The query and the key can be taken in hand here too.
 *
 * Not an interpolation of the three bars: each field is the core's, 96 by 96 values of one softmax each.
 */

import { axisBottom, axisLeft, axisReach } from '../../chart/axis.js';
import { bandInk, contourBands, LEVELS } from '../../chart/contour.js';
import { weight } from '../../chart/format.js';
import { h } from '../../chart/node.js';
import { picture } from '../../chart/picture.js';
import { textWidth } from '../../chart/text.js';
import { verdictMark } from '../../chart/verdict.js';
import { handlesOf, inside, toPx } from './plane-hands.js';
import { RULES } from './plane-read.js';

/** @typedef {import('../../chart/types.js').Mark} Mark */
/** @typedef {import('../../chart/types.js').Handle} Handle */
/** @typedef {import('../../chart/types.js').VNode} VNode */
/** @typedef {import('./plane-read.js').Plane} Plane */
/** @typedef {import('./plane-hands.js').Frame} Frame */

const HIT = 14;

/**
 * @param {object} o
 * @param {Plane} o.plane
 * @param {number} o.extent  half of what is shown; held while a hand holds a point
 * @param {number} o.width
 * @param {boolean} o.narrow
 * @param {string} o.uid
 * @param {string | null} o.hover
 * @param {string | null} o.taken
 * @returns {{node: VNode, marks: Mark[], handles: Handle[], height: number}}
 */
export function fieldsFigure({ plane, extent, width, narrow, uid, hover, taken }) {
  const gap = narrow ? 9 : 26;
  const left = Math.max(narrow ? 28 : 38, 6 + axisReach([label(-extent)], narrow ? 14 : 15));
  const size = Math.floor((width - left - 8 - 2 * gap) / 3);
  const top = 26;
  const under = top + size;
  const tight = size < 200;
  const axisY = under + 6;
  const verdictY = axisY + (narrow ? 44 : 48);
  const stripY = verdictY + (tight ? 29 : 13);
  const frames = RULES.map((_, rule) => ({ left: left + rule * (size + gap), top, size, extent }));
  const handles = frames.map((frame, rule) => handlesOf({ plane, frame, only: [plane.chosen], suffix: `-${rule + 1}` }));
  const height = stripY + 50;
  const marks = handles.flatMap((pair, rule) => pair.map((handle, i) => markOf(plane, handle, rule, i === 0, { width, height })));
  const shown = marks.find(({ id }) => id === (taken ?? hover));
  const clipped = plane.extent > extent;
  const clip = (/** @type {number} */ rule) => `${uid}-field-${rule}`;

  const node = picture({ width, height, narrow },
    clipped ? frames.map((frame, rule) => h('clipPath', { id: clip(rule) }, h('rect', { x: frame.left, y: top, width: size, height: size }))) : [],
    frames.map((frame, rule) => h('g', { class: 'field' },
      h('text', { class: `field-name ${RULES[rule].kind}`, x: frame.left, y: 15 }, narrow ? RULES[rule].short : ruleName(plane, rule), !narrow && h('tspan', { class: 'soft', dx: 8 }, formula(plane, rule))),
      h('g', { 'clip-path': clipped ? `url(#${clip(rule)})` : null }, bands(plane, frame, rule)),
      h('path', { class: 'field-frame', d: `M${frame.left + 0.5} ${top + 0.5}h${size - 1}v${size - 1}h${1 - size}z` }),
      points(plane, frame, narrow),
      axisBottom({ ticks: ticksOf(frame, frame.left, 1, rule > 0 && narrow), y: axisY, name: rule === 2 && !narrow ? 'first entry' : '', nameX: frame.left + size, nameY: axisY + 40, nameAnchor: 'end' }),
      rule === 0 && axisLeft({ ticks: ticksOf(frame, under, -1), x: left - 6 }),
      verdict(plane, frame, rule, verdictY, tight))),
    strip({ plane, y: stripY, width, left: narrow ? 4 : frames[1].left, narrow }),
    shown && h('circle', { class: taken === null ? 'ring' : 'ring taken-ring', cx: shown.cx, cy: shown.cy, r: 11 }));
  return { node, marks, handles: handles.flat(), height };
}

/** A rule's name, with the scale of the Gaussian where it has one. @param {Plane} plane @param {number} rule */
export const ruleName = (plane, rule) => (rule === 0 && plane.scaledGaussian ? 'scaled Gaussian' : rule === 2 ? 'scaled' : RULES[rule].name);

/** @param {Plane} plane @param {number} rule */
const formula = (plane, rule) => (rule === 0 && plane.scaledGaussian ? '−½|q − k|² / √2' : RULES[rule].formula);

/**
 * The ends of the plane and its origin, along one side of a square.
 * @param {Frame} frame
 * @param {number} from  px, where the least value lies
 * @param {1 | -1} way
 * @param {boolean} [close]  the square before ends so near that the least value has no room for its number
 */
const ticksOf = ({ size, extent }, from, way, close = false) => [-1, 0, 1].map((end) => ({ at: from + (way * size * (end + 1)) / 2, label: close && end < 0 ? '' : label(end * extent) }));

/** @param {number} value */
const label = (value) => `${value}`.replace('-', '\u2212');

/** The core's field where the frame shows it: a frame that is held may show more or less of the plane. @param {Plane} plane @param {Frame} frame @param {number} rule */
function bands(plane, { left, top, size, extent }, rule) {
  const wide = (size * plane.extent) / extent;
  const inset = (size - wide) / 2;
  return contourBands({ values: plane.fields[rule], columns: plane.side, rows: plane.side, x: left + inset, y: top + inset, width: wide, height: wide, strong: 0.5 });
}

/** The keys as dots, the one of the field as a point with its number, the query as a ring. @param {Plane} plane @param {Frame} frame @param {boolean} narrow */
function points(plane, frame, narrow) {
  const places = plane.keys.map((key) => toPx(frame, key));
  const query = toPx(frame, plane.query);
  const key = places[plane.chosen];
  const free = (/** @type {number[]} */ [dx, dy]) => Math.hypot(key.x + dx - query.x, key.y + dy - query.y) > 16 && Math.abs(key.x + dx - frame.left - frame.size / 2) < frame.size / 2 - 6;
  const [dx, dy] = [[12, -9], [-12, -9], [12, 10], [-12, 10]].find(free) ?? [12, -9];
  return [
    h('path', { class: 'field-keys', d: places.map(({ x, y }, k) => (k === plane.chosen ? '' : `M${px(x)} ${px(y)}h0`)).join('') }),
    h('circle', { class: 'field-key', cx: key.x, cy: key.y, r: narrow ? 3.6 : 4.6 }),
    !narrow && h('text', { class: 'field-number', x: key.x + dx, y: key.y + dy, dy: '0.33em', 'text-anchor': 'middle' }, String(plane.chosen + 1)),
    h('circle', { class: 'handle', cx: query.x, cy: query.y, r: narrow ? 4.6 : 6 }),
  ];
}

/** What the move has done to this rule's weights; without one, the weight of the key. @param {Plane} plane @param {Frame} frame @param {number} rule @param {number} y @param {boolean} tight */
function verdict(plane, frame, rule, y, tight) {
  const size = tight ? 14 : 16;
  if (plane.move === 'none') {
    const text = `key ${plane.chosen + 1}: ${weight(plane.weights[rule][plane.chosen], 3)}`;
    return h('text', { class: 'field-verdict', x: frame.left, y, 'font-size': size }, text);
  }
  const stays = plane.stays[rule];
  const moves = `by up to ${weight(plane.movedBy[rule], 3)}`;
  return h('g', { class: 'field-verdict' },
    verdictMark(stays, frame.left + 6, y - 5, 3.4),
    h('text', { class: stays ? 'scaled' : 'unscaled', x: frame.left + 18, y, 'font-size': size }, stays ? 'weights stay' : tight ? 'weights move' : `weights move, ${moves}`),
    tight && !stays && h('text', { class: 'soft', x: frame.left + 18, y: y + 17, 'font-size': 13 }, moves));
}

/**
 * The measure of all three: bands from 0 to 1.
 * @param {{plane: Plane, y: number, width: number, left: number, narrow: boolean}} o
 */
function strip({ plane, y, width, left, narrow }) {
  const size = narrow ? 14 : 15;
  const [short, long] = ['', ', were the query there'].map((more) => `weight of key ${plane.chosen + 1}${more}`);
  const room = (/** @type {string} */ text) => width - left - textWidth(text, size, true) - 26;
  const wide = Math.min(300, room(short));
  const name = room(long) >= wide ? long : short;
  const inks = bandInk(LEVELS);
  const at = (/** @type {number} */ value) => left + value * wide;
  return h('g', { class: 'field-strip axis' },
    LEVELS.map((level, i) => h('rect', { class: 'strip-band', x: at(level), y, width: at(LEVELS[i + 1] ?? 1) - at(level), height: 10, 'fill-opacity': String(Math.round(inks[i] * 1000) / 1000) })),
    h('path', { d: `M${px(at(0))} ${y + 14.5}H${px(at(1))}` + [0, 0.5, 1].map((value) => `M${px(at(value))} ${y + 14.5}v5`).join('') }),
    [0, 0.5, 1].map((value) => h('text', { class: 'tick', x: at(value), y: y + 34, 'text-anchor': 'middle' }, String(value))),
    h('text', { class: 'name', x: at(1) + 14, y: y + 11 }, name));
}

/** @param {Plane} plane @param {Handle} handle @param {number} rule @param {boolean} query @param {{width: number, height: number}} sheet @returns {Mark} */
function markOf(plane, { id, x, y, label, text }, rule, query, sheet) {
  const here = `${ruleName(plane, rule)}: key ${plane.chosen + 1} has weight ${weight(plane.weights[rule][plane.chosen], 3)}`;
  return { id, x: x - HIT, y: y - HIT, w: 2 * HIT, h: 2 * HIT, cx: inside(x, sheet.width), cy: inside(y, sheet.height), text: query ? `${here} at the query, ${text}` : `${label}: ${text}` };
}

/** @param {number} value */
const px = (value) => Math.round(value * 10) / 10;
