/**
 * Figure 3 of "Batched attention": two shapes and their batched product, axis by axis. Ties join the sizes that have to agree; where they do
 * not, the tie is red with a square and the framework's own message stands below.
 *
 *   (examples, n, k) x (examples, k, m) -> (examples, n, m)
 */

import { h } from '../../chart/node.js';
import { picture } from '../../chart/picture.js';
import { textWidth } from '../../chart/text.js';

/** @typedef {import('../../chart/types.js').Mark} Mark */
/** @typedef {import('../../chart/types.js').VNode} VNode */
/** @typedef {import('./flow-model.js').Shapes} Shapes */

const AXES = ['examples', 'rows', 'columns'];

/**
 * @param {object} o
 * @param {Shapes} o.shapes
 * @param {number} o.width
 * @param {boolean} o.narrow
 * @param {number} o.widen
 * @param {string | null} o.hover  id of the mark pointed at
 * @returns {{node: VNode, marks: Mark[], height: number}}
 */
export function shapesFigure({ shapes, width, narrow, widen, hover }) {
  const { left, right, fits, product, said } = shapes;
  const wide = Math.min(60, Math.floor((width - 46) / 6));
  const high = 38;
  const gap = Math.min(56, width - 1 - 6 * wide);
  const xs = [0.5, 3 * wide + gap + 0.5];
  const y = 66;
  const middle = (/** @type {number} */ side, /** @type {number} */ axis) => xs[side] + (axis + 0.5) * wide;
  const bottom = y + high;
  const ties = [
    { id: 'examples', name: 'examples', from: middle(0, 0), to: middle(1, 0), sizes: [left[0], right[0]], line: y - 40, end: y - 27, words: y - 48 },
    { id: 'inner', name: 'inner sizes', from: middle(0, 2), to: middle(1, 1), sizes: [left[2], right[1]], line: bottom + 20, end: bottom + 3, words: bottom + 39 },
  ].map((tie) => ({ ...tie, agree: tie.sizes[0] === tie.sizes[1] }));
  const productY = bottom + 66;
  const lines = fits ? [] : wrap(`PyTorch: ${said}`, (width - 2) / widen, 15);
  const productX = (xs[1] + 3 * wide - 3 * wide) / 2;
  const height = fits ? productY + high + 30 : productY - 4 + lines.length * 20 + 4;

  const box = (/** @type {string} */ id, /** @type {string[]} */ sizes, /** @type {number} */ x, /** @type {number} */ top, /** @type {boolean[]} */ bad) => h('g', { class: 'heatmap shape-box' },
    h('rect', { class: 'cells-ground', x, y: top, width: 3 * wide, height: high }),
    h('path', { class: 'cells', d: `M${x + wide} ${top}v${high}M${x + 2 * wide} ${top}v${high}` }),
    h('rect', { class: 'cells-frame', x, y: top, width: 3 * wide, height: high, fill: 'none' }),
    bad.map((wrong, i) => wrong && h('rect', { class: 'differing', x: x + i * wide + 1, y: top + 1, width: wide - 2, height: high - 2, fill: 'none' })),
    sizes.map((text, i) => h('text', { class: `print ${bad[i] ? 'value-wrong' : 'value-tint'}`, x: x + (i + 0.5) * wide, y: top + high / 2, dy: '0.33em', 'text-anchor': 'middle', 'font-size': 18 }, text)),
    sizes.map((_, i) => hover === `${id}-${i + 1}` && h('rect', { class: 'cell-hover', x: x + i * wide, y: top, width: wide, height: high })));
  const bad = [[!ties[0].agree, false, !ties[1].agree], [!ties[0].agree, !ties[1].agree, false]];

  const node = picture({ width, height, narrow }, [],
    xs.map((x) => AXES.map((name, i) => h('text', { class: 'name', x: x + (i + 0.5) * wide, y: y - 10, 'text-anchor': 'middle', 'font-size': narrow ? 13 : 14 }, name))),
    h('text', { class: 'joint', x: xs[0] + 3 * wide + gap / 2, y: y + high / 2, dy: '0.33em', 'text-anchor': 'middle' }, '×'),
    box('left', left.map(String), xs[0], y, bad[0]), box('right', right.map(String), xs[1], y, bad[1]),
    ties.map((tie) => tieLine(tie)),
    fits
      ? [h('path', { class: 'arrow', d: `M${Math.round(xs[0] + 3 * wide + gap / 2) + 0.5} ${bottom + 36}v19m-4 -5l4 5l4 -5` }),
        box('product', product.map(String), Math.round(productX) + 0.5, productY, [false, false, false]),
        AXES.map((name, i) => h('text', { class: 'name', x: Math.round(productX) + 0.5 + (i + 0.5) * wide, y: productY + high + 20, 'text-anchor': 'middle', 'font-size': narrow ? 13 : 14 }, name))]
      : h('g', { class: 'framework-words' }, lines.map((line, i) => h('text', { class: 'empty', x: 0, y: productY + 8 + i * 20, 'font-size': 15 }, line))));

  /** @type {Mark[]} */
  const marks = [
    ...[left, right].flatMap((sizes, side) => sizes.map((each, i) => ({ id: `${side === 0 ? 'left' : 'right'}-${i + 1}`, x: xs[side] + i * wide, y, w: wide, h: high, cx: middle(side, i), cy: y, text: `${side === 0 ? 'first' : 'second'} array, ${AXES[i]}: ${each}` }))),
    ...ties.map(({ id, name, from, to, sizes, agree, line }) => ({ id: `tie-${id}`, x: (from + to) / 2 - 12, y: line - 12, w: 24, h: 24, cx: (from + to) / 2, cy: line, text: agree ? `the ${name} agree: ${sizes[0]}` : `the ${name} differ: ${sizes[0]} and ${sizes[1]}` })),
    ...(fits ? product.map((each, i) => ({ id: `product-${i + 1}`, x: productX + i * wide, y: productY, w: wide, h: high, cx: productX + (i + 0.5) * wide, cy: productY, text: `product, ${AXES[i]}: ${each}` })) : []),
  ];
  return { node, marks, height };
}

/**
 * Two sizes tied together, examples above their boxes and inner sizes below, with a mark: an open circle where they agree, a filled square where they
 * do not.
 * @param {{from: number, to: number, line: number, end: number, words: number, sizes: number[], agree: boolean}} tie
 */
function tieLine({ from, to, line, end, words, sizes, agree }) {
  const y = Math.round(line) + 0.5;
  const middle = (from + to) / 2;
  const at = (/** @type {number} */ x) => Math.round(x) + 0.5;
  return h('g', { class: agree ? 'tie series scaled' : 'tie series unscaled' },
    h('path', { class: 'tie-line', d: `M${at(from)} ${end}V${y}H${at(to)}V${end}` }),
    agree ? h('circle', { class: 'point', cx: middle, cy: y, r: 4 }) : [h('rect', { class: 'point', x: middle - 4, y: y - 4, width: 8, height: 8 }), h('text', { class: 'tie-words unscaled', x: middle, y: words, 'text-anchor': 'middle', 'font-size': 14 }, `${sizes[0]} and ${sizes[1]} differ`)]);
}

/**
 * Words broken into lines that fit.
 * @param {string} text
 * @param {number} room  px
 * @param {number} type  px
 */
function wrap(text, room, type) {
  /** @type {string[]} */
  const lines = [];
  for (const word of text.split(' ')) {
    const longer = lines.length === 0 ? word : `${lines[lines.length - 1]} ${word}`;
    if (lines.length > 0 && textWidth(longer, type, true) <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
