// The small language of the page templates: sections opened by comments, {{claim:id}} for a sentence of the registry,
// {{math:...}} and {{formula:...}} for TeX, {{name}} for a value. Anything unknown stops the build; nothing is evaluated.
import katex from 'katex';

/**
 * @typedef {object} PageSource
 * @property {Record<string, string>} fields  `key: value` lines of the first comment
 * @property {Record<string, string>} sections  by name
 */

/** @param {unknown} value */
export const escape = (value) => String(value).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

/**
 * A page: a first comment of fields, then sections opened by `<!-- section: name -->`.
 * @param {string} text
 * @param {string} file  for errors
 * @returns {PageSource}
 */
export function parsePage(text, file) {
  const head = /^<!--\n([^]*?)-->/.exec(text);
  if (!head) throw new Error(`${file} does not begin with a comment of fields`);
  const fields = Object.fromEntries(head[1].trim().split('\n').map((line) => {
    const match = /^(\w+): (.+)$/.exec(line.trim());
    if (!match) throw new Error(`${file}: "${line}" is not a field`);
    return [match[1], match[2]];
  }));
  /** @type {Record<string, string>} */
  const sections = {};
  const parts = text.slice(head[0].length).split(/<!-- section: ([\w-]+) -->/);
  for (let i = 1; i < parts.length; i += 2) sections[parts[i]] = parts[i + 1].trim();
  return { fields, sections };
}

/**
 * @param {PageSource} page
 * @param {string} name
 * @param {string} file
 */
export function section(page, name, file) {
  const found = page.sections[name];
  if (found === undefined) throw new Error(`${file} has no section "${name}"`);
  return found;
}

/** A variable with a subscript, and variables alone or multiplied, as claims write them: d_q, k, 2nm. */
const VARIABLES = /(?<![A-Za-z’'])(?:([A-Za-z])_([A-Za-z])|(nmh|nmd|nmv|nm|nd|md|mv|nv|wn|rt|ut|[cdhkmnqrtuvw]))(?![A-Za-z_])/g;

/**
 * A claim's sentence, its variables in italic and subscripts lowered. The text itself is the registry's, letter for letter: the low line is
 * there for copies and for readers who listen.
 * @param {{id: string, sentence: string}} claim
 */
export function claimHtml({ id, sentence }) {
  const text = escape(sentence).replace(VARIABLES, (_, letter, below, alone) => (alone ? `<i>${alone}</i>` : `<i>${letter}</i><sub><i class="visually-hidden">_</i>${below}</sub>`));
  return `<span class="claim" data-claim="${escape(id)}">${text}</span>`;
}

/**
 * Claims and mathematics of a section.
 * @param {string} html
 * @param {Array<{id: string, sentence: string}>} claims  of the page's study
 * @param {string} file
 */
export function expand(html, claims, file) {
  return html.replace(/\{\{(\w+):([^]*?)\}\}(?!\})/g, (_, kind, argument) => {
    if (kind === 'math') return mathml(argument, false);
    if (kind === 'formula') return `<div class="formula">${mathml(argument, true)}</div>`;
    if (kind !== 'claim') throw new Error(`${file}: {{${kind}:...}} is not known`);
    const claim = claims.find(({ id }) => id === argument);
    if (!claim) throw new Error(`${file}: the registry has no claim "${argument}" for this study`);
    return claimHtml(claim);
  });
}

/**
 * TeX as MathML, without a wrapper and without styles. Letters are set in the page's own type: browsers replace the letter of
 * a lone <mi> by a mathematical one that few fonts have, unless its mathvariant is normal; so all are, and classes say the rest.
 * @param {string} tex
 * @param {boolean} displayMode
 */
function mathml(tex, displayMode) {
  const out = katex.renderToString(tex, { output: 'mathml', displayMode, throwOnError: true, strict: 'error' });
  const math = /<math[^]*<\/math>/.exec(out);
  if (!math || / style=/.test(math[0])) throw new Error(`no plain MathML for ${tex}`);
  return math[0].replace(/<mi(?: mathvariant="([\w-]+)")?>([^<]*)<\/mi>/g, (_, variant, letter) => {
    const kind = variant === 'normal' || (!variant && [...letter].length > 1) ? 'upright' : variant === 'bold' ? 'bold' : variant === 'bold-italic' ? 'bold-italic' : 'italic';
    return `<mi mathvariant="normal" class="${kind}">${letter}</mi>`;
  }).replace(/<mo( stretchy="false"| separator="true")*>([=+−,.;()]|&lt;|&gt;)<\/mo>/g, '<mo$1 class="text">$2</mo>');
}

/**
 * Fills {{name}} in a layout; an unknown or unused name is an error.
 * @param {string} layout
 * @param {Record<string, string>} values
 * @param {string} file
 */
export function fill(layout, values, file) {
  const used = new Set();
  const out = layout.replace(/\{\{([\w-]+)\}\}/g, (_, name) => {
    if (!(name in values)) throw new Error(`${file}: nothing to fill {{${name}}} with`);
    used.add(name);
    return values[name];
  });
  const unused = Object.keys(values).filter((name) => !used.has(name));
  if (unused.length > 0) throw new Error(`${file} does not use ${unused.join(', ')}`);
  return out;
}
