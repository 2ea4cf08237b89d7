/**
 * Walking through a figure with arrow keys: the mark that a key leads to, in a map that is painted from cell to cell, elsewhere to the nearest
 * (marks.js), and back the way that was come. No DOM, no drawing: figure-hands.js points at what it says.
 *
 * @import { Figure, Mark } from '../chart/types.js'
 */
import { marksOf } from './handles.js';
import { neighbour } from './marks.js';
import { cellOfMark, nextCell } from './painting.js';

/** @type {Record<string, string>} */
const opposites = { ArrowRight: 'ArrowLeft', ArrowLeft: 'ArrowRight', ArrowDown: 'ArrowUp', ArrowUp: 'ArrowDown' };

/**
 * The way that was walked, so that an arrow and its opposite end where they began. Nearest marks alone do not: what lies nearest to the
 * right of one mark may have another one nearest to its left.
 */
export class Trail {
  /** @type {{from: string, to: string, key: string}[]} */ #steps = [];

  /**
   * Where the key leads from here: back, where it undoes the last step, else onward.
   * @param {Figure} figure
   * @param {Mark | null} current
   * @param {string} key KeyboardEvent.key
   * @returns {Mark | null} null: the key means nothing here
   */
  step(figure, current, key) {
    const marks = marksOf(figure);
    // a pointer, another figure or another drawing may have come between
    if (this.#steps.at(-1)?.to !== current?.id) this.#steps = [];
    const last = this.#steps.at(-1);
    const before = last && last.key === opposites[key] ? marks.find(({ id }) => id === last.from) : null;
    if (before) {
      this.#steps.pop();
      return before;
    }
    const next = onward(figure, marks, current, key);
    if (current && next && next !== current) this.#steps = Object.hasOwn(opposites, key) ? [...this.#steps, { from: current.id, to: next.id, key }] : [];
    return next;
  }
}

/** @param {Figure} figure @param {Mark[]} marks @param {Mark | null} current @param {string} key */
function onward({ paint }, marks, current, key) {
  const cell = paint && current ? cellOfMark(paint, current.id) : null;
  const next = paint && (cell || !current) ? nextCell(paint, cell, key) : null;
  return paint && next ? marks.find(({ id }) => id === paint.mark(next.row, next.column)) ?? null : neighbour(marks, current, key);
}
