/**
 * Plate II, "One square root": entropy and Jacobian norm of the attention weights against the dimension, the weights
 * of one draw at the chosen dimension, and a readout of that dimension, unscaled beside scaled.
 *
 * Nothing is computed here: every number shown is the core's. weights = softmax(q k / sqrt d) against softmax(q k).
 */

import { h } from '../chart/node.js';
import { NARROW } from '../chart/picture.js';
import { fixed, plural, precise, weight, words } from '../chart/format.js';
import { textWidth } from '../chart/text.js';
import { againstDimension } from './parts/against-dimension.js';
import { indexOfLargest, oneDraw } from './parts/one-draw.js';
import { numeric, series, value } from './parts/read.js';

/** @typedef {import('../chart/types.js').Result} Result */
/** @typedef {import('../chart/types.js').Env} Env */
/** @typedef {import('../chart/types.js').Figure} Figure */
/** @typedef {import('../chart/types.js').Table} Table */
/** @typedef {import('./parts/against-dimension.js').Curve} Curve */

/** From this width on, figures 2 and 3 stand side by side. The style sheet has the same number. */
export const TWO_COLUMNS = 820;

/** No softmax Jacobian has a larger Frobenius norm: two keys with half the weight each. */
const LARGEST_JACOBIAN = 0.5;

/** The order of drawing: unscaled below scaled, as their labels stand. */
const KINDS = /** @type {const} */ (['scaled', 'unscaled']);

/** @type {import('../chart/types.js').Plate} */
const plate = {
  study: 'saturation',
  numeral: 'II',
  controls: [['d', 'keys', 'draws', 'seed', 'unit', 'generator', 'theory']],
  draw,
  emblem: { params: {}, draw: (result, env) => entropy(result, env).node },
};

export default plate;

/**
 * @param {Result} result
 * @param {Env} env
 * @returns {import('../chart/types.js').Drawing}
 */
function draw(result, env) {
  const figures = [entropy(result, env), weights(result, env), jacobian(result, env)];
  return { figures, readout: readout(result), note: null, summary: figures.map((figure) => figure.summary).join(' ') };
}

/** @param {Env} env */
function widths({ width }) {
  const narrow = width < NARROW;
  if (width < TWO_COLUMNS) return { narrow, full: width, left: width, right: width };
  const right = Math.round((width - 48) * 0.36);
  return { narrow, full: width, left: width - 48 - right, right };
}

/**
 * @param {Result} result
 * @param {Env} env
 * @returns {Figure}
 */
function entropy(result, env) {
  const { narrow, full } = widths(env);
  const [d, keys, draws] = ['d', 'keys', 'draws'].map((key) => numeric(result, key));
  const unit = String(result.params.unit);
  const curves = KINDS.map((kind) => curve(result, 'entropy', kind));
  const dims = series(result, 'dims');
  const size = narrow ? 14 : 15;
  const log = unit === 'bits' ? ['log', h('tspan', { dy: 3, 'font-size': '0.72em' }, '2'), h('tspan', { dy: -3 }, ` ${keys}`)] : [`ln ${keys}`];
  const drawn = againstDimension({
    id: 'entropy', uid: env.uid, width: full, height: narrow ? 220 : 282, narrow, small: false, dims, d, curves,
    even: {
      value: value(result, 'uniform_entropy'), label: ['perfectly even, ', ...log],
      width: textWidth(`perfectly even, ${unit === 'bits' ? 'log2' : 'ln'} ${keys}`, size, true),
    },
    theory: result.params.theory === true ? theory(result) : null,
    widen: env.widen ?? 1, most: value(result, 'uniform_entropy'), name: `entropy, ${unit}`, unit: ` ${unit}`, digits: 2, hover: hover(env, 'entropy'),
  });
  return {
    id: 'entropy', number: 1, width: full, height: drawn.height, node: drawn.node, marks: drawn.marks,
    caption: ['Entropy of the attention weights against the dimension, mean of ', plural(draws, 'query', 'queries'), '; hatched, two standard errors.', ...(result.params.theory === true ? [' Dotted, ln ', { i: 'm' }, ' − ', { i: 's' }, '²/2.'] : []), { act: ' Drag the rule.' }],
    summary: `Entropy against the dimension, ${keys} keys. At d = ${d} the mean is ${withError(curves[1], 3)} ${unit} unscaled and ${withError(curves[0], 3)} ${unit} scaled; perfectly even weights would have ${fixed(value(result, 'uniform_entropy'), 3)}. From d = ${dims[0]} to d = ${dims[dims.length - 1]} the unscaled mean goes from ${ends(curves[1])}, the scaled from ${ends(curves[0])}.`,
    table: againstTable(`Entropy in ${unit} against d`, dims, d, curves),
    drag: { param: 'd', label: 'dimension d', toValue: drawn.toValue },
  };
}

/** ln m - s^2 / 2 for both curves. @param {Result} result */
function theory(result) {
  return { level: value(result, 'theory_scaled'), levelLabel: 'ln m − s²/2, s² = 1', dims: series(result, 'theory_dims'), values: series(result, 'theory_unscaled'), label: 'ln m − s²/2, s² = d' };
}

/**
 * @param {Result} result
 * @param {Env} env
 * @returns {Figure}
 */
function jacobian(result, env) {
  const { narrow, right } = widths(env);
  const d = numeric(result, 'd');
  const curves = KINDS.map((kind) => curve(result, 'jacobian', kind));
  const dims = series(result, 'dims');
  const even = value(result, 'uniform_jacobian');
  const drawn = againstDimension({
    id: 'jacobian', uid: env.uid, width: right, height: narrow ? 150 : 132, narrow, small: true, dims, d, curves,
    even: { value: even, label: 'even', width: 0 },
    widen: env.widen ?? 1, most: LARGEST_JACOBIAN, name: 'Jacobian norm', unit: '', digits: 2, hover: hover(env, 'jacobian'),
  });
  return {
    id: 'jacobian', number: 3, width: right, height: drawn.height, node: drawn.node, marks: drawn.marks,
    caption: ['Frobenius norm of the softmax Jacobian against the dimension, on the same draws.'],
    summary: `Norm of the softmax Jacobian against the dimension. At d = ${d} the mean is ${withError(curves[1], 3)} unscaled and ${withError(curves[0], 3)} scaled; perfectly even weights would have ${fixed(even, 3)}. From d = ${dims[0]} to d = ${dims[dims.length - 1]} the unscaled norm goes from ${ends(curves[1])}, the scaled from ${ends(curves[0])}.`,
    table: againstTable('Frobenius norm of the softmax Jacobian against d', dims, d, curves),
    drag: { param: 'd', label: 'dimension d', toValue: drawn.toValue },
  };
}

/**
 * @param {Result} result
 * @param {Env} env
 * @returns {Figure}
 */
function weights(result, env) {
  const { narrow, left, full } = widths(env);
  const [d, keys] = ['d', 'keys'].map((key) => numeric(result, key));
  const unscaled = series(result, 'draw_weights_unscaled');
  const scaled = series(result, 'draw_weights_scaled');
  const scores = { unscaled: series(result, 'draw_scores_unscaled'), scaled: series(result, 'draw_scores_scaled') };
  const drawn = oneDraw({ width: left, height: narrow ? 260 : left < full ? 386 : 318, narrow, unscaled, scaled, hover: hover(env, 'weights') });
  return {
    id: 'weights', number: 2, width: left, height: drawn.height, node: drawn.node, marks: drawn.marks,
    caption: ['One draw at ', { i: 'd' }, ` = ${d}: the ${words(keys)} weights, `, { red: 'unscaled' }, ' above the line and ', { blue: 'scaled' }, ' below, on one measure.'],
    summary: `The weights of one query over ${keys} keys at d = ${d}. Unscaled, the largest is ${largest(unscaled)}; scaled, ${largest(scaled)}.`,
    table: {
      caption: [`Scores and weights of one draw at d = ${d}`],
      columns: [['key'], ['score, unscaled'], ['weight, unscaled'], ['score, scaled'], ['weight, scaled']],
      rows: unscaled.map((w, i) => [String(i + 1), fixed(scores.unscaled[i], 2), precise(w), fixed(scores.scaled[i], 2), precise(scaled[i])]),
    },
  };
}

/**
 * @param {Result} result
 * @returns {Table}
 */
function readout(result) {
  const [d, draws] = ['d', 'draws'].map((key) => numeric(result, key));
  /** @type {Array<[string, string, boolean, (v: number) => string]>} */
  const rows = [
    ['score spread', 'spread', false, (v) => fixed(v, 2)],
    [`entropy, ${result.params.unit}`, 'entropy', true, (v) => fixed(v, 3)],
    ['keys in effect', 'effective', false, (v) => fixed(v, v < 9.995 ? 2 : 1)],
    ['largest weight', 'largest', true, (v) => weight(v, 3)],
    ['Jacobian norm', 'jacobian', true, (v) => fixed(v, 3)],
  ];
  const cell = (/** @type {string} */ name, /** @type {string} */ kind, /** @type {(v: number) => string} */ print) => print(value(result, `at_${name}_${kind}`));
  const error = (/** @type {string} */ name, /** @type {string} */ kind) => `± ${fixed(value(result, `at_${name}_${kind}_se`), 3)}`;
  return {
    caption: [`Means of ${plural(draws, 'query', 'queries')}, with one standard error.`, ...(result.params.theory === true ? [' ', { i: 'Z' }, ' is the sum of exponentials; its deviation is relative to its mean.'] : [])],
    columns: [['at ', { i: 'd' }, ` = ${d}`], [{ red: 'unscaled' }], ['±'], [{ blue: 'scaled' }], ['±']],
    rows: rows.map(([label, name, hasError, print]) => [label,
      cell(name, 'unscaled', print), hasError ? error(name, 'unscaled') : '',
      cell(name, 'scaled', print), hasError ? error(name, 'scaled') : '']).concat(result.params.theory === true ? [deviation(result)] : []),
  };
}

/** How far the sum of exponentials strays from its mean: the approximation holds while this is small. @param {Result} result */
function deviation(result) {
  const shown = (/** @type {number} */ v) => (v < 1000 ? fixed(v, 2) : '> 1000');
  return ['deviation of Z', shown(value(result, 'at_z_deviation_unscaled')), '', shown(value(result, 'z_deviation_scaled')), ''];
}

/**
 * @param {Result} result
 * @param {'entropy' | 'jacobian'} name
 * @param {'scaled' | 'unscaled'} kind
 * @returns {Curve}
 */
function curve(result, name, kind) {
  return {
    kind, means: series(result, `${name}_${kind}`), errors: series(result, `${name}_${kind}_se`),
    at: value(result, `at_${name}_${kind}`), atError: value(result, `at_${name}_${kind}_se`),
  };
}

/**
 * The values of a figure against d, the chosen d among them.
 * @param {string} caption
 * @param {number[]} dims
 * @param {number} d
 * @param {Curve[]} curves  scaled, unscaled
 * @returns {Table}
 */
function againstTable(caption, dims, d, [scaled, unscaled]) {
  const rows = dims.map((dim, i) => ({ dim, cells: [unscaled, scaled].flatMap((c) => [fixed(c.means[i], 4), fixed(c.errors[i], 4)]) }));
  if (!dims.includes(d)) rows.push({ dim: d, cells: [unscaled, scaled].flatMap((c) => [fixed(c.at, 4), fixed(c.atError, 4)]) });
  rows.sort((a, b) => a.dim - b.dim);
  return {
    caption: [caption],
    columns: [[{ i: 'd' }], ['unscaled'], ['standard error'], ['scaled'], ['standard error']],
    rows: rows.map(({ dim, cells }) => [String(dim), ...cells]),
  };
}

/** @param {Curve} c @param {number} digits */
function withError(c, digits) {
  return `${fixed(c.at, digits)}${Number.isFinite(c.atError) ? ` ± ${fixed(c.atError, digits)}` : ''}`;
}

/** @param {Curve} c */
function ends(c) {
  return `${fixed(c.means[0], 3)} to ${fixed(c.means[c.means.length - 1], 3)}`;
}

/** @param {number[]} list */
function largest(list) {
  const at = indexOfLargest(list);
  return at < 0 ? 'not a number' : `key ${at + 1} with ${weight(list[at], 3)}`;
}

/** @param {Env} env @param {string} figure */
function hover(env, figure) {
  return env.hover && env.hover.figure === figure ? env.hover.mark : null;
}
