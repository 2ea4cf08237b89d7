/**
 * Mirrors a plate's state in the part of the address behind #. Only a plate with the `url` attribute has one, so that two plates
 * on a page do not write over each other. Writing waits until the hand rests: browsers refuse hundreds of history changes a minute.
 * It neither reads nor judges the state's text, but knows what is none.
 */
import { isState, shorten } from './state.js';

/** Milliseconds of rest before the address is written. */
const REST_MS = 200;

export class UrlMirror {
  /** @type {Window} */ #window;
  /** @type {(hash: string) => void} */ #onChange;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  /** @type {string | null} */ #pending = null;
  #written = '';
  #onHash = () => {
    const { hash } = this.#window.location;
    if (hash !== this.#written) this.#onChange(hash);
  };
  #onLeave = () => this.flush();

  /**
   * @param {Window} window
   * @param {(hash: string) => void} onChange the reader, or history, changed the address
   */
  constructor(window, onChange) {
    this.#window = window;
    this.#onChange = onChange;
    window.addEventListener('hashchange', this.#onHash);
    window.addEventListener('pagehide', this.#onLeave);
  }

  get hash() {
    return this.#window.location.hash;
  }

  /** The state that the address asks for, in plain characters where it can be read; '' when it asks for none. */
  get asked() {
    const text = this.hash.replace(/^#/, '');
    if (!isState(text)) return '';
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  }

  /** Words for parameters that stand behind the ?, where no plate reads them; '' when there are none. @param {string[]} keys of the plate's study */
  misplaced(keys) {
    const found = [...new URLSearchParams(this.#window.location.search)].filter(([key]) => keys.includes(key)).map(([key, value]) => `${key}=${shorten(value)}`);
    return found.length === 0 ? '' : `The address has “?${found.join('&')}”; the setting of a plate stands behind #, as in #${found.join('&')}.`;
  }

  /** Words for a hash that is neither a state nor a place in the page; '' when there is nothing to say. */
  get stray() {
    const text = this.hash.replace(/^#/, '');
    if (text === '' || isState(text) || text.toLowerCase() === 'top') return '';
    const names = [text];
    try {
      names.push(decodeURIComponent(text));
    } catch {
      // then it is no name, encoded or not
    }
    const { document } = this.#window;
    if (names.some((name) => document.getElementById(name) ?? document.getElementsByName(name)[0])) return '';
    return `The address ends in “#${shorten(text)}”, which is neither a setting of the plate nor a place in this page.`;
  }

  /** @param {string} query without # */
  write(query) {
    this.#pending = `#${query}`;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), REST_MS);
  }

  /** The reader went to the state of `hash`: what waited to be written belongs to one that the address has left. @param {string} hash */
  leaveFor(hash) {
    clearTimeout(this.#timer);
    this.#pending = null;
    this.#written = hash;
  }

  /** Writes at once what waits. */
  flush() {
    clearTimeout(this.#timer);
    if (this.#pending === null) return;
    const { location, history } = this.#window;
    this.#written = this.#pending;
    this.#pending = null;
    try {
      history.replaceState(history.state, '', this.#written);
    } catch {
      // srcdoc frames refuse replaceState but take a new hash
      location.hash = this.#written;
    }
    // browsers may spell the hash in their own way
    this.#written = location.hash;
  }

  close() {
    this.flush();
    this.#window.removeEventListener('hashchange', this.#onHash);
    this.#window.removeEventListener('pagehide', this.#onLeave);
  }
}
