/**
 * Plate IX: what it draws before and after a measurement, at every width; that its jobs are the study's and that figures measured
 * elsewhere are said to be so.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import plate from '../../web/plates/cost.js';
import { large, memory, percent, readJobs, readRace, speed, three, timed } from '../../web/plates/parts/price-read.js';
import { toString } from '../../web/chart/node.js';
import { textWidth } from '../../web/chart/text.js';
import { loadCore } from '../../build-scripts/web/core.mjs';
import { wasmDir } from './support.js';
import { checkFigures, checkReach, elements, textOf, withClass } from './support-chart.js';

const core = await loadCore(wasmDir);
const machine = '60,58,62;30,28,33';

/** @param {Record<string, unknown>} params @param {number} [width] */
function drawn(params, width = 974) {
  const result = core.run('cost', params);
  return { result, drawing: plate.draw(result, { width, uid: 'x', params: result.params, hover: null }) };
}

/** Every offered job with a time. @param {Record<string, unknown>} [params] @param {(job: ReturnType<typeof readJobs>[number]) => string} [more] of its row */
const measured = (params = {}, more = () => '') => ({ ...params, machine, times: readJobs(core.run('cost', params)).map((job, i) => `${job.key},${i + 2},${i + 1},${i + 4}${more(job)}`).join(';') });

/** The slow ones on an eighth of their queries. */
const partly = measured({}, ({ kind, n }) => `,${kind === 'additive-direct' ? n / 8 : n}`);

test('every figure is drawn within its sheet, measured or not, from a phone to a sheet', () => {
  for (const params of [{}, measured(), partly, { n: 1, m: 1, d: 1, v: 1, h: 1, window: 1 }, { n: 32768, m: 32768, d: 1024, v: 1024, h: 1024, window: 32768, machine }]) {
    for (const width of [320, 358, 559, 560, 700, 819, 820, 974, 1300]) {
      const { drawing } = drawn(params, width);
      checkFigures(drawing, { uid: 'x', width });
      assert.deepEqual(drawing.figures.map(({ id }) => id), ['roofline', 'passes', 'intensity', 'growth', 'race']);
      for (const figure of drawing.figures) {
        const text = toString(figure.node);
        assert.doesNotMatch(text, /NaN|Infinity|undefined/, `${figure.id} at ${width}`);
        assert.doesNotMatch(figure.summary, /NaN|undefined/);
        for (const mark of figure.marks) assert.ok(mark.cx >= -1 && mark.cx <= figure.width + 1 && mark.cy >= -1 && mark.cy <= figure.height + 1, `${figure.id} at ${width}: ${mark.id}`);
        assert.ok(figure.table.rows.every((row) => row.length === figure.table.columns.length));
      }
    }
  }
});

/** Every offered job with this time, and all others. @param {Record<string, unknown>} params @param {number} ms */
const even = (params, ms) => ({ ...params, machine, times: readJobs(core.run('cost', params)).map(({ key }) => `${key},${ms},${ms},${ms}`).join(';') });

test('every mark is come to, by pointer and by arrow keys, also where marks coincide', () => {
  for (const params of [{}, measured(), even({}, 3), { n: 1, m: 1, d: 1, v: 1, h: 1 }, { n: 1, m: 32768, d: 64, v: 64, h: 64 }, even({ n: 1, m: 1 }, 1), { n: 32768, m: 32768, d: 1024, v: 1024, h: 1024 }]) {
    for (const width of [320, 358, 700, 974]) for (const figure of drawn(params, width).drawing.figures) checkReach(figure);
  }
});

test('in the race points that coincide are named together, differ in size, and their names are tied to them', () => {
  for (const width of [358, 974]) {
    const race = drawn({}, width).drawing.figures[4];
    const last = race.marks.filter(({ id }) => id.startsWith('race-largest')).at(-1);
    assert.match(last?.text ?? '', /^factored, (width )?64: 1 times the largest intermediate.*; factored, (width )?256: 1 times/);
    const first = race.marks.filter(({ id }) => id.startsWith('race-operations')).map(({ text }) => text);
    assert.equal(first.length, 2);
    assert.ok(first.every((text) => /factored/.test(text) && /kept/.test(text)));
    const radii = elements(race.node, 'circle').map(({ attrs }) => Number(attrs.r));
    assert.equal(new Set(radii).size, 2, 'two widths, two sizes');
    assert.ok(Math.max(...radii) - Math.min(...radii) > 2, 'one lies visibly within the other');
    const ties = [...withClass(race.node, 'race-tie')[0].attrs.d.matchAll(/M([-\d.]+) ([-\d.]+)L([-\d.]+) ([-\d.]+)/g)].map((each) => each.slice(1).map(Number));
    assert.equal(ties.length, 2);
    assert.equal(ties[0][1], ties[1][1], 'from one point');
    assert.ok(Math.abs(ties[0][3] - ties[1][3]) >= 17, 'to two names');
  }
});

test('no line runs through a value beside the rule of the ratio, nor through what is said of tiles', () => {
  for (const params of [{}, { n: 512, m: 512, d: 256, v: 256 }, { n: 1, m: 32768 }, { n: 4096, m: 128 }, { n: 64, m: 8192 }, { d: 256, v: 256 }, { n: 32768, m: 32768 }, { n: 32768, m: 32768, d: 256, v: 256 }]) {
    for (const width of [358, 974]) {
      const { node } = drawn(params, width).drawing.figures[2];
      const boxes = [...withClass(node, 'rule-values').flatMap((group) => elements(group, 'text')), ...elements(node, 'text').filter((text) => textOf(text) === 'in tiles')].map((text) => {
        const [x, y, long] = [Number(text.attrs.x), Number(text.attrs.y), textWidth(textOf(text), Number(text.attrs['font-size'] ?? 15))];
        return { said: textOf(text), from: text.attrs['text-anchor'] === 'end' ? x - long : x, to: text.attrs['text-anchor'] === 'end' ? x : x + long, top: y - 5, bottom: y + 5 };
      });
      for (const path of ['line', 'reference', 'rule'].flatMap((name) => withClass(node, name))) {
        const points = [...String(path.attrs.d).matchAll(/([MLHV])\s*([-\d.]+)(?:[ ,]([-\d.]+))?/g)];
        let at = { x: 0, y: 0 };
        for (const [, letter, a, b] of points) {
          const to = letter === 'H' ? { x: Number(a), y: at.y } : letter === 'V' ? { x: at.x, y: Number(a) } : { x: Number(a), y: Number(b) };
          for (let i = 0; letter !== 'M' && i <= 200; i++) {
            const [x, y] = [at.x + ((to.x - at.x) * i) / 200, at.y + ((to.y - at.y) * i) / 200];
            for (const box of boxes) assert.ok(!(x > box.from && x < box.to && y > box.top && y < box.bottom), `${path.attrs.class} crosses ${box.said} at ${width} of ${JSON.stringify(params)}`);
          }
          at = to;
        }
      }
    }
  }
});

test('nothing here is scaled or unscaled: figures and captions have ink alone, and each line of the growth a stroke and a mark of its own', () => {
  for (const params of [{}, measured()]) {
    const { figures } = drawn(params).drawing;
    for (const { id, node, caption } of figures) {
      assert.ok(node.attrs.class.split(' ').includes('in-ink'), id);
      assert.ok(caption.every((part) => typeof part === 'string' || 'i' in part || 'act' in part), id);
    }
  }
  const { node } = drawn({}, 358).drawing.figures[3];
  assert.deepEqual(withClass(node, 'growth-line').map(({ attrs, children }) => `${attrs.class.includes('broken')} ${/** @type {any} */ (children[0]).attrs.class}`), ['false series unscaled', 'true series scaled', 'false series neutral']);
  // on a phone the values at the rule carry the marks of their lines, for want of names
  const [values] = withClass(node, 'rule-values');
  assert.deepEqual(['rect', 'circle', 'path'].map((tag) => elements(values, tag).length), [1, 1, 1]);
});

test('before a measurement nothing claims to be measured; after one the times stand in the figures', () => {
  const before = drawn({}).drawing;
  assert.match(toString(before.figures[0].node), /the roof of your own machine/);
  assert.match(before.figures[4].summary, /not measured yet/);
  assert.equal(before.readout?.rows.length, 3);
  const after = drawn(measured()).drawing;
  assert.match(toString(after.figures[0].node), /as measured/);
  assert.match(after.figures[0].table.rows[0][11], /^2 ms \(1 to 4\)$/);
  assert.match(after.figures[4].summary, /times the time/);
  assert.equal(after.readout?.rows.length, 4);
});

test('the meter gets the jobs that the study offers, in its order, and measured parameters are no controls', () => {
  assert.deepEqual(plate.meter?.params, ['machine', 'times']);
  assert.ok(!plate.controls.flat().some((key) => plate.meter?.params.includes(key)));
  const { result } = drawn({ n: 32768, m: 32768 });
  const offered = Array.from(/** @type {ArrayLike<number>} */ (result.series.job_offered.data)).filter((each) => each === 1).length;
  const jobs = plate.meter?.jobs(result) ?? [];
  assert.ok(offered < result.series.job_offered.data.length, 'some are too large');
  assert.equal(jobs.filter((job) => job.offered).length, offered);
  assert.ok(jobs.every((job) => job.kind !== 'attention-materialised' || !job.offered));
  assert.equal(jobs[0].name, 'attention, scores kept, 32768 by 32768, width 64');
});

test('what has no time is named with its reason, in captions and summaries', () => {
  const machine = '67.1,66,68.2;40,38.5,41';
  const words = (/** @type {any} */ params, at = 0) => {
    const { caption, summary } = drawn(params).drawing.figures[at];
    return `${caption.map((part) => (typeof part === 'string' ? part : '')).join('')} ${summary}`;
  };
  const large = words({ n: 32768, m: 32768, machine });
  assert.equal(large.match(/Too large at these sizes to be run in a page: attention, scores kept;/g)?.length, 2);
  assert.doesNotMatch(large, /throughput it reached|: not measured/);
  const small = words({ machine });
  assert.match(small, /Without a time at these sizes: attention, scores kept; attention, tiled/);
  assert.doesNotMatch(words(measured()), /Without a time|Too large/);
  const jobs = readJobs(core.run('cost'));
  const some = words({ machine, times: jobs.filter(({ kind, d }) => kind !== 'additive-factored' || d !== 256).map(({ key }) => `${key},2,1,4`).join(';') }, 4);
  assert.match(some, /Dotted, without a time: additive, factored, width 256\./);
  assert.doesNotMatch(words({}, 4), /without a time/);
});

test('a time of part of the queries says so wherever it is read', () => {
  const words = (/** @type {import('../../web/chart/types.js').Figure} */ { caption }) => caption.map((part) => (typeof part === 'string' ? part : Object.values(part)[0])).join('');
  for (const width of [358, 974]) {
    const [first, , , growth, race] = drawn(partly, width).drawing.figures;
    assert.match(words(first), /timed on part and multiplied: additive, hidden units kept, on 128 of 1024 queries\./);
    assert.match(first.summary, /timed on 128 of 1024 queries/);
    assert.deepEqual(first.table.rows.map((row) => String(row.at(-1)).match(/timed on .+/)?.[0]), [undefined, undefined, 'timed on 128 of 1024 queries', undefined]);
    assert.equal(first.marks.filter(({ text }) => /additive, hidden units kept: .*reached .*, timed on 128 of 1024 queries/.test(text)).length > 0, true);
    assert.match(words(race), /multiplied: additive, hidden units kept, width 64, on 64 of 512 queries; additive, hidden units kept, width 256, on 64 of 512 queries\./);
    assert.match(race.summary, /width 256, on 64 of 512 queries/);
    assert.ok(race.marks.some(({ id, text }) => id.startsWith('race-time') && /kept, (width )?256: .*timed on 64 of 512 queries/.test(text)));
    assert.equal(race.table.rows.filter((row) => /timed on 64 of 512 queries/.test(String(row[6]))).length, 2);
    assert.doesNotMatch(`${growth.summary} ${growth.table.rows}`, /of 1024 queries/);
  }
  for (const { caption, summary } of drawn(measured()).drawing.figures) assert.doesNotMatch(`${caption.filter((part) => typeof part === 'string')} ${summary}`, /part and multiplied|timed on \d/);
  const long = drawn(measured({}, ({ mask, n }) => `,${mask === '' && n === 4096 ? 512 : n}`)).drawing.figures[3];
  assert.match(long.summary, /4096 in \d+ ms by 512 of 4096 queries/);
  assert.ok(long.marks.some(({ text }) => /timed on 512 of 4096 queries/.test(text)));
});

test('beside the ratio by formula stands the least that it can be, as measured, and what of the roof is reached', () => {
  const { drawing, result } = drawn(measured());
  const [first, , third] = drawing.figures;
  const [kept, tiled] = Array.from(/** @type {ArrayLike<number>} */ (result.series.work_at_least.data)).map(three);
  const said = `with scores kept at least ${kept}, in tiles at least ${tiled}, the operations over the bytes that memory, as fast as it copies, could move in their time.`;
  assert.ok(third.caption.includes(` Measured at the sizes of Fig. 1: ${said}`));
  assert.ok(third.summary.includes(said));
  assert.deepEqual(first.table.rows.slice(0, 2).map((row) => row[10]), [kept, tiled]);
  const share = percent(Number(result.series.work_reached.data[0]));
  assert.equal(first.table.rows[0][9], share);
  assert.ok(first.marks.some(({ text }) => text.includes(`, ${share} of it`)));
  // neither without a machine nor without times
  for (const params of [{}, { machine }, { times: measured().times }]) {
    const [, , { caption }] = drawn(params).drawing.figures;
    assert.doesNotMatch(caption.filter((part) => typeof part === 'string').join(''), /at least|Measured/);
  }
});

test('the roof of the measured machine stands at the upper quartiles of its limits, and says so', () => {
  const { drawing, result } = drawn(measured());
  const [{ caption, summary, node }] = drawing.figures;
  assert.match(String(caption.at(-1)), /62 GFLOP\/s and 33 GB\/s, the upper quartiles of its limits; hatched, down to the lower/);
  assert.match(summary, /by the upper quartiles: 62 GFLOP\/s and 33 GB\/s/);
  const places = (/** @type {string} */ path) => [...path.matchAll(/[ML]([-\d.]+) ([-\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
  const own = places(withClass(node, 'own')[0].attrs.d);
  const band = places(withClass(node, 'band')[0].attrs.d);
  assert.deepEqual(band.slice(0, own.length), own, 'the line is the upper edge of the hatching');
  assert.ok(band.slice(own.length).every(([, y]) => y > Math.min(...own.map(([, at]) => at))), 'whose lower edge lies below');
  assert.equal(result.series.machine_ridge.data[0], 62 / 33);
});

test('a machine as slow or as fast as the study allows has its roof on the sheet', () => {
  for (const extreme of ['0.1,0.1,0.1;0.1,0.1,0.1', '0.5,0.3,0.8;0.5,0.3,0.8', '0.1,0.1,0.1;1e5,1e5,1e5', '1e5,1e5,1e5;0.1,0.1,0.1', '1e5,1e5,1e5;1e5,1e5,1e5']) {
    for (const width of [358, 974]) {
      const { drawing } = drawn({ machine: extreme }, width);
      checkFigures(drawing, { uid: 'x', width });
      const [figure] = drawing.figures;
      const [axis] = [drawn({}, width).drawing.figures[0].height];
      for (const name of ['own', 'band']) {
        for (const [, x, y] of withClass(figure.node, name)[0].attrs.d.matchAll(/[ML]([-\d.]+) ([-\d.]+)/g)) assert.ok(Number(x) >= 0 && Number(x) <= width && Number(y) > 100 && Number(y) <= axis - 48, `${extreme} at ${width}: ${name} ${x} ${y}`);
      }
    }
  }
});

test('times without a machine: no marks are promised, and the table has them', () => {
  const { times } = measured();
  const words = (/** @type {any} */ params) => drawn(params).drawing.figures[3].caption.filter((part) => typeof part === 'string').join('');
  assert.match(words(measured()), /Marks with bars are times measured/);
  assert.doesNotMatch(words({ times }), /Marks with bars/);
  assert.match(words({ times }), /stand in the table alone/);
  assert.ok(drawn({ times }).drawing.figures[3].table.rows.flat().some((cell) => /^[\d.]+ ms/.test(String(cell))));
  assert.doesNotMatch(words({}), /Marks with bars|stand in the table/);
});

test('a length below the growth’s sheet is told, and has no marks on it', () => {
  for (const width of [358, 974]) {
    const at = (/** @type {number} */ n) => drawn({ n }, width).drawing.figures[3];
    const circles = (/** @type {any} */ figure) => toString(figure.node).match(/class="series /g)?.length;
    const [inside, below] = [at(64), at(10)];
    assert.match(toString(below.node), width < 560 ? />at n = 10</ : />at n = 10, before the sheet begins</);
    assert.match(below.caption.filter((part) => typeof part === 'string').join(''), /those of 10, below the 64 at which the sheet begins/);
    assert.equal(circles(inside), Number(circles(below)) + 3);
    assert.doesNotMatch(toString(inside.node), />at n =/);
  }
});

test('the ratio beside the rule says for how many keys it holds where others are chosen', () => {
  const beside = (/** @type {any} */ params) => {
    const figure = drawn(params).drawing.figures[2];
    return { text: withClass(figure.node, 'rule-values').flatMap((group) => elements(group, 'text')).map(textOf), words: figure.caption.filter((part) => typeof part === 'string').join('') };
  };
  const same = beside({ n: 512, m: 512 });
  assert.match(same.text[0], /^[\d.]+$/);
  assert.doesNotMatch(same.words, /keys of Fig/);
  const other = beside({ n: 1, m: 8192 });
  assert.match(other.text[0], /^0\.\d+ with 1 key$/);
  assert.match(other.words, /With the 8192 keys of Fig\. 1 it is 0\.\d+ and 0\.\d+\./);
  const first = drawn({ n: 1, m: 8192 }).drawing.figures[0].table.rows[0][3];
  assert.ok(other.words.includes(`it is ${first} and`), 'the ratio of Fig. 1');
});

test('a scoring of one sequence of four and a scoring of one sequence are two jobs', () => {
  const jobs = readJobs(core.run('cost', { n: 512, m: 512 }));
  const direct = jobs.filter(({ kind, d }) => kind === 'additive-direct' && d === 64);
  assert.deepEqual(direct.map(({ share }) => share), [1, 0.25]);
  assert.notEqual(direct[0].key, direct[1].key);
  assert.ok(jobs.filter(({ kind }) => kind === 'additive-factored').some(({ d, share }) => d === 256 && share === 0.25));
});

test('times that belong to other sizes are said to', () => {
  assert.equal(drawn(measured()).drawing.note, null);
  const { note } = drawn({ ...measured(), d: 100 }).drawing;
  assert.match(note?.title ?? '', /other sizes/);
  // whichever differs, the words are short and true: of sizes, hidden units or window, at least one
  const words = (/** @type {any} */ params) => (drawn(params).drawing.note?.text ?? []).map((part) => (typeof part === 'string' ? part : Object.values(part)[0])).join('');
  assert.match(words({ ...measured(), window: 300 }), /^\d+ times belong to another n, m, d, v, h or w and are not drawn\. Measure again, or set these as they were\.$/);
  assert.match(words({ machine, times: '1,2,1,3' }), /^One time belongs to another n, m, d, v, h or w and is not drawn\. Measure again, or set these as they were\.$/);
  // the letters are those of the controls, and what they say is so: set as they were, the times are drawn again
  const symbols = new Map(core.registry.studies.find(({ id }) => id === 'cost')?.parameters.map(({ key, symbol }) => [key, symbol]));
  assert.deepEqual(['n', 'm', 'd', 'v', 'h', 'window'].map((key) => symbols.get(key)), ['n', 'm', 'd', 'v', 'h', 'w']);
  assert.equal(words({ ...measured({ window: 300 }), window: 300 }), '');
  assert.ok(words({ ...measured(), h: 1 }).length < 120);
});

test('a preset gives what its words say, whatever came before', () => {
  const study = core.registry.studies.find(({ id }) => id === 'cost');
  const { machine: own, times } = measured();
  const before = { n: 7, m: 9, d: 3, v: 5, h: 11, window: 2, accelerator: 'H100', machine: own, times };
  const after = Object.fromEntries((study?.presets ?? []).map(({ id, label, params }) => [id, { label, params: core.run('cost', { ...before, ...params }).params }]));
  for (const [id, { params }] of Object.entries(after)) {
    assert.deepEqual({ ...params, machine: '', times: '' }, core.run('cost', study?.presets.find((preset) => preset.id === id)?.params).params, id);
    assert.deepEqual([params.machine, params.times], [own, times], `${id} keeps what was measured`);
  }
  // the numbers of the words are those of the state
  for (const [id, said] of Object.entries({ a100: { d: 64, v: 64, accelerator: 'A100' }, h100: { d: 64, v: 64, accelerator: 'H100' }, race: { n: 512, m: 512, d: 64, v: 64, h: 64 }, 'race-wide': { n: 512, m: 512, d: 256, v: 256, h: 256 }, long: { n: 32768, m: 32768, window: 1024 }, 'one-query': { n: 1, m: 32768 } })) {
    for (const [key, value] of Object.entries(said)) assert.equal(after[id].params[key], value, `${id}: ${key}`);
    // a mask is not among the parameters, so no words may promise one
    assert.doesNotMatch(after[id].label, /mask|causal/);
  }
  assert.deepEqual(Object.keys(after), ['a100', 'h100', 'race', 'race-wide', 'long', 'one-query']);
});

test('the race is over the dot product, which is once itself', () => {
  for (const { rule, byOperations, byLargest } of readRace(core.run('cost'))) {
    if (rule === 'scaled dot') assert.deepEqual([byOperations, byLargest], [1, 1]);
    else assert.ok(byOperations > 2 && byLargest >= 1, rule);
  }
});

test('before a time is known both level lines of the race are dotted, up to the middle measure, and the caption says what is timed', () => {
  for (const width of [358, 974]) {
    const [, , , , race] = drawn({}, width).drawing.figures;
    const dotted = withClass(race.node, 'theory-line').map(({ attrs }) => [...String(attrs.d).matchAll(/M([-\d.]+) ([-\d.]+)H([-\d.]+)/g)].map((match) => match.slice(1).map(Number)));
    assert.equal(dotted.length, 4);
    for (const [left, right, ...more] of dotted) {
      assert.equal(more.length, 0);
      assert.equal(left[2], right[2], 'they end at the same measure');
      assert.ok(left[0] < left[2] && right[0] > right[2]);
    }
    assert.match(elements(race.node, 'text').map(textOf).join(' '), /largest intermediate/);
    assert.doesNotMatch(elements(race.node, 'text').map(textOf).join(' '), /memory/);
  }
  const said = (/** @type {any} */ params) => String(drawn(params).drawing.figures[4].caption.at(-1));
  assert.match(said({}), /Dotted: where times would stand/);
  assert.match(said(measured()), /timed on one of the four sequences, times four/);
  assert.equal(withClass(drawn(measured()).drawing.figures[4].node, 'theory-line').length, 0);
});

test('ratios from a thousand on are whole and say all their digits', () => {
  assert.deepEqual([999.6, 1024, 2048, 8192, 1365.33, 16.375, 19500].map(three), ['1000', '1024', '2048', '8192', '1365', '16.4', '19\u202f500']);
  const { figures } = drawn({ n: 32768, m: 32768 }).drawing;
  assert.deepEqual(figures[2].table.rows.slice(-4).map((row) => row[2]), ['1024', '2048', '4096', '8192']);
  assert.ok(elements(figures[0].node, 'text').map(textOf).includes('attention, tiled, 8192'));
  assert.equal(figures[0].table.rows[1][3], '8192');
});

test('the times’ axis of the growth has its labels on the sheet', () => {
  const params = even({ n: 64, window: 1 }, 3);
  for (const width of [320, 358, 700, 974]) {
    const { node } = drawn(params, width).drawing.figures[3];
    const labels = elements(node, 'text').filter((text) => text.attrs.class === 'tick');
    assert.ok(labels.some((text) => textOf(text) === '0.001'));
    for (const text of labels.filter(({ attrs }) => (attrs['text-anchor'] ?? 'start') === 'start')) assert.ok(Number(text.attrs.x) + textWidth(textOf(text), 15) <= width - 1, `${textOf(text)} at ${width}`);
  }
});

test('times of the growth: what stands above a line is not all other than products, and the caption says so', () => {
  assert.match(drawn(measured()).drawing.figures[3].caption.filter((part) => typeof part === 'string').join(''), /under a mask to some products too: eight queries go together, and each is multiplied with every key that one of them sees/);
});

test('sizes in words', () => {
  assert.deepEqual([0, 999, 1000, 262144, 17825792, 8.59e9].map(memory), ['0 bytes', '999 bytes', '1 kB', '262 kB', '17.8 MB', '8.59 GB']);
  assert.deepEqual([12, 99999, 268435456, 1e12].map(large), ['12', '99\u202f999', '268 million', '1 trillion']);
  assert.deepEqual([34.36, 999, 19500].map(speed), ['34.4 GFLOP/s', '999 GFLOP/s', '19.5 TFLOP/s']);
  assert.equal(timed({ median: NaN, low: NaN, high: NaN }, NaN, 512), 'not measured');
  assert.deepEqual([512, 64].map((run) => timed({ median: 4.7, low: 4.6, high: 4.9 }, run, 512)), ['4.7 ms (4.6 to 4.9)', '4.7 ms (4.6 to 4.9), timed on 64 of 512 queries']);
});

test('what a hand may do is marked so, to go from a plate that stands still, from print and from pictures', () => {
  for (const width of [358, 974]) {
    const { figures } = drawn({}, width).drawing;
    const said = withClass(figures[0].node, 'act').map(textOf).join('');
    assert.match(said, /^measure, and /);
    assert.ok(elements(figures[0].node, 'text').filter((text) => /measure, and/.test(textOf(text))).every(({ attrs }) => attrs.class.split(' ').includes('act')));
    assert.ok(elements(figures[4].node, 'text').filter((text) => /measured/.test(textOf(text))).every(({ attrs }) => attrs.class.split(' ').includes('act')));
    assert.equal(drawn(measured(), width).drawing.figures.flatMap(({ node }) => withClass(node, 'act')).length, 0);
  }
});

test('beside the times of the race stand marks in the sizes of their lines', () => {
  for (const width of [358, 974]) {
    const [values] = withClass(drawn(measured(), width).drawing.figures[4].node, 'rule-values');
    assert.deepEqual([elements(values, 'circle').map(({ attrs }) => Number(attrs.r)), elements(values, 'rect').length], [[3.8, 6.4], 2]);
    assert.equal(new Set(elements(values, 'rect').map(({ attrs }) => attrs.width)).size, 2);
  }
});

test('on a phone no name of a machine is cut short, and the values at the rule of the growth stand clear of the names of its lines', () => {
  const texts = elements(drawn({}, 358).drawing.figures[0].node, 'text').map(textOf);
  assert.equal(texts[texts.indexOf('A100 tensor') + 1], 'cores');
  for (const width of [328, 358]) {
    const { node } = drawn(measured(), width).drawing.figures[3];
    const heights = (/** @type {string} */ name) => withClass(node, name).flatMap((group) => elements(group, 'text')).map(({ attrs }) => Number(attrs.y));
    assert.ok(Math.min(...heights('end-labels')) - Math.max(...heights('rule-values')) >= 15, `at ${width}`);
  }
});
