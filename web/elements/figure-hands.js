/**
 * Pointer, touch and keyboard in the figures of one plate: which mark is pointed at, dragging, walking from mark to mark, the tip. Strokes
 * and handles have their own files. It changes no state itself: it calls `edit` as a slider does, and says which mark is hovered; the plate redraws.
 *
 * @import { Drawing, Figure } from '../chart/types.js'
 * @import { Parameter, ParameterValue } from '../engine/types.js'
 */
import { Holding, marksOf } from './handles.js';
import { markAt } from './marks.js';
import { cellOfMark, cellsAlong, Strokes } from './painting.js';
import { canvasOf, capture, handleUnder, holdsTouch, placeIn } from './places.js';
import { nudge, snap } from './positions.js';
import { showTips, spoken } from './tips.js';
import { Trail } from './walk.js';

/** CSS pixels a finger moves before a touch becomes a drag. */
const TOUCH_SLOP = 6;

/** CSS pixels a pointer moves before it moves the handle that it holds: a press alone chooses. */
const HANDLE_SLOP = 3;

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
 * @property {(values: Record<string, ParameterValue>) => void} change
 * @property {(hover: Hover) => void} hover
 * @property {(text: string) => void} announce
 * @property {(painting: boolean) => void} paint a stroke begins or ends
 * @property {(id: string | null) => void} hold a handle is taken, or let go
 * @property {(key: string) => boolean} fresh whether the picture shows what is wanted of a parameter
 * @property {() => boolean} settled whether it shows all that is wanted
 */

export class FigureHands {
  /** @type {Plate} */ #plate;
  /** @type {Hover} */ #hover = null;
  /** @type {{id: number, figure: Figure, startX: number, startY: number, dragging: boolean} | null} */ #press = null;
  /** @type {Strokes} */ #strokes;
  /** @type {Holding} */ #holding;
  /** @type {Map<string, Trail>} by figure */ #trails = new Map();
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
    this.#holding = new Holding({
      handle: (figure, id) => plate.drawing()?.figures.find((each) => each.id === figure)?.handles?.find((handle) => handle.id === id),
      settled: () => plate.settled(),
      value: (key) => plate.value(key),
      change: (values) => plate.change(values),
      announce: (text) => plate.announce(text),
      hold: (id) => plate.hold(id),
    });
  }

  /** @param {ShadowRoot} root listened on once; the root lives as long as the element */
  attach(root) {
    root.addEventListener('pointerdown', (event) => this.#down(/** @type {PointerEvent} */ (event)));
    root.addEventListener('pointermove', (event) => this.#move(/** @type {PointerEvent} */ (event)));
    root.addEventListener('pointerup', (event) => this.#up(/** @type {PointerEvent} */ (event)));
    root.addEventListener('pointercancel', () => { this.#press = null; this.#endStroke(); this.#letGo(); });
    // a finger on the cells paints, and one on a handle moves it; it scrolls everywhere else
    root.addEventListener('touchstart', (event) => {
      if (!holdsTouch(/** @type {TouchEvent} */ (event), this.#figureOf(event))) return;
      event.preventDefault();
      event.stopPropagation();
    }, { passive: false });
    root.addEventListener('touchmove', (event) => { if (this.#holding.byPointer) event.stopPropagation(); }, { passive: true });
    root.addEventListener('pointerout', (event) => this.#out(/** @type {PointerEvent} */ (event)));
    root.addEventListener('focusout', (event) => { if (canvasOf(event)) { if (!this.#holding.byPointer) this.#holding.putDown(); this.#point(null); } });
    root.addEventListener('keydown', (event) => this.#key(/** @type {KeyboardEvent} */ (event)));
  }

  /** After every drawing: the tip of what is hovered, and what waited for the drawing. @param {ParentNode} root @param {Drawing} drawing */
  placeTips(root, drawing) {
    showTips(root, drawing, this.#hover, this.#holding.byPointer);
    this.#holding.flush();
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
    const [place, handle] = [placeIn(event, figure), handleUnder(event, figure)];
    const reach = event.pointerType === 'touch' ? FINGER : 0;
    const marks = marksOf(figure);
    const mark = handle ? marks.find(({ id }) => id === handle.id) : place && markAt(marks, place.x, place.y, reach);
    this.#point(mark ? { figure: figure.id, mark: mark.id } : null);
    return mark;
  }

  /** @param {PointerEvent} event */
  #down(event) {
    const figure = this.#figureOf(event);
    // whatever the keys hold, a press elsewhere lets go of
    if (!this.#holding.byPointer) this.#holding.putDown();
    if (!figure || event.button !== 0) return;
    if (this.#takeHandle(event, figure)) return;
    this.#press = { id: event.pointerId, figure, startX: event.clientX, startY: event.clientY, dragging: false };
    if (this.#startStroke(event, figure) || figure.drag) event.stopPropagation();
    if (figure.drag && event.pointerType !== 'touch') this.#startDrag(event);
  }

  /** @param {PointerEvent} event @param {Figure} figure */
  #takeHandle(event, figure) {
    const [place, handle] = [placeIn(event, figure), handleUnder(event, figure)];
    if (!place || !handle || !event.isPrimary) return false;
    this.#press = { id: event.pointerId, figure, startX: event.clientX, startY: event.clientY, dragging: false };
    capture(event);
    event.stopPropagation();
    this.#point({ figure: figure.id, mark: handle.id });
    this.#holding.take(figure.id, handle, place);
    return true;
  }

  /** @returns {boolean} whether a pointer has moved a handle */
  #letGo() {
    return this.#holding.byPointer && this.#holding.putDown();
  }

  /** @param {PointerEvent} event @param {{startX: number, startY: number}} press */
  #moveHandle(event, press) {
    const figure = this.#figureOf(event);
    const place = figure && placeIn(event, figure);
    const way = Math.hypot(event.clientX - press.startX, event.clientY - press.startY);
    if (place && (this.#holding.dragging || way >= HANDLE_SLOP)) this.#holding.drag(place);
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
      if (this.#holding.byPointer) return this.#moveHandle(event, press);
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
    if (this.#letGo() || press.dragging || !figure || figure.id !== press.figure.id) return;
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
    if (this.#holding.byKeys(figure.id) && this.#holding.key(event.key, event.shiftKey)) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
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
    const marks = marksOf(figure);
    const current = this.#hover?.figure === figure.id ? marks.find(({ id }) => id === this.#hover?.mark) ?? null : null;
    const handle = figure.handles?.find(({ id }) => id === current?.id);
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
      if (handle) {
        this.#holding.takeUp(figure.id, handle);
        return true;
      }
      if (!current?.edit) return false;
      this.#plate.edit(current.edit.param, current.edit.value);
      return true;
    }
    const trail = this.#trails.get(figure.id) ?? new Trail();
    this.#trails.set(figure.id, trail);
    const mark = trail.step(figure, current, key);
    if (!mark) return false;
    this.#point({ figure: figure.id, mark: mark.id });
    const takes = figure.handles?.some(({ id }) => id === mark.id);
    this.#plate.announce(takes ? `${mark.text}; Enter takes it up` : spoken(mark));
    return true;
  }
}
