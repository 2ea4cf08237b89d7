/**
 * What stands beside the figures for readers who do not see them, tables, readouts and summaries: every number is the core's, printed from its raw
 * series and not by way of the plates' own models, in its own row and column. What the figures draw is tested plate by plate.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { count, fixed, precise, shortest, weight } from '../../web/chart/format.js';
import { large, memory, percent, speed, three } from '../../web/plates/parts/price-read.js';
import { loadCore } from './support.js';
import { elements, textOf, withClass } from './support-chart.js';

const core = await loadCore();

/**
 * A plate of a run, its figures by name, and the run's series.
 * @param {string} study
 * @param {Record<string, any>} [params]
 */
async function drawn(study, params = {}) {
  const { default: plate } = await import(`../../web/plates/${study}.js`);
  const result = core.run(study, params);
  /** @type {import('../../web/chart/types.js').Drawing} */
  const drawing = plate.draw(result, { width: 974, uid: 'u', params: result.params, hover: null });
  const numbers = (/** @type {string} */ name) => Array.from(result.series[name].data, Number);
  const words = (/** @type {string} */ name) => Array.from(result.series[name].data, String);
  const figure = (/** @type {string} */ id) => /** @type {import('../../web/chart/types.js').Figure} */ (drawing.figures.find((each) => each.id === id));
  return { drawing, numbers, words, one: (/** @type {string} */ name) => numbers(name)[0], figure, rows: (/** @type {string} */ id) => figure(id).table.rows };
}

/** A text that has to stand in another. @param {string} whole @param {string} part */
const says = (whole, part) => assert.ok(whole.includes(part), `“${part}” is not in “${whole}”`);

const both = ['unscaled', 'scaled'];

test('saturation: curves, the draw, the readout and the summaries', async () => {
  const { drawing, numbers, one, figure, rows } = await drawn('saturation', { d: 100, keys: 20, draws: 40, theory: true, unit: 'bits' });
  for (const [id, name] of [['entropy', 'entropy'], ['jacobian', 'jacobian']]) {
    const all = numbers('dims').map((d, i) => [String(d), ...both.flatMap((kind) => [numbers(`${name}_${kind}`)[i], numbers(`${name}_${kind}_se`)[i]].map((v) => fixed(v, 4)))]);
    all.splice(5, 0, ['100', ...both.flatMap((kind) => [one(`at_${name}_${kind}`), one(`at_${name}_${kind}_se`)].map((v) => fixed(v, 4)))]);
    assert.deepEqual(rows(id), all);
    const at = both.map((kind) => `${fixed(one(`at_${name}_${kind}`), 3)} ± ${fixed(one(`at_${name}_${kind}_se`), 3)}`);
    const ends = both.map((kind) => `${fixed(numbers(`${name}_${kind}`)[0], 3)} to ${fixed(numbers(`${name}_${kind}`)[7], 3)}`);
    const unit = name === 'entropy' ? ' bits' : '';
    says(figure(id).summary, `${at[0]}${unit} unscaled and ${at[1]}${unit} scaled; perfectly even weights would have ${fixed(one(`uniform_${name}`), 3)}.`);
    says(figure(id).summary, `From d = 4 to d = 512 the unscaled ${name === 'entropy' ? 'mean' : 'norm'} goes from ${ends[0]}, the scaled from ${ends[1]}.`);
  }
  const draw = both.map((kind) => ({ scores: numbers(`draw_scores_${kind}`), weights: numbers(`draw_weights_${kind}`) }));
  assert.deepEqual(rows('weights'), draw[0].scores.map((_, k) => [String(k + 1), ...draw.flatMap(({ scores, weights }) => [fixed(scores[k], 2), precise(weights[k])])]));
  const [plain, divided] = draw.map(({ weights }) => weights.indexOf(Math.max(...weights)));
  says(figure('weights').summary, `Unscaled, the largest is key ${plain + 1} with ${weight(draw[0].weights[plain], 3)}; scaled, key ${divided + 1} with ${weight(draw[1].weights[divided], 3)}.`);
  const cells = (/** @type {string} */ name, /** @type {(v: number) => string} */ print, /** @type {boolean} */ error) => both.flatMap((kind) => [print(one(`at_${name}_${kind}`)), error ? `± ${fixed(one(`at_${name}_${kind}_se`), 3)}` : '']);
  assert.deepEqual(drawing.readout?.rows, [
    ['score spread', ...cells('spread', (v) => fixed(v, 2), false)],
    ['entropy, bits', ...cells('entropy', (v) => fixed(v, 3), true)],
    ['keys in effect', ...cells('effective', (v) => fixed(v, v < 9.995 ? 2 : 1), false)],
    ['largest weight', ...cells('largest', (v) => weight(v, 3), true)],
    ['Jacobian norm', ...cells('jacobian', (v) => fixed(v, 3), true)],
    ['deviation of Z', '> 1000', '', fixed(Math.sqrt(Math.expm1(1) / 20), 2), ''],
  ]);
  const near = (await drawn('saturation', { d: 4, draws: 5, theory: true })).drawing.readout?.rows.at(-1);
  assert.deepEqual(near, ['deviation of Z', fixed(Math.sqrt(Math.expm1(4) / 64), 2), '', fixed(Math.sqrt(Math.expm1(1) / 64), 2), '']);
});

test('price: formulas, passes, growth, race and machines', async () => {
  const times = { machine: '60,58,62;30,28,33' };
  const { drawing, numbers, words, one, figure, rows } = await drawn('cost', { n: 1024, m: 512, d: 64, v: 32, h: 16, window: 100, ...times });
  const at = one('accelerator');
  const [operations, bytes, intensity, limit, here] = ['work_operations', 'work_bytes', 'work_intensity', 'work_limit', 'machine_attainable'].map(numbers);
  assert.deepEqual(rows('roofline'), words('work_names').map((name, i) => [
    name, count(operations[i]), count(bytes[i]), three(intensity[i]), three(limit[i]), speed(numbers('work_attainable')[at * 4 + i]), numbers('work_by_memory')[at * 4 + i] === 1 ? 'memory' : 'arithmetic',
    speed(here[i]), 'not measured', 'not measured', 'not measured', 'not measured',
  ]));
  const passes = words('pass_names');
  assert.deepEqual(rows('passes'), passes.map((name, i) => [name, count(numbers('pass_bytes')[i]), i < 4 ? 'spared' : 'moved']));
  // scores and weights are 1024 by 512 numbers of four bytes, what stays is queries and output, keys and values
  assert.deepEqual(rows('passes').map((row) => row[1]), [...Array(4).fill(count(4 * 1024 * 512)), ...[1024 * 64, 512 * 64, 512 * 32, 1024 * 32].map((size) => count(4 * size))]);
  says(figure('passes').summary, `Together ${memory(bytes[0])}; in tiles ${memory(bytes[1])}.`);
  assert.deepEqual(rows('intensity'), numbers('curve_n').map((n, i) => [count(n), three(numbers('curve_intensity')[i]), three(numbers('curve_tiled')[i])]));
  const lengths = numbers('growth_n');
  const [grown, tiles] = ['growth_operations', 'growth_tiles'].map(numbers);
  assert.deepEqual(rows('growth').map((row) => row.filter((_, i) => i === 0 || i % 3 !== 0)), lengths.map((n, i) => [count(n), ...[0, 1, 2].flatMap((mask) => [grown, tiles].map((of) => count(of[mask * lengths.length + i])))]));
  words('mask_names').forEach((name, i) => {
    const [full, mixed, empty] = numbers('here_tiles').slice(3 * i, 3 * i + 3);
    const share = numbers('here_share')[i];
    assert.equal(full + mixed + empty, numbers('here_tiles').slice(0, 3).reduce((sum, each) => sum + each));
    says(figure('growth').summary, `${name} ${large(numbers('here_operations')[i])} operations, ${share === 1 ? 'all' : `${fixed(100 * share, 1)}%`} of the pairs, ${count(full + mixed)} tiles visited and ${count(empty)} skipped`);
  });
  const rules = words('race_rules');
  assert.deepEqual(rows('race').map((row) => row.slice(0, 6)), numbers('race_widths').flatMap((width, w) => rules.map((rule, r) => {
    const of = (/** @type {string} */ name) => numbers(name)[w * rules.length + r];
    return [rule, String(width), count(of('race_operations')), three(of('race_ratio')), count(of('race_largest')), three(of('race_largest_ratio'))];
  })));
  says(JSON.stringify(drawing.readout?.caption), 'quartiles 58 to 62 GFLOP/s, 28 to 33 GB/s.');
  const [gflops, gbs, ridges] = ['accelerator_gflops', 'accelerator_gbs', 'accelerator_ridge'].map(numbers);
  assert.deepEqual(drawing.readout?.rows, [
    ...words('accelerator_names').map((name, i) => [i === at ? `${name}, chosen` : name, speed(gflops[i]), `${count(gbs[i])} GB/s`, three(ridges[i])]),
    ['as measured', '62 GFLOP/s', '33 GB/s', three(62 / 33)],
  ]);
});

test('price: times stand in their rows', async () => {
  const machine = '60,58,62;30,28,33';
  const keys = (await drawn('cost')).numbers('job_key');
  const timed = keys.map((key, i) => `${key},${i + 2},${i + 1},${i + 4}`).join(';');
  const { numbers, rows, figure, words } = await drawn('cost', { machine, times: timed });
  const ms = (/** @type {number} */ i) => `${three(i + 2)} ms (${three(i + 1)} to ${three(i + 4)})`;
  const [throughput, reached, least] = ['work_gflops', 'work_reached', 'work_at_least'].map(numbers);
  assert.deepEqual(rows('roofline').map((row) => row.slice(8)), words('work_names').map((_, i) => [speed(throughput[3 * i]), percent(reached[i]), three(least[i]), ms(i)]));
  // throughput is operations over time: a thousandth of a second is 1e6 nanoseconds
  words('work_names').forEach((_, i) => assert.ok(Math.abs(throughput[3 * i] / (numbers('work_operations')[i] / (i + 2) / 1e6) - 1) < 1e-12));
  const [race, ratio] = ['race_ms', 'race_time_ratio'].map(numbers);
  assert.deepEqual(rows('race').map((row) => row.slice(6)), rows('race').map((_, i) => [`${three(race[3 * i])} ms (${three(race[3 * i + 1])} to ${three(race[3 * i + 2])})`, three(ratio[3 * i])]));
  const lengths = numbers('timed_n');
  words('mask_names').forEach((name, mask) => lengths.forEach((n, i) => {
    const [median, low, high] = numbers('growth_ms').slice(3 * (mask * lengths.length + i));
    if (!Number.isFinite(median)) return;
    assert.equal(rows('growth').find(([length]) => length === count(n))?.[3 * mask + 3], `${three(median)} ms (${three(low)} to ${three(high)})`, name);
    says(figure('growth').summary, `${count(n)} in ${three(median)} ms`);
  }));
});

test('additive: scores, units, the fall, counts with their formulas, variances', async () => {
  const { drawing, numbers, words, one, figure, rows } = await drawn('additive', { queries: 3, keys: 5, hidden: 4, query: 2, key: 4, epsilon: 0.5, n: 100, m: 30, d: 7, rank: 3, activation: 'tanh' });
  const [scores, weights, queries, keys, gives] = ['scores', 'weights', 'query_parts', 'key_parts', 'contributions'].map(numbers);
  assert.deepEqual(rows('weights').filter((_, i) => i % 2 === 0), [0, 1, 2].map((q) => [`query ${q + 1}: scores`, ...scores.slice(5 * q, 5 * q + 5).map(precise)]));
  const row = weights.slice(5, 10);
  says(figure('weights').summary, `query 2 is ${weight(Math.max(...row), 4)} on key ${row.indexOf(Math.max(...row)) + 1}`);
  assert.deepEqual(rows('units'), [0, 1, 2, 3].map((u) => [String(u + 1), precise(queries[4 + u]), precise(keys[4 * 3 + u]), ...[0, 1, 2, 3, 4].map((k) => precise(gives[(5 + k) * 4 + u]))]));
  const sum = [0, 1, 2, 3].reduce((all, u) => all + gives[(5 + 3) * 4 + u], 0);
  says(figure('units').summary, `Together they are the score, ${fixed(sum, 3)}.`);
  assert.deepEqual(rows('falls'), numbers('eps').map((eps, i) => [shortest(eps), precise(numbers('eps_difference')[i]), precise(numbers('predicted_line')[i])]));
  const [formulas, counts] = [words('cost_formulas'), ['parameters', 'operations', 'largest_intermediate'].map(numbers)];
  assert.deepEqual(rows('costs').slice(0, 4), words('rule_names').map((name, r) => [name, ...[0, 1, 2].flatMap((c) => [count(counts[c][r]), formulas[3 * r + c]])]));
  // n = 100, m = 30: the parameters and operations of the dot product need no core
  assert.deepEqual(rows('costs')[1], ['scaled dot', '0', '0', count(2 * 100 * 30 * 7 + 3000), '2 n m d + n m', count(3000), 'n m']);
  const orders = numbers('order_operations');
  assert.deepEqual(rows('costs').slice(4).map((cells) => [cells[3], cells[4]]), orders.map((each) => [count(each), each === Math.min(...orders) ? 'the cheaper order' : 'the dearer order']));
  assert.deepEqual(rows('parameters'), numbers('ranks').map((r, i) => [String(r), count(numbers('rank_parameters')[i]), count(one('bilinear_parameters'))]));
  const spreads = ['rank_variance', 'rank_variance_se', 'rank_variance_scaled', 'rank_variance_scaled_se'].map(numbers);
  assert.deepEqual(rows('variance'), numbers('variance_ranks').map((r, i) => [String(r), ...spreads.map((of) => fixed(of[i], 3))]));
  const said = ['score_variance', 'scaled_variance'].map((name) => `${fixed(one(name), 2)} ± ${fixed(one(`${name}_se`), 2)}`);
  says(figure('variance').summary, `At r = 3 it is ${said[0]} as it is, and ${said[1]} times 1/√r, which is ${fixed(1 / Math.sqrt(3), 3)}.`);
  assert.notEqual(precise(one('identity_difference')), precise(one('row_difference')));
  assert.deepEqual(drawing.readout?.rows, [
    ['score', fixed(scores[8], 4)], ['weight', weight(weights[8], 4)], ['rows differ by at most', precise(one('row_difference'))], ['with the identity', precise(one('identity_difference'))],
  ]);
});

test('kernels: weights before and after a move, and the field along its line', async () => {
  const { numbers, rows, one } = await drawn('kernels', { points: 'own', query: '0.5,1', keys: '1,0.25;-1,2;0.5,-1.5', key: 2, move: 'query', shift: '0.75,-0.5' });
  const [scores, weights, before] = ['scores', 'weights', 'weights_before'].map(numbers);
  assert.deepEqual(rows('weights'), [0, 1, 2].map((k) => [String(k + 1), ...[0, 1, 2].flatMap((rule) => [fixed(scores[3 * rule + k], 3), precise(weights[3 * rule + k]), precise(before[3 * rule + k])])]));
  // the scaled dot product needs no core: the score of key 2 before and after
  assert.equal(rows('weights')[1][7], fixed((1.25 * -1 + 0.5 * 2) / Math.SQRT2, 3));
  const line = rows('fields');
  const half = one('extent');
  const keys = [[1, 0.25], [-1, 2], [0.5, -1.5]];
  const side = Math.sqrt(numbers('field').length / 3);
  assert.equal(line.length, 12);
  line.forEach(([x, ...of], i) => {
    const [px, py] = [half * ((2 * (8 * i + 4) + 1) / side - 1), -half / side]; // the middle of a cell right below the axis
    assert.equal(x, fixed(px, 2));
    const rules = [(/** @type {number[]} */ [a, b]) => -((px - a) ** 2 + (py - b) ** 2) / 2, (/** @type {number[]} */ [a, b]) => px * a + py * b, (/** @type {number[]} */ [a, b]) => (px * a + py * b) / Math.SQRT2];
    rules.forEach((score, rule) => {
      const terms = keys.map((key) => Math.exp(score(key)));
      const wanted = terms[1] / (terms[0] + terms[1] + terms[2]);
      assert.ok(Math.abs(Number(of[rule].replace('−', '-')) / wanted - 1) < 6e-4, `${rule} at ${x}: ${of[rule]} for ${wanted}`); // four significant figures
    });
  });
});

test('kernels: the readout has a gradient a rule, both of its coordinates', async () => {
  const { drawing, numbers } = await drawn('kernels', { points: 'own', query: '0.5,1', keys: '1,0.25;-1,2;0.5,-1.5', move: 'keys', shift: '0.75,-0.5' });
  const gradient = numbers('bias_gradient');
  const rows = new Map((drawing.readout?.rows ?? []).map(([name, ...cells]) => [name, cells]));
  const near = (/** @type {number} */ value) => (value === 0 ? '0' : Math.abs(value) < 1e-12 ? '≈ 0' : fixed(value, 3));
  assert.deepEqual(rows.get('key bias gradient, x'), [0, 2, 4].map((at) => near(gradient[at])));
  assert.deepEqual(rows.get('and y'), [1, 3, 5].map((at) => near(gradient[at])));
  assert.ok(Math.abs(gradient[0]) > 0.01 && Math.abs(gradient[0] - gradient[1]) > 0.01, 'two that can be told apart');
  assert.deepEqual(rows.get('changes by up to'), numbers('moved_by').map(near));
  assert.deepEqual(rows.get('the move'), ['moves', 'stays', 'stays']);
});

test('masked softmax: every tip has the sum of its own row', async () => {
  const { numbers, figure } = await drawn('masked-softmax', { batch: 3, queries: 2, keys: 4, lens: '2,0;4,1;0,3', scores: 'normal' });
  numbers('row_sums').forEach((sum, row) => {
    const text = figure('maps').marks.find(({ id }) => id === `sum-${Math.floor(row / 2) + 1}-${(row % 2) + 1}`)?.text;
    assert.equal(text, `sequence ${Math.floor(row / 2) + 1}, query ${(row % 2) + 1}: row sum ${precise(sum)}${sum === 0 ? ', no key left' : ''}`);
  });
});

test('ledger: the ranges of the prose, each number in its column; which numbers differ', async () => {
  const { numbers, words, rows, drawing } = await drawn('ledger', { runs: 40, offset: 1, generator: 'jax' });
  const of = ['prose_mean', 'prose_deviation', 'prose_low', 'prose_high'].map(numbers);
  assert.deepEqual(rows('prose').map((row) => row.slice(0, 7)), words('prose_sentence').map((sentence, i) => [sentence, words('prose_place')[i], shortest(numbers('prose_printed')[i]), ...of.map((each) => fixed(each[i], 4))]));
  const chance = numbers('prose_chance');
  rows('prose').forEach((row, i) => assert.equal(row[7], `borne out by ${Math.round(40 * chance[i])}`));
  assert.ok(new Set(chance).size > 3 && Math.max(...chance) <= 1);
  const [ours, printed, verdicts, entries] = ['ours', 'printed', 'verdict', 'entry'].map(words);
  const tables = drawing.figures.filter(({ id }) => id.startsWith('table-'));
  assert.deepEqual(tables.flatMap(({ table }) => table.rows.map((row) => row.slice(0, 4))), ours.map((each, i) => [entries[i], each, printed[i], verdicts[i] === 'match' ? 'match' : 'differs']));
  rows('prose').forEach((row, i) => assert.ok(drawing.figures.at(-1)?.marks[i].text.startsWith(`${row[0]}: `) && drawing.figures.at(-1)?.marks[i].text.endsWith(`; mean ${row[3]}, standard deviation ${row[4]}, middle 95% from ${row[5]} to ${row[6]}`), row[0]));
  for (const { summary, table } of tables) {
    const differing = table.rows.filter(([, mine, theirs]) => mine !== theirs);
    if (differing.length === 0) assert.doesNotMatch(summary, /ours/);
    else says(summary, `They are ${differing.slice(0, 6).map(([entry, mine, theirs]) => `${entry}, ours ${mine} for ${theirs}`).join('; ')}${differing.length > 6 ? ' and others' : ''}.`);
  }
});

test('masks: what each sheet tells, bytes by their format, rows and columns of tiles by their first query and key', async () => {
  const { rows, figure, numbers } = await drawn('masks', { mask: 'causal & window(2) & padding(3)', queries: 6, keys: 6 });
  // causal closes 15 of 36 pairs, the window leaves 11, padding 18; what a sheet alone closes: those that the other two leave open
  const sees = [(/** @type {number} */ q, /** @type {number} */ k) => k <= q, (/** @type {number} */ q, /** @type {number} */ k) => k <= q && q - k < 2, (/** @type {number} */ _, /** @type {number} */ k) => k < 3];
  const pairs = Array.from({ length: 36 }, (_, at) => [Math.floor(at / 6), at % 6]);
  sees.forEach((own, i) => {
    const alone = pairs.filter(([q, k]) => !own(q, k) && sees.every((other, j) => j === i || other(q, k)));
    assert.deepEqual(rows('tells')[i].slice(1, 4), [weight(pairs.filter(([q, k]) => own(q, k)).length / 36, 6), count(alone.length), count(new Set(alone.map(([q]) => q)).size)]);
  });
  const bytes = new Map(rows('tells').map(([name, value]) => [name, value]));
  assert.deepEqual(['a bit a pair', 'a byte a pair', 'float16 bias', 'float32 bias'].map((name) => bytes.get(`memory: ${name}`)), ['6 B', '36 B', '72 B', '144 B']); // bits by row, each of whole bytes
  assert.equal(bytes.get('empty rows'), count(numbers('empty_rows').reduce((sum, each) => sum + each, 0)));
  says(figure('tells').summary, 'one length a query cannot say it.');
  says((await drawn('masks', { mask: 'causal & padding(3)', queries: 6, keys: 6 })).figure('tells').summary, 'one length a query can say it.');
  const large = await drawn('masks', { mask: 'causal', queries: 512, keys: 128 });
  const across = large.figure('sheets').table;
  const [high, wide] = [512 / across.rows.length, 128 / (across.columns.length - 1)];
  assert.notEqual(high, wide);
  assert.deepEqual(across.rows.slice(0, 2).map(([head]) => head.replace(/ \(.*/, '')), ['query 1', `query ${high + 1}`]);
  assert.deepEqual(across.columns.slice(1, 3), [['key 1'], [`key ${wide + 1}`]]);
  const heads = await drawn('masks', { mask: 'padding(3,2)', queries: 4, keys: 4, sequence: 2 });
  says(JSON.stringify(heads.figure('sheets').caption), 'Sequence 2 of 2. ');
  const cells = await drawn('masks', { mask: 'rows(10,11/11,11/01,11)', queries: 2, keys: 2, head: 2 });
  says(JSON.stringify(cells.figure('sheets').caption), 'Head 2 of 3. ');
});

test('formats: the outcome stands in the row of weights, and each way of the layers tells of its own NaN', async () => {
  const { words, numbers, rows, figure } = await drawn('precision', { row: 'masked', fill: '-infinity', dtype: 'float16', zeroing: false });
  const ends = rows('trace').map((row) => [String(row[0]).replace(/ \(.*/, ''), row.at(-1)]).filter(([, end]) => end !== '');
  assert.equal(words('outcome')[0], 'NaN');
  assert.deepEqual(ends.find(([name]) => name === 'weights'), ['weights', 'NaN']);
  assert.deepEqual(ends.map(([name]) => name).filter((name) => name === 'scores' || name === 'exact'), []);
  const values = numbers('layer_values');
  const lost = (/** @type {number} */ way, /** @type {number} */ stage) => ['position 1', 'position 2', 'position 3', 'padding'].filter((_, p) => [0, 1].some((c) => Number.isNaN(values[((way * 4 + stage) * 4 + p) * 2 + c])));
  assert.deepEqual([0, 1, 2, 3].map((stage) => lost(0, stage).length), [0, 1, 4, 4]);
  const said = ['−∞, and nothing is zeroed', 'this core'].map((name, way) => `${name}: ${['input', 'layer 1', 'layer 2', 'layer 3'].map((stage, s) => {
    const all = lost(way, s);
    return `${stage}, ${all.length === 0 ? 'all numbers' : `NaN at ${all.length === 1 ? all[0] : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`}`}`;
  }).join('; ')}`);
  assert.equal(figure('layers').summary, `${said.join('. ')}.`);
});

test('formats: the headline names both formats where they differ, and one where they do not', async () => {
  const line = async (/** @type {string} */ dtype, /** @type {string} */ accumulate) => JSON.stringify((await drawn('precision', { row: 'ordinary', dtype, accumulate })).drawing.headline);
  says(await line('float16', 'float32'), 'with scores in float16 and the softmax in float32.');
  says(await line('bfloat16', 'bfloat16'), 'weighs zero, all in bfloat16.');
});

test('batched: every matrix of the sequence, the weights of all, the sums with what is expected', async () => {
  const { numbers, words, rows, figure, one } = await drawn('batched', { batch: 2, queries: 2, keys: 3, d: 2, width: 2, sequence: 2, row: 2, lens: '3,2', dropout: 0.5, draws: 100, left: '2,1,3', right: '2,3,5' });
  const of = (/** @type {string} */ name, /** @type {number} */ count_, /** @type {number} */ columns, /** @type {number} */ i) => numbers(name).slice((count_ + i) * columns, (count_ + i + 1) * columns);
  const flow = new Map(rows('flow').map(([name, ...cells]) => [name, cells.filter((cell) => cell !== '')]));
  assert.equal(flow.size, 2 + 3 + 5 * 2 + 3 + 2);
  for (const i of [0, 1]) {
    assert.deepEqual(flow.get(`queries, query ${i + 1}`), of('queries', 2, 2, i).map(precise));
    assert.deepEqual(flow.get(`output, query ${i + 1}`), of('output', 2, 2, i).map(precise));
    for (const [name, series] of [['products', 'products'], ['scaled scores', 'scaled'], ['weights', 'weights']]) assert.deepEqual(flow.get(`${name}, query ${i + 1}`), of(series, 2, 3, i).map(precise));
    assert.deepEqual(flow.get(`mask, query ${i + 1}`), ['allowed', 'allowed', 'excluded']);
    assert.deepEqual(flow.get(`weights after dropout, query ${i + 1}`), of('pooled', 2, 3, i).map((value, k) => `${precise(value)}${k < 2 && of('kept', 2, 3, i)[k] === 0 ? ' (dropped)' : ''}`));
  }
  for (const i of [0, 1, 2]) for (const name of ['keys', 'values']) assert.deepEqual(flow.get(`${name}, key ${i + 1}`), of(name, 3, 2, i).map(precise));
  assert.deepEqual(rows('stored'), [0, 1, 2, 3].map((r) => [`sequence ${Math.floor(r / 2) + 1}, query ${(r % 2) + 1}`, ...of('weights', 0, 3, r).map((w, k) => `${precise(w)}${r > 1 && k === 2 ? ' (masked)' : ''}`)]));
  const [counts, exact, alone, edges] = ['histogram', 'histogram_exact', 'histogram_one_hot', 'histogram_edges'].map(numbers);
  assert.deepEqual(rows('sums'), counts.map((each, i) => [fixed(edges[i], 3), fixed(edges[i + 1], 3), count(each), fixed(exact[i], 1), count(alone[i])]));
  const at = (/** @type {string} */ name) => fixed(numbers(name)[3], 3); // query 2 of sequence 2
  says(figure('sums').summary, `mean ${at('sum_mean')} ± ${at('sum_mean_se')}, where 1 is expected; variance ${at('sum_variance')} ± ${at('sum_variance_se')}, where ${at('predicted_variance')} is predicted.`);
  says(figure('sums').summary, `everything is lost in a share of ${weight(one('one_hot_zero_share'), 3)}.`);
  const printed = withClass(withClass(figure('sums').node, 'numbers')[0], 'numbers').flatMap((group) => elements(group, 'text').map(textOf));
  for (const name of ['sum_mean_se', 'sum_variance_se']) assert.ok(printed.includes(`± ${at(name)}`), `${name}: ${printed}`);
  assert.ok(printed.includes(`± ${fixed(Math.sqrt(0.5 * 0.5 / 100), 3)}`), `share of draws without the one key: ${printed}`);
  // the ring stands beside the rows of the sequence that is followed, half way between them
  const ring = withClass(figure('stored').node, 'handle')[0];
  const own = figure('stored').marks.filter(({ id }) => id === 'weight-3-1' || id === 'weight-4-1');
  assert.ok(Math.abs(Number(ring.attrs.cy) - own[1].y) < 0.01, 'the second sequence begins after two rows and has two');
  assert.deepEqual(rows('shapes'), [['first', '2', '1', '3'], ['second', '2', '3', '5'], ['product', '2', '1', '5']]);
  assert.equal(words('product_shape')[0], '(2, 1, 5)');
});

test('batched: every tip says the entry that it stands on, wide and narrow', async () => {
  const { default: plate } = await import('../../web/plates/batched.js');
  const result = core.run('batched', { batch: 2, queries: 2, keys: 3, d: 2, width: 4, sequence: 2, lens: '3,3;1,2', dropout: 0.5 });
  const entry = (/** @type {string} */ name, /** @type {number} */ columns, /** @type {number} */ i, /** @type {number} */ j) => {
    const [, rows] = result.series[name].shape;
    return precise(Number(result.series[name].data[(rows + i) * columns + j]));
  };
  for (const width of [358, 974]) {
    const drawing = plate.draw(result, { width, uid: 'u', params: result.params, hover: null });
    const { marks } = drawing.figures[0];
    const tips = new Map(marks.map((/** @type {{id: string, text: string}} */ { id, text }) => [id, text]));
    const tip = (/** @type {string} */ stage, /** @type {number} */ i, /** @type {number} */ j) => tips.get(`${stage}-${i + 1}-${j + 1}`) ?? '';
    for (const i of [0, 1]) {
      for (const k of [0, 1, 2]) {
        const pair = `query ${i + 1}, key ${k + 1}: `;
        const beyond = k > i ? `, beyond valid length ${i + 1}` : '';
        assert.equal(tip('products', i, k), `${pair}product ${entry('products', 3, i, k)}`);
        assert.equal(tip('scaled', i, k), `${pair}score ${entry('scaled', 3, i, k)}`);
        assert.equal(tip('allowed', i, k), `${pair}${beyond === '' ? 'allowed' : `excluded${beyond}`}`);
        assert.equal(tip('weights', i, k), `${pair}weight ${entry('weights', 3, i, k)}${beyond}`);
        assert.ok(tip('pooled', i, k).startsWith(`${pair}weight ${entry('pooled', 3, i, k)} after dropout, `));
      }
      for (const c of [0, 1]) {
        assert.equal(tip('queries', i, c), `query ${i + 1}, coordinate ${c + 1}: ${entry('queries', 2, i, c)}`);
        for (const k of [0, 1, 2]) assert.ok(tip('keys', c, k).startsWith(`key ${k + 1}, coordinate ${c + 1}: ${entry('keys', 2, k, c)}`));
      }
      for (const v of [0, 1, 2, 3]) {
        const across = tip('output', v, i) !== '' && tips.has('output-4-1'); // a column a query, where there is room for it
        assert.equal(across, width === 974);
        assert.equal(across ? tip('output', v, i) : tip('output', i, v), `query ${i + 1}, output ${v + 1}: ${entry('output', 4, i, v)}`);
        for (const k of [0, 1, 2]) assert.ok(tip('values', v, k).startsWith(`key ${k + 1}, value ${v + 1}: ${entry('values', 4, k, v)}`));
      }
    }
  }
});
