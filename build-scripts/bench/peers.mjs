// What the kernels are compared with: the packages of tests/bench/package.json, installed below build/ when the benchmark runs, and the folder that
// its server serves: an empty page, the benchmark's own scripts, the core, and the peers' files. Nothing of it is ever part of the site.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { log, root, seconds, step } from '../lib/run.mjs';
import { packagesAreCurrent, siteFolder } from '../lib/steps.mjs';

const sources = join(root, 'tests/bench');
const installed = join(root, 'build/bench/peers');

/** The folder that is served. */
export const benchFolder = join(root, 'build/bench/site');

/** Installs the peers as their lock file names them; their installation scripts do not run. */
export async function ensurePeers() {
  mkdirSync(installed, { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(sources, file), join(installed, file));
  copyFileSync(join(root, '.npmrc'), join(installed, '.npmrc'));
  if (packagesAreCurrent(installed)) return;
  const start = performance.now();
  log('peers: installing');
  const npm = process.env.npm_execpath;
  const [command, args] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  await step('npm ci', command, [...args, 'ci', '--ignore-scripts'], { cwd: installed });
  log(`peers: installed in ${seconds(start)}`);
}

/** Names and versions of the peers. @returns {Record<string, string>} */
export const peerVersions = () => JSON.parse(readFileSync(join(sources, 'package.json'), 'utf8')).dependencies;

/**
 * Writes the folder that is served.
 * @returns {Promise<import('../../tests/bench/kernels/page.js').Addresses>} by path below it
 */
export async function writeBenchSite() {
  const { build } = await import('esbuild');
  rmSync(benchFolder, { recursive: true, force: true });
  mkdirSync(benchFolder, { recursive: true });
  /** @param {string} name @param {string} contents @param {string} resolveDir */
  const bundle = (name, contents, resolveDir) => build({
    stdin: { contents, resolveDir }, bundle: true, minify: true, format: 'esm', splitting: true, outdir: benchFolder, entryNames: name, chunkNames: 'chunk-[hash]',
    target: 'es2022', platform: 'browser', logLevel: 'error', define: { 'process.env.NODE_ENV': '"production"' },
  });
  await bundle('kernels', "export * from './page.js';", join(sources, 'kernels'));
  await bundle('tensorflow', `
    export * from '@tensorflow/tfjs-core';
    import '@tensorflow/tfjs-core/dist/public/chained_ops/register_all_chained_ops.js';
    export { setWasmPaths, setThreadsCount } from '@tensorflow/tfjs-backend-wasm';`, installed);
  await bundle('jax', "export * from '@jax-js/jax';", installed);
  /** @param {string} from @param {string} [name] */
  const copy = (from, name = from.slice(from.lastIndexOf('/') + 1)) => copyFileSync(from, join(benchFolder, name));
  const packages = join(installed, 'node_modules');
  copy(join(packages, 'onnxruntime-web/dist/ort.wasm.bundle.min.mjs'), 'onnxruntime.mjs');
  copy(join(packages, 'onnxruntime-web/dist/ort-wasm-simd-threaded.wasm'));
  for (const kind of ['', '-simd', '-threaded-simd']) copy(join(packages, `@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm${kind}.wasm`));
  for (const file of ['attn-core.mjs', 'attn.wasm', 'attn-fast.wasm', 'attn-fast-relaxed.wasm', 'attn-spans.wasm', 'attn-worker-fast.js']) if (existsSync(join(siteFolder, file))) copy(join(siteFolder, file));
  writeFileSync(join(benchFolder, 'index.html'), '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Benchmark</title><link rel="icon" href="data:,"></head><body></body></html>\n');
  return {
    core: 'attn-core.mjs', onnxruntime: 'onnxruntime.mjs', onnxruntimeWasm: 'ort-wasm-simd-threaded.wasm',
    tensorflow: 'tensorflow.js', tensorflowWasm: '', jax: 'jax.js',
  };
}
