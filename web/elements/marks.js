/**
 * Finding a mark by place or by arrow key; pure. Coordinates are in the figure's viewBox units.
 *
 * @import { Mark } from '../chart/types.js'
 */

/**
 * The mark meant by a point: the smallest whose box holds it, else the nearest box within reach.
 * @param {Mark[]} marks
 * @param {number} x
 * @param {number} y
 * @param {number} [reach] how far beside a box a point may lie; a finger is less exact than a mouse
 * @returns {Mark | null}
 */
export function markAt(marks, x, y, reach = 0) {
  /** @type {Mark | null} */
  let found = null;
  let least = Infinity;
  for (const mark of marks) {
    const beside = Math.hypot(Math.max(mark.x - x, 0, x - mark.x - mark.w), Math.max(mark.y - y, 0, y - mark.y - mark.h));
    if (!(beside <= reach)) continue;
    // inside counts before beside, small before large
    const cost = beside > 0 ? beside : -1 / (1 + mark.w * mark.h);
    if (cost < least) [found, least] = [mark, cost];
  }
  return found;
}

/** @type {Record<string, [number, number]>} */
const directions = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

/**
 * The mark an arrow leads to: the nearest one that lies more in that direction than across it, counting what lies across three
 * times. Where all marks stand in one row or in one column, the arrows across it step as well: right and down go on, left and up go
 * back. Marks that lie on one another are walked one after the other. Home and End lead to the first and last mark; without a
 * current mark every key leads to the first.
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
  const [dx, dy] = along(marks, directions[key]);
  const place = marks.indexOf(current);
  let best = current;
  let least = Infinity;
  for (const [i, mark] of marks.entries()) {
    const [right, down] = [centre(mark).x - centre(current).x, centre(mark).y - centre(current).y];
    const ahead = right * dx + down * dy;
    const across = Math.abs(right * dy) + Math.abs(down * dx);
    const upon = Math.hypot(right, down) < 0.01 ? (i - place) * (dx + dy) : 0;
    if (ahead <= 0.01 && upon <= 0) continue;
    // what lies here comes first, and the next of it before the one after
    const cost = upon > 0 ? upon / (marks.length + 1) - 1 : ahead + 3 * across;
    if (cost < least) [best, least] = [mark, cost];
  }
  return best;
}

/**
 * A direction, turned where marks in one row or column would leave it without meaning.
 * @param {Mark[]} marks
 * @param {[number, number]} direction
 * @returns {[number, number]}
 */
function along(marks, [dx, dy]) {
  const spread = (/** @type {'x' | 'y'} */ axis) => Math.max(...marks.map((mark) => centre(mark)[axis])) - Math.min(...marks.map((mark) => centre(mark)[axis]));
  const turned = dx === 0 ? spread('y') < 0.5 : spread('x') < 0.5;
  return turned ? [dy, dx] : [dx, dy];
}

/** @param {Mark} mark */
const centre = (mark) => ({ x: mark.x + mark.w / 2, y: mark.y + mark.h / 2 });
