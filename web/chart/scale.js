/**
 * The ticks of a slider: a hairline from the least value to the greatest with an engraved tick at both ends and at
 * every round value between, drawn from the parameter's own declaration.
 *
 * Not the control: the native input lies over it. The picture is stretched to the width of the control, so that
 * 0..100 is the way of the thumb's centre.
 */

import { h } from './node.js';

/** @typedef {import('./types.js').Parameter} Parameter */

/** The most ticks a slider carries; a scale with more is thinned. */
const MOST = 9;

/**
 * Where the ticks lie, in hundredths of the way.
 * @param {Parameter} parameter
 * @returns {number[]}
 */
export function tickPlaces(parameter) {
  const { min = 0, max = 1, scale } = parameter;
  if (!(max > min)) return [0, 100];
  if ((scale === 'log2' || scale === 'log10') && min > 0) {
    const [low, high] = scale === 'log2' ? [Math.log2(min), Math.log2(max)] : [Math.log10(min), Math.log10(max)];
    return thin(low, high).map((exponent) => (100 * (exponent - low)) / (high - low));
  }
  if (max - min <= 16) return thin(min, max).map((value) => (100 * (value - min)) / (max - min));
  return [0, 100];
}

/**
 * Whole values from low to high, every one or every second, fourth ... so that they are few; ends always.
 * @param {number} low
 * @param {number} high
 */
function thin(low, high) {
  let step = 1;
  while ((high - low) / step > MOST - 1) step *= 2;
  const inner = [];
  for (let value = Math.ceil(low / step) * step; value < high; value += step) if (value > low) inner.push(value);
  return [low, ...inner, high];
}

/**
 * @param {Parameter} parameter
 * @returns {import('./types.js').VNode}
 */
export function sliderScale(parameter) {
  const ticks = tickPlaces(parameter).map((at) => `M${Math.round(at * 100) / 100} 1V11`).join('');
  return h('svg', { class: 'control-scale', viewBox: '0 0 100 12', preserveAspectRatio: 'none', 'aria-hidden': 'true', focusable: 'false' },
    h('path', { d: `M0 6H100${ticks}`, 'vector-effect': 'non-scaling-stroke' }));
}
