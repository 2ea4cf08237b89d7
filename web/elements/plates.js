/**
 * The plates that elements can draw. Which studies there are, and in which module of the core each is run, the base bundle knows; how one is drawn comes
 * with a script of its own, plates/<study>.js, which the page names or which is fetched when a plate of that study appears.
 *
 * A plate script calls `__attentionPlates.push([study, version, make])`, whether the base bundle has run or not: before it, that is a plain array.
 * `make` takes the parts that plates share, which are in the base bundle once. A script of another build is not taken: it may expect other parts.
 *
 * stills/<study>.js leaves `{ version, study, result }`, the first setting of a study, at `__attentionPlatesStills[study]`, for a plate that cannot compute.
 *
 * @import { Plate } from '../chart/types.js'
 * @import { Study, StudyResult } from '../engine/types.js'
 */
import { assetsAt, plateAt, stillAt } from '../engine/assets.js';
import { AttentionError } from '../engine/errors.js';
import { loadScript } from '../engine/ladder.js';

/** @typedef {Record<string, unknown>} Part what plates use of one module */
/** @typedef {[study: string, version: string, make: (parts: Part[]) => Plate]} Entry */
/** @typedef {{study: Study, result: StudyResult}} First a study as it is declared, and its result at the first setting */
/** @typedef {First & {plate: Plate} | {picture: string}} Still what stands in for a live plate: something to draw, or else the address of a picture */

/**
 * @typedef {object} Known what the build has written into the base bundle
 * @property {string} version that of a plate script must be the same
 * @property {Record<string, string>} groups which module of the core runs a study, by study
 * @property {Part[]} parts that plates share
 */

/** @type {Known} */
let known = { version: '', groups: {}, parts: [] };

/** @type {Map<string, Plate>} */
const plates = new Map();

/** @param {Entry} entry */
function take([study, version, make]) {
  if (version === known.version && !plates.has(study)) plates.set(study, make(known.parts));
}

/** Begins: with the plates whose scripts ran before, and from now on with each as it comes. @param {Known} built */
export function knowPlates(built) {
  known = built;
  const page = /** @type {{__attentionPlates?: Entry[] | {push: typeof take}}} */ (globalThis);
  const early = Array.isArray(page.__attentionPlates) ? page.__attentionPlates : [];
  page.__attentionPlates = { push: take };
  early.forEach(take);
}

/** Ids of the studies that have a plate. */
export const studiesKnown = () => Object.keys(known.groups);

/** The group that a study's module of the core is named by. @param {string} study @returns {string | undefined} */
export const groupOf = (study) => (Object.hasOwn(known.groups, study) ? known.groups[study] : undefined);

/**
 * The plate of a study, fetched where it is not there yet.
 * @param {string} study one that is known
 * @param {string} [base] folder of the bundle's files; default: beside this script
 * @returns {Promise<Plate>} rejects with an AttentionError, after which it may be asked for again
 */
export async function plateOf(study, base) {
  const url = plateAt(study, assetsAt(base));
  if (!plates.has(study)) {
    await loadScript(url).catch(() => { throw new AttentionError('plate_unreachable', 'study', `The drawing of this plate could not be loaded from ${url}.`); });
  }
  const plate = plates.get(study);
  if (!plate) throw new AttentionError('plate_unreachable', 'study', `The drawing at ${url} is of another version than the script of this page.`);
  return plate;
}

/**
 * What stands in where nothing can be computed.
 * @param {string} study one that is known
 * @param {string} [base] folder of the bundle's files; default: beside this script
 * @returns {Promise<Still>}
 */
export async function stillOf(study, base) {
  const { script, picture } = stillAt(study, assetsAt(base));
  try {
    const [plate] = await Promise.all([plateOf(study, base), loadScript(script)]);
    const { version, ...first } = /** @type {{__attentionPlatesStills?: Record<string, First & {version: string}>}} */ (globalThis).__attentionPlatesStills?.[study] ?? {};
    if (version === known.version) return { .../** @type {First} */ (first), plate };
  } catch {
    // the picture needs no script
  }
  return { picture };
}
