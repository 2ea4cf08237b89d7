// The pages as built: whole before any script, true to the registry, nothing inline, nothing from another host; and a build
// that fails leaves the last site standing.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { buildWeb, styleSheet } from '../../build-scripts/web/build.mjs';
import { loadCore } from '../../build-scripts/web/core.mjs';
import { readPages, renderPages, roman } from '../../build-scripts/web/pages.mjs';
import { renderPictures } from '../../build-scripts/web/pictures.mjs';
import { claimHtml, expand, fill, parsePage } from '../../build-scripts/web/template.mjs';
import { root, wasmDir } from './support.js';

const core = await loadCore(wasmDir);
const { registry, run } = core;
const pages = await renderPages(registry, run, core);
const sources = await readPages(registry, run);
const names = Object.keys(pages);

/** Text of a piece of markup. @param {string} html */
const plain = (html) => html.replace(/<[^>]*>/g, '').replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&quot;/g, '"').replace(/&amp;/g, '&');

test('a page a study or a second plate on one, and the contents', () => {
  const plates = sources.flatMap(({ study, second }) => [study, ...(second ? [second.study] : [])]);
  assert.deepEqual(plates.map(({ id }) => id).sort(), registry.studies.map(({ id }) => id).sort(), 'each plate stands on one page');
  assert.equal(names.length, sources.length + 1);
  assert.ok(names.includes('index.html'));
  for (const { slug, study, plate, second } of sources) {
    assert.ok(pages[`${slug}.html`].includes(`<attention-plate study="${study.id}" url>`));
    assert.deepEqual([...pages[`${slug}.html`].matchAll(/<attention-plate study="([^"]+)"([^>]*)>/g)].map(([, id, rest]) => [id, rest]),
      [[study.id, ' url'], ...(second ? [[second.study.id, '']] : [])], 'only the first plate keeps its state in the address');
    assert.ok(pages['index.html'].includes(`href="${slug}.html"`));
    assert.ok(pages['index.html'].includes(`Plate ${plate.numeral}`));
  }
  const numerals = sources.map(({ plate }) => roman(plate.numeral));
  assert.deepEqual(numerals, [...numerals].sort((a, b) => a - b));
  assert.equal(new Set(numerals).size, numerals.length);
});

test('every claim on a page is the registry’s, letter for letter', () => {
  let said = 0;
  for (const { slug, study, second } of sources) {
    const claims = [...study.claims, ...(second?.study.claims ?? [])];
    assert.equal(new Set(claims.map(({ id }) => id)).size, claims.length, 'a claim’s id means one claim on its page');
    for (const [, id, html] of pages[`${slug}.html`].matchAll(/<span class="claim" data-claim="([^"]+)">(.*?)<\/span>/g)) {
      assert.equal(plain(html), claims.find((claim) => claim.id === id)?.sentence, id);
      said++;
    }
  }
  assert.ok(said >= sources.length * 3, `${said} claims are said`);
});

test('every claim of the registry is said somewhere', () => {
  for (const { slug, study, second } of sources) {
    for (const { id } of [...study.claims, ...(second?.study.claims ?? [])]) assert.ok(pages[`${slug}.html`].includes(`data-claim="${id}"`), `${study.id}: ${id}`);
  }
});

test('the tile that the page on the price speaks of is the kernel’s', () => {
  const said = [...plain(pages['the-price-of-attention.html']).matchAll(/(\d+) queries (?:by|against a block of) (\d+) keys/g)].map(([, queries, keys]) => [Number(queries), Number(keys)]);
  assert.equal(said.length, 2);
  const tiles = (/** @type {number} */ n) => Array.from(run('cost', { n }).series.here_tiles.data, Number)[0]; // without a mask, all whole
  for (const [queries, keys] of said) {
    assert.deepEqual([tiles(queries), tiles(queries + 1)], [1, 2]);
    assert.deepEqual([tiles(keys), tiles(keys + 1)], [keys / queries, 2 * (keys / queries + 1)]);
  }
});

test('an unknown claim, a bad formula, an unknown name stop the build', () => {
  assert.throws(() => expand('{{claim:no-such}}', registry.studies[0].claims, 'f'), /no claim "no-such"/);
  assert.throws(() => expand('{{math:\\frac{1}}}', [], 'f'), /KaTeX/);
  assert.throws(() => expand('{{picture:x}}', [], 'f'), /not known/);
  assert.throws(() => fill('{{a}} {{b}}', { a: '1' }, 'f'), /nothing to fill \{\{b\}\}/);
  assert.throws(() => fill('{{a}}', { a: '1', b: '2' }, 'f'), /does not use b/);
  assert.throws(() => parsePage('<p>', 'f'), /does not begin/);
});

test('formulas are MathML whose braces may stand at the end', () => {
  const html = expand('x {{math:\\frac{a}{b}}}, {{formula:\\mathbf q^\\top}}', [], 'f');
  assert.match(html, /^x <math[^]*<mfrac><mi mathvariant="normal" class="italic">a<\/mi>[^]*<\/math>, <div class="formula"><math/);
  assert.match(html, /<mi mathvariant="normal" class="bold">q<\/mi>/);
  assert.ok(!/ style=|<span/.test(html));
});

test('variables of a claim are italic, words are not', () => {
  assert.equal(claimHtml({ id: 'x', sentence: 'Query t sees m keys at d = 4, √d and k & don’t.' }),
    '<span class="claim" data-claim="x">Query <i>t</i> sees <i>m</i> keys at <i>d</i> = 4, √<i>d</i> and <i>k</i> &amp; don’t.</span>');
  assert.equal(claimHtml({ id: 'x', sentence: 'b_q·k and |q|² need q_max, a_k.' }),
    '<span class="claim" data-claim="x"><i>b</i><sub><i class="visually-hidden">_</i>q</sub>·<i>k</i> and |<i>q</i>|² need q_max, <i>a</i><sub><i class="visually-hidden">_</i>k</sub>.</span>');
  assert.equal(claimHtml({ id: 'x', sentence: 'It takes 2h(n d_q + m) + 4nmh, no more.' }),
    '<span class="claim" data-claim="x">It takes 2<i>h</i>(<i>n</i> <i>d</i><sub><i class="visually-hidden">_</i>q</sub> + <i>m</i>) + 4<i>nmh</i>, no more.</span>');
});

for (const name of names) {
  test(`${name}: a sound document`, () => {
    const html = pages[name];
    assert.match(html, /^<!doctype html>\n<html lang="en">/);
    assert.match(html, /<title>[^<]{8,}<\/title>/);
    assert.match(html, /<meta name="description" content="[^"]{60,170}">/);
    assert.match(html, /<meta name="viewport" content="width=device-width, initial-scale=1">/);
    for (const tag of ['h1', 'main', 'header']) assert.equal(html.split(new RegExp(`<${tag}[ >]`)).length - 1, 1, tag);
    const skip = /<a class="skip" href="#([^"]+)">/.exec(html)?.[1];
    assert.ok(html.includes(` id="${skip}"`), 'the skip link leads somewhere');
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]);
    assert.deepEqual(ids.filter((id, i) => ids.indexOf(id) !== i), [], 'no id twice');
    for (const [, target] of html.matchAll(/aria-(?:labelledby|describedby)="([^"]+)"/g)) assert.ok(ids.includes(target), target);
    const levels = [...html.matchAll(/<h([1-6])/g)].map((match) => Number(match[1]));
    levels.forEach((level, i) => assert.ok(i === 0 ? level === 1 : level - levels[i - 1] <= 1));
  });

  test(`${name}: nothing inline, nothing from another host`, () => {
    const html = pages[name];
    assert.ok(!/ style=|<style|javascript:|data:[a-z]+\//.test(html));
    assert.ok(!/\son[a-z]+=/.test(html.replace(/>[^<]*</g, '><')));
    // the plates of the page, which may come in any order, and the bundle after them: all are fetched at once
    const studies = [...html.matchAll(/<attention-plate study="([\w-]+)"/g)].map(([, study]) => study);
    const scripts = studies.length === 0 ? [] : [...studies.map((study) => `plates/${study}.js`), 'attention-plates.js'];
    assert.deepEqual([...html.matchAll(/<script\b[^>]*>[^<]*/g)].map(([script]) => script.trim()), scripts.map((src) => `<script src="${src}" defer>`), name);
    for (const [, url] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
      assert.ok(!/^(?:[a-z]+:|\/)/.test(url), `${url} is relative`);
      if (url.endsWith('.html')) assert.ok(names.includes(url), `${url} exists`);
    }
    assert.deepEqual([...html.matchAll(/https?:\/\/[^\s"<]+/g)].map(([url]) => url).filter((url) => url !== 'http://www.w3.org/1998/Math/MathML'), []);
  });
}

test('the pictures stand in the page at both widths, with the core’s own values', () => {
  for (const page of sources) {
    const html = pages[`${page.slug}.html`];
    for (const { plate, result } of [page, ...(page.second ? [page.second] : [])]) {
      for (const width of [974, 358]) {
        const { figures } = plate.draw(result, { width, uid: 'x', params: result.params, hover: null });
        for (const figure of figures) assert.ok(html.includes(`viewBox="0 0 ${Math.round(figure.width)} ${Math.round(figure.height)}"`), `${figure.id} at ${width}`);
      }
    }
    assert.ok(html.includes('class="static static-wide"') && html.includes('class="static static-narrow"'));
    assert.ok(html.split('<math').length - 1 >= 3, 'formulas are there');
  }
});

test('the style sheet names every colour for light, dark, print and forced colours, and no other host', async () => {
  const css = await styleSheet();
  for (const query of ['prefers-color-scheme:dark', 'print', 'forced-colors:active', 'prefers-reduced-motion:reduce']) assert.ok(css.replace(/\s/g, '').includes(query), query);
  for (const name of ['paper', 'sheet', 'ink', 'soft', 'rule', 'hairline', 'blue', 'red']) assert.ok(css.split(`--ap-${name}:`).length > 3, name);
  const used = new Set([...css.matchAll(/var\((--ap-[\w-]+)/g)].map((match) => match[1]));
  for (const name of used) assert.ok(css.includes(`${name}:`), `${name} has a value`);
  assert.ok(!/https?:|@import|url\("?\//.test(css));
  for (const [, file] of css.matchAll(/url\("?(fonts\/[^")]+)/g)) assert.match(file, /\.woff2$/);
});

test('the committed pictures are what the plates draw now', async () => {
  const pictures = await renderPictures(registry, run);
  assert.equal(Object.keys(pictures).length, registry.studies.length);
  for (const [name, text] of Object.entries(pictures)) {
    assert.equal(readFileSync(join(root, 'web/pictures', name), 'utf8'), text, `web/pictures/${name} is old: node build-scripts/web/pictures.mjs`);
    assert.match(text, /prefers-color-scheme: dark/);
    // NaN may be spoken of, in the description, in captions and where it is the value; no place or size is one.
    assert.ok(!/<image|url\((?!#)|NaN|@import/.test(text.replace(/local\([^)]*\)/g, '').replace(/<desc[^]*?<\/desc>/, '').replace(/>[^<>{}]*\bNaN\b[^<>{}]*</g, '><')));
    assert.deepEqual([...text.matchAll(/https?:\/\/[^\s"<]+/g)].map(([url]) => url), ['http://www.w3.org/2000/svg']);
  }
});

const work = mkdtempSync(join(tmpdir(), 'plates-'));
after(() => rmSync(work, { recursive: true, force: true }));

test('a build that fails leaves the last site standing and nothing half-made', async () => {
  const site = join(work, 'dist');
  await buildWeb({ wasmDir, outDir: site });
  for (const file of ['index.html', 'style.css', 'icon.svg', 'attn.wasm', 'attn-core.mjs', 'attn-first.wasm', 'attn-worker-first.js', 'attn-inline-first.js', 'studies.json', 'attention-plates.js', 'plates/saturation.js', ...names]) assert.ok(existsSync(join(site, file)), file);
  for (const script of readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((name) => /\.m?js$/.test(name))) {
    // a classic script is read in the encoding of whoever loads it
    assert.equal(/[^\x00-\x7F]/.exec(readFileSync(join(site, script), 'utf8'))?.[0], undefined, `${script} is ASCII`);
  }
  const css = readFileSync(join(site, 'style.css'), 'utf8');
  for (const [, font] of css.matchAll(/url\("?(fonts\/[^")]+)/g)) assert.ok(existsSync(join(site, font)), font);
  writeFileSync(join(site, 'mark.txt'), 'the last site');
  await assert.rejects(buildWeb({ wasmDir: join(work, 'no-such'), outDir: site }));
  assert.equal(readFileSync(join(site, 'mark.txt'), 'utf8'), 'the last site');
  assert.deepEqual(readdirSync(work), ['dist']);
  await buildWeb({ wasmDir, outDir: site });
  assert.ok(!existsSync(join(site, 'mark.txt')), 'a build that succeeds replaces it whole');
  assert.deepEqual(readdirSync(work), ['dist']);
});
