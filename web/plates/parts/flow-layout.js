/**
 * Where the matrices of "Batched attention" lie. Where there is room every key is a column from the top to the bottom: keys transposed, their
 * products, what the mask leaves, weights, and the values transposed; queries stand left of the products and the output right of the
 * values, as in a product written out. On a phone all are under another, the columns of keys still in line.
 *
 * Only places, px; nothing is drawn here.
 */

/** @typedef {import('./flow-model.js').Flow} Flow */

/** Room for names at the left, and between queries, keys and output. */
const NAMES = 152;
const GAP = 34;
/** Room right of the keys for row sums, where the output needs less. */
const READINGS = 104;
const LARGEST = 60;
/** A region without a column is this wide, for a word. */
const NOTHING = 92;
/** Between two blocks, and above one that bears its name on a phone. */
const STEP = 15;
const TITLE = 27;

/**
 * @typedef {object} Block  place of one matrix
 * @property {number} x
 * @property {number} y
 * @property {number} rows
 * @property {number} columns
 * @property {number} wide  px, of a cell
 * @property {number} high
 * @property {number} height  px; at least a line, also of a matrix without entries
 */

/**
 * @typedef {object} Layout
 * @property {boolean} narrow
 * @property {number} height
 * @property {number} numbersY  baseline of the keys' numbers
 * @property {{x: number, wide: number}} keys  the columns
 * @property {number} right  px, right edge of the keys
 * @property {Record<'queries' | 'keys' | 'products' | 'scaled' | 'allowed' | 'weights' | 'pooled' | 'values' | 'output', Block>} blocks
 */

/**
 * Height of a cell by how many rows there are, so that a tall matrix does not push the others away.
 * @param {number} rows
 * @param {boolean} narrow
 */
function cellHeight(rows, narrow) {
  if (rows <= 4) return narrow ? 25 : 28;
  return Math.max(11, Math.floor((narrow ? 150 : 180) / rows));
}

/**
 * @param {Flow} flow
 * @param {number} width
 * @param {boolean} narrow
 * @param {number} widen  as in Env
 * @returns {Layout}
 */
export function flowLayout(flow, width, narrow, widen) {
  // an empty batch has no matrix at all
  const [n, m, d, v] = flow.sequence < 0 ? [0, 0, 0, 0] : [flow.queries, flow.keys, flow.d, flow.width];
  const names = narrow ? 0 : Math.round(Math.min(176, NAMES * widen));
  const apart = narrow ? 0 : GAP;
  const beside = narrow ? 0 : Math.round(READINGS * widen);
  // one width of cells for all: queries, keys and output
  const room = width - names - 2 * apart - (d === 0 ? NOTHING : 0) - (m === 0 ? NOTHING : 0);
  const fits = narrow ? (width - 1) / Math.max(1, m, d, v) : Math.min((room - beside) / Math.max(1, d + m), (room - 2) / Math.max(1, d + m + n));
  const wide = Math.max(6, Math.min(narrow ? 36 : LARGEST, Math.floor(fits * 2) / 2));
  const span = (/** @type {number} */ columns) => (columns === 0 ? NOTHING : columns * wide);
  const keysX = narrow ? 0.5 : names + (d === 0 ? NOTHING : d * wide) + apart + 0.5;
  const right = keysX + span(m);
  const head = narrow ? 34 : 24;
  const blocks = /** @type {Layout['blocks']} */ ({});
  let y = head;
  /** @param {keyof Layout['blocks']} name @param {number} rows @param {number} columns @param {number} x @param {number} [least] */
  const put = (name, rows, columns, x, least = 28) => {
    const high = cellHeight(rows, narrow);
    const height = rows === 0 || columns === 0 ? least : rows * high;
    if (narrow) y += TITLE - STEP;
    blocks[name] = { x, y, rows, columns, wide, high, height };
    y += height + STEP;
  };
  if (narrow) {
    put('queries', n, d, 0.5);
    y += 20;
  }
  put('keys', d, m, keysX, 44);
  // the queries' name stands above them, beside the keys
  if (!narrow && blocks.keys.height < 44) y = head + 44 + STEP;
  const products = y;
  for (const name of /** @type {const} */ (['products', 'scaled', 'allowed', 'weights', 'pooled'])) put(name, n, m, keysX);
  put('values', v, m, keysX);
  if (narrow) put('output', n, v, 0.5);
  else {
    blocks.queries = { ...blocks.products, x: names + 0.5, y: products, columns: d, height: d === 0 ? 28 : blocks.products.height };
    const { values } = blocks;
    blocks.output = { ...values, x: right + apart, columns: n, height: n === 0 || v === 0 ? 28 : v * values.high };
  }
  return { narrow, keys: { x: keysX, wide }, right, numbersY: narrow ? blocks.keys.y - 6 : head - 8, blocks, height: narrow ? y - STEP + 3 : Math.max(y, blocks.output.y + blocks.output.height + 60) };
}
