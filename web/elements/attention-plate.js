/**
 * <attention-plate study="saturation">: one plate, computed live. It joins the parts: plates.js brings the plate, the shared engine computes, a Session
 * holds what is wanted, a Drawer keeps the picture that the plate draws of it, plate-view.js and template.js make words and controls. Until the first picture is drawn, and whenever nothing can
 * be computed, its light DOM (the static picture of the page) is shown instead.
 *
 * Attributes: study; params (query text, `d=128&keys=64`); theme (auto, light, dark); base (folder of the bundle's files); url (mirror the state behind #); no-url.
 * Events, bubbling out of shadow roots: plate-ready; plate-change {params}; plate-error {code, param, message}. data-engine says where the core runs.
 *
 * @import { Plate } from '../chart/types.js'
 * @import { Client } from '../engine/engine.js'
 * @import { Params, ParameterValue } from '../engine/types.js'
 * @import { Hover } from './figure-hands.js'
 * @import { Still } from './plates.js'
 */
import { LitElement } from 'lit';
import { assetsAt } from '../engine/assets.js';
import { AttentionError, errorValue } from '../engine/errors.js';
import { sharedEngine } from '../engine/shared.js';
import { copyText } from './code-panel.js';
import { Drawer } from './drawer.js';
import { bringFonts, typeWidening } from './fonts.js';
import { FigureHands } from './figure-hands.js';
import { keptOf, Measuring } from './measure.js';
import { plateView, stillView } from './plate-view.js';
import { groupOf, plateOf, stillOf, studiesKnown } from './plates.js';
import { Session } from './session.js';
import { adoptStyles, keepToItself } from './shadow.js';
import { fromQuery, isState, onlyKnown, shorten, toQuery } from './state.js';
import { plateTemplate, stillTemplate } from './template.js';
import { UrlMirror } from './url-mirror.js';
import { Waiting } from './waiting.js';
import { cannotCompute } from './words.js';

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

  /** Ids of the studies that have a plate. */
  static get studies() {
    return studiesKnown();
  }

  /** @type {string | undefined} */ #study;
  /** @type {Client | null} */ #client = null;
  /** @type {Session | null} */ #session = null;
  /** @type {Plate | undefined} */ #plate;
  /** @type {UrlMirror | null} */ #mirror = null;
  /** @type {ResizeObserver | null} */ #resize = null;
  /** @type {Window | null} whose printing is listened to */ #window = null;
  /** @type {Record<string, ParameterValue>} the author's state over the defaults, where reset leads: attribute or early property `params` */ #authored = {};
  /** @type {AttentionError | null} why nothing runs at all */ #failure = null;
  /** @type {Still | null} what stands in for the figures while there is a failure, and nothing inside the element does */ #still = null;
  /** @type {Promise<void> | null} until that is there */ #standing = null;
  /** @type {unknown} the result last announced */ #shown = null;
  /** @type {boolean} another study was on show in this element before */ #followsAnother = false;
  #stray = '';
  /** @type {string[]} the problems that were told and still stand */ #told = [];
  /** @type {Hover} */ #hover = null;
  /** @type {import('../engine/types.js').StudyResult | undefined} what was on show when a stroke or a drag began; while it lasts, nothing moves under the hand */ #before;
  /** @type {string | null} the handle that is held */ #taken = null;
  /** @type {Set<string>} */ #openTables = new Set();
  #uid = `plate${++counter}`;
  #width = 0;
  #widen = 1;
  #mirrored = false;
  #printing = false;
  #ready = false;
  #said = '';
  #copied = '';
  #announcement = '';
  #drawer = new Drawer();
  #waiting = new Waiting(() => this.requestUpdate());
  #hands = new FigureHands({
    drawing: () => this.#session && this.#drawer.drawing,
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

  #measuring = new Measuring({
    base: () => assetsAt(this.base || undefined).base,
    result: () => this.result,
    set: (values) => { this.#mirrored = true; this.#session?.change(values); },
    changed: () => this.requestUpdate(),
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
    if (this.#session) this.#touch(this.#session.assign(values), '');
  }

  /** The declaration of the study on show: title, parameters, claims. */
  get declaration() {
    return this.#session?.study ?? null;
  }

  /** The result on show, as the core gave it. */
  get result() {
    return this.#session?.result ?? null;
  }

  /** Which build of the fast kernels has measured this machine last; null before. */
  get build() {
    return this.#measuring.build;
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
    this.#waiting.stop();
    this.#measuring.cancel('');
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
      this.#fail(new AttentionError('unknown_study', 'study', `The element names no study; there are ${studiesKnown().join(', ')}`));
      return;
    }
    /** @type {Client | null} */
    let client = null;
    try {
      const group = groupOf(this.study);
      if (group === undefined) throw new AttentionError('unknown_study', 'study', `"${shorten(this.study)}" is not a study; there are ${studiesKnown().join(', ')}`);
      client = this.#client = sharedEngine(group, this.base || undefined).client();
      const [{ studies }, plate] = await Promise.all([client.start(), plateOf(this.study, this.base || undefined)]);
      if (client !== this.#client) return;
      this.dataset.engine = client.kind;
      this.#failure = null;
      if (this.#session) {
        this.#session.resume();
        return;
      }
      const study = studies.find(({ id }) => id === this.study);
      // `base` may name the files of another version
      if (!study) throw new AttentionError('unknown_study', 'study', `the files at ${assetsAt(this.base || undefined).base} do not know the study ${this.study}`);
      this.#begin(new Session(study, {
        client: () => this.#client,
        changed: () => this.#changed(),
        waiting: (waiting) => this.#waiting.wait(waiting),
        progress: (share) => this.#waiting.progress(share),
      }), plate);
    } catch (thrown) {
      if (client !== this.#client) return;
      this.#fail(thrown);
      if (!client || this.#session || [...this.childNodes].some((node) => node instanceof Element || node.nodeValue?.trim())) return;
      await (this.#standing = stillOf(this.study, this.base || undefined).then((still) => {
        if (client !== this.#client || this.#session) return;
        this.#still = still;
        this.requestUpdate();
      }));
    }
  }

  /** @override whoever waits for what is shown waits for what stands in, too */
  async getUpdateComplete() {
    if (!await super.getUpdateComplete()) return false;
    await this.#standing;
    return super.getUpdateComplete();
  }

  /** Another study begins with nothing: no state, no picture; what stood in the address was the other's. */
  #forget() {
    this.#followsAnother = this.#study !== undefined;
    if (this.#followsAnother) this.#mirror?.leaveFor(this.#mirror.hash);
    this.#stray = '';
    this.#measuring.cancel('');
    this.#study = this.study;
    this.#session = null;
    this.#plate = undefined;
    this.#still = this.#standing = null;
    this.#drawer.forget();
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
    if (this.#still) this.#drawer.forget();
    this.#still = null;
    if (this.#followsAnother) this.#authored = onlyKnown(session.study, this.#authored);
    const hash = this.#followsAnother ? '' : this.#mirror?.hash ?? '';
    this.#stray = this.#followsAnother ? '' : this.#mirror?.stray || (this.#mirror?.misplaced(session.study.parameters.map(({ key }) => key)) ?? '');
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
      if (this.#plate?.meter) this.#measuring.follow(this.#plate.meter, result);
      if (this.#mirrored) this.#mirror?.write(toQuery(study, result.params));
      this.#emit('plate-change', { params: result.params });
    }
    this.#said = this.#copied = '';
    this.requestUpdate();
  }

  /** @param {string} type @param {object} [detail] */
  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  /** The reader has taken part: from now on the address follows. @param {Promise<void>} [work] @param {string} [said] in place of what was announced before */
  #touch(work, said = this.#announcement) {
    this.#mirrored = true;
    [this.#stray, this.#announcement] = ['', said];
    this.#measuring.moveOn();
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
    this.#touch(this.#session.restore({ ...this.#authored, ...keptOf(this.#plate?.meter, this.params, raw), ...raw }, notices), '');
  }

  /** The address that restores the state on show, but for some parameters. @param {string[]} [without] */
  #link(without = []) {
    const session = this.#session;
    if (!session) return '';
    const params = session.result?.params ?? session.wanted;
    const query = toQuery(session.study, { ...params, ...Object.fromEntries(without.map((key) => [key, ''])) });
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
    const { result, plate } = this.#still && 'plate' in this.#still ? this.#still : { result: this.#session?.result, plate: this.#plate };
    if (!result || !plate) return;
    const width = this.#printing ? PRINT_WIDTH : this.#width || UNSEEN_WIDTH;
    try {
      if (this.#drawer.draw(plate, result, { width, widen: this.#widen, uid: this.#uid, hover: this.#hover, taken: this.#taken, before: this.#before }) && !this.#still) this.#failure = null;
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  /** What the template is made of: the state, and what a reader may do. */
  #view() {
    const [session, plate, { drawing }] = [this.#session, this.#plate, this.#drawer];
    if (!session || !plate || !drawing) return null;
    return plateView({
      session, plate, drawing, uid: this.#uid, busy: this.#waiting.busy, share: this.#waiting.share, kind: this.#client?.kind, printLink: this.#link(plate.meter?.params),
      failure: this.#failure, held: this.#taken === null ? this.#before : undefined, copied: this.#copied, stray: this.#stray, said: this.#said, announcement: this.#announcement, openTables: this.#openTables,
      measuring: plate.meter ? this.#measuring.view(plate.meter, session.wanted) : null,
    }, {
      announce: (text) => { this.#announcement = text; },
      touch: (work) => { this.#touch(work); },
      reset: () => { this.#touch(session.restore({ ...this.#authored, ...keptOf(plate.meter, session.wanted) }), ''); },
      copyLink: () => { this.#copyLink(); },
      copyCode: () => { this.#copyCode(); },
      update: () => this.requestUpdate(),
    });
  }

  /** @override */
  render() {
    const view = this.#view();
    if (view) return plateTemplate(view);
    const [still, { drawing }] = [this.#still, this.#drawer];
    return stillTemplate({
      study: this.study, busy: this.#waiting.busy, share: this.#waiting.share, words: this.#failure ? cannotCompute(this.#failure) : '', asked: this.#followsAnother ? '' : this.#mirror?.asked ?? '', inside: this.childElementCount > 0,
      picture: still && 'picture' in still ? still.picture : '', view: still && 'plate' in still && drawing ? stillView({ ...still, drawing, uid: this.#uid }) : null,
    });
  }

  /** @override */
  updated() {
    const root = this.renderRoot;
    const rule = /** @type {HTMLElement | null} */ (root.querySelector('.wait span'));
    const share = this.#measuring.share ?? this.#waiting.share;
    if (rule) rule.style.transform = share === null ? '' : `scaleX(${share})`;
    const { drawing } = this.#drawer;
    if (this.#still && 'plate' in this.#still) this.#drawer.patchInto(root, this.#still);
    if (!drawing || !this.#session) {
      if (this.#failure) this.dataset.state = 'still';
      return;
    }
    this.#drawer.patchInto(root, this.#session);
    this.#hands.placeTips(root, drawing);
    if (!this.#ready) {
      this.#ready = true;
      this.dataset.state = 'live';
      this.#measure();
      this.#emit('plate-ready');
    }
  }
}
