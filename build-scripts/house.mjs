// The house rules that a machine can check: one version everywhere, a lock file without addresses, files that are
// small and say at the top what they are, nothing left for later. Who may include whom is layers.mjs's business.
// Run by `npm run check`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from './lib/files.mjs';

/** @typedef {import('./lib/files.mjs').Finding} Finding */

const longest = 450;
const folders = ['cpp', 'web', 'tests', 'build-scripts'];
const sources = /\.(hpp|cpp|js|mjs|sh|cmake)$/;

/** package.json, its lock file and the C++ header tell the same version. @param {string} root @returns {Finding[]} */
function checkVersion(root) {
  const header = 'cpp/include/attn/version.hpp';
  const inHeader = /version = "([^"]+)"/.exec(readFileSync(join(root, header), 'utf8'))?.[1];
  return ['package.json', 'package-lock.json'].flatMap((file) => {
    const { version } = JSON.parse(readFileSync(join(root, file), 'utf8'));
    return version === inHeader ? [] : [{ file, line: 0, message: `version ${version}, but ${header} has ${inHeader}` }];
  });
}

/** The lock file must not name the registry of whoever wrote it. @param {string} root @returns {Finding[]} */
function checkLock(root) {
  const file = 'package-lock.json';
  const { packages } = JSON.parse(readFileSync(join(root, file), 'utf8'));
  return Object.keys(packages)
    .filter((name) => packages[name].resolved !== undefined)
    .map((name) => ({ file, line: 0, message: `${name} has a "resolved" address` }));
}

/** @param {string} root @param {string} file @returns {Finding[]} */
function checkSource(root, file) {
  const lines = readFileSync(join(root, file), 'utf8').trimEnd().split('\n');
  /** @type {Finding[]} */
  const findings = [];
  if (lines.length > longest) findings.push({ file, line: 0, message: `${lines.length} lines; at most ${longest}` });
  const opening = lines[0].startsWith('#!') ? lines[1] : lines[0];
  if (!/^\s*(\/\/|\/\*|#\s)/.test(opening ?? '')) findings.push({ file, line: 1, message: 'does not open with a paragraph on what it is' });
  lines.forEach((text, index) => {
    // Written so that this line does not find itself.
    if (/\bTO[D]O\b|\bFIX[M]E\b/.test(text)) findings.push({ file, line: index + 1, message: 'leaves something for later' });
  });
  return findings;
}

/**
 * @param {string} root
 * @returns {{findings: Finding[], files: number}}
 */
export function checkHouse(root) {
  const files = folders.flatMap((folder) => filesBelow(root, folder, sources));
  return {
    findings: [...checkVersion(root), ...checkLock(root), ...files.flatMap((file) => checkSource(root, file))],
    files: files.length,
  };
}
