/**
 * The words of "Sheets of masks": what stays open in one line, why queries see nothing, how the mask differs from what was meant, and
 * expressions cut to the room at hand.
 *
 * Which sheets are to blame is the core's to say; here it is put into a sentence.
 */

import { count, list, plural, weight, words } from '../../chart/format.js';
import { textWidth } from '../../chart/text.js';

/** @typedef {import('../../chart/types.js').Note} Note */
/** @typedef {import('../../chart/types.js').Rich} Rich */
/** @typedef {import('../../chart/types.js').RichPart} RichPart */
/** @typedef {import('./mask-sheets.js').Sheets} Sheets */
/** @typedef {import('./mask-sheets.js').EmptyRun} EmptyRun */

/** Reasons and places named one by one; what is beyond is counted. */
const MOST_REASONS = 3;
const MOST_PLACES = 3;

/**
 * @param {Sheets} model
 * @returns {Rich}
 */
export function headline(model) {
  const { allowedCells, cells, emptyRows } = model;
  const whole = model.sequences * model.heads > 1 ? ` in ${model.sequences > 1 ? plural(model.sequences, 'sequence', 'sequences') : ''}${model.sequences > 1 && model.heads > 1 ? ' and ' : ''}${model.heads > 1 ? plural(model.heads, 'head', 'heads') : ''}` : '';
  const open = allowedCells === cells ? `All ${count(cells)} pairs` : allowedCells === 0 ? 'No pair' : `${count(allowedCells)} of ${count(cells)} pairs`;
  const stay = allowedCells === 0 || cells === 1 ? 'stays open' : 'stay open';
  const rest = emptyRows === 0 ? 'every query keeps a key' : { red: emptyRows === model.queries * model.sequences * model.heads ? 'no query sees anything' : `${words(emptyRows)} ${emptyRows === 1 ? 'query sees' : 'queries see'} nothing` };
  return [{ blue: cells === 1 && allowedCells === 1 ? 'The one pair' : open }, ` ${stay}${whole}; `, rest, '.'];
}

/**
 * How many sheets are on, as the name of what they leave together.
 * @param {Sheets} model
 */
export function together(model) {
  const on = model.sheets.filter((sheet) => sheet.on).length;
  const all = model.sheets.length;
  if (on === 0) return 'no sheet';
  if (all === 1) return 'the sheet';
  if (on < all) return `${words(on)} of ${words(all)}`;
  return all === 2 ? 'both' : `all ${words(all)}`;
}

/**
 * The same with its verb, to go before what they lie over.
 * @param {Sheets} model
 */
export function lying(model) {
  const on = model.sheets.filter((sheet) => sheet.on).length;
  if (on > 1) return `${together(model)} lie on each other`;
  return on === 1 && model.sheets.length === 1 ? 'it lies' : `${together(model)} lies`;
}

/**
 * The note below the figures: empty rows, each group with its reason, and how the mask differs from what was meant.
 * @param {Sheets} model
 * @param {string} meant  expression, '' if nothing is compared
 * @returns {Note | null}
 */
export function sheetNote(model, meant) {
  const against = meant === '' ? null : difference(model, meant);
  if (model.emptyRows === 0) return against;
  const groups = grouped(model.runs);
  const said = groups.slice(0, MOST_REASONS);
  /** @type {Rich} */
  const text = said.flatMap((group) => [...because(model, group), ' ']);
  const told = said.flatMap(({ runs }) => runs).reduce((sum, { first, last }) => sum + last - first + 1, 0);
  const rest = model.emptyRows - told * (model.runs[0]?.sequence === 0 ? model.sequences : 1) * (model.runs[0]?.head === 0 ? model.heads : 1);
  if (rest > 0) text.push(`${capital(words(rest))} more ${rest === 1 ? 'query sees' : 'queries see'} nothing. `);
  text.push(model.emptyRows === 1 ? 'Its weights are zero, not uniform and not NaN.' : 'Their weights are zero, not uniform and not NaN.');
  if (against) text.push(` ${against.title} `, ...against.text);
  return { kind: 'warning', title: `${capital(words(model.emptyRows))} empty ${model.emptyRows === 1 ? 'row' : 'rows'}.`, text };
}

/** @typedef {{reason: string[], involved: string[], runs: EmptyRun[]}} Group  runs with one reason */

/**
 * @param {EmptyRun[]} runs
 * @returns {Group[]}
 */
function grouped(runs) {
  /** @type {Map<string, Group>} */
  const groups = new Map();
  for (const run of runs) {
    const key = `${run.reason.join(' & ')} of ${run.involved.join(' & ')}`;
    const group = groups.get(key);
    if (group) group.runs.push(run);
    else groups.set(key, { reason: run.reason, involved: run.involved, runs: [run] });
  }
  return [...groups.values()];
}

/**
 * "Queries 5 and 6 see nothing: window(2) leaves them keys 4 to 6, and padding(3) closes those."
 * @param {Sheets} model
 * @param {Group} group
 * @returns {Rich}
 */
function because(model, group) {
  const { reason, involved, runs } = group;
  const number = runs.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  const one = number === 1;
  const names = reason.map((text) => ({ i: brief(text, 40) }));
  const others = involved.filter((text) => !reason.includes(text)).map((text) => ({ i: brief(text, 40) }));
  /** @type {Rich} */
  const start = [`${capital(who(model, runs))} ${one ? 'sees' : 'see'} nothing: `];
  const also = (/** @type {string} */ sets) => (others.length > 0 ? [` So ${sets} `, ...joined(others), '.'] : []);
  if (names.length < 2) return [...start, ...names, ' alone closes every key.', ...(others.length > 0 ? [' So ', others.length === 1 ? 'does ' : 'do ', ...joined(others), '.'] : [])];
  if (names.length === 2) {
    const left = leaves(model, group);
    const closes = left ? [{ i: brief(left.first, 40) }, ` leaves ${one ? 'it' : 'them'} ${left.keys}, and `, { i: brief(left.second, 40) }, ` closes ${left.single ? 'that' : 'those'}.`] : [...joined(names), ' together close every key.'];
    return [...start, ...closes, ` Either sheet alone leaves ${one ? 'it' : 'each of them'} a key.`, ...also('does another pair with')];
  }
  return [...start, ...joined(names), ` together close every key, and no ${words(names.length - 1)} of them do.`, ...also(`do another ${words(names.length)} with`)];
}

/**
 * Which of two sheets leaves the queries of a group which keys, where that can be seen on the plate and said in a few words.
 * @param {Sheets} model
 * @param {Group} group
 */
function leaves(model, { reason, runs }) {
  if (!model.single || runs.some(({ sequence, head }) => (sequence !== 0 && sequence !== model.sequence) || (head !== 0 && head !== model.head))) return null;
  const rows = runs.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, i) => first - 1 + i));
  const sheetOf = (/** @type {string} */ text) => model.sheets.find((each) => each.on && each.text === text);
  const candidates = reason.flatMap((text, r) => {
    const [sheet, other] = [sheetOf(text), sheetOf(reason[1 - r])];
    if (!sheet || !other) return [];
    const columns = Array.from({ length: model.columns }, (_, j) => j).filter((j) => rows.some((i) => sheet.share(i, j) === 1));
    const closed = columns.every((j) => rows.every((i) => other.share(i, j) === 0));
    return closed && ranges(columns).length <= 2 ? [{ text, keys: columns.map((j) => j + 1) }] : [];
  });
  if (candidates.length === 0) return null;
  const [best] = candidates.sort((a, b) => a.keys.length - b.keys.length);
  return {
    first: best.text, second: /** @type {string} */ (reason.find((text) => text !== best.text)), single: best.keys.length === 1,
    keys: `${best.keys.length === 1 ? 'key' : 'keys'} ${list(ranges(best.keys))}`,
  };
}

/**
 * "Queries 5 and 6 of sequences 1 and 3": places that have the same queries are named together.
 * @param {Sheets} model
 * @param {EmptyRun[]} runs
 */
function who(model, runs) {
  /** @type {Map<string, {sequence: number, head: number, queries: number[]}>} */
  const places = new Map();
  for (const { sequence, head, first, last } of runs) {
    const key = `${sequence}, ${head}`;
    const place = places.get(key) ?? { sequence, head, queries: [] };
    for (let q = first; q <= last; q++) place.queries.push(q);
    places.set(key, place);
  }
  /** @type {Map<string, {sequences: number[], head: number, queries: number[]}>} */
  const alike = new Map();
  for (const { sequence, head, queries } of places.values()) {
    const key = `${queries.join()} in ${head}`;
    const group = alike.get(key) ?? { sequences: [], head, queries };
    group.sequences.push(sequence);
    alike.set(key, group);
  }
  const groups = [...alike.values()];
  const text = groups.slice(0, MOST_PLACES).map(({ sequences, head, queries }) => {
    const parts = ranges(queries);
    const which = parts.length > 6 ? plural(queries.length, 'query', 'queries') : `${queries.length === 1 ? 'query' : 'queries'} ${list(parts)}`;
    const sequence = model.sequences === 1 ? '' : sequences[0] === 0 ? ' of every sequence' : ` of ${sequences.length === 1 ? 'sequence' : 'sequences'} ${list(ranges(sequences))}`;
    return `${which}${sequence}${model.heads === 1 ? '' : head === 0 ? ' in every head' : ` in head ${head}`}`;
  });
  const rest = groups.slice(MOST_PLACES).reduce((sum, { sequences, queries }) => sum + sequences.length * queries.length, 0);
  if (rest > 0) text.push(plural(rest, 'more', 'more'));
  return list(text);
}

/**
 * @param {Sheets} model
 * @param {string} meant
 * @returns {Note}
 */
function difference(model, meant) {
  let [opened, closed, share] = [0, 0, 0];
  for (let i = 0; i < model.rows; i++) {
    for (let j = 0; j < model.columns; j++) {
      const differs = model.differs?.(i, j) ?? 0;
      share += differs / (model.rows * model.columns);
      if (differs > 0) model.allowed(i, j) === 1 ? opened++ : closed++;
    }
  }
  const name = { i: brief(meant, 60) };
  if (share === 0) return { kind: 'note', title: 'As meant.', text: ['Every pair is what ', name, ' makes it.'] };
  if (!model.single) return { kind: 'warning', title: 'Not what was meant.', text: ['About ', `${weight(share, 3)} of the pairs differ from `, name, '.'] };
  const parts = [];
  if (opened > 0) parts.push(`${plural(opened, 'pair', 'pairs')} open that should be closed`);
  if (closed > 0) parts.push(`${plural(closed, 'pair', 'pairs')} closed that should be open`);
  return { kind: 'warning', title: 'Not what was meant.', text: [model.sequences > 1 ? `In sequence ${model.sequence}, against ` : 'Against ', name, `: ${list(parts)}.`] };
}

/**
 * Ascending numbers as ranges: 1, 4 to 6.
 * @param {number[]} numbers
 */
export function ranges(numbers) {
  /** @type {string[]} */
  const out = [];
  for (let i = 0; i < numbers.length; i++) {
    const first = i;
    while (numbers[i + 1] === numbers[i] + 1) i++;
    if (i - first < 2) for (let j = first; j <= i; j++) out.push(String(numbers[j]));
    else out.push(`${numbers[first]} to ${numbers[i]}`);
  }
  return out;
}

/**
 * The middle of a text, as near to the wanted place as the figure's edges let it.
 * @param {number} wanted  px
 * @param {string} text
 * @param {number} size  px, of the type
 * @param {number} width  px, of the figure
 */
export function within(wanted, text, size, width) {
  const half = textWidth(text, size, true) / 2 + 2;
  return Math.max(half, Math.min(width - half, wanted));
}

/**
 * An expression of at most so many characters, its middle left out.
 * @param {string} text
 * @param {number} most
 */
export function brief(text, most) {
  if (text.length <= most) return text;
  // painted cells make long texts: only as much is taken apart as may be shown
  const letters = [...text.slice(0, 2 * (most + 1))];
  if (letters.length <= most) return text;
  const end = text.endsWith(')') ? ')' : '';
  return `${letters.slice(0, most - 1 - end.length).join('').trimEnd()}…${end}`;
}

/**
 * An expression in at most two lines of this width, cut if that is not enough.
 * @param {string} text
 * @param {number} room  px
 * @param {number} size  px, of the type
 */
export function lines(text, room, size) {
  const fits = (/** @type {string} */ line) => textWidth(line, size, true) <= room;
  if (fits(text)) return [text];
  const parts = text.split(/(?<=[,;&|(]\s?)/);
  let first = '';
  while (parts.length > 1 && fits(first + parts[0])) first += parts.shift();
  const rest = first === '' ? text : parts.join('');
  return [first.trim(), cut(rest.trim(), fits)].filter((line) => line !== '');
}

/** @param {string} text @param {(line: string) => boolean} fits */
function cut(text, fits) {
  let most = [...text].length;
  while (most > 4 && !fits(brief(text, most))) most--;
  return brief(text, most);
}

/**
 * @param {Array<{i: string}>} names
 * @returns {Rich}
 */
function joined(names) {
  return names.flatMap((name, i) => (i === 0 ? [name] : [i === names.length - 1 ? ' and ' : ', ', name]));
}

/** @param {string} text */
export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
