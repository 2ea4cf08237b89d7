/**
 * The weights key by key: three bars a key, one a rule, on one measure: a thin stem for the Gaussian, a solid bar for the dot product, an open one
 * for the scaled. After a move, a stroke across each bar says where its weight was.
 *
 * Not a path a bar but a path a rule, so that a plane under the hand redraws fast.
 */

import { scaleLinear } from 'd3-scale';
import { axisLeft } from '../../chart/axis.js';
import { weight } from '../../chart/format.js';
import { spread } from '../../chart/labels.js';
import { h } from '../../chart/node.js';
import { picture } from '../../chart/picture.js';
import { textWidth } from '../../chart/text.js';
import { ruleName } from './plane-fields.js';
import { RULES } from './plane-read.js';
import { agree } from './plane-words.js';

/** @typedef {import('../../chart/types.js').Mark} Mark */
/** @typedef {import('../../chart/types.js').VNode} VNode */
/** @typedef {import('./plane-read.js').Plane} Plane */

/** Where a measure may end, so that it seldom changes under the hand. */
const ENDS = [0.2, 0.5, 1];

/** The least height of a bar that is not zero, px. */
const HAIR = 0.75;

/**
 * @param {object} o
 * @param {Plane} o.plane
 * @param {number} o.width
 * @param {number} o.height  of the bars, px
 * @param {boolean} o.narrow
 * @param {string | null} o.hover
 * @returns {{node: VNode, marks: Mark[], height: number}}
 */
export function barsFigure({ plane, width, height, narrow, hover }) {
  const { keys, chosen, move, most } = plane;
  const size = narrow ? 14 : 15;
  const names = RULES.map((_, rule) => ruleName(plane, rule));
  const [left, top] = [46, 30];
  const right = width - Math.ceil(Math.max(...names.map((name) => textWidth(name, size)))) - 22;
  const foot = top + height;
  const moved = move !== 'none';
  const largest = Math.max(...plane.weights.flat(), ...(moved ? plane.weightsBefore.flat() : []));
  const end = ENDS.find((each) => largest <= each) ?? 1;
  const y = scaleLinear().domain([0, end]).range([foot, top]);
  const pitch = (right - left) / keys.length;
  const wide = Math.max(1.4, Math.min(9, pitch * 0.22));
  const step = Math.min(13, pitch * 0.28);
  const centre = (/** @type {number} */ k, /** @type {number} */ rule) => left + pitch * (k + 0.5) + (rule - 1) * step;
  const rise = (/** @type {number} */ value) => (value > 0 ? Math.max(HAIR, foot - y(value)) : 0);
  const marks = keys.map((_, k) => markOf(plane, k, { x: left + pitch * k, y: top - 4, w: pitch, h: foot - top + 26, cx: left + pitch * (k + 0.5), cy: y(Math.max(...plane.weights.map((row) => row[k]))) }));
  const hovered = marks.find(({ id }) => id === hover);
  const labelY = foot + 21;
  const ends = endPlaces();

  const node = picture({ width, height: labelY + 32, narrow }, [],
    hovered && h('rect', { class: 'hover-column', x: hovered.x, y: top - 4, width: hovered.w, height: height + 8 }),
    axisLeft({ ticks: [0, end / 2, end].map((value) => ({ at: y(value), label: String(value) })), x: left - 8, name: 'weight', nameX: left - 20, nameY: 14 }),
    h('path', { class: 'bar-line', d: `M${left} ${foot + 0.5}H${px(right)}` }),
    ends.map(({ rule, x, y: at }) => h('path', { class: `bar-tie ${RULES[rule].kind}`, d: `M${px(centre(keys.length - 1, rule) + (rule === 0 ? 1 : wide / 2))} ${px(Math.min(foot - 1, y(plane.weights[rule][keys.length - 1])))}L${px(x - 4)} ${px(at)}` })),
    RULES.map(({ kind }, rule) => h('g', { class: `rule-bars ${kind}` },
      h('path', { class: rule === 2 ? 'bars-open' : 'filled', d: plane.weights[rule].map((value, k) => bar(centre(k, rule), foot, rise(value), rule === 0 ? Math.max(1.4, wide * 0.36) : wide, rule === 2)).join('') }),
      h('path', { class: 'was', d: moved && !plane.stays[rule] ? plane.weightsBefore[rule].map((value, k) => `M${px(centre(k, rule) - wide / 2 - 2)} ${px(y(value))}h${px(wide + 4)}`).join('') : '' }))),
    keys.map((_, k) => (shownNumber(k, keys.length, pitch, chosen) ? h('text', { class: k === chosen ? 'key-number chosen' : 'key-number', x: centre(k, 1), y: labelY, 'text-anchor': 'middle' }, String(k + 1)) : null)),
    h('text', { class: 'name', x: right, y: labelY + 20, 'text-anchor': 'end' }, 'key'),
    keys.length > 1 && !agree(plane) && partMost(centre(most, 1), labelY, left, right - 30, size),
    h('g', { class: 'end-labels' }, ends.map(({ rule, x, y: at }) => h('text', { class: `end-label ${RULES[rule].kind}`, x, y: at, dy: '0.33em' }, names[rule]))));
  return { node, marks, height: labelY + 32 };

  /** Where the rules' names stand beyond the last key, each tied to its bar there, behind the others; in the order of the bars where those are about as high. */
  function endPlaces() {
    const last = keys.length - 1;
    const heights = names.map((_, rule) => y(plane.weights[rule][last]));
    const alike = Math.max(...heights) - Math.min(...heights) < 38;
    const ys = spread(alike ? heights.map(() => heights[1]) : heights, 19, [top + 4, foot - 6]);
    return ys.map((each, rule) => ({ rule, x: right + 20, y: each }));
  }
}

/**
 * A bar as a path: outlines have their stroke inside.
 * @param {number} x  px, its middle
 * @param {number} foot
 * @param {number} rise
 * @param {number} wide
 * @param {boolean} open
 */
function bar(x, foot, rise, wide, open) {
  if (rise === 0) return '';
  const inset = open ? Math.min(0.5, rise / 2) : 0;
  return `M${px(x - wide / 2 + inset)} ${px(foot - inset)}v${px(2 * inset - rise)}h${px(wide - 2 * inset)}v${px(rise - 2 * inset)}z`;
}

/** Every number, or every second and third where they would touch; the chosen one always. @param {number} k @param {number} count @param {number} pitch @param {number} chosen */
function shownNumber(k, count, pitch, chosen) {
  const every = Math.ceil(17 / pitch);
  return k === chosen || (k % every === 0 && (Math.abs(k - chosen) * pitch > 16 || count < 2));
}

/** @param {number} x @param {number} y @param {number} left @param {number} right @param {number} size */
function partMost(x, y, left, right, size) {
  const text = 'scaled alike, they part most here';
  const half = textWidth(text, size, true) / 2;
  const at = Math.max(left + half, Math.min(right - half, x));
  return h('g', { class: 'part-most' },
    h('path', { class: 'leader', d: `M${px(x - 3.5)} ${y + 9.5}L${px(x)} ${y + 5}L${px(x + 3.5)} ${y + 9.5}` }),
    h('text', { class: 'part-word', x: at, y: y + 23, 'text-anchor': 'middle' }, text));
}

/** @param {Plane} plane @param {number} k @param {Omit<Mark, 'id' | 'text'>} box @returns {Mark} */
function markOf(plane, k, box) {
  const now = RULES.map((_, rule) => `${ruleName(plane, rule)} ${weight(plane.weights[rule][k], 3)}${plane.move !== 'none' && !plane.stays[rule] ? ` (was ${weight(plane.weightsBefore[rule][k], 3)})` : ''}`);
  return { id: `bar-${k + 1}`, ...box, text: `key ${k + 1}: ${now.join(', ')}`, ...(k !== plane.chosen && { edit: { param: 'key', value: k + 1, label: 'show where its weight lies' } }) };
}

/** @param {number} value */
const px = (value) => Math.round(value * 100) / 100;
