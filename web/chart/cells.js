/**
 * Many cells as few paths: runs of cells in a row, one path for all that look alike, and the line around a region. A map of 64 x 64
 * is a handful of elements, so that it prints as fast as a small one and is patched in a moment.
 *
 * Not the look: classes and inks are the heatmap's. Places are px.
 */

/**
 * @typedef {object} Lattice
 * @property {number} x  px, left edge of the first cell
 * @property {number} y  px, top edge
 * @property {number} size  px, a cell's side
 * @property {number} rows
 * @property {number} columns
 */

/**
 * All cells of which `has` is true, as rectangles of whole runs.
 * @param {Lattice} lattice
 * @param {(row: number, column: number) => boolean} has
 */
export function cellRuns({ x, y, size, rows, columns }, has) {
  let d = '';
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      if (!has(i, j)) continue;
      const first = j;
      while (j + 1 < columns && has(i, j + 1)) j++;
      const width = px((j - first + 1) * size);
      d += `M${px(x + first * size)} ${px(y + i * size)}h${width}v${px(size)}h-${width}z`;
    }
  }
  return d;
}

/**
 * Cells grouped by the opacity of their ink, in hundredths: a path for each opacity that occurs, palest first. Opacity 0 is left out.
 * @param {Lattice} lattice
 * @param {(row: number, column: number) => number | null} opacity  0..1, null where there is no ink
 * @returns {Array<{opacity: number, d: string}>}
 */
export function cellInks({ x, y, size, rows, columns }, opacity) {
  /** @type {string[]} */
  const paths = new Array(101).fill('');
  for (let i = 0; i < rows; i++) {
    /** The run that is open. */
    let [level, first] = [-1, 0];
    for (let j = 0; j <= columns; j++) {
      const share = j < columns ? opacity(i, j) : null;
      const here = share === null ? -1 : Math.round(share * 100);
      if (here === level && j < columns) continue;
      if (level > 0) {
        const width = px((j - first) * size);
        paths[level] += `M${px(x + first * size)} ${px(y + i * size)}h${width}v${px(size)}h-${width}z`;
      }
      [level, first] = [here, j];
    }
  }
  return paths.flatMap((d, level) => (d === '' ? [] : [{ opacity: level / 100, d }]));
}

/**
 * A dot in the middle of each cell of which `has` is true: points to be stroked with round ends.
 * @param {Lattice} lattice
 * @param {(row: number, column: number) => boolean} has
 */
export function cellDots({ x, y, size, rows, columns }, has) {
  let d = '';
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) if (has(i, j)) d += `M${px(x + (j + 0.5) * size)} ${px(y + (i + 0.5) * size)}h0.01`;
  }
  return d;
}

/**
 * The line between cells that `has` and cells that it has not; where `edges`, also along the edge of the map.
 * @param {Lattice} lattice
 * @param {(row: number, column: number) => boolean} has
 * @param {boolean} [edges]
 */
export function cellBorder({ x, y, size, rows, columns }, has, edges = false) {
  // Read once, with a margin of one around: 1 has, 0 has not, 2 beyond an edge that counts for nothing.
  const wide = columns + 2;
  const look = new Uint8Array((rows + 2) * wide).fill(edges ? 0 : 2);
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) look[(i + 1) * wide + j + 1] = has(i, j) ? 1 : 0;
  const parts = (/** @type {number} */ a, /** @type {number} */ b) => look[a] + look[b] === 1;
  let d = '';
  for (let i = 0; i <= rows; i++) {
    for (let j = 0; j < columns; j++) {
      const at = i * wide + j + 1;
      if (!parts(at, at + wide)) continue;
      let run = 1;
      while (j + run < columns && parts(at + run, at + run + wide)) run++;
      d += `M${px(x + j * size)} ${px(y + i * size)}h${px(run * size)}`;
      j += run;
    }
  }
  for (let j = 0; j <= columns; j++) {
    for (let i = 0; i < rows; i++) {
      const at = (i + 1) * wide + j;
      if (!parts(at, at + 1)) continue;
      let run = 1;
      while (i + run < rows && parts(at + run * wide, at + run * wide + 1)) run++;
      d += `M${px(x + j * size)} ${px(y + i * size)}v${px(run * size)}`;
      i += run;
    }
  }
  return d;
}

/**
 * A small filled triangle in the upper right corner of each cell of which `has` is true.
 * @param {Lattice} lattice
 * @param {(row: number, column: number) => boolean} has
 */
export function cellTicks({ x, y, size, rows, columns }, has) {
  const leg = px(Math.max(2, Math.min(8, size * 0.3)));
  let d = '';
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) if (has(i, j)) d += `M${px(x + (j + 1) * size)} ${px(y + i * size)}v${leg}l-${leg} -${leg}z`;
  }
  return d;
}

/** Hundredths of a pixel, as everywhere in the drawings. @param {number} value */
function px(value) {
  return Math.round(value * 100) / 100;
}
