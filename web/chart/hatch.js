/**
 * Fine hatching, the engraver's grey: two standard errors around a line, and the cells a mask excludes.
 *
 * Only the pattern is made here; its colour comes from its class. Ids are given by the caller, so that two plates
 * on one page never share one.
 */

import { h } from './node.js';

/** @typedef {import('./types.js').VNode} VNode */

/**
 * @param {string} id  unique on the page
 * @param {string} kind  class: 'scaled', 'unscaled', 'excluded'
 * @param {{spacing?: number, angle?: number}} [look]  px between lines; degrees, 45 rises to the right
 * @returns {VNode}
 */
export function hatch(id, kind, { spacing = 3.5, angle = 45 } = {}) {
  return h('pattern', {
    id, class: `hatch ${kind}`, width: spacing, height: spacing, patternUnits: 'userSpaceOnUse',
    patternTransform: `rotate(${angle})`,
  }, h('path', { d: `M${spacing / 2} 0V${spacing}` }));
}
