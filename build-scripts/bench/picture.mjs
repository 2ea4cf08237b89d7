// The benchmark as a picture in the manner of the plates: two profiles over the workloads, how many times as long as ours the others take, and what
// share of one thread's limit each reaches. Pure: rows in, an SVG file out.
import { axisLeft } from '../../web/chart/axis.js';
import { endLabels } from '../../web/chart/labels.js';
import { series } from '../../web/chart/line.js';
import { h } from '../../web/chart/node.js';
import { picture } from '../../web/chart/picture.js';
import { reference } from '../../web/chart/reference.js';
import { sheetOf } from '../web/pictures.mjs';
import { ratioText } from './table.mjs';

/** @typedef {import('./statistics.mjs').Row} Row */
/** @typedef {import('../../web/chart/types.js').Figure} Figure */
/** @typedef {{name: string, values: (number | null)[]}} Profile one value a workload */

const width = 974;
const left = 64;
/** Room for the labels at the lines' ends. */
const right = 180;

/** Ours is the blue open circle; what it is compared with is red and filled. @param {string} name @param {string} ours */
const kindOf = (name, ours) => (name === ours ? 'scaled' : 'unscaled');

/**
 * @param {Row[]} rows @param {string[]} workloads @param {(row: Row) => number | null} value
 * @returns {Profile[]} of those that have a value anywhere
 */
function profiles(rows, workloads, value) {
  const names = [...new Set(rows.map(({ implementation }) => implementation))];
  return names.map((name) => ({
    name,
    values: workloads.map((workload) => {
      const row = rows.find((candidate) => candidate.workload === workload && candidate.implementation === name);
      return row ? value(row) : null;
    }),
  })).filter(({ values }) => values.some((entry) => entry !== null));
}

/**
 * Lines over the workloads, each with its name where it ends.
 * @param {object} chart
 * @param {Profile[]} chart.lines
 * @param {string[]} chart.workloads
 * @param {string} chart.ours
 * @param {(value: number) => number} chart.y px from the top
 * @param {{at: number, label: string}[]} chart.ticks
 * @param {string} chart.name of the axis
 * @param {number} chart.bottom px, where the workloads are written
 * @param {{y: number, text: string}} [chart.mark] a value to measure by
 */
function profileChart({ lines, workloads, ours, y, ticks, name, bottom, mark }) {
  const step = (width - left - right - 22) / Math.max(1, workloads.length - 1);
  /** @param {number} i */
  const x = (i) => left + 22 + i * step;
  const end = x(workloads.length - 1);
  const ends = lines.map((line) => {
    const last = line.values.findLastIndex((value) => value !== null);
    return { line, last, y: y(/** @type {number} */ (line.values[last])) };
  });
  /** A line that ends early is named there, above its last mark. */
  const early = ends.filter(({ last }) => x(last) < end - step / 2);
  const labels = ends.filter((entry) => !early.includes(entry)).map(({ line, y: at }) => ({ y: at, text: line.name, kind: kindOf(line.name, ours) }));
  if (mark) labels.push({ y: mark.y, text: mark.text, kind: 'reference' });
  return picture({ width, height: bottom + 40 }, [],
    axisLeft({ ticks, x: left - 8, name, nameX: 0 }),
    mark && reference({ x1: left, x2: end + 12, y: mark.y }),
    // ours on top of the others
    [...lines].sort((a, b) => Number(a.name === ours) - Number(b.name === ours)).map((line) => series(line.values.map((value, i) => ({ x: x(i), y: value === null ? NaN : y(value) })), kindOf(line.name, ours))),
    early.map(({ line, last, y: at }) => h('text', { class: `end-label ${kindOf(line.name, ours)}`, x: x(last), y: at - 12, 'text-anchor': 'middle' }, line.name)),
    endLabels(labels, { x: end + 18, gap: 19, limits: [12, bottom] }),
    workloads.map((workload, i) => h('text', { class: 'tick', x: x(i), y: bottom + 28, 'text-anchor': 'middle' }, workload)),
    h('text', { class: 'name', x: end + 18, y: bottom + 28 }, 'workload'));
}

/** @param {Row[]} rows @param {string[]} workloads @param {string} ours @param {Record<string, string>} titles @returns {Figure} */
function ratios(rows, workloads, ours, titles) {
  const lines = profiles(rows, workloads, ({ ratio }) => ratio);
  const all = lines.flatMap(({ values }) => values.filter((value) => value !== null));
  const decades = [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
  const low = decades.findLast((tick) => tick <= Math.min(1, ...all)) ?? 0.5;
  const high = decades.find((tick) => tick >= Math.max(2, ...all)) ?? 1000;
  const [top, bottom] = [44, 344];
  /** @param {number} value */
  const y = (value) => bottom - ((Math.log(value) - Math.log(low)) / (Math.log(high) - Math.log(low))) * (bottom - top);
  const ticks = decades.filter((tick) => tick >= low && tick <= high).map((tick) => ({ at: y(tick), label: String(tick) }));
  const worst = lines.filter(({ name }) => name !== ours).map(({ name, values }) => {
    const found = values.filter((value) => value !== null);
    return `${name} ${ratioText(Math.min(...found))} to ${ratioText(Math.max(...found))}`;
  });
  return {
    id: 'ratios', number: 1, width, height: bottom + 40, marks: [],
    node: profileChart({ lines, workloads, ours, y, ticks, name: 'times as long as ours', bottom }),
    caption: ['Median time of a run in medians of ', { blue: ours }, ', one thread. ', workloads.map((id) => `${id}: ${titles[id]}`.replaceAll(' = ', '\u00a0=\u00a0').replaceAll(' × ', '\u00a0×\u00a0')).join('; '), '.'],
    summary: `Times as long as ours: ${worst.join('; ')}.`,
    table: { caption: [], columns: [], rows: [] },
  };
}

/**
 * What is done at most in a second: one number where the rounds of all workloads agree in it, else from the least to the greatest.
 * @param {number[]} limits operations a second
 */
function limitText(limits) {
  const [least, most] = [Math.min(...limits), Math.max(...limits)].map((limit) => (limit / 1e9).toFixed(0));
  return `${least === most ? most : `${least} to ${most}`} GFLOP/s`;
}

/** @param {Row[]} rows @param {string[]} workloads @param {string} ours @param {Record<string, number>} limits by workload @returns {Figure} */
function shares(rows, workloads, ours, limits) {
  const counted = workloads.filter((workload) => rows.some((row) => row.workload === workload && row.share !== null));
  const lines = profiles(rows, counted, ({ share }) => share);
  const whole = limitText(counted.map((workload) => limits[workload]));
  const [top, bottom] = [30, 250];
  /** @param {number} value */
  const y = (value) => bottom - value * (bottom - top);
  return {
    id: 'shares', number: 2, width, height: bottom + 40, marks: [],
    node: profileChart({
      lines, workloads: counted, ours, y, bottom, name: 'share of the limit',
      ticks: [0, 0.25, 0.5, 0.75, 1].map((tick) => ({ at: y(tick), label: `${100 * tick}%` })),
      mark: { y: y(1), text: `100%: ${whole}` },
    }),
    caption: ['Useful work: the multiplications and additions of open pairs, in those that one thread does at most, measured in the same rounds, when it does nothing else.'],
    summary: `Share, reached by ours, of what one thread does at most in the same rounds, ${whole}: ${counted.map((workload, i) => {
      const value = lines.find(({ name }) => name === ours)?.values[i];
      return `${workload} ${value === null || value === undefined ? 'not measured' : `${(100 * value).toFixed(0)}%`}`;
    }).join(', ')}.`,
    table: { caption: [], columns: [], rows: [] },
  };
}

/**
 * The file.
 * @param {Row[]} all
 * @param {{ours: string, hidden: string[], limits: Record<string, number>, where: string, titles: Record<string, string>}} about `hidden`: implementations that are not drawn; `limits`: operations a
 *   second that shares are of, by workload; `where`: processor and browser
 */
export function benchPicture(all, { ours, hidden, limits, where, titles }) {
  const rows = all.filter(({ implementation }) => !hidden.includes(implementation));
  const workloads = [...new Set(rows.map(({ workload }) => workload))];
  const counted = rows.some(({ share }) => share !== null);
  const figures = [ratios(rows, workloads, ours, titles), ...(counted ? [shares(rows, workloads, ours, limits)] : [])];
  return sheetOf({ title: 'The kernels, measured', head: where, name: 'The kernels of Attention Plates, measured' }, { figures, note: null, summary: figures.map(({ summary }) => summary).join(' ') });
}
