/**
 * Tensors in the memory of a module for speed, and the way into its functions: cpp/bindings/plain/bridge.hpp is the other side. It computes
 * nothing. What a program keeps as a FastTensor is never copied; Float32Arrays are copied in, and results to arrays of JavaScript's own.
 *
 * @import { FastMasks, MaskOptions } from './fast-masks.js'
 *
 * @typedef {{data: Float32Array, shape: number[]}} ArrayTensor
 * @typedef {FastTensor | {data: Float32Array, shape: readonly number[]}} Operand
 *
 * @typedef {import('./fast-masks.js').PlainExports} FastExports
 */
/**
 * What a result is: a FastTensor where the operand that decides, the first one, is one.
 * @template T
 * @typedef {T extends FastTensor ? FastTensor : ArrayTensor} Like
 */

/**
 * Where options O may say where a result goes, under the name K.
 * @template O
 * @template {string} K
 * @template T the first operand
 * @typedef {K extends keyof O ? O[K & keyof O] extends FastTensor ? FastTensor : FastTensor | Like<T> : Like<T>} Written
 */
/**
 * Options O without any that is none of T: their results are told from what they are, and where a type is taken as it comes the compiler lets more fields pass.
 * @template O
 * @template T
 * @typedef {O & {[K in Exclude<keyof O, keyof T>]: never}} Only
 */
import { AttentionError } from './errors.js';
import { arrayTensor, checkedData, checkedShape, fourSizes, shown } from './fast-checks.js';
import { MASK_WORDS, PlainModule } from './fast-masks.js';

/** A row-major tensor of 32-bit floats in the module's memory, until `free()`. */
export class FastTensor {
  #memory;
  #address;
  #shape;
  #size;
  /** @type {Float32Array} */
  #view = new Float32Array(0);

  /** @param {FastMemory} memory @param {number} address @param {number[]} shape */
  constructor(memory, address, shape) {
    this.#memory = memory;
    this.#address = address;
    this.#shape = Object.freeze([...shape]);
    this.#size = shape.reduce((size, axis) => size * axis, 1);
  }

  get memory() { return this.#memory; }

  /** Sizes of its axes. They are for reading, as all that is said here: kernels write as far as a shape goes. */
  get shape() { return this.#shape; }

  /** How many elements it has. */
  get size() { return this.#size; }

  /** Where its elements start in memory; 0 once it is freed. */
  get address() { return this.#address; }

  /** Its elements, to be read and written. Memory that has grown leaves older views without elements: ask each time. */
  get view() {
    if (this.#address === 0) throw new AttentionError('wrong_type', 'tensor', 'tensor has been freed');
    const { buffer } = this.#memory.exports.memory;
    if (this.#view.buffer !== buffer || this.#view.length !== this.#size) this.#view = new Float32Array(buffer, this.#address, this.#size);
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

/**
 * What is said of shapes, with these as they were given: without the axis that fourSizes has put in.
 * @param {AttentionError} error
 */
function withoutHeads({ code, param, message }) {
  const shapes = message.replace(/\((\d+), 1, (\d+), (\d+)\)/g, '($1, $2, $3)');
  return new AttentionError(code, param, shapes.replace(/; axis ([23])\b/, (_, axis) => `; axis ${axis - 1}`));
}

/** One call's operands and outputs: what was copied in is freed at its end. */
export class FastMemory extends PlainModule {
  /** @param {FastExports & Record<string, any>} exports @param {FastMasks} masks what knows the masks of its calls, and checks them */
  constructor(exports, masks) {
    super(exports);
    this.masks = masks;
    /** @type {number[]} */
    this.borrowed = [];
  }

  /**
   * A tensor of zeros, or of the data given.
   * @param {readonly number[]} sizes @param {ArrayLike<number>} [given] @param {string} [param] its name in messages
   */
  tensor(sizes, given, param = 'tensor') {
    const shape = checkedShape(param, sizes);
    const size = shape.reduce((product, axis) => product * axis, 1);
    const data = given === undefined ? undefined : checkedData(param, shape, given);
    // a view of this memory loses its elements when taking more makes the memory grow
    const { buffer } = this.exports.memory;
    const inside = ArrayBuffer.isView(data) && data.buffer === buffer ? { offset: data.byteOffset, Kind: /** @type {any} */ (data.constructor) } : undefined;
    const tensor = new FastTensor(this, this.take(param, size * 4), shape);
    try {
      if (data === undefined) tensor.view.fill(0);
      else if (size > 0) tensor.view.set(inside ? new inside.Kind(this.exports.memory.buffer, inside.offset, size) : data);
    } catch (thrown) {
      tensor.free();
      throw thrown;
    }
    return tensor;
  }

  /** A tensor of this memory, not freed. @param {string} param @param {FastTensor} tensor */
  #own(param, tensor) {
    if (tensor.memory !== this) throw new AttentionError('wrong_type', param, `${param} is a tensor of another module`);
    if (tensor.address === 0) throw new AttentionError('wrong_type', param, `${param} has been freed`);
    return tensor;
  }

  /**
   * The arguments of these names as tensors in memory: themselves, or copies that `call` frees. All are looked at before the first is copied:
   * a copy may make the memory grow, which leaves views of it without elements, so where in it they lie has to be known by then.
   * @template {string} N
   * @param {Record<N, unknown>} options @param {readonly N[]} names
   * @returns {FastTensor[]}
   */
  operands(options, names) {
    /** @type {(FastTensor | ArrayTensor)[]} */
    const found = [];
    let copies = false;
    for (const name of names) {
      const value = options[name];
      if (value instanceof FastTensor) {
        found.push(this.#own(name, value));
      } else {
        found.push(arrayTensor(name, value));
        copies = true;
      }
    }
    if (!copies) return /** @type {FastTensor[]} */ (found);
    const { buffer } = this.exports.memory;
    const places = found.map((each) => (!(each instanceof FastTensor) && each.data.buffer === buffer ? each.data.byteOffset : undefined));
    return found.map((each, i) => {
      if (each instanceof FastTensor) return each;
      const { data, shape } = each, place = places[i];
      const elements = place === undefined || this.exports.memory.buffer === buffer ? data : new Float32Array(this.exports.memory.buffer, place, shape.reduce((size, axis) => size * axis, 1));
      const tensor = this.tensor(shape, elements, names[i]);
      this.borrowed.push(tensor.address);
      return tensor;
    });
  }

  /** The shape of an argument, which stays where it is. @param {string} param @param {unknown} value */
  shape(param, value) {
    return value instanceof FastTensor ? this.#own(param, value).shape : arrayTensor(param, value).shape;
  }

  /**
   * Where a result goes: the tensor given, one made to stay, or one whose elements `taken` copies out.
   * @param {string} param @param {unknown} given @param {number[]} shape @param {boolean} stays
   * @returns {FastTensor}
   */
  output(param, given, shape, stays) {
    if (given !== undefined) {
      if (!(given instanceof FastTensor)) throw new AttentionError('wrong_type', param, `${param} is ${shown(given)}; give a FastTensor`);
      return this.#own(param, given);
    }
    const size = shape.reduce((product, axis) => product * axis, 1);
    const tensor = new FastTensor(this, this.take(param, size * 4), shape);
    // until the call has gone well it is borrowed, too
    this.borrowed.push(tensor.address);
    if (stays) this.kept.add(tensor.address);
    return tensor;
  }

  /** Whether the tensors of this call have three axes, so that the axis of one head is only ours. */
  #headless = false;
  #running = false;

  /** Outputs that stay when the call goes well. @type {Set<number>} */
  kept = new Set();

  /**
   * A result for the caller: a copy when it was borrowed.
   * @param {FastTensor} tensor @returns {any} a FastTensor or an ArrayTensor, which functions tell apart by their options (Like, Written)
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
    if (axes === 4) {
      this.#headless = shape.length === 3;
      return fourSizes(param, shape);
    }
    if (shape.length === axes) return shape;
    throw new AttentionError('wrong_shape', param, `${param} has ${shape.length} axes; allowed are ${axes}`);
  }

  /** Words of a call, for those that check it, too. @override @param {number} at @param {ArrayLike<number>} values */
  words(at, values) {
    super.words(at, values);
    this.masks.words(at, values);
  }

  /**
   * The mask of a call.
   * @param {MaskOptions} options @param {readonly number[]} sizes batch, heads, queries and keys of what it speaks of
   */
  mask(options, sizes) {
    super.words(MASK_WORDS, this.masks.bind(options, sizes));
  }

  /**
   * Runs a function of the module on what the words say, once it has been checked.
   * @param {string} name without its attn_ @param {number[]} addresses @param {string} [form] what is to be checked, where its name is another
   */
  run(name, addresses, form = name) {
    try {
      this.masks.check(`attn_check_${form}`);
    } catch (thrown) {
      throw this.#headless && thrown instanceof AttentionError && thrown.param !== 'mask' ? withoutHeads(thrown) : thrown;
    }
    this.within = true;
    this.exports[`attn_${name}`](...addresses);
    this.within = false;
  }

  /** Memory until the end of the call. @param {string} param @param {number} bytes */
  lent(param, bytes) {
    const address = this.take(param, bytes);
    this.borrowed.push(address);
    return address;
  }

  /**
   * Does one operation: whatever it borrows is freed at its end, outputs that stay only when it failed. One at a time: what an argument does while it
   * is read must not be another.
   * @template T @param {() => T} action @returns {T}
   */
  call(action) {
    if (this.#running) throw new AttentionError('engine_unavailable', 'options', 'options: an argument of a call makes another call of the same module while it is read; make that call before');
    let done = false;
    this.#running = true;
    this.#headless = false;
    this.begin();
    this.masks.begin();
    try {
      const result = action();
      done = true;
      return result;
    } catch (thrown) {
      if (thrown instanceof NoRoom) {
        this.abandon();
        this.masks.abandon();
      }
      throw thrown;
    } finally {
      this.masks.release();
      for (const address of this.borrowed) if (!done || !this.kept.has(address)) this.exports.attn_give(address);
      this.borrowed.length = 0;
      this.kept.clear();
      this.#running = false;
    }
  }
}
