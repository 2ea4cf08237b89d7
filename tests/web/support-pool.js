// Tiles for the tests of the pool and of what it is cut by.

export const [tileQueries, tileKeys] = [32, 64];

/** Tiles of a causal mask, by block of 32 queries. @param {number} n @param {number} [slices] */
export const causal = (n, slices = 1) => Array.from({ length: slices * Math.ceil(n / tileQueries) }, (_, i) => {
  const last = Math.min(n, (i % Math.ceil(n / tileQueries) + 1) * tileQueries);
  return Math.ceil(last / tileKeys);
});
