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
 * Moves a slider on the real element and waits, each time, until the picture of exactly that value is patched, and for the next frame.
 * @param {{key: string, places: number[]}} of the slider: its parameter, and places from 0 to 1
 * @returns {Promise<{patched: number[], framed: number[], core: number[]}>}
 */
export async function moveSlider({ key, places }) {
  const plate = /** @type {any} */ (document.querySelector('attention-plate'));
  const input = plate.shadowRoot.querySelector(`[data-key="${key}"] input`);
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
    if (plate.params[key] === before.params[key]) continue;
    await changed;
    times.core.push(performance.now() - start);
    await plate.updateComplete;
    times.patched.push(performance.now() - start);
    if (plate.result.params[key] !== plate.params[key]) throw new Error(`the picture is not of the ${key} that was asked for`);
    await frame();
    times.framed.push(performance.now() - start);
  }
  return times;
}

/**
 * Drags the query or the first key of the plate of kernels through the plane with a pointer, round and round, and waits at each place until the
 * picture with the point there is patched, and for the next frame.
 * @param {{param: 'query' | 'keys', places: [number, number][]}} of the plane's square, each from 0 to 1
 * @returns {Promise<{patched: number[], framed: number[], core: number[]}>}
 */
export async function dragPoint({ param, places }) {
  const plate = /** @type {any} */ (document.querySelector('attention-plate'));
  const canvas = plate.shadowRoot.querySelector('.canvas[data-figure="plane"]');
  const frame = () => new Promise((resolve) => { requestAnimationFrame(resolve); });
  const { left, bottom } = canvas.querySelector('.axis-x path').getBoundingClientRect();
  const { top, right } = { top: canvas.querySelector('.axis-y path').getBoundingClientRect().top, right: canvas.querySelector('.axis-x path').getBoundingClientRect().right };
  /** @param {string} type @param {number} clientX @param {number} clientY */
  const point = (type, clientX, clientY) => canvas.dispatchEvent(new PointerEvent(type, { bubbles: true, composed: true, isPrimary: true, pointerId: 1, pointerType: 'mouse', button: 0, buttons: 1, clientX, clientY }));
  const { extent, [param]: { data: [x, y] } } = plate.result.series;
  point('pointerdown', left + ((x / extent.data[0] + 1) / 2) * (right - left), top + ((1 - y / extent.data[0]) / 2) * (bottom - top));
  /** @type {{patched: number[], framed: number[], core: number[]}} */
  const times = { patched: [], framed: [], core: [] };
  for (const [across, down] of places) {
    await frame();
    const changed = new Promise((resolve) => { plate.addEventListener('plate-change', resolve, { once: true }); });
    const start = performance.now();
    point('pointermove', left + across * (right - left), top + down * (bottom - top));
    const wanted = plate.params[param];
    if (wanted === plate.result.params[param]) throw new Error(`nothing moves to ${across}, ${down}`);
    await changed;
    times.core.push(performance.now() - start);
    await plate.updateComplete;
    times.patched.push(performance.now() - start);
    if (plate.result.params[param] !== wanted) throw new Error('the picture is not of the point that was dragged');
    await frame();
    times.framed.push(performance.now() - start);
  }
  point('pointerup', 0, 0);
  return times;
}

/**
 * Paints over the composite of the plate of masks with a pointer, a stroke a column, and waits, each time the pointer has come to another cell, until
 * the picture with that cell is patched, and for the next frame.
 * @param {{rows: number, columns: number, strokes: number[]}} of the map, and the columns that are painted from top to bottom
 * @returns {Promise<{patched: number[], framed: number[], core: number[]}>}
 */
export async function paintCells({ rows, columns, strokes }) {
  const plate = /** @type {any} */ (document.querySelector('attention-plate'));
  const canvas = plate.shadowRoot.querySelector('.canvas[data-figure="sheets"]');
  const frame = () => new Promise((resolve) => { requestAnimationFrame(resolve); });
  /** @param {string} type @param {number} row @param {number} column */
  const point = (type, row, column) => {
    const maps = canvas.querySelectorAll('svg .heatmap');
    const { left, top, width, height } = maps[maps.length - 1].querySelector('.cells-ground').getBoundingClientRect();
    canvas.dispatchEvent(new PointerEvent(type, {
      bubbles: true, composed: true, isPrimary: true, pointerId: 1, pointerType: 'mouse', button: 0, buttons: 1,
      clientX: left + ((column + 0.5) * width) / columns, clientY: top + ((row + 0.5) * height) / rows,
    }));
  };
  /** @type {{patched: number[], framed: number[], core: number[]}} */
  const times = { patched: [], framed: [], core: [] };
  for (const column of strokes) {
    for (let row = 0; row < rows; ++row) {
      await frame();
      const before = plate.result;
      const changed = new Promise((resolve) => { plate.addEventListener('plate-change', resolve, { once: true }); });
      const start = performance.now();
      point(row === 0 ? 'pointerdown' : 'pointermove', row, column);
      if (plate.params.mask === before.params.mask) throw new Error(`nothing is painted at ${row}, ${column}`);
      await changed;
      times.core.push(performance.now() - start);
      await plate.updateComplete;
      times.patched.push(performance.now() - start);
      if (plate.result.params.mask !== plate.params.mask) throw new Error('the picture is not of the mask that was painted');
      await frame();
      times.framed.push(performance.now() - start);
    }
    point('pointerup', rows - 1, column);
    await frame();
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
