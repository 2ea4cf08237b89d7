// URL text and state: what goes out comes back, for every study the registry declares.
/** @import { Study } from '../../web/engine/types.js' */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaults, fromQuery, inWords, isPreset, isState, nextSeed, sameParams, shorten, toQuery } from '../../web/elements/state.js';
import { anyParams, drawsFrom, loadCore } from './support.js';

const core = await loadCore();
const { studies } = core.describe();
const saturation = /** @type {Study} */ (studies.find(({ id }) => id === 'saturation'));

test('any valid state survives the way through the address', () => {
  assert.ok(studies.length >= 2);
  for (const study of studies) {
    for (let seed = 1; seed <= 400; ++seed) {
      // what one parameter asks of another, a row that there is, repair knows
      const { params } = core.repair(study.id, anyParams(study, drawsFrom(seed)));
      const query = toQuery(study, params);
      const { raw, notices } = fromQuery(`#${query}`);
      assert.deepEqual(notices, []);
      const repaired = core.repair(study.id, raw);
      assert.deepEqual(repaired, { params, notices: [] }, `${study.id} seed ${seed}: ${query}`);
      assert.equal(toQuery(study, repaired.params), query);
    }
  }
});

test('whatever stands in an address, repair leads to a state that runs and is its own repair', () => {
  const texts = ['', '0', '-1', '3.5', '1e9', 'NaN', 'true', 'bits', '2,3', '1,3;2,4', ';;', 'ä &=%', '18446744073709551616', '9'.repeat(400)];
  for (const study of studies) {
    /** @type {Set<string>} */
    const ran = new Set();
    for (let seed = 1; seed <= 150; ++seed) {
      const draw = drawsFrom(seed);
      const raw = Object.fromEntries(study.parameters.filter(() => draw(3) > 0).map(({ key }) => [key, texts[draw(texts.length)]]));
      const { params } = core.repair(study.id, raw);
      // heavy states prove nothing more here: as few repetitions as are allowed, and each state once
      const least = study.parameters.filter(({ key }) => ['draws', 'runs', 'count'].includes(key)).map(({ key, min = 0 }) => [key, min]);
      const light = { ...params, ...Object.fromEntries(least) };
      const state = toQuery(study, light);
      if (!ran.has(state) && (least.every(([key]) => key === 'draws') || ran.size < 12)) {
        ran.add(state);
        assert.deepEqual(core.run(study.id, light).params, light);
      }
      assert.deepEqual(core.repair(study.id, params), { params, notices: [] });
    }
  }
});

test('the address holds the first parameter and what differs from its default', () => {
  for (const study of studies) {
    const [first] = study.parameters;
    const text = toQuery(study, defaults(study));
    assert.equal(decodeURIComponent(text), `${first.key}=${first.default}`);
    assert.deepEqual(fromQuery(text).raw, { [first.key]: String(first.default) });
  }
  assert.equal(toQuery(saturation, { ...defaults(saturation), keys: 32, unit: 'bits' }), 'd=128&keys=32&unit=bits');
});

test('valid lengths stay readable in the address', () => {
  const study = studies.find(({ id }) => id === 'masked-softmax');
  assert.ok(study);
  assert.match(toQuery(study, { ...defaults(study), lens: '1,3;2,4' }), /lens=1,3;2,4/);
});

test('a key given twice is noticed, the first is taken; strange keys stay strange', () => {
  assert.deepEqual(fromQuery('#d=4&d=8'), { raw: { d: '4' }, notices: [{ param: 'd', message: 'd is given more than once; the first, 4, is taken' }] });
  assert.deepEqual(fromQuery('d=4&d=4').notices, []);
  const { raw } = fromQuery('__proto__=1&constructor=2');
  assert.deepEqual(Object.keys(raw), ['__proto__', 'constructor']);
  const { params, notices } = core.repair('saturation', raw);
  assert.deepEqual(params, defaults(saturation));
  assert.deepEqual(notices.map(({ param }) => param), ['__proto__', 'constructor']);
});

test('a strange text is shown in part', () => {
  assert.equal(shorten('d'.repeat(40)), 'd'.repeat(40));
  assert.equal(shorten('\u{1F600}'.repeat(41)), `${'\u{1F600}'.repeat(40)}…`);
  const [{ message }] = fromQuery(`d=${'9'.repeat(5000)}&d=4`).notices;
  assert.ok(message.length < 100, message);
});

test('a hash without = is the name of a place, not a state', () => {
  assert.equal(isState('#d=4'), true);
  for (const hash of ['', '#', '#workshop', '#=4']) assert.equal(isState(hash), false, hash);
});

test('drawing again is reproducible, stays in range, and never repeats the seed at once', () => {
  const range = /** @type {const} */ ([0, 2 ** 32 - 1]);
  assert.deepEqual([0, 1, 2 ** 32 - 1].map((seed) => nextSeed(seed, ...range)), [0, 1, 2 ** 32 - 1].map((seed) => nextSeed(seed, ...range)));
  const seen = new Set();
  for (let seed = 0, i = 0; i < 10000; ++i, seed = nextSeed(seed, ...range)) {
    assert.ok(Number.isInteger(seed) && seed >= 0 && seed <= range[1]);
    seen.add(seed);
  }
  assert.equal(seen.size, 10000);
  for (const [min, max] of [[0, 1], [3, 5], [0, 255]]) {
    for (let seed = min; seed <= max; ++seed) {
      const next = nextSeed(seed, min, max);
      assert.ok(next >= min && next <= max && next !== seed, `${seed} in ${min}..${max} gives ${next}`);
    }
  }
});

test('presets are states of their study, and know when they are on', () => {
  for (const study of studies) {
    for (const preset of study.presets) {
      const { params, notices } = core.repair(study.id, { ...defaults(study), ...preset.params });
      assert.deepEqual(notices, [], preset.id);
      assert.ok(isPreset(preset, params));
      const [key] = Object.keys(preset.params);
      assert.equal(isPreset(preset, { ...params, [key]: 'other' }), false);
    }
  }
});

test('states compare by value, whatever the order of keys', () => {
  assert.equal(sameParams({ a: 1, b: '' }, { b: '', a: 1 }), true);
  assert.equal(sameParams({ a: 1 }, { a: 1, b: 2 }), false);
  assert.equal(sameParams({ a: 1 }, { b: 1 }), false);
  assert.equal(sameParams({ a: 0 }, { a: false }), false);
});

test('the line for print names every number', () => {
  for (const study of studies) {
    const words = inWords(study.parameters, defaults(study));
    assert.equal(words.length, study.parameters.length);
    assert.doesNotMatch(words.join(), /undefined|NaN|\[object/);
  }
});
