/**
 * The panel on every plate that shows the lines of PyTorch or JAX which make the same numbers, to be read and copied. The lines come with the
 * result, from the core; nothing is written here but their heading. A native <details>: it opens without any script.
 *
 * @import { Params } from '../engine/types.js'
 */
import { html, nothing } from 'lit';
import { frameworkName } from './words.js';

/**
 * @typedef {object} Panel
 * @property {string} code of the result on show; '' where there is none
 * @property {Params} params of the same result
 * @property {string} uid
 * @property {boolean} still
 * @property {string} copied what the last press of the button came to, in words
 * @property {() => void} copyCode
 */

/** Whose lines they are: the study's choice of code, its generator, or what the lines themselves import. @param {Params} params @param {string} [code] */
export const languageOf = ({ framework, generator }, code = '') => frameworkName(String(framework ?? generator ?? /^import (torch|jax|numpy)/.exec(code)?.[1] ?? ''));

/** @param {Panel} panel */
export const codePanel = ({ code, params, uid, still, copied, copyCode }) => (code === '' ? nothing : html`
  <details class="code">
    <summary>the same ${params.framework === undefined ? 'numbers' : 'mask'} in ${languageOf(params, code)}</summary>
    <pre tabindex="0" role="region" aria-label="code in ${languageOf(params, code)}" id="${uid}-code"><code>${code.trimEnd()}</code></pre>
    <p class="code-foot"><button class="button" type="button" data-action="copy-code" ?disabled="${still}" @click="${copyCode}">copy</button>
      <span class="copied" role="status">${copied}</span></p>
  </details>`);

/**
 * Puts the text on the clipboard; where that is forbidden (frames, pages without https), selects it instead.
 * @param {string} code
 * @param {Element | null} shown the element that holds the text
 * @returns {Promise<string>} what to say
 */
export async function copyText(code, shown) {
  try {
    await navigator.clipboard.writeText(code);
    return 'copied';
  } catch {
    if (shown) shown.ownerDocument.defaultView?.getSelection()?.selectAllChildren(shown);
    return 'selected; copy it with the keyboard';
  }
}
