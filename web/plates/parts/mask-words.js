/**
 * The words of "Masked softmax": which lengths apply, why a key is excluded, and what an empty row means. Also how
 * valid lengths are written as text, because choosing a cell rewrites them.
 *
 * Nothing is decided here: whether a key is allowed is read from the core's `allowed`.
 */

import { list, plural, words } from '../../chart/format.js';
import { numeric, series } from './read.js';

/** @typedef {import('../../chart/types.js').Result} Result */

/**
 * @typedef {object} Batch
 * @property {number} batch
 * @property {number} queries
 * @property {number} keys
 * @property {boolean} causal
 * @property {'none' | 'sequence' | 'query'} given  how the valid lengths were given
 * @property {(b: number, q: number) => number} length  the valid length that applies
 * @property {(b: number, q: number, k: number) => boolean} allowed
 * @property {(b: number, q: number) => boolean} empty
 */

/**
 * @param {Result} result
 * @returns {Batch}
 */
export function readBatch(result) {
  const [batch, queries, keys] = ['batch', 'queries', 'keys'].map((key) => numeric(result, key));
  const lengths = series(result, 'valid_lens');
  const allowed = series(result, 'allowed');
  const empty = series(result, 'empty_rows');
  return {
    batch, queries, keys, causal: result.params.causal === true, given: givenAs(String(result.params.lens)),
    length: (b, q) => lengths[b * queries + q],
    allowed: (b, q, k) => allowed[(b * queries + q) * keys + k] === 1,
    empty: (b, q) => empty[b * queries + q] === 1,
  };
}

/**
 * `2,3` is one length a sequence; `1,3;2,4` one a query, sequences apart, so that one sequence with a length a query
 * is `1,3;`.
 * @param {string} text
 * @returns {'none' | 'sequence' | 'query'}
 */
export function givenAs(text) {
  if (text.trim() === '') return 'none';
  return text.includes(';') ? 'query' : 'sequence';
}

/**
 * The lengths after one was changed, as text. Lengths that were not given become one a sequence.
 * @param {Batch} batch
 * @param {number} b
 * @param {number} q
 * @param {number} length
 */
export function withLength(batch, b, q, length) {
  const rows = Array.from({ length: batch.batch }, (_, i) => {
    if (batch.given !== 'query') return String(i === b ? length : batch.length(i, 0));
    return Array.from({ length: batch.queries }, (__, j) => String(i === b && j === q ? length : batch.length(i, j))).join(',');
  });
  if (batch.given !== 'query') return rows.join(',');
  return rows.join(';') + (rows.length === 1 ? ';' : '');
}

/**
 * Heading of a sequence: what its mask is, with the lengths themselves unless `short`.
 * @param {Batch} batch
 * @param {number} b
 * @param {boolean} [short]
 */
export function requirement(batch, b, short = false) {
  const causal = batch.causal ? 'causal' : '';
  if (batch.given === 'none') return causal || 'no mask';
  const lengths = Array.from({ length: batch.queries }, (_, q) => batch.length(b, q));
  const same = lengths.every((length) => length === lengths[0]);
  const text = same ? `valid length ${lengths[0]}` : short ? 'a valid length for each query' : `valid lengths ${lengths.join(', ')}`;
  return causal ? `${text}, ${causal}` : text;
}

/**
 * Why a key is excluded.
 * @param {Batch} batch
 * @param {number} b
 * @param {number} q
 * @param {number} k
 */
export function reason(batch, b, q, k) {
  const reasons = [];
  if (k >= batch.length(b, q)) reasons.push(`beyond valid length ${batch.length(b, q)}`);
  if (batch.causal && k > q) reasons.push(`after query ${q + 1}`);
  return reasons.length > 0 ? reasons.join(' and ') : 'excluded';
}

/**
 * The note under the figure when some query keeps no key.
 * @param {Batch} batch
 * @returns {import('../../chart/types.js').Note | null}
 */
export function emptyNote(batch) {
  /** @type {Array<{b: number, queries: number[]}>} */
  const found = [];
  let rows = 0;
  for (let b = 0; b < batch.batch; b++) {
    const queries = Array.from({ length: batch.queries }, (_, q) => q).filter((q) => batch.empty(b, q));
    if (queries.length > 0) found.push({ b, queries });
    rows += queries.length;
  }
  if (rows === 0) return null;
  const who = found.map(({ b, queries }) => {
    const which = queries.length === batch.queries && queries.length > 1 ? `${queries.length === 2 ? 'both' : `all ${words(queries.length)}`} queries`
      : `${queries.length === 1 ? 'query' : 'queries'} ${list(queries.map((q) => String(q + 1)))}`;
    return `${which} of sequence ${b + 1}`;
  });
  const title = `${capital(words(rows))} empty ${rows === 1 ? 'row' : 'rows'}.`;
  const text = rows === 1
    ? `${capital(who[0])} keeps no key, for its valid length is 0. Its weights are zero, not uniform and not NaN, and the row sums to 0.`
    : `${capital(list(who))} keep no key, for the valid length is 0. Their weights are zero, not uniform and not NaN, and the rows sum to 0.`;
  return { kind: 'warning', title, text: [text] };
}

/**
 * A sequence said in words.
 * @param {Batch} batch
 * @param {number} b
 */
export function spoken(batch, b) {
  const empty = Array.from({ length: batch.queries }, (_, q) => q).filter((q) => batch.empty(b, q));
  const kept = Array.from({ length: batch.queries }, (_, q) =>
    Array.from({ length: batch.keys }, (__, k) => k).filter((k) => batch.allowed(b, q, k)).length);
  const same = kept.every((n) => n === kept[0]);
  const keeps = same ? `each query keeps ${plural(kept[0], 'key', 'keys')}` : `queries 1 to ${batch.queries} keep ${list(kept.map(String))} keys`;
  const none = empty.length > 0 ? `; ${empty.length === 1 ? 'query' : 'queries'} ${list(empty.map((q) => String(q + 1)))} ${empty.length === 1 ? 'is' : 'are'} empty` : '';
  return `Sequence ${b + 1}, ${requirement(batch, b)}: ${keeps}${none}.`;
}

/** @param {string} text */
function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
