/**
 * Figure 1 of "Sheets of masks": every sheet as a small map, and larger what all of them leave, with the weights. An open pair carries a dot,
 * a closed one is hatched; a tile of many pairs is inked by the share that is open. Sheets laid aside are pale and say so.
 *
 * Pointing at a pair frames it on every sheet, so that it can be seen which of them closes it.
 */

import { arrow, emptyRow, heatmap, RULED } from '../../chart/heatmap.js';
import { hatch } from '../../chart/hatch.js';
import { h } from '../../chart/node.js';
import { picture } from '../../chart/picture.js';
import { count, list, precise, weight } from '../../chart/format.js';
import { brief, lines, together, within } from './sheet-words.js';
import { sheetLayout } from './sheet-layout.js';

/** @typedef {import('../../chart/types.js').Mark} Mark */
/** @typedef {import('../../chart/types.js').VNode} VNode */
/** @typedef {import('../../chart/heatmap.js').Cell} Cell */
/** @typedef {import('./mask-sheets.js').Sheets} Sheets */
/** @typedef {import('./mask-sheets.js').Sheet} Sheet */
/** @typedef {import('./sheet-layout.js').Place} Place */

/** Type of a sheet's name, px. */
const NAME = 16;

/** Hatching of a map whose cells are this large, px between lines. */
const spacing = (/** @type {number} */ size) => (size < RULED ? 2.6 : 4);

/**
 * @param {object} o
 * @param {Sheets} o.model
 * @param {number} o.width
 * @param {boolean} o.narrow
 * @param {number} o.widen
 * @param {string} o.uid
 * @param {string | null} o.hover  id of the mark pointed at
 * @returns {{node: VNode, marks: Mark[], height: number, composite: Place, small: number}} `small`: a sheet's cell, px
 */
export function sheetsFigure({ model, width, narrow, widen, uid, hover }) {
  const { sheets, rows, columns } = model;
  const nameOf = (/** @type {number} */ tile) => (/** @type {number} */ i) => String(i * tile + 1);
  const [rowName, columnName] = [nameOf(model.tile[0]), nameOf(model.tile[1])];
  const plan = (/** @type {number} */ most) => sheetLayout({ width, narrow, count: sheets.length, rows, columns, rowName: rowName(rows - 1), lines: most });
  const named = (/** @type {number} */ room) => sheets.map(({ text }) => lines(brief(text, 60), room / widen, NAME));
  const rough = named(plan(1).sheets[0].room);
  const layout = plan(Math.max(...rough.map((name, s) => name.length + (sheets[s].on ? 0 : 1))));
  const names = named(layout.sheets[0].room);
  const ids = { small: `${uid}-closed`, large: `${uid}-closed-large` };
  const small = layout.sheets[0].size;
  const pointed = hover === null ? null : pointedAt(hover);
  const { composite } = layout;
  const title = `${together(model)}: ${model.weight ? 'the weights' : 'the share that is open'}`;

  const node = picture({ width, height: layout.height, narrow },
    [hatch(ids.small, 'excluded', { spacing: spacing(small) }), hatch(ids.large, 'excluded', { spacing: spacing(composite.size) })],
    sheets.map((sheet, s) => {
      const place = layout.sheets[s];
      const middle = place.x + (columns * small) / 2;
      const below = place.y + rows * small + 21;
      return h('g', { class: sheet.on ? 'sheet-map' : 'sheet-map aside' },
        place.joint && sheet.on && sheets.slice(0, s).some(({ on }) => on) && h('text', { class: 'joint', ...place.joint, dy: '0.3em', 'text-anchor': 'middle' }, '&'),
        heatmap({ cells: grid(model, (i, j) => sheetCell(model, sheet, i, j, small, pointed)), x: place.x, y: place.y, size: small, hatch: ids.small, rowNumbers: place.numbers, rowName, columnName }),
        names[s].map((line, l) => h('text', { class: 'sheet-name', x: within(middle, line, NAME * widen, width), y: below + l * 18, 'text-anchor': 'middle' }, line)),
        !sheet.on && h('text', { class: 'sheet-word', x: middle, y: below + names[s].length * 18, 'text-anchor': 'middle' }, 'laid aside'));
    }),
    arrow(layout.arrow.x, layout.arrow.y, layout.arrow.down ? 16 : 26, layout.arrow.down),
    heatmap({ cells: grid(model, (i, j) => compositeCell(model, i, j, pointed)), ...composite, hatch: ids.large, rowName, columnName }),
    emptyWords(model, composite),
    h('text', { class: 'map-title', x: within(composite.x + (columns * composite.size) / 2, title, NAME * widen, width), y: composite.y + rows * composite.size + 22, 'text-anchor': 'middle' }, title));

  return { node, height: layout.height, composite, small, marks: [...compositeMarks(model, composite), ...sheetMarks(model, layout, names)] };
}

/**
 * @template T
 * @param {Sheets} model
 * @param {(row: number, column: number) => T} cell
 * @returns {T[][]}
 */
function grid({ rows, columns }, cell) {
  return Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (__, j) => cell(i, j)));
}

/** @typedef {{row: number, column: number}} Pair */

/**
 * @param {Sheets} model
 * @param {Sheet} sheet
 * @param {number} i
 * @param {number} j
 * @param {number} size
 * @param {Pair | null} pointed
 * @returns {Cell}
 */
function sheetCell(model, sheet, i, j, size, pointed) {
  const share = sheet.share(i, j);
  const hover = pointed !== null && pointed.row === i && pointed.column === j;
  if (share === 0) return { excluded: true, hover };
  return model.single ? { dot: size >= RULED, hover } : { tint: share, hover };
}

/**
 * @param {Sheets} model
 * @param {number} i
 * @param {number} j
 * @param {Pair | null} pointed
 * @returns {Cell}
 */
function compositeCell(model, i, j, pointed) {
  const share = model.allowed(i, j);
  const common = { differs: model.differs !== null && model.differs(i, j) > 0, hover: pointed !== null && pointed.row === i && pointed.column === j };
  if (share === 0) return { excluded: true, ...common };
  const ink = model.weight?.(i, j);
  return ink === undefined ? { tint: share, ...common } : { ink, print: weight(ink, 2), ...common };
}

/**
 * At the end of each row that keeps no key; where rows are narrow, once beside a line along all of them.
 * @param {Sheets} model
 * @param {Place} place
 */
function emptyWords(model, { x, y, size }) {
  const right = x + model.columns * size;
  /** @type {Array<VNode | VNode[]>} */
  const out = [];
  let free = -Infinity;
  for (let i = 0; i < model.rows; i++) {
    const share = model.empty(i);
    if (!(share > 0)) continue;
    const first = i;
    const alike = (/** @type {number} */ k) => k < model.rows && model.empty(k) > 0 && (model.empty(k) === 1) === (share === 1);
    while (size < 17 && alike(i + 1)) i++;
    const middle = y + ((first + i + 1) / 2) * size;
    if (size < 17) out.push(h('path', { class: 'empty-line', d: `M${right + 5.5} ${Math.round(y + first * size) + 1}V${Math.round(y + (i + 1) * size) - 1}` }));
    if (middle < free) continue;
    out.push(share === 1 ? emptyRow(right + (size < 17 ? 11 : 7), middle) : h('text', { class: 'empty', x: right + 11, y: middle, dy: '0.33em' }, 'in part'));
    free = middle + 15;
  }
  return h('g', { class: 'empty-words' }, out);
}

/** Id of a pair's mark on the composite. @param {number} row @param {number} column */
export const pairMark = (row, column) => `pair-${row + 1}-${column + 1}`;

/** The pair a mark stands for, on whichever map. @param {string} id @returns {Pair | null} */
function pointedAt(id) {
  const match = /-(\d+)-(\d+)$/.exec(id);
  return match ? { row: Number(match[1]) - 1, column: Number(match[2]) - 1 } : null;
}

/**
 * A pair of one map. Its words are made when they are asked for: a map has up to 4096 of them.
 * @implements {Mark}
 */
class PairMark {
  /** @type {() => string} */ #say;

  /** @param {string} id @param {number} x @param {number} y @param {number} size @param {() => string} say */
  constructor(id, x, y, size, say) {
    this.id = id;
    this.x = x;
    this.y = y;
    this.w = size;
    this.h = size;
    this.cx = x + size / 2;
    this.cy = y;
    this.#say = say;
  }

  get text() { return this.#say(); }
}

/**
 * @param {Sheets} model
 * @param {Place} place
 * @returns {Mark[]}
 */
function compositeMarks(model, { x, y, size }) {
  return grid(model, (i, j) => new PairMark(pairMark(i, j), x + j * size, y + i * size, size, () => `${placeText(model, i, j)}: ${outcome(model, i, j)}`)).flat();
}

/** @param {Sheets} model @param {number} i @param {number} j */
function placeText({ tile: [down, across], queries, keys }, i, j) {
  const part = (/** @type {string} */ one, /** @type {string} */ many, /** @type {number} */ at, /** @type {number} */ size, /** @type {number} */ all) =>
    (size === 1 ? `${one} ${at + 1}` : `${many} ${count(at * size + 1)} to ${count(Math.min(all, (at + 1) * size))}`);
  return `${part('query', 'queries', i, down, queries)}, ${part('key', 'keys', j, across, keys)}`;
}

/**
 * What becomes of a pair, and by whom.
 * @param {Sheets} model
 * @param {number} i
 * @param {number} j
 */
export function outcome(model, i, j) {
  const share = model.allowed(i, j);
  const differs = model.differs?.(i, j) ?? 0;
  const meant = differs === 0 ? '' : model.single ? `; meant to be ${share === 1 ? 'closed' : 'open'}` : `; ${weight(differs, 3)} of it not as meant`;
  if (!model.single) return `${weight(share, 3)} of the pairs open${meant}`;
  if (share === 1) return `weight ${precise(model.weight?.(i, j) ?? 0)}, score ${precise(model.score?.(i, j) ?? 0)}${meant}`;
  const by = model.sheets.filter((sheet) => sheet.on && sheet.share(i, j) === 0).map(({ text }) => brief(text, 32));
  return `closed by ${list(by)}${meant}`;
}

/**
 * The name of each sheet lays it aside or back; its pairs say whether they are open, where they are large enough to be pointed at.
 * @param {Sheets} model
 * @param {import('./sheet-layout.js').SheetLayout} layout
 * @param {string[][]} names
 * @returns {Mark[]}
 */
function sheetMarks(model, layout, names) {
  return model.sheets.flatMap((sheet, s) => {
    const { x, y, size } = layout.sheets[s];
    const wide = model.columns * size;
    const tall = model.rows * size;
    const closed = `${brief(sheet.text, 60)}: ${weight(sheet.density, 3)} of the pairs open${sheet.on ? '' : ', laid aside'}`;
    /** @type {Mark} */
    const whole = {
      id: `sheet-${sheet.number}`, x: x - 6, y: size < RULED ? y : y + tall + 2, w: wide + 12, h: (size < RULED ? tall : 0) + 6 + names[s].length * 18 + (sheet.on ? 0 : 18), cx: x + wide / 2, cy: y + tall,
      text: closed, edit: { param: 'off', value: offWith(model, sheet.number), label: sheet.on ? 'lay this sheet aside' : 'lay this sheet on again' },
    };
    if (size < RULED) return [whole];
    const say = (/** @type {number} */ i, /** @type {number} */ j) => `${brief(sheet.text, 32)}, ${placeText(model, i, j)}: ${model.single ? (sheet.share(i, j) === 1 ? 'open' : 'closed') : `${weight(sheet.share(i, j), 3)} open`}`;
    return [...grid(model, (i, j) => new PairMark(`sheet-${sheet.number}-${i + 1}-${j + 1}`, x + j * size, y + i * size, size, () => say(i, j))).flat(), whole];
  });
}

/**
 * The sheets laid aside after one of them was turned over, as the parameter's text.
 * @param {Sheets} model
 * @param {number} number
 */
function offWith({ sheets }, number) {
  return sheets.filter((sheet) => (sheet.number === number ? sheet.on : !sheet.on)).map((sheet) => sheet.number).join(',');
}
