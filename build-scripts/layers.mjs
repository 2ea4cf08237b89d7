// Enforces who may include or import whom, and that every study is registered and has its plate.
// It reads the sources; it builds and runs nothing. The rules are two tables, one a language: a folder,
// what it may reach, nothing else. Types named in comments (`@import`, `import('...')`) count as
// imports: a type is knowledge too. Run by `npm run check`, or alone: node build-scripts/layers.mjs
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'acorn';
import { filesBelow, findingText } from './lib/files.mjs';

/** @typedef {import('./lib/files.mjs').Finding} Finding */

/**
 * C++: the folder, the folders whose headers it may include, and the third-party headers it may.
 * The first entry that contains a file decides.
 * @type {{folder: string, ours: string[], others: RegExp[]}[]}
 */
const cppLayers = [
  { folder: 'cpp/include', ours: ['cpp/include'], others: [] },
  { folder: 'cpp/src/kernels', ours: ['cpp/include', 'cpp/src'], others: [/^(immintrin|x86intrin|arm_neon|wasm_simd128)\.h$/, /^xsimd\//] },
  { folder: 'cpp/src', ours: ['cpp/include', 'cpp/src'], others: [] },
  { folder: 'cpp/studies', ours: ['cpp/include', 'cpp/studies'], others: [] },
  // The modules without glue take the fast functions apart into what is checked and what runs.
  ...['plain', 'fast', 'spans'].map((name) => ({ folder: `cpp/bindings/${name}`, ours: ['cpp/include', 'cpp/src', 'cpp/bindings'], others: [] })),
  { folder: 'cpp/bindings', ours: ['cpp/include', 'cpp/studies', 'cpp/bindings'], others: [/^emscripten(\/|\.h$)/] },
  { folder: 'cpp/tools', ours: ['cpp/include', 'cpp/studies', 'cpp/tools'], others: [] },
  { folder: 'cpp/bench', ours: ['cpp/include', 'cpp/src', 'cpp/studies', 'cpp/bench'], others: [/^(benchmark|Eigen)\/|^cblas\.h$/] },
];

/** The one file that includes xtensor. */
const tensorHeader = 'cpp/include/attn/tensor.hpp';

/** C++ that only some folders may contain, comments and strings aside. */
const cppOnly = [
  {
    pattern: /\bvector_size\b|\b_mm\d*_|\bwasm_[a-z]\d+x\d+_|\bv128_t\b|\bxsimd::|\b__builtin_(ia32|shuffle)/,
    folders: ['cpp/src/kernels'],
    message: 'SIMD code belongs in cpp/src/kernels',
  },
  { pattern: /\bemscripten::|\bEM_(ASM|JS)\b/, folders: ['cpp/bindings'], message: 'only cpp/bindings knows JavaScript' },
  {
    pattern: /\bstd::(cout|cerr|clog|cin|[io]?fstream)\b|\b(f?printf|fopen|fputs|puts)\s*\(/,
    folders: ['cpp/tools', 'cpp/bench'],
    message: 'only the command line and the benchmarks read or write',
  },
  {
    pattern: /\bstd::(\w+_distribution|random_device|mt19937(_64)?|default_random_engine)\b/,
    folders: [],
    message: "the standard library's random numbers differ between targets; use attn/random",
  },
];

/**
 * JavaScript: the folder below web/, the folders it may import from, and the packages it may.
 * @type {{folder: string, ours: string[], packages: RegExp}[]}
 */
const webLayers = [
  { folder: 'web/chart', ours: ['web/chart'], packages: /^d3-/ },
  { folder: 'web/plates', ours: ['web/plates', 'web/chart'], packages: /^d3-/ },
  { folder: 'web/engine', ours: ['web/engine'], packages: /^$/ },
  { folder: 'web/elements', ours: ['web/elements', 'web/engine', 'web/chart', 'web/plates', 'web/style'], packages: /^(lit|lit-html|@lit)(\/|$)/ },
  // The theme's home is the chart; the pages' styles take their colours from it.
  { folder: 'web/style', ours: ['web/style', 'web/chart'], packages: /^(lit|katex)(\/|$)/ },
  { folder: 'web/pages', ours: ['web'], packages: /^(lit|katex)(\/|$)/ },
];

/** @param {string} path @param {string} folder */
const inside = (path, folder) => path === folder || path.startsWith(`${folder}/`);

/** @param {string} text @param {number} index */
const lineAt = (text, index) => text.slice(0, index).split('\n').length;

/** C++ with comments and string contents blanked, line by line as before. @param {string} text */
export function withoutCommentsAndStrings(text) {
  return text.replace(
    /\/\/[^\n]*|\/\*[^]*?\*\/|R"([^(\s]*)\([^]*?\)\1"|"(?:\\.|[^"\\\n])*"/g,
    (match, _delimiter, at) => (/#\s*include\s*$/.test(text.slice(text.lastIndexOf('\n', at) + 1, at)) ? match : match.replace(/[^\n]/g, ' ')),
  );
}

/** @param {string} root @param {string} file @returns {Finding[]} */
function checkCppFile(root, file) {
  const layer = cppLayers.find(({ folder }) => inside(file, folder));
  if (!layer) return [{ file, line: 0, message: 'this folder has no place in the layers (build-scripts/layers.mjs)' }];
  const text = withoutCommentsAndStrings(readFileSync(join(root, file), 'utf8'));
  /** @type {Finding[]} */
  const findings = [];
  /** @param {number} index @param {string} message */
  const find = (index, message) => findings.push({ file, line: lineAt(text, index), message });

  for (const match of text.matchAll(/^[ \t]*#[ \t]*include[ \t]*(?:<([^>]+)>|"([^"]+)")/gm)) {
    const [, angled, quoted] = match;
    if (angled !== undefined) {
      const standard = /^[a-z_0-9]+$/.test(angled);
      const tensors = file === tensorHeader && /^xtensor\//.test(angled);
      if (!standard && !tensors && !layer.others.some((allowed) => allowed.test(angled))) {
        find(match.index, `may not include <${angled}>`);
      }
      continue;
    }
    // A quoted header is found beside the file, or from an include folder of the build.
    const candidates = [
      posix.normalize(posix.join(dirname(file), quoted)),
      ...['cpp/include', 'cpp/src', 'cpp/studies'].map((folder) => posix.normalize(posix.join(folder, quoted))),
    ];
    const target = candidates.find((candidate) => existsSync(join(root, candidate)));
    if (!target) find(match.index, `includes "${quoted}", which is not in the repository`);
    else if (!layer.ours.some((folder) => inside(target, folder))) find(match.index, `may not include ${target}`);
  }
  for (const { pattern, folders, message } of cppOnly) {
    const match = pattern.exec(text);
    if (match && !folders.some((folder) => inside(file, folder))) find(match.index, `${message} (${match[0].trim()})`);
  }
  return findings;
}

/**
 * Everything a JavaScript module names by path: imports, exports from, import(), new URL(..., import.meta.url),
 * and types in comments.
 * @param {string} text
 * @returns {{target: string, index: number}[]}
 */
function references(text) {
  /** @type {{target: string, index: number}[]} */
  const found = [];
  /** @type {import('acorn').Comment[]} */
  const comments = [];
  /** @param {any} node */
  const visit = (node) => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (node === null || typeof node !== 'object') return;
    const source = node.type?.startsWith('Import') || node.type?.startsWith('Export') ? node.source : undefined;
    if (typeof source?.value === 'string') found.push({ target: source.value, index: source.start });
    const [first, second] = node.type === 'NewExpression' && node.callee.name === 'URL' ? node.arguments : [];
    if (typeof first?.value === 'string' && text.slice(second?.start, second?.end) === 'import.meta.url') {
      found.push({ target: /^\.{0,2}\//.test(first.value) ? first.value : `./${first.value}`, index: first.start });
    }
    for (const key of Object.keys(node)) if (key !== 'type') visit(node[key]);
  };
  visit(parse(text, { ecmaVersion: 'latest', sourceType: 'module', onComment: comments }));
  for (const comment of comments) {
    for (const match of comment.value.matchAll(/import\(\s*['"]([^'"]+)['"]\s*\)|@import[^'"@]*?from\s*['"]([^'"]+)['"]/g)) {
      found.push({ target: match[1] ?? match[2], index: comment.start + 2 + match.index });
    }
  }
  return found;
}

/** @param {string} root @param {string} file @returns {Finding[]} */
function checkWebFile(root, file) {
  const text = readFileSync(join(root, file), 'utf8');
  /** @type {Finding[]} */
  const findings = [];
  /** @param {number} index @param {string} message */
  const find = (index, message) => findings.push({ file, line: lineAt(text, index), message });

  const handle = /\.delete\(\s*\)/.exec(text);
  if (handle) find(handle.index, 'frees a C++ object: the bridge carries values, no C++ handle lives in JavaScript');
  const chance = /\bMath\.random\b/.exec(text);
  if (chance) find(chance.index, 'draws an unseeded number; seeds are explicit everywhere');

  // Modules at the top of web/ are entry points and may reach everything.
  const layer = webLayers.find(({ folder }) => inside(file, folder));
  if (!layer) {
    if (dirname(file) !== 'web') findings.push({ file, line: 0, message: 'this folder has no place in the layers (build-scripts/layers.mjs)' });
    return findings;
  }
  for (const { target, index } of references(text)) {
    if (/^\.{1,2}\//.test(target)) {
      const path = posix.normalize(posix.join(dirname(file), target));
      if (!layer.ours.some((folder) => inside(path, folder))) find(index, `may not import ${path}`);
    } else if (!layer.packages.test(target)) {
      find(index, `may not import '${target}'`);
    }
  }
  return findings;
}

/** Files of cpp/studies that are no study: the registries, and exercises, which have a registry of their own. @param {string} stem */
const noStudy = (stem) => stem === 'registry' || /^exercises?(_|$)/.test(stem);

/** Every exercise_<number>.cpp is listed in exercise_registry.cpp. @param {string} root @returns {Finding[]} */
function checkExercises(root) {
  const stems = filesBelow(root, 'cpp/studies', /\/exercise_\d+\.cpp$/).map((file) => basename(file, '.cpp'));
  if (stems.length === 0) return [];
  const listed = withoutCommentsAndStrings(readFileSync(join(root, 'cpp/studies/exercise_registry.cpp'), 'utf8'));
  return stems.filter((stem) => !new RegExp(`\\b${stem}\\b`).test(listed))
    .map((stem) => ({ file: `cpp/studies/${stem}.cpp`, line: 0, message: 'is not in cpp/studies/exercise_registry.cpp' }));
}

/**
 * Every study is in the registry and has a plate. A study is cpp/studies/<stem>.cpp; <stem>_<more>.cpp beside it is
 * a part of it. The plate of masked_softmax.cpp is web/plates/masked-softmax.js.
 * @param {string} root @returns {Finding[]}
 */
function checkStudies(root) {
  const folder = 'cpp/studies';
  const stems = filesBelow(root, folder, /\.cpp$/).map((file) => basename(file, '.cpp')).filter((stem) => !noStudy(stem));
  const studies = stems.filter((stem) => !stems.some((other) => stem.startsWith(`${other}_`)));
  const registryFile = `${folder}/registry.cpp`;
  if (!existsSync(join(root, registryFile))) return [{ file: registryFile, line: 0, message: 'is missing' }];
  if (studies.length === 0) return [{ file: folder, line: 0, message: 'holds no study' }];
  const registry = withoutCommentsAndStrings(readFileSync(join(root, registryFile), 'utf8'));
  return studies.flatMap((stem) => {
    /** @type {Finding[]} */
    const findings = [];
    const plate = `web/plates/${stem.replaceAll('_', '-')}.js`;
    if (!new RegExp(`\\b${stem}\\b`).test(registry)) {
      findings.push({ file: `${folder}/${stem}.cpp`, line: 0, message: `is not in ${registryFile}` });
    }
    if (!existsSync(join(root, plate))) {
      findings.push({ file: `${folder}/${stem}.cpp`, line: 0, message: `has no plate ${plate}` });
    }
    return findings;
  });
}

/**
 * All violations below a root folder; an empty list is what one wants.
 * @param {string} root
 * @returns {{findings: Finding[], files: number}}
 */
export function checkLayers(root) {
  const cpp = filesBelow(root, 'cpp', /\.(hpp|h|cpp|cc)$/);
  const web = filesBelow(root, 'web', /\.(js|mjs)$/);
  return {
    findings: [
      ...cpp.flatMap((file) => checkCppFile(root, file)),
      ...web.flatMap((file) => checkWebFile(root, file)),
      ...checkStudies(root),
      ...checkExercises(root),
    ],
    files: cpp.length + web.length,
  };
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { findings, files } = checkLayers(resolve(dirname(fileURLToPath(import.meta.url)), '..'));
  for (const finding of findings) console.log(findingText(finding));
  console.log(`${files} files, ${findings.length} violations`);
  process.exitCode = findings.length > 0 || files === 0 ? 1 : 0;
}
