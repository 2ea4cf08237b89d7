/**
 * What the plate of kernels says: the headline (what a move changed, or whom the rules favour), the readout rule by rule, and the note on where the
 * two rules part. No drawing; numbers are compared as they are printed, so that words never say more than digits show.
 */

import { fixed, list, plural, weight } from '../../chart/format.js';
import { ruleName } from './plane-fields.js';
import { RULES } from './plane-read.js';

/** @typedef {import('../../chart/types.js').Rich} Rich */
/** @typedef {import('../../chart/types.js').Table} Table */
/** @typedef {import('../../chart/types.js').Note} Note */
/** @typedef {import('./plane-read.js').Plane} Plane */

/** Below this a number is what rounding leaves of zero. */
const ROUNDING = 1e-12;

/** What each move does, as a sentence begins. @type {Record<string, Rich>} */
export const MOVES = {
  keys: ['Every key shifted by ', { i: 'c' }], both: ['Query and keys shifted by ', { i: 'c' }], rotate: ['Query and keys rotated'], query: ['The query shifted by ', { i: 'c' }],
};

/** @param {Plane} plane @returns {Rich} */
export function headline(plane) {
  if (plane.move !== 'none') return moved(plane);
  const names = RULES.map((_, rule) => ruleName(plane, rule));
  const leads = plane.weights.map(leaders);
  const same = (/** @type {number} */ a, /** @type {number} */ b) => leads[a].join() === leads[b].join();
  if (plane.keys.length === 1) return ['A single key takes all the weight, whatever the rule.'];
  if (plane.equal && agree(plane)) return ['Keys of one length: Gaussian and dot product, scaled alike, give the same weights.'];
  const to = (/** @type {number} */ rule) => whom(leads[rule], plane.keys.length);
  if (same(0, 1) && same(1, 2)) return [`All three rules give ${leads[0].length === plane.keys.length ? '' : 'most to '}${to(0)}.`];
  if (same(1, 2)) return [`The ${names[0]} gives ${most(leads[0], plane)}${to(0)}; the dot product, scaled or not, ${most(leads[1], plane)}${to(1)}.`];
  return [list(names.map((name, rule) => `the ${name} gives ${most(leads[rule], plane)}${to(rule)}`)).replace(/^t/, 'T'), '.'];
}

/** @param {Plane} plane @returns {Rich} */
function moved(plane) {
  const groups = [true, false].map((stays) => RULES.flatMap((_, rule) => (plane.stays[rule] === stays ? [rule] : [])));
  const begin = [...MOVES[plane.move], ': '];
  if (groups[1].length === 0) return [...begin, { blue: 'all three rules keep their weights' }, '.'];
  if (groups[0].length === 0) return [...begin, { red: 'the weights of all three rules move' }, '.'];
  const named = (/** @type {number[]} */ rules) => list(rules.map((rule) => ruleName(plane, rule)));
  return [...begin, { blue: `${named(groups[0])} weights stay` }, '; ', { red: `${named(groups[1])} weights move` }, '.'];
}

/** Whether the two rules, scaled alike, print the same weights. @param {Plane} plane */
export const agree = (plane) => plane.matched[0].every((each, k) => weight(each, 3) === weight(plane.matched[1][k], 3));

/** The keys with the largest weight, which several may share to rounding. @param {number[]} weights */
const leaders = (weights) => {
  const largest = Math.max(...weights);
  return weights.flatMap((each, k) => (each >= largest * (1 - ROUNDING) ? [k] : []));
};

/** @param {number[]} leads @param {number} keys */
function whom(leads, keys) {
  if (leads.length === keys) return 'all keys the same';
  return leads.length === 1 ? `key ${leads[0] + 1}` : `keys ${list(leads.map((k) => String(k + 1)))} alike`;
}

/** @param {number[]} leads @param {Plane} plane */
const most = (leads, plane) => (leads.length === plane.keys.length ? '' : 'most to ');

/** @param {Plane} plane @returns {Table} */
export function readout(plane) {
  const each = (/** @type {(rule: number) => string} */ cell) => RULES.map((_, rule) => cell(rule));
  const near = (/** @type {number} */ value) => (value === 0 ? '0' : Math.abs(value) < ROUNDING ? '≈ 0' : fixed(value, 3));
  const still = plane.move === 'none';
  return {
    caption: ['Gradient of the weighted average of the key numbers, for a bias of the keys.'],
    columns: [['rule by rule'], ['Gaussian'], [{ red: 'dot' }], [{ blue: 'scaled' }]],
    rows: [
      ['largest weight', ...each((rule) => weight(Math.max(...plane.weights[rule]), 3))],
      ['on key', ...each((rule) => {
        const leads = leaders(plane.weights[rule]);
        return leads.length === plane.keys.length && leads.length > 1 ? 'all' : list(leads.map((k) => String(k + 1)));
      })],
      ...(still ? [] : [['the move', ...each((rule) => (plane.stays[rule] ? 'stays' : 'moves'))], ['changes by up to', ...each((rule) => near(plane.movedBy[rule]))]]),
      ['key bias gradient, x', ...each((rule) => near(plane.gradient[rule].x))],
      ['and y', ...each((rule) => near(plane.gradient[rule].y))],
    ],
  };
}

/** @param {Plane} plane @returns {Note | null} */
export function note(plane) {
  if (plane.keys.length < 2) return null;
  const lost = plane.undirected.flatMap((each, k) => (each ? [String(k + 1)] : []));
  const origin = plane.equal && lost.length > 0 ? ` ${lost.length === 1 ? 'Key' : 'Keys'} ${list(lost)} at the origin ${lost.length === 1 ? 'has' : 'have'} no direction to keep, and stay${lost.length === 1 ? 's' : ''} there.` : '';
  const { most: widest } = plane;
  const [gaussian, dot] = plane.matched.map((row) => row[widest]);
  if (agree(plane)) return { kind: 'note', title: 'Where they part.', text: [`Nowhere: scaled alike, the Gaussian and the dot product print the same weight on each of ${plural(plane.keys.length, 'key', 'keys')}.${origin}`] };
  const long = dot > gaussian;
  return {
    kind: 'note', title: 'Where they part.',
    text: [`Scaled alike, Gaussian and dot product differ ${plane.keys.length === 2 ? 'by as much on either key; on key' : 'most on key'} ${widest + 1}: ${weight(gaussian, 3)} against ${weight(dot, 3)}. Its norm is ${fixed(plane.norms[widest], 2)}, and `,
      ...(long ? ['the dot product has no '] : ['the Gaussian takes only a little for ']), '−½|', { i: 'k' }, '|²', long ? ' to hold a long key back.' : ' from a short key, and much from a long one.', origin],
  };
}

/** What a figure of the plane says to readers who do not see it. @param {Plane} plane */
export const pointsInWords = (plane) => `The query at ${at(plane.query)}; ${plural(plane.keys.length, 'key', 'keys')}: ${plane.keys.map((key, k) => `${k + 1} at ${at(key)}`).join('; ')}.`;

/** @param {{x: number, y: number}} point */
const at = ({ x, y }) => `${fixed(x, 2)}, ${fixed(y, 2)}`;

