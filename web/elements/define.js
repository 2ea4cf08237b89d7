/**
 * Registers <attention-plate> and <attention-exercise> once per page. A page that loads the bundle twice, or two versions of it, keeps the first: a second
 * definition would throw and take the page's script with it.
 *
 * @import { Plate } from '../chart/types.js'
 */
import { AttentionPlate } from './attention-plate.js';
import { AttentionExercise } from './exercise-panel.js';

/**
 * @param {Plate[]} plates every plate of the bundle
 * @param {Record<string, string>} groups which module of the core runs a study, by study
 * @returns {CustomElementConstructor} the class in use, which may be an earlier bundle's
 */
export function define(plates, groups) {
  const known = customElements.get('attention-plate');
  if (known) return known;
  AttentionPlate.plates = new Map(plates.map((plate) => [plate.study, plate]));
  AttentionPlate.groups = new Map(Object.entries(groups));
  customElements.define('attention-plate', AttentionPlate);
  if (!customElements.get('attention-exercise')) customElements.define('attention-exercise', AttentionExercise);
  return AttentionPlate;
}
