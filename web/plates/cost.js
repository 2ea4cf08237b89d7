/**
 * Plate IX, "The price of attention": the roofline of accelerators and of the reader's machine with what each algorithm asks of them, the
 * bytes of every pass, the ratio of operations to bytes, growth under masks, and additive against dot-product scoring.
 *
 * Nothing is computed or timed here: formulas are the core's, and measured figures come to it as parameters.
 */

import { count, fixed, list, shortest } from '../chart/format.js';
import { NARROW } from '../chart/picture.js';
import { growthFigure } from './parts/price-growth.js';
import { intensityFigure } from './parts/price-intensity.js';
import { passesFigure } from './parts/price-passes.js';
import { raceFigure } from './parts/price-race.js';
import { large, memory, partOf, percent, readGrowth, readJobs, readPasses, readPrice, readRace, speed, three, timed } from './parts/price-read.js';
import { rooflineFigure } from './parts/price-roofline.js';

/** @typedef {import('../chart/types.js').Result} Result */
/** @typedef {import('../chart/types.js').Env} Env */
/** @typedef {import('../chart/types.js').Figure} Figure */
/** @typedef {import('../chart/types.js').Table} Table */
/** @typedef {import('../chart/types.js').Note} Note */
/** @typedef {import('./parts/price-read.js').Price} Price */

/** From this width on, narrower figures stand side by side. The style sheet has the same number. */
const TWO_COLUMNS = 820;

/** @type {import('../chart/types.js').Plate} */
const plate = {
  study: 'cost',
  numeral: 'IX',
  controls: [['n', 'm', 'd', 'v'], ['h', 'window', 'accelerator']],
  meter: { params: ['machine', 'times'], jobs: readJobs },
  draw,
  emblem: { params: {}, draw: (result, env) => roofline(readPrice(result), env).node },
};

export default plate;

/**
 * @param {Result} result
 * @param {Env} env
 * @returns {import('../chart/types.js').Drawing}
 */
function draw(result, env) {
  const price = readPrice(result);
  const figures = [roofline(price, env), passes(result, price, env), intensity(result, price, env), growth(result, price, env), race(result, env)];
  return { figures, readout: readout(price), note: note(price), summary: figures.slice(0, 2).map(({ summary }) => summary).join(' ') };
}

/** @param {Env} env @param {string} figure */
const common = (env, figure) => ({ narrow: env.width < NARROW, widen: env.widen ?? 1, uid: env.uid, hover: env.hover?.figure === figure ? env.hover.mark : null });

/** @param {Env} env */
const half = ({ width }) => (width < TWO_COLUMNS ? width : Math.floor((width - 48) / 2));

/**
 * @param {Price} price
 * @param {Env} env
 * @returns {Figure}
 */
function roofline(price, env) {
  const { width } = env;
  const { algorithms, chosen, measured, peak, bandwidth } = price;
  const drawn = rooflineFigure({ price, width, ...common(env, 'roofline') });
  const reached = algorithms.filter(({ gflops }) => Number.isFinite(gflops.median));
  const missing = algorithms.filter(({ gflops }) => !Number.isFinite(gflops.median));
  const own = measured ? ` Thick, the machine that was measured, ${speed(peak.high)} and ${three(bandwidth.high)} GB/s, the upper quartiles of its limits; hatched, down to the lower${reached.length > 0 ? '. Marks with bars are the throughput it reached, median and quartiles' : ''}.${partWords(reached.map((each) => ({ ...each, n: price.n })))}${missingWords(missing)}` : '';
  return {
    id: 'roofline', number: 1, width, height: drawn.height, node: drawn.node, marks: drawn.marks,
    caption: ['Throughput against operations a byte, with no pair masked. A roof is what a machine allows: it rises with the bandwidth, levels at the peak. Each algorithm stands at its ratio, ', { i: 'filled' }, ' where it keeps a number for every pair, ', { i: 'open' }, ` where it does not.${own}`],
    summary: `Roofline. ${chosen.name}: ${speed(chosen.gflops)} and ${count(chosen.gbs)} GB/s, so arithmetic is the limit from ${three(chosen.ridge)} operations a byte. ${algorithms.map(({ name, intensity, attainable, byMemory }) => `${name}: ${three(intensity)} operations a byte, at most ${speed(attainable)}, limited by ${byMemory ? 'memory' : 'arithmetic'}`).join('; ')}.${measured ? ` The machine measured, by the upper quartiles: ${speed(peak.high)} and ${three(bandwidth.high)} GB/s${reached.map(({ name, ms, gflops, timed: run, reached: share }) => `; ${name}: ${timed(ms, run, price.n)}, ${speed(gflops.median)}, ${percent(share)} of what the roof allows`).join('')}.${missingWords(missing)}` : ' No machine is measured yet.'}`,
    table: {
      caption: ['By formula, and as measured'],
      columns: [['algorithm'], ['operations'], ['bytes'], ['operations a byte'], ['their limit'], [`on ${chosen.name}`], ['limited by'], ['measured machine allows'], ['reached'], ['of that'], ['operations a byte by the time, at least'], ['time']],
      rows: algorithms.map((a) => [a.name, count(a.operations), count(a.bytes), three(a.intensity), three(a.limit), speed(a.attainable), a.byMemory ? 'memory' : 'arithmetic', Number.isFinite(a.here) ? speed(a.here) : 'not measured', ...(Number.isFinite(a.reached) ? [speed(a.gflops.median), percent(a.reached), three(a.atLeast)] : [Number.isFinite(a.gflops.median) ? speed(a.gflops.median) : 'not measured', 'not measured', 'not measured']), timed(a.ms, a.timed, price.n)]),
    },
  };
}

/** Whose times are multiplied. @param {Array<{name: string, timed: number, n: number}>} all */
function partWords(all) {
  const parts = all.filter(({ timed: run, n }) => run < n).map(({ name, timed: run, n }) => `${name}, on ${partOf(run, n)}`);
  return parts.length > 0 ? ` Too long to be run as a whole, timed on part and multiplied: ${parts.join('; ')}.` : '';
}

/** Why algorithms have no point. @param {Price['algorithms']} missing */
function missingWords(missing) {
  const names = (/** @type {boolean} */ offered) => missing.filter((each) => each.offered === offered).map(({ name }) => name).join('; ');
  const [without, tooLarge] = [names(true), names(false)];
  return `${tooLarge && ` Too large at these sizes to be run in a page: ${tooLarge}.`}${without && ` Without a time at these sizes: ${without}.`}`;
}

/**
 * @param {Result} result
 * @param {Price} price
 * @param {Env} env
 * @returns {Figure}
 */
function passes(result, price, env) {
  const width = half(env);
  const read = readPasses(result);
  const drawn = passesFigure({ passes: read, width, ...common(env, 'passes') });
  const [kept, tiled] = price.algorithms;
  return {
    id: 'passes', number: 2, width, height: drawn.height, node: drawn.node, marks: drawn.marks,
    caption: ['What moves through memory when no pair is masked, ', memory(kept.bytes), ' in all: ', { i: 'filled' }, ', what tiles spare, and ', { i: 'open' }, ', what has to move.'],
    summary: `Bytes of each pass for ${count(price.n)} queries and ${count(price.m)} keys: ${list(read.all.map(({ name, bytes }) => `${name} ${memory(bytes)}`))}. Together ${memory(kept.bytes)}; in tiles ${memory(tiled.bytes)}.`,
    table: { caption: ['Bytes of each pass'], columns: [['pass'], ['bytes'], ['in tiles']], rows: read.all.map(({ name, bytes, spared }) => [name, count(bytes), spared ? 'spared' : 'moved']) },
  };
}

/**
 * @param {Result} result
 * @param {Price} price
 * @param {Env} env
 * @returns {Figure}
 */
function intensity(result, price, env) {
  const width = half(env);
  const read = readPasses(result);
  const drawn = intensityFigure({ passes: read, price, width, ...common(env, 'intensity') });
  const [kept, tiled] = price.algorithms;
  const chosen = price.m === price.n ? '' : ` With the ${count(price.m)} keys of Fig. 1 it is ${three(kept.intensity)} and ${three(tiled.intensity)}.`;
  const bounds = [{ name: 'with scores kept', atLeast: kept.atLeast }, { name: 'in tiles', atLeast: tiled.atLeast }].filter(({ atLeast }) => Number.isFinite(atLeast)).map(({ name, atLeast }) => `${name} at least ${three(atLeast)}`);
  const measured = bounds.length > 0 ? ` Measured at the sizes of Fig. 1: ${bounds.join(', ')}, the operations over the bytes that memory, as fast as it copies, could move in their time.` : '';
  return {
    id: 'intensity', number: 3, width, height: drawn.height, node: drawn.node, marks: drawn.marks,
    caption: ['The ratio as the length grows, with as many keys as queries: with scores kept it tends to (', { i: 'd' }, ' + ', { i: 'v' }, `)/8, here ${three(read.limit)}; in tiles, `, { i: 'broken' }, ', it goes on.', chosen, measured, ' At the right, what machines ask for.', { act: ' Drag the rule.' }],
    summary: `Operations a byte against the number of queries, with as many keys. Kept scores tend to ${three(read.limit)}, with the softmax counted ${three(read.softmax)}. At n = ${count(price.n)}: ${three(read.here)} with scores kept, ${three(read.hereTiled)} in tiles.${chosen}${measured} ${price.machines.map(({ name, ridge }) => `${name} asks for ${three(ridge)}`).join(', ')}${price.measured ? `, the one measured for ${three(price.ridge)}` : ''}.`,
    table: { caption: ['Operations a byte'], columns: [[{ i: 'n' }], ['scores kept'], ['in tiles']], rows: read.n.map((n, i) => [count(n), three(read.kept[i]), three(read.tiled[i])]) },
    drag: { param: 'n', label: 'queries n', toValue: drawn.toValue },
  };
}

/**
 * @param {Result} result
 * @param {Price} price
 * @param {Env} env
 * @returns {Figure}
 */
function growth(result, price, env) {
  const { width } = env;
  const read = readGrowth(result);
  const drawn = growthFigure({ growth: read, price, width, ...common(env, 'growth') });
  const any = read.masks.some(({ times }) => times.some(({ ms }) => Number.isFinite(ms.median)));
  const timesWords = !any ? '' : price.measured ? ' Marks with bars are times measured, with their quartiles: how far they stand above their line is what the kernel loses to all that is not a product, and under a mask to some products too: eight queries go together, and each is multiplied with every key that one of them sees.' : ' Times without the limits of their machine have no place here and stand in the table alone.';
  const short = price.n < read.n[0] ? ` The values at the rule are those of ${count(price.n)}, below the ${count(read.n[0])} at which the sheet begins.` : '';
  const [, causal, windowed] = read.masks;
  return {
    id: 'growth', number: 4, width, height: drawn.height, node: drawn.node, marks: drawn.marks,
    caption: ['Operations against the length, without a mask, causal, ', { i: 'broken' }, ', and in a window, ', { i: 'thin' }, `.${timesWords}${short}`, { act: ' Drag the rule.' }],
    summary: `At n = ${count(price.n)}: ${read.masks.map(({ name, here, share, sorts }) => `${name} ${large(here)} operations, ${share === 1 ? 'all' : `${fixed(100 * share, 1)}%`} of the pairs, ${count(sorts[0] + sorts[1])} tiles visited and ${count(sorts[2])} skipped`).join('; ')}. Without a mask and causally the operations grow with the square of the length, in a window with the length. A causal mask leaves ${fixed(100 * causal.share, 1)}%, ${windowed.name} ${fixed(100 * windowed.share, 1)}%.${any ? ` Measured: ${read.masks.map(({ name, times }) => `${name} ${times.filter(({ ms }) => Number.isFinite(ms.median)).map(({ n, ms, timed: run }) => `${count(n)} in ${three(ms.median)} ms${run < n ? ` by ${partOf(run, n)}` : ''}`).join(', ') || 'nothing'}`).join('; ')}.` : ''}`,
    table: {
      caption: ['Operations, tiles visited, and times measured'],
      columns: [[{ i: 'n' }], ...read.masks.flatMap(({ name }) => [[name], ['tiles'], ['time']])],
      rows: read.n.map((n, i) => [count(n), ...read.masks.flatMap(({ operations, tiles, times }) => {
        const time = times.find((each) => each.n === n);
        return [count(operations[i]), count(tiles[i]), time ? timed(time.ms, time.timed, time.n) : ''];
      })]),
    },
    drag: { param: 'n', label: 'queries n', toValue: drawn.toValue },
  };
}

/** What makes a line of the race run level. */
const LEVEL = 'come of operations alone, or of the largest intermediate alone';

/**
 * @param {Result} result
 * @param {Env} env
 * @returns {Figure}
 */
function race(result, env) {
  const { width } = env;
  const read = readRace(result);
  const drawn = raceFigure({ race: read, width, ...common(env, 'race') });
  const ran = read.filter(({ byOperations, byTime }) => byOperations !== 1 && Number.isFinite(byTime.median));
  const parts = partWords(read.map((each) => ({ ...each, name: `${each.rule}, width ${each.width}` })));
  const untimed = ran.length === 0 ? [] : read.filter(({ byOperations, byTime }) => byOperations !== 1 && !Number.isFinite(byTime.median));
  return {
    id: 'race', number: 5, width, height: drawn.height, node: drawn.node, marks: drawn.marks,
    caption: ['Additive scoring over the dot product: four sequences of 512 queries and keys, all widths 64 or 256. ', { i: 'Filled' }, ' keeps its hidden units, ', { i: 'open' }, `${ran.length > 0 ? ' and broken lines do not' : ' does not'}; larger marks are width 256.${ran.length === 0 ? ` Dotted: where times would stand that ${LEVEL}.` : ` Times that ${LEVEL}, stand level with that measure. The additive rules were timed on one of the four sequences, times four.${parts}`}${untimed.length > 0 ? ` Dotted, without a time: ${untimed.map(({ rule, width: of }) => `${rule}, width ${of}`).join('; ')}.` : ''}`],
    summary: `Additive scoring of four sequences of 512 queries and keys over the dot product. ${read.filter(({ byOperations }) => byOperations !== 1).map(({ rule, width: of, byOperations, byLargest, byTime }) => `${rule}, width ${of}: ${three(byOperations)} times the operations, ${three(byLargest)} times the largest intermediate${Number.isFinite(byTime.median) ? `, ${three(byTime.median)} times the time` : ''}`).join('; ')}. ${ran.length > 0 ? 'The times were measured, those of the additive rules on one of the four sequences, times four.' : 'Times are not measured yet.'}${parts}`,
    table: {
      caption: ['Scores of four sequences, 512 by 512'],
      columns: [['rule'], ['width'], ['operations'], ['over dot'], ['largest intermediate'], ['over dot'], ['time'], ['over dot']],
      rows: read.map((r) => [r.rule, String(r.width), count(r.operations), three(r.byOperations), count(r.largest), three(r.byLargest), timed(r.ms, r.timed, r.n), Number.isFinite(r.byTime.median) ? three(r.byTime.median) : 'not measured']),
    },
  };
}

/** @param {Price} price @returns {Table} */
function readout(price) {
  const { chosen, measured, peak, bandwidth, ridge, machines } = price;
  const own = measured ? [['as measured', speed(peak.high), `${three(bandwidth.high)} GB/s`, three(ridge)]] : [];
  return {
    caption: [`${machines.map(({ source }) => source).join('. ')}. ${measured ? `As measured: quartiles ${three(peak.low)} to ${three(peak.high)} GFLOP/s, ${three(bandwidth.low)} to ${three(bandwidth.high)} GB/s.` : ''}`],
    columns: [['machine'], ['peak'], ['bandwidth'], ['operations a byte']],
    rows: [...machines.map((machine) => [machine === chosen ? `${machine.name}, chosen` : machine.name, speed(machine.gflops), `${count(machine.gbs)} GB/s`, three(machine.ridge)]), ...own],
  };
}

/** A time is kept by all its sizes at once; which of them differs, it cannot tell. @param {Price} price @returns {Note | null} */
function note({ stale }) {
  if (!(stale > 0)) return null;
  return { kind: 'note', title: 'Measured at other sizes', text: [stale === 1 ? 'One time belongs to another ' : `${shortest(stale)} times belong to another `, { i: 'n' }, ', ', { i: 'm' }, ', ', { i: 'd' }, ', ', { i: 'v' }, ', ', { i: 'h' }, ' or ', { i: 'w' }, stale === 1 ? ' and is not drawn. Measure again, or set these as they were.' : ' and are not drawn. Measure again, or set these as they were.'] };
}
