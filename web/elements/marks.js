/**
 * Finding a mark by place or by arrow key; pure. Coordinates are in the figure's viewBox units.
 *
 * @import { Mark } from '../chart/types.js'
 */

/**
 * The smallest mark whose box holds the point.
 * @param {Mark[]} marks
 * @param {number} x
 * @param {number} y
 * @returns {Mark | null}
 */
export function markAt(marks, x, y) {
  /** @type {Mark | null} */
  let found = null;
  for (const mark of marks) {
    const inside = x >= mark.x && y >= mark.y && x <= mark.x + mark.w && y <= mark.y + mark.h;
    if (inside && (!found || mark.w * mark.h < found.w * found.h)) found = mark;
  }
  return found;
}

/** @type {Record<string, [number, number]>} */
const directions = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

/**
 * The mark an arrow leads to: the nearest one that lies more in that direction than across it, counting what lies across three
 * times. Home and End lead to the first and last mark; without a current mark every key leads to the first.
 * @param {Mark[]} marks
 * @param {Mark | null} current
 * @param {string} key KeyboardEvent.key
 * @returns {Mark | null} null: the key means nothing here
 */
export function neighbour(marks, current, key) {
  if (marks.length === 0) return null;
  if (key === 'Home') return marks[0];
  if (key === 'End') return marks[marks.length - 1];
  if (!Object.hasOwn(directions, key)) return null;
  if (!current) return marks[0];
  const [dx, dy] = directions[key];
  let best = current;
  let least = Infinity;
  for (const mark of marks) {
    const [right, down] = [centre(mark).x - centre(current).x, centre(mark).y - centre(current).y];
    const along = right * dx + down * dy;
    const across = Math.abs(right * dy) + Math.abs(down * dx);
    if (along <= 0.01) continue;
    const cost = along + 3 * across;
    if (cost < least) [best, least] = [mark, cost];
  }
  return best;
}

/** @param {Mark} mark */
const centre = (mark) => ({ x: mark.x + mark.w / 2, y: mark.y + mark.h / 2 });
