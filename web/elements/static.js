/**
 * Writes a Lit template out as markup, and with it a whole plate as it stands before any script has run: for the page build, in Node.
 * It knows what plateTemplate uses (text, attributes, ?boolean, .value, .checked, @listener, nested templates, `live`), no more; anything else throws.
 *
 * @import { Plate, VNode } from '../chart/types.js'
 * @import { Study, StudyResult } from '../engine/types.js'
 */
import { nothing } from 'lit';
import { toString } from '../chart/node.js';
import { stillView } from './plate-view.js';
import { plateTemplate } from './template.js';

/** Markup that is already escaped. */
class Markup {
  /** @param {string} text */
  constructor(text) { this.text = text; }
}

/** @param {unknown} value */
const escape = (value) => String(value).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

/** The value inside `live(value)`; other directives have no static form. @param {any} value */
const plain = (value) => (value !== null && typeof value === 'object' && '_$litDirective$' in value ? value.values[0] : value);

/** @param {unknown} value @returns {string} */
function content(value) {
  if (value === nothing || value === null || value === undefined || value === false) return '';
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) return value.map(content).join('');
  if (typeof value === 'object' && '_$litType$' in value) return toHtml(value);
  if (typeof value === 'object' || typeof value === 'function') throw new TypeError('a template holds a value that has no static form');
  return escape(value);
}

/**
 * The attribute text for a bound attribute.
 * @param {string} prefix '', '?', '.' or '@'
 * @param {string} name
 * @param {unknown} value
 */
function attribute(prefix, name, value) {
  if (prefix === '@') return '';
  if (prefix === '?' || name === 'checked') return value ? ` ${name}` : '';
  return value === nothing ? '' : ` ${name}="${escape(value)}"`;
}

/**
 * @param {any} template a TemplateResult
 * @returns {string}
 */
export function toHtml(template) {
  /** @type {TemplateStringsArray} */
  const strings = template.strings;
  let out = '';
  let skipQuote = false;
  strings.forEach((raw, i) => {
    const chunk = skipQuote ? raw.slice(1) : raw;
    skipQuote = false;
    if (i === strings.length - 1) { out += chunk; return; }
    const value = plain(template.values[i]);
    const bound = /\s+([@?.]?)([\w-]+)="$/.exec(chunk);
    if (bound && strings[i + 1].startsWith('"')) {
      out += chunk.slice(0, bound.index) + attribute(bound[1], bound[2], value);
      skipQuote = true;
    } else {
      out += chunk + content(value);
    }
  });
  return out;
}

/**
 * @param {object} of
 * @param {Study} of.study its declaration
 * @param {Plate} of.plate
 * @param {StudyResult} of.result of the core, at the parameters to show
 * @param {number} of.width CSS pixels the drawing is made for
 * @param {string} of.uid prefix of ids; differs between two plates of a page
 * @returns {string} what belongs inside <attention-plate> as its light DOM
 */
export function staticPlate({ study, plate, result, width, uid }) {
  return toHtml(plateTemplate(stillView({
    study, plate, result, uid, drawing: plate.draw(result, { width, uid, params: result.params, hover: null }),
    picture: (/** @type {VNode} */ node) => new Markup(toString(node)),
  }))).replace(/\n\s+/g, '\n').trim();
}
