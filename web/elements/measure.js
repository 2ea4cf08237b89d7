/**
 * The "measure" button of a plate that draws the reader's own machine (Plate.meter): it runs the jobs that the study lists, in a worker, and sets the
 * parameters that the study reads. Nothing is measured before a reader asks, and nothing of it is loaded: the meter is a script of its own, attn-pool.js.
 * What is shown is the button, which cancels while it measures, and a line that says how far it is and what came of it. The counting is engine/meter.js.
 *
 * @import { Meter as Declared, MeterJob, Result } from '../chart/types.js'
 * @import { Meter } from '../engine/parallel.js'
 * @import { AttentionError } from '../engine/errors.js'
 * @import { Params } from '../engine/types.js'
 */
import { html, nothing } from 'lit';
import { errorValue } from '../engine/errors.js';
import { loadScript } from '../engine/ladder.js';
import { addressFault } from '../engine/run-options.js';

/**
 * @typedef {object} MeasureHooks
 * @property {() => string} base absolute folder of the bundle's files
 * @property {() => Result | null} result on show
 * @property {(params: Params) => void} set takes what was measured into the plate's state
 * @property {() => void} changed what is shown has changed
 *
 * @typedef {object} MeasureView
 * @property {boolean} measured something measured is on show
 * @property {boolean} running
 * @property {number | null} share that is done; null while nothing runs
 * @property {string} words
 * @property {boolean} still
 * @property {() => void} measure begins, or cancels what has begun
 * @property {() => void} forget
 */

/** @param {MeasureView} view */
export const measureRow = ({ measured, running, words, still, measure, forget }) => html`
  <div class="measure" role="group" aria-label="this machine">
    <button class="button" type="button" data-action="measure" ?disabled="${still}" @click="${measure}">${running ? 'cancel' : measured ? 'measure again' : 'measure this machine'}</button>
    ${measured && !running ? html`<button class="button" type="button" data-action="forget" ?disabled="${still}" @click="${(/** @type {Event} */ event) => forgetAndStay(event, forget)}">forget</button>` : nothing}
    <span class="measure-state" role="status">${words}</span>
  </div>`;

/**
 * The button goes with what it forgot; who pressed it by a key stands on the one beside it.
 * @param {Event} event
 * @param {() => void} forget
 */
function forgetAndStay({ currentTarget }, forget) {
  const beside = /** @type {HTMLElement | null} */ (/** @type {HTMLElement} */ (currentTarget).parentElement?.querySelector('[data-action="measure"]') ?? null);
  beside?.focus();
  forget();
}

/** @type {Record<string, string>} */
const builds = { simd: 'fixed-width SIMD', relaxed: 'relaxed SIMD' };

/**
 * Asks for the meter of the page's own files.
 * @param {string} base
 * @returns {Promise<Meter>}
 */
async function openMeter(base) {
  await loadScript(new URL('attn-pool.js', base).href);
  return /** @type {any} */ (globalThis).attentionPool.createMeter({ base });
}

/**
 * What was measured, to be kept where another state is wanted that says nothing of it: it belongs to a machine, not to the sizes.
 * @param {Declared | undefined} meter of the plate
 * @param {Params | undefined} wanted now
 * @param {object} [raw] the state to come
 * @returns {Params}
 */
export function keptOf(meter, wanted, raw = {}) {
  if (!meter || !wanted || meter.params.some((key) => Object.hasOwn(raw, key))) return {};
  return Object.fromEntries(meter.params.filter((key) => wanted[key] !== '').map((key) => [key, wanted[key]]));
}

/** A message as prose: quotation marks as in print, and a full stop. @param {string} message */
const sentence = (message) => message.replace(/"([^"]*)"/g, '“$1”').replace(/\.?$/, '.');

/** What the page's address asks for and a measurement would refuse, said before one is asked for. */
function hindrance() {
  const fault = addressFault();
  return fault && `Nothing can be measured: ${sentence(fault)}`;
}

/** Names in a sentence, each once; of many, the first. @param {string[]} given */
function named(given) {
  const names = [...new Set(given)];
  return names.length > 4 ? `${names.slice(0, 3).join('; ')}; and ${names.length - 3} more` : names.join('; ');
}

/** The row of a plate that stands still. @type {MeasureView} */
export const stillMeasure = { measured: false, running: false, share: null, words: '', still: true, measure() {}, forget() {} };

/** @param {MeterJob[]} jobs */
const keysOf = (jobs) => jobs.map(({ key }) => key).join();

export class Measuring {
  /** @type {MeasureHooks} */ #hooks;
  /** @type {AbortController | null} of the measurement under way */ #run = null;
  /** @type {(base: string) => Promise<Meter>} */ #open;
  #words = '';
  /** another state has ended the run: why is told until the next is asked for */ #stopped = false;
  /** the jobs under way, as text to compare @type {string} */ #jobs = '';
  /** how much is done, 0 to 1; null while nothing is measured @type {number | null} */
  share = null;
  /** which build of the fast kernels has measured last, null before @type {'simd' | 'relaxed' | null} */
  build = null;

  /** @param {MeasureHooks} hooks @param {(base: string) => Promise<Meter>} [open] */
  constructor(hooks, open = openMeter) {
    this.#hooks = hooks;
    this.#open = open;
  }

  /**
   * @param {Declared} meter of the plate
   * @param {Params} params of the state
   * @returns {MeasureView}
   */
  view(meter, params) {
    return {
      measured: meter.params.some((key) => params[key] !== ''), running: this.#run !== null, share: this.share, still: false, words: this.#words || hindrance(),
      measure: () => { if (this.#run) this.cancel(); else this.measure(meter); },
      forget: () => {
        this.#words = 'Forgotten.';
        this.#stopped = false;
        this.#hooks.set(Object.fromEntries(meter.params.map((key) => [key, ''])));
      },
    };
  }

  /** Ends what is under way; what was complete stays. @param {string} [words] */
  cancel(words = 'Cancelled.') {
    if (!this.#run) return;
    this.#run.abort();
    this.#end(words);
  }

  /** The reader does something else: what was said of the last thing is over. Why measuring stopped stays: the edit that ended it has more steps to come. */
  moveOn() {
    if (!this.#run && !this.#stopped) this.#words = '';
  }

  /** Another result is on show: jobs that are no longer its own are not worth their time. @param {Declared} declared @param {Result} result */
  follow(declared, result) {
    if (this.#run && this.#jobs !== keysOf(declared.jobs(result))) {
      this.cancel('Cancelled: the sizes have changed.');
      this.#stopped = true;
    }
  }

  /** @param {Declared} declared */
  async measure(declared) {
    const result = this.#hooks.result();
    if (!result || this.#run) return;
    const run = this.#run = new AbortController();
    this.#stopped = false;
    const jobs = declared.jobs(result);
    this.#jobs = keysOf(jobs);
    const current = () => this.#run === run;
    this.#tell(0);
    /** @type {Meter | undefined} */
    let meter;
    try {
      meter = await this.#open(this.#hooks.base());
      if (!current()) return;
      const [machineKey, timesKey] = declared.params;
      const { machine, times, left } = await meter.measure((limits) => {
        // the roof is drawn while the jobs run, but not over the times of another run, which would stay under it where this one is cancelled
        if (current() && !(this.#hooks.result() ?? result).params[timesKey]) this.#hooks.set({ [machineKey]: limits });
        return jobs;
      }, { signal: run.signal, onProgress: (share) => { if (current()) this.#tell(share); } });
      if (!current()) return;
      this.build = meter.build;
      const omitted = left.length > 0 ? ` Left out, too long or too large: ${named(left.map(({ name }) => name))}.` : '';
      this.#end(`Measured with ${builds[meter.build]}, ${meter.kind === 'main-thread' ? 'in the page' : 'in a worker'}.${omitted}`);
      this.#hooks.set({ [machineKey]: machine, [timesKey]: times });
    } catch (thrown) {
      if (current()) this.#end(`Not measured: ${sentence(errorValue(thrown).message)}`);
    } finally {
      // tensors of hundreds of megabytes go with the worker
      meter?.close();
    }
  }

  /** @param {number} share */
  #tell(share) {
    this.share = share;
    // a listener hears every tenth, not every step
    this.#words = `measuring… ${10 * Math.floor(10 * share)}%`;
    this.#hooks.changed();
  }

  /** @param {string} words */
  #end(words) {
    this.#run = null;
    this.share = null;
    this.#words = words;
    this.#hooks.changed();
  }
}
