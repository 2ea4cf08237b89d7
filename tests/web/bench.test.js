// The pure parts of the benchmark: what it counts, what it compares with, how it sums up and shows. No time is measured here.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runnersOf, shortName } from '../../build-scripts/bench/kernels.mjs';
import { benchOptions, usage } from '../../build-scripts/bench/options.mjs';
import { partOf, peersAmong, peerVersions } from '../../build-scripts/bench/peers.mjs';
import { benchPicture } from '../../build-scripts/bench/picture.mjs';
import { quantile, rateOf, rowsOf } from '../../build-scripts/bench/statistics.mjs';
import { memoryTable, workloadTable } from '../../build-scripts/bench/table.mjs';
import { StepError } from '../../build-scripts/lib/run.mjs';
import { limitRun, spinModule, spinRate } from '../bench/kernels/limit.js';
import { takeTurns } from '../bench/kernels/measure.js';
import { graphOf } from '../bench/kernels/onnx-graphs.js';
import { onnxModel } from '../bench/kernels/onnx-writer.js';
import { outputSize, plainJavaScript } from '../bench/kernels/plain.js';
import { largestError, reference } from '../bench/kernels/reference.js';
import { makeInputs, maskExpression, openKeys, openPairs, usefulOperations, workloadOf, workloads } from '../bench/kernels/workloads.js';
import { loadCore, root } from './support.js';

const core = await loadCore();

/** A workload of the list with sizes that take no time. @param {string} id */
function small(id) {
  const { mask, widths, ...rest } = workloadOf(id);
  return { ...rest, n: 7, m: 7, mask: Array.isArray(mask) ? [7, 5, 3, 1] : mask, widths: widths.map((d) => Math.min(d, 9)) };
}

test('open pairs are those of the mask expression', () => {
  for (const { id } of workloads) {
    const workload = small(id);
    const cells = maskExpression(workload) === '' ? undefined : core.maskCells(maskExpression(workload), { batch: workload.batch, queries: 7, keys: 7 });
    for (let b = 0; b < workload.batch; ++b) {
      for (let i = 0; i < 7; ++i) {
        const open = openKeys(workload, b, i);
        if (cells) assert.deepEqual([...cells.data.subarray((b * 7 + i) * 7, (b * 7 + i + 1) * 7)].map(Boolean), Array.from({ length: 7 }, (_, j) => j < open), id);
        else assert.equal(open, 7);
      }
    }
  }
  assert.equal(openPairs(workloadOf('c')), (8 * 1024 * 1025) / 2);
  assert.equal(openPairs(workloadOf('a')), 512 * (512 + 384 + 256 + 128));
  assert.equal(usefulOperations(workloadOf('a1')), 4 * 512 * 512 * 2 * (64 + 64));
  assert.equal(usefulOperations(workloadOf('f')), 256 * 64 * 2 * 1020);
  assert.equal(usefulOperations(workloadOf('e')), undefined);
});

test('plain JavaScript and the reference agree to float32, and both with the core', async () => {
  const plain = await plainJavaScript();
  for (const { id } of workloads) {
    const workload = small(id);
    const inputs = makeInputs(core, workload);
    const wanted = reference(workload, inputs);
    assert.equal(wanted.length, outputSize(workload));
    const prepared = await plain.prepare(workload, inputs);
    await prepared.run();
    // seven terms of about one, each rounded to 6e-8 several times
    assert.ok(largestError(prepared.output(), wanted) < 2e-6, id);
    if (workload.kind !== 'softmax') continue;
    const { weights } = core.maskedSoftmax(inputs.queries[0], [4, 7, 7], { validLens: [7, 5, 3, 1] });
    assert.ok(largestError(weights, wanted) < 1e-7);
  }
});

test('a row in so many is the same row; what is missing is as wrong as can be', () => {
  const workload = small('c');
  const inputs = makeInputs(core, workload);
  const [all, some] = [reference(workload, inputs), reference(workload, inputs, 4)];
  const d = 9;
  for (let i = 0; i < all.length; ++i) {
    if ([3, 6].includes(Math.floor(i / d) % 7)) assert.equal(some[i], all[i]);
    else assert.ok(Number.isNaN(some[i]));
  }
  assert.equal(largestError(all, some), 0);
  assert.equal(largestError(all.map(() => NaN), some), Infinity);
  assert.equal(largestError(all.subarray(1), all), Infinity);
  assert.equal(largestError([1, 2.5], Float64Array.of(1, 2)), 0.5);
});

/**
 * A protocol-buffer message as its fields, by number: integers, floats of four bytes, or bytes.
 * @param {Uint8Array} bytes
 * @returns {Map<number, any[]>}
 */
function fields(bytes) {
  /** @type {Map<number, any[]>} */
  const found = new Map();
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const key = Number(varint());
    let value;
    if ((key & 7) === 0) value = Number(varint());
    else if ((key & 7) === 5) value = new DataView(bytes.buffer, bytes.byteOffset + (at += 4) - 4, 4).getFloat32(0, true);
    else {
      assert.equal(key & 7, 2);
      const length = Number(varint());
      value = bytes.subarray(at, at += length);
      assert.equal(value.length, length);
    }
    found.set(key >> 3, [...(found.get(key >> 3) ?? []), value]);
  }
  return found;
}

/** @param {Uint8Array} bytes */
const text = (bytes) => new TextDecoder().decode(bytes);

test('an ONNX model reads back as it was written', () => {
  const values = Float32Array.of(1.5, -2, 0.25, 3);
  const model = fields(onnxModel({
    inputs: [{ name: 'x', shape: [300, 'n'] }], outputs: [{ name: 'y', shape: [2] }],
    constants: [{ name: 'w', shape: [2, 2], values }, { name: 'axes', shape: [1], values: BigInt64Array.of(-1n) }],
    nodes: [{ op: 'Gemm', inputs: ['x', 'w'], outputs: ['y'], attributes: { axis: 3, perm: [0, 2, 1], alpha: { float: 0.5 } } }],
  }));
  assert.deepEqual(/** @type {any[]} */ (model.get(8)).map(fields).map((opset) => [text(opset.get(1)?.[0]), opset.get(2)?.[0]]), [['', 17], ['com.microsoft', 1]]);
  const graph = fields(model.get(7)?.[0]);
  const node = fields(graph.get(1)?.[0]);
  assert.deepEqual([node.get(1)?.map(text), node.get(2)?.map(text), text(node.get(4)?.[0])], [['x', 'w'], ['y'], 'Gemm']);
  const [axis, perm, alpha] = /** @type {any[]} */ (node.get(5)).map(fields);
  assert.deepEqual([text(axis.get(1)?.[0]), axis.get(3), axis.get(20)], ['axis', [3], [2]]);
  assert.deepEqual([text(perm.get(1)?.[0]), perm.get(8), perm.get(20)], ['perm', [0, 2, 1], [7]]);
  assert.deepEqual([text(alpha.get(1)?.[0]), alpha.get(2), alpha.get(20)], ['alpha', [0.5], [1]]);
  const [w, axes] = /** @type {any[]} */ (graph.get(5)).map(fields);
  assert.deepEqual([w.get(1), w.get(2), text(w.get(8)?.[0])], [[2, 2], [1], 'w']);
  assert.deepEqual(new Float32Array(w.get(9)?.[0].slice().buffer), values);
  assert.deepEqual([axes.get(2), new BigInt64Array(axes.get(9)?.[0].slice().buffer)], [[7], BigInt64Array.of(-1n)]);
  const input = fields(graph.get(11)?.[0]);
  const tensor = fields(fields(input.get(2)?.[0]).get(1)?.[0]);
  const dims = fields(tensor.get(2)?.[0]).get(1)?.map(fields);
  assert.deepEqual([text(input.get(1)?.[0]), tensor.get(1), dims?.[0].get(1), text(dims?.[1].get(2)?.[0])], ['x', [1], [300], 'n']);
});

test('every graph makes each name before it is used, and its output', () => {
  for (const { id } of workloads.filter(({ isolated }) => !isolated)) {
    const graph = fields(fields(graphOf(small(id))).get(7)?.[0]);
    const made = new Set([...(graph.get(11) ?? []), ...(graph.get(5) ?? [])].map((entry) => text(fields(entry).get(fields(entry).has(8) ? 8 : 1)?.[0])));
    for (const node of (graph.get(1) ?? []).map(fields)) {
      for (const input of node.get(1)?.map(text) ?? []) assert.ok(made.has(input), `${id}: ${input}`);
      for (const output of node.get(2)?.map(text) ?? []) made.add(output);
    }
    assert.ok(made.has('out'), id);
  }
});

test('the spinning module is valid for every number of chains and computes x / 2 + 1 again and again', () => {
  for (const kind of /** @type {const} */ (['simd', 'relaxed'])) {
    for (const chains of [1, 8, 10, 12]) {
      const bytes = spinModule(kind, chains);
      // this engine may be without relaxed SIMD; no engine is without the other
      if (kind === 'relaxed' && !WebAssembly.validate(bytes)) continue;
      const spin = /** @type {any} */ (new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports.spin);
      assert.equal(spin(1, 0.5, 1), chains * (2 - 2 ** -4));
      assert.equal(spin(100, 0.5, 1), chains * 2);
    }
  }
});

test('a pause while the limit is sought does not make its rounds too short', () => {
  const clock = { ms: 0, calls: 0 };
  const spin = (/** @type {number} */ operations) => {
    // after the 200 short calls of warming up, the core is another's for a while
    if (++clock.calls === 201) clock.ms += 50;
    clock.ms += operations / 64e6;
    return operations;
  };
  // by a clock that steps as browsers' do: a round of 10^6 operations would be over within one step
  const rate = spinRate(spin, 5, 20, () => Math.floor(clock.ms * 10) / 10);
  assert.ok(Math.abs(rate / 64e9 - 1) < 0.01, String(rate));
});

test('the limit as one that takes turns says how much a run of it is', () => {
  const { operations, run } = limitRun();
  // whole turns of the loop, of 8, 10 or 12 chains: nearest to a millisecond's work
  assert.ok(Math.abs(operations - 64e6) <= 2 * 4 * 12 * 4, String(operations));
  run();
  assert.equal(rateOf({ operations: 64e6, times: [4, 1, 2] }), 32e9);
});

test('those who take turns all get some, the slow ones fewer', async () => {
  let clock = 0;
  let turns = '';
  /** Takes so long by a clock of its own. @param {string} name @param {number} milliseconds */
  const taking = (name, milliseconds) => ({
    run: () => {
      turns += name;
      clock += milliseconds;
    },
    output: () => [], release: () => {},
  });
  const timed = await takeTurns({ q: taking('q', 0.5), s: taking('s', 5) }, { batch: 1, warm: 3, budget: 8, rounds: 5 }, () => clock);
  assert.deepEqual(timed, { q: { times: [0.5, 0.5, 0.5, 0.5, 0.5], repeats: 2 }, s: { times: [5, 5, 5], repeats: 1 } });
  // one, two and four runs warm up; five rounds of one untimed and two runs, the slow one in the second, fourth and fifth, each time with somebody else first
  assert.equal(turns, `${'q'.repeat(7)}s${'qqq'}${'ssqqq'}${'qqq'}${'ssqqq'}${'qqqss'}`);
});

/** @param {string} name @param {number[]} times @param {Partial<import('../bench/kernels/page.js').Outcome>} [rest] */
const outcome = (name, times, rest) => ({ name, error: 1e-7, problem: '', times, repeats: 2, ...rest });

test('medians, quartiles, ratios to ours and shares of the limit', () => {
  assert.deepEqual([0, 0.25, 0.5, 0.75, 1].map((share) => quantile([4, 1, 3, 2], share)), [1, 1.75, 2.5, 3.25, 4]);
  assert.equal(quantile([7], 0.25), 7);
  const rows = rowsOf('a1', [outcome('ours', [2, 1, 3]), outcome('theirs', [8, 10, 9]), outcome('wrong', [], { error: Infinity, problem: 'wrong' })], { ours: 'ours', operations: 4e6, limit: 4e9 });
  assert.deepEqual(rows.map(({ median, quartiles, ratio, share, maxError, rounds }) => ({ median, quartiles, ratio, share, maxError, rounds })), [
    { median: 2, quartiles: [1.5, 2.5], ratio: 1, share: 0.5, maxError: 1e-7, rounds: 3 },
    { median: 9, quartiles: [8.5, 9.5], ratio: 4.5, share: 4e6 / 0.009 / 4e9, maxError: 1e-7, rounds: 3 },
    { median: null, quartiles: null, ratio: null, share: null, maxError: null, rounds: 0 },
  ]);
  assert.deepEqual(rowsOf('e', [outcome('theirs', [8])], { ours: 'ours', limit: 1 }).map(({ ratio, share }) => [ratio, share]), [[null, null]]);
});

test('the tables say what was not timed, and why', () => {
  const rows = rowsOf('a1', [outcome('ours', [2.004, 1, 3]), outcome('theirs', [256, 256]), outcome('wrong', [], { error: 0.25, problem: 'wrong' })], { ours: 'ours', operations: 4e6, limit: 4e9 });
  const lines = workloadTable('a1: a title', rows).split('\n');
  assert.match(lines[0], /^a1: a title +median +quartiles +ratio +of limit +max error +runs$/);
  assert.match(lines[1], /^ {2}ours +2\.00 +1\.50 – 2\.50 +1\.00 +50% +1\.0e-7 +3 × 2$/);
  assert.match(lines[2], /^ {2}theirs +256 +256 – 256 +128 +0% /);
  assert.match(lines[3], /^ {2}wrong +not timed: wrong \(error 2\.5e-1\)$/);
  assert.match(memoryTable([{ what: 'empty page', mebibytes: 99.6, error: null }]), /\n {2}empty page +100\n$/);
});

test('the picture has a line an implementation, named at its end, and survives what was not measured', () => {
  const rows = [
    ...rowsOf('a1', [outcome('ours', [2]), outcome('ours (simd)', [3]), outcome('theirs', [9]), outcome('never', [], { problem: 'wrong' })], { ours: 'ours', operations: 4e6, limit: 4e9 }),
    ...rowsOf('e', [outcome('ours', [2]), outcome('theirs', [], { problem: 'no' })], { ours: 'ours', limit: 4e9 }),
  ];
  const about = { ours: 'ours', hidden: ['ours (simd)'], limits: { a1: 4e9 }, where: 'here', titles: { a1: 'one', e: 'two' } };
  const svg = benchPicture(rows, about);
  assert.equal(svg.match(/<g class="series/g)?.length, 4);
  assert.match(svg, /class="end-label unscaled"[^>]*>theirs</);
  assert.match(svg, /class="end-label scaled"[^>]*>ours</);
  assert.match(svg, />100%: 4 GFLOP\/s</);
  assert.doesNotMatch(svg, /NaN|never|simd/);
  assert.equal(benchPicture(rows, about), svg);
  assert.equal(benchPicture(rows.slice(4), about).match(/<g class="series/g)?.length, 1);
});

test('the line of all is the limit of the rounds that shares are of, in the picture and in its words', () => {
  const of = (/** @type {string} */ id, /** @type {number} */ limit) => rowsOf(id, [outcome('ours', [2])], { ours: 'ours', operations: 4e6, limit });
  const drawn = (/** @type {Record<string, number>} */ limits) => benchPicture([...of('a1', limits.a1), ...of('c', limits.c)], { ours: 'ours', hidden: [], limits, where: 'here', titles: { a1: 'one', c: 'two' } });
  const apart = drawn({ a1: 66.6e9, c: 61.4e9, g: 90e9 });
  assert.match(apart, />100%: 61 to 67 GFLOP\/s</);
  assert.match(apart, /<desc [^<]*in the same rounds, 61 to 67 GFLOP\/s: a1 3%, c 3%/);
  assert.doesNotMatch(apart, /to 90|90 GFLOP/, 'a workload that is not drawn has no part in it');
  assert.match(drawn({ a1: 66.6e9, c: 67.2e9 }), />100%: 67 GFLOP\/s</);
});

test('the benchmark is asked by names that there are, and says which', () => {
  assert.deepEqual(benchOptions([]), { only: ['page', 'kernels'], quick: undefined, workloads: undefined, implementations: undefined, help: false });
  const { only, workloads: ids, implementations } = benchOptions(['--only', 'kernels', '--workloads', 'a1,g, a1', '--implementations', 'ours (simd),jax-js', '--quick']);
  assert.deepEqual([only, ids, implementations], [['kernels'], ['a1', 'g'], ['ours (simd)', 'jax-js']]);
  for (const help of ['--help', '-h']) assert.equal(benchOptions([help]).help, true);
  for (const name of ['--only', '--workloads', '--implementations', '--quick', 'g2', 'ours (copied)', 'TensorFlow.js']) assert.ok(usage.includes(name), name);
  const refused = (/** @type {string[]} */ args, /** @type {RegExp} */ message) => assert.throws(() => benchOptions(args), (/** @type {any} */ error) => error instanceof StepError && message.test(error.message));
  refused(['--implementations', 'relaxed,ours'], /^--implementations: nothing is called 'relaxed'; there are: ours, ours \(simd\), /);
  refused(['--workloads', 'z'], /^--workloads: nothing is called 'z'; there are: a1, a, /);
  refused(['--only', ''], /^--only: nothing is called ''; there are: page, kernels$/);
  refused(['--slow'], /--slow[^]*Usage: npm run bench/);
});

test('wrong names are refused and help is printed before anything is built', () => {
  const ran = (/** @type {string[]} */ ...args) => spawnSync(process.execPath, [join(root, 'build-scripts/bench.mjs'), ...args], { encoding: 'utf8', env: { ...process.env, PATH: '' } });
  const help = ran('--help');
  assert.deepEqual([help.status, help.stdout, help.stderr], [0, usage, '']);
  const wrong = ran('--implementations', 'relaxed');
  assert.notEqual(wrong.status, 0);
  assert.match(wrong.stderr, /nothing is called 'relaxed'/);
  assert.doesNotMatch(wrong.stderr, /build|emcc|cmake/i);
});

test('a processor is named in short', () => {
  assert.equal(shortName('Intel(R) Core(TM) i7-8650U CPU @ 1.90GHz'), 'Intel Core i7-8650U');
  assert.equal(shortName('AMD Ryzen 9 9950X 16-Core Processor'), 'AMD Ryzen 9 9950X');
  assert.equal(shortName(''), '');
});

test('the lock file of the peers names exact versions and no registry', () => {
  const read = (/** @type {string} */ file) => JSON.parse(readFileSync(join(root, 'tests/bench', file), 'utf8'));
  const wanted = read('package.json').dependencies;
  const { packages } = read('package-lock.json');
  assert.deepEqual(packages[''].dependencies, wanted);
  for (const [name, version] of Object.entries(wanted)) assert.equal(packages[`node_modules/${name}`].version, version);
  for (const name of Object.keys(packages).slice(1)) assert.ok(packages[name].integrity && !('resolved' in packages[name]), name);
});

test('of the peers only those are wanted that run', () => {
  const peersOf = (/** @type {string} */ id, /** @type {string[]} */ implementations) => peersAmong(runnersOf(workloadOf(id), implementations));
  assert.deepEqual(peersOf('a1', ['ours', 'ours (simd)', 'plain JavaScript']), []);
  assert.deepEqual(peersOf('a1', ['ours', 'jax-js']), ['jax-js']);
  // two threads are other forms of the same
  const { id } = workloads.find(({ isolated }) => isolated) ?? assert.fail('a workload of two threads');
  assert.deepEqual(peersOf(id, ['ours']), []);
  assert.deepEqual(runnersOf(workloadOf(id), ['ours']), ['ours', 'ours (1 worker)', 'ours (2 workers)']);
  assert.deepEqual(peersOf(id, ['onnxruntime-web', 'TensorFlow.js', 'ours', 'jax-js']), ['onnxruntime-web', 'TensorFlow.js']);
  assert.deepEqual(peerVersions([]), {});
  assert.deepEqual(Object.keys(peerVersions(['TensorFlow.js'])), ['@tensorflow/tfjs-core', '@tensorflow/tfjs-backend-wasm']);
});

test('a part of the lock file is what its packages lead to, each where Node finds it', () => {
  const read = (/** @type {string} */ file) => JSON.parse(readFileSync(join(root, 'tests/bench', file), 'utf8'));
  const [manifest, lock] = [read('package.json'), read('package-lock.json')];
  const all = partOf(manifest, lock, Object.keys(manifest.dependencies));
  assert.deepEqual([all.manifest, all.lock], [manifest, lock], 'the whole is its own part');
  const { lock: jax, manifest: { dependencies } } = partOf(manifest, lock, ['@jax-js/jax']);
  assert.deepEqual(Object.keys(jax.packages), ['', 'node_modules/@jax-js/jax']);
  assert.deepEqual([dependencies, jax.packages[''].dependencies], Array(2).fill({ '@jax-js/jax': manifest.dependencies['@jax-js/jax'] }));
  const onnx = Object.keys(partOf(manifest, lock, ['onnxruntime-web']).lock.packages);
  for (const place of ['node_modules/protobufjs', 'node_modules/onnxruntime-web/node_modules/long', 'node_modules/protobufjs/node_modules/long']) assert.ok(onnx.includes(place), place);
  assert.ok(!onnx.some((place) => place === 'node_modules/long' || place.includes('tensorflow') || place.includes('jax')));
  const packages = { '': {}, 'node_modules/a': { dependencies: { b: '1' }, peerDependencies: { absent: '1' } }, 'node_modules/a/node_modules/b': { dependencies: { a: '1', c: '1' } }, 'node_modules/b': {}, 'node_modules/c': {} };
  assert.deepEqual(Object.keys(partOf({ dependencies: { a: '1', b: '2' } }, { packages }, ['a']).lock.packages), ['', 'node_modules/a', 'node_modules/a/node_modules/b', 'node_modules/c']);
  assert.throws(() => partOf({ dependencies: {} }, { packages }, ['d']), /no d, which package.json asks for/);
});
