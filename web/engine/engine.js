/**
 * Runs the core for the plates of a page: one service, however many plates. Climbs the ladder until a rung answers, restarts
 * after a crash (same rung once, then the next), and turns every failure into an error value. Clients hold the rule
 * "latest wins": at most one request under way and one waiting; what was overtaken is dropped, the last one never.
 * It draws nothing and knows no study.
 *
 * @import { Progress, Registry } from './types.js'
 * @import { Port, Rung, RungKind } from './ladder.js'
 * @import { FastMethod, Method, Reply } from './protocol.js'
 */
import { AttentionError } from './errors.js';
import * as protocol from './protocol.js';

/** Codes that no other place on the page can cure. */
const final = new Set(['wasm_missing', 'wasm_no_simd']);

/** Crashes of a running rung before the next one is tried. */
const CRASHES_PER_RUNG = 2;

/** Milliseconds without any client before the service is let go; long enough to move an element in the page. */
const IDLE_MS = 2000;

/**
 * @typedef {object} EngineParts
 * @property {Rung[]} rungs
 * @property {string} [wasmUrl] absent: only the inline bytes can be used
 * @property {() => Promise<Uint8Array>} inlineBytes
 * @property {string} [build] which of several builds the module is, where the worker has more than one
 * @property {{wasmUrl?: string, inlineBytes: () => Promise<Uint8Array>}} [beside] a second module that it needs
 *
 * @typedef {{resolve: (value: any) => void, reject: (reason: AttentionError) => void, progress: Progress}} Waiter
 *
 * @typedef {{kind: 'answer', value: any} | {kind: 'error', error: AttentionError} | {kind: 'dropped'}} Outcome
 */

export class Engine {
  /** @type {EngineParts} */ #parts;
  #rung = 0;
  #crashes = 0;
  /** @type {Port | undefined} */ #port;
  /** @type {Promise<Registry> | undefined} */ #started;
  /** @type {Map<number, Waiter>} */ #waiters = new Map();
  #nextId = 1;
  #clients = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #idle;

  /** @param {EngineParts} parts */
  constructor(parts) {
    this.#parts = parts;
  }

  /** @returns {RungKind | undefined} where the core runs, once it does */
  get kind() {
    return this.#port && this.#parts.rungs[this.#rung]?.kind;
  }

  /** @returns {Promise<Registry>} rejects with the AttentionError that explains best why nothing runs */
  start() {
    this.#started ??= this.#climb();
    return this.#started;
  }

  /**
   * @param {Method | FastMethod} method
   * @param {unknown[]} args
   * @param {Progress} [progress] told the share done while the call is worked on
   * @param {ArrayBuffer[]} [transfer] buffers in `args` that are moved and not copied
   * @returns {Promise<any>} rejects with an AttentionError
   */
  async call(method, args, progress = () => {}, transfer = []) {
    await this.start();
    return new Promise((resolve, reject) => {
      if (!this.#port) throw new AttentionError('engine_crashed', '', 'The numerical core has just stopped.');
      const id = this.#nextId++;
      this.#waiters.set(id, { resolve, reject, progress });
      this.#port.post(protocol.call(id, method, args), transfer);
    });
  }

  /** Lets the service go at once; who still waits is told. A later call starts it again: on the first rung, where none has held. */
  stop() {
    clearTimeout(this.#idle);
    if (this.#rung >= this.#parts.rungs.length) this.#rung = this.#crashes = 0;
    this.#close(new AttentionError('engine_unavailable', '', 'Nobody waits for this answer any more.'));
  }

  /** @returns {Client} one per plate; release it when the plate leaves the page */
  client() {
    ++this.#clients;
    clearTimeout(this.#idle);
    return new Client(this, () => {
      if (--this.#clients > 0) return;
      this.#idle = setTimeout(() => this.stop(), IDLE_MS);
      // in Node, an idle engine must not keep the process alive
      /** @type {any} */ (this.#idle).unref?.();
    });
  }

  /** @returns {Promise<Registry>} */
  async #climb() {
    /** @type {AttentionError | undefined} */
    let reason;
    for (; this.#rung < this.#parts.rungs.length; ++this.#rung, this.#crashes = 0) {
      try {
        return await this.#startRung(this.#parts.rungs[this.#rung]);
      } catch (thrown) {
        const error = thrown instanceof AttentionError ? thrown : new AttentionError('engine_unavailable', '', String(thrown));
        if (final.has(error.code)) throw error;
        // a reason about WebAssembly says more than "no worker could be made"; else the last rung, which needs least, knows best
        if (!reason?.code.startsWith('wasm_') || error.code.startsWith('wasm_')) reason = error;
      }
    }
    throw reason ?? new AttentionError('engine_unavailable', '', 'The numerical core stopped too often on this page.');
  }

  /**
   * @param {Rung} rung
   * @returns {Promise<Registry>}
   */
  async #startRung(rung) {
    const port = await rung.open();
    try {
      /** @type {(reply: Reply) => void} */
      let onReply = () => {};
      /** @type {(error: AttentionError) => void} */
      let onCrash = () => {};
      port.listen((reply) => onReply(reply), (message) => onCrash(new AttentionError('engine_crashed', '', `The numerical core stopped (${message}).`)));

      /** @param {import('./load.js').WasmSource} source @returns {Promise<Registry>} */
      const attempt = (source) => new Promise((resolve, reject) => {
        onReply = (reply) => {
          if (reply.type === 'ready') resolve(reply.registry);
          else if (reply.type === 'failed') reject(AttentionError.from(reply.error));
        };
        onCrash = reject;
        port.post(protocol.start(source));
      });
      const registry = await this.#download(attempt);
      onReply = (reply) => this.#receive(reply);
      onCrash = (error) => this.#crashed(error);
      this.#port = port;
      return registry;
    } catch (thrown) {
      port.close();
      throw thrown;
    }
  }

  /**
   * The wasm file first, then the bytes that travel in a script.
   * @param {(source: import('./load.js').WasmSource) => Promise<Registry>} attempt
   */
  async #download(attempt) {
    const { wasmUrl, build, beside } = this.#parts;
    const which = build === undefined ? {} : { build };
    const inline = async () => {
      const [wasmBytes, more] = await Promise.all([this.#parts.inlineBytes(), beside?.inlineBytes()]);
      return { ...which, wasmBytes, ...(more && { beside: { wasmBytes: more } }) };
    };
    if (!wasmUrl) return attempt(await inline());
    try {
      return await attempt({ ...which, wasmUrl, ...(beside && { beside: { wasmUrl: beside.wasmUrl } }) });
    } catch (thrown) {
      if (!(thrown instanceof AttentionError) || thrown.code !== 'wasm_unreachable') throw thrown;
      return attempt(await inline().catch(() => { throw thrown; }));
    }
  }

  /** @param {Reply} reply */
  #receive(reply) {
    if (reply.type !== 'answer' && reply.type !== 'progress') return;
    const waiter = this.#waiters.get(reply.id);
    if (reply.type === 'progress') {
      waiter?.progress(reply.share);
      return;
    }
    this.#waiters.delete(reply.id);
    if (reply.error) waiter?.reject(AttentionError.from(reply.error));
    else waiter?.resolve(reply.value);
  }

  /** @param {AttentionError} error */
  #crashed(error) {
    if (++this.#crashes >= CRASHES_PER_RUNG) {
      ++this.#rung;
      this.#crashes = 0;
    }
    this.#close(error);
  }

  /** @param {AttentionError} reason what those are told who still wait for an answer */
  #close(reason) {
    this.#port?.close();
    this.#port = undefined;
    this.#started = undefined;
    for (const waiter of this.#waiters.values()) waiter.reject(reason);
    this.#waiters.clear();
  }
}

/** The requests of one plate. */
export class Client {
  /** @type {Engine} */ #engine;
  /** @type {() => void} */ #onRelease;
  #underWay = false;
  #droppedLast = false;
  #released = false;
  /** @type {{method: Method, args: unknown[], progress: Progress, settle: (outcome: Outcome) => void} | null} */ #waiting = null;

  /**
   * @param {Engine} engine
   * @param {() => void} onRelease
   */
  constructor(engine, onRelease) {
    this.#engine = engine;
    this.#onRelease = onRelease;
  }

  /** @returns {Promise<Registry>} */
  start() {
    return this.#engine.start();
  }

  get kind() {
    return this.#engine.kind;
  }

  /**
   * Never rejects. An outcome that a newer request has overtaken is `dropped`, but never two in a row: while a hand moves faster
   * than the core computes, every other answer is still shown.
   * @param {Method} method
   * @param {unknown[]} args
   * @param {Progress} [progress] told the share done, as long as no newer request has overtaken this one
   * @returns {Promise<Outcome>}
   */
  request(method, args, progress = () => {}) {
    return new Promise((settle) => {
      this.#waiting?.settle({ kind: 'dropped' });
      this.#waiting = { method, args, progress, settle };
      if (!this.#underWay) this.#sendWaiting();
    });
  }

  /** After this every open request is dropped. */
  release() {
    if (this.#released) return;
    this.#released = true;
    this.#waiting?.settle({ kind: 'dropped' });
    this.#waiting = null;
    this.#onRelease();
  }

  async #sendWaiting() {
    if (!this.#waiting) return;
    const { method, args, progress, settle } = this.#waiting;
    this.#waiting = null;
    this.#underWay = true;
    /** @type {Outcome} */
    const outcome = await this.#engine.call(method, args, (share) => { if (!this.#overtaken() && !this.#released) progress(share); }).then(
      (value) => ({ kind: 'answer', value }),
      (error) => ({ kind: 'error', error }),
    );
    this.#underWay = false;
    this.#droppedLast = this.#overtaken() && !this.#droppedLast;
    // the core works on the next request while the page draws this one
    this.#sendWaiting();
    settle(this.#droppedLast || this.#released ? { kind: 'dropped' } : outcome);
  }

  #overtaken() {
    return this.#waiting !== null;
  }
}
