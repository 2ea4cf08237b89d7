/**
 * <attention-exercise exercise="5" study="precision">: the questions of one exercise, in the light DOM of the page. The page build has
 * put a form into each part; here the forms come to life. Answers go to the core, which judges them (`checkAnswer`); the verdict stands
 * in a live region, in words and with a mark. Links into the plates set the plate and bring it into view. Without scripts, or without
 * WebAssembly, questions and hints remain.
 *
 * Attributes: exercise; study, on whose page it stands; base (folder of the bundle's files).
 * Event, bubbling: exercise-verdict {part, outcome}.
 *
 * @import { Client } from '../engine/engine.js'
 * @import { Verdict } from '../engine/types.js'
 */
import { exerciseGroup } from '../engine/assets.js';
import { sharedEngine } from '../engine/shared.js';
import { answerOf, bringToLife, fillIn, markEntries } from './exercise-form.js';
import { ExerciseStore } from './exercise-store.js';
import { defaults, fromQuery } from './state.js';

const outcomes = { right: 'Right.', close: 'Close.', wrong: 'Not yet.' };

/** @param {string} sentence */
const capital = (sentence) => sentence.charAt(0).toUpperCase() + sentence.slice(1);

export class AttentionExercise extends HTMLElement {
  /** One a part: of two answers to the same part the later one counts, of two parts both. @type {Map<string, Client>} */ #clients = new Map();
  /** @type {ExerciseStore | null} */ #store = null;
  /** @type {HTMLElement[]} */ #parts = [];
  /** @type {HTMLElement | null} */ #count = null;
  /** @type {HTMLButtonElement | null} */ #clear = null;

  connectedCallback() {
    // a script that runs while the page is still being read finds no parts yet
    const { document } = globalThis;
    if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', () => this.#begin(), { once: true });
    else this.#begin();
  }

  disconnectedCallback() {
    for (const client of this.#clients.values()) client.release();
    this.#clients.clear();
  }

  #begin() {
    if (!this.isConnected || this.#parts.length > 0) return;
    this.#parts = /** @type {HTMLElement[]} */ ([...this.querySelectorAll('section[data-part]')].filter((part) => part.querySelector('form')));
    if (this.#parts.length === 0) return;
    const view = /** @type {Window} */ (this.ownerDocument.defaultView);
    this.#store = new ExerciseStore(this.getAttribute('exercise') ?? '', () => view.localStorage);
    for (const part of this.#parts) this.#enliven(part);
    this.#addProgress();
    this.addEventListener('click', (event) => this.#follow(event));
  }

  /** @param {HTMLElement} part */
  #enliven(part) {
    const form = this.#form(part);
    /** @type {HTMLFieldSetElement} */ (form.querySelector('fieldset')).disabled = false;
    const edited = () => this.#unsay(part);
    bringToLife(form, edited);
    form.addEventListener('input', edited);
    // Enter in a field presses the button too; a sandboxed frame may forbid forms to be submitted, and then tells nobody
    form.querySelector('.answer-check')?.addEventListener('click', (event) => { event.preventDefault(); this.#check(part); });
    const kept = this.#store?.get(String(part.dataset.part));
    if (!kept) return;
    fillIn(form, kept.text);
    if (kept.right) this.#say(part, 'right', 'As you answered before.');
  }

  /** @param {HTMLElement} part @returns {HTMLFormElement} */
  #form(part) {
    return /** @type {HTMLFormElement} */ (part.querySelector('form'));
  }

  #addProgress() {
    const bar = this.ownerDocument.createElement('p');
    bar.className = 'exercise-progress';
    this.#count = this.ownerDocument.createElement('span');
    this.#clear = this.ownerDocument.createElement('button');
    this.#clear.type = 'button';
    this.#clear.className = 'answer-clear';
    this.#clear.textContent = 'clear my answers';
    this.#clear.addEventListener('click', () => this.#clearAll());
    bar.append(this.#count, this.#clear);
    this.append(bar);
    this.#showProgress();
  }

  #showProgress() {
    if (!this.#store || !this.#count || !this.#clear) return;
    const right = this.#store.right(this.#parts.map((part) => String(part.dataset.part)));
    this.#count.textContent = `${right} of ${this.#parts.length} answered`;
    this.#clear.hidden = this.#store.empty;
  }

  #clearAll() {
    this.#store?.clear();
    for (const part of this.#parts) {
      fillIn(this.#form(part), '');
      this.#unsay(part);
    }
    // the button that was pressed is about to go
    const heading = this.querySelector('h3');
    heading?.setAttribute('tabindex', '-1');
    heading?.focus();
    this.#showProgress();
  }

  /** @param {HTMLElement} part */
  async #check(part) {
    const form = this.#form(part);
    const text = answerOf(form);
    if (text === '') {
      this.#say(part, 'unread', 'There is nothing to check yet.');
      return;
    }
    const id = String(part.dataset.part);
    const outcome = await this.#clientOf(id).request('checkAnswer', [id, text]);
    if (outcome.kind === 'dropped' || answerOf(form) !== text) return;
    if (outcome.kind === 'error') {
      const { param, message } = outcome.error;
      this.#say(part, 'unread', param === 'answer' ? `${capital(message)}.` : `The answer cannot be checked here. ${message}`);
      return;
    }
    /** @type {Verdict} */
    const verdict = outcome.value;
    this.#say(part, verdict.outcome, verdict.words);
    markEntries(form, verdict.entries);
    this.#store?.set(id, { text, right: verdict.outcome === 'right' });
    this.#showProgress();
    this.dispatchEvent(new CustomEvent('exercise-verdict', { detail: { part: id, outcome: verdict.outcome }, bubbles: true }));
  }

  /** The module that knows the answers is loaded with the first that is asked about. @param {string} part */
  #clientOf(part) {
    const client = this.#clients.get(part) ?? sharedEngine(exerciseGroup, this.getAttribute('base') ?? undefined).client();
    this.#clients.set(part, client);
    return client;
  }

  /** @param {HTMLElement} part @param {'right' | 'close' | 'wrong' | 'unread'} outcome @param {string} words */
  #say(part, outcome, words) {
    const verdict = /** @type {HTMLElement} */ (part.querySelector('.verdict'));
    verdict.dataset.outcome = outcome;
    const lead = outcome === 'unread' ? '' : outcomes[outcome];
    const strong = this.ownerDocument.createElement('b');
    strong.textContent = lead;
    verdict.replaceChildren(...(lead ? [strong, ' '] : []), words);
    markEntries(this.#form(part));
    // of a matrix the words name the entry
    for (const input of this.#form(part).querySelectorAll('.answer-number input')) input.setAttribute('aria-invalid', String(outcome === 'unread'));
  }

  /** A verdict speaks of the answer that was given, not of the one being written. @param {HTMLElement} part */
  #unsay(part) {
    const verdict = /** @type {HTMLElement} */ (part.querySelector('.verdict'));
    delete verdict.dataset.outcome;
    verdict.replaceChildren();
    markEntries(this.#form(part));
    for (const input of this.#form(part).querySelectorAll('input[aria-invalid]')) input.removeAttribute('aria-invalid');
  }

  /**
   * A link into a plate of this page. The address belongs to the first plate, which follows it by itself; another is set here. Either
   * way the plate is brought into view, and the next Tab goes on from there.
   * @param {MouseEvent} event
   */
  #follow(event) {
    const link = /** @type {Element} */ (event.target).closest('a[href]');
    const { document } = globalThis;
    const [, study, state] = /^(?:embed\.html\?plate=([\w-]+))?#(.+=.*)$/.exec(link?.getAttribute('href') ?? '') ?? [];
    if (state === undefined || event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const plate = /** @type {any} */ (document.querySelector(study ? `attention-plate[study="${study}"]` : 'attention-plate[url]'));
    if (!plate) return;
    if (study) {
      if (!plate.declaration) return;
      event.preventDefault();
      plate.params = { ...defaults(plate.declaration), ...fromQuery(state).raw };
    }
    const place = plate.closest('section') ?? plate;
    place.tabIndex = -1;
    place.focus({ preventScroll: true });
    const still = globalThis.matchMedia('(prefers-reduced-motion: reduce)').matches;
    place.scrollIntoView({ behavior: still ? 'auto' : 'smooth', block: 'start' });
  }
}
