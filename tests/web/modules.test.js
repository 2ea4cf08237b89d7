// The modules that pages download, one a group of studies, beside the whole module: every study is in one of them, with the same
// declaration and the same bits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { groupsByStudy, loadGroups } from '../../build-scripts/web/core.mjs';
import { createCore } from '../../web/engine/core.js';
import { loadCore, wasmDir } from './support.js';

const whole = await loadCore();
const groups = await loadGroups(wasmDir);

/** @param {string} group */
const coreOf = async (group) => createCore(await (await import(pathToFileURL(`${wasmDir}/attn-${group}.mjs`).href)).default());

/** Fewer simulated runs say the same about bits. @type {Record<string, Record<string, number>>} */
const brief = { ledger: { runs: 40 }, seeds: { count: 40 } };

test('every study is in the module of one group, declared as in the whole one', () => {
  const { version, studies } = whole.describe();
  const of = groupsByStudy({ version, studies }, groups);
  assert.deepEqual(Object.keys(of), studies.map(({ id }) => id));
  assert.equal(groups.reduce((sum, { registry }) => sum + registry.studies.length, 0), studies.length);
  for (const { group, registry } of groups) {
    assert.equal(registry.version, version);
    assert.deepEqual(registry.studies, studies.filter(({ id }) => of[id] === group), group);
  }
});

test('a study in no module or in two stops the build', () => {
  const registry = whole.describe();
  const [{ registry: { studies: [first] } }] = groups;
  assert.throws(() => groupsByStudy(registry, groups.map((each, i) => (i === 0 ? { ...each, registry: { ...each.registry, studies: each.registry.studies.slice(1) } } : each))), new RegExp(`study ${first.id} is in no module`));
  assert.throws(() => groupsByStudy(registry, [...groups, { group: 'again', registry }]), new RegExp(`study ${first.id} is in the modules ${groups[0].group} and again`));
});

test('a group runs its studies to the bits of the whole module, and knows no other', async () => {
  for (const { group, registry } of groups) {
    const core = await coreOf(group);
    for (const { id } of registry.studies) {
      assert.deepEqual(core.run(id, brief[id]), whole.run(id, brief[id]), id);
      assert.deepEqual(core.repair(id, { nothing: 'x' }), whole.repair(id, { nothing: 'x' }), id);
    }
    for (const { id } of whole.describe().studies) {
      if (!registry.studies.some((study) => study.id === id)) assert.throws(() => core.run(id), { code: 'unknown_study', param: 'study' });
    }
  }
});
