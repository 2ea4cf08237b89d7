/**
 * Registers <attention-plate> and <attention-exercise> once per page. A page that loads the bundle twice, or two versions of it, keeps the first: a second
 * definition would throw and take the page's script with it.
 *
 * @import { Known } from './plates.js'
 * @import { AttentionPlateConstructor } from './public.js'
 */
import { AttentionPlate } from './attention-plate.js';
import { AttentionExercise } from './exercise-panel.js';
import { knowPlates } from './plates.js';

/**
 * @param {Known} built what the build knows of the plates
 * @returns {AttentionPlateConstructor} the class in use, which may be an earlier bundle's
 */
export function define(built) {
  const known = customElements.get('attention-plate');
  if (known) return /** @type {AttentionPlateConstructor} */ (known);
  knowPlates(built);
  customElements.define('attention-plate', AttentionPlate);
  if (!customElements.get('attention-exercise')) customElements.define('attention-exercise', AttentionExercise);
  return AttentionPlate;
}
