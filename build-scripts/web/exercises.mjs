// The exercises of a page: the author's questions, hints and links (web/pages, section "exercises"), put together with the forms
// that follow from the declarations of the core. Whole before any script runs: the forms are there, disabled, and print as ruled
// lines. A part that nobody declared, one that no page asks, and a link to a state that the plate does not have stop the build.
import { escape } from './template.mjs';

/** @typedef {import('../../web/engine/types.js').Exercise} Exercise */
/** @typedef {import('../../web/engine/types.js').ExercisePart} Part */

/**
 * @typedef {object} Asking
 * @property {Exercise[]} exercises  all that are declared
 * @property {(study: string, params: Record<string, string>) => {notices: {message: string}[]}} repair  of the core
 * @property {string[]} studies  of the page, first and second
 * @property {Record<string, string>} studyOf  the first study of every page, by its name without .html
 * @property {string} file  for errors
 */

/** The parts a section asks, in its order. @param {string} text @returns {string[]} */
const partsAsked = (text) => [...text.matchAll(/<section data-part="([^"]*)">/g)].map(([, id]) => id);

/**
 * Every declared part is asked once, on one page.
 * @param {string[]} sections  the exercises of every page
 * @param {Exercise[]} exercises
 */
export function checkAsked(sections, exercises) {
  const asked = sections.flatMap(partsAsked);
  for (const { id } of exercises.flatMap(({ parts }) => parts)) {
    const times = asked.filter((each) => each === id).length;
    if (times !== 1) throw new Error(`the part ${id} is declared and asked ${times === 0 ? 'on no page' : `${times} times`}; ask it once`);
  }
}

/** An id of the page for a part. @param {string} id */
const anchor = (id) => `exercise-${id.replace('.', '-')}`;

/** Variables in italic and subscripts lowered, as in claims. @param {string} text */
const words = (text) => escape(text).replace(/(?<![A-Za-z’'])(?:([A-Za-z])_([a-z])|([bdhklmnprstuvw]))(?![A-Za-z_])/g, (_, letter, below, alone) => (
  alone ? `<i>${alone}</i>` : `<i>${letter}</i><sub><i class="visually-hidden">_</i>${below}</sub>`));

/** @param {Part} part @param {'radio' | 'checkbox'} type */
const choices = ({ id, choices: all = [] }, type) => `<ul class="answer-choices">${all.map((choice) => (
  `<li><label><input type="${type}" name="${anchor(id)}" value="${escape(choice.id)}"><span>${words(choice.label)}</span></label></li>`)).join('')}</ul>`;

/** @param {Part} part */
function matrix({ id, rows = 0, columns = 0, cells = false, first = 1, rowName = 'row', columnName = 'column', one = '' }) {
  const head = Array.from({ length: columns }, (_, c) => `<th scope="col">${c + first}</th>`).join('');
  const cell = (/** @type {number} */ r, /** @type {number} */ c) => {
    const label = `${rowName} ${r + first}, ${columnName} ${c + first}`;
    return cells ? `<td><button type="button" class="answer-cell" aria-pressed="false" aria-label="${escape(label)}"></button></td>`
      : `<td><input type="text" class="answer-entry" autocomplete="off" spellcheck="false" size="5" aria-label="${escape(label)}"></td>`;
  };
  const body = Array.from({ length: rows }, (_, r) => `<tr><th scope="row">${r + first}</th>${Array.from({ length: columns }, (__, c) => cell(r, c)).join('')}</tr>`).join('');
  // a caption would make the table as wide as its words
  return `<p class="answer-caption" id="${anchor(id)}-axes"><i>${escape(rowName)}</i> down, <i>${escape(columnName)}</i> across${one ? `; 1 where it ${escape(one)} it` : ''}</p>`
    + `<table class="answer-matrix" aria-labelledby="${anchor(id)}-axes">`
    + `<thead><tr><td></td>${head}</tr></thead><tbody>${body}</tbody></table>`;
}

/** @param {Part} part */
function fields(part) {
  if (part.kind === 'choice') return choices(part, 'radio');
  if (part.kind === 'several') return choices(part, 'checkbox');
  if (part.kind === 'matrix') return matrix(part);
  const { id, unit = '', exact = '' } = part;
  return `<p class="answer-number"><input type="text" aria-label="answer ${escape(id)}" autocomplete="off" autocapitalize="off" spellcheck="false" size="14" aria-describedby="${anchor(id)}-exact">`
    + `${unit ? `<span class="answer-unit">${words(unit)}</span>` : ''}<span class="answer-exact" id="${anchor(id)}-exact">${escape(exact)}</span></p>`;
}

/** The form of a part as it stands before any script: nothing can be entered yet. @param {Part} part */
const form = (part) => `<form class="answer" data-kind="${part.kind}" novalidate><fieldset disabled aria-describedby="${anchor(part.id)}-question">`
  + `<legend class="visually-hidden">answer ${escape(part.id)}</legend>${fields(part)}`
  + '<p class="answer-foot"><button type="submit" class="answer-check">check</button></p></fieldset><p class="verdict" role="status"></p></form>';

const ordinals = ['a hint', 'a second hint', 'a third hint', 'a fourth hint', 'a fifth hint'];

/**
 * Links into the plates are states that the core knows: nothing in them has to be mended.
 * @param {string} html
 * @param {Asking} asking
 */
function checkLinks(html, { repair, studies, studyOf, file }) {
  for (const [, page, plate, state] of html.matchAll(/href="(?:([\w-]+)\.html(?:\?plate=([\w-]+))?)?#([^"]*=[^"]*)"/g)) {
    const study = plate ?? (page === undefined ? studies[0] : studyOf[page]);
    if (study === undefined) throw new Error(`${file}: a link leads to ${page}.html, which is not a page of a plate`);
    if (plate !== undefined && !studies.includes(study)) throw new Error(`${file}: a link leads to the plate ${study}, which is not on this page`);
    const params = Object.fromEntries(new URLSearchParams(state.replace(/&amp;/g, '&')));
    const { notices } = repair(study, params);
    if (notices.length > 0) throw new Error(`${file}: the link #${state} is no state of ${study}: ${notices.map(({ message }) => message).join('; ')}`);
  }
}

/**
 * One part: its mark, the question, the form; hints and links beside them.
 * @param {string} inner
 * @param {Part} part
 */
function partHtml(inner, part) {
  let hints = 0;
  /** @type {string[]} */
  const side = [];
  const question = inner.replace(/<details class="hint">([^]*?)<\/details>|<p class="live">[^]*?<\/p>/g, (block, hint) => {
    side.push(hint === undefined ? block : `<details class="hint"><summary>${ordinals[hints++]}</summary>${hint}</details>`);
    return '';
  }).trim();
  return `<section class="part" id="${anchor(part.id)}" data-part="${escape(part.id)}"><h4 class="part-mark">${escape(part.id)}</h4>`
    + `<div class="part-main"><div class="question" id="${anchor(part.id)}-question">${question}</div>${form(part)}</div>`
    + `<div class="part-side">${side.join('')}</div></section>`;
}

/** Said where no answer can be checked: scripts are refused, or the bundle has not arrived (page.css shows it then). */
const unchecked = '<noscript><p class="scripting-none">Answers are checked with JavaScript alone; on paper the questions are the same.</p></noscript>\n'
  + '<p class="scripts-late">Answers cannot be checked: the script attention-plates.js has not arrived.</p>\n';

/**
 * The section of a page, with its forms.
 * @param {string} text  the author's, claims and formulas already set
 * @param {Asking} asking
 */
export function exercisesHtml(text, asking) {
  const { exercises, studies, file } = asking;
  checkLinks(text, asking);
  let found = 0;
  const body = text.replace(/<attention-exercise exercise="([^"]*)" study="([^"]*)">([^]*?)<\/attention-exercise>/g, (_, id, study, inner) => {
    ++found;
    const declared = exercises.filter((each) => each.id === id);
    if (declared.length === 0) throw new Error(`${file}: nobody declared exercise ${id}`);
    // Points of one exercise may stand on several pages.
    const exercise = declared.find((each) => each.study === study);
    if (!exercise) throw new Error(`${file}: exercise ${id} belongs to ${declared.map((each) => `the study ${each.study}`).join(' and ')}, not ${study}`);
    if (!studies.includes(study)) throw new Error(`${file}: exercise ${id} belongs to the study ${study}, which is not on this page`);
    const parts = inner.replace(/<section data-part="([^"]*)">([^]*?)<\/section>/g, (/** @type {string} */ __, /** @type {string} */ partId, /** @type {string} */ content) => {
      const part = exercise.parts.find((each) => each.id === partId);
      if (!part) throw new Error(`${file}: exercise ${id} has no part ${partId}`);
      return partHtml(content, part);
    });
    return `<attention-exercise exercise="${id}" study="${study}"><h3>${escape(id)}. ${escape(exercise.title)}</h3>${parts.trim()}</attention-exercise>`;
  });
  if (found !== text.split('<attention-exercise').length - 1) throw new Error(`${file}: an exercise is opened otherwise than <attention-exercise exercise="…" study="…">`);
  return `<section class="exercises" id="exercises" aria-labelledby="exercises-mark"><h2 class="mark" id="exercises-mark">Exercises</h2>\n${unchecked}${body}\n</section>`;
}
