/**
 * The limit that kernels are measured against: how many multiplications and additions a second one thread of this browser can do at all. A module of
 * one function, written here byte by byte, keeps `chains` vectors of four floats in registers and does nothing but x = x a + b to each, either as two
 * operations or as relaxed SIMD's one. No chain waits for another, nothing touches memory. The fastest of several numbers of chains is the limit.
 */

/** Opcodes of WebAssembly, and of its SIMD behind the prefix 0xfd. */
const op = { loop: 0x03, brIf: 0x0d, end: 0x0b, get: 0x20, set: 0x21, tee: 0x22, i32: 0x41, i32Sub: 0x6b, simd: 0xfd };
const lane = { splat: [0x13], extract: [0x1f, 0], add: [0xe4, 0x01], mul: [0xe6, 0x01], relaxedMadd: [0x85, 0x02] };
const type = { i32: 0x7f, f32: 0x7d, v128: 0x7b, func: 0x60, none: 0x40 };

/** Operations on all chains that one turn of the loop does, so that counting it costs little. */
const unrolled = 4;

/** Unsigned LEB128. @param {number} value @returns {number[]} */
const number = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...number(value >>> 7)]);

/** @param {number[]} content */
const sized = (content) => [...number(content.length), ...content];

/** @param {number} id @param {number[]} content */
const section = (id, content) => [id, ...sized(content)];

/**
 * The module: spin(turns: i32, factor: f32, addend: f32) -> f32.
 * @param {'simd' | 'relaxed'} kind @param {number} chains
 */
export function spinModule(kind, chains) {
  const [turns, factor, addend] = [0, 1, 2];
  // locals behind the three parameters: the chains, then factor and addend in all four lanes
  const first = 3;
  const [factors, addends] = [first + chains, first + chains + 1];
  /** @param {number[]} code */
  const vector = (code) => [op.simd, ...code];
  /** @type {number[]} */
  const step = [];
  for (let i = 0; i < chains; ++i) {
    step.push(op.get, first + i, op.get, factors);
    step.push(...(kind === 'relaxed' ? [op.get, addends, ...vector(lane.relaxedMadd)] : [...vector(lane.mul), op.get, addends, ...vector(lane.add)]));
    step.push(op.set, first + i);
  }
  /** @type {number[]} */
  const start = [op.get, factor, ...vector(lane.splat), op.set, factors, op.get, addend, ...vector(lane.splat), op.set, addends];
  for (let i = 0; i < chains; ++i) start.push(op.get, addends, op.set, first + i);
  /** @type {number[]} */
  const sum = [op.get, first];
  for (let i = 1; i < chains; ++i) sum.push(op.get, first + i, ...vector(lane.add));
  const body = [
    ...[1, chains + 2, type.v128],
    ...start,
    ...[op.loop, type.none], ...Array(unrolled).fill(step).flat(),
    ...[op.get, turns, op.i32, 1, op.i32Sub, op.tee, turns, op.brIf, 0, op.end],
    ...sum, ...vector(lane.extract), op.end,
  ];
  const name = [...new TextEncoder().encode('spin')];
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, type.func, ...sized([type.i32, type.f32, type.f32]), ...sized([type.f32])]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...sized(name), 0, 0]),
    ...section(10, [1, ...sized(body)]),
  ]);
}

/**
 * @param {'simd' | 'relaxed'} kind @param {number} chains
 * @returns {((operations: number) => number) | undefined} does about so many floating-point operations and says how many; undefined where the browser does not know the instructions
 */
function spinner(kind, chains) {
  const bytes = spinModule(kind, chains);
  if (!WebAssembly.validate(bytes)) return undefined;
  const spin = /** @type {(turns: number, factor: number, addend: number) => number} */ (new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports.spin);
  const perTurn = 2 * 4 * chains * unrolled;
  return (operations) => {
    const turns = Math.max(1, Math.round(operations / perTurn));
    // converges to addend / (1 - factor): never subnormal, never infinite
    spin(turns, 0.5, 1);
    return perTurn * turns;
  };
}

/**
 * @param {(operations: number) => number} spin @param {number} rounds @param {number} milliseconds a round
 * @param {() => number} [now] milliseconds
 * @returns {number} operations a second in the fastest round
 */
export function spinRate(spin, rounds, milliseconds, now = () => performance.now()) {
  /** @param {number} operations */
  const rate = (operations) => {
    const start = now();
    const done = spin(operations);
    return { done, spent: now() - start };
  };
  // many short calls: the optimizing compiler takes over between calls, not within one
  for (let i = 0; i < 200; ++i) rate(1e5);
  let operations = 1e6;
  // the shortest of three: another's turn on this core must not pass for work, or a round would be too short for the clock
  while (Math.min(...[0, 1, 2].map(() => rate(operations).spent)) < milliseconds) operations *= 2;
  let fastest = 0;
  for (let i = 0; i < rounds; ++i) {
    const { done, spent } = rate(operations);
    fastest = Math.max(fastest, done / (spent / 1000));
  }
  return fastest;
}

const kinds = /** @type {const} */ (['simd', 'relaxed']);
const numbersOfChains = [8, 10, 12];

/**
 * @param {{rounds: number, milliseconds: number}} plan
 * @returns {{simd: number, relaxed: number}} operations a second
 */
export function measureLimit({ rounds, milliseconds }) {
  /** @param {'simd' | 'relaxed'} kind */
  const best = (kind) => Math.max(...numbersOfChains.map((chains) => {
    const spin = spinner(kind, chains);
    return spin ? spinRate(spin, rounds, milliseconds) : 0;
  }));
  return { simd: best('simd'), relaxed: best('relaxed') };
}

/** Operations of one run of it: about a millisecond. */
const perRun = 64e6;

/**
 * The limit as one more that takes turns: the fastest spin here.
 * @returns {{operations: number, run: () => void}} operations of a run
 */
export function limitRun() {
  const spins = kinds.flatMap((kind) => numbersOfChains.map((chains) => spinner(kind, chains))).filter((spin) => spin !== undefined);
  const rated = spins.map((spin) => ({ spin, rate: spinRate(spin, 3, 10) }));
  const { spin } = rated.reduce((best, next) => (next.rate > best.rate ? next : best));
  return { operations: spin(perRun), run: () => { spin(perRun); } };
}
