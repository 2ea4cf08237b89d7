/**
 * The last drawing of a plate and what it was made from: it is made anew when something that it depends on has changed, and put into the page figure
 * by figure. It decides neither when nor for which width.
 *
 * @import { Drawing, Env, Plate } from '../chart/types.js'
 * @import { Session } from './session.js'
 */
import { patch } from '../chart/node.js';
import { sliderScale } from '../chart/scale.js';
import { AttentionError } from '../engine/errors.js';
import { within } from './controls.js';

export class Drawer {
  /** @type {Drawing | null} */ drawing = null;
  /** @type {unknown[]} */ #from = [];

  /** Another plate begins with nothing. */
  forget() {
    this.drawing = null;
  }

  /**
   * @param {Plate} plate
   * @param {import('../engine/types.js').StudyResult} result
   * @param {Omit<Env, 'params'>} env
   * @returns {boolean} whether anything was drawn; throws an AttentionError where it cannot be, and keeps the last drawing
   */
  draw(plate, result, env) {
    const from = [result, ...Object.values(env)];
    if (this.drawing && from.every((part, i) => part === this.#from[i])) return false;
    this.#from = from;
    try {
      this.drawing = plate.draw(result, { ...env, params: result.params });
    } catch (thrown) {
      throw new AttentionError('drawing_failed', '', `The figure could not be drawn (${thrown instanceof Error ? thrown.message : thrown}).`);
    }
    return true;
  }

  /** Patches the figures, and the ticks of the sliders, into what the template has made. @param {ParentNode} root @param {Pick<Session, 'study' | 'result'>} shown */
  patchInto(root, { study, result }) {
    for (const control of root.querySelectorAll('.control-range')) {
      const parameter = study.parameters.find(({ key }) => key === /** @type {HTMLElement} */ (control).dataset.key);
      if (parameter) patch(control, sliderScale(within(parameter, result?.series ?? {})));
    }
    for (const figure of this.drawing?.figures ?? []) {
      const canvas = root.querySelector(`.canvas[data-figure="${figure.id}"]`);
      if (canvas) patch(canvas, figure.node);
    }
  }
}
