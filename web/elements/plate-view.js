/**
 * The view of a plate, which template.js turns into markup: of a live one, what the element knows of the moment, put into words, and what a reader may
 * do, as functions; of one that stands still, its first setting, and nothing that may be done. It keeps nothing.
 *
 * @import { Drawing, Plate, VNode } from '../chart/types.js'
 * @import { AttentionError } from '../engine/errors.js'
 * @import { RungKind } from '../engine/ladder.js'
 * @import { Study, StudyResult } from '../engine/types.js'
 * @import { Session } from './session.js'
 * @import { MeasureView } from './measure.js'
 * @import { View } from './template.js'
 */
import { nothing } from 'lit';
import { stillMeasure } from './measure.js';
import { inWords } from './state.js';
import { FOLD, foldedOf } from './controls.js';
import { whereComputed } from './words.js';

/**
 * @typedef {object} Moment
 * @property {Session} session
 * @property {Plate} plate
 * @property {Drawing} drawing
 * @property {string} uid
 * @property {boolean} busy
 * @property {number | null} share
 * @property {RungKind | undefined} kind where the core runs
 * @property {string} printLink the address that restores the state on show, but for what was measured
 * @property {AttentionError | null} failure of the drawing
 * @property {StudyResult | undefined} held what the controls go on showing while a hand paints
 * @property {string} copied what is said of the copied code
 * @property {string} stray what is said of the address
 * @property {string} said what is said of the copied link
 * @property {string} announcement
 * @property {Set<string>} openTables
 * @property {MeasureView | null} measuring
 *
 * @typedef {object} Acts what the element does
 * @property {(text: string) => void} announce with the next update
 * @property {(work: Promise<void>) => void} touch the reader has taken part
 * @property {() => void} reset
 * @property {() => void} copyLink
 * @property {() => void} copyCode
 * @property {() => void} update
 */

/** @param {Moment} moment @param {Acts} acts @returns {View} */
export function plateView(moment, acts) {
  const { session, plate, drawing, uid, busy, share, kind, copied, announcement, openTables, measuring } = moment;
  const { study, result } = session;
  const problem = moment.failure ?? session.failure;
  const adjusted = session.notices.map(({ message }) => message).join('; ');
  const shown = result?.params ?? session.wanted;
  // a table of times is neither read nor typed from paper; the figures say what was measured
  const measured = plate.meter?.params ?? [];
  const unsaid = [...plate.idle?.(shown) ?? [], ...measured];
  // a complaint is not folded away, and who answers it is not shut out by having done so
  if (foldedOf(study.parameters, plate).some(({ key }) => session.rejected[key])) openTables.add(FOLD);
  return {
    study, plate, drawing, uid, busy, share, copied, announcement, openTables, measuring, still: false,
    params: session.wanted, shown, rejected: session.rejected, arrivals: session.arrivals,
    series: (moment.held ?? result)?.series ?? {}, code: result?.code ?? '',
    notice: [moment.stray, adjusted && `Adjusted: ${adjusted}.`, moment.said].filter(Boolean).join(' '),
    error: problem ? problem.message : '',
    status: whereComputed(kind),
    printLine: `${inWords(study.parameters.filter(({ key }) => !unsaid.includes(key)), shown).join(' · ')}${measured.some((key) => shown[key] !== '') ? ' · without what was measured' : ''} — ${moment.printLink}`,
    picture: () => nothing,
    edit: (key, value) => { acts.announce(''); acts.touch(session.edit(key, value)); },
    type: (key, value, along, said = '') => { acts.announce(said); acts.touch(session.type(key, value, along)); },
    change: (params, said) => { acts.announce(said); acts.touch(session.change(params)); },
    choose: (preset) => { acts.announce(''); acts.touch(session.restore({ ...session.wanted, ...preset.params })); },
    reset: acts.reset, copyLink: acts.copyLink, copyCode: acts.copyCode,
    openTable: (figure, open) => {
      if (open) openTables.add(figure);
      else openTables.delete(figure);
      acts.update();
    },
  };
}

/**
 * @param {object} of
 * @param {Study} of.study
 * @param {Plate} of.plate
 * @param {StudyResult} of.result at the first setting
 * @param {Drawing} of.drawing
 * @param {string} of.uid
 * @param {(node: VNode) => unknown} [of.picture] markup of an SVG tree, where it is not patched in later
 * @returns {View}
 */
export const stillView = ({ study, plate, result, drawing, uid, picture = () => nothing }) => ({
  study, plate, drawing, uid, picture, params: result.params, shown: result.params, still: true, series: result.series, code: result.code ?? '',
  rejected: {}, arrivals: 0, notice: '', error: '', announcement: '', busy: false, share: null, copied: '', status: '', printLine: '', openTables: new Set(), measuring: plate.meter ? stillMeasure : null,
  edit() {}, type() {}, change() {}, choose() {}, reset() {}, copyLink() {}, copyCode() {}, openTable() {},
});
