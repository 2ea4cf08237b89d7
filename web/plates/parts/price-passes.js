/**
 * Figure 2 of "The price of attention": the bytes of each pass over memory when scores and weights are kept, thin bars on one measure.
 * Solid, the four passes that tiles spare; outlined, what must be read and written in any case.
 *
 * Not a measurement: bytes by formula, four a number.
 */

import { h } from '../../chart/node.js';
import { picture } from '../../chart/picture.js';
import { textWidth } from '../../chart/text.js';
import { memory } from './price-read.js';

/** @typedef {import('../../chart/types.js').Mark} Mark */
/** @typedef {import('../../chart/types.js').VNode} VNode */
/** @typedef {import('./price-read.js').Passes} Passes */

/**
 * @param {object} o
 * @param {Passes} o.passes
 * @param {number} o.width
 * @param {boolean} o.narrow
 * @param {number} o.widen
 * @param {string | null} o.hover
 * @returns {{node: VNode, marks: Mark[], height: number}}
 */
export function passesFigure({ passes, width, narrow, widen, hover }) {
  const size = narrow ? 14 : 15;
  const names = Math.round(widen * Math.max(...passes.all.map(({ name }) => textWidth(name, size)))) + 14;
  const values = Math.round(widen * Math.max(...passes.all.map(({ bytes }) => textWidth(memory(bytes), size)))) + 10;
  const most = Math.max(...passes.all.map(({ bytes }) => bytes));
  const room = width - names - values;
  const high = narrow ? 25 : 27;
  const gap = 20;
  const row = (/** @type {number} */ i) => 10 + i * high + (passes.all[i]?.spared ? 0 : gap);
  const height = row(passes.all.length - 1) + high + 8;
  const marks = passes.all.map(({ name, bytes, spared }, i) => ({
    id: `pass-${i + 1}`, x: 0, y: row(i), w: width, h: high, cx: names + 16, cy: row(i) + 4, text: `${name}: ${memory(bytes)}${spared ? ', spared by tiles' : ''}`,
  }));
  const groups = [passes.all.filter(({ spared }) => spared).length, passes.all.length];
  const node = picture({ width, height, narrow, ink: true }, [],
    h('path', { class: 'bar-line', d: `M${names - 0.5} ${row(0)}V${row(groups[0] - 1) + high}M${names - 0.5} ${row(groups[0])}V${row(groups[1] - 1) + high}` }),
    passes.all.map(({ name, bytes, spared }, i) => {
      const length = Math.max(0.75, (bytes / most) * room);
      const middle = row(i) + high / 2;
      const thick = 9;
      return [
        h('text', { class: 'cost-name', x: names - 12, y: middle, dy: '0.33em', 'text-anchor': 'end', 'font-size': size }, name),
        spared ? h('rect', { class: 'pass-bar unscaled', x: names, y: middle - thick / 2, width: length, height: thick })
          : h('rect', { class: 'pass-bar scaled', x: names + 0.5, y: middle - thick / 2 + 0.5, width: Math.max(0.5, length - 1), height: thick - 1 }),
        h('text', { class: `cost ${spared ? 'unscaled' : 'scaled'}`, x: names + length + 8, y: middle, dy: '0.33em', 'font-size': size }, memory(bytes)),
      ];
    }),
    marks.map((mark) => mark.id === hover && h('rect', { class: 'hover-column', x: names - 4, y: mark.y, width: width - names + 4, height: high })));
  return { node, marks, height };
}
