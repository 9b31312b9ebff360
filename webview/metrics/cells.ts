/** The cells of a row of the table: texts, numbers, and texts of the user that can be edited. */
import type { Column } from './columns.ts';
import { element, setAttribute, setText } from '../shared/dom.ts';
import type { Item } from './items.ts';
import { sparkline } from '../shared/sparkline.ts';
import type { LineStyle } from '../shared/theme.ts';
import { trendWidth } from './trendStore.ts';

export interface Cell {
  readonly root: HTMLTableCellElement;
  /** The control of the cell, which arrow keys reach; omitted if there is none. */
  readonly control?: HTMLElement;
  draw(row: CellRow, column: Column): void;
}

/** The row that a cell shows a part of. */
export interface CellRow {
  readonly item: Item;
  readonly style: LineStyle;
}

export interface CellEvents {
  /** Called with the text of the user, if it has changed. */
  edit(item: Item, field: 'tags' | 'note', text: string): void;
  /** Returns the small curve of the item; `undefined` until it was read. */
  trendOf(item: Item, metric: string): Float64Array | undefined;
}

/** Returns a cell that can show columns of the same kind. */
export const createCell = (column: Column, events: CellEvents): Cell =>
  column.edits !== undefined
    ? new EditCell(events)
    : column.trendOf !== undefined
      ? new TrendCell(events)
      : new ValueCell();

export const kindOf = ({ edits, trendOf }: Column): string =>
  trendOf === undefined ? (edits ?? 'value') : 'trend';

class ValueCell implements Cell {
  readonly root = element('td');

  draw({ item }: CellRow, column: Column): void {
    const text = column.text(item);
    if (column.isNumber) showNumber(this.root, text);
    else showText(this.root, text);
  }
}

/** Shows the value; a standard deviation is in the second line. */
function showNumber(cell: HTMLElement, text: string): void {
  if (cell.title !== text || text === '') {
    const [value = '', spread] = text.split(' ± ');
    const second =
      spread === undefined ? [] : [element('div', { class: 'spread' }, ` ± ${spread}`)];
    cell.replaceChildren(element('div', {}, value), ...second);
  }
  setAttribute(cell, 'title', text);
  setAttribute(cell, 'class', /^(NaN|-?Inf)$/.test(text) ? 'number not-finite' : 'number');
}

function showText(cell: HTMLElement, text: string): void {
  setText(cell, text);
  setAttribute(cell, 'title', text);
  setAttribute(cell, 'class', 'text');
}

class TrendCell implements Cell {
  readonly root = element('td', { class: 'cell-trend' });
  readonly #events: CellEvents;
  #drawn: Float64Array | undefined;

  constructor(events: CellEvents) {
    this.#events = events;
  }

  draw({ item, style }: CellRow, { trendOf: metric = '' }: Column): void {
    this.root.style.color = style.colour;
    const values = this.#events.trendOf(item, metric);
    if (values === this.#drawn) return;
    this.#drawn = values;
    const label = `Curve of ${metric} in ${item.name}`;
    const curve = values && sparkline(values, label, { width: trendWidth, height: 24 });
    this.root.replaceChildren(...(curve === undefined ? [] : [curve]));
  }
}

interface Shown {
  readonly item: Item;
  readonly column: Column;
}

/** A button with the text of the user, which becomes a field while the user edits it. */
class EditCell implements Cell {
  readonly control = element('button', { type: 'button', class: 'link edit-text' });
  readonly root = element('td', { class: 'text cell-edit' }, this.control);
  readonly #events: CellEvents;
  #shown: Shown | undefined;
  /** What was shown when the user began to edit. */
  #edited: (Shown & { readonly field: HTMLInputElement }) | undefined;

  constructor(events: CellEvents) {
    this.#events = events;
    this.control.addEventListener('click', () => this.#edit());
  }

  draw({ item }: CellRow, column: Column): void {
    this.#shown = { item, column };
    const text = column.text(item);
    setText(this.control, text === '' ? 'Add…' : text);
    setAttribute(this.control, 'class', text === '' ? 'link edit-text is-none' : 'link edit-text');
    setAttribute(this.control, 'title', text === '' ? `Add ${column.title.toLowerCase()}` : text);
    setAttribute(
      this.control,
      'aria-label',
      `${column.title} of ${item.name}: ${text === '' ? 'none' : text}. Edit`,
    );
  }

  #edit(): void {
    if (this.#shown === undefined || this.#edited !== undefined) return;
    const { item, column } = this.#shown;
    const field = element('input', {
      type: 'text',
      class: 'edit-field',
      'aria-label': `${column.title} of ${item.name}`,
      title: 'Enter saves, Escape cancels',
    });
    field.value = column.text(item);
    this.#edited = { item, column, field };
    this.control.hidden = true;
    this.root.append(field);
    field.addEventListener('keydown', (event) => this.#onKey(event));
    field.addEventListener('blur', () => this.#close(true));
    field.focus();
    field.select();
  }

  #onKey(event: KeyboardEvent): void {
    // The arrow keys, Home and End move in the field, and not between rows.
    event.stopPropagation();
    if (event.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return;
    event.preventDefault();
    this.#close(event.key === 'Enter');
    this.control.focus();
  }

  #close(isSaved: boolean): void {
    if (this.#edited === undefined) return;
    const { item, column, field } = this.#edited;
    // Removing a focused field makes it lose the focus, which would close it again.
    this.#edited = undefined;
    field.remove();
    this.control.hidden = false;
    if (isSaved && column.edits !== undefined && field.value.trim() !== column.text(item))
      this.#events.edit(item, column.edits, field.value);
  }
}
