/**
 * Words with emphasis and tables, as Lit templates. What is emphasised is decided in the plates; how it looks, in the style sheet.
 *
 * @import { Rich, Table } from '../chart/types.js'
 */
import { html } from 'lit';

/** @param {Rich} rich */
export const richText = (rich) => rich.map((part) => {
  if (typeof part === 'string') return part;
  if ('i' in part) return html`<i>${part.i}</i>`;
  if ('blue' in part) return html`<span class="blue">${part.blue}</span>`;
  if ('act' in part) return html`<span class="act">${part.act}</span>`;
  return html`<span class="red">${part.red}</span>`;
});

/** @param {Table} table */
export const dataTable = ({ caption, columns, rows }) => html`
  <table>
    <caption>${richText(caption)}</caption>
    <thead><tr>${columns.map((column) => html`<th scope="col">${richText(column)}</th>`)}</tr></thead>
    <tbody>${rows.map(([name, ...cells]) => html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
  </table>`;
