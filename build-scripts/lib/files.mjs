// Source files and what a check found in them: shared by the layer check and the house rules.
import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/**
 * @typedef {object} Finding
 * @property {string} file path from the root, with forward slashes
 * @property {number} line counted from 1; 0 when the whole file or a missing one is meant
 * @property {string} message
 */

/**
 * Files below a folder, as paths from the root with forward slashes.
 * @param {string} root @param {string} folder @param {RegExp} names
 */
export function filesBelow(root, folder, names) {
  const start = join(root, folder);
  if (!existsSync(start)) return [];
  return readdirSync(start, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && names.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)).split(sep).join('/'))
    .sort();
}

/** A finding as a compiler would print it. @param {Finding} finding */
export const findingText = ({ file, line, message }) => `${file}${line > 0 ? `:${line}` : ''}: ${message}`;
