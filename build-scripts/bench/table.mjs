// The benchmark's tables as text for a terminal. Pure: rows in, text out.

/** @typedef {import('./statistics.mjs').Row} Row */

/** Four significant digits at most, and none that the clock did not give. @param {number} milliseconds */
export const timeText = (milliseconds) => milliseconds.toFixed(milliseconds < 10 ? 2 : milliseconds < 100 ? 1 : 0);

/** @param {number} ratio */
export const ratioText = (ratio) => ratio.toFixed(ratio < 10 ? 2 : ratio < 100 ? 1 : 0);

const widths = { name: 30, time: 10, quartiles: 16, ratio: 9, share: 11, error: 12, turns: 10 };

/** @param {string[]} cells of one line: the first to the left, the others to the right */
const line = (cells) => cells.map((cell, i) => (i === 0 ? cell.padEnd(Object.values(widths)[i]) : cell.padStart(Object.values(widths)[i]))).join('').trimEnd();

/**
 * One workload.
 * @param {string} title @param {Row[]} rows
 */
export function workloadTable(title, rows) {
  const lines = rows.map(({ implementation, median, quartiles, ratio, share, maxError, rounds, repeats, problem }) => {
    const error = maxError === null ? '' : maxError.toExponential(1);
    if (median === null || quartiles === null) return `${line([`  ${implementation}`])}  not timed: ${problem}${error && ` (error ${error})`}`;
    return line([
      `  ${implementation}`, timeText(median), quartiles.map(timeText).join(' – '), ratio === null ? '' : ratioText(ratio),
      share === null ? '' : `${(100 * share).toFixed(0)}%`, error, `${rounds} × ${repeats}`,
    ]);
  });
  return `${line([title, 'median', 'quartiles', 'ratio', 'of limit', 'max error', 'runs'])}\n${lines.join('\n')}\n`;
}

/**
 * @param {{what: string, mebibytes: number, error: number | null}[]} rows resident set of the renderer process at its peak
 */
export function memoryTable(rows) {
  const lines = rows.map(({ what, mebibytes, error }) => `${`  ${what}`.padEnd(56)}${mebibytes.toFixed(0).padStart(10)}${(error === null ? '' : error.toExponential(1)).padStart(12)}`.trimEnd());
  return `${"renderer's peak memory".padEnd(56)}${'MiB'.padStart(10)}${'max error'.padStart(12)}\n${lines.join('\n')}\n`;
}
