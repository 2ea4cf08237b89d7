/**
 * The text of a field that is left alone while its reader is in it: the canonical form comes when they leave. Bound as a property;
 * what stands in the field is compared, since typing changes it behind Lit's back.
 */
import { noChange } from 'lit';
import { Directive, directive } from 'lit/directive.js';

class Unhurried extends Directive {
  /** @param {string} text */
  render(text) { return text; }

  /** @override @param {import('lit').ElementPart} part @param {[string]} values */
  update(part, [text]) {
    const field = /** @type {HTMLInputElement} */ (part.element);
    const root = /** @type {Document | ShadowRoot} */ (field.getRootNode());
    if (root.activeElement !== field && field.value !== text) field.value = text;
    return noChange;
  }
}

export const unhurried = directive(Unhurried);
