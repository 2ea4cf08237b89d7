/**
 * A mask of the caller's own for the fast kernels: a function that gives the spans of keys [begin, end) of each query. It is read here once, whole and before
 * anything is computed, so that what it does wrong or throws leaves nothing half done, and so that workers, which can be sent no function, get its rows.
 * Not a matrix: 4 bytes a row and 8 a span, and sheets that repeat the one before are kept once.
 *
 * @typedef {(batch: number, head: number, query: number) => ArrayLike<ArrayLike<number>>} SpanFunction
 *   the keys that a query may attend to, as pairs [begin, end], in any order; what they share counts once. An empty array: none
 *
 * @typedef {object} SpanPart which rows of a mask a call needs
 * @property {readonly number[]} sizes batch, heads, queries and keys of what the mask speaks of
 * @property {number} slice the first of batch x heads
 * @property {number} slices
 * @property {number} first query of each
 * @property {number} rows
 *
 * @typedef {object} SpanFields rows that have been read, as messages carry them
 * @property {readonly number[]} sizes batch, heads, queries and keys of what the mask speaks of
 * @property {number} slice of the first sheet
 * @property {number} first query
 * @property {number} rows of a sheet
 * @property {Uint32Array} sheets which one each slice has; none is before that of the slice before
 * @property {Uint32Array} ends spans ends[r] to ends[r + 1] are those of row r, sheet after sheet
 * @property {Uint32Array} spans begin and end of each
 */
import { AttentionError } from './errors.js';
import { checkedMask, isList, shown } from './fast-checks.js';

/** What a function of the caller's threw, on its way out to the caller unchanged. */
export class Passed extends Error {
  /** @param {unknown} thrown */
  constructor(thrown) {
    super('A function of the caller’s threw.');
    this.thrown = thrown;
  }
}

/** Whole numbers, one behind the other. */
class Words {
  data = new Uint32Array(256);
  size = 0;

  /** @param {number} word */
  push(word) {
    if (this.size === this.data.length) {
      const bytes = 8 * this.size;
      // as much as a module has
      const more = bytes < 2 ** 31 ? roomFor(2 * this.size) : undefined;
      if (!more) throw new AttentionError('too_large', 'spans', `spans needs ${bytes} bytes for its rows; there is no room for that`);
      more.set(this.data);
      this.data = more;
    }
    this.data[this.size++] = word;
  }
}

/** @param {number} words */
function roomFor(words) {
  try {
    return new Uint32Array(words);
  } catch {
    return undefined;
  }
}

/** Rows that have been read. */
export class SpanTable {
  /** @param {SpanFields} fields */
  constructor({ sizes, slice, first, rows, sheets, ends, spans }) {
    this.sizes = sizes;
    this.slice = slice;
    this.first = first;
    this.rows = rows;
    this.sheets = sheets;
    this.ends = ends;
    this.spans = spans;
  }

  /** Where a query's row is in `ends`. @param {number} batch @param {number} head @param {number} query */
  row(batch, head, query) {
    return this.sheets[batch * this.sizes[1] + head - this.slice] * this.rows + query - this.first;
  }

  /** Whether rows are the same for all the batch, all heads, all queries, as far as that is known: 1 or 0. */
  get same() {
    const { sheets, slice, sizes: [, heads] } = this;
    if (sheets.every((sheet) => sheet === sheets[0])) return [1, 1, 0];
    return [0, sheets.every((sheet, i) => i === 0 || sheet === sheets[i - 1] || (slice + i) % heads === 0) ? 1 : 0, 0];
  }

  /**
   * Copies of the rows of a piece of work, which has several slices only with all their queries. Of a table that begins at the first of all.
   * @param {{slice: number, slices: number, row: number, rows: number}} piece
   */
  part({ slice, slices, row, rows }) {
    const sheets = this.sheets.slice(slice, slice + slices);
    const [from, to] = [sheets[0] * this.rows + row, sheets[slices - 1] * this.rows + row + rows];
    const start = this.ends[from];
    return new SpanTable({
      sizes: this.sizes, slice, first: row, rows,
      sheets: sheets.map((sheet) => sheet - sheets[0]),
      ends: this.ends.slice(from, to + 1).map((end) => end - start),
      spans: this.spans.slice(2 * start, 2 * this.ends[to]),
    });
  }

  /**
   * The tiles to be visited by each block of queries of each slice.
   * @param {number} tileQueries @param {number} tileKeys
   */
  visits(tileQueries, tileKeys) {
    const blocks = Math.ceil(this.rows / tileQueries);
    const visited = new Uint32Array(this.sheets.length * blocks);
    const tiles = new Uint8Array(Math.ceil(this.sizes[3] / tileKeys));
    for (let at = 0; at < visited.length; ++at) {
      const [slice, block] = [Math.floor(at / blocks), at % blocks];
      if (slice > 0 && this.sheets[slice] === this.sheets[slice - 1]) {
        visited[at] = visited[at - blocks];
        continue;
      }
      tiles.fill(0);
      const row = this.sheets[slice] * this.rows + block * tileQueries;
      const end = this.ends[Math.min(row + tileQueries, (this.sheets[slice] + 1) * this.rows)];
      for (let span = this.ends[row]; span < end; ++span) tiles.fill(1, Math.floor(this.spans[2 * span] / tileKeys), Math.ceil(this.spans[2 * span + 1] / tileKeys));
      for (const tile of tiles) visited[at] += tile;
    }
    return visited;
  }
}

/**
 * One end of a span that is no key and no end of keys, as an error.
 * @param {string} name @param {unknown} value @param {number} keys
 */
function refuseEnd(name, value, keys) {
  const code = typeof value !== 'number' ? 'wrong_type' : Number.isInteger(value) ? 'out_of_range' : 'not_an_integer';
  throw new AttentionError(code, 'spans', `${name} is ${shown(value)}; allowed are integers from 0 to ${keys}, the number of keys`);
}

/**
 * Puts the spans of a row behind those before it.
 * @param {unknown} row what the caller's function gave @param {Words} spans @param {number} keys
 * @param {() => string} name of the call, in messages
 */
function readRow(row, spans, keys, name) {
  if (!isList(row)) throw new AttentionError('wrong_type', 'spans', `${name()} gave ${shown(row)}; give an array of pairs [begin, end]`);
  for (let i = 0; i < row.length; ++i) {
    const pair = row[i];
    if (!isList(pair)) throw new AttentionError('wrong_type', 'spans', `${name()}[${i}] is ${shown(pair)}; give a pair [begin, end]`);
    if (pair.length !== 2) throw new AttentionError('wrong_shape', 'spans', `${name()}[${i}] has ${pair.length} entries; a pair [begin, end] has 2`);
    const [begin, end] = /** @type {[number, number]} */ ([pair[0], pair[1]]);
    if (!(Number.isInteger(begin) && begin >= 0 && begin <= keys)) refuseEnd(`${name()}[${i}][0]`, begin, keys);
    if (!(Number.isInteger(end) && end >= 0 && end <= keys)) refuseEnd(`${name()}[${i}][1]`, end, keys);
    if (begin > end) throw new AttentionError('out_of_range', 'spans', `${name()}[${i}] is [${begin}, ${end}]; allowed is a begin that is at most the end`);
    if (begin === end) continue;
    spans.push(begin);
    spans.push(end);
  }
}

/**
 * Whether the last `rows` rows are those before them over again.
 * @param {Words} ends @param {Words} spans @param {number} rows
 */
function repeats(ends, spans, rows) {
  const [second, first] = [ends.size - 1 - rows, ends.size - 1 - 2 * rows];
  const count = ends.data[second] - ends.data[first];
  for (let row = 1; row <= rows; ++row) if (ends.data[second + row] - ends.data[first + row] !== count) return false;
  for (let word = 2 * ends.data[second]; word < spans.size; ++word) if (spans.data[word] !== spans.data[word - 2 * count]) return false;
  return true;
}

/**
 * Calls a function for all rows that a call needs, once each, query after query. Rows that the mask has not are left out: the kernels' checks refuse their call.
 * @param {SpanFunction | SpanTable} given a function; or rows, as the pool sends them
 * @param {SpanPart} part
 * @returns {SpanTable} Errors: wrong_type, wrong_shape, not_an_integer, out_of_range, too_large naming spans; what the function throws, as Passed
 */
export function readSpans(given, { sizes, slice, slices, first, rows }) {
  if (given instanceof SpanTable) return given;
  if (typeof given !== 'function') throw new AttentionError('wrong_type', 'spans', `spans is ${shown(given)}; give a function (batch, head, query) => [[begin, end], ...]`);
  const [batch, heads, queries, keys] = sizes;
  const count = Math.max(0, Math.min(slices, batch * heads - slice));
  const height = Math.max(0, Math.min(rows, queries - first));
  const [sheets, ends, spans] = [new Words(), new Words(), new Words()];
  ends.push(0);
  for (let at = 0; at < count && height > 0; ++at) {
    const [example, head] = [Math.floor((slice + at) / heads), (slice + at) % heads];
    for (let query = first; query < first + height; ++query) {
      try {
        readRow(given(example, head, query), spans, keys, () => `spans(${example}, ${head}, ${query})`);
      } catch (thrown) {
        throw thrown instanceof AttentionError ? thrown : new Passed(thrown);
      }
      ends.push(spans.size / 2);
    }
    const again = at > 0 && repeats(ends, spans, height);
    if (again) {
      ends.size -= height;
      spans.size = 2 * ends.data[ends.size - 1];
    }
    sheets.push(at === 0 ? 0 : sheets.data[at - 1] + (again ? 0 : 1));
  }
  const [ofSheets, ofEnds, ofSpans] = [sheets, ends, spans].map(({ data, size }) => data.slice(0, size));
  return new SpanTable({ sizes, slice, first, rows: height, sheets: ofSheets, ends: ofEnds, spans: ofSpans });
}

/**
 * The mask of a call, for `FastMemory.mask`. A function is read before anything of the call has begun: it may make calls of its own.
 * @template {{mask?: string, validLens?: ArrayLike<number> | ArrayLike<ArrayLike<number>>, spans?: SpanFunction | SpanTable}} O
 * @param {O} options @param {() => SpanPart} part
 * @returns {{mask?: string, validLens?: ArrayLike<number> | ArrayLike<ArrayLike<number>>, spans?: SpanTable}}
 */
export function readMask(options, part) {
  const { mask, validLens, spans } = options;
  // lengths in the memory of a module lose their elements where the call makes it grow; those that have lost them have no copy
  if (spans === undefined) return { mask, validLens: ArrayBuffer.isView(validLens) && isList(validLens) && validLens.length > 0 ? /** @type {any} */ (validLens).slice() : validLens };
  checkedMask(options);
  return { spans: readSpans(spans, part()) };
}
