// Exercises on the JavaScript side: the module that judges answers, the questions as the build puts them together, what is kept in
// the browser, and the keys of a grid.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { loadCore as loadBuilt } from '../../build-scripts/web/core.mjs';
import { checkAsked, exercisesHtml } from '../../build-scripts/web/exercises.mjs';
import { readPages, renderPages } from '../../build-scripts/web/pages.mjs';
import { walk } from '../../web/elements/exercise-form.js';
import { ExerciseStore } from '../../web/elements/exercise-store.js';
import { createCore } from '../../web/engine/core.js';
import { call, start } from '../../web/engine/protocol.js';
import { createService } from '../../web/engine/service.js';
import { loadCore, refuses, wasmDir } from './support.js';

const whole = await loadCore();
const built = await loadBuilt(wasmDir);
const { default: createExercises } = await import(pathToFileURL(`${wasmDir}/attn-exercises.mjs`).href);
const parts = whole.exercises().flatMap(({ parts: all }) => all);

/** Texts that a part may be answered with, right or wrong. @param {import('../../web/engine/types.js').ExercisePart} part */
function answers({ kind, choices = [], rows = 0, columns = 0, cells }) {
  if (kind === 'choice') return choices.map(({ id }) => id);
  if (kind === 'several') return ['none', ...choices.map(({ id }) => id), choices.map(({ id }) => id).join(',')];
  if (kind === 'number') return ['0', '1', '-inf', '0.5', '256'];
  const rowsOf = (/** @type {string} */ entry) => Array(rows).fill(Array(columns).fill(entry).join(cells ? '' : ',')).join(';');
  return [rowsOf('0'), rowsOf('1')];
}

test('the module of the exercises judges as the whole one does, and runs no study', async () => {
  const alone = createCore(await createExercises());
  assert.deepEqual(alone.exercises(), whole.exercises());
  assert.deepEqual(alone.describe(), { version: '', studies: [] });
  const outcomes = new Set();
  for (const part of parts) {
    for (const answer of answers(part)) {
      const verdict = alone.checkAnswer(part.id, answer);
      assert.deepEqual(verdict, whole.checkAnswer(part.id, answer), `${part.id} ${answer}`);
      assert.equal(verdict.part, part.id);
      assert.ok(verdict.words.length > 3 && Array.isArray(verdict.entries));
      outcomes.add(verdict.outcome);
    }
  }
  assert.ok(outcomes.has('right') && outcomes.has('wrong'));
});

test('answers cross the bridge as text, and wrong entries as places', () => {
  assert.deepEqual(whole.checkAnswer('6.1b', '100000;110000;011000;001100;001110;000011'), { part: '6.1b', outcome: 'wrong', words: 'Row 5: query 5 may not see key 3.', entries: [26] });
  assert.equal(whole.checkAnswer('5.1b', '1/6').outcome, 'right');
  assert.equal(whole.checkAnswer('5.1b', '0.166').outcome, 'close');
  assert.deepEqual(whole.checkAnswer('5.1b', '1/6').entries, []);
  refuses(() => whole.checkAnswer('9.9', '1'), { code: 'unknown_choice', param: 'part' });
  // 5.2 is the number of a part as text alone
  for (const part of [5.2, null]) refuses(() => whole.checkAnswer(/** @type {any} */ (part), '1'), { code: 'wrong_type', param: 'part', message: new RegExp(`^part is ${part}; give text such as "5.2"$`) });
  refuses(() => whole.checkAnswer('10.1a', '8.388.608'), { code: 'wrong_type', param: 'answer', message: /^answer is "8.388.608"; .*, with a point for decimals and nothing between thousands$/ });
  refuses(() => whole.checkAnswer('5.1b', /** @type {any} */ (0.5)), { code: 'wrong_type', param: 'answer' });
  refuses(() => whole.checkAnswer('5.1b', /** @type {any} */ (undefined)), { code: 'wrong_type', param: 'answer' });
  refuses(() => whole.checkAnswer('6.1b', '100000'), { code: 'wrong_shape', param: 'answer' });
});

test('over the protocol an answer is checked as anything else is run', async () => {
  const service = createService(createExercises);
  const ready = await service.handle(start({ wasmBytes: new Uint8Array(await readFile(`${wasmDir}/attn-exercises.wasm`)) }));
  assert.ok(ready.type === 'ready' && ready.registry.studies.length === 0);
  const right = await service.handle(call(1, 'checkAnswer', ['5.2a', '-inf']));
  assert.ok(right.type === 'answer' && right.value.outcome === 'right');
  const refused = await service.handle(call(2, 'checkAnswer', ['5.2a', 'low']));
  assert.ok(refused.type === 'answer' && refused.error?.param === 'answer');
  const unknown = await service.handle(call(3, /** @type {any} */ ('exercises'), []));
  assert.ok(unknown.type === 'answer' && unknown.error !== undefined, 'pages have their questions already');
});

const pages = await readPages(built.registry, built.run);
const html = await renderPages(built.registry, built.run, built);

test('every part stands on the page of its study, with a form that is not yet alive, and no answer is in the page', () => {
  let asked = 0;
  for (const { id, study, parts: all } of whole.exercises()) {
    const page = pages.find((each) => each.study.id === study || each.second?.study.id === study);
    assert.ok(page);
    const text = html[`${page.slug}.html`];
    assert.equal(text.split(`<attention-exercise exercise="${id}" study="${study}">`).length, 2);
    for (const part of all) {
      const [, section] = new RegExp(`<section class="part" id="[\\w-]+" data-part="${part.id.replace('.', '\\.')}">([^]*?)</section>`).exec(text) ?? [];
      assert.ok(section, part.id);
      assert.match(section, new RegExp(`<form class="answer" data-kind="${part.kind}" novalidate><fieldset disabled`));
      assert.match(section, /<p class="verdict" role="status"><\/p>/);
      assert.match(section, /<details class="hint"><summary>a hint<\/summary>|<p class="live"><a href=/, `${part.id} has a hint or shows the experiment`);
      for (const { id: choice } of part.choices ?? []) assert.ok(section.includes(`value="${choice}"`));
      if (part.kind === 'matrix') assert.equal([...section.matchAll(/<td><(?:button|input) /g)].length, (part.rows ?? 0) * (part.columns ?? 0));
      assert.ok(!/\schecked|aria-pressed="true"|value="\d/.test(section.replace(/value="\d[^"]*"><span>/g, '')), 'nothing is filled in');
      ++asked;
    }
  }
  assert.equal(asked, parts.length);
  for (const { slug, source } of pages) assert.equal(html[`${slug}.html`].includes('id="exercises"'), source.sections.exercises !== undefined, slug);
});

const asking = { exercises: whole.exercises(), repair: built.repair, studies: ['precision'], studyOf: { masks: 'masks', precision: 'precision' }, file: 'page.html' };
const section = (/** @type {string} */ inner, part = '5.2a') => `<section data-part="${part}"><p>Which?</p>${inner}</section>`;
const exercise = (/** @type {string} */ inner, id = '5', study = 'precision') => `<attention-exercise exercise="${id}" study="${study}">${inner}</attention-exercise>`;
const make = (/** @type {string} */ text) => exercisesHtml(text, asking);

test('what the author writes is put together: question, form, hints in steps, links', () => {
  const text = make(exercise(section('<details class="hint"><p>One.</p></details><p>More.</p><details class="hint"><p>Two.</p></details><p class="live"><a href="#row=masked">See</a></p>')));
  assert.match(text, /<div class="question" id="exercise-5-2a-question"><p>Which\?<\/p><p>More\.<\/p><\/div><form/);
  assert.match(text, /<summary>a hint<\/summary><p>One\.<\/p><\/details><details class="hint"><summary>a second hint<\/summary><p>Two\.<\/p><\/details><p class="live">/);
  assert.match(text, /<h3>5\. Rows that keep no key<\/h3>/);
  assert.match(text, /<h4 class="part-mark">5\.2a<\/h4>/);
});

test('an exercise, a part, a page or a state that does not exist stops the build', () => {
  assert.throws(() => make(exercise('', '77')), /nobody declared exercise 77/);
  assert.throws(() => make(exercise(section('', '5.9'))), /exercise 5 has no part 5\.9/);
  assert.throws(() => make(exercise(section('', '6.1a'))), /exercise 5 has no part 6\.1a/);
  assert.throws(() => make(exercise('', '5', 'masks')), /belongs to the study precision, not masks/);
  assert.throws(() => make(exercise('', '6', 'masks')), /study masks, which is not on this page/);
  assert.throws(() => make('<attention-exercise study="precision" exercise="5"></attention-exercise>'), /opened otherwise/);
  const link = (/** @type {string} */ href) => () => make(exercise(section(`<p class="live"><a href="${href}">See</a></p>`)));
  assert.throws(link('#row=nowhere'), /page\.html: the link #row=nowhere is no state of precision/);
  assert.throws(link('#rows=masked'), /rows/);
  assert.throws(link('embed.html?plate=masks#mask=causal'), /plate masks, which is not on this page/);
  assert.throws(link('saturation.html#d=4'), /saturation\.html, which is not a page/);
  assert.throws(link('masks.html#mask=casual'), /no state of masks/);
  for (const href of ['#row=masked&amp;zeroing=false', 'masks.html#mask=causal%20%26%20window(2)', 'masks.html', '#workshop']) assert.doesNotThrow(link(href), href);
});

test('a part that no page asks, or two ask, stops the build', () => {
  const sections = pages.map(({ source }) => source.sections.exercises ?? '');
  assert.doesNotThrow(() => checkAsked(sections, whole.exercises()));
  assert.throws(() => checkAsked(sections.map((text) => text.replace('data-part="5.2a"', '')), whole.exercises()), /the part 5\.2a is declared and asked on no page/);
  assert.throws(() => checkAsked([...sections, section('')], whole.exercises()), /the part 5\.2a is declared and asked 2 times/);
});

/** A storage of its own, which can be made to refuse. */
function storage() {
  /** @type {Map<string, string>} */
  const items = new Map();
  const made = { items, refuses: false };
  const open = () => {
    if (made.refuses) throw new DOMException('denied', 'SecurityError');
    return /** @type {Storage} */ (/** @type {unknown} */ ({
      getItem: (/** @type {string} */ key) => items.get(key) ?? null, setItem: (/** @type {string} */ key, /** @type {string} */ value) => items.set(key, value), removeItem: (/** @type {string} */ key) => items.delete(key),
    }));
  };
  return { made, open };
}

test('answers are kept until they are cleared, each exercise by itself', () => {
  const { made, open } = storage();
  const store = new ExerciseStore('5', open);
  assert.ok(store.empty);
  store.set('5.1a', { text: 'nan', right: false });
  store.set('5.1a', { text: 'even', right: true });
  store.set('5.1b', { text: '1', right: false });
  const again = new ExerciseStore('5', open);
  assert.deepEqual(again.get('5.1a'), { text: 'even', right: true });
  assert.equal(again.right(['5.1a', '5.1b', '5.1c']), 1);
  assert.ok(new ExerciseStore('6', open).empty);
  again.clear();
  assert.ok(again.empty);
  assert.equal(made.items.size, 0);
  assert.equal(again.get('constructor'), undefined);
});

test('a storage that refuses breaks nothing: answers last as long as the page', () => {
  const { made, open } = storage();
  made.refuses = true;
  const store = new ExerciseStore('5', open);
  store.set('5.1a', { text: 'even', right: true });
  assert.equal(store.right(['5.1a']), 1);
  store.clear();
  assert.ok(store.empty);
  assert.equal(made.items.size, 0);
});

test('what is stored and not in order is left out', () => {
  const { made, open } = storage();
  for (const [text, empty] of /** @type {[string, boolean][]} */ ([['{', true], ['null', true], ['7', true], ['[]', true], ['{"5.1a":{"text":3,"right":true}}', true],
    ['{"5.1a":{"text":"x","right":1},"5.1b":{"text":"1/6","right":true}}', false]])) {
    made.items.set('attention-plates/exercise/5', text);
    const store = new ExerciseStore('5', open);
    assert.equal(store.empty, empty, text);
    assert.equal(store.get('5.1a'), undefined);
  }
});

test('keys walk a grid and stay in it', () => {
  assert.deepEqual(['ArrowRight', 'ArrowDown', 'End', 'Home'].map((key) => walk(key, 0, 2, 3)), [1, 3, 2, 0]);
  assert.deepEqual(['ArrowLeft', 'ArrowUp', 'ArrowRight', 'ArrowDown'].map((key) => walk(key, 5, 2, 3)), [4, 2, 5, 5]);
  assert.deepEqual(['ArrowLeft', 'ArrowUp'].map((key) => walk(key, 0, 2, 3)), [0, 0]);
  assert.equal(walk('ArrowRight', 2, 2, 3), 2, 'a row ends where it ends');
  for (const key of ['a', 'Tab', 'Enter', 'toString']) assert.equal(walk(key, 0, 2, 3), null, key);
});
