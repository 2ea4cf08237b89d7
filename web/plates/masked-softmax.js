/**
 * Plate III, "Masked softmax": for every sequence of a small batch the scores, what the mask leaves of them, the
 * weights, and the sum of each row.
 *
 * Nothing is computed here: allowed keys, weights, sums and empty rows are the core's. An excluded weight is exactly
 * zero and is hatched; a small weight is neither.
 */

import { heatmap, arrow, emptyRow, printSize } from '../chart/heatmap.js';
import { hatch } from '../chart/hatch.js';
import { h } from '../chart/node.js';
import { NARROW, picture } from '../chart/picture.js';
import { fixed, plural, precise, weight } from '../chart/format.js';
import { textWidth } from '../chart/text.js';
import { maskLayout } from './parts/mask-layout.js';
import { emptyNote, readBatch, reason, requirement, spoken, withLength } from './parts/mask-words.js';
import { series } from './parts/read.js';

/** @typedef {import('../chart/types.js').Mark} Mark */
/** @typedef {import('../chart/types.js').Result} Result */
/** @typedef {import('../chart/types.js').Env} Env */
/** @typedef {import('../chart/heatmap.js').Cell} Cell */
/** @typedef {import('./parts/mask-words.js').Batch} Batch */

const MAPS = /** @type {const} */ (['scores', 'mask', 'weights']);
const TITLES = { scores: 'scores', mask: 'what the mask leaves', weights: 'weights' };

/** @type {import('../chart/types.js').Plate} */
const plate = {
  study: 'masked-softmax',
  numeral: 'III',
  controls: [['lens', 'causal'], ['batch', 'queries', 'keys', 'scores', 'seed', 'generator']],
  draw,
  emblem: { params: { batch: 1, queries: 6, keys: 6, lens: '', causal: true, scores: 'normal', seed: 2 }, draw: emblem },
};

export default plate;

/**
 * @param {Result} result
 * @param {Env} env
 * @returns {import('../chart/types.js').Drawing}
 */
function draw(result, env) {
  const batch = readBatch(result);
  const values = { scores: series(result, 'scores'), weights: series(result, 'weights'), sums: series(result, 'row_sums') };
  const narrow = env.width < NARROW;
  const layout = maskLayout({ width: env.width, batch: batch.batch, queries: batch.queries, keys: batch.keys, narrow });
  const hovered = env.hover?.figure === 'maps' ? env.hover.mark : null;
  const pattern = `${env.uid}-excluded`;
  const cells = cellMaker(batch, values, layout.size, env.widen ?? 1, hovered);
  const title = (/** @type {number} */ m, /** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ anchor) =>
    h('text', { class: 'map-title', x, y, 'text-anchor': anchor }, TITLES[MAPS[m]]);
  const side = batch.keys * layout.size;

  const node = picture({ width: env.width, height: layout.height, narrow },
    [hatch(pattern, 'excluded', { spacing: 4 })],
    layout.titleY !== null && [
      MAPS.map((_, m) => title(m, layout.sequences[0].maps[m].x + side / 2, /** @type {number} */ (layout.titleY), 'middle')),
      h('text', { class: 'map-title', x: layout.sumsX, y: layout.titleY }, 'row sum'),
    ],
    layout.sequences.map((place, b) => h('g', { class: 'sequence' },
      h('text', { class: 'row-head', x: 0, y: place.heading },
        h('tspan', { class: 'strong' }, `sequence ${b + 1}`), h('tspan', { dx: 10 }, heading(batch, b, env.width / (env.widen ?? 1)))),
      place.maps.map((map, m) => [
        heatmap({ cells: cells(b, MAPS[m]), x: map.x, y: map.y, size: layout.size, hatch: pattern }),
        layout.stacked && title(m, 0, map.y - 26, 'start'),
      ]),
      layout.stacked && h('text', { class: 'map-title', x: layout.sumsX, y: place.maps[2].y - 26 }, 'row sum'),
      place.arrows.map((a) => arrow(a.x, a.y, a.down ? 14 : 24, a.down)),
      rowSums(batch, values.sums, b, layout.sumsX, place.maps[2].y, layout.size))));

  const summary = `Masked softmax of ${plural(batch.batch, 'sequence', 'sequences')}, ${plural(batch.queries, 'query', 'queries')} and ${plural(batch.keys, 'key', 'keys')} each. `
    + Array.from({ length: batch.batch }, (_, b) => spoken(batch, b)).join(' ');
  return {
    figures: [{
      id: 'maps', number: 1, width: env.width, height: layout.height, node, summary,
      caption: ['Scores, stronger ink where larger; what the mask leaves, a dot for each key that may be seen; the weights, in ', { blue: 'blue' }, ', exactly zero where a key is hatched. Rows are queries and columns keys.', { act: ' Choose a cell of the mask to end the valid length there.' }],
      table: table(batch, values),
      marks: marks(batch, values, layout),
    }],
    note: emptyNote(batch), summary,
  };
}

/**
 * @param {Batch} batch
 * @param {number} b
 * @param {number} width  px, of the figure
 */
function heading(batch, b, width) {
  const full = requirement(batch, b);
  return textWidth(full, 13) + 96 <= width ? full : requirement(batch, b, true);
}

/**
 * The weights alone, without their values.
 * @param {Result} result
 * @param {Env} env
 */
function emblem(result, env) {
  const batch = readBatch(result);
  const weights = series(result, 'weights');
  const size = 38;
  const pattern = `${env.uid}-excluded`;
  const cells = grid(batch, (q, k) => (batch.allowed(0, q, k) ? { ink: weights[q * batch.keys + k] } : { excluded: true }));
  return picture({ width: env.width, height: 26 + batch.queries * size, narrow: true }, [hatch(pattern, 'excluded', { spacing: 4 })],
    heatmap({ cells, x: 74, y: 24, size, hatch: pattern }));
}

/**
 * @typedef {{scores: number[], weights: number[], sums: number[]}} Values
 */

/**
 * @param {Batch} batch
 * @param {Values} values
 * @param {number} size  px, a cell's side
 * @param {number} widen  as in Env
 * @param {string | null} hovered
 * @returns {(b: number, map: 'scores' | 'mask' | 'weights') => Cell[][]}
 */
function cellMaker(batch, values, size, widen, hovered) {
  const known = values.scores.filter(Number.isFinite);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const tint = (/** @type {number} */ score) => (high > low ? (score - low) / (high - low) : 0.5);
  const scoreDigits = digitsThatFit(values.scores, (size - 8) / widen, printSize(size), fixed);
  const weightDigits = digitsThatFit(values.weights.filter((w) => w > 0.05), (size - 8) / widen, printSize(size), weight);
  return (b, map) => grid(batch, (q, k) => {
    const at = (b * batch.queries + q) * batch.keys + k;
    const allowed = batch.allowed(b, q, k);
    const hover = hovered === markId(map, b, q, k);
    if (map === 'scores') return { tint: tint(values.scores[at]), print: fixed(values.scores[at], scoreDigits), hover };
    if (map === 'mask') return allowed ? { dot: true, hover } : { excluded: true, hover };
    if (!allowed) return { excluded: true, print: weight(values.weights[at], weightDigits), hover };
    return { ink: values.weights[at], print: weight(values.weights[at], weightDigits), hover };
  });
}

/**
 * Three decimals where every value fits its cell, else two.
 * @param {number[]} values
 * @param {number} room  px
 * @param {number} size  px, of the type
 * @param {(value: number, digits: number) => string} print
 */
function digitsThatFit(values, room, size, print) {
  return values.every((value) => textWidth(print(value, 3), size) <= room) ? 3 : 2;
}

/**
 * @template T
 * @param {Batch} batch
 * @param {(q: number, k: number) => T} cell
 * @returns {T[][]}
 */
function grid(batch, cell) {
  return Array.from({ length: batch.queries }, (_, q) => Array.from({ length: batch.keys }, (__, k) => cell(q, k)));
}

/**
 * @param {Batch} batch
 * @param {number[]} sums
 * @param {number} b
 * @param {number} x
 * @param {number} y
 * @param {number} size
 */
function rowSums(batch, sums, b, x, y, size) {
  return Array.from({ length: batch.queries }, (_, q) => {
    const middle = y + (q + 0.5) * size;
    const sum = sums[b * batch.queries + q];
    const empty = batch.empty(b, q);
    return [
      h('text', { class: empty ? 'sum zero' : 'sum', x, y: middle, dy: '0.33em' }, sumText(sum)),
      empty && emptyRow(x + 16, middle),
    ];
  });
}

/** A sum of rounded weights is not always exactly one: three decimals, and `0` only for zero. @param {number} sum */
function sumText(sum) {
  return sum === 0 ? '0' : fixed(sum, 3);
}

/** @param {string} map @param {number} b @param {number} q @param {number} k */
function markId(map, b, q, k) {
  return `${map}-${b + 1}-${q + 1}-${k + 1}`;
}

/**
 * @param {Batch} batch
 * @param {Values} values
 * @param {import('./parts/mask-layout.js').Layout} layout
 * @returns {Mark[]}
 */
function marks(batch, values, { size, sequences, sumsX }) {
  /** @type {Mark[]} */
  const all = [];
  sequences.forEach((place, b) => {
    MAPS.forEach((map, m) => grid(batch, (q, k) => {
      const { x, y } = place.maps[m];
      const at = (b * batch.queries + q) * batch.keys + k;
      const excluded = batch.allowed(b, q, k) ? '' : `, ${reason(batch, b, q, k)}`;
      const text = { scores: `score ${precise(values.scores[at])}`, mask: excluded ? `excluded${excluded}` : 'allowed', weights: `weight ${precise(values.weights[at])}${excluded}` }[map];
      all.push({
        id: markId(map, b, q, k), x: x + k * size, y: y + q * size, w: size, h: size, cx: x + (k + 0.5) * size, cy: y + q * size,
        text: `sequence ${b + 1}, query ${q + 1}, key ${k + 1}: ${text}`,
        ...(map === 'mask' ? { edit: lengthEdit(batch, b, q, k) } : {}),
      });
    }));
    for (let q = 0; q < batch.queries; q++) {
      const y = place.maps[2].y + q * size;
      all.push({
        id: `sum-${b + 1}-${q + 1}`, x: sumsX - 6, y, w: 80, h: size, cx: sumsX + 16, cy: y,
        text: `sequence ${b + 1}, query ${q + 1}: row sum ${precise(values.sums[b * batch.queries + q])}${batch.empty(b, q) ? ', no key left' : ''}`,
      });
    }
  });
  return all;
}

/**
 * Choosing a cell of the mask makes its key the last one seen; choosing the last one seen closes it.
 * @param {Batch} batch
 * @param {number} b
 * @param {number} q
 * @param {number} k
 */
function lengthEdit(batch, b, q, k) {
  const length = batch.given !== 'none' && batch.length(b, q) === k + 1 ? k : k + 1;
  const whose = batch.given === 'query' ? `query ${q + 1} of sequence ${b + 1}` : `sequence ${b + 1}`;
  return { param: 'lens', value: withLength(batch, b, q, length), label: `set the valid length of ${whose} to ${length}` };
}

/**
 * @param {Batch} batch
 * @param {Values} values
 * @returns {import('../chart/types.js').Table}
 */
function table(batch, values) {
  /** @type {string[][]} */
  const rows = [];
  for (let b = 0; b < batch.batch; b++) {
    for (let q = 0; q < batch.queries; q++) {
      const from = (b * batch.queries + q) * batch.keys;
      const keys = Array.from({ length: batch.keys }, (_, k) => k);
      const head = `sequence ${b + 1}, query ${q + 1}`;
      rows.push([`${head}: scores`, ...keys.map((k) => precise(values.scores[from + k])), '']);
      rows.push([`${head}: weights`, ...keys.map((k) => precise(values.weights[from + k]) + (batch.allowed(b, q, k) ? '' : ' (masked)')),
        sumText(values.sums[b * batch.queries + q]) + (batch.empty(b, q) ? ' (empty)' : '')]);
    }
  }
  return {
    caption: ['Scores and weights'],
    columns: [['row'], ...Array.from({ length: batch.keys }, (_, k) => [`key ${k + 1}`]), ['row sum']],
    rows,
  };
}
