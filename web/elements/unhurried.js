/**
 * The text of a field that is left alone while its reader types in it: the canonical form comes when they leave. A state from elsewhere (an address, a
 * preset, reset) is written at once, and so is what comes before the reader has typed again; a field never shows what the plate has left. Bound as
 * a property; what stands in the field is compared, since typing changes it behind Lit's back.
 */
import { noChange } from 'lit';
import { Directive, directive } from 'lit/directive.js';

class Unhurried extends Directive {
  #written = '';
  #arrivals = 0;

  /** @param {string} text @param {number} arrivals states from elsewhere so far */
  render(text, arrivals) {
    this.#arrivals = arrivals;
    return text;
  }

  /** @override @param {import('lit').ElementPart} part @param {[string, number]} values */
  update(part, [text, arrivals]) {
    const field = /** @type {HTMLInputElement} */ (part.element);
    const root = /** @type {Document | ShadowRoot} */ (field.getRootNode());
    const typedIn = root.activeElement === field && field.value !== this.#written;
    if (!typedIn || arrivals !== this.#arrivals) {
      if (field.value !== text) field.value = text;
      this.#written = text;
    }
    this.#arrivals = arrivals;
    return noChange;
  }
}

export const unhurried = directive(Unhurried);
