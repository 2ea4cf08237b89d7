/**
 * Plate VII, "Batched attention": a sequence on its way from queries, keys and values to the output, with every shape; the weights of the whole
 * batch; two shapes and their product; and what dropout does to the sum of a row, over many draws.
 *
 * Nothing is computed here: every matrix, sum and message is the core's. output = dropout(masked_softmax(Q K^T / sqrt(d))) V.
 */

import { count, fixed, list, plural, precise, weight } from '../chart/format.js';
import { emptyRow, heatmap, printSize } from '../chart/heatmap.js';
import { hatch } from '../chart/hatch.js';
import { h } from '../chart/node.js';
import { NARROW, picture } from '../chart/picture.js';
import { textWidth } from '../chart/text.js';
import { flowEmblem, flowFigure } from './parts/flow-figure.js';
import { isOpen, ownText, readFlow, readShapes, readSums, shapeText, STAGES } from './parts/flow-model.js';
import { shapesFigure } from './parts/flow-shapes.js';
import { sumsFigure } from './parts/flow-sums.js';
import { headline, note } from './parts/flow-words.js';

/** @typedef {import('../chart/types.js').Result} Result */
/** @typedef {import('../chart/types.js').Env} Env */
/** @typedef {import('../chart/types.js').Figure} Figure */
/** @typedef {import('../chart/types.js').Mark} Mark */
/** @typedef {import('../chart/types.js').Rich} Rich */
/** @typedef {import('../chart/heatmap.js').Cell} Cell */
/** @typedef {import('./parts/flow-model.js').Flow} Flow */

/** From this width on, figures 2 and 3 stand side by side. The style sheet has the same number. */
export const TWO_COLUMNS = 820;

/** @type {import('../chart/types.js').Plate} */
const plate = {
  study: 'batched',
  numeral: 'VII',
  controls: [
    ['lens', 'dropout', 'training', 'identity'], ['sequence', 'row', 'draws', 'dropout_seed'], ['batch', 'queries', 'keys', 'd', 'width'], ['seed', 'generator'],
    ['query_entries', 'key_entries', 'value_entries'], ['left', 'right'],
  ],
  folded: { from: 2, name: 'sizes, seed, entries and factors' },
  drawn: { query_entries: { series: 'queries' }, key_entries: { series: 'keys' }, value_entries: { series: 'values' } },
  draw,
  emblem: { params: { sequence: 2, dropout: 0.5 }, draw: emblem },
};

export default plate;

/**
 * @param {Result} result
 * @param {Env} env
 * @returns {import('../chart/types.js').Drawing}
 */
function draw(result, env) {
  const flow = readFlow(result);
  const line = headline(flow);
  const told = note(flow);
  const summary = `${plain(line)}. ${told ? `${told.title} ${plain(told.text)}` : ''}`.trim();
  const sums = dropout(result, flow, env);
  return { headline: line, figures: [layer(flow, summary, env), weights(flow, env), shapes(result, env), ...(sums ? [sums] : [])], note: told, summary };
}

/** @param {Rich} rich */
const plain = (rich) => rich.map((part) => (typeof part === 'string' ? part : Object.values(part)[0])).join('');

/** @param {Env} env @param {string} figure */
const hovered = (env, figure) => (env.hover?.figure === figure ? env.hover.mark : null);

/**
 * @param {Flow} flow
 * @param {string} summary
 * @param {Env} env
 * @returns {Figure}
 */
function layer(flow, summary, { width, uid, widen = 1, hover }) {
  const drawn = flowFigure({ flow, width, narrow: width < NARROW, widen, uid, hover: hover?.figure === 'flow' ? hover.mark : null });
  return {
    id: 'flow', number: 1, width, height: drawn.height, node: drawn.node, marks: drawn.marks,
    caption: ['From queries and keys to the output; a key is a column. Hatched: the mask excludes it; crossed out: dropped. Weights in ', { blue: 'blue' }, '; hatched in ', { red: 'red' }, ', with a corner filled: not a finite number.', { act: ' Choose an entry of queries, keys or values to make it NaN, and again to have the drawn ones back; choose a cell of the mask to end the valid length there.' }],
    summary: `The stages of scaled dot-product attention with their shapes: ${STAGES.filter((stage) => stage !== 'allowed').map((stage) => `${STAGE_WORDS[stage]} ${shapeText(flow.stages[stage].shape)}`).join(', ')}. ${summary}`,
    get table() { return flowTable(flow); },
  };
}

const STAGE_WORDS = { queries: 'queries', keys: 'keys', products: 'products', scaled: 'scaled scores', allowed: 'mask', weights: 'weights', pooled: 'weights after dropout', values: 'values', output: 'output' };

/**
 * Every matrix of the sequence on show, a row a row.
 * @param {Flow} flow
 * @returns {import('../chart/types.js').Table}
 */
function flowTable(flow) {
  const { sequence: b, stages } = flow;
  const widest = Math.max(1, ...STAGES.map((stage) => stages[stage].shape[2]));
  const rows = b < 0 ? [] : STAGES.flatMap((stage) => {
    const { shape: [, count_, columns], at } = stages[stage];
    return Array.from({ length: count_ }, (_, i) => [`${STAGE_WORDS[stage]}, ${stage === 'keys' || stage === 'values' ? 'key' : 'query'} ${i + 1}`,
      ...Array.from({ length: widest }, (__, j) => (j >= columns ? '' : stage === 'allowed' ? (at(b, i, j) === 1 ? 'allowed' : 'excluded') : `${precise(at(b, i, j))}${stage === 'pooled' && flow.drops && isOpen(flow, b, i, j) && !flow.kept(b, i, j) ? ' (dropped)' : ''}`))]);
  });
  return { caption: [b < 0 ? 'An empty batch has no row' : `Every matrix of sequence ${b + 1}`], columns: [['row'], ...Array.from({ length: widest }, (_, j) => [String(j + 1)])], rows };
}

/**
 * The weights of the whole batch, before dropout: what is stored to be looked at.
 * @param {Flow} flow
 * @param {Env} env
 * @returns {Figure}
 */
function weights(flow, env) {
  const { batch, queries, keys, stages } = flow;
  const full = env.width < TWO_COLUMNS;
  const width = full ? env.width : Math.round((env.width - 48) * 0.56);
  const narrow = env.width < NARROW;
  const rows = batch * queries;
  const where = (/** @type {number} */ r) => ({ b: Math.floor(r / queries), i: r % queries });
  const name = (/** @type {number} */ r) => (queries === 1 ? `sequence ${r + 1}` : `${where(r).b + 1} · ${where(r).i + 1}`);
  const left = Math.ceil((textWidth(queries === 1 ? 'sequence 1' : 'sequence · query', 13.5, queries !== 1) + (batch > 1 ? 15 : 0)) * (env.widen ?? 1)) + 9;
  const size = Math.max(9, Math.min(46, Math.floor((width - left - 48) / Math.max(1, keys)), Math.floor(380 / Math.max(1, rows))));
  const top = 46;
  const id = `${env.uid}-stored-excluded`;
  const at = (/** @type {number} */ r, /** @type {number} */ k) => stages.weights.at(where(r).b, where(r).i, k);
  const pointed = hovered(env, 'stored');
  const digits = Array.from({ length: rows * keys }, (_, n) => at(Math.floor(n / keys), n % keys)).every((w) => textWidth(weight(w, 3), printSize(size)) * (env.widen ?? 1) <= size - 8) ? 3 : 2;
  /** @type {Cell[][]} */
  const cells = Array.from({ length: rows }, (_, r) => Array.from({ length: keys }, (__, k) => {
    const { b, i } = where(r);
    const cell = isOpen(flow, b, i, k) ? { ink: at(r, k), print: weight(at(r, k), digits), differs: Number.isNaN(at(r, k)) } : { excluded: true, print: weight(at(r, k), digits) };
    return { ...cell, hover: pointed === `weight-${r + 1}-${k + 1}` };
  }));
  const nothing = rows === 0 || keys === 0;
  const height = nothing ? 76 : top + rows * size + 10;
  const chosen = flow.sequence * queries;
  const node = picture({ width, height, narrow }, nothing ? [] : [hatch(id, 'excluded', { spacing: 4 })],
    h('text', { class: 'map-title', x: left, y: 18 }, 'weights, before dropout'),
    nothing ? h('text', { class: 'step-about', x: left, y: 50 }, `no entries: ${shapeText(stages.weights.shape)}`) : [
      queries !== 1 && h('text', { class: 'name', x: left - 7, y: top - 6, 'text-anchor': 'end', 'font-size': 13 }, 'sequence · query'),
      heatmap({ cells, x: left, y: top, size, hatch: id, rowNumbers: false }),
      Array.from({ length: rows }, (_, r) => (size >= 13 || r % 2 === 0) && h('text', { class: where(r).b === flow.sequence ? 'format-name chosen' : 'format-name', x: left - 8, y: top + (r + 0.5) * size, dy: '0.33em', 'text-anchor': 'end', 'font-size': 13.5 }, name(r))),
      batch > 1 && h('circle', { class: 'handle', cx: left - 19 - Math.max(...Array.from({ length: rows }, (_, r) => textWidth(name(r), 13.5))) * (env.widen ?? 1), cy: top + (chosen + queries / 2) * size, r: 4.2 }),
      Array.from({ length: rows }, (_, r) => flow.empty(where(r).b, where(r).i) && size >= 13 && emptyRow(left + keys * size + 8, top + (r + 0.5) * size)),
    ]);
  /** @type {Mark[]} */
  const marks = nothing ? [] : cells.flatMap((row, r) => row.map((_, k) => {
    const { b, i } = where(r);
    return {
      id: `weight-${r + 1}-${k + 1}`, x: left + k * size, y: top + r * size, w: size, h: size, cx: left + (k + 0.5) * size, cy: top + r * size,
      text: `sequence ${b + 1}, query ${i + 1}, key ${k + 1}: weight ${precise(at(r, k))}${isOpen(flow, b, i, k) ? '' : ', masked'}`,
      ...(b === flow.sequence ? {} : { edit: { param: 'sequence', value: b + 1, label: `follow sequence ${b + 1}` } }),
    };
  }));
  return {
    id: 'stored', number: 2, width, height, node, marks,
    caption: ['The weights that the layer keeps to be looked at, for ', batch === 0 ? 'an empty batch' : plural(batch, 'sequence', 'sequences'), ': after the mask and before dropout. A masked key has exactly zero.', ...(batch > 1 ? [' The ring marks the sequence followed above; choose another.'] : [])],
    summary: nothing ? `The weights have shape ${shapeText(stages.weights.shape)} and no entry.` : `Weights of ${plural(batch, 'sequence', 'sequences')} over ${plural(keys, 'key', 'keys')}. ${list(Array.from({ length: Math.min(rows, 8) }, (_, r) => `${queries === 1 ? `sequence ${r + 1}` : `sequence ${where(r).b + 1}, query ${where(r).i + 1},`} ${flow.empty(where(r).b, where(r).i) ? 'keeps no key' : `reaches ${weight(Math.max(...Array.from({ length: keys }, (__, k) => at(r, k))), 3)}`}`))}.`,
    table: {
      caption: ['Weights before dropout'],
      columns: [['row'], ...Array.from({ length: keys }, (_, k) => [`key ${k + 1}`])],
      rows: Array.from({ length: rows }, (_, r) => [`sequence ${where(r).b + 1}, query ${where(r).i + 1}`, ...Array.from({ length: keys }, (__, k) => `${precise(at(r, k))}${isOpen(flow, where(r).b, where(r).i, k) ? '' : ' (masked)'}`)]),
    },
  };
}

/**
 * @param {Result} result
 * @param {Env} env
 * @returns {Figure}
 */
function shapes(result, env) {
  const full = env.width < TWO_COLUMNS;
  const width = full ? env.width : env.width - 48 - Math.round((env.width - 48) * 0.56);
  const model = readShapes(result);
  const drawn = shapesFigure({ shapes: model, width, narrow: env.width < NARROW, widen: env.widen ?? 1, hover: hovered(env, 'shapes') });
  const [left, right] = [shapeText(model.left), shapeText(model.right)];
  return {
    id: 'shapes', number: 3, width, height: drawn.height, node: drawn.node, marks: drawn.marks,
    caption: model.fits
      ? ['Batched product of ', left, ' and ', right, ': one matrix product an example. Tied, the sizes that must agree.']
      : ['Batched product of ', left, ' and ', right, ': there is none. The tie with a ', { red: 'square' }, ' joins sizes that differ.'],
    summary: model.fits ? `${left} times ${right} gives ${shapeText(model.product)}: there are as many examples, and the columns of the first are as many as the rows of the second.` : `${left} times ${right} has no product. ${model.said}`,
    table: {
      caption: ['Shapes'], columns: [['array'], ['examples'], ['rows'], ['columns']],
      rows: [['first', ...model.left.map(String)], ['second', ...model.right.map(String)], ['product', ...(model.fits ? model.product.map(String) : ['none', 'none', 'none'])]],
    },
  };
}

/**
 * @param {Result} result
 * @param {Flow} flow
 * @param {Env} env
 * @returns {Figure | null}
 */
function dropout(result, flow, env) {
  const sums = readSums(result, flow);
  if (!sums) return null;
  const { width, widen = 1 } = env;
  const drawn = sumsFigure({ flow, sums, width, narrow: width < NARROW, widen, hover: hovered(env, 'sums') });
  const row = flow.queries === 1 ? `sequence ${flow.sequence + 1}` : `query ${flow.query + 1} of sequence ${flow.sequence + 1}`;
  const at = flow.drops ? `p = ${ownText(flow.rate)}` : flow.training ? 'p = 0' : 'evaluation, where nothing is dropped';
  return {
    id: 'sums', number: 4, width, height: drawn.height, node: drawn.node, marks: drawn.marks,
    caption: ['The sum of the weights of ', row, ' after dropout, in ', plural(sums.draws, 'draw', 'draws'), ` (${at}); the ring is their mean, with two standard errors${sums.exact.length > 0 && flow.drops ? '; dotted, the counts to expect' : ''}.`, ...(sums.oneHot.length > 0 && flow.drops ? [' Beside it the same draws, had one key all the weight: ', { red: 'nothing' }, ' or ', { blue: 'all' }, '.'] : [])],
    summary: `Row sums of ${row} after dropout over ${count(sums.draws)} draws, ${at}: mean ${fixed(sums.mean, 3)} ± ${fixed(sums.meanError, 3)}, where ${flow.empty(flow.sequence, flow.query) ? 0 : 1} is expected; variance ${fixed(sums.variance, 3)} ± ${fixed(sums.varianceError, 3)}, where ${fixed(sums.predicted, 3)} is predicted.${sums.oneHot.length > 0 ? ` With all the weight on one key everything is lost in a share of ${weight(sums.zeroShare, 3)}.` : ''}`,
    table: {
      caption: ['Row sums after dropout'],
      columns: [['from'], ['to'], ['draws'], ['expected'], ['draws, one key']],
      rows: sums.counts.map((each, i) => [fixed(sums.edges[i], 3), fixed(sums.edges[i + 1], 3), count(each), sums.exact.length > 0 ? fixed(sums.exact[i], 1) : '', sums.oneHot.length > 0 ? count(sums.oneHot[i]) : '']),
    },
  };
}

/**
 * @param {Result} result
 * @param {Env} env
 */
function emblem(result, { width, uid }) {
  return flowEmblem(readFlow(result), width, uid);
}
