/**
 * Tensors in the memory of a module for speed, and the way into its functions: cpp/bindings/fast/bridge.hpp is the other side. It computes
 * nothing. What a program keeps as a FastTensor is never copied; Float32Arrays are copied in, and results to arrays of JavaScript's own.
 *
 * @typedef {{data: Float32Array, shape: number[]}} ArrayTensor
 * @typedef {FastTensor | ArrayTensor} Operand
 *
 * @typedef {object} FastExports
 * @property {WebAssembly.Memory} memory
 * @property {() => void} _initialize
 * @property {() => number} attn_words
 * @property {() => number} attn_numbers
 * @property {(bytes: number) => number} attn_take
 * @property {(address: number) => void} attn_give
 */
import { AttentionError } from './errors.js';

/** @param {unknown} value */
const shown = (value) => (typeof value === 'number' || value === null ? String(value) : typeof value === 'string' ? JSON.stringify(value) : typeof value);

/** A row-major tensor of 32-bit floats in the module's memory, until `free()`. */
export class FastTensor {
  #memory;
  #address;
  /** @type {Float32Array} */
  #view = new Float32Array(0);

  /** @param {FastMemory} memory @param {number} address @param {number[]} shape */
  constructor(memory, address, shape) {
    this.#memory = memory;
    this.#address = address;
    this.shape = Object.freeze([...shape]);
    this.size = shape.reduce((size, axis) => size * axis, 1);
  }

  get memory() { return this.#memory; }

  /** Where its elements start in memory; 0 once it is freed. */
  get address() { return this.#address; }

  /** Its elements, to be read and written. Memory that has grown leaves older views without elements: ask each time. */
  get view() {
    if (this.#address === 0) throw new AttentionError('wrong_type', 'tensor', 'tensor has been freed');
    const { buffer } = this.#memory.exports.memory;
    if (this.#view.buffer !== buffer || this.#view.length !== this.size) this.#view = new Float32Array(buffer, this.#address, this.size);
    return this.#view;
  }

  /** Gives the memory back; a second call does nothing. */
  free() {
    if (this.#address !== 0) this.#memory.exports.attn_give(this.#address);
    this.#address = 0;
  }
}

/**
 * @param {string} param
 * @param {unknown} shape
 * @returns {number[]} sizes, their product exact
 */
function checkedShape(param, shape) {
  if (!Array.isArray(shape)) throw new AttentionError('wrong_type', `${param}.shape`, `${param}.shape is ${shown(shape)}; give an array of sizes`);
  shape.forEach((axis, i) => {
    if (typeof axis !== 'number') throw new AttentionError('wrong_type', `${param}.shape`, `${param}.shape[${i}] is ${shown(axis)}; give an integer`);
    if (!Number.isInteger(axis)) throw new AttentionError('not_an_integer', `${param}.shape`, `${param}.shape[${i}] is ${axis}; give an integer`);
    if (axis < 0 || axis > 0xffffffff) throw new AttentionError('out_of_range', `${param}.shape`, `${param}.shape[${i}] is ${axis}; allowed is 0 to 4294967295`);
  });
  return shape;
}

/** One call's operands and outputs: what was copied in is freed at its end. */
export class FastMemory {
  /** @param {FastExports & Record<string, any>} exports */
  constructor(exports) {
    this.exports = exports;
    /** @type {number[]} */
    this.borrowed = [];
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

  /**
   * A tensor of zeros, or of the data given.
   * @param {number[]} shape @param {ArrayLike<number>} [data] @param {string} [param] its name in messages
   */
  tensor(shape, data, param = 'tensor') {
    checkedShape(param, shape);
    const size = shape.reduce((product, axis) => product * axis, 1);
    if (data !== undefined && data.length !== size) throw new AttentionError('wrong_shape', param, `${param} has ${data.length} values; its shape (${shape.join(', ')}) has ${size}`);
    const tensor = new FastTensor(this, this.take(param, size * 4), shape);
    if (data === undefined) tensor.view.fill(0);
    else tensor.view.set(data);
    return tensor;
  }

  /**
   * An argument as a tensor in memory: itself, or a copy that `call` frees.
   * @param {string} param @param {unknown} value
   * @returns {FastTensor}
   */
  operand(param, value) {
    if (value instanceof FastTensor) {
      if (value.memory !== this) throw new AttentionError('wrong_type', param, `${param} is a tensor of another module`);
      if (value.address === 0) throw new AttentionError('wrong_type', param, `${param} has been freed`);
      return value;
    }
    const { data, shape } = /** @type {Partial<ArrayTensor>} */ (typeof value === 'object' && value !== null ? value : {});
    if (!(data instanceof Float32Array)) throw new AttentionError('wrong_type', param, `${param} is ${shown(value)}; give a FastTensor, or {data, shape} with a Float32Array`);
    const tensor = this.tensor(/** @type {number[]} */ (shape), data, param);
    this.borrowed.push(tensor.address);
    return tensor;
  }

  /**
   * Where a result goes: the tensor given, one made to stay, or one whose elements `taken` copies out.
   * @param {string} param @param {unknown} given @param {number[]} shape @param {boolean} stays
   * @returns {FastTensor}
   */
  output(param, given, shape, stays) {
    if (given !== undefined) {
      if (!(given instanceof FastTensor)) throw new AttentionError('wrong_type', param, `${param} is ${shown(given)}; give a FastTensor`);
      return this.operand(param, given);
    }
    const size = shape.reduce((product, axis) => product * axis, 1);
    const tensor = new FastTensor(this, this.take(param, size * 4), shape);
    // until the call has gone well it is borrowed, too
    this.borrowed.push(tensor.address);
    if (stays) this.kept.add(tensor.address);
    return tensor;
  }

  /** Outputs that stay when the call goes well. @type {Set<number>} */
  kept = new Set();

  /**
   * A result for the caller: a copy when it was borrowed.
   * @param {FastTensor} tensor @returns {FastTensor | ArrayTensor}
   */
  taken(tensor) {
    return this.borrowed.includes(tensor.address) && !this.kept.has(tensor.address) ? { data: tensor.view.slice(), shape: [...tensor.shape] } : tensor;
  }

  /**
   * Sizes on exactly `axes` axes, ones inserted before the last two for heads that are not there.
   * @param {string} param @param {FastTensor} tensor @param {number} axes
   */
  sizes(param, tensor, axes) {
    const { shape } = tensor;
    if (shape.length === axes) return shape;
    if (shape.length === axes - 1 && axes === 4) return [shape[0], 1, shape[1], shape[2]];
    throw new AttentionError('wrong_shape', param, `${param} has ${shape.length} axes; allowed ${axes === 4 ? 'are 3 (batch, rows, width) and 4 (batch, heads, rows, width)' : `are ${axes}`}`);
  }

  /** @param {number} at word @param {readonly number[]} values */
  words(at, values) {
    new Uint32Array(this.exports.memory.buffer, this.exports.attn_words() >>> 0, 64).set(values, at);
  }

  /** @param {number} count of numbers that the last call left */
  numbers(count) {
    return [...new Float64Array(this.exports.memory.buffer, this.exports.attn_numbers() >>> 0, count)];
  }

  /**
   * The words of a mask: an expression, or lengths (batch), or (batch, queries) as rows.
   * @param {number} at word @param {{mask?: string, validLens?: ArrayLike<number> | ArrayLike<number>[]}} options
   */
  mask(at, { mask, validLens }) {
    if (mask !== undefined && validLens !== undefined) throw new AttentionError('wrong_type', 'mask', 'mask and validLens are both given; give one');
    if (mask !== undefined) {
      if (typeof mask !== 'string') throw new AttentionError('wrong_type', 'mask', `mask is ${shown(mask)}; give a mask expression`);
      // at most three bytes a unit of UTF-16
      const address = this.lent('mask', 3 * mask.length);
      this.words(at, [1, address, this.write(address, mask), 0, 0, 0]);
    } else if (validLens !== undefined) {
      const rows = typeof validLens === 'object' && validLens !== null && typeof validLens.length === 'number' ? Array.from(/** @type {ArrayLike<any>} */ (validLens)) : undefined;
      if (!rows) throw new AttentionError('wrong_type', 'validLens', `validLens is ${shown(validLens)}; give an array of lengths`);
      const deep = rows.length > 0 && typeof rows[0] === 'object';
      const shape = deep ? [rows.length, /** @type {ArrayLike<number>} */ (rows[0]).length] : [rows.length, 0];
      const flat = deep ? rows.flatMap((row) => [.../** @type {number[]} */ (row)]) : /** @type {number[]} */ (rows);
      const stray = flat.findIndex((length) => typeof length !== 'number');
      if (stray >= 0) throw new AttentionError('wrong_type', 'validLens', `validLens[${stray}] is ${shown(flat[stray])}; give an integer`);
      const address = this.lent('validLens', flat.length * 8);
      new Float64Array(this.exports.memory.buffer, address, flat.length).set(flat);
      this.words(at, [2, address, flat.length, deep ? 2 : 1, ...shape]);
    } else {
      this.words(at, [0, 0, 0, 0, 0, 0]);
    }
  }

  /** Memory until the end of the call. @param {string} param @param {number} bytes */
  lent(param, bytes) {
    const address = this.take(param, bytes);
    this.borrowed.push(address);
    return address;
  }

  /**
   * Does one operation: whatever it borrows is freed at its end, outputs that stay only when it failed.
   * @template T @param {() => T} action @returns {T}
   */
  call(action) {
    let done = false;
    try {
      const result = action();
      done = true;
      return result;
    } finally {
      for (const address of this.borrowed) if (!done || !this.kept.has(address)) this.exports.attn_give(address);
      this.borrowed.length = 0;
      this.kept.clear();
    }
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
   * Throws the error at an address, if there is one.
   * @param {number} address what an exported function returned
   */
  check(address) {
    if (address === 0) return;
    throw AttentionError.from(JSON.parse(this.read(address, new Uint8Array(this.exports.memory.buffer, address >>> 0).indexOf(0))));
  }
}

/**
 * The first option nobody knows, as an error.
 * @param {Record<string, unknown>} options @param {string[]} known
 */
export function knownOptions(options, known) {
  if (typeof options !== 'object' || options === null) throw new AttentionError('wrong_type', 'options', `options is ${shown(options)}; give an object with ${known.join(', ')}`);
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new AttentionError('unknown_parameter', unknown, `${unknown} is not an option; there are ${known.join(', ')}`);
}
