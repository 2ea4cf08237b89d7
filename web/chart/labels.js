/**
 * Labels at the end of their series. Each wants to stand at the height of its line; where two would touch they are
 * pushed apart, as little as possible and in order, and kept inside the given limits.
 *
 * Not a legend: a label stands where its line ends. Least squares with gap constraints, solved by merging blocks.
 */

import { h } from './node.js';

/** @typedef {import('./types.js').VNode} VNode */

/**
 * Heights that keep `gap` between neighbours and move each label as little as possible.
 * @param {number[]} wanted  px, in any order
 * @param {number} gap  px
 * @param {[number, number]} limits  least and greatest height
 * @returns {number[]} in the order given
 */
export function spread(wanted, gap, limits) {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b] || a - b);
  /** A block of labels standing exactly one gap apart. @type {Array<{at: number, size: number}>} */
  const blocks = [];
  for (const index of order) {
    let block = { at: clamp(wanted[index], 1), size: 1 };
    let previous = blocks[blocks.length - 1];
    while (previous && previous.at + previous.size * gap > block.at) {
      blocks.pop();
      const size = previous.size + block.size;
      const mean = (previous.at * previous.size + (block.at - previous.size * gap) * block.size) / size;
      block = { at: clamp(mean, size), size };
      previous = blocks[blocks.length - 1];
    }
    blocks.push(block);
  }
  const placed = new Array(wanted.length).fill(0);
  let k = 0;
  for (const { at, size } of blocks) for (let j = 0; j < size; j++) placed[order[k++]] = at + j * gap;
  return placed;

  /**
   * @param {number} at
   * @param {number} size
   */
  function clamp(at, size) {
    return Math.max(limits[0], Math.min(at, limits[1] - (size - 1) * gap));
  }
}

/**
 * @typedef {object} EndLabel
 * @property {number} y  height of the series' end
 * @property {import('./node.js').Children} text
 * @property {string} kind  class: 'scaled', 'unscaled', 'reference'
 */

/**
 * @param {EndLabel[]} labels
 * @param {{x: number, gap: number, limits: [number, number]}} place
 * @returns {VNode}
 */
export function endLabels(labels, { x, gap, limits }) {
  const ys = spread(labels.map((label) => label.y), gap, limits);
  return h('g', { class: 'end-labels' }, labels.map((label, i) =>
    h('text', { class: `end-label ${label.kind}`, x, y: ys[i], dy: '0.33em' }, label.text)));
}
