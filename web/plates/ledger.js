/**
 * Plate IV, "The numbers in print": the eight tables of the section, every number made again beside the one that is printed, and
 * the numbers of its prose against many fresh runs.
 *
 * Nothing is computed here: texts, values, verdicts and shares are the core's. verdict = (our text is the printed text).
 */

import { NARROW } from '../chart/picture.js';
import { fixed, plural, shortest, unrounded } from '../chart/format.js';
import { frameworkOf, printedTable, verdictOf } from './parts/printed-table.js';
import { proseRanges, readProse } from './parts/prose-ranges.js';
import { readTables } from './parts/slots.js';
import { numeric, value } from './parts/read.js';

/** @typedef {import('../chart/types.js').Result} Result */
/** @typedef {import('../chart/types.js').Env} Env */
/** @typedef {import('../chart/types.js').Figure} Figure */
/** @typedef {import('./parts/slots.js').PrintedTable} PrintedTable */

/** From this width on two tables stand side by side. The style sheet has the same number. */
const TWO_COLUMNS = 820;
const GUTTER = 48;

/** @type {import('../chart/types.js').Plate} */
const plate = {
  study: 'ledger',
  numeral: 'IV',
  controls: [['generator', 'offset', 'runs', 'seed']],
  draw,
  emblem: { params: { generator: 'torch', runs: 40 }, draw: emblem },
};

export default plate;

/**
 * @param {Result} result
 * @param {Env} env
 * @returns {import('../chart/types.js').Drawing}
 */
function draw(result, env) {
  const tables = readTables(result);
  const figures = tables.map((table, i) => tableFigure(table, i + 1, env));
  figures.push(proseFigure(result, figures.length + 1, env));
  const [matches, slots] = [value(result, 'matches'), value(result, 'slots')];
  const all = matches === slots;
  const offset = numeric(result, 'offset');
  const verdict = all ? `${matches} of ${slots} printed numbers come out again.` : `${matches} of ${slots} printed numbers come out again; ${slots - matches} differ.`;
  const added = offset === 0 ? '' : ` ${plural(offset, 'is', 'is')} added to every seed.`;
  return {
    headline: [all ? { blue: `${matches} of ${slots}` } : { red: `${matches} of ${slots}` }, verdict.slice(`${matches} of ${slots}`.length), added],
    figures, note: null,
    summary: `${verdict}${added} ${figures[figures.length - 1].summary}`,
  };
}

/**
 * @param {PrintedTable} table
 * @param {number} number
 * @param {Env} env
 * @returns {Figure}
 */
function tableFigure(table, number, env) {
  const width = env.width < TWO_COLUMNS ? env.width : Math.floor((env.width - GUTTER) / 2);
  const id = `table-${number}`;
  const drawn = printedTable({ table, width, narrow: env.width < NARROW, hover: env.hover?.figure === id ? env.hover.mark : null });
  const differing = table.slots.filter(({ match }) => !match);
  const which = differing.length === 0 ? '' : ` They are ${differing.slice(0, 6).map(({ entry, ours, printed }) => `${entry}, ours ${ours} for ${printed}`).join('; ')}${differing.length > 6 ? ' and others' : ''}.`;
  return {
    id, number, width, height: drawn.height, node: drawn.node, marks: drawn.marks,
    caption: [`Printed in ${table.place}; made by `, { i: table.calls }, '.'],
    summary: `${frameworkOf(table)}, ${table.about}, ${table.place}: ${verdictOf(table)}.${which}`,
    table: {
      caption: [`${frameworkOf(table)}: ${table.about}`],
      columns: [['entry'], ['ours'], ['in print'], ['verdict'], ['unrounded']],
      rows: table.slots.map((slot) => [slot.entry, slot.ours, slot.printed, slot.match ? 'match' : 'differs', unrounded(slot.value)]),
    },
  };
}

/**
 * @param {Result} result
 * @param {number} number
 * @param {Env} env
 * @returns {Figure}
 */
function proseFigure(result, number, env) {
  const prose = readProse(result);
  const runs = numeric(result, 'runs');
  const drawn = proseRanges({ prose, width: env.width, narrow: env.width < NARROW, uid: env.uid, hover: env.hover?.figure === 'prose' ? env.hover.mark : null });
  return {
    id: 'prose', number, width: env.width, height: drawn.height, node: drawn.node, marks: drawn.marks,
    caption: [`Numbers in prose, against ${plural(runs, 'fresh run', 'fresh runs')}: hatched, the middle 95% of runs; the tick, their mean; the diamond, the number in print. Each line has a measure of its own. `, { blue: 'Blue' }, ' is scaled, ', { red: 'red' }, ' unscaled.'],
    summary: `Of ${plural(runs, 'fresh run', 'fresh runs')}: ${prose.map(({ sentence, borneOut, below }) => `${sentence}, ${borneOut}, ${below}`).join('. ')}.`,
    table: {
      caption: [`Numbers in prose against ${plural(runs, 'fresh run', 'fresh runs')}`],
      columns: [['what is said'], ['where'], ['in print'], ['mean'], ['deviation'], ['95% from'], ['to'], ['of the runs'], ['below']],
      rows: prose.map((each) => [each.sentence, each.place, shortest(each.printed), ...[each.mean, each.deviation, each.low, each.high].map((v) => fixed(v, 4)), each.borneOut.replace(/ of .*/, ''), each.below.replace(/ of .*/, '')]),
    },
  };
}

/**
 * One table alone.
 * @param {Result} result
 * @param {Env} env
 */
function emblem(result, env) {
  const tables = readTables(result);
  return printedTable({ table: tables[1], width: env.width, narrow: true, hover: null }).node;
}
