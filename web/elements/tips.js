/**
 * The tip of the mark that is pointed at, and what the pointer looks like over a figure. It shows what it is told; it hears of no event.
 *
 * @import { Drawing, Figure, Mark } from '../chart/types.js'
 */
import { marksOf } from './handles.js';

/** CSS pixels between a mark and its tip, as in base.css.js. */
const TIP_GAP = 8;

/** @param {Mark} mark */
export const spoken = (mark) => (mark.edit ? `${mark.text}; choose to ${mark.edit.label}` : mark.text);

/**
 * Puts the tip beside the hovered mark and hides the others.
 * @param {ParentNode} root
 * @param {Drawing} drawing
 * @param {{figure: string, mark: string} | null} hover
 * @param {boolean} holding a pointer holds a handle
 */
export function showTips(root, drawing, hover, holding) {
  for (const figure of drawing.figures) {
    const canvas = root.querySelector(`.canvas[data-figure="${figure.id}"]`);
    const tip = /** @type {HTMLElement | null | undefined} */ (canvas?.querySelector('.tip'));
    if (!canvas || !tip) continue;
    const marks = marksOf(figure);
    const mark = hover?.figure === figure.id ? marks.find(({ id }) => id === hover.mark) : undefined;
    canvas.classList.toggle('can-edit', marks.some(({ edit }) => edit !== undefined));
    canvas.classList.toggle('can-paint', figure.paint !== undefined);
    canvas.classList.toggle('over-handle', mark !== undefined && Boolean(figure.handles?.some(({ id }) => id === mark.id)));
    canvas.classList.toggle('holding', holding);
    tip.hidden = mark === undefined;
    if (!mark) continue;
    tip.textContent = spoken(mark);
    placeTip(tip, canvas, figure, mark);
  }
}

/**
 * Beside the mark, but never past the edges of its figure: a long tip on a phone moves over.
 * @param {HTMLElement} tip
 * @param {Element} canvas
 * @param {Figure} figure
 * @param {Mark} mark
 */
function placeTip(tip, canvas, figure, mark) {
  // both widths are read before anything is set: the browser lays the page out once
  const [room, wide] = [canvas.clientWidth, tip.offsetWidth];
  const scale = room / figure.width;
  const left = mark.cx > figure.width * 0.6;
  const beside = left ? mark.cx * scale - TIP_GAP - wide : mark.cx * scale + TIP_GAP;
  const inside = Math.max(0, Math.min(beside, room - wide));
  tip.style.left = `${mark.cx * scale + inside - beside}px`;
  tip.style.top = `${mark.cy * scale}px`;
  tip.classList.toggle('tip-left', left);
  tip.classList.toggle('tip-below', mark.cy * scale < 48);
}
