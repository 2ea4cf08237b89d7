/**
 * Figure 5 of "The price of attention": the race of exercise 12.3. Each additive run over the dot product of the same width, on three
 * upright measures with one logarithmic scale: how many times the operations, how many times the time as measured, how many times the
 * largest intermediate. Time that is made of operations alone runs level from the first measure to the second, time that is made of
 * the largest intermediate alone from the second to the third.
 *
 * Ratios are the core's; without a measurement both level lines are dotted, and the middle is left open between them.
 */

import { scaleLog } from 'd3-scale';
import { endLabels } from '../../chart/labels.js';
import { pointMark } from '../../chart/line.js';
import { h } from '../../chart/node.js';
import { picture } from '../../chart/picture.js';
import { textWidth } from '../../chart/text.js';
import { large, three, timed } from './price-read.js';

/** @typedef {import('../../chart/types.js').Mark} Mark */
/** @typedef {import('../../chart/types.js').VNode} VNode */
/** @typedef {import('./price-read.js').Entrant} Entrant */

const TICKS = [1, 3, 10, 30, 100, 300];

/**
 * @param {object} o
 * @param {Entrant[]} o.race
 * @param {number} o.width
 * @param {boolean} o.narrow
 * @param {number} o.widen
 * @param {string | null} o.hover
 * @returns {{node: VNode, marks: Mark[], height: number}}
 */
export function raceFigure({ race, width, narrow, widen, hover }) {
  const size = narrow ? 14 : 15;
  const runs = race.filter(({ rule }) => rule.startsWith('additive')).map((run, i) => ({ ...run, id: `race-${i + 1}`, kind: /** @type {'scaled' | 'unscaled'} */ (run.rule.endsWith('kept') ? 'unscaled' : 'scaled') }));
  const label = (/** @type {Entrant} */ { rule, width: of }) => `${rule.endsWith('kept') ? (narrow ? 'kept' : 'hidden units kept') : 'factored'}, ${narrow ? '' : 'width '}${of}`;
  const names = Math.round(widen * Math.max(...runs.map((run) => textWidth(label(run), size)))) + 14;
  const frame = { left: 58, right: width - names, top: narrow ? 80 : 64, bottom: narrow ? 300 : 314 };
  const at = [frame.left, (frame.left + frame.right) / 2, frame.right];
  const times = runs.flatMap(({ byTime }) => [byTime.low, byTime.high]).filter((value) => Number.isFinite(value) && value > 0);
  const y = scaleLog().domain([Math.min(1, ...times), Math.max(300, ...times)]).range([frame.bottom, frame.top]);
  const height = frame.bottom + 20;
  const measured = runs.some(({ byTime }) => Number.isFinite(byTime.median));
  const titles = [['operations'], [measured || narrow ? 'time' : 'time, once measured'], narrow ? ['largest', 'intermediate'] : ['largest intermediate']];
  const foot = narrow ? 40 : 22;
  const anchors = ['start', 'middle', narrow ? 'middle' : 'end'];
  const marks = runs.map((run) => ({
    id: run.id, x: frame.right - 14, y: y(run.byLargest) - 10, w: names + 14, h: 20, cx: frame.right, cy: y(run.byLargest),
    text: `${label(run)}: ${three(run.byOperations)} times the operations, ${three(run.byLargest)} times the largest intermediate, ${large(run.largest)} numbers; ${timed(run.ms)}`,
  }));
  const hovered = marks.find((mark) => mark.id === hover);
  const ends = runs.map((run) => ({ y: y(run.byLargest), text: label(run), kind: run.kind }));
  const node = picture({ width, height, narrow }, [],
    at.map((place, i) => [
      h('path', { class: 'measure-line', d: `M${Math.round(place) + 0.5} ${frame.top - 8}V${frame.bottom + 8}` }),
      titles[i].map((line, at, lines) => h('text', { class: 'map-title', x: i === 0 ? 0 : anchors[i] === 'end' ? place + 6 : place, y: foot - 17 * (lines.length - 1 - at), 'text-anchor': anchors[i], 'font-size': narrow ? 14 : 16 }, line)),
    ]),
    h('text', { class: 'name', x: 0, y: foot + 22 }, 'times those of the dot product'),
    h('g', { class: 'axis' }, TICKS.map((value) => h('text', { class: 'tick', x: frame.left - 11, y: y(value), dy: '0.33em', 'text-anchor': 'end' }, String(value))),
      h('path', { d: TICKS.map((value) => `M${frame.left} ${Math.round(y(value)) + 0.5}h-6`).join('') })),
    h('path', { class: 'reference', d: `M${frame.left} ${Math.round(y(1)) + 0.5}H${frame.right}` }),
    runs.map((run) => {
      const known = Number.isFinite(run.byTime.median);
      const stops = [{ x: at[0], y: y(run.byOperations) }, ...(known ? [{ x: at[1], y: y(run.byTime.median) }] : []), { x: at[2], y: y(run.byLargest) }];
      const level = stops.map((stop) => `M${stop.x} ${Math.round(stop.y * 100) / 100}H${at[1]}`).join('');
      return h('g', { class: `series ${run.kind}` },
        h('path', { class: known ? 'line' : 'theory-line', d: known ? stops.map((stop, i) => `${i === 0 ? 'M' : 'L'}${stop.x} ${Math.round(stop.y * 100) / 100}`).join('') : level }),
        known && h('path', { class: 'line quartiles', d: `M${at[1]} ${y(run.byTime.low)}V${y(run.byTime.high)}` }),
        stops.map((stop) => pointMark(stop, run.kind, 3.6)));
    }),
    valueLabels(runs, at[1], y, size),
    endLabels(ends, { x: frame.right + 11, gap: 17, limits: [frame.top - 6, frame.bottom + 6] }),
    hovered && h('circle', { class: 'ring', cx: hovered.cx, cy: hovered.cy, r: 7.5 }));
  return { node, marks, height };
}

/**
 * The measured ratios beside the middle measure, clear of the lines: of two runs of a rule the greater above to the left, the other below.
 * @param {Array<Entrant & {kind: 'scaled' | 'unscaled'}>} runs
 * @param {number} x
 * @param {(value: number) => number} y
 * @param {number} size
 */
function valueLabels(runs, x, y, size) {
  const known = runs.filter(({ byTime }) => Number.isFinite(byTime.median));
  return h('g', { class: 'rule-values' }, known.map((run) => {
    const upper = known.every(({ kind, byTime }) => kind !== run.kind || byTime.median <= run.byTime.median);
    const left = upper || run.kind === 'scaled';
    return h('text', { class: `value ${run.kind}`, x: x + (left ? -9 : 9), y: y(run.byTime.median) + (upper ? -10 : 12), dy: '0.33em', 'text-anchor': left ? 'end' : 'start', 'font-size': size }, three(run.byTime.median));
  }));
}
