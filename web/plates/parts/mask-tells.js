/**
 * Figure 2 of "Sheets of masks": what the mask tells before any score is known. A line a sheet: how much it leaves open, what it alone closes,
 * whether every query keeps its own key; then all of them together, and what each way of storing the mask costs, on a log measure of bytes.
 *
 * Numbers are the core's; here they are engraved.
 */

import { h } from '../../chart/node.js';
import { picture } from '../../chart/picture.js';
import { count, weight } from '../../chart/format.js';
import { textWidth } from '../../chart/text.js';
import { verdictMark } from '../../chart/verdict.js';
import { bytesText, compact, representations, selfText } from './mask-facts.js';
import { brief, together } from './sheet-words.js';

/** @typedef {import('../../chart/types.js').Mark} Mark */
/** @typedef {import('../../chart/types.js').VNode} VNode */
/** @typedef {import('./mask-sheets.js').Sheets} Sheets */

const ROW = 27;
const HEAD = 30;
/** Between the table and the measure, where they stand side by side. */
const GUTTER = 64;

/**
 * @param {object} o
 * @param {Sheets} o.model
 * @param {number} o.width
 * @param {boolean} o.narrow
 * @param {number} o.widen
 * @returns {{node: VNode, marks: Mark[], height: number}}
 */
export function tellsFigure({ model, width, narrow, widen }) {
  const left = narrow ? width : Math.round((width - GUTTER) * 0.6);
  const table = sheetTable(model, left, narrow, widen);
  const at = narrow ? { x: 0, y: table.height + 26 } : { x: left + GUTTER, y: 0 };
  const memory = memoryMeasure(model, at.x, at.y, narrow ? width : width - left - GUTTER);
  const height = Math.max(table.height, at.y + memory.height);
  return { node: picture({ width, height, narrow }, [], table.node, memory.node), marks: [...table.marks, ...memory.marks], height };
}

/**
 * @param {Sheets} model
 * @param {number} width
 * @param {boolean} narrow
 * @param {number} widen
 */
function sheetTable(model, width, narrow, widen) {
  const ends = narrow ? [0.5, 0.7, 0.84].map((share) => width * share) : [0.52, 0.7, 0.83].map((share) => width * share);
  const ownX = narrow ? width - 34 : width - 48;
  const nameRoom = (ends[0] - 52) / widen;
  const cut = (/** @type {string} */ text) => {
    let most = 60;
    while (most > 6 && textWidth(brief(text, most), 16, true) > nameRoom) most--;
    return brief(text, most);
  };
  const line = (/** @type {number} */ y, /** @type {string} */ kind) => h('path', { class: kind, d: `M0 ${Math.round(y) + 0.5}H${Math.round(width)}` });
  const heads = ['open', narrow ? 'alone' : 'closes alone', narrow ? 'rows' : 'in rows'];
  /** @type {Mark[]} */
  const marks = [];
  const row = (/** @type {number} */ r, /** @type {string} */ id, /** @type {VNode} */ name, /** @type {string[]} */ cells, /** @type {boolean | null} */ self, /** @type {string} */ text, /** @type {boolean} */ soft) => {
    const y = HEAD + r * ROW;
    marks.push({ id, x: 0, y: y + 1, w: width, h: ROW - 1, cx: ends[0], cy: y, text });
    return h('g', { class: soft ? 'tell soft-row' : 'tell' }, name,
      cells.map((cell, c) => cell !== '' && h('text', { class: 'tell-value', x: ends[c], y: y + 19, 'text-anchor': 'end' }, cell)),
      self !== null && verdictMark(self, ownX + 5, y + 14, 3.4),
      h('text', { class: self === false ? 'tell-value unscaled' : 'tell-value', x: ownX + 14, y: y + 19 }, self === null ? '–' : self ? 'yes' : 'no'));
  };
  const { sheets } = model;
  const rows = sheets.map((sheet, s) => row(s, `tell-${sheet.number}`,
    h('text', { class: 'sheet-name', x: 0, y: HEAD + s * ROW + 19 }, cut(sheet.text)),
    [weight(sheet.density, 3), ...(sheet.on ? [compact(sheet.sole), compact(sheet.soleRows)] : ['aside', ''])], sheet.self,
    `${brief(sheet.text, 60)}: ${weight(sheet.density, 4)} of the pairs open; ${sheet.on ? `alone closes ${count(sheet.sole)} in ${count(sheet.soleRows)} rows` : 'laid aside'}; every query keeps its own key: ${selfText(sheet.self)}`, !sheet.on));
  const last = row(sheets.length, 'tell-together', h('text', { class: 'row-name', x: 0, y: HEAD + sheets.length * ROW + 19 }, together(model)),
    [weight(model.density, 3), '', ''], model.self, `${together(model)}: ${weight(model.density, 4)} of the pairs open; every query keeps its own key: ${selfText(model.self)}`, false);
  const bottom = HEAD + (sheets.length + 1) * ROW;
  const facts = [
    ['empty rows', model.emptyRows === 0 ? 'none' : `${count(model.emptyRows)} of ${count(model.queries * model.sequences * model.heads)}`, model.emptyRows === 0],
    ['one length a query can say it', lengthsText(model, narrow ? 96 : width - 220), model.prefix],
  ];
  const node = h('g', { class: 'tells' },
    h('text', { class: 'name', x: 0, y: 18 }, 'sheet'),
    heads.map((head, c) => h('text', { class: 'name', x: ends[c], y: 18, 'text-anchor': 'end' }, head)),
    h('text', { class: 'name', x: ownX, y: 18 }, narrow ? 'own' : 'own key'),
    line(HEAD - 3, 'table-rule'),
    rows, rows.slice(1).map((_, s) => line(HEAD + (s + 1) * ROW - 1, 'row-rule')),
    line(HEAD + sheets.length * ROW - 1, 'table-rule'), last, line(bottom, 'table-rule'),
    facts.map(([name, text, good], f) => [
      h('text', { class: 'name', x: 0, y: bottom + 26 + f * 24 }, String(name)),
      h('text', { class: f === 0 && !good ? 'tell-value unscaled' : 'tell-value', x: width, y: bottom + 26 + f * 24, 'text-anchor': 'end' }, String(text)),
    ]));
  return { node, marks, height: bottom + 26 + 24 + 8 };
}

/**
 * @param {Sheets} model
 * @param {number} room  px
 */
function lengthsText(model, room) {
  if (!model.prefix) return 'no';
  const lengths = `yes: ${model.prefixLens.map(count).join(', ')}`;
  return model.single && textWidth(lengths, 15) <= room ? lengths : 'yes';
}

const UNITS = [[1, '1 B'], [1024, '1 KiB'], [1024 ** 2, '1 MiB'], [1024 ** 3, '1 GiB'], [1024 ** 4, '1 TiB'], [1024 ** 5, '1 PiB']];

/**
 * Bytes of each representation as places on a log measure.
 * @param {Sheets} model
 * @param {number} x
 * @param {number} y
 * @param {number} width
 */
function memoryMeasure(model, x, y, width) {
  const all = representations(model);
  const names = 108;
  const most = Math.max(...all.map(({ bytes }) => (Number.isFinite(bytes) ? bytes : 0)), 1);
  const last = Math.max(1, UNITS.findIndex(([bytes]) => Number(bytes) >= most));
  const [from, to] = [x + names, x + width - 22];
  const place = (/** @type {number} */ bytes) => from + ((to - from) * Math.log2(bytes)) / Math.log2(Number(UNITS[last][0]));
  const bottom = y + HEAD + all.length * ROW + 8;
  /** @type {Mark[]} */
  const marks = all.map(({ name, bytes }, r) => ({ id: `bytes-${r + 1}`, x, y: y + HEAD + r * ROW, w: width, h: ROW, cx: Number.isFinite(bytes) ? place(Math.max(1, bytes)) : from, cy: y + HEAD + r * ROW,
    text: `${name}: ${Number.isFinite(bytes) ? `${count(bytes)} ${bytes === 1 ? 'byte' : 'bytes'}` : 'cannot say this mask'}` }));
  const node = h('g', { class: 'memory' },
    h('text', { class: 'name', x, y: y + 18 }, 'memory of the mask'),
    all.map(({ name, bytes }, r) => {
      const middle = y + HEAD + (r + 0.5) * ROW;
      const label = h('text', { class: 'tell-value', x, y: middle, dy: '0.33em' }, name);
      if (!Number.isFinite(bytes)) return [label, h('text', { class: 'sheet-word', x: from, y: middle, dy: '0.33em' }, 'cannot say it')];
      const at = place(Math.max(1, bytes));
      const text = bytesText(bytes);
      const before = at + 10 + textWidth(text, 15) > x + width;
      return [label, h('path', { class: 'measure', d: `M${Math.round(from)} ${Math.round(middle) + 0.5}H${Math.round(before ? at - 16 - textWidth(text, 15) : at)}` }),
        h('circle', { class: 'memory-point', cx: at, cy: Math.round(middle) + 0.5, r: 3.4 }),
        h('text', { class: 'tell-value', x: before ? at - 9 : at + 9, y: middle, dy: '0.33em', 'text-anchor': before ? 'end' : 'start' }, text)];
    }),
    h('g', { class: 'axis axis-x' },
      h('path', { d: `M${Math.round(from) + 0.5} ${bottom + 0.5}H${Math.round(to) + 0.5}` + UNITS.slice(0, last + 1).map(([bytes]) => `M${Math.round(place(Number(bytes))) + 0.5} ${bottom + 0.5}v6`).join('') }),
      UNITS.slice(0, last + 1).map(([bytes, text]) => h('text', { class: 'tick', x: place(Number(bytes)), y: bottom + 21, 'text-anchor': 'middle' }, String(text)))));
  return { node, marks, height: bottom + 28 - y };
}
