/**
 * The package as others get it, for the tests of it: packed from the built site, installed without a network and without a cache into an empty folder, with the
 * programs of tests/consumer/npm beside it. No test here.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './support.js';

const run = promisify(execFile);

/** What lies beside a bundle of a program that uses all of the core, by the package's names. */
export const programFiles = ['attn.wasm', 'attn-fast.wasm', 'attn-fast-relaxed.wasm', 'attn-spans.wasm', 'attn-worker-fast.js'];

/** Under `npm run` the environment names the npm that runs us. @param {string[]} args @param {string} cwd */
function npm(args, cwd) {
  const path = process.env.npm_execpath;
  const [command, ...before] = path?.endsWith('.js') ? [process.execPath, path] : ['npm'];
  return run(command, [...before, ...args, '--no-update-notifier', '--loglevel=error'], { cwd });
}

/**
 * @typedef {object} Installed
 * @property {string} work a folder that is the caller's to remove, with the programs in it
 * @property {string} folder of the package in its node_modules
 * @property {number} bytes of the tarball
 * @property {string[]} files in it
 * @property {string[]} packages that the installation has brought
 */

/** @returns {Promise<Installed>} */
export async function installPackage() {
  const work = mkdtempSync(join(tmpdir(), 'attn package-'));
  // dist/ is built already, for which `prepack` is
  const { stdout } = await npm(['pack', '--ignore-scripts', '--json', '--pack-destination', work], root);
  const [{ filename, size, files }] = JSON.parse(stdout);
  cpSync(join(root, 'tests/consumer/npm'), work, { recursive: true });
  writeFileSync(join(work, 'package.json'), '{ "private": true, "type": "module" }\n');
  await npm(['install', '--offline', '--cache', join(work, 'cache'), '--no-audit', '--no-fund', join(work, filename)], work);
  const { packages } = JSON.parse(readFileSync(join(work, 'package-lock.json'), 'utf8'));
  return {
    work, folder: join(work, 'node_modules/attention-plates'), bytes: size,
    files: files.map((/** @type {{path: string}} */ { path }) => path),
    packages: Object.keys(packages).filter((name) => name !== ''),
  };
}
