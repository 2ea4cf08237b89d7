// The static picture of a plate, written from the live element's own template.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { inRows } from '../../web/elements/controls.js';
import { staticPlate, toHtml } from '../../web/elements/static.js';
import { within } from '../../web/elements/controls.js';
import { loadCore } from './support.js';

test('text is escaped, nested and repeated templates are joined, nothing leaves nothing', () => {
  assert.equal(toHtml(html`<p>${'<b> & "c"'}${[html`<i>${1}</i>`, 'x']}${nothing}${undefined}${false}</p>`), '<p>&lt;b&gt; &amp; &quot;c&quot;<i>1</i>x</p>');
});

test('attributes: plain, partial, boolean, property, listener', () => {
  assert.equal(
    toHtml(html`<input class="a b-${'c'}" title="${'"'}" id="${nothing}" ?disabled="${true}" ?hidden="${false}" .value="${live('7')}" .checked="${live(true)}" @input="${() => {}}">`),
    '<input class="a b-c" title="&quot;" disabled value="7" checked>',
  );
});

test('what has no static form throws instead of printing [object Object]', () => {
  assert.throws(() => toHtml(html`<p>${{}}</p>`), TypeError);
  assert.throws(() => toHtml(html`<p>${() => 1}</p>`), TypeError);
});

test('parameters that a plate does not name still get a control', () => {
  const parameters = /** @type {any[]} */ ([{ key: 'a' }, { key: 'b' }, { key: 'c' }]);
  assert.deepEqual(inRows(parameters, [['b']]).map((row) => row.map(({ key }) => key)), [['b'], ['a', 'c']]);
  assert.deepEqual(inRows(parameters, [['c', 'a'], ['b']]).map((row) => row.map(({ key }) => key)), [['c', 'a'], ['b']]);
});

const core = await loadCore();
for (const study of core.describe().studies) {
  const { default: plate } = await import(`../../web/plates/${study.id}.js`);
  const result = core.run(study.id);
  for (const width of [358, 976]) {
    test(`${study.id} at ${width}: every control, figure and table; no script, no inline style, no id twice`, () => {
      const markup = staticPlate({ study, plate, result, width, uid: `static-${width}` });
      // A list is edited in another control, of one there is nothing to choose, and what is measured is not set by hand.
      const { series } = result;
      const offered = (/** @type {import('../../web/engine/types.js').Parameter} */ p) => p.kind !== 'list' && !plate.meter?.params.includes(p.key) && (p.kind !== 'integer' || within(p, series).max !== p.min);
      for (const p of study.parameters) assert.equal(markup.split(`data-key="${p.key}"`).length - 1, offered(p) ? 1 : 0, p.key);
      for (const { label } of study.presets) assert.ok(markup.includes(`>${label.replace(/&/g, '&amp;')}</button>`), label);
      const drawing = plate.draw(result, { width, uid: 'x', params: result.params, hover: null });
      assert.equal(markup.split('<figure ').length - 1, drawing.figures.length);
      assert.ok(markup.split('<table>').length - 1 >= drawing.figures.length);
      assert.ok(!/ style=|<style|<script| on\w+=|\[object|undefined|@\w+=|[?.]\w+="/.test(markup.replace(/>[^<]*</g, '><')), 'no trace of the template');
      const ids = [...markup.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]);
      assert.equal(new Set(ids).size, ids.length);
      const inputs = [...markup.matchAll(/<(input|button)[^>]*>/g)].map((match) => match[0]);
      assert.ok(inputs.length > 5 && inputs.every((input) => / disabled/.test(input)), 'nothing can be operated');
    });
  }
}
