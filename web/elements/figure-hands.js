/**
 * Pointer, touch and keyboard in the figures of one plate: which mark is pointed at, dragging, walking from mark to mark, the tip.
 * It changes no state itself: it calls `edit` as a slider does, and says which mark is hovered; the plate redraws. Places are measured against
 * the picture's box on the screen, so a CSS transform on the page (slides) moves nothing.
 *
 * @import { Drawing, Figure, Mark, PaintCell } from '../chart/types.js'
 * @import { Parameter, ParameterValue } from '../engine/types.js'
 */
import { markAt, neighbour } from './marks.js';
import { between, cellOfMark } from './painting.js';
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
 */

export class FigureHands {
  /** @type {Plate} */ #plate;
  /** @type {Hover} */ #hover = null;
  /** @type {{id: number, figure: Figure, startX: number, startY: number, dragging: boolean} | null} */ #press = null;
  /** @type {{figure: string, value: boolean, cells: PaintCell[]} | null} what the hand has painted since it came down */ #stroke = null;

  /** @param {Plate} plate */
  constructor(plate) {
    this.#plate = plate;
  }

  /** @param {ShadowRoot} root listened on once; the root lives as long as the element */
  attach(root) {
    root.addEventListener('pointerdown', (event) => this.#down(/** @type {PointerEvent} */ (event)));
    root.addEventListener('pointermove', (event) => this.#move(/** @type {PointerEvent} */ (event)));
    root.addEventListener('pointerup', (event) => this.#up(/** @type {PointerEvent} */ (event)));
    root.addEventListener('pointercancel', () => { this.#press = this.#stroke = null; });
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
    if (figure.paint && event.pointerType !== 'touch' && this.#startStroke(event)) event.stopPropagation();
    if (!figure.drag) return;
    event.stopPropagation();
    if (event.pointerType !== 'touch') this.#startDrag(event);
  }

  /** A stroke begins on a cell; what becomes of that cell becomes of all it passes. @param {PointerEvent} event */
  #startStroke(event) {
    const figure = this.#figureOf(event);
    const place = figure && placeIn(event, figure);
    const cell = place && figure.paint?.cell(place.x, place.y);
    if (!figure?.paint || !cell || !this.#press) return false;
    this.#press.dragging = true;
    this.#stroke = { figure: figure.id, value: !figure.paint.open(cell.row, cell.column), cells: [] };
    capture(event);
    this.#paint(event);
    return true;
  }

  /** Every cell between the last place and this one; the picture may lag behind the hand. @param {PointerEvent} event */
  #paint(event) {
    const stroke = this.#stroke;
    const figure = this.#plate.drawing()?.figures.find(({ id }) => id === stroke?.figure);
    const place = figure && placeIn(event, figure);
    const cell = place && figure.paint?.cell(place.x, place.y);
    if (!stroke || !figure?.paint || !cell) return;
    const last = stroke.cells[stroke.cells.length - 1];
    if (last && last.row === cell.row && last.column === cell.column) return;
    stroke.cells.push(...between(last ?? cell, cell));
    this.#plate.edit(figure.paint.param, figure.paint.stroke(stroke.cells, stroke.value));
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
      if (this.#stroke) return this.#paint(event);
      if (press.dragging) return this.#drag(event);
      const [dx, dy] = [Math.abs(event.clientX - press.startX), Math.abs(event.clientY - press.startY)];
      if (press.figure.drag && dx > TOUCH_SLOP && dx > dy) return this.#startDrag(event);
      if (press.figure.paint && dx > TOUCH_SLOP && dx > dy) { this.#startStroke(event); return; }
    }
    const figure = this.#figureOf(event);
    if (figure && event.pointerType !== 'touch') this.#pointAt(event, figure);
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const press = this.#press;
    this.#press = this.#stroke = null;
    const figure = this.#figureOf(event);
    if (!press || press.id !== event.pointerId || press.dragging || !figure || figure.id !== press.figure.id) return;
    const mark = this.#pointAt(event, figure);
    if (mark?.edit) return this.#plate.edit(mark.edit.param, mark.edit.value);
    const place = figure.paint && event.pointerType === 'touch' ? placeIn(event, figure) : null;
    const cell = place && figure.paint?.cell(place.x, place.y);
    if (figure.paint && cell) this.#toggle(figure, cell);
  }

  /** One cell, opened or closed. @param {Figure} figure @param {PaintCell} cell */
  #toggle({ paint }, { row, column }) {
    if (!paint) return;
    const value = !paint.open(row, column);
    this.#plate.edit(paint.param, paint.at(row, column, value));
    this.#plate.announce(`query ${row + 1}, key ${column + 1}: ${value ? 'opened' : 'closed'} on the painted sheet`);
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
    if (key === 'Enter' || key === ' ') {
      const cell = figure.paint && current && cellOfMark(figure.paint, current.id);
      if (cell) {
        this.#toggle(figure, cell);
        return true;
      }
      if (!current?.edit) return false;
      this.#plate.edit(current.edit.param, current.edit.value);
      return true;
    }
    const mark = neighbour(figure.marks, current, key);
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

/** The point in viewBox units. @param {PointerEvent} event @param {Figure} figure */
function placeIn(event, figure) {
  const box = canvasOf(event)?.querySelector('svg')?.getBoundingClientRect();
  if (!box || box.width === 0) return null;
  return {
    x: ((event.clientX - box.left) * figure.width) / box.width,
    y: ((event.clientY - box.top) * figure.height) / box.height,
  };
}
