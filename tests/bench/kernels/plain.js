/**
 * The same workloads in plain JavaScript, as one would write them without a library: float32 arrays, loops over rows, closed keys left out. The
 * yardstick for what WebAssembly and a library bring; not tuned beyond hoisting what stands still.
 *
 * @import { Inputs, Workload } from './workloads.js'
 */
import { openKeys } from './workloads.js';

/** In place on row[first, first + open); the rest of the row's m entries becomes 0. @param {Float32Array} row @param {number} first @param {number} open @param {number} m */
function softmaxRow(row, first, open, m) {
  let largest = -Infinity;
  for (let j = first; j < first + open; ++j) if (row[j] > largest) largest = row[j];
  let sum = 0;
  for (let j = first; j < first + open; ++j) sum += row[j] = Math.exp(row[j] - largest);
  const factor = 1 / sum;
  for (let j = first; j < first + open; ++j) row[j] *= factor;
  row.fill(0, first + open, first + m);
}

/** @param {Workload} workload @param {Inputs} inputs @param {Float32Array} out */
function attention(workload, { queries: [queries], keys: [keys], values }, out) {
  const { batch, heads, n, m, widths: [d] } = workload;
  const weights = new Float32Array(m);
  const scale = 1 / Math.sqrt(d);
  for (let head = 0; head < batch * heads; ++head) {
    for (let i = 0; i < n; ++i) {
      const open = openKeys(workload, Math.floor(head / heads), i);
      const query = (head * n + i) * d;
      for (let j = 0; j < open; ++j) {
        const key = (head * m + j) * d;
        let sum = 0;
        for (let c = 0; c < d; ++c) sum += queries[query + c] * keys[key + c];
        weights[j] = sum * scale;
      }
      softmaxRow(weights, 0, open, m);
      out.fill(0, query, query + d);
      for (let j = 0; j < open; ++j) {
        const value = (head * m + j) * d;
        const weight = weights[j];
        for (let c = 0; c < d; ++c) out[query + c] += weight * values[value + c];
      }
    }
  }
}

/** @param {Workload} workload @param {Inputs} inputs @param {Float32Array} out */
function maskedSoftmax(workload, { queries: [scores] }, out) {
  const { batch, n, m } = workload;
  out.set(scores);
  for (let row = 0; row < batch * n; ++row) softmaxRow(out, row * m, openKeys(workload, Math.floor(row / n), row % n), m);
}

/** @param {Workload} workload @param {Inputs} inputs @param {Float32Array} out */
function additive({ batch, n, m, widths: [h] }, { queries: [queries], keys: [keys], w }, out) {
  for (let b = 0, at = 0; b < batch; ++b) {
    for (let i = 0; i < n; ++i) {
      const query = (b * n + i) * h;
      for (let j = 0; j < m; ++j) {
        const key = (b * m + j) * h;
        let sum = 0;
        for (let c = 0; c < h; ++c) sum += w[c] * Math.tanh(queries[query + c] + keys[key + c]);
        out[at++] = sum;
      }
    }
  }
}

/** @param {Workload} workload @param {Inputs} inputs @param {Float32Array} out */
function entropies({ n, m, widths }, { queries, keys }, out) {
  const scores = new Float32Array(m);
  widths.forEach((d, index) => {
    const [query, key] = [queries[index], keys[index]];
    for (let i = 0; i < n; ++i) {
      for (let j = 0; j < m; ++j) {
        let sum = 0;
        for (let c = 0; c < d; ++c) sum += query[i * d + c] * key[j * d + c];
        scores[j] = sum;
      }
      for (let form = 0; form < 2; ++form) {
        const scale = form === 0 ? 1 / Math.sqrt(d) : 1;
        let largest = -Infinity;
        for (let j = 0; j < m; ++j) if (scores[j] > largest) largest = scores[j];
        // ln Z - sum z e^z / Z, with z the scores less the largest
        let sum = 0;
        let moment = 0;
        for (let j = 0; j < m; ++j) {
          const z = scale * (scores[j] - largest);
          const e = Math.exp(z);
          sum += e;
          moment += z * e;
        }
        out[(index * 2 + form) * n + i] = Math.log(sum) - moment / sum;
      }
    }
  });
}

const ways = { attention, softmax: maskedSoftmax, additive, entropy: entropies };

/** How many numbers come out. @param {Workload} workload */
export function outputSize({ kind, batch, heads, n, m, widths }) {
  if (kind === 'attention') return batch * heads * n * widths[0];
  return kind === 'entropy' ? widths.length * 2 * n : batch * n * m;
}

/** The adapter of plain JavaScript. @returns {Promise<import('./measure.js').Implementation>} */
export async function plainJavaScript() {
  return {
    prepare(workload, inputs) {
      const out = new Float32Array(outputSize(workload));
      const way = ways[workload.kind];
      return { run: () => way(workload, inputs, out), output: () => out, release: () => {} };
    },
  };
}
