/**
 * How several implementations of one workload are timed in one page. First each is run and its output compared with the reference; a wrong one is
 * not timed. Then each is warmed up, since first calls run in the browser's baseline compiler, and a batch is sized so that the clock's step of
 * 0.1 ms is below half a percent of it. Then they take turns, the order turning too, so that whatever the machine does meanwhile happens to all.
 * A turn begins with a run that is not timed, unless one takes long.
 *
 * @typedef {object} Prepared one implementation, ready for one workload
 * @property {() => void | Promise<void>} run computes once; timed
 * @property {() => ArrayLike<number>} output what the last run computed; not timed
 * @property {() => void} release
 *
 * @typedef {object} Implementation
 * @property {(workload: import('./workloads.js').Workload, inputs: import('./workloads.js').Inputs) => Prepared | Promise<Prepared>} prepare
 *
 * @typedef {object} Plan
 * @property {number} batch milliseconds that a batch should last
 * @property {number} warm milliseconds of warming up
 * @property {number} budget milliseconds that all batches of an implementation may take
 * @property {number} rounds at most
 *
 * @typedef {{times: number[], repeats: number}} Timed milliseconds a run, one a round; runs a batch
 */

/** Who takes up to so many milliseconds runs once untimed when its turn comes: those before it have emptied the caches. */
const notAlone = 100;

/** At least so many turns, however slow one is. */
const fewestRounds = 3;

/** @param {Prepared['run']} run @param {number} times @param {() => number} now @returns {Promise<number>} milliseconds of all */
async function spend(run, times, now) {
  const start = now();
  for (let i = 0; i < times; ++i) {
    const pending = run();
    if (pending) await pending;
  }
  return now() - start;
}

/** Runs until the compiler has had its time. @param {Prepared['run']} run @param {number} milliseconds @param {() => number} now @returns {Promise<number>} of the fastest run */
async function warmUp(run, milliseconds, now) {
  let fastest = Infinity;
  let left = milliseconds;
  for (let times = 1; left > 0; times = Math.min(times * 2, 64)) {
    const spent = await spend(run, times, now);
    // a batch below the clock's step still tells that it is at most one step long
    fastest = Math.min(fastest, Math.max(spent, 0.05) / times);
    left -= Math.max(spent, 0.05);
  }
  return fastest;
}

/**
 * The turns, spread evenly over the rounds for those that have fewer.
 * @param {number} round @param {number} rounds @param {number} turns
 */
const hasTurn = (round, rounds, turns) => Math.floor(((round + 1) * turns) / rounds) > Math.floor((round * turns) / rounds);

/**
 * @param {Record<string, Prepared>} prepared by name
 * @param {Plan} plan
 * @param {() => number} [now] milliseconds
 * @returns {Promise<Record<string, Timed>>}
 */
export async function takeTurns(prepared, { batch, warm, budget, rounds }, now = () => performance.now()) {
  const names = Object.keys(prepared);
  /** @type {Record<string, Timed & {turns: number, first: number}>} */
  const all = {};
  for (const name of names) {
    const once = await warmUp(prepared[name].run, warm, now);
    const repeats = Math.max(1, Math.round(batch / once));
    all[name] = { times: [], repeats, turns: Math.max(fewestRounds, Math.min(rounds, Math.floor(budget / (repeats * once)))), first: once <= notAlone ? 1 : 0 };
  }
  const most = Math.max(...names.map((name) => all[name].turns));
  for (let round = 0; round < most; ++round) {
    for (let i = 0; i < names.length; ++i) {
      const name = names[(i + round) % names.length];
      const { times, repeats, turns, first } = all[name];
      if (!hasTurn(round, most, turns)) continue;
      await spend(prepared[name].run, first, now);
      times.push((await spend(prepared[name].run, repeats, now)) / repeats);
    }
  }
  return Object.fromEntries(names.map((name) => [name, { times: all[name].times, repeats: all[name].repeats }]));
}
