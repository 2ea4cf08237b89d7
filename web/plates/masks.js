/**
 * Plate V, "Sheets of masks": each requirement is a sheet, and a key is seen where every sheet that lies on is open. The sheets, what
 * they leave together, the weights; the queries left without a key and the sheets that are to blame; what the mask costs.
 *
 * Nothing is computed here: shares, weights, reasons and bytes are the core's. composite = AND of the sheets that are on.
 */

import { count, list, plural, weight } from '../chart/format.js';
import { heatmap, RULED } from '../chart/heatmap.js';
import { hatch } from '../chart/hatch.js';
import { h } from '../chart/node.js';
import { NARROW, picture } from '../chart/picture.js';
import { factsTable } from './parts/mask-facts.js';
import { readSheets } from './parts/mask-sheets.js';
import { value } from './parts/read.js';
import { tellsFigure } from './parts/mask-tells.js';
import { paintOn } from './parts/paint.js';
import { brief, capital, headline, lying, sheetNote, together } from './parts/sheet-words.js';
import { outcome, pairMark, sheetsFigure } from './parts/sheets.js';

/** @typedef {import('../chart/types.js').Result} Result */
/** @typedef {import('../chart/types.js').Env} Env */
/** @typedef {import('../chart/types.js').Figure} Figure */
/** @typedef {import('../chart/types.js').Rich} Rich */
/** @typedef {import('./parts/mask-sheets.js').Sheets} Sheets */

/** @type {import('../chart/types.js').Plate} */
const plate = {
  study: 'masks',
  numeral: 'V',
  controls: [['mask'], ['queries', 'keys', 'sequence', 'head'], ['scores', 'seed', 'generator', 'framework', 'meant']],
  folded: { from: 2, name: 'scores, and whose code is written' },
  draw,
  emblem: { params: { mask: 'causal & window(3)', queries: 6, keys: 6, scores: 'equal' }, draw: emblem },
};

export default plate;

/**
 * @param {Result} result
 * @param {Env} env
 * @returns {import('../chart/types.js').Drawing}
 */
function draw(result, env) {
  const model = readSheets(result);
  const meant = String(result.params.meant ?? '');
  const note = sheetNote(model, meant);
  const line = headline(model);
  const said = `${plain(line)} ${note ? `${note.title} ${plain(note.text)}` : ''}`.trim();
  return { headline: line, figures: [sheets(model, meant, said, env), tells(model, env)], note, summary: said };
}

/**
 * @param {Sheets} model
 * @param {string} meant
 * @param {string} said
 * @param {Env} env
 * @returns {Figure}
 */
function sheets(model, meant, said, env) {
  const { width, uid, widen = 1 } = env;
  // While a hand paints its first stroke, nothing makes room for the new sheet: the map stays under the hand.
  const fresh = env.before !== undefined && value(env.before, 'painted') === 0;
  const laid = fresh ? { ...model, sheets: model.sheets.filter(({ number }) => number !== model.painted) } : model;
  const drawn = sheetsFigure({ model: laid, width, narrow: width < NARROW, widen, uid, hover: env.hover?.figure === 'sheets' ? env.hover.mark : null });
  const names = list(model.sheets.map(({ text, on }) => `${brief(text, 60)}${on ? '' : ' (laid aside)'}`));
  return {
    id: 'sheets', number: 1, width, height: drawn.height, node: drawn.node, marks: drawn.marks,
    caption: caption(model, meant, drawn.small),
    summary: `${model.sheets.length === 1 ? 'The sheet is' : 'The sheets are'} ${names}; ${lying(model)} over ${plural(model.queries, 'query', 'queries')} and ${plural(model.keys, 'key', 'keys')}${model.sequences > 1 ? `, sequence ${model.sequence} of ${model.sequences}` : ''}. ${said}`,
    // Made when it is opened: at 64 x 64 it holds four thousand numbers.
    get table() { return pairTable(model); },
    ...(model.single ? { paint: paintOn(model, drawn.composite, pairMark) } : {}),
  };
}

/**
 * @param {Sheets} model
 * @param {string} meant
 * @param {number} size  px, of a sheet's cell
 * @returns {Rich}
 */
function caption(model, meant, size) {
  const where = model.sequences > 1 || model.heads > 1
    ? `${model.sequences > 1 ? `Sequence ${model.sequence} of ${model.sequences}` : ''}${model.sequences > 1 && model.heads > 1 ? ', ' : ''}${model.heads > 1 ? `${model.sequences > 1 ? 'head' : 'Head'} ${model.head} of ${model.heads}` : ''}. ` : '';
  /** @type {Rich} */
  const text = model.single
    ? [`${where}Rows are queries and columns keys. An open pair ${size >= RULED ? 'carries a dot' : 'is blank'}, a closed one is hatched; where no sheet closes it, the weight is inked in `, { blue: 'blue' }, '.']
    : [`${where}Rows are queries and columns keys, ${count(model.tile[0])} by ${count(model.tile[1])} a tile: the stronger its ink, the more of its pairs are open; hatched, none is.`];
  if (meant !== '') text.push(' Framed in ', { red: 'red' }, ', with a corner filled: where the mask differs from ', { i: brief(meant, 60) }, ', which is meant.');
  if (model.single) text.push({ act: ' Choose a pair of the larger map to close it by hand, or to open what was closed by hand; choose a name to lay its sheet aside.' });
  else text.push({ act: ' Choose a name to lay its sheet aside.' });
  return text;
}

/**
 * @param {Sheets} model
 * @param {Env} env
 * @returns {Figure}
 */
function tells(model, { width, widen = 1 }) {
  const drawn = tellsFigure({ model, width, narrow: width < NARROW, widen });
  return {
    id: 'tells', number: 2, width, height: drawn.height, node: drawn.node, marks: drawn.marks,
    caption: ['What the mask tells before any score is known: the share each sheet leaves ', { i: 'open' }, '; the pairs it ', { i: 'alone' }, ' closes, and in how many rows; whether it leaves every query its ', { i: 'own' }, ' key. Memory on a log measure.'],
    summary: `${model.sheets.map((sheet) => `${brief(sheet.text, 60)} leaves ${weight(sheet.density, 3)} of the pairs open${sheet.on ? ` and alone closes ${plural(sheet.sole, 'pair', 'pairs')}` : ' and is laid aside'}`).join('; ')}. ${capital(together(model))}: ${weight(model.density, 3)} open, ${plural(model.emptyRows, 'empty row', 'empty rows')}; one length a query ${model.prefix ? 'can' : 'cannot'} say it.`,
    table: factsTable(model),
  };
}

/**
 * Weights and closed pairs, a row a query; shares where cells are tiles.
 * @param {Sheets} model
 * @returns {import('../chart/types.js').Table}
 */
function pairTable(model) {
  const from = (/** @type {number} */ index, /** @type {number} */ tile) => count(index * tile + 1);
  const cell = (/** @type {number} */ i, /** @type {number} */ j) => (model.single ? outcome(model, i, j).replace(/, score.*?(?=;|$)/, '').replace(/^weight /, '') : weight(model.allowed(i, j), 3));
  return {
    caption: [model.single ? 'Weights, or the sheets that close the pair' : 'Share of the pairs open, a row and a column a tile, by its first query and key'],
    columns: [['row'], ...Array.from({ length: model.columns }, (_, j) => [`key ${from(j, model.tile[1])}`])],
    rows: Array.from({ length: model.rows }, (_, i) => [`query ${from(i, model.tile[0])}${model.empty(i) > 0 ? ' (empty)' : ''}`, ...Array.from({ length: model.columns }, (__, j) => cell(i, j))]),
  };
}

/** @param {Rich} rich */
function plain(rich) {
  return rich.map((part) => (typeof part === 'string' ? part : Object.values(part)[0])).join('');
}

/**
 * The sheets askew on each other, and in front what they leave.
 * @param {Result} result
 * @param {Env} env
 */
function emblem(result, env) {
  const model = readSheets(result);
  const size = 30;
  const pattern = `${env.uid}-closed`;
  const cells = (/** @type {(i: number, j: number) => import('../chart/heatmap.js').Cell} */ make) => Array.from({ length: model.rows }, (_, i) => Array.from({ length: model.columns }, (__, j) => make(i, j)));
  const maps = [
    ...model.sheets.map((sheet) => cells((i, j) => (sheet.share(i, j) === 1 ? { dot: true } : { excluded: true }))),
    cells((i, j) => (model.allowed(i, j) === 1 ? { ink: model.weight?.(i, j) ?? 0 } : { excluded: true })),
  ];
  const step = { x: 66, y: 52 };
  return picture({ width: env.width, height: 10 + model.rows * size + (maps.length - 1) * step.y, narrow: true }, [hatch(pattern, 'excluded', { spacing: 4 })],
    maps.map((map, m) => h('g', { class: 'sheet-map' }, heatmap({ cells: map, x: 16 + m * step.x, y: 4 + m * step.y, size, hatch: pattern, rowNumbers: false, columnNumbers: false }))));
}
