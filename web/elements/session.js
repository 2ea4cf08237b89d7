/**
 * One plate's conversation with the core: what is wanted, what was last computed, what was refused. No DOM: the element shows it,
 * the tests drive it with a fake engine. Sliders, switches, drags and links go through the core's `repair` (dependent parameters follow);
 * typed entries go through its strict `run` (a wrong one is refused, stays in its field, and its reason stands beside it, until it is edited or
 * another change makes it right).
 *
 * @import { Client, Outcome } from '../engine/engine.js'
 * @import { AttentionError } from '../engine/errors.js'
 * @import { Notice, Params, ParameterValue, Study, StudyResult } from '../engine/types.js'
 * @import { Rejected } from './template.js'
 */
import { errorValue } from '../engine/errors.js';
import { defaults, sameParams } from './state.js';

/**
 * @typedef {object} Hooks
 * @property {() => Client | null} client the client of the moment; none while the element is out of the page
 * @property {() => void} changed called after every outcome that is shown
 * @property {(waiting: boolean) => void} waiting called when the first request goes out and when the last is answered
 * @property {(share: number) => void} progress called with the share done, 0 to 1, while the newest request is worked on
 */

export class Session {
  /** @type {Study} */ study;
  /** @type {Params} what the controls show; valid, or on its way to be refused */ wanted;
  /** @type {StudyResult | null} */ result = null;
  /** @type {Record<string, Rejected>} */ rejected = {};
  /** @type {Notice[]} */ notices = [];
  /** @type {AttentionError | null} a failure that belongs to no parameter */ failure = null;
  /** @type {Hooks} */ #hooks;
  /** States that came from elsewhere, not by a change of one thing: fields take them up even while a reader is in them. */ arrivals = 0;
  #serial = 0;
  #open = 0;
  /** @type {Record<string, Rejected>} refused entries if the typed one is taken */ #typed = {};
  /** @type {Record<string, Params>} by typed entry: what is to change with it, and stands and falls with it */ #along = {};

  /**
   * @param {Study} study
   * @param {Hooks} hooks
   */
  constructor(study, hooks) {
    this.study = study;
    this.wanted = defaults(study);
    this.#hooks = hooks;
  }

  /** A change that is valid by itself; what depends on it is brought along. @param {string} key @param {ParameterValue} value */
  edit(key, value) {
    return this.change({ [key]: value });
  }

  /** Several edits that belong together. @param {Record<string, ParameterValue>} values */
  change(values) {
    for (const key of Object.keys(values)) this.#forgive(key);
    return this.settle({ ...this.wanted, ...values });
  }

  /** A typed entry. @param {string} key @param {ParameterValue} value @param {Params} [along] what changes with it, if it is taken */
  type(key, value, along = {}) {
    const { [key]: cleared, ...others } = this.rejected;
    this.#typed = others;
    this.#along = { ...this.#along, [key]: along };
    this.wanted = { ...this.wanted, ...along, [key]: value };
    return this.#runStrictly();
  }

  /** Runs what is wanted as it is; an entry the core refuses is taken back, and the rest is tried again. */
  async #runStrictly() {
    const serial = ++this.#serial;
    const tried = this.wanted;
    const outcome = await this.#request('run', tried);
    if (outcome.kind === 'dropped' || (outcome.kind === 'error' && serial !== this.#serial)) return;
    if (outcome.kind === 'answer') {
      if (serial === this.#serial) {
        this.wanted = outcome.value.params;
        this.rejected = this.#typed;
        this.#along = {};
      }
      this.#accept(outcome.value, []);
      if (serial === this.#serial) await this.#retryRejected(serial);
      return;
    }
    const { param } = outcome.error;
    const valid = this.result?.params;
    if (!valid || !Object.hasOwn(valid, param)) {
      this.#fail(outcome.error);
      return;
    }
    if (Object.is(tried[param], valid[param])) {
      // what was typed is right, and something that was chosen earlier no longer fits it: that is brought along
      this.rejected = this.#typed;
      await this.settle(tried);
      return;
    }
    const { [param]: along = {}, ...others } = this.#along;
    this.#along = others;
    this.#typed = { ...this.#typed, [param]: { value: tried[param], error: errorValue(outcome.error), along } };
    this.wanted = { ...tried, ...Object.fromEntries(Object.keys(along).map((key) => [key, valid[key]])), [param]: valid[param] };
    if (sameParams(this.wanted, valid)) {
      this.rejected = this.#typed;
      this.notices = [];
      this.failure = null;
      this.#hooks.changed();
    } else {
      await this.#runStrictly();
    }
  }

  /**
   * Wants a whole state. Anything is taken: texts of a link, unknown keys, values out of range.
   * @param {Record<string, ParameterValue>} raw
   * @param {Notice[]} [notices] what was already noticed on the way here
   */
  async settle(raw, notices = []) {
    const serial = ++this.#serial;
    this.#along = {};
    this.wanted = { ...this.wanted, ...onlyKnown(this.study, raw) };
    const outcome = await this.#request('settle', raw);
    if (outcome.kind === 'dropped') return;
    if (outcome.kind === 'error') {
      if (serial === this.#serial) this.#fail(outcome.error);
      return;
    }
    if (serial === this.#serial) {
      this.wanted = outcome.value.result.params;
      // where the core brought the standing value along, the refused one speaks of fields that are gone
      for (const { param } of outcome.value.notices) this.#forgive(param);
    }
    this.#accept(outcome.value.result, [...notices, ...outcome.value.notices]);
    if (serial === this.#serial) await this.#retryRejected(serial);
  }

  /** Takes the first refused entry that the rest of the state has made valid since. @param {number} serial of the state it is tried in */
  async #retryRejected(serial) {
    for (const [key, { value, along }] of Object.entries(this.rejected)) {
      const outcome = await this.#request('repair', { ...this.wanted, ...along, [key]: value });
      if (serial !== this.#serial || outcome.kind === 'dropped') return;
      if (outcome.kind === 'answer' && outcome.value.notices.length === 0 && Object.is(outcome.value.params[key], value)) {
        await this.type(key, value, along);
        return;
      }
    }
  }

  /** @param {string} key */
  #forgive(key) {
    const { [key]: cleared, ...others } = this.rejected;
    this.rejected = others;
  }

  /** Wants a whole state and forgets every refused entry. @param {Record<string, ParameterValue>} raw @param {Notice[]} [notices] */
  restore(raw, notices) {
    ++this.arrivals;
    this.rejected = {};
    this.wanted = defaults(this.study);
    return this.settle(raw, notices);
  }

  /** A program sets some parameters; entries that were refused stand. @param {Record<string, ParameterValue>} values */
  assign(values) {
    ++this.arrivals;
    return this.settle({ ...this.wanted, ...values });
  }

  /** Asks again for what is wanted: after the element came back into the page. */
  resume() {
    return this.settle(this.wanted);
  }

  /**
   * @param {'run'|'settle'|'repair'} method
   * @param {Record<string, ParameterValue>} params
   * @returns {Promise<Outcome>}
   */
  async #request(method, params) {
    if (++this.#open === 1) this.#hooks.waiting(true);
    const outcome = await this.#hooks.client()?.request(method, [this.study.id, params], (share) => this.#hooks.progress(share)) ?? { kind: 'dropped' };
    if (--this.#open === 0) this.#hooks.waiting(false);
    return outcome;
  }

  /** @param {StudyResult} result @param {Notice[]} notices */
  #accept(result, notices) {
    this.result = result;
    this.notices = notices;
    this.failure = null;
    this.#hooks.changed();
  }

  /** @param {AttentionError} error */
  #fail(error) {
    this.failure = error;
    this.notices = [];
    this.#hooks.changed();
  }
}

/** @param {Study} study @param {Record<string, ParameterValue>} raw texts of a link wait for the core to read them */
const onlyKnown = (study, raw) => Object.fromEntries(
  study.parameters.filter(({ key, default: initial }) => Object.hasOwn(raw, key) && typeof raw[key] === typeof initial).map(({ key }) => [key, raw[key]]),
);
