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
 * @property {() => void} attn_begin
 * @property {() => void} attn_abandon
 * @property {() => number} emscripten_stack_get_current
 * @property {(pointer: number) => void} _emscripten_stack_restore
 */
import { AttentionError } from './errors.js';
import { arrayTensor, checkedData, checkedLengths, checkedMask, checkedShape, fourSizes, shown } from './fast-checks.js';

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

/** What the module's own allocations throw where there is no room for them: the call ends in its middle. */
export class NoRoom extends AttentionError {
  /** @param {number} bytes */
  constructor(bytes) {
    super('too_large', '', `The call needs ${bytes} more bytes; the module has no room for that. Free tensors, or call with fewer queries or keys.`);
  }
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
    if (data !== undefined) checkedData(param, shape, data);
    // a view of this memory loses its elements when taking more makes the memory grow
    const { buffer } = this.exports.memory;
    const inside = ArrayBuffer.isView(data) && data.buffer === buffer ? { offset: data.byteOffset, Kind: /** @type {any} */ (data.constructor) } : undefined;
    const tensor = new FastTensor(this, this.take(param, size * 4), shape);
    try {
      if (data === undefined) tensor.view.fill(0);
      else tensor.view.set(inside ? new inside.Kind(this.exports.memory.buffer, inside.offset, size) : data);
    } catch (thrown) {
      tensor.free();
      throw thrown;
    }
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
    const { data, shape } = arrayTensor(param, value);
    const tensor = this.tensor(shape, data, param);
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
   * Refuses an output in the memory of another tensor of the call: kernels read their operands while they write.
   * @param {string} param @param {FastTensor | undefined} tensor @param {Record<string, FastTensor | undefined>} others
   */
  apart(param, tensor, others) {
    const same = Object.keys(others).find((name) => tensor && others[name]?.address === tensor.address);
    if (same !== undefined) throw new AttentionError('wrong_type', param, `${param} is the tensor of ${same}, too; give one of its own`);
  }

  /**
   * Sizes on exactly `axes` axes, ones inserted before the last two for heads that are not there.
   * @param {string} param @param {FastTensor} tensor @param {number} axes
   */
  sizes(param, { shape }, axes) {
    if (axes === 4) return fourSizes(param, shape);
    if (shape.length === axes) return shape;
    throw new AttentionError('wrong_shape', param, `${param} has ${shape.length} axes; allowed are ${axes}`);
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
   * @param {number} batch of the mask @param {number} queries of it
   */
  mask(at, { mask, validLens }, batch, queries) {
    checkedMask({ mask, validLens });
    if (mask !== undefined) {
      // at most three bytes a unit of UTF-16
      const address = this.lent('mask', 3 * mask.length);
      this.words(at, [1, address, this.write(address, mask), 0, 0, 0]);
    } else if (validLens !== undefined) {
      const { lengths, shape } = checkedLengths(validLens, batch, queries);
      const address = this.lent('validLens', lengths.length * 8);
      new Float64Array(this.exports.memory.buffer, address, lengths.length).set(lengths);
      this.words(at, [2, address, lengths.length, shape.length, shape[0], shape[1] ?? 0]);
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
    const stack = this.exports.emscripten_stack_get_current();
    this.exports.attn_begin();
    try {
      const result = action();
      done = true;
      return result;
    } catch (thrown) {
      if (thrown instanceof NoRoom) {
        this.exports._emscripten_stack_restore(stack);
        this.exports.attn_abandon();
      }
      throw thrown;
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
