/**
 * Path data of straight lines through points: a line, and the area between two of them. A point that is not finite breaks it.
 *
 * Not a curve: what lies between two computed values is nothing but the straight line. M x,y L x,y ...
 */

/** @param {number} value  px @param {number} digits */
function rounded(value, digits) {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor || 0;
}

/**
 * The runs of items that are there, in order.
 * @template T
 * @param {T[]} items
 * @param {(item: T) => boolean} there
 */
function runsOf(items, there) {
  /** @type {T[][]} */
  const runs = [];
  let open = false;
  for (const item of items) {
    if (!there(item)) open = false;
    else if (open) runs[runs.length - 1].push(item);
    else {
      runs.push([item]);
      open = true;
    }
  }
  return runs;
}

/** @param {number[][]} points  x, y in px @param {number} digits */
const through = (points, digits) => points.map(([x, y]) => `${rounded(x, digits)},${rounded(y, digits)}`).join('L');

/**
 * @param {number[][]} points  x, y in px
 * @param {number} [digits]  of a coordinate after the point
 * @returns {string} a point that stands alone is a line of no length, which shows where line ends are round
 */
export function linePath(points, digits = 2) {
  return runsOf(points, ([x, y]) => Number.isFinite(x) && Number.isFinite(y)).map((run) => `M${through(run, digits)}${run.length === 1 ? 'Z' : ''}`).join('');
}

/**
 * From the low edge to the right and back along the high one.
 * @param {number[][]} spans  x, low, high in px
 * @param {number} [digits]
 */
export function areaPath(spans, digits = 2) {
  return runsOf(spans, (span) => span.every(Number.isFinite))
    .map((run) => `M${through(run.map(([x, , high]) => [x, high]), digits)}L${through(run.map(([x, low]) => [x, low]).reverse(), digits)}Z`).join('');
}
