/**
 * The shadow root of a plate apart from its contents: its style sheets, and what it keeps to itself so that the page around it
 * (slides, above all) does not answer keys and strokes that were meant for the plate.
 */
import plateCss from '../style/plate.css.js';
import baseCss from './base.css.js';

/**
 * Sheets belong to a document, so they are made anew when the element moves to another one.
 * @param {ShadowRoot} root
 */
export function adoptStyles(root) {
  const { CSSStyleSheet } = /** @type {typeof globalThis} */ (root.ownerDocument.defaultView ?? globalThis);
  root.adoptedStyleSheets = [baseCss, plateCss].map((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  });
}

/** @param {Event} event @param {string} selector */
const isOn = ({ target }, selector) => target instanceof Element && target.closest(selector) !== null;

/**
 * Keys mean the control that has the focus, except Tab, Escape and shortcuts; a stroke on a slider, or on a figure that is dragged or painted, is no swipe.
 * @param {ShadowRoot} root
 */
export function keepToItself(root) {
  root.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey } = /** @type {KeyboardEvent} */ (event);
    if (ctrlKey || metaKey || altKey || key === 'Tab' || key === 'Escape') return;
    if (isOn(event, 'input, select, button, summary, pre, .canvas')) event.stopPropagation();
  });
  for (const type of ['touchstart', 'touchmove']) {
    root.addEventListener(type, (event) => { if (isOn(event, 'input, .can-drag, .can-paint')) event.stopPropagation(); }, { passive: true });
  }
}
