/**
 * Taking points of the plane in hand: where the query and each key can be taken, and what the parameters are once one has been moved. What is drawn
 * may be a point after norms were made equal and after a move; the parameters are the points before both, so a hand's place is led back first.
 *
 * Not listening: the element does (web/elements). given = undo(move, place); under equal norms a key keeps its own length and takes the hand's direction.
 */

import { fixed } from '../../chart/format.js';

/** @typedef {import('../../chart/types.js').Handle} Handle */
/** @typedef {import('../../chart/types.js').Params} Params */
/** @typedef {import('./plane-read.js').Plane} Plane */
/** @typedef {import('./plane-read.js').Point} Point */

/** Entries of a point go this far from zero, as the study declares. */
export const REACH = 5;

/** A step of the arrow keys, and the decimals a hand's places keep. */
const STEP = 0.1;
const DECIMALS = 2;

/** Decimals of the points that are not in the hand: drawn ones have many more than a link should carry. */
const OTHERS = 4;

/**
 * A square of the plane on the sheet.
 * @typedef {object} Frame
 * @property {number} left  px
 * @property {number} top
 * @property {number} size  px
 * @property {number} extent  half of what it shows
 */

/** @param {Frame} frame @param {Point} point */
export const toPx = ({ left, top, size, extent }, { x, y }) => ({ x: left + (size * (x / extent + 1)) / 2, y: top + (size * (1 - y / extent)) / 2 });

/** @param {Frame} frame @param {number} x @param {number} y @returns {Point} no further than the frame shows */
const fromPx = ({ left, top, size, extent }, x, y) => ({
  x: Math.max(-extent, Math.min(extent, ((2 * (x - left)) / size - 1) * extent)), y: Math.max(-extent, Math.min(extent, (1 - (2 * (y - top)) / size) * extent)),
});

/** A tip stands in its figure, even if its point has left the square that a hand holds still. @param {number} at  px @param {number} end */
export const inside = (at, end) => Math.max(0, Math.min(end, at));

/**
 * @param {object} o
 * @param {Plane} o.plane
 * @param {Frame} o.frame
 * @param {number[]} [o.only]  keys from 0 that can be taken; all by default
 * @param {string} [o.suffix]  of the ids
 * @returns {Handle[]}
 */
export function handlesOf({ plane, frame, only = plane.keys.map((_, k) => k), suffix = '' }) {
  /** @param {number} k  -1 is the query @param {Point} at */
  const handle = (k, at) => ({
    id: `${k < 0 ? 'query' : `key-${k + 1}`}${suffix}`, param: k < 0 ? 'query' : 'keys', ...toPx(frame, at),
    label: k < 0 ? 'the query' : `key ${k + 1}`, text: placeText(at),
    move: (/** @type {number} */ x, /** @type {number} */ y) => movedTo(plane, k, fromPx(frame, x, y)),
    nudge: (/** @type {number} */ dx, /** @type {number} */ dy) => movedTo(plane, k, { x: at.x + dx * STEP, y: at.y + dy * STEP }),
  });
  return [handle(-1, plane.query), ...only.map((k) => handle(k, plane.keys[k]))];
}

/** @param {Point} point */
export const placeText = ({ x, y }) => `x ${fixed(x, 2)}, y ${fixed(y, 2)}`;

/**
 * The parameters with one point at another place of the picture.
 * @param {Plane} plane
 * @param {number} k  from 0; -1 is the query
 * @param {Point} place
 * @returns {Params}
 */
export function movedTo(plane, k, place) {
  const before = undone(plane, k, place);
  const own = k < 0 ? before : given(plane, k, before);
  return {
    points: 'own',
    query: pointText(k < 0 ? own : plane.queryGiven, k < 0 ? DECIMALS : OTHERS),
    keys: plane.keysGiven.map((each, i) => (i === k ? pointText(own, plane.equal ? OTHERS : DECIMALS) : pointText(each, OTHERS))).join(';'),
  };
}

/** The place before the move. @param {Plane} plane @param {number} k @param {Point} place @returns {Point} */
function undone(plane, k, { x, y }) {
  if (plane.move === 'rotate') {
    const angle = (plane.angle * Math.PI) / 180;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    return { x: cos * x + sin * y, y: cos * y - sin * x };
  }
  const bias = k < 0 ? plane.queryBias : plane.keyBias;
  return { x: x - bias.x, y: y - bias.y };
}

/** The key before norms were made equal. @param {Plane} plane @param {number} k @param {Point} place @returns {Point} */
function given(plane, k, place) {
  const { [k]: key } = plane.keysGiven;
  const [length, reach] = [Math.hypot(key.x, key.y), Math.hypot(place.x, place.y)];
  if (!plane.equal || length === 0) return place;
  if (reach === 0) return key;
  return { x: (place.x * length) / reach, y: (place.y * length) / reach };
}

/** @param {Point} point @param {number} decimals */
const pointText = ({ x, y }, decimals) => `${entryText(x, decimals)},${entryText(y, decimals)}`;

/** @param {number} value @param {number} decimals */
function entryText(value, decimals) {
  const unit = 10 ** decimals;
  const rounded = Math.round(Math.max(-REACH, Math.min(REACH, value)) * unit) / unit;
  return String(rounded === 0 ? 0 : rounded);
}
