/**
 * The one way to make SVG here: plain objects, written as text for the build and the tests, or patched into a page.
 *
 * It is not a framework: there are no components, no events and no state beyond what `patch` remembers of the tree
 * it drew last. `patch` keeps every element whose tag stands at the same place, so a drag changes attributes and
 * never rebuilds the picture.
 *
 * h(tag, attributes, children) -> {tag, attrs, children}
 */

/** @typedef {import('./types.js').VNode} VNode */
/** @typedef {VNode | string | number | null | undefined | false} Child */
/** @typedef {Child | Child[]} Few */
/** @typedef {Few | Few[]} More */
/** Children may be nested in lists. @typedef {More | More[]} Children */

const SVG = 'http://www.w3.org/2000/svg';

/**
 * An element. Numbers are rounded to a hundredth of a pixel; null, undefined and false leave an attribute or a
 * child out.
 * @param {string} tag
 * @param {Record<string, string | number | boolean | null | undefined>} attrs
 * @param {...Children} children
 * @returns {VNode}
 */
export function h(tag, attrs, ...children) {
  /** @type {Record<string, string>} */
  const printed = {};
  for (const [name, value] of Object.entries(attrs)) {
    if (value === null || value === undefined || value === false) continue;
    printed[name] = value === true ? '' : typeof value === 'number' ? number(tag, name, value) : value;
  }
  return { tag, attrs: printed, children: flatten(children, []) };
}

/**
 * Markup of a tree: what the build writes into pages.
 * @param {VNode | string} node
 * @returns {string}
 */
export function toString(node) {
  if (typeof node === 'string') return escape(node);
  const attrs = Object.entries(node.attrs).map(([name, value]) => ` ${name}="${escape(value)}"`).join('');
  if (node.children.length === 0) return `<${node.tag}${attrs}/>`;
  return `<${node.tag}${attrs}>${node.children.map(toString).join('')}</${node.tag}>`;
}

/** What was drawn last, by parent. @type {WeakMap<Element, {element: Element, node: VNode}>} */
const drawn = new WeakMap();

/**
 * Draws a tree as the one SVG child of `parent`, changing only what differs from the last time. Other children of
 * the parent are left alone.
 * @param {Element} parent
 * @param {VNode} node
 * @returns {Element} the SVG element
 */
export function patch(parent, node) {
  const last = drawn.get(parent);
  if (last && last.element.parentNode === parent && last.node.tag === node.tag) {
    update(last.element, last.node, node);
    last.node = node;
    return last.element;
  }
  const element = create(parent.ownerDocument, node);
  parent.insertBefore(element, parent.firstChild);
  drawn.set(parent, { element, node });
  return element;
}

/**
 * @param {Document} document
 * @param {VNode} node
 * @returns {Element}
 */
function create(document, node) {
  const element = document.createElementNS(SVG, node.tag);
  for (const [name, value] of Object.entries(node.attrs)) element.setAttribute(name, value);
  for (const child of node.children) element.appendChild(make(document, child));
  return element;
}

/**
 * @param {Document} document
 * @param {VNode | string} child
 */
function make(document, child) {
  return typeof child === 'string' ? document.createTextNode(child) : create(document, child);
}

/**
 * @param {Element} element
 * @param {VNode} before
 * @param {VNode} after
 */
function update(element, before, after) {
  if (before === after) return;
  for (const name of Object.keys(before.attrs)) if (!(name in after.attrs)) element.removeAttribute(name);
  for (const [name, value] of Object.entries(after.attrs)) {
    if (before.attrs[name] !== value) element.setAttribute(name, value);
  }
  const document = element.ownerDocument;
  const shared = Math.min(before.children.length, after.children.length);
  let at = element.firstChild;
  for (let i = 0; i < shared; i++) {
    const was = before.children[i];
    const is = after.children[i];
    const here = /** @type {ChildNode} */ (at);
    at = here.nextSibling;
    if (typeof was === 'string' && typeof is === 'string') {
      if (was !== is) here.nodeValue = is;
    } else if (typeof was !== 'string' && typeof is !== 'string' && was.tag === is.tag) {
      update(/** @type {Element} */ (/** @type {unknown} */ (here)), was, is);
    } else {
      element.replaceChild(make(document, is), here);
    }
  }
  while (at) {
    const next = at.nextSibling;
    element.removeChild(at);
    at = next;
  }
  for (const child of after.children.slice(shared)) element.appendChild(make(document, child));
}

/**
 * @param {string} tag
 * @param {string} name
 * @param {number} value
 */
function number(tag, name, value) {
  if (!Number.isFinite(value)) throw new TypeError(`<${tag}> ${name} is ${value}: a mark must leave out what has no place`);
  const rounded = Math.round(value * 100) / 100;
  return String(rounded === 0 ? 0 : rounded);
}

/**
 * @param {Children[]} list
 * @param {Array<VNode | string>} into
 */
function flatten(list, into) {
  for (const child of list) {
    if (child === null || child === undefined || child === false || child === '') continue;
    if (Array.isArray(child)) flatten(child, into);
    else if (typeof child === 'object') into.push(child);
    else if (typeof into[into.length - 1] === 'string') into[into.length - 1] += String(child);
    else into.push(String(child));
  }
  return into;
}

/** @param {string} text */
function escape(text) {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
