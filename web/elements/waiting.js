/**
 * When a reader is told that the plate computes: after a silence, not at once, so that a quick answer shows nothing; and how much of the answer is
 * done, where the core tells it. A clock of its own and nothing of the page: `changed` is called when what is to be shown has changed.
 */

/** Milliseconds of silence before a reader is told. */
const WAIT_MS = 150;

export class Waiting {
  /** an answer has been awaited for a while */
  busy = false;
  /** @type {number | null} how much of the awaited answer is done, 0 to 1; null while nothing is known of it */
  share = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  /** @type {() => void} */ #changed;

  /** @param {() => void} changed */
  constructor(changed) {
    this.#changed = changed;
  }

  /** @param {boolean} waiting an answer is awaited, or has come */
  wait(waiting) {
    clearTimeout(this.#timer);
    if (waiting) this.share = null;
    if (waiting) this.#timer = setTimeout(() => this.#show(true), WAIT_MS);
    else this.#show(false);
  }

  /** @param {number} share */
  progress(share) {
    this.share = share;
    if (this.busy) this.#changed();
  }

  stop() {
    clearTimeout(this.#timer);
  }

  /** @param {boolean} busy */
  #show(busy) {
    if (this.busy === busy) return;
    this.busy = busy;
    this.#changed();
  }
}
