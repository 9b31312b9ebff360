/** The heat map of a sweep over two parameters, as a table. */
import type { MatteredCell, MatteredGrid } from '../../../src/protocol/mattered.ts';
import { element } from '../../shared/dom.ts';

export function gridTable(grid: MatteredGrid, metric: string): HTMLElement {
  const { rowName, columnName, columns, rows } = grid;
  const head = element(
    'tr',
    {},
    element('th', { scope: 'col', class: 'grid-corner' }, `${rowName} \\ ${columnName}`),
    ...columns.map((text) => element('th', { scope: 'col' }, text)),
  );
  const body = rows.map(({ text, cells }) =>
    element('tr', {}, element('th', { scope: 'row' }, text), ...cells.map(cellElement)),
  );
  const caption = `Mean ${metric} by ${rowName} and ${columnName}, with the number of runs`;
  const table = element('table', { class: 'heat' }, element('caption', {}, caption));
  table.append(element('thead', {}, head), element('tbody', {}, ...body));
  return element(
    'div',
    { class: 'heat-box', tabindex: 0, role: 'region', 'aria-label': caption },
    table,
  );
}

function cellElement(cell: MatteredCell | null): HTMLElement {
  if (cell === null)
    return element('td', { class: 'heat-none' }, element('span', { class: 'sr-only' }, 'no run'));
  const { text, runs, rank } = cell;
  const shown = element(
    'td',
    { class: rank === 1 ? 'heat-cell is-best' : 'heat-cell' },
    element('span', { class: 'number' }, text),
    element('span', { class: 'muted' }, ` n = ${runs}`),
  );
  shown.style.setProperty('--rank', `${Math.round(8 + 52 * rank)}%`);
  return shown;
}
