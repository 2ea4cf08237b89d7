/**
 * The words of "Number formats": numbers cut to the room of a cell, names of fills, what became of the mask in one line, and why.
 *
 * The outcome itself is the core's. Each sentence here is read off the steps on show, so that none can say what did not happen.
 */

import { format } from 'd3-format';
import { precise, shortest, words } from '../../chart/format.js';
import { textWidth } from '../../chart/text.js';

/** @typedef {import('../../chart/types.js').Note} Note */
/** @typedef {import('../../chart/types.js').Rich} Rich */
/** @typedef {import('./format-row.js').Row} Row */
/** @typedef {import('./format-row.js').Verdict} Verdict */

/** @type {Record<string, string>} */
const FILLS = { lowest: 'lowest', '-infinity': '−∞', 'two-lowest': '2 × lowest' };

/** A fill as it is written in a figure. @param {string} fill */
export const fillName = (fill) => FILLS[fill] ?? fill.replace('-', '−');

/** What became of the mask, in a word or two. @param {string} outcome  the core's @param {Verdict} verdict */
export const outcomeName = (outcome, verdict) => (verdict === 'uniform' || verdict === 'wrong' ? verdict : verdict === 'leak' ? outcome.replace('leak of', 'leak') : outcome);

const one = format('.1~e');
const two = format('.2~r');

/**
 * A number as it is, or with as many of its digits as the room holds.
 * @param {number} value
 * @param {number} room  px
 * @param {number} size  px, of the type
 */
export function numberIn(value, room, size) {
  if (!Number.isFinite(value)) return precise(value);
  const large = Math.abs(value) >= 1e4 || Math.abs(value) < 1e-3;
  const shorter = value === 0 ? '0' : large ? one(value).replace(/e\+/, 'e').replace('e-', 'e−') : two(value);
  const tries = [exactly(value), precise(value), shorter];
  return tries.find((text) => textWidth(text, size) <= room) ?? tries[tries.length - 1];
}

/** A number in all its digits: whole ones without an exponent up to a thousand million. @param {number} value */
function exactly(value) {
  if (Math.abs(value) >= 1e6 && Math.abs(value) < 1e21 && value % 1e6 === 0) return shortest(value).replace(/0{6,}$/, (zeros) => `e${zeros.length}`);
  return shortest(value).replace('e+', 'e').replace('e-', 'e−');
}

/** A number in a sentence: all its digits where they are few. @param {number} value */
export function said(value) {
  if (!Number.isFinite(value)) return precise(value);
  const text = exactly(value);
  return text.length <= 9 ? text : precise(value);
}

/** What stands at excluded keys, with the name of its kind. @param {Row} row */
export function fillText({ fill, fillValue, dtype }) {
  if (fill === 'lowest') return `${said(fillValue)}, the lowest of ${dtype}`;
  if (fill === 'two-lowest') return `−∞, the sum of two lowest values of ${dtype}`;
  return said(fillValue);
}

/**
 * Where a finite fill turned into −∞ or into another number, and why; empty where it did not.
 * @param {Row} row
 */
export function turned(row) {
  const { fill, fillValue, dtype, accumulate, filled, difference, rowMax } = row;
  if (fill === '-infinity') return '';
  if (fill === 'two-lowest') return `Two lowest values of ${dtype} sum to −∞. `;
  if (fillValue === -Infinity) return `${fillName(fill)} is beyond ${dtype}: rounded, it is −∞. `;
  const value = said(fillValue);
  const first = fill === 'lowest' ? `The lowest value of ${dtype} is ${value}. ` : fillValue !== Number(fill) ? `Rounded to ${dtype}, ${fillName(fill)} is ${value}. ` : '';
  const both = excluded(row).some((k) => filled[k] === -Infinity) ? `Where both terms add it, the sum in ${dtype} is −∞. ` : '';
  const lost = excluded(row).some((k) => Number.isFinite(filled[k]) && (rowMax === -Infinity || difference[k] === -Infinity));
  const there = !lost ? '' : first === '' ? `In ${accumulate}, the format of the softmax, ${fillName(fill)} is −∞. ` : `The softmax is in ${accumulate}, which has no such number: there it is −∞. `;
  return `${first}${there}${both}`;
}

/** @param {Row} row */
export const excluded = ({ allowed }) => allowed.flatMap((may, k) => (may ? [] : [k]));

/** @param {Row} row */
const kept = ({ allowed }) => allowed.flatMap((may, k) => (may ? [k] : []));

/**
 * @param {Row} row
 * @returns {Rich}
 */
export function headline(row) {
  const { verdict, zeroed, outcome } = row;
  if (verdict === 'NaN') return [{ red: 'NaN.' }, ' No key is left, every score is −∞, and the softmax has nothing to measure from.'];
  if (verdict === 'uniform') return [{ red: 'Uniform over invalid keys.' }, ' No key is left, and the row looks like any other.'];
  if (verdict === 'leak') return [{ red: `A ${outcome}.` }, row.empty ? ' No key is left, and the excluded keys are attended to by their scores.' : ' The fill is not low enough, and excluded keys are attended to.'];
  if (verdict === 'wrong') return [{ red: 'Wrong weights.' }, ' The mask is exact, but the softmax cannot tell the scores apart.'];
  return [{ blue: 'Exact.' }, zeroed ? ' No key is left, and every weight is zero.' : ` Every excluded key weighs zero${row.dtype === row.accumulate ? `, all in ${row.dtype}` : `, with scores in ${row.dtype} and the softmax in ${row.accumulate}`}.`];
}

/**
 * @param {Row} row
 * @returns {Note}
 */
export function note(row) {
  const how = turned(row);
  if (row.verdict === 'NaN') {
    return { kind: 'warning', title: 'Not a number.', text: [`${how}${row.name === 'twice' || row.name === 'by-each' ? 'No key survives both terms' : 'No key is left'}, so −∞ is all there is, and it is the row’s maximum too. −∞ − (−∞) is not a number, and neither is anything made of it. `, 'The final zeroing would make the row zeros.'] };
  }
  if (row.verdict === 'uniform') return { kind: 'warning', title: 'Even shares of nothing.', text: [`${how}${even(row)} The final zeroing would make the row zeros.`] };
  if (row.verdict === 'leak') return { kind: 'warning', title: row.empty ? 'Scores that survive.' : 'Not low enough.', text: [`${how}${leaking(row)}`] };
  if (row.verdict === 'wrong') return { kind: 'warning', title: 'Scores made alike.', text: [`${how}${closed(row)}${strayed(row)}`] };
  if (row.zeroed) return { kind: 'note', title: 'Zeroed.', text: [`${how}No key is left. ${before(row)} The final zeroing writes 0 over it.`] };
  return { kind: 'note', title: 'Exact.', text: [`${how}${closed(row)}${strayed(row)}`] };
}

/** Why the shares are even. @param {Row} row */
function even(row) {
  const sharing = excluded(row).filter((k) => row.weights[k] !== 0);
  const each = said(row.weights[sharing[0]]);
  const how = row.additive ? `Beside what is added the scores are lost in rounding` : 'All scores are overwritten with one number';
  if (sharing.length === row.weights.length) return `${how}: every key stands at the maximum, ${said(row.rowMax)}, every difference is 0, and every key gets ${each}. Nothing in the weights says that they are meaningless.`;
  return `${how}. The ${words(sharing.length)} keys that one term alone excludes stand at the maximum, ${said(row.rowMax)}, and get ${each} each; those that both exclude get nothing.`;
}

/** Why excluded keys have weight. @param {Row} row */
function leaking(row) {
  if (row.empty) {
    const only = excluded(row).filter((k) => row.weights[k] !== 0);
    const whose = only.length === row.weights.length ? 'Every key got the same addition' : `The ${words(only.length)} keys that one term alone excludes got the same addition`;
    return `No key is left. ${whose}, and ${row.dtype} still tells their scores apart beside it: a softmax does not see what all scores have in common. The row looks like attention. The final zeroing would make it zeros.`;
  }
  const top = (/** @type {number[]} */ keys) => said(Math.max(...keys.map((k) => row.filled[k])));
  return `After masking, the largest excluded score is ${top(excluded(row))}, the largest allowed one ${top(kept(row))}. The maximum is an excluded key’s, and the exponentials of the allowed ones vanish beside it. The lowest value of ${row.dtype} would do.`;
}

/** What the zeroing found. @param {Row} row */
function before({ exponential, rowMax, sum }) {
  if (Number.isNaN(sum)) return 'With −∞ as the maximum every difference is −∞ − (−∞), and the row was NaN.';
  const sharing = exponential.filter((each) => each !== 0);
  const same = sharing.every((each) => each === sharing[0]);
  return `The softmax had shared one whole among ${sharing.length === exponential.length ? `all ${words(sharing.length)}` : words(sharing.length)} excluded keys${same ? ', evenly' : ', by their scores'}, from a maximum of ${said(rowMax)}.`;
}

/** Why excluded keys weigh nothing. @param {Row} row */
function closed(row) {
  const [first, ...more] = excluded(row);
  const apart = said(row.difference[first]);
  const same = more.every((k) => row.difference[k] === row.difference[first]);
  return `Less the row’s maximum, ${said(row.rowMax)}, the excluded scores are ${same ? apart : `${said(Math.max(...excluded(row).map((k) => row.difference[k])))} and less`}. The exponential of that is 0 itself, not something small.`;
}

/** What rounding did to the keys that are left. @param {Row} row */
function strayed(row) {
  const left = kept(row);
  const level = left.length > 1 && left.every((k) => row.scores[k] === row.scores[left[0]]);
  if (level) return ` But ${row.dtype} rounds the ${words(left.length)} scores that are left to one number, ${said(row.scores[left[0]])}, and they share alike.`;
  if (row.verdict === 'wrong') return ` So much for the mask. But the softmax is in ${row.accumulate}, which rounds the scores that are left before it compares them: a weight is off by ${precise(row.error)}.`;
  return row.error > 0 ? ` The other weights stray by at most ${precise(row.error)} from those of double: that is rounding, not the mask.` : '';
}
