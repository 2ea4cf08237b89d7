/**
 * Where a value stands on its slider, and what a key does to it. Sliders run over positions, not values: on a log2 scale
 * position = log2(value/min) in steps so fine that every declared value has a position of its own. Dragging in a chart and
 * arrow keys in a figure use the same functions, so there is one way in.
 *
 * @import { Parameter } from '../engine/types.js'
 */

/** @typedef {Parameter & {min: number, max: number, step: number}} IntegerParameter */

/**
 * @param {Parameter} parameter
 * @returns {IntegerParameter}
 */
export const ranged = (parameter) => ({ ...parameter, min: parameter.min ?? 0, max: parameter.max ?? 0, step: parameter.step ?? 1 });

/** Positions in one doubling: a step at the top of the range is then more than one position wide. @param {IntegerParameter} p */
const perOctave = (p) => Math.ceil((2 * Math.LN2 * p.max) / p.step);

/** @param {Parameter} parameter */
const isLog = (parameter) => parameter.scale === 'log2' && (parameter.min ?? 0) > 0;

/**
 * The declared value nearest to any number.
 * @param {Parameter} parameter
 * @param {number} value
 */
export function snap(parameter, value) {
  const { min, max, step } = ranged(parameter);
  if (Number.isNaN(value)) return min;
  const steps = Math.round((Math.min(Math.max(value, min), max) - min) / step);
  return Math.min(min + steps * step, min + Math.floor((max - min) / step) * step);
}

/**
 * @param {Parameter} parameter
 * @returns {number} the last position; the first is 0
 */
export function lastPosition(parameter) {
  const p = ranged(parameter);
  return isLog(p) ? Math.round(Math.log2(p.max / p.min) * perOctave(p)) : Math.round((p.max - p.min) / p.step);
}

/**
 * @param {Parameter} parameter
 * @param {number} value
 * @returns {number} a whole number
 */
export function positionOf(parameter, value) {
  const p = ranged(parameter);
  return Math.round(isLog(p) ? Math.log2(value / p.min) * perOctave(p) : (value - p.min) / p.step);
}

/**
 * @param {Parameter} parameter
 * @param {number} position
 * @returns {number} a declared value
 */
export function valueAt(parameter, position) {
  const p = ranged(parameter);
  return snap(p, isLog(p) ? p.min * 2 ** (position / perOctave(p)) : p.min + position * p.step);
}

/** What a key means: direction, and how far. @type {Record<string, [number, 'arrow'|'page'|'end']>} */
const keys = {
  ArrowRight: [1, 'arrow'], ArrowUp: [1, 'arrow'], ArrowLeft: [-1, 'arrow'], ArrowDown: [-1, 'arrow'],
  PageUp: [1, 'page'], PageDown: [-1, 'page'], End: [1, 'end'], Home: [-1, 'end'],
};

/**
 * The value a key leads to. On a log2 scale an arrow goes an eighth of a doubling, a page a whole one; on a linear scale one step and a
 * tenth of the range. With Shift an arrow goes one step. A move is never less than one step.
 * @param {Parameter} parameter
 * @param {number} value
 * @param {string} key KeyboardEvent.key
 * @param {boolean} [fine] Shift is held
 * @returns {number | null} null: the key means nothing here
 */
export function nudge(parameter, value, key, fine = false) {
  if (!Object.hasOwn(keys, key)) return null;
  const [direction, reach] = keys[key];
  const p = ranged(parameter);
  if (reach === 'end') return snap(p, direction > 0 ? p.max : p.min);
  const oneStep = value + direction * p.step;
  if (reach === 'arrow' && (fine || !isLog(p))) return snap(p, oneStep);
  const far = isLog(p)
    ? value * 2 ** (direction * (reach === 'page' ? 1 : 1 / 8))
    : value + direction * Math.max(p.step, (p.max - p.min) / 10);
  const [low, high] = [snap(p, Math.min(oneStep, far)), snap(p, Math.max(oneStep, far))];
  return direction > 0 ? high : low;
}
