// The modules for speed when their memory is full, both builds: a call that finds no room is refused in words, leaves nothing behind and spoils nothing.
// The memory may grow to 32 MB here, by another number in the module's memory section.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { chooseBuild, loadFast } from '../../web/engine/fast.js';
import { drawsFrom, wasmDir } from './support.js';

// Node.js 20 has relaxed SIMD, but switched off.
if (chooseBuild('auto').build === 'simd') setFlagsFromString('--experimental-wasm-relaxed-simd');

/** @param {Uint8Array<ArrayBuffer>} module whose largest memory, of at least 128 pages and in three bytes, becomes 512 pages of 64 KB */
function small(module) {
  const number = (/** @type {number} */ at) => {
    let [value, end] = [0, at];
    do value |= (module[end] & 127) << (7 * (end - at)); while (module[end++] & 128);
    return { value, end };
  };
  for (let at = 8; at < module.length;) {
    const { value: size, end } = number(at + 1);
    if (module[at] === 5) {
      // one memory, with a largest size
      assert.deepEqual([...module.subarray(end, end + 2)], [1, 1]);
      const most = number(end + 2).end;
      assert.equal(number(most).end, most + 3);
      module.set([0x80, 0x84, 0x00], most);
      return module;
    }
    at = end + size;
  }
  throw new Error('no memory');
}

for (const [simd, name] of /** @type {const} */ ([['simd', 'attn-fast'], ['relaxed', 'attn-fast-relaxed']])) {
  test(`${simd}: a call on a full module is refused as too large, and the next one is answered`, async () => {
    const read = (/** @type {string} */ of) => ({ wasmBytes: small(new Uint8Array(readFileSync(`${wasmDir}/${of}.wasm`))) });
    const source = read(name);
    const fast = await loadFast({ simd, sources: { simd: source, relaxed: source, spans: read('attn-spans') } });
    const draw = drawsFrom(91);
    const shape = [1, 40, 64];
    const [queries, keys, values] = [1, 2, 3].map(() => fast.tensor(shape, Float32Array.from({ length: 2560 }, () => draw(2001) / 1000 - 1)));
    const [output, logNormalizer] = [fast.tensor(shape), fast.tensor([1, 40])];
    const mask = 'causal & rows(1, 1)';
    const calls = {
      plain: () => fast.attention({ queries, keys, values, output, logNormalizer }),
      masked: () => fast.attention({ queries, keys, values, output, logNormalizer, mask: 'causal & (window(30) | chunks(4))' }),
      refused: () => assert.throws(() => fast.attention({ queries, keys, values, output, logNormalizer, mask }), { code: 'wrong_shape' }),
      // a number of 4 bytes for each block of 32 queries, in the module of masks
      tiles: () => fast.tiles({ batch: 2 ** 13, heads: 1, queries: 2 ** 15, keys: 10 }),
      // spans that take more than the 32 MB of the module of masks: it is broken off in the middle of the kernels' call
      spans: () => fast.attention({ queries: { data: new Float32Array(8), shape: [1, 8, 1] }, keys: { data: new Float32Array(600000), shape: [1, 600000, 1] },
        values: { data: new Float32Array(600000), shape: [1, 600000, 1] }, mask: 'dilated(600000, 2, bottom_right)' }),
    };
    calls.masked();
    const expected = output.view.slice();
    for (const call of [calls.tiles, calls.spans, calls.spans, calls.tiles]) {
      assert.throws(call, { name: 'AttentionError', code: 'too_large', message: /^The call needs [1-9]\d* more bytes; the module has no room for that\./ });
      calls.masked();
      assert.deepEqual(output.view, expected);
    }
    const ofMasks = fast.memoryBytes;
    for (let i = 0; i < 20; ++i) assert.throws(calls.spans, { code: 'too_large' });
    assert.equal(fast.memoryBytes, ofMasks);
    /** Ever smaller tensors, until there is no room for the smallest. */
    const fill = () => {
      const made = [];
      for (let size = 2 ** 21; size >= 4;) {
        try {
          made.push(fast.tensor([size]));
        } catch (thrown) {
          assert.equal(/** @type {any} */ (thrown).code, 'too_large');
          assert.match(/** @type {any} */ (thrown).message, /^tensor needs \d+ bytes; the module has no room for that$/);
          size /= 2;
        }
      }
      return made;
    };
    const floats = (/** @type {{size: number}[]} */ tensors) => tensors.reduce((sum, { size }) => sum + size, 0);
    const rest = fill();
    const room = floats(rest);
    assert.ok(fast.memoryBytes > 2 ** 25 && fast.memoryBytes <= 2 ** 26);
    for (let i = 0; i < 3; ++i) assert.throws(calls.plain, { name: 'AttentionError', code: 'too_large', message: /^The call needs [1-9]\d* more bytes; the module has no room for that\./ });
    // a little more room each time, so that calls are broken off ever later; each has to end in one of these two ways
    const before = { too_large: 0, answered: 0 };
    rest.sort((a, b) => a.size - b.size);
    while (rest.length > 1) {
      rest.shift()?.free();
      for (const call of new Array(10).fill([calls.masked, calls.plain]).flat()) {
        try {
          call();
          ++before.answered;
        } catch (thrown) {
          assert.equal(/** @type {any} */ (thrown).code, 'too_large');
          ++before.too_large;
        }
      }
    }
    assert.ok(before.too_large > 100 && before.answered > 30, JSON.stringify(before));
    rest.pop()?.free();
    output.view.fill(7);
    calls.masked();
    assert.deepEqual(output.view, expected);
    calls.refused();
    // what was broken off has left nothing behind; what is left of the room may be cut in other sizes
    const again = floats(fill());
    assert.ok(again > room - 512, `${room - again} floats are missing`);
  });
}
