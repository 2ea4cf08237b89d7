// The steps that the npm scripts share: toolchain, npm packages, CMake builds and the site. Each
// does nothing, quickly, when there is nothing to do. Node built-ins only, because the first of
// them run before any npm package is installed.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { log, root, seconds, show, step, StepError } from './run.mjs';

const jobs = ['-j', process.env.ATTN_JOBS ?? String(availableParallelism())];

/** Stops with one sentence on a Node.js older than package.json asks for. */
export function checkNode() {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const oldestNode = Number(/\d+/.exec(engines.node)?.[0]);
  if (Number.parseInt(process.versions.node, 10) < oldestNode) {
    throw new StepError(`Node.js ${oldestNode} or newer is needed; this is ${process.versions.node}.`);
  }
}

/**
 * Brings compilers, libraries or the browser; see build-scripts/toolchain.sh.
 * @param {'native' | 'wasm' | 'browser' | 'all'} what
 */
export async function ensureToolchain(what) {
  const code = await show('bash', [join(root, 'build-scripts/toolchain.sh'), what]);
  if (code !== 0) throw new StepError(`the toolchain is not complete (build-scripts/toolchain.sh ${what}, exit ${code})`);
}

/**
 * True when node_modules holds exactly what the lock file names. npm writes the hidden lock file
 * last, so an interrupted installation does not count.
 * @param {string} [folder] the project's folder
 */
export function packagesAreCurrent(folder = root) {
  try {
    /** @param {string} path @returns {Record<string, {version?: string, integrity?: string, optional?: boolean}>} */
    const packages = (path) => JSON.parse(readFileSync(join(folder, path), 'utf8')).packages;
    const wanted = packages('package-lock.json');
    const installed = packages('node_modules/.package-lock.json');
    /** @param {string} name */
    const same = (name) =>
      wanted[name]?.version === installed[name]?.version && wanted[name]?.integrity === installed[name]?.integrity;
    // Optional packages of other platforms are in the lock file but not on the disk.
    return (
      Object.keys(installed).every(same) &&
      Object.keys(wanted).every((name) => name === '' || wanted[name].optional || same(name))
    );
  } catch {
    return false;
  }
}

/** Installs the npm packages of the lock file when they are not there. */
export async function ensurePackages() {
  if (packagesAreCurrent()) return;
  const start = performance.now();
  log('npm packages: installing');
  // All of them are for building, whatever NODE_ENV says.
  const ci = ['ci', '--include=dev'];
  // Under `npm run` the environment names the npm that runs us.
  const npm = process.env.npm_execpath;
  const [command, args] = npm?.endsWith('.js') ? [process.execPath, [npm, ...ci]] : ['npm', ci];
  await step('npm ci', command, args);
  log(`npm packages: installed in ${seconds(start)}`);
}

/** Root folder of the Emscripten that toolchain.sh chose, or ''. */
function emscriptenRoot() {
  const chosen = join(root, '.toolchain/emscripten-root');
  return existsSync(chosen) ? readFileSync(chosen, 'utf8') : '';
}

/** True when the Emscripten in use is the unpacked, pinned one. */
const emscriptenIsPinned = () => emscriptenRoot() === join(root, '.toolchain/emscripten');

/** The environment for CMake and Emscripten: a stray EM_CONFIG must not point the pinned one elsewhere. */
export function buildEnvironment() {
  if (!emscriptenIsPinned()) return process.env;
  return { ...process.env, EM_CONFIG: join(root, '.toolchain/emscripten/.emscripten') };
}

/**
 * Removes a build folder that CMake would refuse or build wrongly in: made where the checkout was before, or with
 * another Emscripten.
 * @param {string} preset @param {string} folder
 */
function removeStale(preset, folder) {
  const file = join(folder, 'CMakeCache.txt');
  if (!existsSync(file)) return;
  const cache = readFileSync(file, 'utf8');
  const moved = /^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$/m.exec(cache)?.[1] !== root;
  const switched = preset.startsWith('wasm') && !cache.includes(`${emscriptenRoot()}/`);
  if (moved || switched) rmSync(folder, { recursive: true, force: true });
}

/** What could not be built in this run: saying it once is enough. @type {Set<string>} */
const broken = new Set();

/**
 * Does a piece of building once; when it fails, later calls refuse with one line.
 * @template T
 * @param {string} name @param {() => Promise<T>} build
 */
async function unlessBroken(name, build) {
  if (broken.has(name)) throw new StepError(`not run: ${name} could not be built, see above`);
  try {
    return await build();
  } catch (error) {
    broken.add(name);
    throw error;
  }
}

/** The last build in each folder. @type {Map<string, Promise<unknown>>} */
const turns = new Map();

/**
 * Begins when the last build of that name has ended, well or badly.
 * @template T
 * @param {string} name @param {() => Promise<T>} build
 */
function inTurn(name, build) {
  const turn = (turns.get(name) ?? Promise.resolve()).catch(() => {}).then(build);
  turns.set(name, turn);
  return turn;
}

/**
 * Configures and builds a preset.
 * @param {string} preset
 * @param {{warningsAreErrors?: boolean, targets?: string[]}} [options] `warningsAreErrors` undefined keeps what is configured; no
 *   targets are all
 */
export const buildPreset = (preset, { warningsAreErrors, targets = [] } = {}) => inTurn(preset, () => unlessBroken(preset, async () => {
  const start = performance.now();
  const env = buildEnvironment();
  const folder = join(root, 'build', preset);
  removeStale(preset, folder);
  const known = preset.startsWith('wasm') ? emscriptenIsPinned() : true;
  const werror = process.env.ATTN_WERROR ?? (warningsAreErrors && known ? 'ON' : 'OFF');
  const options = warningsAreErrors === undefined ? [] : [`-DATTN_WERROR=${werror}`];
  if (options.length > 0 || !existsSync(join(folder, 'build.ninja'))) {
    await step(`${preset}: configure`, 'cmake', ['--preset', preset, ...options], { env });
  }
  const { output } = await step(
    `${preset}: build`,
    'cmake',
    ['--build', '--preset', preset, ...jobs, ...(targets.length > 0 ? ['--target', ...targets] : [])],
    { env },
  );
  if (!/no work to do/.test(output)) log(`${preset}: built in ${seconds(start)}`);
  if (/\bwarning:/.test(output)) log(output.trimEnd());
}));

/** Folder of the built site. */
export const siteFolder = join(root, 'dist');

/** Builds the WebAssembly module and, from it and web/, the static site in dist/. */
export const buildSite = () => unlessBroken('the site', async () => {
  checkNode();
  await ensurePackages();
  await ensureToolchain('wasm');
  await buildPreset('wasm-release', { warningsAreErrors: true });
  const start = performance.now();
  const { buildWeb } = await import('../web/build.mjs');
  await buildWeb({ wasmDir: join(root, 'build/wasm-release'), outDir: siteFolder, log });
  log(`site: dist/ written in ${seconds(start)}`);
});
