/**
 * One printed table of the ledger, engraved: every number twice, ours above and the one in print below it, with a mark for the verdict.
 * Rows and columns are those of the print; a row too long is broken in even parts, and only whole rows are ruled off.
 */

import { h } from '../../chart/node.js';
import { picture } from '../../chart/picture.js';
import { unrounded } from '../../chart/format.js';
import { textWidth } from '../../chart/text.js';
import { verdictMark } from '../../chart/verdict.js';

/** @typedef {import('../../chart/types.js').Mark} Mark */
/** @typedef {import('../../chart/types.js').VNode} VNode */
/** @typedef {import('./slots.js').PrintedTable} PrintedTable */
/** @typedef {import('./slots.js').Slot} Slot */

const ROW = 43;
/** px from a cell's left edge to its text; the mark stands in it. */
const INDENT = 13;
/** The words at the left of every row, px. */
const WORDS = 38;

/** @type {Record<string, string>} */
const NAMES = { jax: 'JAX', torch: 'PyTorch' };

/** @param {PrintedTable} table */
export const frameworkOf = ({ framework }) => NAMES[framework] ?? framework;

/** How a table came out, in words. @param {PrintedTable} table */
export function verdictOf({ slots, matches }) {
  const of = slots.length;
  return matches === of ? `${of} of ${of} match` : `${of - matches} of ${of} differ`;
}

/** @param {Slot} slot */
export const slotText = (slot) => `${slot.entry}: ours ${slot.ours}, in print ${slot.printed}: ${slot.match ? 'match' : 'differs'}; unrounded ${unrounded(slot.value)}`;

/**
 * @param {object} o
 * @param {PrintedTable} o.table
 * @param {number} o.width
 * @param {boolean} o.narrow
 * @param {string | null} o.hover  id of the mark pointed at
 * @returns {{node: VNode, marks: Mark[], height: number}}
 */
export function printedTable({ table, width, narrow, hover }) {
  const left = WORDS + (table.named ? 58 : 0);
  const { perLine, size } = lines(table, width - left);
  const cell = (width - left) / perLine;
  const top = headHeight(table, width) + (table.named ? 26 : 6);
  const spots = table.slots.map((slot, i) => ({ slot, line: Math.floor(i / perLine), x: left + (i % perLine) * cell, y: top + Math.floor(i / perLine) * ROW }));
  const count = Math.ceil(table.slots.length / perLine);
  const height = top + count * ROW + 1;
  const marks = spots.map(({ slot, x, y }) => ({ id: `slot-${slot.number}`, x, y, w: cell, h: ROW, cx: x + INDENT, cy: y + 4, text: slotText(slot) }));
  const hovered = marks.find(({ id }) => id === hover);
  const row = (/** @type {number} */ line) => spots[line * perLine].slot.row;
  const rule = (/** @type {number} */ y, /** @type {string} */ kind) => h('path', { class: kind, d: `M0 ${Math.round(y) + 0.5}H${Math.round(width)}` });

  const node = picture({ width, height, narrow }, [],
    heading(table, width),
    rule(headHeight(table, width) - 1, 'table-rule'),
    table.named && spots.slice(0, perLine).map(({ slot, x }) => h('text', { class: `name ${slot.column}`, x: x + INDENT, y: top - 8 }, slot.column)),
    Array.from({ length: count }, (_, line) => {
      const y = top + line * ROW;
      return [
        line > 0 && row(line) !== row(line - 1) && rule(y, 'row-rule'),
        table.named && h('text', { class: 'row-name', x: 0, y: y + 18 }, row(line)),
        h('text', { class: 'row-word', x: left - 6, y: y + 18, 'text-anchor': 'end' }, 'ours'),
        h('text', { class: 'row-word', x: left - 6, y: y + 35, 'text-anchor': 'end' }, 'print'),
      ];
    }),
    rule(height - 1, 'table-rule'),
    hovered && h('rect', { class: 'cell-hover', x: hovered.x - 3, y: hovered.y + 2, width: hovered.w - 2, height: ROW - 4 }),
    spots.map(({ slot, x, y }) => h('g', { class: slot.match ? 'slot' : 'slot differs' },
      verdictMark(slot.match, x + 5, y + 13.5),
      h('text', { class: 'ours', x: x + INDENT, y: y + 18, 'font-size': size }, slot.ours),
      h('text', { class: 'printed', x: x + INDENT, y: y + 35, 'font-size': size }, slot.printed))));
  return { node, marks, height };
}

/**
 * How many numbers stand on a line, and in which size: the print's own row, or an even part of it that fits.
 * @param {PrintedTable} table
 * @param {number} room  px
 */
function lines({ slots, columns, named }, room) {
  const widest = (/** @type {number} */ size) => Math.max(...slots.flatMap(({ ours, printed }) => [textWidth(ours, size), textWidth(printed, size)]));
  let perLine = columns;
  while (perLine > 1 && !named && (columns % perLine !== 0 || room / perLine < widest(13) + INDENT + 1)) perLine--;
  return { perLine, size: room / perLine < widest(15) + INDENT + 6 ? 13 : 15 };
}

/** Title and verdict share a line where both fit. @param {PrintedTable} table @param {number} width */
function headHeight(table, width) {
  return fits(table, width) ? 34 : 54;
}

/** @param {PrintedTable} table @param {number} width */
function fits(table, width) {
  return textWidth(`${frameworkOf(table)}  ${table.about}`, 16.5) + textWidth(verdictOf(table), 15) + 44 <= width;
}

/** @param {PrintedTable} table @param {number} width */
function heading(table, width) {
  const all = table.matches === table.slots.length;
  const verdict = verdictOf(table);
  const one = fits(table, width);
  const y = one ? 20 : 42;
  const x = one ? width - textWidth(verdict, 15) - 2 : 12;
  return h('g', { class: 'table-head' },
    h('text', { class: 'table-title', x: 0, y: 20 }, h('tspan', { class: 'framework' }, frameworkOf(table)), h('tspan', { dx: 8, class: 'about' }, table.about)),
    verdictMark(all, x - 9, y - 4.5, 3.2),
    h('text', { class: all ? 'table-verdict scaled' : 'table-verdict unscaled', x: one ? width : x, y, 'text-anchor': one ? 'end' : 'start' }, verdict));
}
