// The plates as pictures: one self-contained SVG each, with its colours for light and dark inside, for the README, for dist/pictures and for
// wherever no script runs. Drawn by the plates themselves from the core's numbers. Run alone it rewrites web/pictures/*.svg:
//   node build-scripts/web/pictures.mjs [wasm folder]
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { h, toString } from '../../web/chart/node.js';
import { dark, light, tokens } from '../../web/chart/theme.js';
import { textWidth } from '../../web/chart/text.js';
import { chartCss } from '../../web/style/chart.css.js';
import { standIns } from '../../web/style/fonts.css.js';
import { family } from '../../web/style/tokens.css.js';
import { loadCore, loadPlate } from './core.mjs';

/** @typedef {import('../../web/chart/types.js').Drawing} Drawing */
/** @typedef {import('../../web/chart/types.js').Figure} Figure */
/** @typedef {import('../../web/chart/types.js').Rich} Rich */
/** @typedef {import('../../web/chart/types.js').Table} Table */
/** @typedef {import('../../web/chart/types.js').VNode} VNode */

/** Width of the figures, and the margin of the sheet around them, px. */
const WIDTH = 974;
const MARGIN = 78;


/** A picture inside <img> can load no font: the stand-ins must do. */
const css = `${standIns}
svg { ${tokens(light)} font-family: ${family}; fill: var(--ap-ink); }
@media (prefers-color-scheme: dark) { svg { ${tokens(dark)} } }
${chartCss}
.chart .act { display: none; }
.paper { fill: var(--ap-paper); } .sheet { fill: var(--ap-sheet); stroke: var(--ap-rule); } .frame { fill: none; stroke: var(--ap-rule); }
.head { fill: var(--ap-soft); font-size: 14px; letter-spacing: 1.5px; } .title { font-size: 58px; } .caption { font-size: 16px; } .headline { font-size: 25px; }
.head-rule { stroke: var(--ap-ink); } .row-rule { stroke: var(--ap-hairline); }
.blue { fill: var(--ap-blue); } .red { fill: var(--ap-red); } .italic { font-style: italic; } .medium { font-weight: 500; }
`;

/**
 * A plate.
 * @param {string} title
 * @param {string} numeral
 * @param {Drawing} drawing
 * @returns {string} the file
 */
export const pictureOf = (title, numeral, drawing) => sheetOf({ title, head: `Plate ${numeral}`, name: `${title}, plate ${numeral} of Attention Plates` }, drawing);

/**
 * Figures on a sheet.
 * @param {{title: string, head: string, name: string}} words large above the figures, at the right of the running head, and for those who cannot see it
 * @param {Drawing} drawing
 * @returns {string} the file
 */
export function sheetOf({ title, head: rightHead, name }, drawing) {
  const top = 176;
  const { nodes, height } = place(drawing);
  const full = { w: WIDTH + 2 * MARGIN, h: top + height + 66 };
  const head = (/** @type {number} */ x, /** @type {string} */ anchor, /** @type {string} */ text) => h('text', { class: 'head', x, y: 62, 'text-anchor': anchor }, text.toUpperCase());
  const root = h('svg', { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${full.w} ${full.h}`, width: full.w, height: full.h, role: 'img', 'aria-labelledby': 'title summary' },
    h('title', { id: 'title' }, name),
    h('desc', { id: 'summary' }, drawing.summary),
    h('style', {}, '@css@'),
    h('rect', { class: 'paper', width: full.w, height: full.h }),
    h('rect', { class: 'sheet', x: 12.5, y: 12.5, width: full.w - 25, height: full.h - 25 }),
    h('rect', { class: 'frame', x: 18.5, y: 18.5, width: full.w - 37, height: full.h - 37 }),
    head(MARGIN, 'start', 'Attention Plates'), head(full.w - MARGIN, 'end', rightHead),
    h('path', { class: 'head-rule', d: `M${MARGIN} 76.5H${full.w - MARGIN}` }),
    h('text', { class: 'title', x: MARGIN - 2, y: 140 }, title),
    h('g', { transform: `translate(${MARGIN} ${top})` }, nodes));
  return `${toString(root).replace('@css@', css.replace(/\s*\n\s*/g, '\n').trim())}\n`;
}

/**
 * Headline, figures and readout on the sheet, in order: a figure as wide as the sheet has a row of its own; narrower ones go in pairs, the readout
 * beside one that is left alone, or else above the first right one.
 * @param {Drawing} drawing
 * @returns {{nodes: VNode[], height: number}}
 */
function place(drawing) {
  const gap = 34;
  const headline = richWords(drawing.headline ?? []);
  let y = headline.length > 0 ? 40 : 0;
  /** @type {VNode[]} */
  const nodes = headline.length > 0 ? [h('text', { class: 'headline', x: 0, y: 12 }, headline.map(({ kind, text }) => h('tspan', { class: kind }, `${text} `)))] : [];
  const below = (/** @type {Figure} */ figure) => figure.height + 18 + captionHeight(figure);
  const rows = inRows(drawing.figures);
  const alone = rows.find(([left, right]) => left.width < WIDTH && !right);
  let aside = drawing.readout;
  for (const [left, right] of rows) {
    nodes.push(...framed(left, 0, y));
    let height = below(left);
    const at = right ? WIDTH - right.width : left.width + 48;
    const table = aside && (alone ? left === alone[0] : right) ? readout(aside, at, y, WIDTH - at) : { nodes: [], height: 0 };
    if (table.nodes.length > 0) aside = undefined;
    nodes.push(...table.nodes);
    height = Math.max(height, table.height);
    if (right) {
      nodes.push(...framed(right, at, y + table.height));
      height = Math.max(height, table.height + below(right));
    } else if (aside && left.width < WIDTH) {
      const x = left.width + 48;
      const table = readout(aside, x, y, WIDTH - x);
      aside = undefined;
      nodes.push(...table.nodes);
      height = Math.max(height, table.height);
    }
    y += height + gap;
  }
  return { nodes, height: y - gap };
}

/** Figures one after the other, or two that are narrower than the sheet beside each other. @param {Figure[]} figures */
function inRows(figures) {
  /** @type {Array<[Figure, Figure?]>} */
  const rows = [];
  for (const figure of figures) {
    const last = rows[rows.length - 1];
    if (last && last.length === 1 && last[0].width < WIDTH && figure.width < WIDTH) last.push(figure);
    else rows.push([figure]);
  }
  return rows;
}

/** @param {Figure} figure @param {number} x @param {number} y @returns {VNode[]} */
function framed(figure, x, y) {
  const lines = captionLines(figure);
  return [
    h('g', { class: 'chart', transform: `translate(${x} ${y})` }, figure.node.children),
    ...lines.map((line, i) => h('text', { class: 'caption', x, y: y + figure.height + 24 + i * 22 }, line)),
  ];
}

/** @param {Figure} figure */
function captionHeight(figure) {
  return captionLines(figure).length * 22;
}

/**
 * A caption broken into lines: words keep their emphasis.
 * @param {Figure} figure
 * @returns {VNode[][]}
 */
function captionLines(figure) {
  const words = [{ kind: 'medium', text: `Fig. ${figure.number}.` }, ...richWords(figure.caption)];
  /** @type {VNode[][]} */
  const lines = [[]];
  let used = 0;
  for (const { kind, text } of words) {
    const width = textWidth(`${text} `, 16, kind === 'italic');
    if (used + width > figure.width && used > 0) {
      lines.push([]);
      used = 0;
    }
    lines[lines.length - 1].push(h('tspan', { class: kind }, `${text} `));
    used += width;
  }
  return lines;
}

/** @param {Rich} rich @returns {Array<{kind: string, text: string}>} */
function richWords(rich) {
  /** @type {Array<{kind: string, text: string}>} */
  const words = [];
  let open = false;
  for (const part of rich) {
    if (typeof part === 'object' && 'act' in part) continue; // nothing is done to a picture
    const [kind, text] = typeof part === 'string' ? ['plain', part] : 'i' in part ? ['italic', part.i] : 'blue' in part ? ['blue', part.blue] : ['red', part.red];
    text.split(' ').forEach((word, i) => {
      if (i === 0 && open && word !== '' && kind === 'plain') words[words.length - 1].text += word;
      else if (word !== '') words.push({ kind, text: word });
    });
    open = !text.endsWith(' ');
  }
  return words;
}

/**
 * @param {Table} table
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @returns {{nodes: VNode[], height: number}}
 */
function readout(table, x, y, width) {
  const row = 31;
  // a mean and its error share a column's place, the mean to the left of it and the error to the right
  const paired = table.columns.length === 5;
  const ends = paired ? [x, x + width - 168, x + width - 162, x + width - 54, x + width - 48]
    : table.columns.map((_, i) => (i === 0 ? x : x + width - (table.columns.length - 1 - i) * 74));
  const isError = (/** @type {number} */ i) => paired && (i === 2 || i === 4);
  const cell = (/** @type {number} */ i, /** @type {number} */ line, /** @type {import('../../web/chart/node.js').Children} */ text, /** @type {string} */ kind) =>
    h('text', { class: kind, x: ends[i], y: y + 20 + line * row, 'font-size': isError(i) ? 14 : 16, 'text-anchor': i > 0 && !isError(i) ? 'end' : 'start' }, text);
  return {
    height: (table.rows.length + 1) * row + 14,
    nodes: [
      ...table.columns.map((column, i) => cell(i, 0, richWords(column).map(({ kind, text }) => h('tspan', { class: kind }, `${text} `)), isError(i) ? 'soft' : 'italic')),
      h('path', { class: 'head-rule', d: `M${x} ${y + row - 0.5}H${x + width}` }),
      ...table.rows.flatMap((cells, r) => [
        ...cells.map((text, i) => (text === '' ? h('g', {}) : cell(i, r + 1, text, isError(i) ? 'soft' : 'plain'))),
        ...(r > 0 ? [h('path', { class: 'row-rule', d: `M${x} ${y + (r + 1) * row - 0.5}H${x + width}` })] : []),
      ]),
    ],
  };
}

/**
 * Every plate at its default parameters, by file name.
 * @param {import('../../web/engine/types.js').Registry} registry
 * @param {(study: string) => import('../../web/chart/types.js').Result} run
 * @returns {Promise<Record<string, string>>}
 */
export async function renderPictures(registry, run) {
  /** @type {Record<string, string>} */
  const out = {};
  for (const study of registry.studies) {
    const plate = await loadPlate(study.id);
    const result = run(study.id);
    out[`${study.id}.svg`] = pictureOf(study.title, plate.numeral, plate.draw(result, { width: WIDTH, uid: study.id, params: result.params, hover: null }));
  }
  return out;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const { registry, run } = await loadCore(process.argv[2] ?? join(root, 'build/wasm-release'));
  for (const [name, text] of Object.entries(await renderPictures(registry, run))) {
    await writeFile(join(root, 'web/pictures', name), text);
    console.log(`web/pictures/${name}: ${text.length} characters`);
  }
}
