/**
 * The plane: the query as a ring, the keys as points with their numbers, each on a hairline from the origin, since its length is what the rules
 * disagree about; after a move, thin traces from where the points were. All of them can be taken in hand.
 *
 * Not weights: those are in the bars and fields beside it.
 */

import { axisBottom, axisLeft, axisReach } from '../../chart/axis.js';
import { fixed, tick } from '../../chart/format.js';
import { h } from '../../chart/node.js';
import { picture } from '../../chart/picture.js';
import { handlesOf, inside, placeText, toPx } from './plane-hands.js';

/** @typedef {import('../../chart/types.js').Mark} Mark */
/** @typedef {import('../../chart/types.js').Handle} Handle */
/** @typedef {import('../../chart/types.js').VNode} VNode */
/** @typedef {import('./plane-read.js').Plane} Plane */
/** @typedef {import('./plane-read.js').Point} Point */
/** @typedef {import('./plane-hands.js').Frame} Frame */

/** Half the side of a point's hit box, px: as far as a mouse reaches. */
const HIT = 14;

/** Round values on the axes of a square of this half width, about seven of them. @param {number} extent @returns {number[]} */
function roundValues(extent) {
  const step = extent <= 3 ? 1 : extent <= 6 ? 2 : 5;
  const most = Math.floor(extent / step);
  return Array.from({ length: 2 * most + 1 }, (_, i) => (i - most) * step);
}

/**
 * @param {object} o
 * @param {Plane} o.plane
 * @param {number} o.extent  half of what is shown; held while a hand holds a point
 * @param {number} o.width
 * @param {boolean} o.narrow
 * @param {string | null} o.hover
 * @param {string | null} o.taken
 * @returns {{node: VNode, marks: Mark[], handles: Handle[], height: number}}
 */
export function planeFigure({ plane, extent, width, narrow, hover, taken }) {
  const ticks = roundValues(extent).map((value) => ({ value, label: tick(value, 1) }));
  const left = Math.max(narrow ? 30 : 38, 8 + axisReach(ticks.map(({ label }) => label), narrow ? 14 : 15));
  const size = Math.round(width - left - 10);
  const frame = { left, top: 30, size, extent };
  const at = (/** @type {Point} */ point) => toPx(frame, point);
  const axisY = frame.top + size + 12;
  const height = axisY + 44;
  const origin = at({ x: 0, y: 0 });
  const query = at(plane.query);
  const keys = plane.keys.map(at);
  const labels = labelPlaces([query, ...keys], origin, width);
  const handles = handlesOf({ plane, frame });
  const marks = handles.map((handle, i) => markOf(plane, handle, i - 1, { width, height }));
  const shown = marks.find(({ id }) => id === (taken ?? hover));

  const node = picture({ width, height, narrow }, [],
    axisLeft({ ticks: ticks.map(({ value, label }) => ({ at: at({ x: 0, y: value }).y, label })), x: left - 8, name: 'second entry', nameX: 0, nameY: 14 }),
    axisBottom({ ticks: ticks.map(({ value, label }) => ({ at: at({ x: value, y: 0 }).x, label })), y: axisY, name: 'first entry', nameX: left + size, nameAnchor: 'end', nameY: axisY + 40 }),
    h('path', { class: 'spokes', d: keys.map(({ x, y }) => `M${px(origin.x)} ${px(origin.y)}L${px(x)} ${px(y)}`).join('') }),
    h('path', { class: 'origin', d: `M${px(origin.x - 5)} ${px(origin.y)}h10M${px(origin.x)} ${px(origin.y - 5)}v10` }),
    h('path', { class: 'reference', d: plane.equal ? equalCircle(plane, frame) : '' }),
    h('path', { class: 'traces', d: traces(plane, frame) }),
    h('path', { class: 'query-spoke', d: `M${px(origin.x)} ${px(origin.y)}L${px(query.x)} ${px(query.y)}` }),
    h('g', { class: 'plane-keys' }, keys.map((place, k) => keyMark(place, labels[k + 1], k, k === plane.chosen))),
    h('circle', { class: 'handle', cx: query.x, cy: query.y, r: 7.5 }),
    h('text', { class: 'plane-query', ...labels[0], 'text-anchor': 'middle', dy: '0.33em' }, 'q'),
    shown && h('circle', { class: taken === null ? 'ring' : 'ring taken-ring', cx: shown.cx, cy: shown.cy, r: 12 }));
  return { node, marks, handles, height };
}

/**
 * @param {Plane} plane
 * @param {Handle} handle
 * @param {number} k  -1 is the query
 * @param {{width: number, height: number}} sheet
 * @returns {Mark}
 */
function markOf(plane, { id, x, y, label, text }, k, sheet) {
  const norm = k < 0 ? '' : plane.undirected[k] ? ', without direction' : `, norm ${fixed(plane.norms[k], 2)}`;
  return {
    id, x: x - HIT, y: y - HIT, w: 2 * HIT, h: 2 * HIT, cx: inside(x, sheet.width), cy: inside(y, sheet.height), text: `${label}: ${text}${norm}`,
    ...(k >= 0 && k !== plane.chosen && { edit: { param: 'key', value: k + 1, label: 'show where its weight lies' } }),
  };
}

/**
 * A key with its number.
 * @param {Point} place  px
 * @param {Point} label
 * @param {number} k
 * @param {boolean} chosen
 */
const keyMark = (place, label, k, chosen) => h('g', { class: chosen ? 'plane-key chosen' : 'plane-key' },
  h('circle', { cx: place.x, cy: place.y, r: chosen ? 5 : 3.6 }),
  h('text', { x: label.x, y: label.y, 'text-anchor': 'middle', dy: '0.33em' }, String(k + 1)));

/** Where a label is tried around its point, in eighths of a turn from the side away from the origin. */
const TURNS = [0, 1, -1, 2, -2, 3, -3, 4];

/**
 * Places of the labels: past the point, seen from the origin, or as little round it as keeps off points and labels that are there already.
 * @param {Point[]} places  px, the query first
 * @param {Point} origin
 * @param {number} width
 * @returns {Point[]}
 */
function labelPlaces(places, origin, width) {
  /** @type {Point[]} */
  const labels = [];
  places.forEach((place, i) => {
    const by = i === 0 ? 17 : 13;
    const length = Math.hypot(place.x - origin.x, place.y - origin.y);
    const angle = length < 1 ? -0.6 : Math.atan2(place.y - origin.y, place.x - origin.x);
    const tried = TURNS.map((turn) => ({ x: Math.min(width - 8, place.x + by * Math.cos(angle + (turn * Math.PI) / 4)), y: place.y + by * Math.sin(angle + (turn * Math.PI) / 4) }));
    const free = (/** @type {Point} */ at) => places.every((each, j) => j === i || Math.hypot(each.x - at.x, each.y - at.y) > 11) && labels.every((each) => Math.hypot((each.x - at.x) * 0.8, each.y - at.y) > 13);
    labels.push(tried.find(free) ?? tried[0]);
  });
  return labels;
}

/** The circle that all keys with a direction lie on, about where the move took the origin of the keys. @param {Plane} plane @param {Frame} frame */
function equalCircle(plane, frame) {
  const k = plane.undirected.indexOf(false);
  if (k < 0) return '';
  const before = plane.keysBefore[k];
  const centre = toPx(frame, plane.keyBias);
  return circle(centre, (Math.hypot(before.x, before.y) * frame.size) / (2 * frame.extent));
}

/** @param {Point} centre  px @param {number} r */
const circle = ({ x, y }, r) => `M${px(x - r)} ${px(y)}a${px(r)} ${px(r)} 0 1 0 ${px(2 * r)} 0a${px(r)} ${px(r)} 0 1 0 ${px(-2 * r)} 0`;

/**
 * From where each point was to where it is, with a small ring where it was: straight for a shift, along the circle for a rotation.
 * @param {Plane} plane
 * @param {Frame} frame
 */
export function traces(plane, frame) {
  if (plane.move === 'none') return '';
  /** @type {[Point, Point][]} */
  const ways = [[plane.queryBefore, plane.query], ...plane.keysBefore.map((before, k) => /** @type {[Point, Point]} */ ([before, plane.keys[k]]))];
  return ways.map(([from, to]) => {
    const [a, b] = [toPx(frame, from), toPx(frame, to)];
    if (Math.hypot(a.x - b.x, a.y - b.y) < 1) return '';
    const r = px((Math.hypot(from.x, from.y) * frame.size) / (2 * frame.extent));
    const line = plane.move === 'rotate' ? `A${r} ${r} 0 0 ${plane.angle < 0 ? 1 : 0} ${px(b.x)} ${px(b.y)}` : `L${px(b.x)} ${px(b.y)}`;
    return `${circle(a, 2.2)}M${px(a.x)} ${px(a.y)}${line}`;
  }).join('');
}

/** @param {number} value */
const px = (value) => Math.round(value * 10) / 10;

/** Where every point is, for the table. @param {Plane} plane @returns {string[][]} */
export const placeRows = (plane) => [
  ['query', placeText(plane.queryBefore), placeText(plane.query), ''],
  ...plane.keys.map((key, k) => [`key ${k + 1}`, placeText(plane.keysBefore[k]), placeText(key), plane.undirected[k] ? 'no direction' : fixed(plane.norms[k], 3)]),
];
