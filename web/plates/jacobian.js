/**
 * "The softmax Jacobian", beside plate II: its norm for weights even over k keys, with random rows on or below that curve,
 * and the Jacobian of the reader's own row of scores, by formula and by forward differentiation.
 *
 * Nothing is computed here: norms, matrices and their differences are the core's. J = diag(w) - w w^T.
 */

import { h } from '../chart/node.js';
import { NARROW, picture } from '../chart/picture.js';
import { fixed, plural, precise, weight } from '../chart/format.js';
import { heatmap, printSize } from '../chart/heatmap.js';
import { hatch } from '../chart/hatch.js';
import { textWidth } from '../chart/text.js';
import { normCurve } from './parts/norm-curve.js';
import { numeric, series, value } from './parts/read.js';

/** @typedef {import('../chart/types.js').Result} Result */
/** @typedef {import('../chart/types.js').Env} Env */
/** @typedef {import('../chart/types.js').Figure} Figure */
/** @typedef {import('../chart/types.js').Mark} Mark */

/** No entry is larger: w (1 - w) at w = 1/2. */
const LARGEST_ENTRY = 0.25;

/** @type {import('../chart/types.js').Plate} */
const plate = {
  study: 'jacobian',
  numeral: 'II',
  controls: [['k', 'keys', 'rows', 'seed', 'generator'], ['scores']],
  draw: (result, env) => {
    const figures = [norms(result, env), own(result, env)];
    return { figures, readout: readout(result), note: null, summary: figures.map((figure) => figure.summary).join(' ') };
  },
  emblem: { params: { rows: 100 }, draw: (result, env) => norms(result, env).node },
};

export default plate;

/**
 * @param {Result} result
 * @param {Env} env
 * @returns {Figure}
 */
function norms(result, env) {
  const [k, keys] = ['k', 'keys'].map((key) => numeric(result, key));
  const rows = { keys: series(result, 'row_keys'), norms: series(result, 'row_norm') };
  const narrow = env.width < NARROW;
  const best = value(result, 'best_keys');
  const at = value(result, 'at_norm');
  const drawn = normCurve({
    width: env.width, narrow, uid: env.uid, widen: env.widen ?? 1, keys, k, at, best, bestNorm: value(result, 'best_norm'),
    curve: { keys: series(result, 'curve_keys'), norms: series(result, 'curve_norm') }, rows,
    hover: env.hover?.figure === 'norms' ? env.hover.mark : null,
  });
  const largest = { keys: value(result, 'largest_keys'), norm: value(result, 'largest_norm') };
  return {
    id: 'norms', number: 1, width: env.width, height: drawn.height, node: drawn.node, marks: drawn.marks,
    caption: ['The line: rows that share their weight evenly among ', { i: 'k' }, ' keys. The points: ', plural(rows.norms.length, 'random row', 'random rows'), ' of ', String(keys), ' keys, each at one over its sum of squared weights. None lies above the line.', { act: ' Drag the rule.' }],
    summary: `Norm of the softmax Jacobian against the number of keys that share the weight. Even over ${plural(k, 'key', 'keys')} of ${keys} it is ${fixed(at, 4)}; the largest, ${fixed(value(result, 'best_norm'), 3)}, is at ${plural(best, 'key', 'keys')}, and all ${keys} have ${fixed(value(result, 'all_norm'), 4)}. Of ${rows.norms.length} random rows the largest norm is ${fixed(largest.norm, 4)}, of a row with ${fixed(largest.keys, 2)} keys in effect; none exceeds the even row with the same sum of squares.`,
    table: {
      caption: ['Random rows, by one over the sum of squared weights'],
      columns: [['row'], ['1 / sum of squares'], ['norm']],
      rows: rows.norms.slice(0, 50).map((norm, i) => [String(i + 1), fixed(rows.keys[i], 3), fixed(norm, 4)]),
    },
    drag: { param: 'k', label: 'keys that share', toValue: drawn.toValue },
  };
}

/**
 * The reader's own row: its Jacobian by formula, and what forward differentiation makes of the same scores.
 * @param {Result} result
 * @param {Env} env
 * @returns {Figure}
 */
function own(result, env) {
  const scores = series(result, 'own_scores');
  const n = scores.length;
  const weights = series(result, 'own_weights');
  const maps = [series(result, 'own_jacobian'), series(result, 'own_forward')];
  const sums = series(result, 'own_row_sums');
  const difference = value(result, 'own_difference');
  const narrow = env.width < NARROW;
  const left = 66;
  const sumRoom = 74;
  const gap = 84;
  const size = Math.floor(Math.min(58, narrow ? (env.width - left - 12) / n : (env.width - 2 * left - gap - sumRoom) / (2 * n)));
  const side = n * size;
  const top = 62;
  const places = narrow ? [{ x: left, y: top }, { x: left, y: top + side + 96 }] : [{ x: left, y: top }, { x: left + side + sumRoom + gap, y: top }];
  const digits = textWidth('−0.000', printSize(size)) <= size - 6 ? 3 : 2;
  const pattern = `${env.uid}-own`;
  const hovered = env.hover?.figure === 'own' ? env.hover.mark : null;
  const titles = ['by formula, diag(α) − ααᵀ', 'by forward differentiation'];
  const height = places[1].y + side + (narrow ? 40 : 34);
  /** @type {Mark[]} */
  const marks = [];
  maps.forEach((map, m) => map.forEach((entry, at) => {
    const [i, j] = [Math.floor(at / n), at % n];
    marks.push({
      id: `${m}-${i}-${j}`, x: places[m].x + j * size, y: places[m].y + i * size, w: size, h: size, cx: places[m].x + (j + 0.5) * size, cy: places[m].y + i * size,
      text: `${m === 0 ? 'by formula' : 'by differentiation'}: weight ${i + 1} by score ${j + 1}: ${precise(entry)}`,
    });
  }));
  const node = picture({ width: env.width, height, narrow }, [hatch(pattern, 'excluded', { spacing: 4 })],
    maps.map((map, m) => [
      h('text', { class: 'map-title', x: places[m].x, y: places[m].y - 34 }, titles[m]),
      heatmap({
        x: places[m].x, y: places[m].y, size, hatch: pattern,
        cells: Array.from({ length: n }, (_, i) => Array.from({ length: n }, (__, j) => ({
          tint: Math.abs(map[i * n + j]) / LARGEST_ENTRY, print: signed(map[i * n + j], digits), hover: hovered === `${m}-${i}-${j}`,
        }))),
              }),
    ]),
    !narrow && h('text', { class: 'map-title', x: places[0].x + side + 14, y: places[0].y - 34 }, 'row sum'),
    !narrow && sums.map((sum, i) => h('text', { class: 'sum', x: places[0].x + side + 14, y: places[0].y + (i + 0.5) * size, dy: '0.33em' }, precise(sum))));
  return {
    id: 'own', number: 2, width: env.width, height, node, marks,
    caption: ['The Jacobian of your row of scores, taken twice: from the weights, and by carrying a derivative through every step of the softmax. Stronger ink is a larger entry; the sign is printed. Largest difference ', tiny(difference), '; every row adds up to zero, to rounding.'],
    summary: `Jacobian of a row of ${n} scores with weights ${weights.map((w) => weight(w, 3)).join(', ')}. The two ways differ by at most ${tiny(difference)}. The diagonal is ${weights.map((_, i) => fixed(maps[0][i * n + i], 3)).join(', ')}; its eigenvalues are ${series(result, 'own_eigenvalues').map(tiny).join(', ')}.`,
    table: {
      caption: ['The Jacobian by formula; rows are weights, columns scores'],
      columns: [['weight'], ...scores.map((_, j) => [`by score ${j + 1}`])],
      rows: weights.map((_, i) => [String(i + 1), ...scores.map((__, j) => precise(maps[0][i * n + j]))]),
    },
  };
}

/** @param {Result} result @returns {import('../chart/types.js').Table} */
function readout(result) {
  const [k, keys] = ['k', 'keys'].map((key) => numeric(result, key));
  const eigenvalues = series(result, 'own_eigenvalues');
  return {
    caption: ['An even row beside the root of its sum of squares, and the eigenvalues of your own row.'],
    columns: [['what'], ['value']],
    rows: [
      [`norm, even over ${plural(k, 'key', 'keys')}`, fixed(value(result, 'at_norm'), 4)],
      ['root of its sum of squares', fixed(value(result, 'at_root_squares'), 4)],
      [`norm, even over all ${keys}`, fixed(value(result, 'all_norm'), 4)],
      ['norm of your row', precise(value(result, 'own_norm'))],
      ['its smallest eigenvalue', tiny(eigenvalues[0])],
      ['the next', precise(eigenvalues[1])],
    ],
  };
}

/** A value with its sign; what rounds to zero is told apart from zero. @param {number} v @param {number} digits */
function signed(v, digits) {
  if (v === 0) return '0';
  const text = fixed(Math.abs(v), digits);
  if (Number(text) === 0) return `${v < 0 ? '>−' : '<'}${(10 ** -digits).toFixed(digits)}`;
  return `${v < 0 ? '−' : ''}${text}`;
}

/** Rounding leaves a few units of the last place: they are not hidden, only short. @param {number} v */
function tiny(v) {
  return v === 0 || Math.abs(v) < 0.0005 ? precise(v) : fixed(v, 3);
}
