// The panel with a framework's lines: the core's own text, named after the framework, and copying that says what came of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codePanel, copyText, languageOf } from '../../web/elements/code-panel.js';
import { toHtml } from '../../web/elements/static.js';
import { brief, loadCore } from './support.js';

const core = await loadCore();
const panel = { uid: 'u', still: false, copied: '', copyCode() {} };
const unescape = (/** @type {string} */ html) => html.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&quot;/g, '"').replace(/&amp;/g, '&');

for (const { id, parameters } of core.describe().studies) {
  // A study that makes a mask has lines for several libraries; the others, for the generators of their numbers.
  const chooser = parameters.find(({ key }) => key === 'framework') ?? parameters.find(({ key }) => key === 'generator');
  for (const choice of chooser?.choices ?? []) {
    test(`${id}, ${choice}: the lines are the result’s own, under the framework’s name`, () => {
      const { code, params } = core.run(id, { ...brief[id], [String(chooser?.key)]: choice });
      const html = toHtml(/** @type {any} */ (codePanel({ ...panel, code, params })));
      assert.equal(unescape(/<code>([^]*)<\/code>/.exec(html)?.[1] ?? ''), code.trimEnd());
      assert.ok(code.split('\n').length > 3);
      /** @type {Record<string, string>} */
      const names = { jax: 'JAX', torch: 'PyTorch', both: 'JAX and PyTorch', pytorch: 'PyTorch', 'pytorch-mha': 'MultiheadAttention', 'pytorch-flex': 'FlexAttention', keras: 'Keras', numpy: 'NumPy' };
      assert.ok(html.includes(`<summary>the same ${chooser?.key === 'framework' ? 'mask' : 'numbers'} in ${names[choice]}</summary>`), html);
      const space = { jax: /jax|jnp/, numpy: /np\./, keras: /np\.|keras/ }[choice] ?? /torch\./;
      assert.match(code, space);
      assert.ok(/torch/.test(choice) || !/^import torch/.test(code));
    });
  }
}

test('no lines, no panel; a static panel cannot be pressed', () => {
  assert.equal(toHtml(/** @type {any} */ ({ strings: Object.assign(['<p>', '</p>'], { raw: [] }), values: [codePanel({ ...panel, code: '', params: {} })], _$litType$: 1 })), '<p></p>');
  assert.match(toHtml(/** @type {any} */ (codePanel({ ...panel, still: true, code: 'x', params: { generator: 'jax' } }))), /<button[^>]* disabled/);
});

test('a language without a name is called code', () => {
  assert.equal(languageOf({}), 'code');
  assert.equal(languageOf({}, 'import torch\n'), 'PyTorch');
});

test('what came of copying is said: copied, or selected where the clipboard is closed', async () => {
  /** @type {string[]} */
  const written = [];
  const clipboard = { writeText: async (/** @type {string} */ text) => { written.push(text); } };
  const given = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
  try {
    Object.defineProperty(globalThis, 'navigator', { value: { clipboard }, configurable: true });
    assert.equal(await copyText('a\nb', null), 'copied');
    assert.deepEqual(written, ['a\nb']);
    clipboard.writeText = async () => { throw new Error('denied'); };
    /** @type {unknown[]} */
    const selected = [];
    const shown = { ownerDocument: { defaultView: { getSelection: () => ({ selectAllChildren: (/** @type {unknown} */ node) => selected.push(node) }) } } };
    assert.match(await copyText('a', /** @type {any} */ (shown)), /^selected/);
    assert.deepEqual(selected, [shown]);
  } finally {
    if (given) Object.defineProperty(globalThis, 'navigator', given);
    else delete (/** @type {any} */ (globalThis).navigator);
  }
});
