/**
 * Plate I, "From kernels to dot products": a query and its keys in the plane, their weights under the Gaussian, the dot product and the scaled dot
 * product, the weight of one key wherever the query could stand, and the dot product's terms when query and keys have biases.
 *
 * Nothing is computed here: every weight, field and term is the core's.
 */

import { contourBands } from '../chart/contour.js';
import { fixed, list, precise, weight } from '../chart/format.js';
import { h } from '../chart/node.js';
import { NARROW, picture } from '../chart/picture.js';
import { barsFigure } from './parts/plane-bars.js';
import { fieldsFigure, ruleName } from './parts/plane-fields.js';
import { placeRows, planeFigure } from './parts/plane-figure.js';
import { toPx } from './parts/plane-hands.js';
import { readPlane, RULES } from './parts/plane-read.js';
import { termNames, termRows, termsFigure } from './parts/plane-terms.js';
import { headline, note, pointsInWords, readout } from './parts/plane-words.js';

/** @typedef {import('../chart/types.js').Result} Result */
/** @typedef {import('../chart/types.js').Env} Env */
/** @typedef {import('../chart/types.js').Figure} Figure */
/** @typedef {import('../chart/types.js').Rich} Rich */
/** @typedef {import('./parts/plane-read.js').Plane} Plane */

/** From this width on figures stand in pairs. The style sheet has the same number. */
export const TWO_COLUMNS = 820;

/** @type {import('../chart/types.js').Plate} */
const plate = {
  study: 'kernels',
  numeral: 'I',
  controls: [['move', 'shift', 'angle'], ['gaussian', 'equal_norms', 'key'], ['points', 'query', 'keys'], ['generator', 'seed']],
  folded: { from: 2, name: 'the points, given or drawn' },
  draw,
  drawn: { query: { series: 'query_given', own: { points: 'own' } }, keys: { series: 'keys_given', own: { points: 'own' } } },
  idle: ({ points, move }) => [...(points === 'own' ? ['generator', 'seed'] : ['query', 'keys']), ...(move === 'rotate' ? ['shift'] : move === 'none' ? ['shift', 'angle'] : ['angle'])],
  emblem: { params: { points: 'own', query: '0.9,0.5', keys: '0.2,0.1;2.1,1;-1.5,1.5;-1.3,-1.6;1.5,-1.7', key: 1 }, draw: emblem },
};

export default plate;

/**
 * @param {Result} result
 * @param {Env} env
 * @returns {import('../chart/types.js').Drawing}
 */
function draw(result, env) {
  const plane = readPlane(result);
  const extent = env.taken && env.before ? readPlane(env.before).extent : plane.extent;
  const line = headline(plane);
  const figures = [planeOf(plane, extent, env), bars(plane, env), fields(plane, extent, env), terms(plane, env)];
  return { headline: line, figures, readout: readout(plane), note: note(plane), summary: `${plain(line)} ${figures.map(({ summary }) => summary).join(' ')}` };
}

/** @param {Rich} rich */
const plain = (rich) => rich.map((part) => (typeof part === 'string' ? part : Object.values(part)[0])).join('');

/** @param {Env} env @param {string} figure */
const hovered = (env, figure) => (env.hover?.figure === figure ? env.hover.mark : null);

/** @param {Env} env */
function widths({ width }) {
  const narrow = width < NARROW;
  if (width < TWO_COLUMNS) return { narrow, full: width, plane: Math.min(width, 520), bars: width, terms: width };
  const left = Math.round((width - 48) * 0.46);
  return { narrow, full: width, plane: left, bars: width - 48 - left, terms: width - 48 - Math.round((width - 48) * 0.36) };
}

/** @param {Plane} plane @param {number} extent @param {Env} env @returns {Figure} */
function planeOf(plane, extent, env) {
  const { narrow, plane: width } = widths(env);
  const drawn = planeFigure({ plane, extent, width, narrow, hover: hovered(env, 'plane'), taken: env.taken ?? null });
  const moved = plane.move !== 'none';
  return {
    id: 'plane', number: 1, width, height: drawn.height, node: drawn.node, marks: drawn.marks, handles: drawn.handles,
    caption: ['A query ', { i: 'q' }, ' and its keys.',
      ...(moved ? [' The traces lead from before the move.'] : []), ...(plane.equal ? [' Dotted: the one norm of all keys.'] : []), { act: ' Drag any of the points; choose a key to see where it wins.' }],
    summary: pointsInWords(plane),
    table: { caption: ['Where the points are'], columns: [['point'], ['before the move'], ['now'], ['norm']], rows: placeRows(plane) },
  };
}

/** @param {Plane} plane @param {Env} env @returns {Figure} */
function bars(plane, env) {
  const { narrow, bars: width } = widths(env);
  const square = widths(env).plane - 48;
  const drawn = barsFigure({ plane, width, height: narrow ? 200 : width < env.width ? Math.min(380, square - 2) : 280, narrow, hover: hovered(env, 'weights') });
  const names = RULES.map((_, rule) => ruleName(plane, rule));
  const moved = plane.move !== 'none';
  return {
    id: 'weights', number: 2, width, height: drawn.height, node: drawn.node, marks: drawn.marks,
    caption: ['The weights key by key: ', names[0], ', ', { red: 'dot product' }, ', ', { blue: 'scaled' }, '.', ...(moved && plane.stays.includes(false) ? [' A stroke marks a weight before the move.'] : [])],
    summary: `Weights of ${plane.keys.length} keys. ${names.map((name, rule) => `${name}: ${list(plane.weights[rule].map((each) => weight(each, 3)))}`).join('; ')}.`,
    table: {
      caption: ['Scores and weights'],
      columns: [['key'], ...names.flatMap((name) => [[`score, ${name}`], [`weight, ${name}`], ...(moved ? [['before the move']] : [])])],
      rows: plane.keys.map((_, k) => [String(k + 1), ...RULES.flatMap((__, rule) => [fixed(plane.scores[rule][k], 3), precise(plane.weights[rule][k]), ...(moved ? [precise(plane.weightsBefore[rule][k])] : [])])]),
    },
  };
}

/** @param {Plane} plane @param {number} extent @param {Env} env @returns {Figure} */
function fields(plane, extent, env) {
  const { narrow, full: width } = widths(env);
  const drawn = fieldsFigure({ plane, extent, width, narrow, uid: env.uid, hover: hovered(env, 'fields'), taken: env.taken ?? null });
  const said = RULES.map((_, rule) => `${ruleName(plane, rule)}: ${weight(plane.weights[rule][plane.chosen], 3)} at the query${plane.move === 'none' ? '' : plane.stays[rule] ? '; the weights stay' : `; the weights move, by up to ${weight(plane.movedBy[rule], 3)}`}`);
  return {
    id: 'fields', number: 3, width, height: drawn.height, node: drawn.node, marks: drawn.marks, handles: drawn.handles,
    caption: ['How much key ', `${plane.chosen + 1}`, ' would weigh with the query at each place: a line at every tenth, the heavy one at a half.'],
    summary: `The weight of key ${plane.chosen + 1} wherever the query could stand, under three rules. ${said.join('. ')}.`,
    table: {
      caption: [`The weight of key ${plane.chosen + 1} along the line through the origin to the right, y nearly 0`],
      columns: [['x'], ...RULES.map((_, rule) => [ruleName(plane, rule)])],
      rows: Array.from({ length: 12 }, (_, i) => i * 8 + 4).map((column) => [fixed(plane.extent * ((2 * column + 1) / plane.side - 1), 2), ...plane.fields.map((field) => precise(field[(plane.side / 2) * plane.side + column]))]),
    },
  };
}

/** @param {Plane} plane @param {Env} env @returns {Figure} */
function terms(plane, env) {
  const { narrow, terms: width } = widths(env);
  const drawn = termsFigure({ plane, width, narrow, hover: hovered(env, 'terms') });
  return {
    id: 'terms', number: 4, width, height: drawn.height, node: drawn.node, marks: drawn.marks,
    caption: ['The dot product as four terms, on one scale. What is the same for every key leaves no trace in the weights.'],
    summary: `${termNames.map((name, row) => `${name}: ${list(plane.terms[row].map((each) => fixed(each, 2)))}`).join('. ')}.`,
    table: { caption: ['The terms, key by key'], columns: [['key'], ...termNames.map((name) => [name])], rows: termRows(plane) },
  };
}

/**
 * The field of a key among others, with its points: an island, as a kernel has it.
 * @param {Result} result
 * @param {Env} env
 */
function emblem(result, env) {
  const plane = readPlane(result);
  const height = 226;
  const frame = { left: Math.max(0, (env.width - height) / 2), top: 0, size: Math.min(env.width, height), extent: plane.extent };
  const places = plane.keys.map((key) => toPx(frame, key));
  const query = toPx(frame, plane.query);
  return picture({ width: env.width, height, narrow: true }, [],
    contourBands({ values: plane.fields[0], columns: plane.side, rows: plane.side, x: frame.left, y: 0, width: frame.size, height: frame.size, strong: 0.5 }),
    h('path', { class: 'field-frame', d: `M${Math.round(frame.left) + 0.5} 0.5h${Math.round(frame.size) - 1}v${Math.round(frame.size) - 1}h${1 - Math.round(frame.size)}z` }),
    h('path', { class: 'field-keys', d: places.map(({ x, y }) => `M${x.toFixed(1)} ${y.toFixed(1)}h0`).join('') }),
    h('circle', { class: 'handle', cx: query.x, cy: query.y, r: 6 }));
}
