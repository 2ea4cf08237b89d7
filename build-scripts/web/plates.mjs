// Bundles the elements and, each in a script of its own, the plates. What two plates use, or a plate and the elements, is in the elements' bundle
// once, and the plates take it from there; what one plate uses alone travels with it. Which modules those are is asked of esbuild. It builds no page.
//
// A plate script: (globalThis.__attentionPlates ??= []).push([study, version, parts => plate]); beside it a script with the study's first result, for
// pages where nothing can be computed; see web/elements/plates.js.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parse } from 'acorn';
import { build, transform } from 'esbuild';
import { plateName, stillName } from '../../web/engine/assets.js';

/** @import { BuildOptions, Plugin } from 'esbuild' */

const web = fileURLToPath(new URL('../../web', import.meta.url));

/** Stands in the bundles until their hash is known; as long as that. */
const NO_VERSION = 'version-0000';

/**
 * ASCII alone: a classic script is read in the encoding of the page that loads it, which need not be UTF-8.
 * @type {BuildOptions}
 */
export const common = { bundle: true, minify: true, target: 'es2022', charset: 'ascii', legalComments: 'none', platform: 'browser', logLevel: 'warning', absWorkingDir: web };

/** Its source, below web/. @param {string} study */
const plateFile = (study) => `plates/${study}.js`;

/** A module as an import means it: a path below web/, or the name of a package. @param {string} from  the folder below web/ @param {string} target */
const moduleOf = (from, target) => (/^\.{1,2}\//.test(target) ? posix.normalize(posix.join(from, target)) : target);

/**
 * The names that a module of ours imports, by module.
 * @param {string} file  below web/
 * @returns {Map<string, Set<string>>}
 */
function importsOf(file) {
  /** @type {Map<string, Set<string>>} */
  const found = new Map();
  const { body } = parse(readFileSync(join(web, file), 'utf8'), { ecmaVersion: 'latest', sourceType: 'module' });
  for (const node of body) {
    const named = node.type === 'ImportDeclaration' || (node.type === 'ExportNamedDeclaration' && node.source);
    if (node.type === 'ExportAllDeclaration') throw new Error(`web/${file} exports all of a module; plates name what they use`);
    if (!named) continue;
    const module = moduleOf(posix.dirname(file), String(node.source?.value));
    const names = found.get(module) ?? new Set();
    for (const part of node.specifiers) {
      const name = part.type === 'ImportSpecifier' ? part.imported : part.type === 'ExportSpecifier' ? part.local : null;
      if (name?.type !== 'Identifier') throw new Error(`web/${file} imports ${module} as a whole; plates name what they use`);
      names.add(name.name);
    }
    found.set(module, names);
  }
  return found;
}

/**
 * Modules that end up in a bundle: files below web/, and packages.
 * @param {string} contents  of its entry
 */
async function modulesIn(contents) {
  const { metafile } = await build({ ...common, stdin: { contents, resolveDir: web }, format: 'esm', write: false, metafile: true });
  const [{ inputs }] = Object.values(metafile.outputs);
  return new Set(Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([file]) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? file));
}

/**
 * @typedef {object} Plan
 * @property {string[]} shared  modules that are in the elements' bundle for plates
 * @property {Map<string, Map<string, Set<string>>>} uses  by study, of each shared module the names it uses
 */

/**
 * What is shared, and what each plate takes of it.
 * @param {string[]} studies
 * @param {string} base  entry of the elements' bundle without plates
 * @returns {Promise<Plan>}
 */
async function planOf(studies, base) {
  const [elements, ...plates] = await Promise.all([modulesIn(base), ...studies.map((study) => modulesIn(`export { default } from './${plateFile(study)}';`))]);
  const shared = new Set([...new Set(plates.flatMap((modules) => [...modules]))].filter((module) => elements.has(module) || plates.filter((modules) => modules.has(module)).length > 1));
  const uses = new Map(studies.map((study, i) => {
    /** @type {Map<string, Set<string>>} */
    const used = new Map();
    for (const file of [...plates[i]].filter((module) => module.endsWith('.js') && !shared.has(module))) {
      for (const [module, names] of importsOf(file)) {
        if (shared.has(module)) used.set(module, new Set([...used.get(module) ?? [], ...names]));
      }
    }
    return [study, used];
  }));
  return { shared: [...shared].filter((module) => [...uses.values()].some((used) => used.has(module))).sort(), uses };
}

/** Names in order, of all plates. @param {Plan} plan @param {string} module */
const namesOf = ({ uses }, module) => [...new Set([...uses.values()].flatMap((used) => [...used.get(module) ?? []]))].sort();

/**
 * The entry of the elements' bundle: what plates share, as a list, and what studies there are.
 * @param {Plan} plan
 * @param {Record<string, string>} groups  by study
 */
function elementsEntry(plan, groups) {
  const { shared } = plan;
  const at = (/** @type {string} */ module) => JSON.stringify(existsSync(join(web, module)) ? `./${module}` : module);
  return [
    "import { define } from './elements/define.js';",
    ...shared.map((module, i) => `import { ${namesOf(plan, module).map((name) => `${name} as part${i}_${name}`).join(', ')} } from ${at(module)};`),
    `const parts = [${shared.map((module, i) => `{ ${namesOf(plan, module).map((name) => `${name}: part${i}_${name}`).join(', ')} }`).join(', ')}];`,
    `export const AttentionPlate = define({ version: ${JSON.stringify(NO_VERSION)}, groups: ${JSON.stringify(groups)}, parts });`,
    "export { AttentionError } from './engine/errors.js';",
  ].join('\n');
}

/**
 * Takes shared modules from `parts` instead of bundling them.
 * @param {Plan} plan
 * @param {string} study
 * @returns {Plugin}
 */
const fromParts = ({ shared, uses }, study) => ({
  name: 'parts',
  setup(plates) {
    plates.onResolve({ filter: /./ }, ({ path, resolveDir, kind }) => {
      const module = kind === 'import-statement' ? moduleOf(relative(web, resolveDir), path) : '';
      return shared.includes(module) ? { path: module, namespace: 'parts' } : undefined;
    });
    plates.onLoad({ filter: /./, namespace: 'parts' }, ({ path }) => ({
      contents: [...uses.get(study)?.get(path) ?? []].map((name) => `export const ${name} = parts[${shared.indexOf(path)}].${name};`).join('\n'), loader: 'js',
    }));
  },
});

/**
 * Style sheets that are modules, of which the default export is the whole sheet, go in without their comments and spaces.
 * @type {Plugin}
 */
const smallSheets = {
  name: 'sheets',
  setup(elements) {
    elements.onLoad({ filter: /\.css\.js$/ }, async ({ path }) => {
      const { default: sheet } = await import(pathToFileURL(path).href);
      if (typeof sheet !== 'string') return undefined;
      return { contents: `export default ${literal((await transform(sheet, { loader: 'css', minify: true })).code.trimEnd())};`, loader: 'js' };
    });
  },
};

/**
 * A value as JavaScript writes it: unlike JSON with NaN, infinities and typed arrays, and in ASCII.
 * @param {unknown} value
 * @returns {string}
 */
export function literal(value) {
  if (ArrayBuffer.isView(value)) return `new ${value.constructor.name}([${[.../** @type {Float64Array} */ (value)].map(literal).join()}])`;
  if (Array.isArray(value)) return `[${value.map(literal).join()}]`;
  if (typeof value === 'object' && value !== null) return `{${Object.entries(value).map(([name, part]) => `${literal(name)}:${literal(part)}`).join()}}`;
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  return (JSON.stringify(value) ?? 'undefined').replace(/[^ -~]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * The scripts as text, by name: attention-plates.js, attention-plates.mjs, plates/<study>.js, and stills/<study>.js for what has a first result.
 * @param {Record<string, string>} groups  which module of the core runs a study, by study
 * @param {Record<string, import('../../web/elements/plates.js').First>} firsts  by study
 * @returns {Promise<Record<string, string>>}
 */
export async function bundlePlates(groups, firsts) {
  const studies = Object.keys(groups);
  for (const study of studies) {
    if (!existsSync(join(web, plateFile(study)))) throw new Error(`the study ${study} has no plate: web/${plateFile(study)} does not exist`);
  }
  const plan = await planOf(studies, elementsEntry({ shared: [], uses: new Map() }, groups));
  /** @param {string} contents @param {BuildOptions} options */
  const text = async (contents, options) => (await build({ ...common, plugins: [smallSheets], ...options, stdin: { contents, resolveDir: web }, write: false })).outputFiles?.[0].text ?? '';
  const entry = elementsEntry(plan, groups);
  const [script, module, ...plates] = await Promise.all([
    // a classic script has no import.meta; assets.js then goes by the <script> element
    text(entry, { format: 'iife', define: { 'import.meta.url': '""' } }),
    text(entry, { format: 'esm' }),
    ...studies.map((study) => text(`export { default } from './${plateFile(study)}';`, {
      format: 'iife', globalName: 'plate', plugins: [fromParts(plan, study)],
      banner: { js: `(globalThis.__attentionPlates??=[]).push([${JSON.stringify(study)},"${NO_VERSION}",parts=>{` }, footer: { js: 'return plate.default}]);' },
    })),
  ]);
  const version = createHash('sha256').update(script).digest('hex').slice(0, NO_VERSION.length);
  const stills = Object.entries(firsts).map(([study, first]) => [stillName(study), `(globalThis.__attentionPlatesStills??={})[${literal(study)}]=${literal({ version: NO_VERSION, ...first })};\n`]);
  return Object.fromEntries(Object.entries({ 'attention-plates.js': script, 'attention-plates.mjs': module, ...Object.fromEntries(studies.map((study, i) => [plateName(study), plates[i]])), ...Object.fromEntries(stills) })
    .map(([name, contents]) => [name, contents.replace(NO_VERSION, version)]));
}
