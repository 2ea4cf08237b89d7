/**
 * The answers that everything measured is compared with, in double precision and as plainly as the definitions: scores, the largest, exponentials,
 * their sum, weights. Nothing here is timed. Outputs are laid out as the float32 ones are.
 *
 * @import { Inputs, Workload } from './workloads.js'
 */
import { openKeys } from './workloads.js';

/** Turns the first `open` scores into weights, in place, and the rest into zeros. @param {Float64Array} scores @param {number} open */
function softmax(scores, open) {
  let largest = -Infinity;
  for (let j = 0; j < open; ++j) largest = Math.max(largest, scores[j]);
  let sum = 0;
  for (let j = 0; j < open; ++j) sum += scores[j] = Math.exp(scores[j] - largest);
  for (let j = 0; j < open; ++j) scores[j] /= sum;
  scores.fill(0, open);
}

/**
 * Rows `every`, 2 `every`, ... and the last row of each head; every row for 1.
 * @param {Workload} workload @param {Inputs} inputs @param {number} every
 */
function attention(workload, { queries: [queries], keys: [keys], values }, every) {
  const { batch, heads, n, m, widths: [d] } = workload;
  const out = new Float64Array(batch * heads * n * d).fill(NaN);
  const weights = new Float64Array(m);
  const row = new Float64Array(d);
  const scale = 1 / Math.sqrt(d);
  for (let head = 0; head < batch * heads; ++head) {
    const firstKey = head * m * d;
    for (let i = 0; i < n; ++i) {
      if ((i + 1) % every !== 0 && i !== n - 1) continue;
      const open = openKeys(workload, Math.floor(head / heads), i);
      const query = Float64Array.from(queries.subarray((head * n + i) * d, (head * n + i + 1) * d));
      for (let j = 0, at = firstKey; j < open; ++j) {
        let sum = 0;
        for (let c = 0; c < d; ++c) sum += query[c] * keys[at++];
        weights[j] = sum * scale;
      }
      softmax(weights, open);
      row.fill(0);
      for (let j = 0, at = firstKey; j < open; ++j) {
        const weight = weights[j];
        for (let c = 0; c < d; ++c) row[c] += weight * values[at++];
      }
      out.set(row, (head * n + i) * d);
    }
  }
  return out;
}

/** @param {Workload} workload @param {Inputs} inputs */
function maskedSoftmax(workload, { queries: [scores] }) {
  const { batch, n, m } = workload;
  const out = Float64Array.from(scores);
  for (let row = 0; row < batch * n; ++row) softmax(out.subarray(row * m, (row + 1) * m), openKeys(workload, Math.floor(row / n), row % n));
  return out;
}

/** @param {Workload} workload @param {Inputs} inputs */
function additive({ batch, n, m, widths: [h] }, { queries: [queries], keys: [keys], w }) {
  const out = new Float64Array(batch * n * m);
  for (let b = 0, at = 0; b < batch; ++b) {
    for (let i = 0; i < n; ++i) {
      const query = queries.subarray((b * n + i) * h, (b * n + i + 1) * h);
      for (let j = 0; j < m; ++j) {
        const key = (b * m + j) * h;
        let sum = 0;
        for (let c = 0; c < h; ++c) sum += w[c] * Math.tanh(query[c] + keys[key + c]);
        out[at++] = sum;
      }
    }
  }
  return out;
}

/** Entropies in nats, (widths, 2, n): those of the scaled scores, then of the unscaled. @param {Workload} workload @param {Inputs} inputs */
function entropies({ n, m, widths }, { queries, keys }) {
  const out = new Float64Array(widths.length * 2 * n);
  const weights = new Float64Array(m);
  widths.forEach((d, index) => {
    for (let i = 0; i < n; ++i) {
      [1 / Math.sqrt(d), 1].forEach((scale, form) => {
        for (let j = 0; j < m; ++j) {
          let sum = 0;
          for (let c = 0; c < d; ++c) sum += queries[index][i * d + c] * keys[index][j * d + c];
          weights[j] = sum * scale;
        }
        softmax(weights, m);
        let entropy = 0;
        for (const p of weights) if (p > 0) entropy -= p * Math.log(p);
        out[(index * 2 + form) * n + i] = entropy;
      });
    }
  });
  return out;
}

/**
 * @param {Workload} workload @param {Inputs} inputs
 * @param {number} [every] attention: one row in so many is computed, the others are NaN
 * @returns {Float64Array}
 */
export function reference(workload, inputs, every = 1) {
  if (workload.kind === 'attention') return attention(workload, inputs, every);
  if (workload.kind === 'softmax') return maskedSoftmax(workload, inputs);
  return workload.kind === 'additive' ? additive(workload, inputs) : entropies(workload, inputs);
}

/**
 * The largest difference from the reference where that is a number. A missing value, or one that is no number, is as wrong as can be.
 * @param {ArrayLike<number>} output @param {Float64Array} wanted
 */
export function largestError(output, wanted) {
  if (output.length !== wanted.length) return Infinity;
  let largest = 0;
  for (let i = 0; i < wanted.length; ++i) {
    const difference = Math.abs(output[i] - wanted[i]);
    if (difference > largest) largest = difference;
    else if (Number.isNaN(output[i]) && !Number.isNaN(wanted[i])) return Infinity;
  }
  return largest;
}
