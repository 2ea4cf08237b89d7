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
 * One attentionStats in the worker, message to message.
 * @param {{module: string, d: number, repeats: number}} of
 * @returns {Promise<number[]>}
 */
export async function timeStats({ module, d, repeats }) {
  const { sharedEngine } = await import(module);
  const engine = sharedEngine();
  await engine.start();
  const times = [];
  for (let seed = 0; seed < repeats; ++seed) {
    const start = performance.now();
    await engine.call('attentionStats', [{ d, seed }]);
    times.push(performance.now() - start);
  }
  return times;
}
