// LICENSES.txt of the site and of the package: whose code and type is bundled into dist/, with the words under which it may be passed on. The texts are
// read from what is installed; nothing here decides what is bundled.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const modules = join(root, 'node_modules');

/** Packages that the scripts and the style take in; of katex the type alone. */
const bundled = ['lit', 'd3-array', 'd3-format', 'd3-scale', 'd3-shape', '@fontsource-variable/eb-garamond', 'katex'];

/** What is compiled into the WebAssembly modules and their glue, and where Debian or the toolchain keeps its notice. @type {[string, string, string[]][]} */
const compiled = [
  ['Emscripten', 'MIT, Copyright (c) 2010-2014 Emscripten authors; https://emscripten.org', []],
  ['musl', 'MIT, Copyright (c) 2005-2020 Rich Felker, et al.; https://musl.libc.org', []],
  ['xtensor', 'BSD-3-Clause', ['libxtensor-dev']],
  ['xtl', 'BSD-3-Clause', ['xtl-dev']],
];

/** It and all it needs, types and what is for servers left out. @param {string} name @returns {string[]} */
function withNeeds(name) {
  const { dependencies = {} } = JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8'));
  const needs = name === 'katex' ? [] : Object.keys(dependencies).filter((need) => !/^@types\/|^@lit-labs\//.test(need));
  return [name, ...needs.flatMap(withNeeds)];
}

/** @param {string} name */
function ofPackage(name) {
  const folder = join(modules, name);
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (!file) throw new Error(`${name} is bundled, and has no licence file`);
  return { title: `${name} ${version} (${license})`, text: readFileSync(join(folder, file), 'utf8') };
}

/** The whole file. */
export function licences() {
  const parts = [
    { title: 'Attention Plates (MIT)', text: readFileSync(join(root, 'LICENSE'), 'utf8') },
    ...[...new Set(bundled.flatMap(withNeeds))].sort().map(ofPackage),
    ...compiled.map(([name, licence, notices]) => {
      const file = notices.flatMap((notice) => [join(root, '.toolchain/usr/share/doc', notice, 'copyright'), join('/usr/share/doc', notice, 'copyright')]).find(existsSync);
      return { title: `${name} (${licence})`, text: file ? readFileSync(file, 'utf8') : '' };
    }),
  ];
  return parts.map(({ title, text }) => `${'='.repeat(title.length)}\n${title}\n${'='.repeat(title.length)}\n\n${text.trim()}\n`).join('\n');
}
