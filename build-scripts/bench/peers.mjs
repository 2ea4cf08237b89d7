// What the kernels are compared with: the packages of tests/bench/package.json, installed below build/ when the benchmark runs, and the folder that
// its server serves: an empty page, the benchmark's own scripts, the core, and the peers' files. Nothing of it is ever part of the site.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { log, root, seconds, step } from '../lib/run.mjs';
import { packagesAreCurrent, siteFolder } from '../lib/steps.mjs';

const sources = join(root, 'tests/bench');
/** Below it a folder for each peer, so that one is installed without the others. */
const installed = join(root, 'build/bench/peers');

/** The folder that is served. */
export const benchFolder = join(root, 'build/bench/site');

/** The packages of each peer. @type {Record<string, string[]>} */
const packagesOf = {
  'onnxruntime-web': ['onnxruntime-web'],
  'TensorFlow.js': ['@tensorflow/tfjs-core', '@tensorflow/tfjs-backend-wasm'],
  'jax-js': ['@jax-js/jax'],
};

/** What an implementation is a form of: `ours (simd)` is ours. @param {string} name */
export const familyOf = (name) => name.replace(/ \(.*\)$/, '');

/** The peers among implementations, each once. @param {string[]} names @returns {string[]} */
export const peersAmong = (names) => Object.keys(packagesOf).filter((peer) => names.some((name) => familyOf(name) === peer));

/** @param {string} peer */
const folderOf = (peer) => join(installed, peer.toLowerCase());

/** @param {string} file @returns {any} */
const read = (file) => JSON.parse(readFileSync(join(sources, file), 'utf8'));

/**
 * The part of package.json and of its lock file that some packages need: they, and whatever they lead to, found as Node finds it.
 * @param {{dependencies: Record<string, string>}} manifest
 * @param {{packages: Record<string, any>}} lock
 * @param {string[]} names of direct dependencies
 */
export function partOf(manifest, lock, names) {
  const dependencies = Object.fromEntries(names.map((name) => [name, manifest.dependencies[name]]));
  /** @type {Set<string>} */
  const needed = new Set();
  /** @param {string} from @param {string} name @param {boolean} optional */
  const need = (from, name, optional) => {
    // beside what asks, then ever further out
    let folder = from;
    while (folder !== '' && !(`${folder}/node_modules/${name}` in lock.packages)) folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')));
    const place = `${folder}${folder && '/'}node_modules/${name}`;
    if (!(place in lock.packages)) {
      if (optional) return;
      throw new Error(`the lock file of the peers has no ${name}, which ${from || 'package.json'} asks for`);
    }
    if (needed.has(place)) return;
    needed.add(place);
    const entry = lock.packages[place];
    for (const [list, may] of /** @type {[string, boolean][]} */ ([['dependencies', false], ['optionalDependencies', true], ['peerDependencies', true]])) for (const each of Object.keys(entry[list] ?? {})) need(place, each, may);
  };
  for (const name of names) need('', name, false);
  const packages = Object.fromEntries(Object.entries(lock.packages).filter(([place]) => needed.has(place)));
  return { manifest: { ...manifest, dependencies }, lock: { ...lock, packages: { '': { ...lock.packages[''], dependencies }, ...packages } } };
}

/** Installs these peers as the lock file names them, and nothing else; installation scripts do not run. @param {string[]} peers */
export async function ensurePeers(peers) {
  for (const peer of peers) {
    const folder = folderOf(peer);
    mkdirSync(folder, { recursive: true });
    const { manifest, lock } = partOf(read('package.json'), read('package-lock.json'), packagesOf[peer]);
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock, null, 2));
    copyFileSync(join(root, '.npmrc'), join(folder, '.npmrc'));
    if (packagesAreCurrent(folder)) continue;
    const start = performance.now();
    log(`${peer}: installing`);
    const npm = process.env.npm_execpath;
    const [command, args] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
    await step('npm ci', command, [...args, 'ci', '--ignore-scripts'], { cwd: folder });
    log(`${peer}: installed in ${seconds(start)}`);
  }
}

/** Names and versions of the packages of these peers. @param {string[]} peers @returns {Record<string, string>} */
export function peerVersions(peers) {
  const { dependencies } = read('package.json');
  return Object.fromEntries(peers.flatMap((peer) => packagesOf[peer]).map((name) => [name, dependencies[name]]));
}

/**
 * Writes the folder that is served, with the files of these peers.
 * @param {string[]} peers
 * @returns {Promise<import('../../tests/bench/kernels/page.js').Addresses>} by path below it
 */
export async function writeBenchSite(peers) {
  const { build } = await import('esbuild');
  rmSync(benchFolder, { recursive: true, force: true });
  mkdirSync(benchFolder, { recursive: true });
  /** @param {string} name @param {string} contents @param {string} resolveDir */
  const bundle = (name, contents, resolveDir) => build({
    stdin: { contents, resolveDir }, bundle: true, minify: true, format: 'esm', splitting: true, outdir: benchFolder, entryNames: name, chunkNames: 'chunk-[hash]',
    target: 'es2022', platform: 'browser', logLevel: 'error', define: { 'process.env.NODE_ENV': '"production"' },
  });
  await bundle('kernels', "export * from './page.js';", join(sources, 'kernels'));
  /** @param {string} from @param {string} [name] */
  const copy = (from, name = from.slice(from.lastIndexOf('/') + 1)) => copyFileSync(from, join(benchFolder, name));
  /** @type {Record<string, (folder: string) => unknown>} */
  const carry = {
    'onnxruntime-web': (folder) => {
      copy(join(folder, 'node_modules/onnxruntime-web/dist/ort.wasm.bundle.min.mjs'), 'onnxruntime.mjs');
      copy(join(folder, 'node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm'));
    },
    'TensorFlow.js': (folder) => {
      for (const kind of ['', '-simd', '-threaded-simd']) copy(join(folder, `node_modules/@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm${kind}.wasm`));
      return bundle('tensorflow', `
        export * from '@tensorflow/tfjs-core';
        import '@tensorflow/tfjs-core/dist/public/chained_ops/register_all_chained_ops.js';
        export { setWasmPaths, setThreadsCount } from '@tensorflow/tfjs-backend-wasm';`, folder);
    },
    'jax-js': (folder) => bundle('jax', "export * from '@jax-js/jax';", folder),
  };
  for (const peer of peers) await carry[peer](folderOf(peer));
  for (const file of ['attn-core.mjs', 'attn.wasm', 'attn-fast.wasm', 'attn-fast-relaxed.wasm', 'attn-spans.wasm', 'attn-worker-fast.js']) if (existsSync(join(siteFolder, file))) copy(join(siteFolder, file));
  writeFileSync(join(benchFolder, 'index.html'), '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Benchmark</title><link rel="icon" href="data:,"></head><body></body></html>\n');
  return {
    core: 'attn-core.mjs', onnxruntime: 'onnxruntime.mjs', onnxruntimeWasm: 'ort-wasm-simd-threaded.wasm',
    tensorflow: 'tensorflow.js', tensorflowWasm: '', jax: 'jax.js',
  };
}
