/**
 * Places in figures: which canvas an event is on, where in its drawing, and what lies there for a hand to hold. Places are measured against
 * the picture's box on the screen, so a CSS transform on the page (slides) moves nothing.
 *
 * @import { Figure, Handle } from '../chart/types.js'
 */

import { handleAt, reachOf } from './handles.js';

/** @param {Event} event @returns {HTMLElement | null} */
export function canvasOf({ target }) {
  return target instanceof Element ? target.closest('.canvas') : null;
}

/** The canvas goes on hearing of the pointer, wherever it goes. @param {PointerEvent} event */
export function capture(event) {
  try {
    canvasOf(event)?.setPointerCapture(event.pointerId);
  } catch {
    // a pointer that has just gone can no longer be captured; nothing is lost
  }
}

/**
 * The point in viewBox units, and how many of them are a CSS pixel.
 * @param {Event} event
 * @param {Figure} figure
 * @param {{clientX: number, clientY: number}} [point] of the event, unless it is another
 */
export function placeIn(event, figure, point = /** @type {PointerEvent} */ (event)) {
  const box = canvasOf(event)?.querySelector('svg')?.getBoundingClientRect();
  if (!box || box.width === 0) return null;
  const pixel = figure.width / box.width;
  return { x: (point.clientX - box.left) * pixel, y: ((point.clientY - box.top) * figure.height) / box.height, pixel };
}

/** @param {PointerEvent} event @param {Figure} figure @returns {Handle | null} */
export function handleUnder(event, figure) {
  const place = figure.handles?.length ? placeIn(event, figure) : null;
  return place && handleAt(figure.handles ?? [], place, reachOf(event.pointerType) * place.pixel);
}

/** A finger on a cell to paint or on a handle, which is not to scroll. @param {TouchEvent} event @param {Figure | undefined} figure */
export function holdsTouch(event, figure) {
  const place = figure && event.touches.length === 1 ? placeIn(event, figure, event.touches[0]) : null;
  if (!figure || !place) return false;
  return Boolean(figure.paint?.cell(place.x, place.y)) || handleAt(figure.handles ?? [], place, reachOf('touch') * place.pixel) !== null;
}
