/**
 * Figure 5 of "The price of attention": the race of exercise 12.3. Each additive run over the dot product of the same width, on three
 * upright measures with one logarithmic scale: how many times the operations, how many times the time as measured, how many times the
 * largest intermediate. Time that is made of operations alone runs level from the first measure to the second, time that is made of
 * the largest intermediate alone from the second to the third.
 *
 * Runs of the greater width have the larger marks, so that points which coincide lie within one another, a square in a circle or a circle
 * in a circle; pointed at, they are named together. The names at the right are marks of their own, each of one run and all of its ratios.
 *
 * Ratios are the core's; without a measurement both level lines are dotted, and the middle is left open between them.
 */

import { scaleLog } from 'd3-scale';
import { endLabels, spread } from '../../chart/labels.js';
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
 * @typedef {Entrant & {id: string, kind: 'scaled' | 'unscaled', size: number, name: string}} Run
 * @typedef {{run: Run, x: number, y: number, said: string}} Stop  a ratio of a run
 */

/** Half the width of a mark, px, for the lesser and the greater width: a square fits into the circle of its width, that into the larger circle. */
const SIZES = { scaled: [3.8, 6.4], unscaled: [2.5, 3.8] };

/** Points nearer than this, px, are pointed at together. */
const APART = 7;

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
  const least = Math.min(...race.map(({ width: of }) => of));
  const runs = race.filter(({ rule }) => rule.startsWith('additive')).map((run, i) => {
    const kept = run.rule.endsWith('kept');
    const kind = /** @type {'scaled' | 'unscaled'} */ (kept ? 'unscaled' : 'scaled');
    const name = `${kept ? (narrow ? 'kept' : 'hidden units kept') : 'factored'}, ${narrow ? '' : 'width '}${run.width}`;
    return { ...run, id: `race-${i + 1}`, kind, size: SIZES[kind][run.width > least ? 1 : 0], name };
  });
  const names = Math.round(widen * Math.max(...runs.map(({ name }) => textWidth(name, size)))) + 24;
  const frame = { left: 58, right: width - names, top: narrow ? 80 : 64, bottom: narrow ? 300 : 314 };
  const at = [frame.left, (frame.left + frame.right) / 2, frame.right];
  const times = runs.flatMap(({ byTime }) => [byTime.low, byTime.high]).filter((value) => Number.isFinite(value) && value > 0);
  const y = scaleLog().domain([Math.min(1, ...times), Math.max(300, ...times)]).range([frame.bottom, frame.top]);
  const height = frame.bottom + 24;
  const measured = runs.some(({ byTime }) => Number.isFinite(byTime.median));
  const titles = [['operations'], ['time'], narrow ? ['largest', 'intermediate'] : ['largest intermediate']];
  const foot = narrow ? 40 : 22;
  const anchors = ['start', 'middle', narrow ? 'middle' : 'end'];
  /** @type {Stop[][]} a measure's stops */
  const measures = [
    runs.map((run) => ({ run, x: at[0], y: y(run.byOperations), said: `${three(run.byOperations)} times the operations` })),
    runs.filter(({ byTime }) => Number.isFinite(byTime.median)).map((run) => ({ run, x: at[1], y: y(run.byTime.median), said: `${three(run.byTime.median)} times the time, ${timed(run.ms, run.timed, run.n)}` })),
    runs.map((run) => ({ run, x: at[2], y: y(run.byLargest), said: `${three(run.byLargest)} times the largest intermediate, ${large(run.largest)} numbers` })),
  ];
  const stopsOf = (/** @type {Run} */ run) => measures.flatMap((stops) => stops.filter((stop) => stop.run === run));
  const limits = /** @type {[number, number]} */ ([frame.top - 6, frame.bottom + 10]);
  const ends = runs.map((run) => ({ y: y(run.byLargest), text: run.name, kind: run.kind }));
  const labels = { x: frame.right + 20, gap: 18, limits };
  const heights = spread(ends.map((end) => end.y), labels.gap, limits);
  const together = measures.flatMap((stops, i) => placesOf(stops, ['operations', 'time', 'largest'][i]));
  const marks = [
    ...together.map(({ mark }) => mark),
    ...runs.map((run, i) => ({
      id: run.id, x: frame.right + 14, y: heights[i] - 9, w: names - 14, h: 18, cx: frame.right, cy: y(run.byLargest),
      text: `${run.name}: ${three(run.byOperations)} times the operations, ${three(run.byLargest)} times the largest intermediate, ${large(run.largest)} numbers; ${timed(run.ms, run.timed, run.n)}`,
    })),
  ];
  const hovered = [...(together.find(({ mark }) => mark.id === hover)?.stops ?? []), ...runs.filter(({ id }) => id === hover).flatMap(stopsOf)];
  // the larger marks first, squares last: what lies within another is seen
  const drawn = [...runs].sort((a, b) => b.size - a.size);
  const node = picture({ width, height, narrow, ink: true }, [],
    at.map((place, i) => [
      h('path', { class: 'measure-line', d: `M${Math.round(place) + 0.5} ${frame.top - 8}V${frame.bottom + 8}` }),
      titles[i].map((line, at, lines) => h('text', { class: 'map-title', x: i === 0 ? 0 : anchors[i] === 'end' ? place + 6 : place, y: foot - 17 * (lines.length - 1 - at), 'text-anchor': anchors[i], 'font-size': narrow ? 14 : 16 }, line)),
    ]),
    !measured && !narrow && h('text', { class: 'name act', x: at[1], y: foot + 22, 'text-anchor': 'middle' }, 'once measured'),
    h('text', { class: 'name', x: 0, y: foot + 22 }, 'times those of the dot product'),
    h('g', { class: 'axis' }, TICKS.map((value) => h('text', { class: 'tick', x: frame.left - 14, y: y(value), dy: '0.33em', 'text-anchor': 'end' }, String(value))),
      h('path', { d: TICKS.map((value) => `M${frame.left} ${Math.round(y(value)) + 0.5}h-6`).join('') })),
    h('path', { class: 'reference', d: `M${frame.left} ${Math.round(y(1)) + 0.5}H${frame.right}` }),
    runs.map((run) => {
      const known = Number.isFinite(run.byTime.median);
      const stops = stopsOf(run);
      const level = stops.map((stop) => `M${stop.x} ${Math.round(stop.y * 100) / 100}H${at[1]}`).join('');
      return h('g', { class: run.kind === 'scaled' ? 'series scaled broken' : `series ${run.kind}` },
        h('path', { class: known ? 'line' : 'theory-line', d: known ? stops.map((stop, i) => `${i === 0 ? 'M' : 'L'}${stop.x} ${Math.round(stop.y * 100) / 100}`).join('') : level }),
        known && h('path', { class: 'line quartiles', d: `M${at[1]} ${y(run.byTime.low)}V${y(run.byTime.high)}` }));
    }),
    drawn.map((run) => h('g', { class: `series ${run.kind}` }, stopsOf(run).map((stop) => pointMark(stop, run.kind, run.size)))),
    // a name that was pushed aside is tied to its point
    h('path', { class: 'race-tie', d: runs.map((run, i) => (Math.abs(heights[i] - ends[i].y) > 2 ? `M${frame.right + 8} ${Math.round(ends[i].y * 10) / 10}L${labels.x - 3} ${Math.round(heights[i] * 10) / 10}` : '')).join('') }),
    valueLabels(runs, at, y, size, widen),
    endLabels(ends, labels),
    hovered.map((stop) => h('circle', { class: 'ring', cx: stop.x, cy: stop.y, r: stop.run.size + 4 })));
  return { node, marks, height };
}

/**
 * The places of one measure: points that nearly coincide are one, and its words name them all.
 * @param {Stop[]} stops
 * @param {string} measure
 * @returns {Array<{stops: Stop[], mark: Mark}>}
 */
function placesOf(stops, measure) {
  /** @type {Stop[][]} */
  const groups = [];
  for (const stop of [...stops].sort((a, b) => a.y - b.y)) {
    const last = groups[groups.length - 1];
    if (last && stop.y - last[last.length - 1].y < APART) last.push(stop);
    else groups.push([stop]);
  }
  return groups.map((group, i) => {
    const [{ x, y: top }, { y: bottom }] = [group[0], group[group.length - 1]];
    // half the way to the next place, and no more than a finger wants
    const above = Math.min(12, i > 0 ? (top - groups[i - 1][groups[i - 1].length - 1].y) / 2 : 12);
    const below = Math.min(12, i + 1 < groups.length ? (groups[i + 1][0].y - bottom) / 2 : 12);
    return { stops: group, mark: { id: `race-${measure}-${i + 1}`, x: x - 13, y: top - above, w: 26, h: bottom - top + above + below, cx: x, cy: top, text: group.map(({ run, said }) => `${run.name}: ${said}`).join('; ') } };
  });
}

/**
 * The measured ratios beside the middle measure, each with the mark of its line and in its size: the greater of a rule above to the left, the
 * other below; farther off, or on the other side, where a line or another value is in the way.
 * @param {Run[]} runs
 * @param {number[]} at  the measures, px
 * @param {(value: number) => number} y
 * @param {number} size
 * @param {number} widen
 */
function valueLabels(runs, at, y, size, widen) {
  const known = runs.filter(({ byTime }) => Number.isFinite(byTime.median));
  /** @type {Segment[]} */
  const lines = [[at[0], y(1), at[2], y(1)], ...known.flatMap((run) => /** @type {Segment[]} */ ([
    [at[0], y(run.byOperations), at[1], y(run.byTime.median)], [at[1], y(run.byTime.median), at[2], y(run.byLargest)],
  ]))];
  /** @type {Box[]} */
  const taken = [];
  return h('g', { class: 'rule-values' }, known.map((run) => {
    const upper = known.every(({ kind, byTime }) => kind !== run.kind || byTime.median <= run.byTime.median);
    const first = upper || run.kind === 'scaled' ? -1 : 1;
    const own = y(run.byTime.median);
    const text = three(run.byTime.median);
    const begin = 16 + run.size + 5;
    const far = begin + widen * textWidth(text, size) + 2;
    const places = FARTHER.flatMap((more) => [[first, 1], [-first, 1], [first, -1], [-first, -1]].map(([side, way]) => {
      const mid = own + (upper ? -12 - more : 13 + more) * way;
      return { side, mid, box: { from: at[1] + (side < 0 ? -far : 8), to: at[1] + (side < 0 ? -8 : far), top: mid - 8, bottom: mid + 8 } };
    }));
    const { side, mid, box } = places.find((place) => place.box.top > y(300) - 24 && place.box.bottom < y(1) + 22
      && !lines.some((line) => meets(line, place.box)) && !taken.some((other) => other.from < place.box.to && other.to > place.box.from && other.top < place.box.bottom && other.bottom > place.box.top)) ?? places[0];
    taken.push(box);
    return [
      h('g', { class: `series ${run.kind}` }, pointMark({ x: at[1] + 16 * side, y: mid }, run.kind, run.size)),
      h('text', { class: `value ${run.kind}`, x: at[1] + begin * side, y: mid, dy: '0.33em', 'text-anchor': side < 0 ? 'end' : 'start', 'font-size': size }, text),
    ];
  }));
}

/** How much farther off a value is tried, px. */
const FARTHER = [0, 4, 8, 12, 16, 20, 26, 32, 40, 50];

/** @typedef {[number, number, number, number]} Segment  from x, y to x, y, rightwards */
/** @typedef {{from: number, to: number, top: number, bottom: number}} Box */

/** Whether a line runs through a box. @param {Segment} line @param {Box} box */
function meets([x1, y1, x2, y2], { from, to, top, bottom }) {
  const [left, right] = [Math.max(x1, from), Math.min(x2, to)];
  if (left >= right) return false;
  const [a, b] = [left, right].map((x) => y1 + ((y2 - y1) * (x - x1)) / (x2 - x1));
  return Math.min(a, b) < bottom && Math.max(a, b) > top;
}
