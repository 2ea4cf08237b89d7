/**
 * Figure 1 of "Batched attention": one sequence on its way through the layer, every matrix with its shape. A line runs down each key from
 * matrix to matrix; it ends where the mask or dropout ends it, and what arrives at the values is what the output is made of.
 *
 *   output = dropout(masked_softmax(Q K^T / sqrt(d))) V. Every value is the core's.
 */

import { fixed, weight } from '../../chart/format.js';
import { PRINTED } from '../../chart/heatmap.js';
import { h } from '../../chart/node.js';
import { picture } from '../../chart/picture.js';
import { textWidth } from '../../chart/text.js';
import { flowCells } from './flow-cells.js';
import { flowLayout } from './flow-layout.js';
import { isOpen, isRead, isSeen, notFinite, sumText } from './flow-model.js';
import { blockName, markOf, nothingThere } from './flow-words.js';
import { hatches } from './number-cells.js';

/** @typedef {import('../../chart/types.js').Mark} Mark */
/** @typedef {import('../../chart/types.js').VNode} VNode */
/** @typedef {import('./flow-cells.js').FlowCell} FlowCell */
/** @typedef {import('./flow-layout.js').Block} Block */
/** @typedef {import('./flow-layout.js').Layout} Layout */
/** @typedef {import('./flow-model.js').Flow} Flow */
/** @typedef {import('./flow-model.js').Stage} Stage */

/** Along the keys, from top to bottom: the lines run through these. */
const DOWN = /** @type {const} */ (['keys', 'products', 'scaled', 'allowed', 'weights', 'pooled', 'values']);

/**
 * @param {object} o
 * @param {Flow} o.flow
 * @param {number} o.width
 * @param {boolean} o.narrow
 * @param {number} o.widen
 * @param {string} o.uid
 * @param {string | null} o.hover  id of the mark pointed at
 * @returns {{node: VNode, marks: Mark[], height: number}}
 */
export function flowFigure({ flow, width, narrow, widen, uid, hover }) {
  const layout = flowLayout(flow, width, narrow, widen);
  const { blocks } = layout;
  const prefix = `${uid}-flow`;
  const order = narrow ? /** @type {const} */ (['queries', ...DOWN, 'output']) : /** @type {const} */ (['keys', 'queries', ...DOWN.slice(1), 'output']);
  /** @type {Mark[]} */
  const marks = [];
  const drawn = order.map((stage) => {
    const block = blocks[stage];
    const cells = cellsOf(flow, stage, block, narrow, widen);
    const own = cells.flatMap((row, i) => row.map((_, j) => ({ id: `${stage}-${i + 1}-${j + 1}`, x: block.x + j * block.wide, y: block.y + i * block.high, w: block.wide, h: block.high, cx: block.x + (j + 0.5) * block.wide, cy: block.y + i * block.high, ...markOf(flow, stage, narrow, i, j) })));
    marks.push(...own);
    const at = own.findIndex(({ id }) => id === hover);
    return h('g', { class: `flow-block flow-${stage}` },
      cells.length > 0 && cells[0].length > 0
        ? flowCells(cells, { ...block, type: typeSize(block, narrow) }, prefix, at < 0 ? null : { row: Math.floor(at / cells[0].length), column: at % cells[0].length })
        : h('text', { class: 'step-about', x: block.x, y: block.y + block.height / 2, dy: '0.33em', 'font-size': 14 }, flow.sequence < 0 ? 'no sequence' : nothingThere(flow, stage)),
      narrow ? nameAbove(flow, stage, block, widen, width) : nameBeside(flow, stage, layout));
  });
  const node = picture({ width, height: layout.height, narrow }, hatches(prefix),
    flow.sequence >= 0 && [
      h('text', { class: 'row-head', x: 0, y: 16 }, h('tspan', { class: 'strong' }, `sequence ${flow.sequence + 1}`), h('tspan', { dx: 6 }, `of ${flow.batch}`)),
      keyNumbers(flow, layout),
      h('path', { class: 'flow', d: lines(flow, layout) }),
      !narrow && joints(flow, layout),
    ],
    drawn,
    !narrow && sums(flow, layout));
  return { node, marks: flow.sequence < 0 ? [] : marks, height: layout.height };
}

/** @param {Flow} flow @param {Layout} layout */
function keyNumbers({ keys }, { keys: { x, wide }, numbersY, narrow }) {
  const every = wide >= 15 ? 1 : 2;
  return Array.from({ length: keys }, (_, k) => k % every === 0 && h('text', { class: 'key-number', x: x + (k + 0.5) * wide, y: numbersY, 'text-anchor': 'middle' }, k === 0 && wide >= 44 && !narrow ? 'key 1' : String(k + 1)));
}

/**
 * The line of every key from each matrix to the next, as far as something flows.
 * @param {Flow} flow
 * @param {Layout} layout
 */
function lines(flow, { blocks, keys: { x, wide }, narrow }) {
  const b = flow.sequence;
  const flows = (/** @type {number} */ to, /** @type {number} */ k) => (DOWN[to] === 'weights' || DOWN[to] === 'pooled' ? isSeen(flow, b, k) : DOWN[to] === 'values' ? isRead(flow, b, k) : true);
  return DOWN.slice(1).map((stage, s) => Array.from({ length: flow.keys }, (_, k) => {
    if (!flows(s + 1, k) || flow.queries === 0) return '';
    const from = blocks[DOWN[s]].y + blocks[DOWN[s]].height;
    // on a phone the name of the next matrix stands between the two
    const length = narrow ? 6 : blocks[stage].y - from - 2;
    return `M${Math.round(x + (k + 0.5) * wide) + 0.5} ${from + (narrow ? 0.5 : 1)}v${length}`;
  }).join('')).join('');
}

/** Arrows from the queries to the products, and from the values to the output. @param {Flow} flow @param {Layout} layout */
function joints({ queries, keys }, { blocks, keys: { x }, right }) {
  const arrow = (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ y) => `M${Math.round(from)} ${Math.round(y) + 0.5}H${Math.round(to)}m-5 -4l5 4l-5 4`;
  const middle = (/** @type {Block} */ { y, height }) => y + height / 2;
  if (queries === 0) return null;
  return h('path', { class: 'arrow', d: arrow(x - 26, x - 8, middle(blocks.products)) + (keys === 0 ? '' : arrow(right + 8, right + 26, middle(blocks.values))) });
}

/**
 * The size of the values in a block, px.
 * @param {Block} block
 * @param {boolean} narrow
 */
const typeSize = ({ high, wide }, narrow) => (narrow || wide < 40 ? Math.min(12, high - 3) : Math.min(14.5, high - 3));

/**
 * @param {Flow} flow
 * @param {Stage} stage
 * @param {Block} block
 * @param {boolean} narrow
 * @param {number} widen
 * @returns {FlowCell[][]}
 */
function cellsOf(flow, stage, block, narrow, widen) {
  const b = flow.sequence;
  if (b < 0) return [];
  const { rows, columns } = block;
  const type = typeSize(block, narrow);
  const room = (block.wide - 5) / widen;
  const value = (/** @type {number} */ i, /** @type {number} */ j) => valueAt(flow, stage, narrow, i, j);
  const values = Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (__, j) => value(i, j)));
  const share = stage === 'weights';
  const digits = type < 9.5 || block.wide < PRINTED ? -1 : digitsFor(values.flat(), room, type, share);
  const print = (/** @type {number} */ each) => (digits < 0 ? '' : printed(each, digits, room, type, share));
  // products and scaled scores share one measure, so that the division can be seen
  const together = stage === 'products' || stage === 'scaled' ? ['products', 'scaled'].flatMap((name) => allOf(flow, /** @type {Stage} */ (name))) : values.flat();
  const finite = together.filter(Number.isFinite);
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  return values.map((row, i) => row.map((each, j) => {
    if (stage === 'allowed') return { kind: each === 1 ? 'dot' : 'closed', text: '' };
    if (!Number.isFinite(each)) return { kind: 'wrong', text: textWidth(Number.isNaN(each) ? 'NaN' : '−∞', type) <= room + 3 && type >= 9.5 ? (Number.isNaN(each) ? 'NaN' : each > 0 ? '∞' : '−∞') : '' };
    const tinted = /** @type {const} */ ({ kind: 'tint', share: high > low ? (each - low) / (high - low) : 0.5, text: print(each) });
    if (stage === 'weights' || stage === 'pooled') {
      if (!isOpen(flow, b, i, j)) return { kind: 'closed', text: print(each) };
      if (stage === 'pooled' && flow.drops && !flow.kept(b, i, j)) return { kind: 'dropped', text: print(each) };
      return { kind: 'ink', share: each, text: print(each) };
    }
    if (stage === 'values') {
      if (!isSeen(flow, b, j)) return { kind: 'closed', text: print(each) };
      if (!isRead(flow, b, j)) return { kind: 'unread', text: print(each) };
    }
    return tinted;
  }));
}

/**
 * A value where it is drawn: keys and values stand transposed, and so does the output beside them.
 * @param {Flow} flow
 * @param {Stage} stage
 * @param {boolean} narrow
 * @param {number} i
 * @param {number} j
 */
export function valueAt({ stages, sequence }, stage, narrow, i, j) {
  const turned = stage === 'keys' || stage === 'values' || (stage === 'output' && !narrow);
  return turned ? stages[stage].at(sequence, j, i) : stages[stage].at(sequence, i, j);
}

/** @param {Flow} flow @param {Stage} stage */
function allOf({ stages, sequence }, stage) {
  const [, rows, columns] = stages[stage].shape;
  return Array.from({ length: rows * columns }, (_, at) => stages[stage].at(sequence, Math.floor(at / columns), at % columns));
}

/**
 * How many decimals every value of a block can have in its cell; -1 where they cannot be printed.
 * @param {number[]} values
 * @param {number} room  px
 * @param {number} type  px
 * @param {boolean} share  they are shares of one
 */
function digitsFor(values, room, type, share) {
  const finite = values.filter(Number.isFinite);
  const fits = (/** @type {number} */ digits) => finite.every((each) => textWidth(printed(each, digits, room, type, share), type) <= room);
  return finite.every(Number.isInteger) && fits(0) ? 0 : [2, 1].find(fits) ?? -1;
}

/**
 * A value with so many decimals. One that would round to zero keeps its sign and a bound, without its leading zero where that is what fits.
 * @param {number} value
 * @param {number} digits
 * @param {number} room  px
 * @param {number} type  px
 * @param {boolean} share  of one: only one itself is printed as `1`
 */
function printed(value, digits, room, type, share) {
  if (value === 0) return '0';
  if (share || value === 1) return weight(value, digits);
  const text = fixed(value, digits);
  return /[<>]/.test(text) && textWidth(text, type) > room ? text.replace('0.', '.') : text;
}

/**
 * @param {Flow} flow
 * @param {Stage} stage
 * @param {Layout} layout
 */
function nameBeside(flow, stage, { blocks, right }) {
  const block = blocks[stage];
  const { name, about } = blockName(flow, stage);
  const wrong = badWords(flow, stage);
  if (stage === 'output' || stage === 'queries') {
    const up = stage === 'queries';
    const y = up ? block.y - 27 : block.y + block.height + 20;
    return [h('text', { class: 'step-name', x: block.x, y }, name), h('text', { class: 'step-about', x: block.x, y: y + 16, 'font-size': 13 }, about),
      wrong !== '' && h('text', { class: 'empty', x: block.x, y: up ? block.y + block.height + 17 : y + 33, 'font-size': 14 }, wrong)];
  }
  const middle = block.y + Math.min(block.height, 60) / 2;
  return [
    h('text', { class: 'step-name', x: 0, y: middle - 2 }, name),
    h('text', { class: 'step-about', x: 0, y: middle + 14, 'font-size': 13 }, about),
    wrong !== '' && (stage === 'values'
      ? h('text', { class: 'empty', x: 0, y: middle + 32, 'font-size': 14 }, wrong)
      : h('text', { class: 'empty', x: right + (stage === 'weights' || stage === 'pooled' ? 74 : 14), y: block.y + block.height / 2, dy: '0.33em', 'font-size': 14 }, wrong)),
  ];
}

/**
 * @param {Flow} flow
 * @param {Stage} stage
 * @param {Block} block
 * @param {number} widen
 * @param {number} width
 */
function nameAbove(flow, stage, block, widen, width) {
  const { name, about } = blockName(flow, stage);
  const y = block.y - (stage === 'keys' ? 23 : 8);
  const wrong = badWords(flow, stage);
  const sum = flow.sequence >= 0 && (stage === 'weights' || stage === 'pooled') && flow.queries === 1 ? sumText(flow.sums[stage](flow.sequence, 0)) : '';
  return [
    h('text', { class: 'step-name', x: 0, y }, name),
    h('text', { class: 'step-about', x: textWidth(name, 15, true) * widen + 8, y, 'font-size': 13 }, about),
    h('text', { class: wrong === '' ? 'step-reading' : 'empty', x: width, y, 'text-anchor': 'end', 'font-size': 13 }, wrong !== '' ? wrong : sum !== '' && [h('tspan', { class: 'reading-name' }, 'sum'), h('tspan', { dx: 5 }, sum)]),
  ];
}

/**
 * What of this matrix is not a finite number, in words; of the sequence that is shown.
 * @param {Flow} flow
 * @param {Stage} stage
 */
function badWords(flow, stage) {
  const bad = notFinite(flow, stage).filter(({ b }) => b === flow.sequence);
  return bad.length === 0 ? '' : `${bad.length} not finite`;
}

/** Row sums right of the weights, before dropout and after it. @param {Flow} flow @param {Layout} layout */
function sums(flow, { blocks, right }) {
  if (flow.sequence < 0) return null;
  return /** @type {const} */ (['weights', 'pooled']).map((stage) => {
    const { y, high } = blocks[stage];
    if (high < 13) return null;
    return Array.from({ length: flow.queries }, (_, i) => {
      const none = stage === 'weights' && flow.empty(flow.sequence, i);
      return h('text', { class: 'step-reading', x: right + 14, y: y + (i + 0.5) * high, dy: '0.33em', 'font-size': Math.min(15, high - 1) },
        none ? h('tspan', { class: 'empty' }, 'empty') : [i === 0 && h('tspan', { class: 'reading-name' }, 'sum'), h('tspan', { dx: i === 0 ? 6 : 0 }, sumText(flow.sums[stage](flow.sequence, i)))]);
    });
  });
}

/**
 * The way of one sequence without its values: keys, scores, weights, what dropout leaves, values, and the output beside them.
 * @param {Flow} flow
 * @param {number} width
 * @param {string} uid
 * @returns {VNode}
 */
export function flowEmblem(flow, width, uid) {
  const prefix = `${uid}-emblem`;
  const [wide, high, gap] = [Math.floor((width - 40) / (flow.keys + 1)), 21, 15];
  const stages = /** @type {const} */ (['keys', 'scaled', 'weights', 'pooled', 'values']);
  let y = 4;
  const rows = stages.map((stage) => {
    const [rowsHere, at] = [stage === 'keys' ? flow.d : stage === 'values' ? flow.width : flow.queries, y];
    y += rowsHere * high + gap;
    return { stage, block: { x: 4.5, y: at, rows: rowsHere, columns: flow.keys, wide, high, height: rowsHere * high } };
  });
  const bare = (/** @type {Stage} */ stage, /** @type {Block} */ block) => flowCells(cellsOf(flow, stage, block, false, 1).map((row) => row.map((cell) => ({ ...cell, text: '' }))), { ...block, type: 12 }, prefix, null);
  const last = rows[rows.length - 1].block;
  const beside = { ...last, x: 4.5 + flow.keys * wide + 26, columns: flow.queries };
  const open = (/** @type {number} */ r, /** @type {number} */ k) => r < 2 || (r < 4 ? isSeen(flow, flow.sequence, k) : isRead(flow, flow.sequence, k));
  const down = rows.slice(1).map(({ block }, r) => Array.from({ length: flow.keys }, (_, k) => (open(r + 1, k) ? `M${Math.round(4.5 + (k + 0.5) * wide) + 0.5} ${block.y - gap + 1}v${gap - 2}` : '')).join('')).join('');
  const middle = Math.round(last.y + last.height / 2) + 0.5;
  return picture({ width, height: y - gap + 5, narrow: true }, hatches(prefix),
    h('path', { class: 'flow', d: down }),
    h('path', { class: 'arrow', d: `M${Math.round(beside.x) - 20} ${middle}h14m-4 -4l4 4l-4 4` }),
    rows.map(({ stage, block }) => bare(stage, block)), bare('output', beside));
}
