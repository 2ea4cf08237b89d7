/**
 * The numbers that stand in prose, each on a measure of its own: the middle 95% of fresh runs hatched, their mean a tick, the number in print
 * a diamond; and in words how many runs bear the sentence out. All shares are the core's.
 *
 * x is linear from a little below the lowest of the three to a little above the highest; the measures of two rows are not alike.
 */

import { scaleLinear } from 'd3-scale';
import { hatch } from '../../chart/hatch.js';
import { h } from '../../chart/node.js';
import { picture } from '../../chart/picture.js';
import { fixed, plural, shortest } from '../../chart/format.js';
import { textWidth } from '../../chart/text.js';
import { printedMark } from '../../chart/verdict.js';
import { numeric, series, words } from './read.js';

/** @typedef {import('../../chart/types.js').Mark} Mark */
/** @typedef {import('../../chart/types.js').Result} Result */
/** @typedef {import('../../chart/types.js').VNode} VNode */

/**
 * @typedef {object} Prose
 * @property {string} sentence
 * @property {string} place
 * @property {'scaled' | 'unscaled' | 'neutral'} kind
 * @property {number} printed
 * @property {number} mean
 * @property {number} deviation
 * @property {number} low
 * @property {number} high
 * @property {string} borneOut
 * @property {string} below
 * @property {number} digits  decimals for its mean and band
 */

/**
 * @param {Result} result
 * @returns {Prose[]}
 */
export function readProse(result) {
  const runs = numeric(result, 'runs');
  const places = words(result, 'prose_place');
  const of = Object.fromEntries(['printed', 'mean', 'deviation', 'low', 'high', 'below', 'chance'].map((name) => [name, series(result, `prose_${name}`)]));
  return words(result, 'prose_sentence').map((sentence, i) => ({
    sentence, place: places[i], kind: kindOf(sentence),
    printed: of.printed[i], mean: of.mean[i], deviation: of.deviation[i], low: of.low[i], high: of.high[i],
    borneOut: `borne out by ${Math.round(of.chance[i] * runs)} of ${plural(runs, 'fresh run', 'fresh runs')}`,
    below: `${percent(of.below[i])} of runs lie below`,
    digits: of.printed[i] >= 5 ? 1 : 2,
  }));
}

/** Which series a sentence speaks of; one that compares both is neither. @param {string} sentence @returns {Prose['kind']} */
function kindOf(sentence) {
  const [unscaled, scaled] = [/\bunscaled\b/.test(sentence), /\bscaled\b/.test(sentence)];
  return unscaled === scaled ? 'neutral' : unscaled ? 'unscaled' : 'scaled';
}

/** A share of runs; all and none are said only of all and none. @param {number} share */
function percent(share) {
  if (share === 0 || share === 1) return `${100 * share}%`;
  return share < 0.005 ? '<1%' : share > 0.995 ? '>99%' : `${Math.round(100 * share)}%`;
}

/**
 * @param {object} o
 * @param {Prose[]} o.prose
 * @param {number} o.width
 * @param {boolean} o.narrow
 * @param {string} o.uid
 * @param {string | null} o.hover
 * @returns {{node: VNode, marks: Mark[], height: number}}
 */
export function proseRanges({ prose, width, narrow, uid, hover }) {
  const beside = width >= 820;
  const pitch = beside ? 68 : 136;
  const [from, to] = beside ? [width * 0.36, width - 234] : [10, width - 10];
  const top = 8;
  const height = top + prose.length * pitch;
  const lineOf = (/** @type {number} */ i) => top + i * pitch + (beside ? 36 : 82);
  const marks = prose.map((each, i) => ({
    id: `prose-${i + 1}`, x: 0, y: top + i * pitch, w: width, h: pitch, cx: scaleOf(each, from, to)(each.printed), cy: lineOf(i) - 22,
    text: `${each.sentence}: ${each.borneOut}; ${each.below}; mean ${fixed(each.mean, 4)}, standard deviation ${fixed(each.deviation, 4)}, middle 95% from ${fixed(each.low, 4)} to ${fixed(each.high, 4)}`,
  }));
  const kinds = /** @type {const} */ (['scaled', 'unscaled', 'neutral']);
  const node = picture({ width, height, narrow },
    kinds.map((kind) => hatch(`${uid}-prose-${kind}`, kind, { spacing: 3 })),
    prose.map((each, i) => {
      const y = top + i * pitch;
      return h('g', { class: 'prose-row' },
        i > 0 && h('path', { class: 'row-rule', d: `M0 ${Math.round(y) + 0.5}H${Math.round(width)}` }),
        hover === `prose-${i + 1}` && h('rect', { class: 'hover-column', x: 0, y: y + 1, width, height: pitch - 1 }),
        saying(each, y, beside ? from - 40 : width),
        range(each, { from, to, y: lineOf(i), fill: `${uid}-prose-${each.kind}` }),
        beside
          ? [h('text', { class: 'borne', x: width, y: y + 30, 'text-anchor': 'end' }, each.borneOut), h('text', { class: 'below', x: width, y: y + 50, 'text-anchor': 'end' }, each.below)]
          : h('text', { class: 'borne', x: 0, y: y + 125 }, `${each.borneOut}; ${each.below}`));
    }));
  return { node, marks, height };
}

/**
 * The sentence, and below it in soft ink its setting and where it stands.
 * @param {Prose} each
 * @param {number} y
 * @param {number} room  px
 */
function saying({ sentence, place }, y, room) {
  const [, said, setting] = /^(.*?) ?(\([^)]*\))?$/.exec(sentence) ?? [null, sentence, ''];
  const soft = [setting, place].filter(Boolean).join(' · ');
  return [
    h('text', { class: 'said', x: 0, y: y + 30, 'font-size': textWidth(said, 16) > room ? 14 : 16 }, said),
    h('text', { class: 'setting', x: 0, y: y + 48, 'font-size': textWidth(soft, 13.5) > room ? 12 : 13.5 }, soft),
  ];
}

/** @param {Prose} each @param {number} from @param {number} to */
function scaleOf({ low, high, printed, mean }, from, to) {
  const [least, most] = [Math.min(low, printed, mean), Math.max(high, printed, mean)];
  const pad = (most - least) * 0.06 || 1;
  return scaleLinear().domain([least - pad, most + pad]).range([from, to]);
}

/**
 * @param {Prose} each
 * @param {{from: number, to: number, y: number, fill: string}} place
 */
function range(each, { from, to, y, fill }) {
  const x = scaleOf(each, from, to);
  const [low, high, mean, printed] = [x(each.low), x(each.high), x(each.mean), x(each.printed)];
  const label = (/** @type {number} */ value) => fixed(value, each.digits);
  const room = 44;
  const ends = high - low > 2 * room;
  return h('g', { class: `prose-range ${each.kind}` },
    h('path', { class: 'measure', d: `M${Math.round(from)} ${Math.round(y) + 0.5}H${Math.round(to)}` }),
    h('rect', { class: 'band', x: low, y: y - 7, width: Math.max(1, high - low), height: 14, fill: `url(#${fill})` }),
    h('path', { class: 'band-ends', d: `M${at(low)} ${at(y - 7)}v14M${at(high)} ${at(y - 7)}v14` }),
    h('path', { class: 'mean-tick', d: `M${at(mean)} ${at(y - 10)}v20` }),
    ends && [[low, each.low], [high, each.high]].map(([place, value]) => Math.abs(place - mean) > room
      && h('text', { class: 'tick', x: place, y: y + 24, 'text-anchor': 'middle' }, label(value))),
    h('text', { class: 'tick mean', x: mean, y: y + 24, 'text-anchor': 'middle' }, label(each.mean)),
    printedMark(printed, y),
    h('text', { class: 'in-print', x: printed, y: y - 14, 'text-anchor': 'middle' }, shortest(each.printed)));
}

/** @param {number} value */
const at = (value) => Math.round(value * 100) / 100;
