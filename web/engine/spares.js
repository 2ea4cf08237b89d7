/**
 * Buffers that have come back from a worker, to be sent out again: the pages of new memory cost more than copying into them, and what is thrown away has
 * to be collected while workers compute. Buffers that a whole run had no use for are let go. Not a cache: what they hold is never read.
 */

/** A buffer so many times as large as what is to be copied is not for it: large ones would stay for ever. */
const LARGEST = 4;

export class Spares {
  /** @type {ArrayBuffer[]} */ #old = [];
  /** @type {ArrayBuffer[]} */ #recent = [];

  /**
   * A copy, to be moved: in the smallest spare buffer that has room, else in a new one.
   * @param {Float32Array} numbers
   * @returns {Float32Array<ArrayBuffer>}
   */
  copy(numbers) {
    /** @type {{list: ArrayBuffer[], at: number, bytes: number} | undefined} */
    let best;
    for (const list of [this.#recent, this.#old]) {
      list.forEach(({ byteLength: bytes }, at) => { if (bytes >= numbers.byteLength && bytes <= LARGEST * numbers.byteLength && bytes < (best?.bytes ?? Infinity)) best = { list, at, bytes }; });
    }
    if (!best) return new Float32Array(numbers);
    const copy = new Float32Array(best.list.splice(best.at, 1)[0], 0, numbers.length);
    copy.set(numbers);
    return copy;
  }

  /** Takes back what nobody reads any more. @param {Float32Array[]} arrays over buffers that were moved here */
  keep(...arrays) {
    for (const { buffer } of arrays) if (buffer instanceof ArrayBuffer) this.#recent.push(buffer);
  }

  /** A run is over. */
  turn() {
    this.#old = this.#recent;
    this.#recent = [];
  }

  clear() {
    this.#old = [];
    this.#recent = [];
  }

  /** How many bytes lie here. */
  get bytes() {
    return [...this.#old, ...this.#recent].reduce((sum, { byteLength }) => sum + byteLength, 0);
  }
}
