/**
 * A row of engraved cells, each with its value: numbers of a computation, one a key or a position.
 *
 * Five kinds of cell. `plain`; `tint`, neutral ink by value; `ink`, sheet to blue by weight; `closed`, hatched, what a mask excludes;
 * `wrong`, hatched in red with its corner filled, what should not be there: a weight on an excluded key, or no number at all.
 * Cells may be wider than high; those of a map are chart/heatmap.js's.
 */

import { TINT } from '../../chart/heatmap.js';
import { hatch } from '../../chart/hatch.js';
import { h } from '../../chart/node.js';
import { valueClass } from '../../chart/theme.js';

/** @typedef {import('../../chart/types.js').VNode} VNode */

/**
 * @typedef {object} NumberCell
 * @property {'plain' | 'tint' | 'ink' | 'closed' | 'wrong'} kind
 * @property {string} text
 * @property {number} [share]  0..1, of the ink or tint
 * @property {boolean} [hover]
 */

/** Ids of the two hatchings of a figure. @param {string} prefix */
export const hatchIds = (prefix) => ({ closed: `${prefix}-closed`, wrong: `${prefix}-wrong` });

/** @param {string} prefix */
export function hatches(prefix) {
  const ids = hatchIds(prefix);
  return [hatch(ids.closed, 'excluded', { spacing: 4 }), hatch(ids.wrong, 'unscaled', { spacing: 4.4, angle: -45 })];
}

/**
 * @param {object} o
 * @param {NumberCell[]} o.cells
 * @param {number} o.x  px, left edge of the first
 * @param {number} o.y
 * @param {number} o.wide  px, of a cell
 * @param {number} o.high
 * @param {number} o.type  px, size of the values
 * @param {string} o.prefix  of the hatchings' ids
 * @returns {VNode}
 */
export function numberCells({ cells, x, y, wide, high, type, prefix }) {
  const ids = hatchIds(prefix);
  const whole = cells.length * wide;
  const box = (/** @type {number} */ k) => `M${px(x + k * wide)} ${px(y)}h${px(wide)}v${px(high)}h-${px(wide)}z`;
  const all = (/** @type {string} */ kind) => cells.map((cell, k) => (cell.kind === kind ? box(k) : '')).join('');
  const [closed, wrong] = [all('closed'), all('wrong')];
  const corner = Math.min(8, high * 0.22);
  return h('g', { class: 'heatmap number-cells' },
    h('rect', { class: 'cells-ground', x, y, width: whole, height: high }),
    closed !== '' && h('path', { class: 'filled excluded', d: closed, fill: `url(#${ids.closed})` }),
    wrong !== '' && h('path', { class: 'filled wrong', d: wrong, fill: `url(#${ids.wrong})` }),
    cells.map(({ kind, share = 0 }, k) => (kind === 'ink' || kind === 'tint') && share > 0
      && h('path', { class: `filled ${kind === 'ink' ? 'inked' : 'tinted'}`, d: box(k), 'fill-opacity': Math.min(1, share) * (kind === 'ink' ? 1 : TINT) })),
    h('path', { class: 'cells', d: cells.slice(1).map((_, k) => `M${px(x + (k + 1) * wide)} ${px(y)}v${px(high)}`).join('') }),
    h('rect', { class: 'cells-frame', x, y, width: whole, height: high, fill: 'none' }),
    wrong !== '' && h('path', { class: 'filled differing-corner', d: cells.map(({ kind }, k) => (kind === 'wrong' ? `M${px(x + (k + 1) * wide)} ${px(y)}v${px(corner)}l-${px(corner)} -${px(corner)}z` : '')).join('') }),
    cells.map((cell, k) => h('text', { class: `print ${tone(cell)}`, x: x + (k + 0.5) * wide, y: y + high / 2, dy: '0.33em', 'text-anchor': 'middle', 'font-size': type }, cell.text)),
    cells.map((cell, k) => cell.hover && h('rect', { class: 'cell-hover', x: x + k * wide, y, width: wide, height: high })));
}

/** @param {NumberCell} cell */
function tone({ kind, share = 0 }) {
  if (kind === 'closed') return 'value-excluded';
  if (kind === 'wrong') return 'value-wrong';
  return kind === 'ink' ? valueClass(share) : 'value-tint';
}

/** Hundredths of a pixel. @param {number} value */
function px(value) {
  return Math.round(value * 100) / 100;
}
