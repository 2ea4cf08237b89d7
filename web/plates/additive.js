/**
 * Plate VIII, "Additive scoring": the weights of a small network that scores queries against keys of another width, its hidden units as
 * curves, how its sight of the query falls with the size of the projections, and what its score costs beside other rules.
 *
 * Nothing is computed here: every weight, curve, slope and count is the core's. a(q, k) = w_v . tanh(W_q q + W_k k).
 */

import { count, fixed, list, plural, precise, shortest, weight } from '../chart/format.js';
import { NARROW } from '../chart/picture.js';
import { COUNTED, costLines, costsFigure, TITLES } from './parts/hidden-costs.js';
import { fallFigure } from './parts/hidden-fall.js';
import { parametersFigure, varianceFigure } from './parts/hidden-ranks.js';
import { readCosts, readFall, readPairs, readRanks } from './parts/hidden-read.js';
import { signed, unitsFigure } from './parts/hidden-units.js';
import { weightsFigure } from './parts/hidden-weights.js';

/** @typedef {import('../chart/types.js').Result} Result */
/** @typedef {import('../chart/types.js').Env} Env */
/** @typedef {import('../chart/types.js').Figure} Figure */
/** @typedef {import('../chart/types.js').Table} Table */
/** @typedef {import('./parts/hidden-read.js').Pairs} Pairs */
/** @typedef {import('./parts/hidden-read.js').Fall} Fall */

/** From this width on, narrower figures stand side by side. The style sheet has the same number. */
export const TWO_COLUMNS = 820;

/** @type {import('../chart/types.js').Plate} */
const plate = {
  study: 'additive',
  numeral: 'VIII',
  controls: [['generator', 'seed', 'activation', 'epsilon'], ['query', 'key'], ['queries', 'keys'], ['d_q', 'd_k', 'hidden'], ['n', 'm', 'd', 'rank']],
  folded: { from: 2, name: 'sizes and widths' },
  rowNames: ['', '', 'drawn in figures 1 to 3', 'widths, throughout', 'counted in figures 4 to 6'],
  draw,
  emblem: { params: { generator: 'torch' }, draw: (result, env) => units(readPairs(result), { ...env, width: env.width }).node },
};

export default plate;

/**
 * @param {Result} result
 * @param {Env} env
 * @returns {import('../chart/types.js').Drawing}
 */
function draw(result, env) {
  const pairs = readPairs(result);
  const fall = readFall(result);
  const figures = [weights(pairs, env), units(pairs, env), falls(pairs, fall, env), costs(result, env), parameters(result, env), variance(result, env)];
  return { figures, readout: readout(pairs, fall), note: null, summary: figures.slice(0, 3).map(({ summary }) => summary).join(' ') };
}

/** @param {Env} env @param {string} figure */
const hovered = (env, figure) => (env.hover?.figure === figure ? env.hover.mark : null);

/** @param {Env} env */
function widths({ width }) {
  if (width < TWO_COLUMNS) return { left: width, right: width, half: width };
  const right = Math.round((width - 48) * 0.34);
  return { left: width - 48 - right, right, half: Math.floor((width - 48) / 2) };
}

/** @param {Env} env @param {string} figure */
const common = (env, figure) => ({ narrow: env.width < NARROW, widen: env.widen ?? 1, uid: env.uid, hover: hovered(env, figure) });

/**
 * @param {Pairs} pairs
 * @param {Env} env
 * @returns {Figure}
 */
function weights(pairs, env) {
  const width = widths(env).left;
  const drawn = weightsFigure({ pairs, width, ...common(env, 'weights') });
  const rows = Array.from({ length: pairs.queries }, (_, q) => Array.from({ length: pairs.keys }, (__, k) => k));
  const largest = rows.map((keys, q) => keys.reduce((best, k) => (pairs.weight(q, k) > pairs.weight(q, best) ? k : best), 0));
  return {
    id: 'weights', number: 1, width, height: drawn.height, node: drawn.node, marks: drawn.marks,
    caption: [{ blue: 'Weights' }, ` of ${plural(pairs.queries, 'query', 'queries')} over ${plural(pairs.keys, 'key', 'keys')}${pairs.asPrinted && drawn.whole ? `, as ${pairs.torch ? 'PyTorch' : 'JAX'} prints them` : ''}; a row sums to one.`, { act: ' Choose a pair.' }],
    summary: `Additive weights of ${plural(pairs.queries, 'query', 'queries')} over ${plural(pairs.keys, 'key', 'keys')} at ε = ${shortest(pairs.epsilon)}, with ${pairs.tanh ? 'tanh' : 'the identity in place of tanh'}. The largest weight of ${list(largest.map((k, q) => `query ${q + 1} is ${weight(pairs.weight(q, k), 4)} on key ${k + 1}`))}. Two rows differ by at most ${precise(pairs.difference)}.`,
    table: {
      caption: ['Scores and weights'],
      columns: [['row'], ...rows[0].map((k) => [`key ${k + 1}`])],
      rows: rows.flatMap((keys, q) => [
        [`query ${q + 1}: scores`, ...keys.map((k) => precise(pairs.score(q, k)))],
        [`query ${q + 1}: weights`, ...keys.map((k) => pairs.print(q, k))],
      ]),
    },
  };
}

/**
 * @param {Pairs} pairs
 * @param {Env} env
 * @returns {Figure}
 */
function units(pairs, env) {
  const { width } = env;
  const { query, key } = pairs;
  const drawn = unitsFigure({ pairs, width, ...common(env, 'units') });
  const all = Array.from({ length: pairs.hidden }, (_, u) => u);
  const score = fixed(pairs.score(query, key), 3);
  return {
    id: 'units', number: 2, width, height: drawn.height, node: drawn.node, marks: drawn.marks,
    caption: ['What each hidden unit gives to the score, against the key’s part of its sum: a curve a query, in full ink that of ', { i: `query ${query + 1}` }, ', with the keys standing on it. At ', { i: `key ${key + 1}` }, `, ringed larger, the ${pairs.hidden === 1 ? 'unit gives' : 'units give together'} the score, `, { blue: score }, '.'],
    summary: `${plural(pairs.hidden, 'hidden unit', 'hidden units')} for query ${query + 1} and key ${key + 1}: ${list(all.map((u) => `unit ${u + 1} gives ${signed(pairs.gives(query, key, u), 3)}`))}. Together they are the score, ${score}. ${pairs.tanh ? 'Another query slides each curve sideways.' : 'Another query raises or lowers each line.'}`,
    table: {
      caption: [`Query ${query + 1}: what each unit gives to the score of each key`],
      columns: [['unit'], ['query’s part'], [`key ${key + 1}’s part`], ...Array.from({ length: pairs.keys }, (_, k) => [`gives for key ${k + 1}`])],
      rows: all.map((u) => [String(u + 1), precise(pairs.shift(query, u)), precise(pairs.stands(key, u)), ...Array.from({ length: pairs.keys }, (_, k) => precise(pairs.gives(query, k, u)))]),
    },
  };
}

/**
 * @param {Pairs} pairs
 * @param {Fall} fall
 * @param {Env} env
 * @returns {Figure}
 */
function falls(pairs, fall, env) {
  const { width } = env;
  const drawn = fallFigure({ fall, epsilon: pairs.epsilon, tanh: pairs.tanh, here: pairs.difference, width, ...common(env, 'falls') });
  const [from, to] = fall.fitted.map(shortest);
  const slope = Number.isFinite(fall.slope) ? `The slope fitted from ε = ${from} to ${to} is ${fixed(fall.slope, 2)}; the expansion predicts ${shortest(fall.predictedSlope)}.` : 'No two rows differ, so no slope can be fitted.';
  return {
    id: 'falls', number: 3, width, height: drawn.height, node: drawn.node, marks: drawn.marks,
    caption: ['The largest difference between two rows of weights against the factor ', { i: 'ε' }, ' on both projections. Dotted: what the first terms that see the query predict.', { act: ' Drag the rule.' }],
    summary: `Largest difference between the rows of two queries against ε, with tanh: ${list(fall.asked.map(({ eps, difference }) => `${precise(difference)} at ε = ${shortest(eps)}`))}. ${slope} With the identity it is ${precise(fall.identity)} at the chosen ε.`,
    table: {
      caption: ['Largest difference between two rows, with tanh'],
      columns: [['ε'], ['difference'], ['predicted']],
      rows: fall.eps.map((eps, i) => [shortest(eps), precise(fall.difference[i]), precise(fall.predicted[i])]),
    },
    drag: { param: 'epsilon', label: 'factor ε', toValue: drawn.toValue },
  };
}

/**
 * @param {Result} result
 * @param {Env} env
 * @returns {Figure}
 */
function costs(result, env) {
  const { width } = env;
  const read = readCosts(result);
  const lines = costLines(read);
  const drawn = costsFigure({ costs: read, width, ...common(env, 'costs') });
  const [n, m] = ['n', 'm'].map((key) => Number(result.params[key]));
  return {
    id: 'costs', number: 4, width, height: drawn.height, node: drawn.node, marks: drawn.marks,
    caption: [`What it takes to score ${plural(n, 'query', 'queries')} against ${plural(m, 'key', 'keys')} by each rule, on a measure of powers of ten. The bilinear rule can be multiplied out in two orders.`],
    summary: `Scoring ${plural(n, 'query', 'queries')} against ${plural(m, 'key', 'keys')}. ${lines.map(({ name, counts }) => `${name}: ${COUNTED.filter((counted) => counts[counted] !== undefined).map((counted) => `${TITLES[counted]} ${count(counts[counted] ?? 0)}`).join(', ')}`).join('; ')}.`,
    table: {
      caption: ['Counts, with their formulas'],
      columns: [['rule'], ...COUNTED.flatMap((counted) => [[TITLES[counted]], ['by']])],
      rows: [
        ...read.rules.map((rule, i) => [rule, count(read.parameters[i]), read.formulas[i][0], count(read.operations[i]), read.formulas[i][1], count(read.intermediate[i]), read.formulas[i][2]]),
        ...read.orders.map((order, o) => [`bilinear, ${order}`, '', '', count(read.orderOperations[o]), o === read.cheaper ? 'the cheaper order' : 'the dearer order', '', '']),
      ],
    },
  };
}

/**
 * @param {Result} result
 * @param {Env} env
 * @returns {Figure}
 */
function parameters(result, env) {
  const width = widths(env).half;
  const ranks = readRanks(result);
  const drawn = parametersFigure({ ranks, width, ...common(env, 'parameters') });
  return {
    id: 'parameters', number: 5, width, height: drawn.height, node: drawn.node, marks: drawn.marks,
    caption: ['Parameters of ', { i: 'M' }, ' as two factors, against their rank; dotted, as one matrix. They are as many at ', { i: 'r' }, ` = ${fixed(ranks.even, 2)}.`],
    summary: `Parameters of a bilinear rule. One matrix has ${count(ranks.full)}; its factors of rank ${ranks.rank} have ${count(ranks.at)}. Both have as many at r = ${fixed(ranks.even, 2)}.`,
    table: {
      caption: ['Parameters against the rank'],
      columns: [[{ i: 'r' }], ['two factors'], ['one matrix']],
      rows: ranks.ranks.map((r, i) => [String(r), count(ranks.parameters[i]), count(ranks.full)]),
    },
    drag: { param: 'rank', label: 'rank r', toValue: drawn.toValue },
  };
}

/**
 * @param {Result} result
 * @param {Env} env
 * @returns {Figure}
 */
function variance(result, env) {
  const width = widths(env).half;
  const ranks = readRanks(result);
  const drawn = varianceFigure({ ranks, width, ...common(env, 'variance') });
  const said = (/** @type {import('./parts/hidden-read.js').Spread} */ spread) => `${fixed(spread.variance, 2)} ± ${fixed(spread.error, 2)}`;
  return {
    id: 'variance', number: 6, width, height: drawn.height, node: drawn.node, marks: drawn.marks,
    caption: ['Variance of the factored score over ', plural(ranks.draws, 'draw', 'draws'), ', ', { red: 'as it is' }, ' and ', { blue: 'times 1/√r' }, `, here ${fixed(ranks.factor, 3)}; hatched, two standard errors.`],
    summary: `Variance of the factored score over ${count(ranks.draws)} draws against the rank. At r = ${ranks.rank} it is ${said(ranks.plainAt)} as it is, and ${said(ranks.dividedAt)} times 1/√r, which is ${fixed(ranks.factor, 3)}.`,
    table: {
      caption: ['Variance of the factored score against the rank'],
      columns: [[{ i: 'r' }], ['as it is'], ['standard error'], ['times 1/√r'], ['standard error']],
      rows: ranks.measured.map((r, i) => [String(r), ...[ranks.plain[i], ranks.divided[i]].flatMap(({ variance: v, error }) => [fixed(v, 3), fixed(error, 3)])]),
    },
    drag: { param: 'rank', label: 'rank r', toValue: drawn.toValue },
  };
}

/**
 * @param {Pairs} pairs
 * @param {Fall} fall
 * @returns {Table}
 */
function readout(pairs, fall) {
  const { query, key } = pairs;
  return {
    caption: ['The two rows that differ most, with the activation chosen and with the identity.'],
    columns: [[`query ${query + 1} and key ${key + 1}`], [`ε = ${shortest(pairs.epsilon)}`]],
    rows: [
      ['score', fixed(pairs.score(query, key), 4)],
      ['weight', weight(pairs.weight(query, key), 4)],
      ['rows differ by at most', precise(pairs.difference)],
      ['with the identity', precise(fall.identity)],
    ],
  };
}
