/**
 * Modules of Node for code that runs in browsers, too. The name is put together when it runs, and only in Node: a bundler sees no module to resolve, whatever
 * it builds for.
 */

/** Whether this runs in Node. */
export const inNode = () => typeof process === 'object' && typeof process?.versions?.node === 'string';

/**
 * @template {'fs/promises' | 'os' | 'worker_threads'} N
 * @param {N} name
 * @returns {Promise<{'fs/promises': typeof import('node:fs/promises'), os: typeof import('node:os'), worker_threads: typeof import('node:worker_threads')}[N]>}
 */
export const builtin = (name) => import(`node:${name}`);
