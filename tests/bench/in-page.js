/**
 * The measurements that are made inside a page of the site, as functions to be run there by build-scripts/bench.mjs. Each is self-contained, since it
 * travels as text. Times are milliseconds of performance.now(); nothing is asserted.
 */

/** To be installed before the page's own scripts: remembers when the first live picture was drawn and, one frame later, seen. */
export function watchFirstChart() {
  /** @type {any} */ (window).firstChart = new Promise((resolve) => {
    document.addEventListener('plate-ready', () => {
      const drawn = performance.now();
      requestAnimationFrame(() => setTimeout(() => {
        const paint = performance.getEntriesByName('first-contentful-paint')[0];
        resolve({ firstPaint: paint?.startTime ?? NaN, drawn, seen: performance.now() });
      }));
    }, { once: true });
  });
}

/**
 * Moves the slider of d on the real element and waits, each time, until the picture of exactly that d is patched, and for the next frame.
 * @param {number[]} places of the slider, from 0 to 1
 * @returns {Promise<{patched: number[], framed: number[], core: number[]}>}
 */
export async function moveSlider(places) {
  const plate = /** @type {any} */ (document.querySelector('attention-plate'));
  const input = plate.shadowRoot.querySelector('[data-key="d"] input');
  const frame = () => new Promise((resolve) => { requestAnimationFrame(resolve); });
  /** @type {{patched: number[], framed: number[], core: number[]}} */
  const times = { patched: [], framed: [], core: [] };
  for (const place of places) {
    const before = plate.result;
    input.value = String(Math.round(place * Number(input.max)));
    await frame();
    const changed = new Promise((resolve) => { plate.addEventListener('plate-change', resolve, { once: true }); });
    const start = performance.now();
    input.dispatchEvent(new Event('input', { bubbles: true }));
    if (plate.params.d === before.params.d) continue;
    await changed;
    times.core.push(performance.now() - start);
    await plate.updateComplete;
    times.patched.push(performance.now() - start);
    if (plate.result.params.d !== plate.params.d) throw new Error('the picture is not of the d that was asked for');
    await frame();
    times.framed.push(performance.now() - start);
  }
  return times;
}

/**
 * One attentionStats of the core as programs get it, on this thread.
 * @param {{module: string, d: number, repeats: number}} of the module is attn-core.mjs
 * @returns {Promise<number[]>}
 */
export async function timeStats({ module, d, repeats }) {
  const core = await (await import(module)).loadCore();
  const times = [];
  for (let seed = 0; seed < repeats; ++seed) {
    const start = performance.now();
    core.attentionStats({ d, seed });
    times.push(performance.now() - start);
  }
  return times;
}

/**
 * Standard normals of both generators by the module itself, on this thread, against Box and Muller's transformation written plainly in JavaScript: `count`
 * float32 values each, one after the other in every round. Milliseconds by round.
 * @param {{module: string, count: number, rounds: number}} of the module is attn.mjs
 * @returns {Promise<{torch: number[], jax: number[], plain: number[]}>}
 */
export async function timeNormals({ module, count, rounds }) {
  const core = await (await import(module)).default();
  /** @param {string} generator @param {string} call @param {number} seed @returns {Float32Array} */
  const draw = (generator, call, seed) => core.randomArrays({ generator, seed, calls: [{ call, shape: [count] }] }).arrays[0];
  /** Uniforms by Marsaglia's xorshift of 32 bits (J. Stat. Software 8(14), 2003). @param {number} seed not 0 */
  const plainNormals = (seed) => {
    let word = seed;
    const uniform = () => {
      word ^= word << 13;
      word ^= word >>> 17;
      word ^= word << 5;
      return (word >>> 8) * 2 ** -24;
    };
    const out = new Float32Array(count);
    for (let i = 0; i < count; i += 2) {
      const radius = Math.sqrt(-2 * Math.log(1 - uniform()));
      const angle = 2 * Math.PI * uniform();
      out[i] = radius * Math.cos(angle);
      out[i + 1] = radius * Math.sin(angle);
    }
    return out;
  };
  /** @type {{torch: number[], jax: number[], plain: number[]}} */
  const times = { torch: [], jax: [], plain: [] };
  const ways = {
    /** @param {number} seed */ torch: (seed) => draw('torch', 'randn', seed),
    /** @param {number} seed */ jax: (seed) => draw('jax', 'normal', seed),
    plain: plainNormals,
  };
  for (let round = 0; round < rounds; ++round) {
    for (const way of /** @type {const} */ (['torch', 'jax', 'plain'])) {
      const start = performance.now();
      const normals = ways[way](round + 1);
      times[way].push(performance.now() - start);
      const mean = normals.reduce((sum, x) => sum + x, 0) / count;
      if (!(normals.length === count && Math.abs(mean) < 6 / Math.sqrt(count))) throw new Error(`${way}: ${normals.length} values of mean ${mean}`);
    }
  }
  return times;
}
