// The pages: a contents page and one page a plate, static HTML whole before any script runs. Text comes from web/pages and
// web/index.html, titles and facts from the registry, numerals from the plates, pictures from the core at default parameters.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toString } from '../../web/chart/node.js';
import { staticPlate } from '../../web/elements/static.js';
import { plateName } from '../../web/engine/assets.js';
import { loadPlate } from './core.mjs';
import { checkAsked, exercisesHtml } from './exercises.mjs';
import { escape, expand, fill, parsePage, section } from './template.mjs';

/** @typedef {import('../../web/chart/types.js').Plate} Plate */
/** @typedef {import('../../web/chart/types.js').Result} Result */
/** @typedef {import('../../web/chart/types.js').VNode} VNode */
/** @typedef {import('../../web/engine/types.js').Registry} Registry */
/** @typedef {Registry['studies'][number]} Study */
/** @typedef {(study: string, params?: Record<string, unknown>) => Result} Run */

/**
 * @typedef {object} PlatePage
 * @property {string} slug  name of the file
 * @property {string} file
 * @property {import('./template.mjs').PageSource} source
 * @property {Study} study
 * @property {Plate} plate
 * @property {Result} result  at default parameters
 * @property {Shown | null} second  a plate that stands below the first, on the same page
 *
 * @typedef {{study: Study, plate: Plate, result: Result}} Shown
 * @typedef {Pick<import('./exercises.mjs').Asking, 'exercises' | 'repair'>} Exercises
 * @typedef {Pick<import('./exercises.mjs').Asking, 'exercises' | 'repair' | 'studyOf'>} Asked
 */

/** Files of web/pages that are no pages but their frames. */
const frames = new Set(['layout.html', 'plate.html', 'second.html']);

const web = fileURLToPath(new URL('../../web/', import.meta.url));

/** Widths the static pictures are drawn for: the sheet, and a phone of 390 px. */
const WIDE = 974;
const NARROW = 358;

/**
 * Every page of web/pages, in the order of the numerals.
 * @param {Registry} registry
 * @param {Run} run
 * @returns {Promise<PlatePage[]>}
 */
export async function readPages(registry, run) {
  const files = (await readdir(join(web, 'pages'))).filter((name) => name.endsWith('.html') && !frames.has(name));
  const pages = await Promise.all(files.map(async (name) => {
    const file = `web/pages/${name}`;
    const source = parsePage(await readFile(join(web, 'pages', name), 'utf8'), file);
    const shown = async (/** @type {string} */ id) => {
      const study = registry.studies.find((each) => each.id === id);
      if (!study) throw new Error(`${file}: the registry has no study "${id}"`);
      return { study, plate: await loadPlate(id), result: run(id) };
    };
    const { study: first, second } = source.fields;
    return { slug: name.replace('.html', ''), file, source, ...await shown(first), second: second ? await shown(second) : null };
  }));
  for (const study of registry.studies) {
    if (!pages.some((page) => page.study === study || page.second?.study === study)) throw new Error(`the study ${study.id} has no page in web/pages`);
  }
  return pages.sort((a, b) => roman(a.plate.numeral) - roman(b.plate.numeral));
}

/**
 * All pages as text, by file name.
 * @param {Registry} registry
 * @param {Run} run
 * @param {Exercises} exercises  what the pages may ask
 * @returns {Promise<Record<string, string>>}
 */
export async function renderPages(registry, run, exercises) {
  const pages = await readPages(registry, run);
  checkAsked(pages.map(({ source }) => source.sections.exercises ?? ''), exercises.exercises);
  const studyOf = Object.fromEntries(pages.map(({ slug, study }) => [slug, study.id]));
  const layout = await readFile(join(web, 'pages/layout.html'), 'utf8');
  const platePage = await readFile(join(web, 'pages/plate.html'), 'utf8');
  const secondPart = await readFile(join(web, 'pages/second.html'), 'utf8');
  /** @type {Record<string, string>} */
  const out = {};
  pages.forEach((page, i) => {
    out[`${page.slug}.html`] = fill(layout, {
      title: `${page.study.title} · Attention Plates`,
      description: escape(page.source.fields.description),
      chapter: escape(page.source.fields.chapter),
      place: `Plate ${page.plate.numeral}`,
      skip: 'to the workshop',
      target: 'workshop',
      body: fill(platePage, { ...plateValues(page, pages[i - 1], pages[i + 1]), second: second(page, secondPart), exercises: asked(page, { ...exercises, studyOf }) }, 'web/pages/plate.html'),
      // a plate that is there before the elements is fetched along with them, not after
      scripts: [page, ...(page.second ? [page.second] : [])].map(({ study }) => `<script src="${plateName(study.id)}" defer></script>\n`).join('') + '<script src="attention-plates.js" defer></script>',
    }, 'web/pages/layout.html');
  });
  out['index.html'] = await contents(layout, pages, run);
  return out;
}

/**
 * @param {PlatePage} page
 * @param {PlatePage | undefined} before
 * @param {PlatePage | undefined} after
 */
function plateValues(page, before, after) {
  const { frame } = page.source.fields;
  if (!/^\d+$/.test(frame ?? '')) throw new Error(`${page.file}: the field "frame" must give the height of the plate in a frame of 900 px, in px`);
  const text = (/** @type {string} */ name) => expand(section(page.source, name, page.file), claimsOf(page), page.file);
  return {
    heading: escape(page.study.title),
    study: page.study.id,
    ...Object.fromEntries(['lede', 'learn', 'introduction', 'essay', 'terms', 'closing'].map((name) => [name, text(name)])),
    wide: picture(page, WIDE, 'wide'),
    narrow: picture(page, NARROW, 'narrow'),
    previous: before ? neighbour(before, 'prev', 'previous') : '<span></span>',
    next: after ? neighbour(after, 'next', 'next') : '<span></span>',
    iframe: escape(`<iframe src="embed.html?plate=${page.study.id}" title="${page.study.title}" width="100%" height="${frame}"></iframe>`),
    names: stateNames(page),
    element: escape(`<script src="attention-plates.js"></script>\n<attention-plate study="${page.study.id}"></attention-plate>`),
  };
}

/**
 * The names behind the # of a page's address, each with what it takes; what is measured is not written by hand.
 * @param {PlatePage} page
 */
function stateNames({ study, plate }) {
  const named = study.parameters.filter(({ key }) => !plate.meter?.params.includes(key)).map(({ key, label, kind, min, max, choices }) => {
    const takes = kind === 'choice' ? (choices ?? []).join(', ') : kind === 'flag' ? 'true or false' : kind === 'integer' || kind === 'number' ? `${min} to ${max}` : '';
    const name = label && label !== key ? ` ${label}` : '';
    return `<code>${escape(key)}</code>${escape(name)}${takes ? ` (${escape(takes)})` : ''}`;
  });
  return named.join('; ');
}

/** What a page may say: the claims of its plates. @param {Pick<PlatePage, 'study' | 'second'>} page */
const claimsOf = ({ study, second }) => [...study.claims, ...(second?.study.claims ?? [])];

/**
 * The second plate of a page, in a section of its own; nothing where there is none. It leaves the address to the first.
 * @param {PlatePage} page
 * @param {string} part  the markup around it
 */
function second(page, part) {
  if (!page.second) return '';
  const { study } = page.second;
  return fill(part, {
    study: study.id, title: escape(study.title),
    introduction: expand(section(page.source, 'second', page.file), claimsOf(page), page.file),
    wide: picture(page.second, WIDE, 'wide'), narrow: picture(page.second, NARROW, 'narrow'),
  }, 'web/pages/second.html');
}

/**
 * The exercises of a page, in a section of their own; nothing where there are none.
 * @param {PlatePage} page
 * @param {Asked} about
 */
function asked({ source, study, second: below, file }, about) {
  if (source.sections.exercises === undefined) return '';
  const text = expand(source.sections.exercises, claimsOf({ study, second: below }), file);
  return exercisesHtml(text, { ...about, studies: [study, ...(below ? [below.study] : [])].map(({ id }) => id), file });
}

/**
 * The plate as it stands before any script has run.
 * @param {Shown} shown
 * @param {number} width
 * @param {string} uid
 */
function picture({ study, plate, result }, width, uid) {
  return staticPlate({ study, plate, result: /** @type {any} */ (result), width, uid: `${study.id}-${uid}` });
}

/** @param {PlatePage} page @param {string} rel @param {string} word */
function neighbour({ slug, plate, study }, rel, word) {
  return `<a class="${word}" rel="${rel}" href="${slug}.html"><span class="mark">${word}, plate ${plate.numeral}</span>${escape(study.title)}</a>`;
}

/**
 * @param {string} layout
 * @param {PlatePage[]} pages
 * @param {Run} run
 */
async function contents(layout, pages, run) {
  const file = 'web/index.html';
  const source = parsePage(await readFile(join(web, 'index.html'), 'utf8'), file);
  const text = (/** @type {string} */ name) => expand(section(source, name, file), [], file);
  const items = pages.map((page) => {
    const lede = expand(section(page.source, 'lede', page.file), claimsOf(page), page.file);
    return `<li><div><span class="mark">Plate ${page.plate.numeral}</span>`
      + `<h2><a href="${page.slug}.html">${escape(page.study.title)}</a></h2><p>${lede}</p></div>`
      + `<div class="emblem" aria-hidden="true">${toString(emblem(page, run))}</div></li>`;
  });
  return fill(layout, {
    title: 'Attention Plates', description: escape(source.fields.description), chapter: escape(source.fields.chapter), place: 'Contents',
    skip: 'to the plates', target: 'plates', scripts: '',
    body: fill(text('body'), { plates: `<ol class="plates" id="plates">\n${items.join('\n')}\n</ol>` }, file),
  }, 'web/pages/layout.html');
}

/**
 * The small picture of a plate in the contents.
 * @param {PlatePage} page
 * @param {Run} run
 */
function emblem({ plate, study }, run) {
  const result = run(study.id, plate.emblem.params);
  return plate.emblem.draw(result, { width: NARROW, uid: `${study.id}-emblem`, params: result.params, hover: null });
}

/** @param {string} numeral */
export function roman(numeral) {
  /** @type {Record<string, number>} */
  const worth = { I: 1, V: 5, X: 10, L: 50 };
  return [...numeral].reduce((sum, letter, i) => sum + (worth[letter] < (worth[numeral[i + 1]] ?? 0) ? -worth[letter] : worth[letter]), 0);
}
