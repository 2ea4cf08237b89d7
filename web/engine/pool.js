/**
 * Large attentions over several workers that share no memory. Each worker holds an instance of the fast kernels of its own; the page cuts the queries
 * into pieces (split.js), sends keys and values to a worker once for all pieces that need them, and puts the answers where they belong. A worker takes
 * the next piece when it is done with one, so that a slow one holds up nobody. Below BREAK_EVEN one worker does it all in one call.
 * Work is counted in multiply-adds: visited tiles x queries x keys of a tile x (d + v).
 * Results have the same bits for any number of workers. Not for many small attentions: those are one call with a batch.
 *
 * @import { Engine } from './engine.js'
 * @import { FastMethod } from './protocol.js'
 * @import { SpanFunction, SpanTable } from './fast-spans.js'
 * @import { Piece, Plan } from './split.js'
 * @import { ArrayTensor } from './fast-memory.js'
 * @import { Progress } from './types.js'
 */
import { AttentionError, errorValue } from './errors.js';
import { arrayTensor, checkedLengths, checkedMask, checkedShape, fourSizes, knownOptions, onlyFields, readOnce, shown } from './fast-checks.js';
import { Passed, readSpans } from './fast-spans.js';
import { Spares } from './spares.js';
import { PER_PIECE, inTiles, split, tilesOf } from './split.js';

/**
 * Multiply-adds above which several workers are faster than one. Measured with two in Chromium, causal, d = v = 64: 1.0 times as fast at 67e6, 1.2 at 151e6,
 * 1.4 at 268e6, 1.8 at 4295e6. It is about 7 ms of one worker's time.
 */
export const BREAK_EVEN = 150e6;

/** Pieces that a worker has at a time: one that it computes and one that lies ready. It is done with both before it hears of another run. */
const LANES = 2;

/** How often a piece is handed to somebody else because its worker has stopped. */
const RETRIES = 2;

/**
 * @typedef {{data: Float32Array, shape: readonly number[]} | {readonly view: Float32Array, readonly shape: readonly number[]}} PoolOperand an array, or a FastTensor
 *
 * @typedef {object} PoolOperands
 * @property {PoolOperand} queries (batch, n, d) or (batch, heads, n, d), whose elements are not to be changed before the answer
 * @property {PoolOperand} keys
 * @property {PoolOperand} values
 * @property {string} [mask] a mask expression
 * @property {ArrayLike<number> | ArrayLike<ArrayLike<number>>} [validLens] (batch), or a row of (queries) for each of the batch
 * @property {SpanFunction} [spans] a mask of your own, read here and at once: for each query the spans of keys [begin, end) that it may attend to (fast-spans.js)
 *
 * @typedef {{elements: () => Float32Array, shape: number[]}} ReadOperand its shape as it was when the call was made; elements are asked for anew each time
 * @typedef {{mask?: string, validLens?: ArrayLike<number> | ArrayLike<ArrayLike<number>>, spans?: SpanTable}} ReadMask what says which keys are allowed
 * @typedef {Record<'queries' | 'keys' | 'values', ReadOperand> & {mask: ReadMask}} ReadOperands
 *
 * @typedef {object} CancelSignal what is asked of an AbortSignal: not every program has types that know of one
 * @property {boolean} aborted
 * @property {(type: 'abort', listener: () => void, options?: {once?: boolean}) => void} addEventListener
 * @property {(type: 'abort', listener: () => void) => void} removeEventListener
 *
 * @typedef {object} PoolOptions
 * @property {CancelSignal | null} [signal] cancels: the answer is refused at once, workers are free after the pieces they have
 * @property {Progress} [onProgress] told the share of the tiles that is done
 * @property {boolean} [latest] a newer call with `latest` overtakes this one, which is then cancelled
 *
 * @typedef {{full: number, mixed: number, empty: number}} TileCounts
 * @typedef {{output: ArrayTensor, logNormalizer: ArrayTensor, tiles: TileCounts}} PoolResult
 *
 * @typedef {object} Whole the attention to be cut, its shapes known to fit
 * @property {number} slices
 * @property {number} batch
 * @property {number} heads
 * @property {number} n
 * @property {number} m
 * @property {number} d
 * @property {number} v
 * @property {Record<'queries' | 'keys' | 'values', () => Float32Array>} elements
 * @property {ReadMask} mask
 *
 * @typedef {object} Seat a worker, or the page itself
 * @property {Engine} engine
 * @property {boolean} gone it could not be started in the last run
 * @property {string} holds the slices whose keys and values it has, as text; '' for none
 */

/**
 * What an operand is when the call is made. A FastTensor's elements are asked for anew each time: memory that has grown leaves older views without any.
 * @param {string} param @param {unknown} operand
 * @returns {ReadOperand}
 */
function readOperand(param, operand) {
  if (typeof operand !== 'object' || operand === null || !('view' in operand)) {
    const { data, shape } = arrayTensor(param, operand);
    return { elements: () => arrayTensor(param, { data, shape }).data, shape };
  }
  onlyFields(param, operand, ['view', 'shape']);
  const shape = checkedShape(param, /** @type {Record<string, unknown>} */ (operand).shape);
  const elements = () => {
    if ('address' in operand && operand.address === 0) throw new AttentionError('wrong_type', param, `${param} has been freed`);
    return arrayTensor(param, { data: operand.view, shape }).data;
  };
  elements();
  return { elements, shape };
}

/** Lengths that nobody changes before the answer. @param {PoolOperands['validLens']} given @param {readonly number[]} sizes */
function readLengths(given, [batch, , queries]) {
  const { lengths, shape } = checkedLengths(given, batch, queries);
  return shape.length === 1 ? lengths : Array.from({ length: batch }, (_, i) => lengths.slice(i * queries, (i + 1) * queries));
}

/**
 * What is asked, its mask in a form that can be sent: a function's rows are read while the caller waits. Refuses what no kernel could take, in the kernels'
 * words, while the caller still sees where it came from; whether shapes fit each other they say themselves.
 * @param {PoolOperands} operands
 * @returns {ReadOperands}
 */
function readOperands(operands) {
  knownOptions(operands, ['queries', 'keys', 'values', 'mask', 'validLens', 'spans'], 'operands');
  const { mask, validLens, spans, ...given } = operands;
  const [queries, keys, values] = (/** @type {const} */ (['queries', 'keys', 'values'])).map((param) => readOperand(param, given[param]));
  const [q, k] = Object.entries({ queries, keys, values }).map(([param, { shape }]) => fourSizes(param, shape));
  checkedMask({ mask, validLens, spans });
  /** @type {ReadMask} */
  const read = mask === undefined ? {} : { mask };
  if (validLens !== undefined) read.validLens = readLengths(validLens, q);
  if (spans !== undefined) read.spans = readSpans(spans, { sizes: [q[0], q[1], q[2], k[2]], slice: 0, slices: q[0] * q[1], first: 0, rows: q[2] });
  return { queries, keys, values, mask: read };
}

/** @param {PoolOptions} options */
function checkOptions(options) {
  knownOptions(options, ['signal', 'onProgress', 'latest']);
  const { signal, onProgress, latest } = options;
  const listens = (/** @type {any} */ value) => typeof value === 'object' && typeof value?.aborted === 'boolean' && typeof value.addEventListener === 'function' && typeof value.removeEventListener === 'function';
  if (signal !== undefined && signal !== null && !listens(signal)) throw new AttentionError('wrong_type', 'signal', `signal is ${shown(signal)}; give an AbortSignal`);
  if (onProgress !== undefined && typeof onProgress !== 'function') throw new AttentionError('wrong_type', 'onProgress', `onProgress is ${shown(onProgress)}; give a function`);
  if (latest !== undefined && typeof latest !== 'boolean') throw new AttentionError('wrong_type', 'latest', `latest is ${shown(latest)}; give true or false`);
  return { signal, onProgress, latest };
}

/**
 * The attention as slices, or null where the shapes do not fit: then the kernel itself is to say what is wrong, in one call.
 * @param {ReadOperands} operands
 * @returns {Whole | null}
 */
function wholeOf({ queries, keys, values, mask }) {
  const all = [queries, keys, values];
  const [q, k, x] = all.map(({ shape }) => (shape.length === 4 ? shape : [shape[0], 1, shape[1], shape[2]]));
  if ([k, x].some((shape) => shape[0] !== q[0] || shape[1] !== q[1]) || k[3] !== q[3] || x[2] !== k[2] || new Set(all.map(({ shape }) => shape.length)).size > 1) return null;
  return {
    slices: q[0] * q[1], batch: q[0], heads: q[1], n: q[2], m: k[2], d: q[3], v: x[3],
    elements: { queries: queries.elements, keys: keys.elements, values: values.elements }, mask,
  };
}

/** @param {Float32Array} all @param {number} first @param {number} count @param {number} size of one */
const some = (all, first, count, size) => all.subarray(first * size, (first + count) * size);

/** One call of `attention`: what is left to do, and the promise of its answer. */
class Run {
  static #count = 0;
  serial = ++Run.#count;
  over = false;
  /** @type {Piece[]} */ left = [];
  retries = 0;
  /** @type {(value: PoolResult) => void} */ #resolve = () => {};
  /** @type {(reason: unknown) => void} */ #reject = () => {};
  /** @type {Promise<PoolResult>} */ answer = new Promise((resolve, reject) => { [this.#resolve, this.#reject] = [resolve, reject]; });

  /** @param {PoolResult} value */
  finish(value) {
    this.over = true;
    this.#resolve(value);
  }

  /** @param {unknown} reason */
  fail(reason) {
    this.over = true;
    this.#reject(reason);
  }

  /** @param {string} why */
  cancel(why) {
    this.fail(new AttentionError('cancelled', '', why));
  }
}

export class Pool {
  /** @type {Seat[]} */ #seats;
  #spares = new Spares();
  /** @type {Promise<unknown>} the end of the newest run */ #tail = Promise.resolve();
  /** @type {Run | undefined} */ #newest;
  /** @type {Set<Run>} */ #open = new Set();
  /** @type {(task: () => void) => void} lets the page breathe where it computes itself */ #later;
  /** @type {number} */ #breakEven;
  /** @type {{largest: number, smallest: number}} */ #perPiece;

  /**
   * @param {object} parts
   * @param {Engine[]} parts.engines one a worker; only the first may run in the page itself
   * @param {'simd' | 'relaxed'} parts.build
   * @param {number} [parts.breakEven] multiply-adds, as are these
   * @param {{largest: number, smallest: number}} [parts.perPiece]
   * @param {(task: () => void) => void} [parts.later]
   */
  constructor({ engines, build, breakEven = BREAK_EVEN, perPiece = PER_PIECE, later: wait = (task) => { setTimeout(task, 0); } }) {
    this.#seats = engines.map((engine) => ({ engine, gone: false, holds: '' }));
    /** which of the two builds of the kernels runs */
    this.build = build;
    this.#breakEven = breakEven;
    this.#perPiece = perPiece;
    this.#later = wait;
  }

  /** How many workers a large run is shared among; 1 where the page itself computes. */
  get workers() {
    return this.kind === 'main-thread' ? 1 : Math.max(1, this.#seats.filter(({ gone }) => !gone).length);
  }

  /** Where the first of them runs, once it does. */
  get kind() {
    return this.#seats[0].engine.kind;
  }

  /** Starts the first worker. Rejects with the AttentionError that says why nothing runs. */
  async start() {
    await this.#seats[0].engine.start();
  }

  /**
   * Scaled dot-product attention; calls run in the order in which they are made.
   * @param {PoolOperands} operands
   * @param {PoolOptions} [options]
   * @returns {Promise<PoolResult>} rejects with an AttentionError: those of the kernel; `cancelled`; those of a worker that cannot run
   */
  attention(operands, options = {}) {
    /** @type {ReadOperands} */
    let read;
    /** @type {PoolOptions} */
    let asked;
    try {
      asked = checkOptions(readOnce(options));
      read = readOperands(readOnce(operands));
    } catch (thrown) {
      return Promise.reject(thrown instanceof Passed ? thrown.thrown : thrown);
    }
    const { signal, onProgress = () => {}, latest = false } = asked;
    const run = new Run();
    this.#open.add(run);
    if (latest) {
      this.#newest?.cancel('A newer attention has overtaken this one.');
      this.#newest = run;
    }
    const abort = () => run.cancel('This attention was cancelled.');
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
    const before = this.#tail;
    this.#tail = run.answer.catch(() => {}).finally(() => {
      signal?.removeEventListener('abort', abort);
      this.#open.delete(run);
      if (this.#newest === run) this.#newest = undefined;
      return before;
    });
    before.then(async () => {
      if (run.over) return;
      await this.#execute(run, read, (share) => { if (!run.over) onProgress(share); }).then((value) => run.finish(value), (thrown) => run.fail(thrown));
    });
    return run.answer;
  }

  /** Lets the workers go; what is open is cancelled. A later call starts them again. */
  close() {
    for (const run of this.#open) run.cancel('The pool was closed.');
    for (const seat of this.#seats) {
      seat.engine.stop();
      seat.holds = '';
    }
    this.#spares.clear();
  }

  /**
   * @param {Run} run
   * @param {ReadOperands} operands
   * @param {Progress} tell
   * @returns {Promise<PoolResult>}
   */
  async #execute(run, operands, tell) {
    const whole = wholeOf(operands);
    const first = this.#seats[0];
    if (whole) {
      const { batch, heads, n, m, d, v, mask } = whole;
      const most = whole.slices * n * m * (d + v);
      if (most > this.#breakEven) {
        const { tileQueries, tileKeys, visited } = await this.#ask(first, 'tiles', { batch, heads, queries: n, keys: m, ...mask });
        /** @type {Plan} */
        const plan = { slices: whole.slices, queries: n, tileQueries, visited };
        const perTile = tileQueries * tileKeys * (d + v);
        if (tilesOf(plan) * perTile > this.#breakEven) return this.#share(run, operands, whole, plan, perTile, tell);
      }
    }
    const { queries, keys, values, mask } = operands;
    const copies = { queries: copyOf(queries), keys: copyOf(keys), values: copyOf(values) };
    const answer = await this.#ask(first, 'attention', { ...copies, ...mask }, Object.values(copies).map(({ data }) => data.buffer));
    tell(1);
    this.#spares.turn();
    return answer;
  }

  /**
   * @param {Run} run
   * @param {ReadOperands} operands
   * @param {Whole} whole
   * @param {Plan} plan
   * @param {number} perTile multiply-adds
   * @param {Progress} tell
   * @returns {Promise<PoolResult>}
   */
  async #share(run, operands, whole, plan, perTile, tell) {
    const { slices, n, v } = whole;
    // one that could not be started may be able to now
    for (const seat of this.#seats) seat.gone = false;
    const seats = this.kind === 'main-thread' ? this.#seats.slice(0, 1) : this.#seats.filter(({ gone }) => !gone);
    const total = tilesOf(plan);
    run.left = split(plan, { workers: seats.length, ...inTiles(this.#perPiece, perTile) });
    const output = new Float32Array(slices * n * v);
    const logNormalizer = new Float32Array(slices * n);
    const tiles = { full: 0, mixed: 0, empty: 0 };
    let done = 0;
    /** @type {unknown} */
    let reason;
    const lane = async (/** @type {Seat} */ seat) => {
      for (let piece; !run.over && !seat.gone && (piece = nextPiece(run, seat, seats));) {
        if (this.kind === 'main-thread') await new Promise((resolve) => { this.#later(() => resolve(undefined)); });
        if (run.over) return;
        let answer;
        try {
          answer = await this.#piece(run, seat, whole, piece);
        } catch (thrown) {
          reason = thrown;
          // one that cannot be started leaves its pieces to the others; one that has stopped is started again
          if (!seat.gone && !(thrown instanceof AttentionError && thrown.code === 'engine_crashed' && ++run.retries <= RETRIES * seats.length)) throw thrown;
          run.left.unshift(piece);
          continue;
        }
        if (run.over) return;
        output.set(answer.output, (piece.slice * n + piece.row) * v);
        logNormalizer.set(answer.logNormalizer, piece.slice * n + piece.row);
        this.#spares.keep(...answer.spare);
        for (const kind of /** @type {(keyof TileCounts)[]} */ (['full', 'mixed', 'empty'])) tiles[kind] += answer.tiles[kind];
        done += piece.tiles;
        tell(total === 0 ? 1 : done / total);
      }
    };
    const lanes = seats.flatMap((seat) => Array.from({ length: this.kind === 'main-thread' ? 1 : LANES }, () => lane(seat)));
    await Promise.all(lanes);
    // a piece was given back when the others had already gone home
    while (!run.over && run.left.length > 0 && seats.some(({ gone }) => !gone)) await Promise.all(seats.filter(({ gone }) => !gone).map(lane));
    for (const seat of seats) {
      if (seat.holds && !run.over) this.#ask(seat, 'release', {}).catch(() => {});
      if (!run.over) seat.holds = '';
    }
    this.#spares.turn();
    if (run.left.length > 0 && !run.over) throw reason;
    const shape = [...operands.queries.shape];
    return { output: { data: output, shape: [...shape.slice(0, -1), v] }, logNormalizer: { data: logNormalizer, shape: shape.slice(0, -1) }, tiles };
  }

  /** @param {Seat} seat without the first nothing goes on */
  async #start(seat) {
    try {
      await seat.engine.start();
    } catch (thrown) {
      seat.gone = seat !== this.#seats[0];
      // or it would remember
      seat.engine.stop();
      throw thrown;
    }
  }

  /**
   * @param {Run} run
   * @param {Seat} seat
   * @param {Whole} whole
   * @param {Piece} piece
   * @returns {Promise<{output: Float32Array, logNormalizer: Float32Array, tiles: TileCounts, spare: Float32Array[]}>}
   */
  async #piece(run, seat, whole, piece) {
    const { slice, slices, row, rows } = piece;
    const { batch, heads, n, m, d, v, elements, mask } = whole;
    // the worker has to be there before it can hold anything
    await this.#start(seat);
    const holds = nameOf(run, piece);
    const queries = this.#spares.copy(slices === 1 ? some(elements.queries(), slice * n + row, rows, d) : some(elements.queries(), slice * n, slices * n, d));
    /** @type {Record<string, any>} */
    const request = { queries: { data: queries, shape: [1, slices, rows, d] }, rows: { first: row, total: n, slice, batch, heads }, ...mask };
    const transfer = [queries.buffer];
    if (mask.spans !== undefined) {
      const { sheets, ends, spans } = request.spans = mask.spans.part(piece);
      transfer.push(.../** @type {Float32Array<ArrayBuffer>['buffer'][]} */ ([sheets.buffer, ends.buffer, spans.buffer]));
    }
    if (seat.holds !== holds) {
      const [keys, values] = [some(elements.keys(), slice, slices, m * d), some(elements.values(), slice, slices, m * v)].map((numbers) => this.#spares.copy(numbers));
      request.keys = { data: keys, shape: [1, slices, m, d] };
      request.values = { data: values, shape: [1, slices, m, v] };
      transfer.push(keys.buffer, values.buffer);
      seat.holds = holds;
    }
    return this.#ask(seat, 'piece', request, transfer);
  }

  /**
   * @param {Seat} seat
   * @param {FastMethod} method
   * @param {object} request
   * @param {ArrayBuffer[]} [transfer]
   */
  async #ask(seat, method, request, transfer) {
    try {
      return await seat.engine.call(method, [request], undefined, transfer);
    } catch (thrown) {
      // what was held may have gone with the instance
      seat.holds = '';
      throw thrown instanceof AttentionError ? thrown : AttentionError.from(errorValue(thrown));
    }
  }
}

/** What a worker holds for a piece: the slices' keys of this run. @param {Run} run @param {Piece} piece */
const nameOf = ({ serial }, { slice, slices }) => `${serial}:${slice}+${slices}`;

/**
 * The next piece for a worker: one whose keys it has, else one whose keys nobody has, else any.
 * @param {Run} run
 * @param {Seat} seat
 * @param {Seat[]} seats
 */
function nextPiece(run, seat, seats) {
  const { left } = run;
  const held = new Set(seats.map(({ holds }) => holds));
  const own = left.findIndex((piece) => nameOf(run, piece) === seat.holds);
  const fresh = own >= 0 ? own : left.findIndex((piece) => !held.has(nameOf(run, piece)));
  return left.splice(Math.max(0, fresh), 1)[0];
}

/** @param {ReadOperand} operand */
const copyOf = ({ elements, shape }) => ({ data: new Float32Array(elements()), shape });
