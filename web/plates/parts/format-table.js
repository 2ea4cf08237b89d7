/**
 * Figure 2 of "Number formats": the chosen row in every format with every fill. Each cell says what became of the mask and what the fill
 * is once it has been rounded; the chosen one is ringed. Formats are rows and fills columns; on a phone the other way round.
 *
 * Names choose a format or a fill. A cell chooses its fill, or its format where the fill is chosen already.
 */

import { h } from '../../chart/node.js';
import { picture } from '../../chart/picture.js';
import { textWidth } from '../../chart/text.js';
import { verdictMark } from '../../chart/verdict.js';
import { fillName, numberIn, outcomeName } from './format-words.js';
import { valueText } from './format-trace.js';

/** @typedef {import('../../chart/types.js').Mark} Mark */
/** @typedef {import('../../chart/types.js').VNode} VNode */
/** @typedef {import('./format-row.js').Every} Every */
/** @typedef {import('./format-row.js').Row} Row */

/** Room for a fill below its outcome, px: ten characters. */
const DIGITS = 66;

/**
 * @param {object} o
 * @param {Every} o.every
 * @param {Row} o.row
 * @param {number} o.width
 * @param {boolean} o.narrow
 * @param {number} o.widen
 * @param {string | null} o.hover  id of the mark pointed at
 * @returns {{node: VNode, marks: Mark[], height: number}}
 */
export function tableFigure({ every, row, width, narrow, widen, hover }) {
  const down = narrow ? every.fills : every.dtypes;
  const across = narrow ? every.dtypes : every.fills;
  const cellAt = (/** @type {number} */ r, /** @type {number} */ c) => (narrow ? every.cell(c, r) : every.cell(r, c));
  const chosen = { r: down.indexOf(narrow ? row.fill : row.dtype), c: across.indexOf(narrow ? row.dtype : row.fill) };
  const left = Math.round(Math.min(narrow ? 78 : 96, (narrow ? 74 : 84) * widen));
  const wide = (width - left - 2) / across.length;
  const high = narrow ? 46 : 54;
  const head = 30;
  const height = head + down.length * high + 2;
  const label = (/** @type {string} */ name, /** @type {boolean} */ on) => ({ class: on ? 'format-name chosen' : 'format-name', text: fillName(name) });
  const type = narrow ? 13 : 15;

  const node = picture({ width, height, narrow }, [],
    across.map((name, c) => {
      const { class: kind, text } = label(name, c === chosen.c);
      return h('text', { class: kind, x: left + (c + 0.5) * wide, y: 17, 'text-anchor': 'middle', 'font-size': type }, text);
    }),
    h('path', { class: 'table-rule', d: `M0 ${head - 2.5}H${Math.floor(width)}M0 ${height - 1.5}H${Math.floor(width)}` }),
    down.map((name, r) => {
      const y = head + r * high;
      const { class: kind, text } = label(name, r === chosen.r);
      return h('g', { class: 'format-line' },
        r > 0 && h('path', { class: 'row-rule', d: `M0 ${y - 0.5}H${Math.floor(width)}` }),
        h('text', { class: kind, x: 0, y: y + high / 2, dy: '0.33em', 'font-size': type }, text),
        across.map((_, c) => outcomeCell(cellAt(r, c), left + c * wide, y, wide, high, type, widen)));
    }),
    ring(left + chosen.c * wide, head + chosen.r * high, wide, high, 'chosen-cell'),
    down.map((_, r) => across.map((__, c) => hover === cellId(r, c) && ring(left + c * wide, head + r * high, wide, high, 'cell-hover'))));

  return { node, height, marks: marksOf({ every, row, narrow, down, across, cellAt, left, wide, high, head, width }) };
}

/** @param {number} r @param {number} c */
const cellId = (r, c) => `outcome-${r + 1}-${c + 1}`;

/**
 * @param {number} x
 * @param {number} y
 * @param {number} wide
 * @param {number} high
 * @param {string} kind
 */
const ring = (x, y, wide, high, kind) => h('rect', { class: kind, x: x + 2, y: y + 2.5, width: wide - 4, height: high - 6, rx: 2, fill: 'none' });

/**
 * Mark and word, and below them the fill in soft ink.
 * @param {ReturnType<Every['cell']>} cell
 * @param {number} x
 * @param {number} y
 * @param {number} wide
 * @param {number} high
 * @param {number} type
 * @param {number} widen
 */
function outcomeCell({ outcome, verdict, fill }, x, y, wide, high, type, widen) {
  const text = outcomeName(outcome, verdict);
  const good = verdict === 'exact';
  const middle = x + wide / 2;
  const half = (textWidth(text, type) * widen + 13) / 2;
  const line = y + high / 2 - 4;
  return [
    verdictMark(good, middle - half + 3.5, line - 4.6, 3.2),
    h('text', { class: good ? 'outcome-word scaled' : 'outcome-word unscaled', x: middle - half + 13, y: line, 'font-size': type }, text),
    h('text', { class: 'step-about', x: middle, y: line + 17, 'text-anchor': 'middle', 'font-size': 12.5 }, numberIn(fill, Math.min(DIGITS, wide - 10) / widen, 12.5)),
  ];
}

/**
 * @param {object} o
 * @param {Every} o.every
 * @param {Row} o.row
 * @param {boolean} o.narrow
 * @param {string[]} o.down
 * @param {string[]} o.across
 * @param {(r: number, c: number) => ReturnType<Every['cell']>} o.cellAt
 * @param {number} o.left
 * @param {number} o.wide
 * @param {number} o.high
 * @param {number} o.head
 * @param {number} o.width
 * @returns {Mark[]}
 */
function marksOf({ row, narrow, down, across, cellAt, left, wide, high, head }) {
  const dtype = (/** @type {string} */ name) => ({ text: `scores in ${name}`, edit: { param: 'dtype', value: name, label: 'take this format' } });
  const fill = (/** @type {string} */ name) => ({ text: `fill ${fillName(name)}`, edit: { param: 'fill', value: name, label: 'take this fill' } });
  const cell = (/** @type {number} */ r, /** @type {number} */ c) => {
    const { outcome, fill: filled } = cellAt(r, c);
    const [format, with_] = narrow ? [across[c], down[r]] : [down[r], across[c]];
    const text = `${format}, ${fillName(with_)}: ${outcome}; the fill is ${valueText(filled)}`;
    if (format === row.dtype && with_ === row.fill) return { text: `${text}; shown above` };
    return { text, edit: with_ === row.fill ? dtype(format).edit : fill(with_).edit };
  };
  return [
    ...across.map((name, c) => ({ id: `across-${c + 1}`, x: left + c * wide, y: 0, w: wide, h: head - 4, cx: left + (c + 0.5) * wide, cy: 2, ...(narrow ? dtype(name) : fill(name)) })),
    ...down.flatMap((name, r) => [
      { id: `down-${r + 1}`, x: 0, y: head + r * high, w: left, h: high - 1, cx: left / 2, cy: head + r * high, ...(narrow ? fill(name) : dtype(name)) },
      ...across.map((_, c) => ({ id: cellId(r, c), x: left + c * wide, y: head + r * high, w: wide, h: high - 1, cx: left + (c + 0.5) * wide, cy: head + r * high, ...cell(r, c) })),
    ]),
  ];
}
