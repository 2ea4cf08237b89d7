/**
 * The words of "Batched attention": names of the stages with their shapes, what a cell says and what choosing it sets, the headline, and the
 * note on what is not an ordinary number or not there at all.
 *
 * Nothing is decided here: what is open, kept, empty or not finite is the core's to say.
 */

import { list, plural, precise, words } from '../../chart/format.js';
import { isOpen, isRead, isSeen, notFinite, notFiniteIn, openKeys, ownText, shapeText } from './flow-model.js';
import { emptyNote, withLength } from './mask-words.js';

/** @typedef {import('../../chart/types.js').Mark} Mark */
/** @typedef {import('../../chart/types.js').Note} Note */
/** @typedef {import('../../chart/types.js').Rich} Rich */
/** @typedef {import('./flow-model.js').Flow} Flow */
/** @typedef {import('./flow-model.js').Stage} Stage */

/**
 * @param {Flow} flow
 * @param {Stage} stage
 * @returns {{name: string, about: string}}
 */
export function blockName(flow, stage) {
  const shape = shapeText(flow.stages[stage].shape);
  switch (stage) {
    case 'queries': return { name: 'queries', about: shape };
    case 'keys': return { name: 'keys', about: `${shape}, transposed` };
    case 'products': return { name: 'queries · keys', about: shape };
    case 'scaled': return flow.d === 0 ? { name: 'scores', about: `${shape}, all 0` } : { name: `divided by √${flow.d}`, about: shape };
    case 'allowed': return { name: 'mask', about: maskText(flow) };
    case 'weights': return { name: 'softmax', about: shape };
    case 'pooled': return flow.drops ? { name: `dropout, p = ${ownText(flow.rate)}`, about: shape } : { name: 'no dropout', about: flow.training ? 'p = 0' : 'evaluation' };
    case 'values': return { name: 'values', about: `${shape}, transposed` };
    case 'output': return { name: 'output', about: shape };
  }
}

/** @param {Flow} flow */
function maskText(flow) {
  const { sequence: b, given, queries } = flow;
  if (given === 'none' || b < 0 || queries === 0) return 'none';
  const lengths = Array.from({ length: queries }, (_, i) => openKeys(flow, b, i));
  return lengths.every((length) => length === lengths[0]) ? `valid length ${lengths[0]}` : 'a length for each query';
}

/** Why a matrix has no entry. @param {Flow} flow @param {Stage} stage */
export function nothingThere({ queries, keys, d, width }, stage) {
  const along = { queries: [queries, d], keys: [d, keys], values: [width, keys], output: [queries, width] };
  const [rows, columns] = stage in along ? along[/** @type {keyof typeof along} */ (stage)] : [queries, keys];
  if (keys === 0 && stage !== 'queries' && stage !== 'output') return 'no keys';
  if (queries === 0 && stage !== 'keys' && stage !== 'values') return 'no queries';
  return rows === 0 || columns === 0 ? (stage === 'values' || stage === 'output' ? 'no columns' : 'no coordinates') : '';
}

/**
 * What a cell says, and what choosing it sets: a length at the mask, NaN or the draw's own number at the inputs.
 * @param {Flow} flow
 * @param {Stage} stage
 * @param {boolean} narrow  the output is not transposed
 * @param {number} i  row as drawn
 * @param {number} j
 * @returns {{text: string, edit?: Mark['edit']}}
 */
export function markOf(flow, stage, narrow, i, j) {
  const { sequence: b, stages, queries } = flow;
  const open = () => isOpen(flow, b, i, j);
  const head = `query ${i + 1}, key ${j + 1}`;
  const closed = () => (open() ? '' : `, beyond valid length ${openKeys(flow, b, i)}`);
  const at = (/** @type {number} */ row, /** @type {number} */ column) => precise(stages[stage].at(b, row, column));
  switch (stage) {
    case 'queries': return { text: `query ${i + 1}, coordinate ${j + 1}: ${at(i, j)}`, edit: spoil(flow, stage, i, j) };
    case 'keys': return { text: `key ${j + 1}, coordinate ${i + 1}: ${at(j, i)}${hidden(flow, j)}`, edit: spoil(flow, stage, j, i) };
    case 'products': return { text: `${head}: product ${at(i, j)}` };
    case 'scaled': return { text: `${head}: score ${at(i, j)}` };
    case 'allowed': return { text: `${head}: ${open() ? 'allowed' : `excluded${closed()}`}`, edit: lengthEdit(flow, i, j) };
    case 'weights': return { text: `${head}: weight ${at(i, j)}${closed()}` };
    case 'pooled': {
      const what = !open() ? closed() : !flow.drops ? '' : flow.kept(b, i, j) ? `, kept and divided by 1 − ${ownText(flow.rate)}` : ', dropped';
      return { text: `${head}: weight ${at(i, j)} ${flow.drops ? 'after dropout' : 'passed on'}${what}` };
    }
    case 'values': return { text: `key ${j + 1}, value ${i + 1}: ${at(j, i)}${queries === 0 || isRead(flow, b, j) ? '' : hidden(flow, j) || ', not read: its weight is 0'}`, ...(flow.identity ? {} : { edit: spoil(flow, stage, j, i) }) };
    case 'output': {
      const [query, column] = narrow ? [i, j] : [j, i];
      return { text: `query ${query + 1}, output ${column + 1}: ${at(query, column)}` };
    }
  }
}

/** @param {Flow} flow @param {number} j */
const hidden = (flow, j) => (flow.queries === 0 || isSeen(flow, flow.sequence, j) ? '' : ', masked: nobody reads it');

/**
 * Choosing a cell of the mask makes its key the last one seen; choosing the last one seen closes it.
 * @param {Flow} flow
 * @param {number} i
 * @param {number} j
 */
function lengthEdit(flow, i, j) {
  const { sequence: b, given } = flow;
  const length = given !== 'none' && openKeys(flow, b, i) === j + 1 ? j : j + 1;
  return { param: 'lens', value: withLength(asBatch(flow), b, i, length), label: `set the valid length of ${given === 'query' ? `query ${i + 1} of ` : ''}sequence ${b + 1} to ${length}` };
}

/**
 * The same batch as the words of masked softmax know it.
 * @param {Flow} flow
 * @returns {import('./mask-words.js').Batch}
 */
const asBatch = (flow) => ({
  batch: flow.batch, queries: flow.queries, keys: flow.keys, causal: false, given: flow.given, empty: flow.empty,
  length: (b, q) => openKeys(flow, b, q), allowed: (b, q, k) => isOpen(flow, b, q, k),
});

/** The parameter that holds the entries of an input. */
export const ENTRIES = { queries: 'query_entries', keys: 'key_entries', values: 'value_entries' };

/**
 * Choosing an entry of an input makes it NaN; choosing one that is not a finite number puts the drawn ones back.
 * @param {Flow} flow
 * @param {keyof typeof ENTRIES} stage
 * @param {number} i  row and column of the matrix itself
 * @param {number} j
 */
function spoil(flow, stage, i, j) {
  const { stages, sequence } = flow;
  if (!Number.isFinite(stages[stage].at(sequence, i, j))) return { param: ENTRIES[stage], value: '', label: `put the drawn ${stage} back` };
  return { param: ENTRIES[stage], value: entriesWith(flow, stage, sequence, i, j, 'nan'), label: 'make it NaN' };
}

/**
 * All entries of an input as text, one of them changed: rows with semicolons, sequence after sequence.
 * @param {Flow} flow
 * @param {keyof typeof ENTRIES} stage
 * @param {number} b
 * @param {number} i
 * @param {number} j
 * @param {string} entry
 */
export function entriesWith({ stages }, stage, b, i, j, entry) {
  const { shape: [batch, rows, columns], at } = stages[stage];
  return Array.from({ length: batch * rows }, (_, row) => Array.from({ length: columns }, (__, column) => {
    const [s, r] = [Math.floor(row / rows), row % rows];
    return s === b && r === i && column === j ? entry : entryText(at(s, r, column));
  }).join(',')).join(';');
}

/** @param {number} entry */
const entryText = (entry) => (Number.isNaN(entry) ? 'nan' : Number.isFinite(entry) ? String(entry) : entry > 0 ? 'inf' : '-inf');

/** The whole layer in one line of shapes. @param {Flow} flow @returns {Rich} */
export function headline({ stages }) {
  const shape = (/** @type {Stage} */ stage) => shapeText(stages[stage].shape).replaceAll(' ', '\u00a0');
  const named = (/** @type {string} */ name, /** @type {Stage} */ stage) => [{ i: name }, `\u00a0${shape(stage)}`];
  return [...named('Q', 'queries'), ', ', ...named('K', 'keys'), ', ', ...named('V', 'values'), `: weights\u00a0${shape('weights')}, output\u00a0`, { blue: shape('output') }];
}

/**
 * What a reader should know of this state: nothing there, not finite, an empty row, an output that dropout has emptied.
 * @param {Flow} flow
 * @returns {Note | null}
 */
export function note(flow) {
  const { batch, queries, keys, d, width } = flow;
  if (batch === 0) return { kind: 'note', title: 'An empty batch.', text: ['Every shape begins with 0, and no matrix has an entry. That is a result, not an error.'] };
  if (queries === 0) return { kind: 'note', title: 'No queries.', text: ['Nobody asks, so there is no weight and no row of output.'] };
  if (keys === 0) return { kind: 'note', title: 'No keys.', text: ['The weights have no entry. The output is a sum of nothing: zero, in every column.'] };
  const spoiled = notFiniteNote(flow);
  if (spoiled) return spoiled;
  const rows = Array.from({ length: batch * queries }, (_, r) => ({ b: Math.floor(r / queries), i: r % queries }));
  const empty = emptyNote(asBatch(flow));
  if (empty) return { ...empty, text: [...empty.text, ' So the output is zero too.'] };
  if (d === 0) return { kind: 'note', title: 'No coordinates.', text: ['A product of nothing is 0, so every key that may be seen scores alike and gets the same weight.'] };
  if (width === 0) return { kind: 'note', title: 'Values without a column.', text: ['The weights are as always; the output has no column to fill.'] };
  const emptied = rows.filter(({ b, i }) => flow.drops && !Array.from({ length: keys }, (_, j) => j).some((j) => flow.stages.pooled.at(b, i, j) !== 0));
  if (emptied.length > 0) return { kind: 'note', title: 'Everything dropped.', text: [`In this draw dropout removes every weight of ${list(emptied.slice(0, 6).map(({ b, i }) => rowName(flow, b, i)))}${emptied.length > 6 ? ' and others' : ''}: the output is zero.`] };
  return null;
}

/** @param {Flow} flow @param {number} b @param {number} i */
const rowName = ({ queries }, b, i) => (queries === 1 ? `sequence ${b + 1}` : `query ${i + 1} of sequence ${b + 1}`);

/**
 * What is not finite at the input, and how far it comes.
 * @param {Flow} flow
 * @returns {Note | null}
 */
function notFiniteNote(flow) {
  const places = /** @type {const} */ (['queries', 'keys', 'values']).flatMap((stage) => notFinite(flow, stage).map((place) => ({ stage, ...place })));
  if (places.length === 0) return null;
  /** Rows of an input with what they hold. @type {Map<string, {stage: typeof places[number]['stage'], b: number, i: number, held: Set<string>}>} */
  const rows = new Map();
  for (const { stage, b, i, j } of places) {
    const value = flow.stages[stage].at(b, i, j);
    const row = rows.get(`${stage} ${b} ${i}`) ?? { stage, b, i, held: new Set() };
    rows.set(`${stage} ${b} ${i}`, row);
    row.held.add(Number.isNaN(value) ? 'NaN' : value > 0 ? '∞' : '−∞');
  }
  const told = [...rows.values()].map(({ stage, b, i, held }) => {
    const whose = `${stage === 'queries' ? 'query' : stage === 'keys' ? 'key' : 'the value of key'} ${i + 1}${flow.batch === 1 ? '' : ` of sequence ${b + 1}`}`;
    const fate = stage === 'queries' ? '' : !isSeen(flow, b, i) ? ', which is masked' : stage === 'values' && !isRead(flow, b, i) ? ', whose weight is 0' : '';
    return `${list([...held])} in ${whose}${fate}`;
  });
  const from = `${told.slice(0, 3).join('; ')}${told.length > 3 ? `; and ${plural(told.length - 3, 'other row', 'other rows')}` : ''}.`;
  const reached = notFinite(flow, 'output').length;
  const plain = notFiniteIn(flow.plain).length;
  const otherwise = plain > reached ? ` A plain matrix product would spoil ${reached === 0 ? plural(plain, 'entry', 'entries') : `${plain}`}, for 0 times NaN is NaN.` : '';
  if (reached === 0) return { kind: 'note', title: 'It does not come through.', text: [`${capital(from)} Every entry of the output is a finite number: a weight of 0 reads nothing.${otherwise}`] };
  return { kind: 'warning', title: `${reached === 1 ? 'One entry' : `${capital(words(reached))} entries`} of the output ${reached === 1 ? 'is' : 'are'} not finite.`, text: [`${capital(from)} What an allowed key carries reaches the output, and is seen there.${otherwise}`] };
}

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
