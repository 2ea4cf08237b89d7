// The code that masks are exported as, executed: random expressions of every kind of term, written for each library, run by Python with Debian's
// NumPy (mask-code.py) and compared with the core cell by cell. NumPy's and Keras' code runs on what it is written for; JAX' runs on NumPy in
// jax.numpy's place and PyTorch's on a stand-in made of NumPy, so those two libraries' own behaviour is not tested here.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { drawsFrom, loadCore, root } from './support.js';

/** @import { MaskFramework, MaskSizes } from '../../web/engine/types.js' */
/** @typedef {Required<MaskSizes>} Sizes */
/** @typedef {{shape?: number[], cells?: string, missing?: string, error?: string}} Made what mask-code.py answers */

const core = await loadCore();

/** The first Python that has NumPy: Debian's package serves /usr/bin/python3, which need not be the first on PATH. */
const python = ['/usr/bin/python3', 'python3'].find((command) => spawnSync(command, ['-c', 'import numpy']).status === 0);

/** @param {{target: MaskFramework, code: string}[]} jobs @returns {Made[]} */
function executed(jobs) {
  assert.ok(python, 'no Python with NumPy: run build-scripts/toolchain.sh native, or install python3-numpy');
  const { status, stdout, stderr } = spawnSync(python, [`${root}tests/web/mask-code.py`], { input: JSON.stringify(jobs), encoding: 'utf8', maxBuffer: 2 ** 28 });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

/**
 * Random expressions that fit their sizes.
 * @param {(n: number) => number} draw
 */
function generator(draw) {
  const list = (/** @type {number} */ n, /** @type {(i: number) => number | string} */ item, between = ',') => Array.from({ length: n }, (_, i) => item(i)).join(between);

  /** @param {Sizes} sizes @returns {string} */
  function term(sizes) {
    const { batch, heads, queries, keys } = sizes;
    const sequences = draw(2) ? 1 : batch;
    // now and then far beyond the sizes: 32-bit indices must not overflow
    const extent = () => (draw(8) ? 1 + draw(keys + 3) : 2147483647);
    const length = () => draw(keys + 1);
    const place = draw(2) ? '' : 'bottom_right';
    const also = place && `,${place}`;
    const rows = (/** @type {() => string} */ row) => list(sequences, row, ';');
    const documents = () => {
      const lengths = [];
      for (let left = keys; left > 0; left -= lengths[lengths.length - 1]) lengths.push(1 + draw(left));
      return lengths.join(',');
    };
    const cells = () => {
      const [h, q, k] = [draw(2) ? 1 : heads, draw(4) ? queries : 1, draw(4) ? keys : 1];
      return list(sequences, () => list(h, () => list(q, () => list(k, () => draw(2), ''), ','), '/'), ';');
    };
    // documents lie on the keys and are refused where there are more queries
    const kinds = [
      () => 'all', () => 'none', () => `causal${place && `(${place})`}`, () => `window(${extent()}${also})`, () => `window(${extent() - 1},${extent() - 1}${also})`,
      () => `padding(${list(sequences, length)})`, () => `padding(${rows(() => list(queries, length))}${sequences === 1 ? ';' : ''})`, () => `left_padding(${list(sequences, length)})`,
      () => `prefix(${list(sequences, length)}${also})`, () => `chunks(${extent()}${also})`, () => `global(${[...new Set([draw(keys), draw(keys), draw(keys)])].join(',')}${also})`,
      () => `dilated(${extent()},${extent()}${also})`, () => `rows(${cells()})`,
      ...(queries > keys ? [] : [() => `documents(${rows(documents)}${also})`, () => `document_ids(${rows(() => list(keys, () => draw(4)))}${also})`]),
    ];
    return kinds[draw(kinds.length)]();
  }

  /** @param {Sizes} sizes @param {number} depth @returns {string} */
  function expression(sizes, depth) {
    if (depth === 0 || draw(4) === 0) return term(sizes);
    const form = draw(5);
    if (form === 0) return `~(${expression(sizes, depth - 1)})`;
    return list(2 + draw(3), () => `(${expression(sizes, depth - 1)})`, form < 4 ? ' & ' : ' | ');
  }

  return expression;
}

/** @param {string} expression @param {Sizes} sizes */
function cellsOf(expression, sizes) {
  const { data, shape } = core.maskCells(expression, sizes);
  return { shape, cells: [...data].join('') };
}

/**
 * What a library has to be handed, from the core's cells.
 * @param {MaskFramework} target
 * @param {{shape: number[], cells: string}} core on the mask's own batch and heads axes
 * @param {Sizes} sizes
 * @returns {Made}
 */
function wanted(target, { shape, cells }, sizes) {
  const [batch, heads, queries, keys] = shape;
  if (target === 'keras') return heads > 1 ? { missing: 'attention_mask' } : { shape: [batch, queries, keys], cells };
  if (target !== 'pytorch-mha') return { shape, cells };
  // MultiheadAttention: true is masked; one mask for all, or one for each sequence and head, sequences first
  const opposite = cells.replace(/./g, (cell) => (cell === '1' ? '0' : '1'));
  if (batch === 1 && heads === 1) return { shape: [queries, keys], cells: opposite };
  const layer = heads === 1 ? 8 : heads;
  const square = queries * keys;
  let all = '';
  for (let b = 0; b < sizes.batch; ++b) for (let h = 0; h < layer; ++h) {
    const first = ((batch === 1 ? 0 : b) * heads + (heads === 1 ? 0 : h)) * square;
    all += opposite.slice(first, first + square);
  }
  return { shape: [sizes.batch * layer, queries, keys], cells: all };
}

/** @param {MaskFramework} target @param {{expression: string, sizes: Sizes}[]} masks */
function agree(target, masks) {
  const made = executed(masks.map(({ expression, sizes }) => ({ target, code: core.maskCode(expression, sizes, target) })));
  masks.forEach(({ expression, sizes }, i) => {
    assert.deepEqual(made[i], wanted(target, cellsOf(expression, sizes), sizes), `${target}: ${expression} on ${JSON.stringify(sizes)}`);
  });
}

/** @param {number} seed @param {number} count @param {number[]} lengths of queries and keys */
function randomMasks(seed, count, lengths) {
  const draw = drawsFrom(seed);
  const expression = generator(draw);
  return Array.from({ length: count }, () => {
    const sizes = { batch: 1 + draw(3), heads: 1 + draw(2), queries: lengths[draw(lengths.length)], keys: lengths[draw(lengths.length)] };
    return { expression: expression(sizes, draw(4)), sizes };
  });
}

const masks = randomMasks(20, 600, [1, 2, 3, 5, 7, 12, 33]);

test('the random expressions hold every kind of term, more queries than keys and fewer, and masks with axes of their own', () => {
  for (const kind of ['all', 'none', 'causal', 'window', 'padding', 'left_padding', 'prefix', 'chunks', 'global', 'dilated', 'rows', 'documents', 'document_ids']) {
    assert.ok(masks.filter(({ expression }) => new RegExp(`\\b${kind}\\b`).test(expression)).length >= 20, kind);
  }
  assert.ok(masks.filter(({ sizes: { queries, keys } }) => queries > keys).length >= 100);
  assert.ok(masks.filter(({ sizes: { queries, keys } }) => queries < keys).length >= 100);
  const shapes = masks.map(({ expression, sizes }) => cellsOf(expression, sizes).shape);
  assert.ok(shapes.filter(([batch, heads]) => batch > 1 && heads > 1).length >= 20);
  assert.ok(shapes.filter(([batch, heads]) => batch === 1 && heads === 1).length >= 20);
});

for (const target of /** @type {MaskFramework[]} */ (['numpy', 'keras', 'jax', 'pytorch', 'pytorch-mha'])) {
  test(`${target}: the code makes the core's mask, in the library's convention and shape`, () => agree(target, masks));
}

test("pytorch-flex: mask_mod says the same of every cell, asked for one at a time", () => agree('pytorch-flex', randomMasks(21, 200, [1, 2, 3, 4, 5])));

test('masks of the text by name, and sizes of nothing', () => {
  const sizes = { batch: 2, heads: 1, queries: 6, keys: 6 };
  const named = ['causal & padding(6,3)', 'causal & documents(4,2)', 'window(2) & padding(3)', '~causal | global(0)', 'rows(1)'].map((expression) => ({ expression, sizes }));
  const nothing = [{ expression: 'causal', sizes: { ...sizes, queries: 0 } }, { expression: 'causal & ~padding(0)', sizes: { ...sizes, keys: 0 } }];
  for (const target of /** @type {MaskFramework[]} */ (['numpy', 'keras', 'jax', 'pytorch', 'pytorch-flex'])) agree(target, [...named, ...nothing]);
  agree('pytorch-mha', named);
});

test('code that is wrong is told apart: another window, the other alignment, one cell', () => {
  const sizes = { batch: 1, heads: 1, queries: 3, keys: 5 };
  const [right] = executed([{ target: 'numpy', code: core.maskCode('window(2,bottom_right)', sizes, 'numpy') }]);
  for (const other of ['window(3,bottom_right)', 'window(2)', 'window(2,bottom_right) & ~rows(00100,00000,00000)']) {
    assert.notDeepEqual(right, wanted('numpy', cellsOf(other, sizes), sizes), other);
  }
});
