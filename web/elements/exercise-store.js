/**
 * What a reader has answered, kept in the browser's storage if it can be: a page opened from disk, a sandboxed frame or a reader's
 * settings may refuse it, and then answers last as long as the page. Nothing leaves the browser.
 *
 * @typedef {object} Kept
 * @property {string} text the answer
 * @property {boolean} right
 */

const prefix = 'attention-plates/exercise/';

/** @param {unknown} value @returns {Record<string, Kept>} what of a stored value is in order */
function inOrder(value) {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([, kept]) => typeof kept?.text === 'string' && typeof kept.right === 'boolean'));
}

export class ExerciseStore {
  /** @type {() => Storage} */ #storage;
  /** @type {string} */ #key;
  /** @type {Record<string, Kept>} by part */ #answers = {};

  /**
   * @param {string} exercise
   * @param {() => Storage} storage asked anew each time, since asking may throw
   */
  constructor(exercise, storage) {
    this.#key = prefix + exercise;
    this.#storage = storage;
    try {
      this.#answers = inOrder(JSON.parse(storage().getItem(this.#key) ?? '{}'));
    } catch {
      // refused, or not ours: nothing is known
    }
  }

  /** @param {string} part @returns {Kept | undefined} */
  get(part) {
    return Object.hasOwn(this.#answers, part) ? this.#answers[part] : undefined;
  }

  /** @param {string} part @param {Kept} kept */
  set(part, kept) {
    this.#answers[part] = kept;
    this.#try((storage) => storage.setItem(this.#key, JSON.stringify(this.#answers)));
  }

  clear() {
    this.#answers = {};
    this.#try((storage) => storage.removeItem(this.#key));
  }

  /** @param {string[]} parts @returns {number} how many of them are answered rightly */
  right(parts) {
    return parts.filter((part) => this.get(part)?.right).length;
  }

  /** Whether anything is known. */
  get empty() {
    return Object.keys(this.#answers).length === 0;
  }

  /** @param {(storage: Storage) => void} action */
  #try(action) {
    try {
      action(this.#storage());
    } catch {
      // refused or full: the answers last as long as the page
    }
  }
}
