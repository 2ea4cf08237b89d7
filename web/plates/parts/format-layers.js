/**
 * Figure 3 of "Number formats": four positions, the last of them padding, through three layers; a column a position, a row a stage. At the
 * left plain arithmetic with −∞ and no zeroing, at the right this core. Red lines run from a NaN to what it spoils in the next layer.
 *
 * Values and weights are the core's; a line is drawn where a position turns into NaN and reads one, whatever weight it gives to it.
 */

import { fixed, shortest } from '../../chart/format.js';
import { h } from '../../chart/node.js';
import { picture } from '../../chart/picture.js';
import { hatches, numberCells } from './number-cells.js';

/** @typedef {import('../../chart/types.js').Mark} Mark */
/** @typedef {import('../../chart/types.js').VNode} VNode */
/** @typedef {import('./format-row.js').Layers} Layers */
/** @typedef {import('./number-cells.js').NumberCell} NumberCell */

/** What each way is called. */
export const WAYS = ['−∞, and nothing is zeroed', 'this core'];

/** @param {number} stage */
export const stageName = (stage) => (stage === 0 ? 'input' : `layer ${stage}`);

/** @param {number[]} values */
const broken = (values) => values.some(Number.isNaN);

/**
 * @param {object} o
 * @param {Layers} o.layers
 * @param {number} o.width
 * @param {boolean} o.narrow
 * @param {string} o.uid
 * @param {string | null} o.hover  id of the mark pointed at
 * @returns {{node: VNode, marks: Mark[], height: number}}
 */
export function layersFigure({ layers, width, narrow, uid, hover }) {
  const gutter = narrow ? 0 : 52;
  const panel = narrow ? width : (width - gutter) / 2;
  const names = 54;
  const place = { wide: Math.floor((panel - names - 1) / layers.positions), high: narrow ? 32 : 36, gap: 30, type: narrow ? 13 : Math.min(15, panel / 27), head: 54, names };
  const tall = place.head + layers.stages * (place.high + place.gap) - place.gap + 4;
  const height = narrow ? 2 * tall + 22 : tall;
  const prefix = `${uid}-layers`;
  const at = (/** @type {number} */ way) => (narrow ? { x: 0, y: way * (tall + 22) } : { x: way * (panel + gutter), y: 0 });
  const node = picture({ width, height, narrow }, hatches(prefix), WAYS.map((name, way) => panelOf({ layers, way, name, ...at(way), place, prefix, hover })));
  return { node, height, marks: WAYS.flatMap((name, way) => marksOf(layers, way, name, at(way), place)) };
}

/** @typedef {{wide: number, high: number, gap: number, type: number, head: number, names: number}} Place */

/** @param {number} way @param {number} stage @param {number} position */
const markId = (way, stage, position) => `value-${way + 1}-${stage}-${position + 1}`;

/**
 * @param {object} o
 * @param {Layers} o.layers
 * @param {number} o.way
 * @param {string} o.name
 * @param {number} o.x
 * @param {number} o.y
 * @param {Place} o.place
 * @param {string} o.prefix
 * @param {string | null} o.hover
 */
function panelOf({ layers, way, name, x, y, place, prefix, hover }) {
  const { wide, high, gap, type, head, names } = place;
  const { positions, stages } = layers;
  const left = x + names;
  const top = (/** @type {number} */ s) => y + head + s * (high + gap);
  const centre = (/** @type {number} */ p) => left + (p + 0.5) * wide;
  const count = Array.from({ length: stages }, (_, s) => s);
  const each = Array.from({ length: positions }, (_, p) => p);
  const spoiled = spoils(layers, way);
  return h('g', { class: 'layers-panel' },
    h('text', { class: 'map-title', x: left, y: y + 16 }, name),
    each.map((p) => h('text', { class: 'key-number', x: centre(p), y: y + head - 8, 'text-anchor': 'middle' }, p === positions - 1 ? 'padding' : String(p + 1))),
    h('path', { class: 'spoils', d: spoiled.map(({ stage, from, to }) => `M${px(centre(from))} ${px(top(stage) + high + 2)}L${px(centre(to))} ${px(top(stage + 1) - 3)}`).join('') }),
    count.map((s) => [
      h('text', { class: 'stage-name', x: left - 10, y: top(s) + high / 2, dy: '0.33em', 'text-anchor': 'end', 'font-size': 14 }, stageName(s)),
      numberCells({ cells: each.map((p) => ({ ...cellOf(layers.values(way, s, p), p === positions - 1), hover: hover === markId(way, s, p) })), x: left, y: top(s), wide, high, type, prefix }),
    ]),
    spoiled.length > 0 && reads(layers, way, spoiled[0], left, top(spoiled[0].stage) + high + gap / 2 - 4),
    h('text', { class: way === 0 ? 'empty' : 'step-about', x: left + positions * wide - 6, y: top(0) + high + gap / 2, dy: '0.33em', 'text-anchor': 'end', 'font-size': 14 },
      emptyAt(layers, way)));
}

/** The word under the padding's input, whose query keeps no key. @param {Layers} layers @param {number} way */
function emptyAt(layers, way) {
  return broken(layers.values(way, 1, layers.positions - 1)) ? 'no key left: NaN' : 'no key left: zeros';
}

/**
 * What is multiplied where a NaN spreads: the weight of the spoiled query on the key that is NaN.
 * @param {Layers} layers
 * @param {number} way
 * @param {{stage: number, from: number, to: number}} spoil
 * @param {number} x
 * @param {number} y
 */
function reads(layers, way, { stage, from, to }, x, y) {
  return h('text', { class: 'empty spoil-word', x: x + 6, y, dy: '0.33em', 'font-size': 14 }, `${shortest(layers.weight(way, stage, to, from))} × NaN`);
}

/**
 * Where a position that held numbers turns into NaN, and the NaN it reads.
 * @param {Layers} layers
 * @param {number} way
 */
export function spoils({ stages, positions, values }, way) {
  /** @type {Array<{stage: number, from: number, to: number}>} */
  const out = [];
  for (let stage = 0; stage + 1 < stages; stage++) {
    for (let to = 0; to < positions; to++) {
      if (broken(values(way, stage, to)) || !broken(values(way, stage + 1, to))) continue;
      for (let from = 0; from < positions; from++) if (broken(values(way, stage, from))) out.push({ stage, from, to });
    }
  }
  return out;
}

/**
 * @param {number[]} values
 * @param {boolean} padding
 * @returns {NumberCell}
 */
function cellOf(values, padding) {
  if (broken(values)) return { kind: 'wrong', text: 'NaN' };
  return { kind: padding ? 'closed' : 'plain', text: values.map((v) => (Number.isInteger(v) || Math.abs(v) === 0.5 ? shortest(v) : fixed(v, 2))).join(', ') };
}

/**
 * @param {Layers} layers
 * @param {number} way
 * @param {string} name
 * @param {{x: number, y: number}} at
 * @param {Place} place
 * @returns {Mark[]}
 */
function marksOf({ stages, positions, values, weight }, way, name, { x, y }, { wide, high, gap, head, names }) {
  return Array.from({ length: stages }, (_, s) => Array.from({ length: positions }, (__, p) => {
    const left = x + names + p * wide;
    const top = y + head + s * (high + gap);
    const on = s === 0 ? '' : `; weight on the padding ${Number.isNaN(weight(way, s - 1, p, positions - 1)) ? 'NaN' : fixed(weight(way, s - 1, p, positions - 1), 0)}`;
    return { id: markId(way, s, p), x: left, y: top, w: wide, h: high, cx: left + wide / 2, cy: top, text: `${stageName(s)}, ${p === positions - 1 ? 'padding' : `position ${p + 1}`}: ${layerText(values(way, s, p))}${on}` };
  })).flat();
}

/** A position's values in words. @param {number[]} values */
export const layerText = (values) => values.map((v) => (Number.isNaN(v) ? 'NaN' : Number.isInteger(v) ? shortest(v) : fixed(v, 4))).join(' and ');

/** @param {number} value */
function px(value) {
  return Math.round(value * 10) / 10;
}
