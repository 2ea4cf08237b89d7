// The declarations of the package, for programs in TypeScript: made by tsc from the JSDoc of the sources, and only what the two entries reach, so that a
// program needs no types of ours beside. attn-core.d.mts says what attn-core.mjs exports, and by name the types of operands, options and results;
// attention-plates.d.mts the same of the elements. It checks nothing: `npm run check` does.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What programs name, by the module that declares it. @type {Record<string, string[]>} */
const named = {
  'attn-core.js': ['LoadedCore', 'LoadOptions', 'LoadFastOptions'],
  'engine/errors.js': [],
  'engine/fast.js': ['Fast', 'FastBuild'],
  'engine/fast-memory.js': ['ArrayTensor', 'FastTensor', 'Operand'],
  'engine/fast-attention.js': ['FastAttentionOptions', 'FastTiles', 'FastTilesOptions'],
  'engine/fast-gradient.js': ['FastGradientOptions', 'FastWeightsOptions'],
  'engine/fast-more.js': ['FastAdditiveOptions', 'FastEntropiesOptions', 'FastMatmulOptions', 'FastSoftmaxOptions'],
  'engine/fast-spans.js': ['SpanFunction'],
  'engine/pool.js': ['Pool', 'PoolOperand', 'PoolOperands', 'PoolOptions', 'PoolResult'],
  'engine/seats.js': ['SeatOptions'],
  'engine/types.js': [
    'AttentionOptions', 'AttentionStats', 'AttentionStatsOptions', 'ArrayRequest', 'BiasDtype', 'ComposedMask', 'DropoutOptions', 'ErrorValue', 'Exercise', 'FloatArray', 'Mask',
    'MaskFramework', 'MaskReport', 'MaskSizes', 'MaskedSoftmaxOptions', 'MaskedSoftmaxResult', 'Parameter', 'ParameterValue', 'Params', 'ParsedMask', 'Progress', 'Registry',
    'Repaired', 'ScoreRule', 'ScoreRuleOptions', 'Series', 'Study', 'StudyResult', 'TensorInput', 'TensorValue', 'Verdict',
  ],
};

const core = `/** The core of Attention Plates for programs; README.md says what it does. Every function throws an AttentionError for bad input. */
import type { CreatePool, LoadCore, LoadFast } from './types/attn-core.js';
/** An instance of the exact core, attn.wasm. */
export declare const loadCore: LoadCore;
/** The kernels for speed, on one thread. */
export declare const loadFast: LoadFast;
/** The same in several workers. */
export declare const createPool: CreatePool;
export { AttentionError } from './types/engine/errors.js';
${Object.entries(named).filter(([, names]) => names.length > 0).map(([module, names]) => `export type { ${names.join(', ')} } from './types/${module}';`).join('\n')}
`;

const elements = `/** The custom elements <attention-plate> and <attention-exercise>: importing this registers them. */
import type { AttentionPlateConstructor, AttentionPlateElement, PlateEvents } from './types/elements/public.js';
/** The class of <attention-plate>. */
export declare const AttentionPlate: AttentionPlateConstructor;
export type AttentionPlate = AttentionPlateElement;
export { AttentionError } from './types/engine/errors.js';
export type { ParameterValue, Params, Study, StudyResult } from './types/engine/types.js';
declare global {
  interface HTMLElementTagNameMap { 'attention-plate': AttentionPlateElement }
  interface HTMLElementEventMap extends PlateEvents {}
}
`;

/** Names that a browser's types declare, which a program in Node need not have; they stand only where nobody passes or takes them. @type {[RegExp, string][]} */
const browsers = [[/typeof globalThis\.WebAssembly/g, 'unknown'], [/WebAssembly\.Memory/g, '{ readonly buffer: ArrayBuffer }'], [/WebAssembly\.(Module|Instance|Imports)/g, 'object']];

/** The modules that a declaration names by path. @param {string} text @param {string} folder */
const modulesOf = (text, folder) => [...text.matchAll(/(?:from |import\()['"](\.{1,2}\/[^'"]+)\.js['"]/g)].map(([, path]) => `${posix.normalize(posix.join(folder, path))}.d.ts`);

/**
 * Writes attn-core.d.mts, attention-plates.d.mts and types/.
 * @param {string} outDir
 */
export async function writeTypes(outDir) {
  const work = await mkdtemp(join(tmpdir(), 'attention-plates-types-'));
  try {
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const options = '--declaration --emitDeclarationOnly --allowJs --checkJs --strict --skipLibCheck --target esnext --module nodenext --moduleResolution nodenext --lib esnext,dom,dom.iterable --types node --newLine lf'.split(' ');
    await promisify(execFile)(process.execPath, [tsc, ...options, '--rootDir', 'web', '--outDir', work, 'web/attn-core.js', 'web/elements/public.js'], { cwd: root })
      .catch((/** @type {{stdout?: string, message: string}} */ reason) => { throw new Error(`the declarations could not be made:\n${reason.stdout || reason.message}`); });
    const wanted = [core, elements].flatMap((text) => modulesOf(text, '.')).map((path) => path.replace('types/', ''));
    for (const path of wanted) {
      const text = await readFile(join(work, path), 'utf8');
      for (const next of modulesOf(text, posix.dirname(path))) if (!wanted.includes(next)) wanted.push(next);
    }
    for (const path of new Set(wanted)) {
      await mkdir(dirname(join(outDir, 'types', path)), { recursive: true });
      const text = await readFile(join(work, path), 'utf8');
      await writeFile(join(outDir, 'types', path), browsers.reduce((words, [name, plain]) => words.replace(name, plain), text));
    }
    await writeFile(join(outDir, 'attn-core.d.mts'), core);
    await writeFile(join(outDir, 'attention-plates.d.mts'), elements);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
