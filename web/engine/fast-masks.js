/**
 * The module that the modules for speed are told by what a call may be: it reads masks, gives their rows as spans of keys, a block of queries at a time, and
 * says of every call whether its shapes fit. cpp/bindings/spans is the other side. One mask at a time, for the call at hand; no tensor ever comes here.
 * Rows that the caller gave are a SpanTable, which the module does not see: to its checks such a call has no mask.
 *
 * @import { SpanTable } from './fast-spans.js'
 */
import { AttentionError } from './errors.js';
import { checkedLengths, checkedMask, shapeText } from './fast-checks.js';

/** Where the words of a mask begin, in this module and in those for speed. */
export const MASK_WORDS = 40;

/**
 * @typedef {object} PlainExports what every module without glue exports
 * @property {WebAssembly.Memory} memory
 * @property {() => void} _initialize
 * @property {() => number} attn_words
 * @property {() => number} attn_numbers
 * @property {(bytes: number) => number} attn_take
 * @property {(address: number) => void} attn_give
 * @property {() => void} attn_begin
 * @property {() => void} attn_abandon
 * @property {() => number} emscripten_stack_get_current
 * @property {(pointer: number) => void} _emscripten_stack_restore
 *
 * @typedef {{mask?: string, validLens?: ArrayLike<number> | ArrayLike<ArrayLike<number>>, spans?: SpanTable}} MaskOptions
 */

/** One module without glue: its words, its numbers, its text, and calls that may be broken off. */
export class PlainModule {
  /** Whether a function of the module runs, or has been left in its middle: nothing of the caller's is read meanwhile. */
  within = false;
  #stack = 0;
  /** The module's words: memory that has grown leaves a view without elements. */
  #words = new Uint32Array(0);

  /** @param {PlainExports & Record<string, any>} exports */
  constructor(exports) {
    this.exports = exports;
  }

  /** Writes whole numbers to the words from `at` on. @param {number} at @param {ArrayLike<number>} values */
  words(at, values) {
    const { buffer } = this.exports.memory;
    if (this.#words.buffer !== buffer) this.#words = new Uint32Array(buffer, this.exports.attn_words() >>> 0, 64);
    this.#words.set(values, at);
  }

  /** @param {number} count of numbers that the last call left */
  numbers(count) {
    return [...new Float64Array(this.exports.memory.buffer, this.exports.attn_numbers() >>> 0, count)];
  }

  /** Text at an address. @param {number} address @param {number} bytes */
  read(address, bytes) {
    return new TextDecoder().decode(new Uint8Array(this.exports.memory.buffer, address >>> 0, bytes).slice());
  }

  /** Writes text, and says how many bytes it has. @param {number} address @param {string} text */
  write(address, text) {
    return new TextEncoder().encodeInto(text, new Uint8Array(this.exports.memory.buffer, address >>> 0)).written;
  }

  /**
   * Memory of the module's, at least 16 bytes.
   * @param {string} param @param {number} bytes
   */
  take(param, bytes) {
    // 32-bit addresses, of which half are the module's
    const address = bytes < 2 ** 31 ? this.exports.attn_take(Math.max(16, bytes)) : 0;
    if (address === 0) throw new AttentionError('too_large', param, `${param} needs ${bytes} bytes; the module has no room for that`);
    return address >>> 0;
  }

  /** A call begins. */
  begin() {
    this.within = false;
    this.#stack = this.exports.emscripten_stack_get_current();
    this.exports.attn_begin();
  }

  /** The call was broken off: what it had allocated is given back. */
  abandon() {
    this.exports._emscripten_stack_restore(this.#stack);
    this.exports.attn_abandon();
  }
}

export class FastMasks extends PlainModule {
  /** All of this module's memory, and of the one that rows went to last. */
  #own = new Uint32Array(0);
  #other = new Uint32Array(0);
  /** Rows that the caller gave, where the mask is of these. @type {SpanTable | undefined} */
  #table;

  /**
   * Reads a mask and lays it on scores of these sizes, until `release`.
   * @param {MaskOptions} options
   * @param {readonly number[]} sizes batch, heads, queries and keys of what the mask speaks of
   * @returns {number[]} the mask's words for a module for speed
   */
  bind({ mask, validLens, spans }, sizes) {
    checkedMask({ mask, validLens, spans });
    if (mask !== undefined) {
      // at most three bytes a unit of UTF-16
      const address = this.take('mask', 3 * mask.length);
      try {
        return this.#bound([1, address, this.write(address, mask), 0, 0, 0, ...sizes]);
      } finally {
        this.exports.attn_give(address);
      }
    }
    if (validLens !== undefined) {
      const { lengths, shape } = checkedLengths(validLens, sizes[0], sizes[2]);
      const address = this.take('validLens', lengths.length * 8);
      try {
        new Float64Array(this.exports.memory.buffer, address, lengths.length).set(lengths);
        return this.#bound([2, address, lengths.length, shape.length, shape[0], shape[1] ?? 0, ...sizes]);
      } finally {
        this.exports.attn_give(address);
      }
    }
    if (spans !== undefined && String(spans.sizes) !== String(sizes)) {
      throw new AttentionError('wrong_shape', 'spans', `spans was read for sizes ${shapeText(spans.sizes)}; those of the call have become ${shapeText(sizes)}`);
    }
    this.#table = spans;
    this.words(MASK_WORDS, [0, 0, 0, 0, 0, 0, ...sizes]);
    return spans === undefined ? [0, 0, 0, 0] : [1, ...spans.same];
  }

  /** @param {number[]} words */
  #bound(words) {
    this.words(MASK_WORDS, words);
    this.check('attn_bind');
    return [1, ...this.numbers(3)];
  }

  /** The mask is not needed any more. */
  release() {
    this.#table = undefined;
    this.exports.attn_release();
  }

  /**
   * Throws what an exported function has to say against the words it was given.
   * @param {string} name
   */
  check(name) {
    this.within = true;
    const address = this.exports[name]();
    this.within = false;
    if (address === 0) return;
    const text = this.read(address, this.numbers(1)[0]);
    const [code, at, param] = text.split('\n', 3);
    const error = { code, param, message: text.slice(code.length + at.length + param.length + 3) };
    throw AttentionError.from(at === '' ? error : { ...error, at: Number(at) });
  }

  /**
   * Writes the rows of a block of queries into another module's memory: for each how many spans it has, then all spans.
   * @param {number} batch @param {number} head @param {number} first @param {number} queries
   * @param {WebAssembly.Memory} memory @param {number} to address in it @param {number} room words that it has there
   * @returns {number} how many words that are; where there are more than `room`, none is written
   */
  rows(batch, head, first, queries, memory, to, room) {
    // memory that has grown is another buffer
    if (this.#other.buffer !== memory.buffer) this.#other = new Uint32Array(memory.buffer);
    if (this.#table !== undefined) return this.#given(this.#table, this.#table.row(batch, head, first), queries, (to >>> 0) / 4, room >>> 0);
    const at = (this.exports.attn_rows(batch, head, first, queries) >>> 0) / 4;
    if (this.#own.buffer !== this.exports.memory.buffer) this.#own = new Uint32Array(this.exports.memory.buffer);
    const [own, other, place] = [this.#own, this.#other, (to >>> 0) / 4];
    const [spans, words] = [own[at] / 4, 2 * own[at + 1]];
    if (queries + words > room >>> 0) return queries + words;
    for (let row = 0; row < queries; ++row) other[place + row] = own[at + 2 + row];
    // a call for a few words costs more than they do
    if (words > 256) other.set(own.subarray(spans, spans + words), place + queries);
    else for (let word = 0; word < words; ++word) other[place + queries + word] = own[spans + word];
    return queries + words;
  }

  /**
   * The same of rows that the caller gave, from `row` on.
   * @param {SpanTable} table @param {number} row @param {number} queries @param {number} place word of the other memory @param {number} room
   */
  #given({ ends, spans }, row, queries, place, room) {
    // a table that has not the rows has no keys, either: the caller's function has changed what it was called for
    const [from, to] = row + queries < ends.length ? [ends[row], ends[row + queries]] : [0, 0];
    const words = queries + 2 * (to - from);
    if (words > room) return words;
    for (let i = 0; i < queries; ++i) this.#other[place + i] = to > from ? ends[row + i + 1] - ends[row + i] : 0;
    this.#other.set(spans.subarray(2 * from, 2 * to), place + queries);
    return words;
  }

  /** The tiles to be visited by each block of queries, under the mask that is bound. */
  visits() {
    this.check('attn_visits');
    const [address, length, tileQueries, tileKeys] = this.numbers(4);
    const visited = this.#table?.visits(tileQueries, tileKeys) ?? new Uint32Array(this.exports.memory.buffer, address, length).slice();
    return { tileQueries, tileKeys, visited };
  }
}
