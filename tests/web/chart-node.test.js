// The SVG trees: printing, refusing what is not a number, and patching a page without rebuilding it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { h, patch, toString } from '../../web/chart/node.js';
import { drawsFrom } from './support.js';

/** @typedef {import('../../web/chart/types.js').VNode} VNode */

test('numbers are rounded to a hundredth, nothing is left out but null, undefined and false', () => {
  const node = h('g', { x: 1.23456, y: -0.001, on: true, off: false, none: null, gone: undefined, zero: 0, text: '' }, 'a', 1, 0, null, false, undefined, ['b', [h('circle', { r: 2 })]]);
  assert.equal(toString(node), '<g x="1.23" y="0" on="" zero="0" text="">a10b<circle r="2"/></g>');
});

test('a place that is not a number is refused', () => {
  for (const value of [NaN, Infinity, -Infinity]) assert.throws(() => h('rect', { x: value }), /<rect> x is/);
});

test('text and attributes are escaped', () => {
  assert.equal(toString(h('text', { 'aria-label': '"<&>"' }, '<script>&')), '<text aria-label="&quot;&lt;&amp;&gt;&quot;">&lt;script&gt;&amp;</text>');
});

/** As much of a document as patch uses, counting what is made. */
class FakeDocument {
  made = 0;
  attributesSet = 0;
  /** @param {string} _space @param {string} tag */
  createElementNS(_space, tag) { this.made++; return new FakeNode(this, tag); }
  /** @param {string} text */
  createTextNode(text) { this.made++; return new FakeNode(this, '#text', text); }
}

class FakeNode {
  /** @type {FakeNode[]} */ childNodes = [];
  /** @type {FakeNode | null} */ parentNode = null;
  /** @type {Map<string, string>} */ attributes = new Map();
  /** @param {FakeDocument} ownerDocument @param {string} tag @param {string | null} nodeValue */
  constructor(ownerDocument, tag, nodeValue = null) { Object.assign(this, { ownerDocument, tag, nodeValue }); this.ownerDocument = ownerDocument; this.tag = tag; this.nodeValue = nodeValue; }
  get firstChild() { return this.childNodes[0] ?? null; }
  get nextSibling() { const all = this.parentNode?.childNodes ?? []; return all[all.indexOf(this) + 1] ?? null; }
  /** @param {string} name @param {string} value */
  setAttribute(name, value) { this.ownerDocument.attributesSet++; this.attributes.set(name, value); }
  /** @param {string} name */
  removeAttribute(name) { this.attributes.delete(name); }
  /** @param {FakeNode} child @param {FakeNode | null} before */
  insertBefore(child, before) {
    child.parentNode = this;
    this.childNodes.splice(before ? this.childNodes.indexOf(before) : this.childNodes.length, 0, child);
  }
  /** @param {FakeNode} child */
  appendChild(child) { this.insertBefore(child, null); }
  /** @param {FakeNode} child */
  removeChild(child) { this.childNodes.splice(this.childNodes.indexOf(child), 1); child.parentNode = null; }
  /** @param {FakeNode} next @param {FakeNode} old */
  replaceChild(next, old) { this.childNodes[this.childNodes.indexOf(old)] = next; next.parentNode = this; old.parentNode = null; }
  /** @returns {string} */
  markup() {
    if (this.tag === '#text') return toString(this.nodeValue ?? '');
    const attrs = [...this.attributes].sort().map(([name, value]) => ` ${name}="${value}"`).join('');
    return `<${this.tag}${attrs}>${this.childNodes.map((child) => child.markup()).join('')}</${this.tag}>`;
  }
}

/** @returns {{document: FakeDocument, parent: FakeNode, draw: (node: VNode) => FakeNode}} */
function page() {
  const document = new FakeDocument();
  const parent = new FakeNode(document, 'div');
  return { document, parent, draw: (node) => /** @type {any} */ (patch(/** @type {any} */ (parent), node)) };
}

/** A tree written as patch should leave it. @param {VNode | string} node @returns {string} */
function expected(node) {
  if (typeof node === 'string') return toString(node);
  const attrs = Object.entries(node.attrs).sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => ` ${name}="${value}"`).join('');
  return `<${node.tag}${attrs}>${node.children.map(expected).join('')}</${node.tag}>`;
}

test('a move changes attributes and text and makes nothing', () => {
  const { document, draw } = page();
  const drawn = (/** @type {number} */ d) => h('svg', { width: 10 }, h('path', { d: `M${d} 0` }), h('text', { x: d }, String(d)));
  const first = draw(drawn(1));
  const [made, set] = [document.made, document.attributesSet];
  const second = draw(drawn(2));
  assert.equal(second, first);
  assert.equal(document.made, made);
  assert.equal(document.attributesSet - set, 2, 'only d and x changed');
  assert.equal(second.markup(), expected(drawn(2)));
});

test('other children of the parent are left alone, and the picture comes first', () => {
  const { document, parent, draw } = page();
  const tip = document.createElementNS('', 'div');
  parent.appendChild(tip);
  draw(h('svg', {}));
  draw(h('svg', { width: 2 }, h('g', {})));
  assert.deepEqual(parent.childNodes.map((child) => child.tag), ['svg', 'div']);
  assert.equal(parent.childNodes[1], tip);
});

test('a picture that was removed from its parent is drawn anew', () => {
  const { parent, draw } = page();
  const first = draw(h('svg', { width: 1 }));
  parent.removeChild(first);
  const second = draw(h('svg', { width: 1 }));
  assert.notEqual(second, first);
  assert.equal(parent.childNodes.length, 1);
});

test('patching from any tree to any other gives the other', () => {
  const draw = drawsFrom(20260101);
  /** @param {number} depth @returns {VNode} */
  const tree = (depth) => h(['g', 'path', 'text'][draw(3)], Object.fromEntries(['a', 'b', 'c'].slice(draw(4)).map((name) => [name, draw(3)])),
    Array.from({ length: depth > 0 ? draw(4) : 0 }, () => (draw(4) === 0 ? `t${draw(3)}` : tree(depth - 1))));
  const shown = page();
  for (let i = 0; i < 400; i++) {
    const next = h('svg', { step: i }, tree(3));
    shown.draw(next);
    assert.equal(shown.parent.childNodes.length, 1);
    assert.equal(shown.parent.childNodes[0].markup(), expected(next));
  }
});
