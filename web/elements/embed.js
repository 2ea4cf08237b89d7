/**
 * The script of embed.html: one plate alone, for an iframe in a course page. `embed.html?plate=saturation&theme=dark#d=128`. It tells its height to
 * whoever frames it, in the three dialects in use: LTI's as an object and as JSON text, and its own. Other query keys are left alone, since
 * learning platforms add theirs. It sets no colours: the frame is transparent.
 *
 * Browsers draw no frames for a frame of another origin that is out of sight: no ResizeObserver there, no animation frame. So whatever may have
 * changed the height says so itself, and the height is asked of the layout at once.
 */
import { shorten } from './state.js';

/** Changes of height below this many CSS pixels are not reported: they would echo between frame and page. */
const QUIET_PX = 1;

const query = new URLSearchParams(window.location.search);
const study = query.get('plate') ?? '';
const frame = /** @type {HTMLElement} */ (document.getElementById('embed'));
const heading = /** @type {HTMLElement} */ (document.querySelector('h1'));

let told = 0;

/** Tells the height of everything shown, where it is another than the last. */
function tellHeight() {
  if (window.parent === window) return;
  const height = Math.ceil(frame.getBoundingClientRect().height);
  if (Math.abs(height - told) <= QUIET_PX) return;
  told = height;
  const lti = { subject: 'lti.frameResize', height };
  // any page may frame a plate and a height is no secret, hence '*'
  for (const message of [lti, JSON.stringify(lti), { type: 'attention-plates:height', height, plate: study }]) window.parent.postMessage(message, '*');
}

/** Tells it once a plate has drawn all that it knows of. @param {import('./attention-plate.js').AttentionPlate} plate */
async function tellDrawn(plate) {
  // false: one update has called for another
  while (!await plate.updateComplete);
  tellHeight();
}

function start() {
  /** @type {string[]} */
  const names = /** @type {any} */ (customElements.get('attention-plate'))?.studies ?? [];
  if (study === '' || !names.includes(study)) {
    const words = document.createElement('p');
    words.className = 'error';
    words.setAttribute('role', 'alert');
    words.textContent = names.length === 0 ? 'The plates could not be loaded: the script attention-plates.js, which lies beside embed.html, did not arrive.'
      : `The address must name a plate, as in embed.html?plate=${names[0]}; ${study ? `there is none called “${shorten(study)}”. T` : 't'}here are ${names.join(', ')}.`;
    frame.append(words);
    tellHeight();
    return;
  }
  const plate = /** @type {import('./attention-plate.js').AttentionPlate} */ (document.createElement('attention-plate'));
  plate.setAttribute('study', study);
  plate.setAttribute('url', '');
  const theme = query.get('theme');
  if (theme === 'light' || theme === 'dark') plate.setAttribute('theme', theme);
  // shown until the live figure is drawn, or what stands in for it
  const picture = document.createElement('img');
  picture.className = 'embed-picture';
  picture.alt = `The plate ${study} at its default settings.`;
  picture.addEventListener('load', tellHeight);
  picture.addEventListener('error', () => { picture.remove(); tellHeight(); });
  picture.src = `pictures/${study}.svg`;
  plate.append(picture);
  plate.addEventListener('plate-ready', () => {
    const { title } = plate.declaration ?? {};
    if (title) heading.textContent = document.title = `${title} · Attention Plates`;
  });
  // nothing inside the element: it draws its first setting for the width that there is
  plate.addEventListener('plate-error', () => { if (!plate.declaration) picture.remove(); });
  for (const type of ['plate-ready', 'plate-change', 'plate-error']) plate.addEventListener(type, () => { tellDrawn(plate); });
  document.fonts.addEventListener('loadingdone', () => { tellDrawn(plate); });
  frame.append(plate);
}

start();
new ResizeObserver(tellHeight).observe(frame);
