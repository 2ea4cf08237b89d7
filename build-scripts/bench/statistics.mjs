// What the timings of one workload come to: median and quartiles of each implementation, how many times as long as ours, what share of the limit its
// useful work is. Pure; nothing is measured here.

/**
 * @typedef {import('../../tests/bench/kernels/page.js').Outcome} Outcome
 *
 * @typedef {object} Row one implementation of one workload
 * @property {string} workload
 * @property {string} implementation
 * @property {number | null} median milliseconds a run; null when it was not timed
 * @property {[number, number] | null} quartiles milliseconds
 * @property {number | null} ratio its median in medians of ours
 * @property {number | null} share useful operations a second in those of the limit
 * @property {number | null} maxError largest difference from double precision
 * @property {number} rounds
 * @property {number} repeats runs a round
 * @property {string} problem why it was not timed, or ''
 */

/** Linear between the two values around the place. @param {number[]} values @param {number} share from 0 to 1 */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

/** Operations a second in the median round. @param {{operations: number, times: number[]}} limit */
export const rateOf = ({ operations, times }) => operations / (quantile(times, 0.5) / 1000);

/**
 * @param {string} workload
 * @param {Outcome[]} outcomes
 * @param {object} against
 * @param {string} against.ours the name that ratios are to
 * @param {number} [against.operations] useful ones of one run
 * @param {number} against.limit operations a second that the machine could do in the same rounds
 * @returns {Row[]}
 */
export function rowsOf(workload, outcomes, { ours, operations, limit }) {
  /** @param {string} name */
  const medianOf = (name) => {
    const times = outcomes.find((outcome) => outcome.name === name)?.times ?? [];
    return times.length > 0 ? quantile(times, 0.5) : null;
  };
  const unit = medianOf(ours);
  return outcomes.map(({ name, error, problem, times, repeats }) => {
    const median = medianOf(name);
    return {
      workload,
      implementation: name,
      median,
      quartiles: median === null ? null : [quantile(times, 0.25), quantile(times, 0.75)],
      ratio: median === null || unit === null ? null : median / unit,
      share: median === null || operations === undefined ? null : operations / (median / 1000) / limit,
      maxError: error !== null && Number.isFinite(error) ? error : null,
      rounds: times.length,
      repeats,
      problem,
    };
  });
}
