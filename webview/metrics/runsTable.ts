/**
 * The table of groups and runs, which also serves as the legend of all charts. Only rows in view
 * have elements.
 */
import { checkbox, type CheckboxHandle } from './controls.ts';
import type { Column, Sort } from './columns.ts';
import { element, setAttribute, setChildren } from '../shared/dom.ts';
import { RunRow, type RunRowEvents, type RunRowModel } from './runRow.ts';
import { moveColumns, type ColumnMoves } from './headDrag.ts';
import { SectionRow, type SectionRowEvents } from './sectionRow.ts';
import type { TableSection } from './tableSections.ts';
import { windowOf } from '../shared/windowOf.ts';

export interface RunsTableEvents extends RunRowEvents, SectionRowEvents {
  setAllShown(isShown: boolean): void;
  sort(sort: Sort | undefined): void;
  readonly columnMoves: ColumnMoves;
  /** Called with the item under the pointer; with `undefined` when the pointer leaves the rows. */
  highlight(id: string | undefined): void;
}

export type RowModel = RunRowModel | TableSection;

const idOf = (row: RowModel): string => ('item' in row ? row.item.id : row.sectionId);

export interface RunsTableModel {
  readonly rows: readonly RowModel[];
  readonly columns: readonly Column[];
  /** Whether the titles of the columns sort the table. */
  readonly isSortable: boolean;
  readonly sort: Sort | undefined;
}

const rowHeight = 42;
const spareRows = 6;

export class RunsTable {
  readonly root = element('div', { class: 'runs-box' });
  readonly #events: RunsTableEvents;
  readonly #head = element('tr');
  readonly #body = element('tbody');
  readonly #above = element('tr', { 'aria-hidden': 'true' });
  readonly #below = element('tr', { 'aria-hidden': 'true' });
  readonly #table: HTMLTableElement;
  readonly #all: CheckboxHandle;
  readonly #rows = new Map<string, RunRow | SectionRow>();
  #model: RunsTableModel = { rows: [], columns: [], isSortable: false, sort: undefined };
  #shownHead = '';
  #activeId = '';

  constructor(events: RunsTableEvents) {
    this.#events = events;
    this.#all = checkbox((isChecked) => events.setAllShown(isChecked));
    this.#table = element(
      'table',
      { class: 'runs', 'aria-label': 'Runs' },
      element('thead', {}, this.#head),
      this.#body,
    );
    moveColumns(this.#head, events.columnMoves);
    this.root.append(this.#table);
    this.root.addEventListener('scroll', () => this.#draw(), { passive: true });
    new ResizeObserver(() => this.#draw()).observe(this.root);
    this.#body.addEventListener('keydown', (event) => this.#onKey(event));
    this.#body.addEventListener('mouseleave', () => events.highlight(undefined));
    this.#body.addEventListener('focusout', () => events.highlight(undefined));
  }

  render(model: RunsTableModel): void {
    this.#model = model;
    const { rows } = model;
    const [first] = rows;
    if (!rows.some((row) => idOf(row) === this.#activeId))
      this.#activeId = first === undefined ? '' : idOf(first);
    this.#drawHead();
    this.#draw();
    const runs = rows.flatMap((row) => ('item' in row ? [row] : []));
    const shown = runs.filter(({ isShown }) => isShown).length;
    this.#all.set({
      isChecked: shown > 0,
      isMixed: shown > 0 && shown < runs.length,
      label: shown > 0 ? 'Hide all runs' : 'Show all runs',
    });
  }

  /** Draws the rows in view again, with curves that have been read. */
  redraw(): void {
    this.#draw();
  }

  #drawHead(): void {
    const { columns, isSortable, sort } = this.#model;
    const wanted = JSON.stringify([columns.map(({ id, title }) => [id, title]), isSortable, sort]);
    if (wanted === this.#shownHead) return;
    this.#shownHead = wanted;
    setAttribute(this.root, 'class', isSortable ? 'runs-box is-wide' : 'runs-box');
    const focused =
      document.activeElement?.closest<HTMLElement>('[data-column]')?.dataset['column'];
    this.#head.replaceChildren(...this.#headCells(columns));
    if (focused === undefined) return;
    const column = this.#head.querySelector(`[data-column="${CSS.escape(focused)}"]`);
    column?.querySelector('button')?.focus();
  }

  #headCells(columns: readonly Column[]): readonly HTMLElement[] {
    return [
      element('th', { scope: 'col', class: 'cell-check' }, this.#all.root),
      element('th', { scope: 'col', class: 'cell-run' }, 'Run'),
      ...columns.map((column) => this.#headCell(column)),
      element(
        'th',
        { scope: 'col', class: 'cell-pin' },
        element('span', { class: 'sr-only' }, 'Pin'),
      ),
    ];
  }

  #headCell(column: Column): HTMLElement {
    const { isSortable, sort } = this.#model;
    const { id, title, isNumber, hint } = column;
    const isChosen = sort?.column === id;
    const order = isChosen ? (sort.isDescending ? 'descending' : 'ascending') : undefined;
    const mark = isChosen ? (sort.isDescending ? ' ↓' : ' ↑') : '';
    const cell = element('th', {
      scope: 'col',
      class: isNumber ? 'number' : undefined,
      title: hint ?? title,
      'aria-sort': order,
      'data-column': id,
      draggable: isSortable ? 'true' : undefined,
    });
    if (!isSortable) return append(cell, title);
    const keys = 'Alt+ArrowLeft Alt+ArrowRight';
    const attributes = { type: 'button', class: 'link', 'aria-keyshortcuts': keys } as const;
    const button = element('button', attributes, `${title}${mark}`);
    button.addEventListener('click', () => this.#events.sort(nextSort(id, sort)));
    return append(cell, button);
  }

  /** Draws the rows in view, and empty rows as high as the rows above and below. */
  #draw(): void {
    const { rows } = this.#model;
    const place = { top: this.root.scrollTop, height: this.root.clientHeight, total: rows.length };
    const { from, to } = windowOf({ ...place, rowHeight, spareRows });
    const visible = rows.slice(from, to);
    const ids = new Set(visible.map(idOf));
    for (const id of this.#rows.keys()) if (!ids.has(id)) this.#rows.delete(id);
    const elements = visible.map((model, index) => {
      const row = this.#rowOf(model);
      setAttribute(row.root, 'aria-rowindex', from + index + 2);
      return row.root;
    });
    this.#above.style.height = `${from * rowHeight}px`;
    this.#below.style.height = `${Math.max(0, rows.length - to) * rowHeight}px`;
    this.#above.hidden = from === 0;
    this.#below.hidden = to >= rows.length;
    setAttribute(this.#table, 'aria-rowcount', rows.length + 1);
    setChildren(this.#body, [this.#above, ...elements, this.#below]);
  }

  /** Returns the row of the model, drawn. */
  #rowOf(model: RowModel): RunRow | SectionRow {
    const { columns } = this.#model;
    const id = idOf(model);
    const isActive = id === this.#activeId;
    const known = this.#rows.get(id);
    if ('item' in model) {
      const row = known instanceof RunRow ? known : this.#add(id, new RunRow(id, this.#events), id);
      row.render(model, { columns, isActive });
      return row;
    }
    const row = known instanceof SectionRow ? known : this.#add(id, new SectionRow(this.#events));
    row.render(model, { columns: columns.length + 3, isActive });
    return row;
  }

  /** `item`: the item to highlight while the pointer or the focus is in the row. */
  #add<Row extends RunRow | SectionRow>(id: string, row: Row, item?: string): Row {
    this.#rows.set(id, row);
    row.root.addEventListener('mouseenter', () => this.#events.highlight(item));
    row.root.addEventListener('focusin', () => {
      this.#events.highlight(item);
      this.#activate(id);
    });
    return row;
  }

  /**
   * Puts one row into the tab order. Only one row is in the tab order; arrow keys move between
   * rows.
   */
  #activate(id: string): void {
    this.#rows.get(this.#activeId)?.setActive(false);
    this.#activeId = id;
    this.#rows.get(id)?.setActive(true);
  }

  #onKey(event: KeyboardEvent): void {
    const { rows } = this.#model;
    const current = [...this.#rows].find(([, { root }]) => root.contains(event.target as Node));
    if (current === undefined) return;
    const [id, row] = current;
    const at = rows.findIndex((other) => idOf(other) === id);
    const target = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: rows.length - 1 }[event.key];
    const wanted = target === undefined ? undefined : rows[target];
    if (target === undefined || wanted === undefined) return;
    event.preventDefault();
    const column = row.focusedColumn();
    this.#reveal(target);
    this.#rows.get(idOf(wanted))?.focus(column);
  }

  #reveal(index: number): void {
    const headHeight = this.#head.offsetHeight;
    const { scrollTop, clientHeight } = this.root;
    const top = index * rowHeight;
    if (top < scrollTop) this.root.scrollTop = top;
    else if (top + rowHeight + headHeight > scrollTop + clientHeight)
      this.root.scrollTop = top + rowHeight + headHeight - clientHeight;
    this.#draw();
  }
}

/** Returns the order after a click on a title: ascending, descending, then none. */
function nextSort(column: string, sort: Sort | undefined): Sort | undefined {
  if (sort?.column !== column) return { column, isDescending: false };
  return sort.isDescending ? undefined : { column, isDescending: true };
}

function append(cell: HTMLElement, child: Node | string): HTMLElement {
  cell.append(child);
  return cell;
}
