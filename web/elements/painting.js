/**
 * Strokes of a painting hand, apart from any browser: the cells between two places, the cell an arrow key leads to, and a queue that
 * loses no stroke. A stroke does to all its cells what it does to its first, `!open(first)`, and is told as a whole from the picture
 * it began on; one that begins while the picture is behind what is wanted waits for it, since it would undo what it cannot see.
 *
 * @import { Paint, PaintCell } from '../chart/types.js'
 */

/** Viewbox units between two looks at what lies under a line; cells are larger. */
const STEP = 1;

/**
 * The cells under a straight line, each once. The browser reports a fast pointer at places far apart, also beside the map.
 * @param {Paint} paint
 * @param {{x: number, y: number}} from
 * @param {{x: number, y: number}} to
 * @returns {PaintCell[]}
 */
export function cellsAlong(paint, from, to) {
  const steps = Math.max(1, Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / STEP));
  /** @type {PaintCell[]} */
  const cells = [];
  for (let i = 0; i <= steps; i++) {
    const cell = paint.cell(from.x + ((to.x - from.x) * i) / steps, from.y + ((to.y - from.y) * i) / steps);
    const last = cells[cells.length - 1];
    if (cell && !(last && last.row === cell.row && last.column === cell.column)) cells.push(cell);
  }
  return cells;
}

/**
 * @param {Paint} paint
 * @param {string} mark
 * @returns {PaintCell | null} the cell whose mark this is
 */
export function cellOfMark(paint, mark) {
  for (let row = 0; row < paint.rows; row++) {
    for (let column = 0; column < paint.columns; column++) if (paint.mark(row, column) === mark) return { row, column };
  }
  return null;
}

/** @type {Record<string, (cell: PaintCell, paint: Paint) => PaintCell>} */
const leads = {
  ArrowRight: ({ row, column }) => ({ row, column: column + 1 }),
  ArrowLeft: ({ row, column }) => ({ row, column: column - 1 }),
  ArrowDown: ({ row, column }) => ({ row: row + 1, column }),
  ArrowUp: ({ row, column }) => ({ row: row - 1, column }),
  Home: ({ row }) => ({ row, column: 0 }),
  End: ({ row }, { columns }) => ({ row, column: columns - 1 }),
  PageUp: ({ column }) => ({ row: 0, column }),
  PageDown: ({ column }, { rows }) => ({ row: rows - 1, column }),
};

/**
 * The cell a key leads to; from nowhere, every key leads to the first, End and PageDown to the last.
 * @param {Paint} paint
 * @param {PaintCell | null} cell
 * @param {string} key KeyboardEvent.key
 * @returns {PaintCell | null} null: the key means nothing, or leads out of the map
 */
export function nextCell(paint, cell, key) {
  if (!Object.hasOwn(leads, key) || paint.rows === 0 || paint.columns === 0) return null;
  if (!cell) return /End|Down$/.test(key) && key !== 'ArrowDown' ? { row: paint.rows - 1, column: paint.columns - 1 } : { row: 0, column: 0 };
  const next = leads[key](cell, paint);
  return next.row >= 0 && next.column >= 0 && next.row < paint.rows && next.column < paint.columns ? next : null;
}

/**
 * What a stroke did, for readers who do not see it.
 * @param {PaintCell[]} cells
 * @param {boolean} value
 */
const told = (cells, value) => `${cells.length === 1 ? `query ${cells[0].row + 1}, key ${cells[0].column + 1}:` : `${cells.length} pairs`} ${value ? 'opened' : 'closed'} on the painted sheet`;

/**
 * @typedef {object} Hooks
 * @property {(figure: string) => Paint | undefined} paint of the picture on show
 * @property {(param: string) => boolean} fresh whether the picture shows what is wanted of the parameter
 * @property {(param: string, value: string) => void} edit
 * @property {(text: string) => void} announce
 *
 * @typedef {object} Stroke
 * @property {string} figure
 * @property {Map<string, PaintCell>} cells
 * @property {boolean} ended
 * @property {Paint | null} paint of the picture it began on
 * @property {boolean} value what its cells become
 * @property {string} sent
 */

export class Strokes {
  /** @type {Hooks} */ #hooks;
  /** @type {Stroke[]} the first is being told, the others wait */ #queue = [];
  /** @type {Stroke | null} that the hand is making */ #open = null;

  /** @param {Hooks} hooks */
  constructor(hooks) {
    this.#hooks = hooks;
  }

  /** @returns {boolean} a hand is down */
  get open() {
    return this.#open !== null;
  }

  /** @param {string} figure @param {PaintCell} cell */
  begin(figure, cell) {
    this.end();
    this.#open = { figure, cells: new Map(), ended: false, paint: null, value: false, sent: '' };
    this.#queue.push(this.#open);
    this.extend([cell]);
  }

  /** @param {PaintCell[]} cells */
  extend(cells) {
    for (const cell of cells) this.#open?.cells.set(`${cell.row},${cell.column}`, cell);
    this.flush();
  }

  /** The hand is lifted. @returns {number} the cells of its stroke */
  end() {
    const stroke = this.#open;
    if (!stroke) return 0;
    stroke.ended = true;
    this.#open = null;
    this.flush();
    return stroke.cells.size;
  }

  /** Tells what can be told: after every change of a stroke, and after every drawing. */
  flush() {
    for (let stroke = this.#queue[0]; stroke; stroke = this.#queue[0]) {
      const paint = stroke.paint ?? this.#hooks.paint(stroke.figure);
      const cells = paint ? [...stroke.cells.values()].filter(({ row, column }) => row < paint.rows && column < paint.columns) : [];
      if (paint && cells.length > 0) {
        if (!stroke.paint) {
          if (!this.#hooks.fresh(paint.param)) return;
          stroke.paint = paint;
          stroke.value = !paint.open(cells[0].row, cells[0].column);
        }
        const value = paint.stroke(cells, stroke.value);
        if (value !== stroke.sent) {
          stroke.sent = value;
          this.#hooks.edit(paint.param, value);
        }
        if (stroke.ended) this.#hooks.announce(told(cells, stroke.value));
      }
      if (!stroke.ended) return;
      this.#queue.shift();
    }
  }
}
