/**
 * Where a value stands on its slider, and what a key does to it. Sliders run over positions, not values: on a log2 scale
 * position = log2(value/min) in steps so fine that every declared value has a position of its own. A real (kind `number`) has more values
 * than positions: it keeps the value it was given, and moving gives it round ones. Dragging in a chart and arrow keys in a figure use the
 * same functions, so there is one way in.
 *
 * @import { Parameter } from '../engine/types.js'
 */

/** @typedef {Parameter & {min: number, max: number, step: number}} RangedParameter */

/** Positions of a real in one doubling, and in one decade: steps of about two hundredths. */
const PER_DOUBLING = 32;
const PER_DECADE = 100;

/** Significant digits that a slider gives a real on a logarithmic scale: enough to tell positions apart. */
const DIGITS = 3;

/** Digits beyond which a sum of steps is only rounding. */
const CLEAN = 12;

/**
 * @param {Parameter} parameter
 * @returns {RangedParameter}
 */
export const ranged = (parameter) => ({ ...parameter, min: parameter.min ?? 0, max: parameter.max ?? 0, step: parameter.step ?? 1 });

/** @param {Parameter} parameter */
const isReal = ({ kind }) => kind === 'number';

/** @param {Parameter} parameter */
const base = ({ scale, min = 0 }) => (min > 0 ? { log2: 2, log10: 10, linear: 0 }[scale ?? 'linear'] : 0);

/** Positions in one doubling or decade; for integers a step at the top of the range is more than one position wide. @param {RangedParameter} p */
function perBase(p) {
  if (isReal(p)) return base(p) === 10 ? PER_DECADE : PER_DOUBLING;
  return Math.ceil((2 * Math.log(base(p)) * p.max) / p.step);
}

/** @param {RangedParameter} p @param {number} ratio */
const logOf = (p, ratio) => (base(p) === 10 ? Math.log10(ratio) : Math.log2(ratio));

/** @param {RangedParameter} p @param {number} value */
const clamp = ({ min, max }, value) => Math.min(Math.max(value, min), max);

/** Decimals of a number as it is written. @param {number} value */
function decimals(value) {
  const [mantissa, exponent = '0'] = String(value).split('e');
  return Math.max(0, (mantissa.split('.')[1] ?? '').length - Number(exponent));
}

/** A real without the dust of adding steps. @param {number} value */
const cleaned = (value) => Number(value.toPrecision(CLEAN));

/** The round real nearest to any: in steps from min, or with few digits on a logarithmic scale. @param {RangedParameter} p @param {number} value */
function roundReal(p, value) {
  if (base(p) !== 0) return clamp(p, Number(value.toPrecision(DIGITS)));
  const steps = Math.round((value - p.min) / p.step);
  return clamp(p, Number((p.min + steps * p.step).toFixed(Math.min(100, Math.max(decimals(p.min), decimals(p.step))))));
}

/**
 * The declared value nearest to any number; of a real, the nearest round one.
 * @param {Parameter} parameter
 * @param {number} value
 */
export function snap(parameter, value) {
  const p = ranged(parameter);
  const { min, max, step } = p;
  if (Number.isNaN(value)) return min;
  if (isReal(p)) return value <= min ? min : value >= max ? max : roundReal(p, value);
  const steps = Math.round((clamp(p, value) - min) / step);
  return Math.min(min + steps * step, min + Math.floor((max - min) / step) * step);
}

/**
 * @param {Parameter} parameter
 * @returns {number} the last position; the first is 0
 */
export function lastPosition(parameter) {
  const p = ranged(parameter);
  const length = base(p) !== 0 ? logOf(p, p.max / p.min) * perBase(p) : (p.max - p.min) / p.step;
  // the end of a real is reached even where it is no whole step away; of integers it is no value then
  return isReal(p) ? Math.ceil(length - 1e-9) : Math.round(length);
}

/**
 * @param {Parameter} parameter
 * @param {number} value
 * @returns {number} a whole number
 */
export function positionOf(parameter, value) {
  const p = ranged(parameter);
  if (isReal(p) && value >= p.max) return lastPosition(p);
  return Math.round(base(p) !== 0 ? logOf(p, value / p.min) * perBase(p) : (value - p.min) / p.step);
}

/**
 * @param {Parameter} parameter
 * @param {number} position
 * @returns {number} a declared value
 */
export function valueAt(parameter, position) {
  const p = ranged(parameter);
  if (base(p) === 0) return snap(p, p.min + position * p.step);
  const value = p.min * base(p) ** (position / perBase(p));
  // whole doublings and decades stay what they are, however many digits they have
  return isReal(p) && position % perBase(p) === 0 ? clamp(p, cleaned(value)) : snap(p, value);
}

/** What a key means: direction, and how far. @type {Record<string, [number, 'arrow'|'page'|'end']>} */
const keys = {
  ArrowRight: [1, 'arrow'], ArrowUp: [1, 'arrow'], ArrowLeft: [-1, 'arrow'], ArrowDown: [-1, 'arrow'],
  PageUp: [1, 'page'], PageDown: [-1, 'page'], End: [1, 'end'], Home: [-1, 'end'],
};

/** Positions an arrow goes on a logarithmic scale of a real; with Shift one. */
const ARROW = 4;

/**
 * A real by keys: on a linear scale an arrow goes one step from wherever it is, a page a tenth of the range; on a logarithmic one an arrow goes four
 * positions, a page a whole doubling or decade. With Shift an arrow goes one position.
 * @param {RangedParameter} p
 * @param {number} value
 * @param {number} direction
 * @param {'arrow'|'page'} reach
 * @param {boolean} fine
 */
function nudgeReal(p, value, direction, reach, fine) {
  if (base(p) === 0) return clamp(p, cleaned(value + direction * (reach === 'page' ? Math.max(p.step, (p.max - p.min) / 10) : p.step)));
  if (reach === 'page') return clamp(p, cleaned(value * base(p) ** direction));
  const at = positionOf(p, value) + direction * (fine ? 1 : ARROW);
  return valueAt(p, Math.min(Math.max(at, 0), lastPosition(p)));
}

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
  if (isReal(p)) return nudgeReal(p, value, direction, reach, fine);
  const oneStep = value + direction * p.step;
  if (reach === 'arrow' && (fine || base(p) === 0)) return snap(p, oneStep);
  const far = base(p) !== 0
    ? value * base(p) ** (direction * (reach === 'page' ? 1 : 1 / 8))
    : value + direction * Math.max(p.step, (p.max - p.min) / 10);
  const [low, high] = [snap(p, Math.min(oneStep, far)), snap(p, Math.max(oneStep, far))];
  return direction > 0 ? high : low;
}
