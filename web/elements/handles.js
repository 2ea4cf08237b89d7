/**
 * Handles: points in a figure that are taken and moved, apart from any browser. Which one a place means, and the one that is held: it
 * follows a pointer, or goes by steps of the arrow keys. Nothing here draws; where a point lies and what moving it means, the plate says.
 *
 * A move is told from the picture it began on or a newer one, so a move that begins while the picture is behind what is wanted waits for it:
 * told from the older picture, it would take back what that does not show yet. Steps that wait add up. A drag under way does not wait.
 *
 * @import { Figure, Handle, Mark, Moved } from '../chart/types.js'
 * @import { ParameterValue } from '../engine/types.js'
 */

/** CSS pixels from a handle at which a pointer, and a finger, still mean it. */
export const reachOf = (/** @type {string} */ pointerType) => (pointerType === 'touch' ? 24 : 14);

/** Steps an arrow goes with Shift. */
const FAR = 10;

/** Half the side of the hit box of a handle that has no mark of its own, and the distance of its tip, in viewBox units. */
const BOX = 14;
const TIP = 8;

/**
 * The handle nearest to a place.
 * @param {Handle[]} handles
 * @param {{x: number, y: number}} place
 * @param {number} reach in viewBox units
 * @returns {Handle | null}
 */
export function handleAt(handles, { x, y }, reach) {
  /** @type {Handle | null} */
  let found = null;
  let least = reach;
  for (const handle of handles) {
    const distance = Math.hypot(handle.x - x, handle.y - y);
    // of two in one place the one drawn later lies above
    if (distance <= least) [found, least] = [handle, distance];
  }
  return found;
}

/** @param {Handle} handle */
const standing = ({ label, text }) => `${label}: ${text}`;

/**
 * The marks of a figure, with one for every handle that has none.
 * @param {Figure} figure
 * @returns {Mark[]}
 */
export function marksOf({ marks, handles = [] }) {
  const missing = handles.filter(({ id }) => !marks.some((mark) => mark.id === id));
  return missing.length === 0 ? marks : [...marks, ...missing.map((handle) => ({
    id: handle.id, x: handle.x - BOX, y: handle.y - BOX, w: 2 * BOX, h: 2 * BOX, cx: handle.x, cy: handle.y - TIP, text: standing(handle),
  }))];
}

/** @type {Record<string, [number, number]>} steps to the right and up */
const directions = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/**
 * @typedef {object} Held
 * @property {string} figure
 * @property {string} id
 * @property {boolean} keys it is held by keys, not by a pointer
 * @property {{x: number, y: number}} grip from the pointer to the handle's centre
 * @property {Move | null} drag once the pointer has moved
 *
 * @typedef {object} Hooks
 * @property {(figure: string, id: string) => Handle | undefined} handle in the picture on show
 * @property {() => boolean} settled whether the picture shows all that is wanted
 * @property {(key: string) => ParameterValue} value that is wanted of a parameter
 * @property {(values: Record<string, ParameterValue>) => void} change
 * @property {(text: string) => void} announce
 * @property {(id: string | null) => void} hold a handle is taken up, or put down
 *
 * @typedef {object} Move
 * @property {string} figure
 * @property {string} id
 * @property {{x: number, y: number} | null} to where a pointer has it
 * @property {[number, number]} by steps of keys
 * @property {boolean} begun
 * @property {boolean} due there is something to tell
 * @property {boolean} ended
 */

export class Holding {
  /** @type {Hooks} */ #hooks;
  /** @type {Held | null} */ #held = null;
  /** @type {Move[]} the first is being told, the others wait */ #moves = [];
  /** @type {{figure: string, id: string} | null} whose new place is still to be said */ #unsaid = null;

  /** @param {Hooks} hooks */
  constructor(hooks) {
    this.#hooks = hooks;
  }

  /** @returns {boolean} a pointer holds a handle */
  get byPointer() {
    return this.#held !== null && !this.#held.keys;
  }

  /** @returns {boolean} a pointer has moved the handle that it holds */
  get dragging() {
    return Boolean(this.#held?.drag);
  }

  /** @param {string} figure @returns {boolean} keys hold a handle of the figure */
  byKeys(figure) {
    return this.#held !== null && this.#held.keys && this.#held.figure === figure;
  }

  /** A pointer comes down on a handle; it keeps its distance from the centre. @param {string} figure @param {Handle} handle @param {{x: number, y: number}} place */
  take(figure, handle, place) {
    this.putDown();
    this.#hold({ figure, id: handle.id, keys: false, grip: { x: handle.x - place.x, y: handle.y - place.y }, drag: null });
  }

  /** Keys take a handle up. @param {string} figure @param {Handle} handle */
  takeUp(figure, handle) {
    this.putDown();
    this.#hold({ figure, id: handle.id, keys: true, grip: { x: 0, y: 0 }, drag: null });
    this.#hooks.announce(`${standing(handle)}; taken up: arrows move it, with Shift ${FAR} steps, Enter puts it down`);
  }

  /** The pointer that holds it has moved. @param {{x: number, y: number}} place */
  drag(place) {
    const held = this.#held;
    if (!held) return;
    const to = { x: place.x + held.grip.x, y: place.y + held.grip.y };
    if (held.drag) Object.assign(held.drag, { to, due: true });
    else {
      held.drag = { figure: held.figure, id: held.id, to, by: [0, 0], begun: false, due: true, ended: false };
      this.#moves.push(held.drag);
    }
    this.flush();
  }

  /**
   * A key while a handle is held.
   * @param {string} key KeyboardEvent.key
   * @param {boolean} far Shift is held
   * @returns {boolean} whether it meant something
   */
  key(key, far) {
    const held = this.#held;
    if (!held) return false;
    if (key === 'Enter' || key === ' ' || key === 'Escape') {
      this.putDown();
      const handle = this.#hooks.handle(held.figure, held.id);
      if (handle && this.#moves.length === 0) this.#hooks.announce(`${standing(handle)}; put down`);
      return true;
    }
    if (!Object.hasOwn(directions, key)) return false;
    const [dx, dy] = directions[key].map((step) => step * (far ? FAR : 1));
    const last = this.#moves[this.#moves.length - 1];
    if (last && !last.to && last.id === held.id && last.figure === held.figure) last.by = [last.by[0] + dx, last.by[1] + dy];
    else this.#moves.push({ figure: held.figure, id: held.id, to: null, by: [dx, dy], begun: false, due: true, ended: true });
    this.flush();
    return true;
  }

  /** Whatever is held is let go; a move that still waits is made nevertheless. @returns {boolean} whether a pointer has moved it */
  putDown() {
    const held = this.#held;
    if (!held) return false;
    if (held.drag) held.drag.ended = true;
    this.#held = null;
    this.#hooks.hold(null);
    this.flush();
    return held.drag !== null;
  }

  /** Tells what can be told: after every move, and after every drawing. */
  flush() {
    if (this.#held && !this.#hooks.handle(this.#held.figure, this.#held.id)) {
      this.putDown();
      return;
    }
    for (let move = this.#moves[0]; move; move = this.#moves[0]) {
      const handle = this.#hooks.handle(move.figure, move.id);
      if (handle) {
        if (!move.begun && !this.#hooks.settled()) return;
        move.begun = true;
        if (move.due) this.#send(handle, move.to ? handle.move(move.to.x, move.to.y) : handle.nudge(...move.by));
        move.due = false;
        if (move.ended) this.#unsaid = { figure: move.figure, id: move.id };
      }
      if (!move.ended && handle) return;
      this.#moves.shift();
    }
    if (!this.#unsaid || !this.#hooks.settled()) return;
    const handle = this.#hooks.handle(this.#unsaid.figure, this.#unsaid.id);
    this.#unsaid = null;
    if (handle) this.#hooks.announce(standing(handle));
  }

  /** @param {Held} held */
  #hold(held) {
    this.#held = held;
    this.#hooks.hold(held.id);
  }

  /** @param {Handle} handle @param {Moved} moved */
  #send({ param }, moved) {
    const values = typeof moved === 'object' ? moved : { [param]: moved };
    if (Object.entries(values).some(([key, value]) => !Object.is(value, this.#hooks.value(key)))) this.#hooks.change(values);
  }
}
