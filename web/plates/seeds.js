/**
 * "Two hundred seeds", beside plate IV: the unscaled gradient norm of many runs at each width, a point a run, with the printed run among them.
 * Three printed widths show a fall; the runs show the rise before it.
 *
 * Nothing is computed here: norms, means and the middle 95% are the core's. The place of a point across its strip is told by its index alone.
 */

import { scaleLinear, scaleLog } from 'd3-scale';
import { axisBottom, axisLeft, roundTicks } from '../chart/axis.js';
import { band } from '../chart/band.js';
import { hatch } from '../chart/hatch.js';
import { series as line } from '../chart/line.js';
import { h } from '../chart/node.js';
import { NARROW, picture } from '../chart/picture.js';
import { fixed, plural } from '../chart/format.js';
import { textWidth } from '../chart/text.js';
import { printedMark } from '../chart/verdict.js';
import { numeric, series } from './parts/read.js';

/** @typedef {import('../chart/types.js').Mark} Mark */
/** @typedef {import('../chart/types.js').Result} Result */
/** @typedef {import('../chart/types.js').Env} Env */
/** @typedef {import('../chart/types.js').Figure} Figure */

/** @type {Record<string, string>} */
const NAMES = { jax: 'JAX', torch: 'PyTorch' };

/** @type {import('../chart/types.js').Plate} */
const plate = {
  study: 'seeds',
  numeral: 'IV',
  controls: [['generator', 'count', 'seed']],
  draw: (result, env) => {
    const figure = strips(result, env);
    return { figures: [figure], note: null, summary: figure.summary };
  },
  emblem: { params: { count: 40 }, draw: (result, env) => strips(result, env).node },
};

export default plate;

/**
 * What the figure shows, by width.
 * @param {Result} result
 */
function read(result) {
  const dims = series(result, 'dims');
  const norms = series(result, 'norms');
  const runs = norms.length / dims.length;
  const printedDims = series(result, 'printed_dims');
  const printedNorms = series(result, 'printed_norm');
  const [means, lows, highs] = ['mean_norm', 'low_norm', 'high_norm'].map((name) => series(result, name));
  return {
    runs, printed: printedDims.map((d, i) => ({ d, norm: printedNorms[i] })),
    strips: dims.map((d, i) => ({ d, norms: norms.slice(i * runs, (i + 1) * runs), mean: means[i], low: lows[i], high: highs[i] })),
  };
}

/**
 * @param {Result} result
 * @param {Env} env
 * @returns {Figure}
 */
function strips(result, env) {
  const { runs, printed, strips: all } = read(result);
  const whose = NAMES[String(result.params.generator)] ?? String(result.params.generator);
  const narrow = env.width < NARROW;
  const frame = { left: narrow ? 56 : 66, right: env.width - (narrow ? 26 : 150), top: narrow ? 74 : 70, bottom: (narrow ? 74 : 70) + (narrow ? 280 : 350) };
  const x = scaleLog().base(2).domain([all[0].d, all[all.length - 1].d]).range([frame.left, frame.right]);
  const most = Math.max(...all.flatMap(({ norms }) => norms), ...printed.map(({ norm }) => norm));
  const y = scaleLinear().domain([0, most]).range([frame.bottom, frame.top]);
  const half = Math.min(15, (x(all[1].d) - x(all[0].d)) * 0.27);
  const fill = `${env.uid}-strips-unscaled`;
  const axisY = frame.bottom + 10;
  const marks = marksOf({ all, printed, runs, whose, x, y, half, frame });
  const hovered = env.hover?.figure === 'strips' ? marks.find(({ id }) => id === env.hover?.mark) : undefined;
  const height = axisY + 54;

  const node = picture({ width: env.width, height, narrow }, [hatch(fill, 'unscaled', { spacing: 4 })],
    axisLeft({ ticks: roundTicks(0, most, 4).map((t) => ({ at: y(t.value), label: t.label })), x: frame.left - half - 8, name: 'Jacobian norm, unscaled', nameX: 0, nameY: 22 }),
    axisBottom({ ticks: all.map(({ d }) => ({ at: x(d), label: String(d) })), y: axisY, name: 'dimension d', nameX: frame.right, nameAnchor: 'end', nameY: axisY + 43 }),
    band(all.map(({ d, low, high }) => ({ x: x(d), low: y(low), high: y(high) })), fill),
    h('g', { class: 'strips unscaled' }, all.map(({ d, norms }) => h('path', { class: 'strip', d: points(norms, x(d), half, y) }))),
    h('path', { class: 'reference', d: printed.map(({ d, norm }, i) => `${i === 0 ? 'M' : 'L'}${place(x(d))} ${place(y(norm))}`).join('') }),
    line(all.map(({ d, mean }) => ({ x: x(d), y: y(mean) })), 'unscaled', { size: 3.4 }),
    rise(all, printed, x, y, frame),
    printed.map(({ d, norm }) => [printedMark(x(d), y(norm), 6), printedLabel(norm, x(d), y(norm), { half, first: d === all[0].d, right: env.width })]),
    ends({ last: all[all.length - 1], x: frame.right + half + 9, y, narrow }),
    hovered && h('circle', { class: 'ring', cx: hovered.cx, cy: hovered.cy, r: 9 }));

  const top = all.reduce((best, strip) => (strip.mean > best.mean ? strip : best));
  return {
    id: 'strips', number: 1, width: env.width, height, node, marks,
    caption: ['A point for each of ', plural(runs, 'run', 'runs'), ' at each ', { i: 'd' }, ', unscaled; the line is their mean, hatched the middle 95%. Diamonds are the run in print, of ', whose, '; dotted, what its three widths suggest.'],
    summary: `The unscaled Jacobian norm of ${runs} runs at each width. The mean goes from ${fixed(all[0].mean, 3)} at d = ${all[0].d} to ${fixed(top.mean, 3)} at d = ${top.d} and to ${fixed(all[all.length - 1].mean, 3)} at d = ${all[all.length - 1].d}. The printed run of ${whose} has ${printed.map(({ d, norm }) => `${fixed(norm, 3)} at d = ${d}`).join(', ')}.`,
    table: {
      caption: [`Unscaled Jacobian norm of ${runs} runs against d`],
      columns: [[{ i: 'd' }], ['mean'], ['95% from'], ['to'], ['lowest'], ['highest'], ['run in print']],
      rows: all.map(({ d, mean, low, high, norms }) => {
        const run = printed.find((each) => each.d === d);
        return [String(d), ...[mean, low, high, Math.min(...norms), Math.max(...norms)].map((v) => fixed(v, 4)), run ? fixed(run.norm, 4) : ''];
      }),
    },
  };
}

/** @param {number} value */
const place = (value) => Math.round(value * 10) / 10;

/** Where a point lies across its strip, -1 to 1: multiples of the golden section, which fill evenly and in no visible order. @param {number} i */
export const jitter = (i) => 2 * (((i + 1) * 0.6180339887498949) % 1) - 1;

/**
 * All runs of a width as one path of small squares.
 * @param {number[]} norms
 * @param {number} x
 * @param {number} half
 * @param {(norm: number) => number} y
 */
function points(norms, x, half, y) {
  return norms.map((norm, i) => `M${place(x + jitter(i) * half - 0.9)} ${place(y(norm) - 0.9)}h1.8v1.8h-1.8z`).join('');
}

/**
 * The words that point out the rise, where the printed widths hide one.
 * @param {Array<{d: number, mean: number, high: number}>} all
 * @param {Array<{d: number}>} printed
 * @param {(d: number) => number} x
 * @param {(norm: number) => number} y
 * @param {{left: number, right: number, top: number}} frame
 */
function rise(all, printed, x, y, frame) {
  const peak = all.reduce((best, strip, i) => (strip.mean > all[best].mean ? i : best), 0);
  if (peak === 0 || printed.some(({ d }) => d === all[peak].d)) return null;
  const text = 'the rise that three widths hide';
  const [px, py] = [x(all[peak].d), y(all[peak].high)];
  const at = Math.min(px + 34, frame.right - textWidth(text, 16, true));
  return h('g', { class: 'pointer' },
    h('path', { class: 'leader', d: `M${place(px + 5)} ${place(py - 14)}L${place(at - 6)} ${frame.top - 20}` }),
    h('text', { class: 'remark', x: at, y: frame.top - 16 }, text));
}

/**
 * The printed number beside its diamond: below the line at the first width, where the mean rises, above it elsewhere, and inside the figure.
 * @param {number} norm
 * @param {number} x
 * @param {number} y
 * @param {{half: number, first: boolean, right: number}} beside
 */
function printedLabel(norm, x, y, { half, first, right }) {
  const text = fixed(norm, 3);
  const inside = x + half + 6 + textWidth(text, 15) <= right;
  if (!inside) return h('text', { class: 'in-print', x: right, y: y - 22, 'text-anchor': 'end' }, text);
  return h('text', { class: 'in-print', x: x + half + 6, y: first ? y + 20 : y - 8 }, text);
}

/**
 * Words at the end of the mean and of the printed run.
 * @param {{last: {mean: number}, x: number, y: (norm: number) => number, narrow: boolean}} end
 */
function ends({ last, x, y, narrow }) {
  if (narrow) return null;
  return h('g', { class: 'end-labels' }, h('text', { class: 'end-label unscaled', x, y: y(last.mean) + 17 }, 'mean of the runs'));
}

/**
 * A mark for each width's runs and one for each printed number.
 * @param {object} o
 * @param {ReturnType<typeof read>['strips']} o.all
 * @param {ReturnType<typeof read>['printed']} o.printed
 * @param {number} o.runs
 * @param {string} o.whose
 * @param {(d: number) => number} o.x
 * @param {(norm: number) => number} o.y
 * @param {number} o.half
 * @param {{top: number, bottom: number}} o.frame
 * @returns {Mark[]}
 */
function marksOf({ all, printed, runs, whose, x, y, half, frame }) {
  return all.flatMap(({ d, mean, low, high, norms }) => {
    const run = printed.find((each) => each.d === d);
    const across = { x: x(d) - half - 6, w: 2 * half + 12, cx: x(d) };
    /** @type {Mark[]} */
    const here = [{
      id: `runs-${d}`, ...across, y: frame.top - 10, h: frame.bottom - frame.top + 20, cy: y(mean),
      text: `d = ${d}: mean ${fixed(mean, 4)} of ${plural(runs, 'run', 'runs')}, the middle 95% from ${fixed(low, 4)} to ${fixed(high, 4)}, all from ${fixed(Math.min(...norms), 4)} to ${fixed(Math.max(...norms), 4)}`,
    }];
    if (run) here.push({ id: `printed-${d}`, ...across, y: y(run.norm) - 9, h: 18, cy: y(run.norm), text: `d = ${d}: the run in print, ${whose}: ${fixed(run.norm, 6)}` });
    return here;
  });
}
