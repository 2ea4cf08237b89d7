/**
 * Entry of attn-pool.js, a plain script that leaves `createPool` and `createMeter` at `globalThis.attentionPool`: for a plate that is asked to measure, and for
 * pages that cannot load modules, as those opened from disk. Programs import the same from attn-core.mjs.
 */
import { createMeter, createPool } from './engine/parallel.js';

/** @typedef {{createPool: typeof createPool, createMeter: typeof createMeter}} AttentionPool */

/** @type {any} */ (globalThis).attentionPool ??= { createPool, createMeter };
