/**
 * Pointer, touch and keyboard in the figures of one plate: which mark is pointed at, dragging, walking from mark to mark, the tip.
 * It changes no state itself: it calls `edit` as a slider does, and says which mark is hovered; the plate redraws. Places are measured against
 * the picture's box on the screen, so a CSS transform on the page (slides) moves nothing.
 *
 * @import { Drawing, Figure, Mark } from '../chart/types.js'
 * @import { Parameter, ParameterValue } from '../engine/types.js'
 */
import { markAt, neighbour } from './marks.js';
import { cellOfMark, cellsAlong, nextCell, Strokes } from './painting.js';
import { nudge, snap } from './positions.js';

/** CSS pixels a finger moves before a touch becomes a drag. */
const TOUCH_SLOP = 6;

/** CSS pixels between a mark and its tip, as in base.css.js. */
const TIP_GAP = 8;

/** How far beside a mark a finger may land and still mean it, in viewBox units. */
const FINGER = 20;

/**
 * @typedef {{figure: string, mark: string} | null} Hover
 *
 * @typedef {object} Plate what the hands need of it
 * @property {() => Drawing | null} drawing
 * @property {(key: string) => Parameter | undefined} parameter
 * @property {(key: string) => ParameterValue} value
 * @property {(key: string, value: ParameterValue) => void} edit
 * @property {(hover: Hover) => void} hover
 * @property {(text: string) => void} announce
 * @property {(painting: boolean) => void} paint a stroke begins or ends
 * @property {(key: string) => boolean} fresh whether the picture shows what is wanted of a parameter
 */

export class FigureHands {
  /** @type {Plate} */ #plate;
  /** @type {Hover} */ #hover = null;
  /** @type {{id: number, figure: Figure, startX: number, startY: number, dragging: boolean} | null} */ #press = null;
  /** @type {Strokes} */ #strokes;
  /** @type {{x: number, y: number}} where the painting hand was last */ #last = { x: 0, y: 0 };

  /** @param {Plate} plate */
  constructor(plate) {
    this.#plate = plate;
    this.#strokes = new Strokes({
      paint: (figure) => plate.drawing()?.figures.find(({ id }) => id === figure)?.paint,
      fresh: (param) => plate.fresh(param),
      edit: (param, value) => plate.edit(param, value),
      announce: (text) => plate.announce(text),
    });
  }

  /** @param {ShadowRoot} root listened on once; the root lives as long as the element */
  attach(root) {
    root.addEventListener('pointerdown', (event) => this.#down(/** @type {PointerEvent} */ (event)));
    root.addEventListener('pointermove', (event) => this.#move(/** @type {PointerEvent} */ (event)));
    root.addEventListener('pointerup', (event) => this.#up(/** @type {PointerEvent} */ (event)));
    root.addEventListener('pointercancel', () => { this.#press = null; this.#endStroke(); });
    // a finger on the cells paints; it scrolls everywhere else
    root.addEventListener('touchstart', (event) => { if (this.#isOnCells(/** @type {TouchEvent} */ (event))) event.preventDefault(); }, { passive: false });
    root.addEventListener('pointerout', (event) => this.#out(/** @type {PointerEvent} */ (event)));
    root.addEventListener('focusout', (event) => { if (canvasOf(event)) this.#point(null); });
    root.addEventListener('keydown', (event) => this.#key(/** @type {KeyboardEvent} */ (event)));
  }

  /** Puts the tip beside the hovered mark and hides the others. @param {ParentNode} root @param {Drawing} drawing */
  placeTips(root, drawing) {
    for (const figure of drawing.figures) {
      const canvas = root.querySelector(`.canvas[data-figure="${figure.id}"]`);
      const tip = /** @type {HTMLElement | null | undefined} */ (canvas?.querySelector('.tip'));
      if (!canvas || !tip) continue;
      canvas.classList.toggle('can-edit', figure.marks.some((mark) => mark.edit !== undefined));
      canvas.classList.toggle('can-paint', figure.paint !== undefined);
      const mark = this.#hover?.figure === figure.id ? figure.marks.find(({ id }) => id === this.#hover?.mark) : undefined;
      tip.hidden = mark === undefined;
      if (!mark) continue;
      const scale = canvas.clientWidth / figure.width;
      tip.textContent = spoken(mark);
      const left = mark.cx > figure.width * 0.6;
      tip.style.left = '0';
      tip.style.top = `${mark.cy * scale}px`;
      tip.classList.toggle('tip-left', left);
      // beside the mark, but never past the edges of its figure: a long tip on a phone moves over
      const beside = left ? mark.cx * scale - TIP_GAP - tip.offsetWidth : mark.cx * scale + TIP_GAP;
      const inside = Math.max(0, Math.min(beside, canvas.clientWidth - tip.offsetWidth));
      tip.style.left = `${mark.cx * scale + inside - beside}px`;
      tip.classList.toggle('tip-below', mark.cy * scale < 48);
    }
    this.#strokes.flush();
  }

  /** @param {Event} event */
  #figureOf(event) {
    const id = canvasOf(event)?.dataset.figure;
    return this.#plate.drawing()?.figures.find((figure) => figure.id === id);
  }

  /** @param {Hover} hover */
  #point(hover) {
    if (hover?.figure === this.#hover?.figure && hover?.mark === this.#hover?.mark) return;
    this.#hover = hover;
    this.#plate.hover(hover);
  }

  /** @param {PointerEvent} event @param {Figure} figure */
  #pointAt(event, figure) {
    const place = placeIn(event, figure);
    const reach = event.pointerType === 'touch' ? FINGER : 0;
    const mark = place && markAt(figure.marks, place.x, place.y, reach);
    this.#point(mark ? { figure: figure.id, mark: mark.id } : null);
    return mark;
  }

  /** @param {PointerEvent} event */
  #down(event) {
    const figure = this.#figureOf(event);
    if (!figure || event.button !== 0) return;
    this.#press = { id: event.pointerId, figure, startX: event.clientX, startY: event.clientY, dragging: false };
    if (this.#startStroke(event, figure) || figure.drag) event.stopPropagation();
    if (figure.drag && event.pointerType !== 'touch') this.#startDrag(event);
  }

  /** @param {TouchEvent} event */
  #isOnCells(event) {
    const figure = this.#figureOf(event);
    const place = figure?.paint && event.touches.length === 1 ? placeIn(event, figure, event.touches[0]) : null;
    return Boolean(place && figure?.paint?.cell(place.x, place.y));
  }

  /** @param {PointerEvent} event @param {Figure} figure */
  #startStroke(event, figure) {
    const place = figure.paint ? placeIn(event, figure) : null;
    const cell = place && figure.paint?.cell(place.x, place.y);
    if (!place || !cell || !event.isPrimary) return false;
    this.#point(null);
    capture(event);
    this.#last = place;
    this.#plate.paint(true);
    this.#strokes.begin(figure.id, cell);
    return true;
  }

  /** Everywhere the hand has been since it was last seen. @param {PointerEvent} event */
  #paint(event) {
    const figure = this.#figureOf(event);
    if (!figure?.paint) return;
    /** @type {PointerEvent[]} */
    const seen = event.getCoalescedEvents?.() ?? [];
    for (const each of [...seen, event]) {
      const place = placeIn(event, figure, each);
      if (!place) continue;
      this.#strokes.extend(cellsAlong(figure.paint, this.#last, place));
      this.#last = place;
    }
  }

  /** @returns {number} the cells of the stroke that was under way */
  #endStroke() {
    if (!this.#strokes.open) return 0;
    this.#plate.paint(false);
    return this.#strokes.end();
  }

  /** @param {PointerEvent} event */
  #startDrag(event) {
    if (!this.#press) return;
    this.#press.dragging = true;
    this.#point(null);
    capture(event);
    this.#drag(event);
  }

  /** @param {PointerEvent} event */
  #drag(event) {
    const figure = this.#figureOf(event) ?? this.#press?.figure;
    const parameter = figure?.drag && this.#plate.parameter(figure.drag.param);
    const place = figure && placeIn(event, figure);
    if (!figure?.drag || !parameter || !place) return;
    const value = snap(parameter, figure.drag.toValue(place.x, place.y));
    if (value !== this.#plate.value(parameter.key)) this.#plate.edit(parameter.key, value);
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const press = this.#press;
    if (press && press.id === event.pointerId) {
      if (this.#strokes.open) return this.#paint(event);
      if (press.dragging) return this.#drag(event);
      const [dx, dy] = [Math.abs(event.clientX - press.startX), Math.abs(event.clientY - press.startY)];
      if (press.figure.drag && dx > TOUCH_SLOP && dx > dy) return this.#startDrag(event);
    }
    const figure = this.#figureOf(event);
    if (figure && event.pointerType !== 'touch') this.#pointAt(event, figure);
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const press = this.#press;
    if (!press || press.id !== event.pointerId) return;
    this.#press = null;
    const figure = this.#figureOf(event);
    if (this.#strokes.open) {
      // a finger that has chosen one cell sees what has become of it
      if (this.#endStroke() === 1 && figure && event.pointerType === 'touch') this.#pointAt(event, figure);
      return;
    }
    if (press.dragging || !figure || figure.id !== press.figure.id) return;
    const mark = this.#pointAt(event, figure);
    if (mark?.edit) this.#plate.edit(mark.edit.param, mark.edit.value);
  }

  /** @param {PointerEvent} event a finger that lifts leaves its tip behind; a mouse takes it along */
  #out(event) {
    const canvas = canvasOf(event);
    if (!canvas || event.pointerType === 'touch') return;
    if (!(event.relatedTarget instanceof Node) || !canvas.contains(event.relatedTarget)) this.#point(null);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const figure = this.#figureOf(event);
    if (!figure || event.ctrlKey || event.metaKey || event.altKey) return;
    const parameter = figure.drag && this.#plate.parameter(figure.drag.param);
    const taken = parameter ? this.#nudge(parameter, event) : this.#walk(figure, event.key);
    if (!taken) return;
    event.preventDefault();
  }

  /** @param {Parameter} parameter @param {KeyboardEvent} event */
  #nudge(parameter, event) {
    const value = nudge(parameter, Number(this.#plate.value(parameter.key)), event.key, event.shiftKey);
    if (value === null) return false;
    this.#plate.edit(parameter.key, value);
    return true;
  }

  /** @param {Figure} figure @param {string} key */
  #walk(figure, key) {
    const current = this.#hover?.figure === figure.id ? figure.marks.find(({ id }) => id === this.#hover?.mark) ?? null : null;
    if (key === 'Escape') {
      this.#point(null);
      return current !== null;
    }
    const { paint } = figure;
    const cell = paint && current ? cellOfMark(paint, current.id) : null;
    if (key === 'Enter' || key === ' ') {
      if (cell) {
        this.#strokes.begin(figure.id, cell);
        this.#strokes.end();
        return true;
      }
      if (!current?.edit) return false;
      this.#plate.edit(current.edit.param, current.edit.value);
      return true;
    }
    const next = paint && (cell || !current) ? nextCell(paint, cell, key) : null;
    const mark = paint && next ? figure.marks.find(({ id }) => id === paint.mark(next.row, next.column)) : neighbour(figure.marks, current, key);
    if (!mark) return false;
    this.#point({ figure: figure.id, mark: mark.id });
    this.#plate.announce(spoken(mark));
    return true;
  }
}

/** @param {PointerEvent} event */
function capture(event) {
  try {
    canvasOf(event)?.setPointerCapture(event.pointerId);
  } catch {
    // a pointer that has just gone can no longer be captured; nothing is lost
  }
}

/** @param {Mark} mark */
const spoken = (mark) => (mark.edit ? `${mark.text}; choose to ${mark.edit.label}` : mark.text);

/** @param {Event} event @returns {HTMLElement | null} */
function canvasOf(event) {
  const { target } = event;
  return target instanceof Element ? target.closest('.canvas') : null;
}

/**
 * The point in viewBox units.
 * @param {Event} event
 * @param {Figure} figure
 * @param {{clientX: number, clientY: number}} [point] of the event, unless it is another
 */
function placeIn(event, figure, point = /** @type {PointerEvent} */ (event)) {
  const box = canvasOf(event)?.querySelector('svg')?.getBoundingClientRect();
  if (!box || box.width === 0) return null;
  return {
    x: ((point.clientX - box.left) * figure.width) / box.width,
    y: ((point.clientY - box.top) * figure.height) / box.height,
  };
}
