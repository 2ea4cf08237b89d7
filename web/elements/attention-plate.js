/**
 * <attention-plate study="saturation">: one plate, computed live. It joins the parts: the shared engine computes, a Session holds what is wanted,
 * the plate's pure `draw` makes the picture, plateTemplate makes the words and controls. Until the first picture is drawn, and whenever nothing can
 * be computed, its light DOM (the static picture of the page) is shown instead.
 *
 * Attributes: study; params (query text, `d=128&keys=64`); theme (auto, light, dark); base (folder of the bundle's files); url (mirror the state behind #); no-url.
 * Events, bubbling out of shadow roots: plate-ready; plate-change {params}; plate-error {code, param, message}. data-engine says where the core runs.
 *
 * @import { Drawing, Plate } from '../chart/types.js'
 * @import { Client } from '../engine/engine.js'
 * @import { Params, ParameterValue, Preset } from '../engine/types.js'
 * @import { Hover } from './figure-hands.js'
 * @import { View } from './template.js'
 */
import { html, LitElement, nothing } from 'lit';
import { patch } from '../chart/node.js';
import { sliderScale } from '../chart/scale.js';
import { assetsAt } from '../engine/assets.js';
import { AttentionError, errorValue } from '../engine/errors.js';
import { sharedEngine } from '../engine/shared.js';
import { copyText } from './code-panel.js';
import { within } from './controls.js';
import { bringFonts, typeWidening } from './fonts.js';
import { FigureHands } from './figure-hands.js';
import { Session } from './session.js';
import { adoptStyles, keepToItself } from './shadow.js';
import { fromQuery, inWords, isState, onlyKnown, shorten, toQuery } from './state.js';
import { plateTemplate, waitRule } from './template.js';
import { UrlMirror } from './url-mirror.js';
import { cannotCompute, whereComputed } from './words.js';

/** Milliseconds of silence before a reader is told that the plate computes. */
const WAIT_MS = 150;

/** Width to draw for while the element has none (hidden); redrawn when it is shown. */
const UNSEEN_WIDTH = 640;

/** Width to draw for on paper, whatever the screen was. The style sheet has the same number. */
const PRINT_WIDTH = 974;

let counter = 0;

export class AttentionPlate extends LitElement {
  /** @override */
  static properties = {
    study: { type: String, reflect: true },
    theme: { type: String, reflect: true },
    base: { type: String },
    params: { attribute: 'params', noAccessor: true },
  };

  /** The plates this bundle can draw, by study. @type {Map<string, Plate>} */
  static plates = new Map();

  /** The group that a study's module of the core is named by, by study. @type {Map<string, string>} */
  static groups = new Map();

  /** @type {string | undefined} */ #study;
  /** @type {Client | null} */ #client = null;
  /** @type {Session | null} */ #session = null;
  /** @type {Plate | undefined} */ #plate;
  /** @type {UrlMirror | null} */ #mirror = null;
  /** @type {ResizeObserver | null} */ #resize = null;
  /** @type {Window | null} whose printing is listened to */ #window = null;
  /** @type {Record<string, ParameterValue>} the author's state over the defaults, where reset leads: attribute or early property `params` */ #authored = {};
  /** @type {AttentionError | null} why nothing runs at all */ #failure = null;
  /** @type {unknown} the result last announced */ #shown = null;
  /** @type {boolean} another study was on show in this element before */ #followsAnother = false;
  #stray = '';
  /** @type {string[]} the problems that were told and still stand */ #told = [];
  /** @type {Drawing | null} */ #drawing = null;
  /** @type {unknown[]} what the drawing was made from */ #drawnFrom = [];
  /** @type {Hover} */ #hover = null;
  /** @type {import('../engine/types.js').StudyResult | undefined} what was on show when a stroke or a drag began; while it lasts, nothing moves under the hand */ #before;
  /** @type {string | null} the handle that is held */ #taken = null;
  /** @type {Set<string>} */ #openTables = new Set();
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #waitTimer;
  #uid = `plate${++counter}`;
  #width = 0;
  #widen = 1;
  #busy = false;
  #mirrored = false;
  #printing = false;
  #ready = false;
  /** @type {number | null} how much of the awaited answer is done */ #share = null;
  #said = '';
  #copied = '';
  #announcement = '';
  #hands = new FigureHands({
    drawing: () => this.#drawing,
    parameter: (key) => this.#session?.study.parameters.find((parameter) => parameter.key === key),
    value: (key) => this.params[key],
    edit: (key, value) => this.#edit(key, value),
    change: (values) => { this.#touch(this.#session?.change(values)); },
    hover: (hover) => { this.#hover = hover; this.requestUpdate(); },
    announce: (text) => { this.#announcement = text; this.requestUpdate(); },
    paint: (painting) => { this.#before = painting ? this.#session?.result ?? undefined : undefined; this.requestUpdate(); },
    hold: (id) => { this.#taken = id; this.#before = id === null ? undefined : this.#session?.result ?? undefined; this.requestUpdate(); },
    fresh: (key) => this.#isShown(key),
    settled: () => Object.keys(this.params).every((key) => this.#isShown(key)),
  });

  constructor() {
    super();
    /** @type {string | undefined} */ this.study = undefined;
    /** @type {string | undefined} */ this.theme = undefined;
    /** @type {string | undefined} */ this.base = undefined;
  }

  /** Every parameter as the controls show it; set some of them, as values or as query text, to change the plate. @returns {Params} */
  get params() {
    return this.#session?.wanted ?? /** @type {Params} */ (this.#authored);
  }

  set params(given) {
    const raw = /** @type {unknown} */ (given);
    const values = /** @type {Record<string, ParameterValue>} */ (typeof raw === 'string' ? fromQuery(raw).raw : { .../** @type {object | null} */ (raw) });
    if (typeof raw === 'string' || !this.#session) this.#authored = values;
    if (this.#session) this.#touch(this.#session.settle({ ...this.#session.wanted, ...values }));
  }

  /** The declaration of the study on show: title, parameters, claims. */
  get declaration() {
    return this.#session?.study ?? null;
  }

  /** The result on show, as the core gave it. */
  get result() {
    return this.#session?.result ?? null;
  }

  /** @override */
  createRenderRoot() {
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
    adoptStyles(root);
    this.#hands.attach(root);
    keepToItself(root);
    return root;
  }

  adoptedCallback() {
    if (this.shadowRoot) adoptStyles(this.shadowRoot);
  }

  /** @override */
  connectedCallback() {
    super.connectedCallback();
    const view = this.ownerDocument.defaultView;
    this.#resize = new ResizeObserver(() => this.#measure());
    this.#resize.observe(this);
    for (const type of ['beforeprint', 'afterprint']) view?.addEventListener(type, this.#onPrint);
    this.#window = view;
    if (view && this.hasAttribute('url') && !this.hasAttribute('no-url')) this.#mirror = new UrlMirror(view, (hash) => this.#followHash(hash));
    bringFonts(this.ownerDocument, assetsAt(this.base || undefined).base);
    this.ownerDocument.fonts.addEventListener('loadingdone', this.#onFonts);
    this.#onFonts();
    if (this.hasUpdated) this.#load();
  }

  /** @override */
  disconnectedCallback() {
    super.disconnectedCallback();
    this.#resize?.disconnect();
    for (const type of ['beforeprint', 'afterprint']) this.#window?.removeEventListener(type, this.#onPrint);
    this.#window?.document.fonts.removeEventListener('loadingdone', this.#onFonts);
    this.#mirror?.close();
    this.#mirror = null;
    this.#client?.release();
    this.#client = null;
    clearTimeout(this.#waitTimer);
  }

  /** @override @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if ((!this.hasUpdated || changed.has('study') || changed.has('base')) && this.isConnected) this.#load();
    this.#draw();
  }

  /** Finds engine, declaration and plate, and asks for the first picture. */
  async #load() {
    if (this.#study !== this.study) this.#forget();
    this.#client?.release();
    this.#client = null;
    if (!this.study) {
      this.#fail(new AttentionError('unknown_study', 'study', `The element names no study; there are ${[...AttentionPlate.plates.keys()].join(', ')}`));
      return;
    }
    /** @type {Client | null} */
    let client = null;
    try {
      const group = AttentionPlate.groups.get(this.study);
      if (group === undefined) throw new AttentionError('unknown_study', 'study', `"${shorten(this.study)}" is not a study; there are ${[...AttentionPlate.groups.keys()].join(', ')}`);
      client = this.#client = sharedEngine(group, this.base || undefined).client();
      const { studies } = await client.start();
      if (client !== this.#client) return;
      this.dataset.engine = client.kind;
      this.#failure = null;
      if (this.#session) {
        this.#session.resume();
        return;
      }
      const study = studies.find(({ id }) => id === this.study);
      const plate = AttentionPlate.plates.get(this.study);
      // `base` may name the files of another version
      if (!study || !plate) throw new AttentionError('unknown_study', 'study', `the files at ${assetsAt(this.base || undefined).base} do not know the study ${this.study}`);
      this.#begin(new Session(study, {
        client: () => this.#client,
        changed: () => this.#changed(),
        waiting: (waiting) => this.#wait(waiting),
        progress: (share) => { this.#share = share; if (this.#busy) this.requestUpdate(); },
      }), plate);
    } catch (thrown) {
      if (client !== this.#client) return;
      this.#fail(thrown);
    }
  }

  /** Another study begins with nothing: no state, no picture; what stood in the address was the other's. */
  #forget() {
    this.#followsAnother = this.#study !== undefined;
    if (this.#followsAnother) this.#mirror?.leaveFor(this.#mirror.hash);
    this.#stray = '';
    this.#study = this.study;
    this.#session = null;
    this.#plate = undefined;
    this.#drawing = null;
    this.#failure = null;
    this.#hover = null;
    this.#openTables.clear();
    this.#ready = false;
    delete this.dataset.state;
  }

  /** @param {Session} session @param {Plate} plate */
  #begin(session, plate) {
    this.#session = session;
    this.#plate = plate;
    if (this.#followsAnother) this.#authored = onlyKnown(session.study, this.#authored);
    const hash = this.#followsAnother ? '' : this.#mirror?.hash ?? '';
    this.#stray = hash && (this.#mirror?.stray ?? '');
    const { raw, notices } = fromQuery(isState(hash) ? hash : '');
    this.#mirrored = isState(hash);
    session.restore({ ...this.#authored, ...raw }, notices);
  }

  /** @param {unknown} thrown */
  #fail(thrown) {
    const value = errorValue(thrown);
    this.#failure = AttentionError.from(value);
    this.#emit('plate-error', value);
    this.requestUpdate();
  }

  /** After every outcome the session shows. */
  #changed() {
    const session = this.#session;
    if (!session) return;
    const { failure, rejected, result, study } = session;
    const problems = [...(failure ? [errorValue(failure)] : []), ...Object.values(rejected).map(({ error }) => error)];
    for (const problem of problems) if (!this.#told.includes(problem.message)) this.#emit('plate-error', problem);
    this.#told = problems.map(({ message }) => message);
    if (this.#client?.kind) this.dataset.engine = this.#client.kind;
    if (result && result !== this.#shown) {
      this.#shown = result;
      if (this.#mirrored) this.#mirror?.write(toQuery(study, result.params));
      this.#emit('plate-change', { params: result.params });
    }
    this.#said = this.#copied = '';
    this.requestUpdate();
  }

  /** @param {boolean} waiting */
  #wait(waiting) {
    clearTimeout(this.#waitTimer);
    if (waiting) this.#share = null;
    const show = (/** @type {boolean} */ busy) => { if (this.#busy !== busy) { this.#busy = busy; this.requestUpdate(); } };
    if (waiting) this.#waitTimer = setTimeout(() => show(true), WAIT_MS);
    else show(false);
  }

  /** @param {string} type @param {object} [detail] */
  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  /** The reader has taken part: from now on the address follows. @param {Promise<void>} [work] */
  #touch(work) {
    this.#mirrored = true;
    this.#stray = '';
    this.requestUpdate();
    return work;
  }

  /** Whether the result on show has what is wanted of a parameter; where there is a failure, nothing better comes. @param {string} key */
  #isShown(key) {
    const session = this.#session;
    return !session || session.failure !== null || Object.is(session.wanted[key], session.result?.params[key]);
  }

  /** The one way in, for sliders, switches, drags and keys. @param {string} key @param {ParameterValue} value */
  #edit(key, value) {
    this.#touch(this.#session?.edit(key, value));
  }

  /** @param {string} hash */
  #followHash(hash) {
    if (!this.#session) return;
    if (hash !== '' && !isState(hash)) {
      this.#stray = this.#mirror?.stray ?? '';
      if (this.#stray) this.#mirror?.leaveFor(hash);
      this.requestUpdate();
      return;
    }
    this.#mirror?.leaveFor(hash);
    const { raw, notices } = fromQuery(hash);
    this.#touch(this.#session.restore({ ...this.#authored, ...raw }, notices));
  }

  /** The address that restores the state on show. */
  #link() {
    const session = this.#session;
    if (!session) return '';
    const query = toQuery(session.study, session.result?.params ?? session.wanted);
    if (this.#mirror) return `${this.ownerDocument.location.href.replace(/#.*$/, '')}#${query}`;
    return `${assetsAt(this.base || undefined).embed}?plate=${encodeURIComponent(session.study.id)}#${query}`;
  }

  async #copyLink() {
    const link = this.#link();
    try {
      await navigator.clipboard.writeText(link);
      this.#said = 'The link is copied.';
    } catch {
      this.#said = `Copy this link: ${link}`;
    }
    this.requestUpdate();
  }

  async #copyCode() {
    this.#copied = '';
    this.requestUpdate();
    this.#copied = await copyText(this.#session?.result?.code ?? '', this.renderRoot.querySelector('.code code'));
    this.requestUpdate();
  }

  /** Labels are given the room that the type at hand needs. */
  #onFonts = () => {
    this.#widen = typeWidening(this.ownerDocument);
    this.requestUpdate();
  };

  /** The browser lays the paper out as soon as the event is over, so the drawing is made within it. */
  #onPrint = (/** @type {Event} */ { type }) => {
    this.#printing = type === 'beforeprint';
    this.requestUpdate();
    if (this.isUpdatePending) this.performUpdate();
  };

  #measure() {
    if (this.#printing) return;
    const figures = this.renderRoot.querySelector('.figures');
    const width = figures?.clientWidth || this.clientWidth;
    if (width === 0 || Math.abs(width - this.#width) < 1) return;
    this.#width = width;
    this.requestUpdate();
  }

  /** Draws when something a drawing depends on has changed. */
  #draw() {
    const result = this.#session?.result;
    if (!result || !this.#plate) return;
    const width = this.#printing ? PRINT_WIDTH : this.#width || UNSEEN_WIDTH;
    const from = [result, width, this.#hover, this.#widen, this.#before, this.#taken];
    if (this.#drawing && from.every((part, i) => part === this.#drawnFrom[i])) return;
    this.#drawnFrom = from;
    try {
      this.#drawing = this.#plate.draw(result, { width, widen: this.#widen, uid: this.#uid, params: result.params, hover: this.#hover, taken: this.#taken, before: this.#before });
      this.#failure = null;
    } catch (thrown) {
      this.#failure = new AttentionError('drawing_failed', '', `The figure could not be drawn (${thrown instanceof Error ? thrown.message : thrown}).`);
      this.#emit('plate-error', errorValue(this.#failure));
    }
  }

  /** @returns {View | null} */
  #view() {
    const session = this.#session;
    if (!session || !this.#plate || !this.#drawing) return null;
    const problem = this.#failure ?? session.failure;
    const adjusted = session.notices.map(({ message }) => message).join('; ');
    return {
      study: session.study, plate: this.#plate, drawing: this.#drawing, uid: this.#uid,
      params: session.wanted, rejected: session.rejected, still: false, busy: this.#busy, share: this.#share,
      series: (this.#taken === null && this.#before ? this.#before : session.result)?.series ?? {}, code: session.result?.code ?? '', copied: this.#copied,
      notice: [this.#stray, adjusted && `Adjusted: ${adjusted}.`, this.#said].filter(Boolean).join(' '),
      error: problem ? problem.message : '',
      announcement: this.#announcement,
      status: whereComputed(this.#client?.kind),
      printLine: `${inWords(session.study, session.result?.params ?? session.wanted, this.#plate?.idle?.(session.result?.params ?? session.wanted))} — ${this.#link()}`,
      openTables: this.#openTables,
      picture: () => nothing,
      edit: (key, value) => this.#edit(key, value),
      type: (key, value, along, said = this.#announcement) => { this.#announcement = said; this.#touch(session.type(key, value, along)); },
      change: (params, said) => { this.#announcement = said; this.#touch(session.change(params)); },
      choose: (/** @type {Preset} */ preset) => { this.#touch(session.restore({ ...session.wanted, ...preset.params })); },
      reset: () => { this.#touch(session.restore(this.#authored)); },
      copyLink: () => { this.#copyLink(); },
      copyCode: () => { this.#copyCode(); },
      openTable: (figure, open) => {
        if (open) this.#openTables.add(figure);
        else this.#openTables.delete(figure);
        this.requestUpdate();
      },
    };
  }

  /** @override */
  render() {
    const view = this.#view();
    if (view) return plateTemplate(view);
    return html`${waitRule(this.#busy, this.#share)}<slot></slot>
      <p class="error" role="alert">${this.#failure ? cannotCompute(this.#failure) : nothing}</p>`;
  }

  /** @override */
  updated() {
    const root = this.renderRoot;
    const rule = /** @type {HTMLElement | null} */ (root.querySelector('.wait span'));
    if (rule) rule.style.transform = this.#share === null ? '' : `scaleX(${this.#share})`;
    if (!this.#drawing || !this.#session) {
      if (this.#failure) this.dataset.state = 'still';
      return;
    }
    for (const control of root.querySelectorAll('.control-range')) {
      const parameter = this.#session.study.parameters.find(({ key }) => key === /** @type {HTMLElement} */ (control).dataset.key);
      if (parameter) patch(control, sliderScale(within(parameter, this.#session.result?.series ?? {})));
    }
    for (const figure of this.#drawing.figures) {
      const canvas = root.querySelector(`.canvas[data-figure="${figure.id}"]`);
      if (canvas) patch(canvas, figure.node);
    }
    this.#hands.placeTips(root, this.#drawing);
    if (!this.#ready) {
      this.#ready = true;
      this.dataset.state = 'live';
      this.#measure();
      this.#emit('plate-ready');
    }
  }
}
