/**
 * The forms of exercises: an answer read from the fields as the text that the core takes, and put back into them; cells that toggle,
 * and the arrow keys between entries. The markup is the page build's (build-scripts/web/exercises.mjs). It judges nothing.
 */

/** @param {Element} form @param {string} selector @returns {HTMLInputElement[]} */
const inputs = (form, selector) => /** @type {any} */ ([...form.querySelectorAll(selector)]);

/** @param {Element} form @returns {HTMLButtonElement[]} */
const cells = (form) => /** @type {any} */ ([...form.querySelectorAll('.answer-cell')]);

/** @param {Element} table */
const columnsOf = (table) => table.querySelectorAll('tbody tr:first-child > td').length;

/** @param {string[]} entries @param {number} columns @param {string} between */
function rowsText(entries, columns, between) {
  const rows = [];
  for (let i = 0; i < entries.length; i += columns) rows.push(entries.slice(i, i + columns).join(between));
  return rows.join(';');
}

/**
 * The answer in the fields, as text; '' when nothing has been entered.
 * @param {HTMLElement} form
 */
export function answerOf(form) {
  switch (form.dataset.kind) {
    case 'choice': return inputs(form, 'input:checked')[0]?.value ?? '';
    case 'several': return inputs(form, 'input:checked').map(({ value }) => value).join(',') || 'none';
    case 'matrix': {
      const columns = columnsOf(form);
      if (cells(form).length > 0) return rowsText(cells(form).map((cell) => (cell.ariaPressed === 'true' ? '1' : '0')), columns, '');
      const entries = inputs(form, '.answer-entry').map(({ value }) => value.trim());
      return entries.every((entry) => entry === '') ? '' : rowsText(entries, columns, ',');
    }
    default: return inputs(form, 'input')[0].value.trim();
  }
}

/** Its 0 or 1 is the style sheet's. @param {HTMLButtonElement} cell @param {boolean} open */
const setCell = (cell, open) => cell.setAttribute('aria-pressed', String(open));

/**
 * Puts an answer into the fields; '' empties them. What does not fit is left out.
 * @param {HTMLElement} form
 * @param {string} text
 */
export function fillIn(form, text) {
  const ids = text.split(',');
  switch (form.dataset.kind) {
    case 'choice':
    case 'several':
      for (const input of inputs(form, 'input')) input.checked = ids.includes(input.value);
      return;
    case 'matrix': {
      const digits = text.replace(/[^01]/g, '');
      cells(form).forEach((cell, i) => setCell(cell, digits[i] === '1'));
      const entries = text === '' ? [] : text.split(/[,;]/);
      inputs(form, '.answer-entry').forEach((input, i) => { input.value = entries[i] ?? ''; });
      return;
    }
    default: inputs(form, 'input')[0].value = text;
  }
}

/** Keys that walk a grid: rows and columns on. @type {Record<string, [number, number]>} */
const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/**
 * Where a key leads in a grid; null when it is no key of the grid.
 * @param {string} key
 * @param {number} at
 * @param {number} rows
 * @param {number} columns
 */
export function walk(key, at, rows, columns) {
  const row = Math.floor(at / columns);
  const column = at % columns;
  if (key === 'Home') return row * columns;
  if (key === 'End') return row * columns + columns - 1;
  if (!Object.hasOwn(steps, key)) return null;
  const step = steps[key];
  const [down, right] = [row + step[0], column + step[1]];
  return down < 0 || down >= rows || right < 0 || right >= columns ? at : down * columns + right;
}

/** Of the cells of a grid, Tab reaches one, the last that was visited. @param {HTMLElement[]} all @param {number} at */
const rove = (all, at) => all.forEach((cell, i) => { cell.tabIndex = i === at ? 0 : -1; });

/**
 * Lets the matrix of a form be filled in: cells toggle and are walked by the arrow keys; entries that are typed are walked up and down.
 * @param {HTMLElement} form
 * @param {() => void} edited a cell has changed
 */
export function bringToLife(form, edited) {
  const table = form.querySelector('.answer-matrix');
  if (!table) return;
  const toggles = cells(form);
  const fields = toggles.length > 0 ? toggles : inputs(form, '.answer-entry');
  const columns = columnsOf(table);
  if (toggles.length > 0) rove(toggles, 0);
  table.addEventListener('click', ({ target }) => {
    const cell = /** @type {Element} */ (target).closest('.answer-cell');
    if (!cell) return;
    setCell(/** @type {HTMLButtonElement} */ (cell), cell.ariaPressed !== 'true');
    rove(toggles, toggles.indexOf(/** @type {HTMLButtonElement} */ (cell)));
    edited();
  });
  table.addEventListener('keydown', (event) => {
    const { key, target } = /** @type {KeyboardEvent} */ (event);
    const at = fields.indexOf(/** @type {any} */ (target));
    if (at < 0) return;
    if (toggles.length > 0 && (key === '0' || key === '1')) {
      setCell(toggles[at], key === '1');
      edited();
      return;
    }
    // in a field that is typed into, the other keys move the caret
    const to = toggles.length > 0 || key === 'ArrowUp' || key === 'ArrowDown' ? walk(key, at, fields.length / columns, columns) : null;
    if (to === null) return;
    event.preventDefault();
    if (toggles.length > 0) rove(toggles, to);
    fields[to].focus();
  });
}

/**
 * Marks the entries of a matrix that are wrong; none without a list.
 * @param {HTMLElement} form
 * @param {number[]} [wrong]
 */
export function markEntries(form, wrong = []) {
  form.querySelectorAll('.answer-matrix tbody td').forEach((td, i) => td.classList.toggle('is-wrong', wrong.includes(i)));
}
