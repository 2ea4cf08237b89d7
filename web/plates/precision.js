/**
 * Plate VI, "Number formats": a masked softmax of one row in the numbers of a machine, step by step; the same row in every format with every
 * fill; and what one NaN does in three layers.
 *
 * Nothing is computed here: every step, outcome and layer is the core's, rounded once an operation to its format.
 */

import { list, weight } from '../chart/format.js';
import { h } from '../chart/node.js';
import { NARROW, picture } from '../chart/picture.js';
import { layersFigure, layerText, stageName, WAYS } from './parts/format-layers.js';
import { readEvery, readLayers, readRow } from './parts/format-row.js';
import { tableFigure } from './parts/format-table.js';
import { closedBy, steps, traceFigure, valueText } from './parts/format-trace.js';
import { fillName, fillText, headline, note } from './parts/format-words.js';
import { hatches, numberCells } from './parts/number-cells.js';

/** @typedef {import('../chart/types.js').Result} Result */
/** @typedef {import('../chart/types.js').Env} Env */
/** @typedef {import('../chart/types.js').Figure} Figure */
/** @typedef {import('../chart/types.js').Rich} Rich */
/** @typedef {import('./parts/format-row.js').Row} Row */
/** @typedef {import('./parts/number-cells.js').NumberCell} NumberCell */

/** @type {import('../chart/types.js').Plate} */
const plate = {
  study: 'precision',
  numeral: 'VI',
  controls: [['row', 'way'], ['dtype', 'accumulate'], ['fill', 'zeroing']],
  draw,
  emblem: { params: { row: 'by-each', dtype: 'float32', way: 'additive', zeroing: false }, draw: emblem },
};

export default plate;

/**
 * @param {Result} result
 * @param {Env} env
 * @returns {import('../chart/types.js').Drawing}
 */
function draw(result, env) {
  const row = readRow(result);
  const line = headline(row);
  const why = note(row);
  const summary = `${plain(line)} ${plain(why.text)}`;
  return { headline: line, figures: [trace(row, summary, env), table(result, row, env), layers(result, env)], note: why, summary };
}

/** @param {Rich} rich */
const plain = (rich) => rich.map((part) => (typeof part === 'string' ? part : Object.values(part)[0])).join('');

/** @param {Env} env @param {string} figure */
const hovered = (env, figure) => (env.hover?.figure === figure ? env.hover.mark : null);

/**
 * @param {Row} row
 * @param {string} summary
 * @param {Env} env
 * @returns {Figure}
 */
function trace(row, summary, env) {
  const { width, uid, widen = 1 } = env;
  const drawn = traceFigure({ row, width, narrow: width < NARROW, widen, uid, hover: hovered(env, 'trace') });
  const all = steps(row);
  const open = row.allowed.flatMap((may, k) => (may ? [String(k + 1)] : []));
  return {
    id: 'trace', number: 1, width, height: drawn.height, node: drawn.node, marks: drawn.marks,
    caption: ['One row over six keys, step by step, each value rounded to its format. Hatched: the mask excludes the key. Weights in ', { blue: 'blue' }, '; hatched in ', { red: 'red' }, ', with a corner filled: a weight where none should be, or no number.'],
    summary: `${open.length === 0 ? 'No key is left' : `Open: ${list(open)}`} of six keys; the fill is ${fillText(row)}. ${summary}`,
    table: {
      caption: ['Every step, key by key'],
      columns: [['step'], ...row.scores.map((_, k) => [`key ${k + 1}${closedBy(row, k)}`]), ['row']],
      rows: all.map(({ name, about, values, reading }) => [`${name} (${about})`, ...values.map(valueText), reading ? `${reading[0]} ${valueText(reading[1])}` : name === 'weights' ? row.outcome : '']),
    },
  };
}

/**
 * @param {Result} result
 * @param {Row} row
 * @param {Env} env
 * @returns {Figure}
 */
function table(result, row, env) {
  const { width, widen = 1 } = env;
  const every = readEvery(result);
  const drawn = tableFigure({ every, row, width, narrow: width < NARROW, widen, hover: hovered(env, 'formats') });
  const cells = every.dtypes.flatMap((_, d) => every.fills.map((__, f) => every.cell(d, f)));
  const exact = cells.filter(({ verdict }) => verdict === 'exact').length;
  return {
    id: 'formats', number: 2, width, height: drawn.height, node: drawn.node, marks: drawn.marks,
    caption: ['The same row with its scores in every format and with every fill; below each outcome the fill, as the format rounds it.', { act: ' Choose a format, a fill, or a cell.' }],
    summary: `Outcome of this row by format and fill, the softmax in ${row.accumulate}: exact in ${exact} of ${cells.length}. ${every.dtypes.map((name, d) => `${name}: ${every.fills.map((fill, f) => `${fillName(fill)} ${every.cell(d, f).outcome}`).join(', ')}`).join('; ')}.`,
    table: {
      caption: ['Outcome, and the fill after rounding'],
      columns: [['scores in'], ...every.fills.map((fill) => [fillName(fill)])],
      rows: every.dtypes.map((name, d) => [name, ...every.fills.map((_, f) => {
        const { outcome, fill, verdict, leak } = every.cell(d, f);
        return `${outcome}${verdict === 'leak' ? ` (${weight(leak, 4)})` : ''}; ${valueText(fill)}`;
      })]),
    },
  };
}

/**
 * @param {Result} result
 * @param {Env} env
 * @returns {Figure}
 */
function layers(result, env) {
  const { width, uid } = env;
  const model = readLayers(result);
  const drawn = layersFigure({ layers: model, width, narrow: width < NARROW, uid, hover: hovered(env, 'layers') });
  const positions = Array.from({ length: model.positions }, (_, p) => (p === model.positions - 1 ? 'padding' : `position ${p + 1}`));
  const lost = (/** @type {number} */ way, /** @type {number} */ stage) => positions.filter((_, p) => model.values(way, stage, p).some(Number.isNaN));
  const told = WAYS.map((name, way) => `${name}: ${Array.from({ length: model.stages }, (_, s) => `${stageName(s)}, ${lost(way, s).length === 0 ? 'all numbers' : `NaN at ${list(lost(way, s))}`}`).join('; ')}`);
  return {
    id: 'layers', number: 3, width, height: drawn.height, node: drawn.node, marks: drawn.marks,
    caption: ['Three layers of self-attention over three positions and a padding that nobody may see. A weight of 0 hides a number; it does not hide a ', { red: 'NaN' }, '.'],
    summary: `${told.join('. ')}.`,
    table: {
      caption: ['Both entries of every position'],
      columns: [['stage'], ...positions.map((name) => [name])],
      rows: WAYS.flatMap((name, way) => Array.from({ length: model.stages }, (_, s) => [`${name}: ${stageName(s)}`, ...positions.map((__, p) => layerText(model.values(way, s, p)))])),
    },
  };
}

/**
 * Scores, what the fill makes of them, and weights, without their values.
 * @param {Result} result
 * @param {Env} env
 */
function emblem(result, env) {
  const row = readRow(result);
  const prefix = `${env.uid}-emblem`;
  const wide = Math.floor((env.width - 12) / row.scores.length);
  const [low, high] = [Math.min(...row.scores), Math.max(...row.scores)];
  /** @type {NumberCell[][]} */
  const rows = [
    row.scores.map((score) => ({ kind: 'tint', share: (score - low) / (high - low), text: '' })),
    row.filled.map((_, k) => ({ kind: row.allowed[k] ? 'plain' : 'closed', text: row.filled[k] === -Infinity ? '−∞' : '' })),
    row.weights.map((share, k) => (row.allowed[k] ? { kind: 'ink', share, text: '' } : { kind: share === 0 ? 'closed' : 'wrong', text: weight(share, 2) })),
  ];
  return picture({ width: env.width, height: 226, narrow: true }, hatches(prefix),
    h('path', { class: 'flow', d: rows.slice(1).map((_, r) => row.scores.map((__, k) => `M${6.5 + Math.round((k + 0.5) * wide)} ${r * 76 + 63}v20`).join('')).join('') }),
    rows.map((cells, r) => numberCells({ cells, x: 6.5, y: 8 + r * 76, wide, high: 54, type: 14, prefix })));
}
