/** A row of the table of runs. */
import { createCell, kindOf, type Cell, type CellEvents, type CellRow } from './cells.ts';
import { checkbox, iconButton, type CheckboxHandle } from './controls.ts';
import type { Column } from './columns.ts';
import { element, setAttribute, setText } from '../shared/dom.ts';
import { icon, type IconName } from '../shared/icons.ts';
import type { Item } from './items.ts';
import { paintSwatch, type LineStyle } from '../shared/theme.ts';

export interface RunRowModel {
  readonly item: Item;
  readonly style: LineStyle;
  readonly isShown: boolean;
  readonly isPinned: boolean;
}

export interface RunRowEvents extends CellEvents {
  setShown(id: string, isShown: boolean): void;
  togglePin(id: string): void;
  /** Opens a run, and lists or hides the runs of a group. */
  open(id: string): void;
}

export class RunRow {
  readonly root: HTMLTableRowElement;
  readonly #check: CheckboxHandle;
  readonly #swatch = element('span', { class: 'swatch' });
  readonly #name = element('button', { type: 'button', class: 'link run-name' });
  readonly #twisty = element('span', { class: 'twisty' });
  readonly #champion = element('span', {
    class: 'champion-mark',
    role: 'img',
    'aria-label': 'champion',
    title: 'Champion',
  });
  readonly #label = element('span', { class: 'run-label' });
  readonly #status = element('span', { class: 'run-status' });
  readonly #statusIcon = element('span', { class: 'status-icon' });
  readonly #events: RunRowEvents;
  #cells: readonly Cell[] = [];
  #kinds = '';
  readonly #pinCell = element('td', { class: 'cell-pin' });
  readonly #pin: HTMLElement;
  #statusName: IconName | undefined;

  constructor(id: string, events: RunRowEvents) {
    this.#events = events;
    this.#check = checkbox((isChecked) => events.setShown(id, isChecked));
    this.#name.addEventListener('click', () => events.open(id));
    this.#champion.append(icon('champion'));
    this.#twisty.append(icon('chevron'));
    this.#pin = iconButton({ label: 'Pin', icon: 'pin', onClick: () => events.togglePin(id) });
    this.#pinCell.append(this.#pin);
    const first = element(
      'div',
      { class: 'run-line' },
      this.#twisty,
      this.#swatch,
      this.#name,
      this.#champion,
      this.#status,
    );
    const second = element('div', { class: 'run-line muted' }, this.#statusIcon, this.#label);
    this.root = element(
      'tr',
      { 'data-run': id },
      element('td', { class: 'cell-check' }, this.#check.root),
      element('th', { scope: 'row' }, first, second),
      this.#pinCell,
    );
  }

  render(
    { item, style, isShown, isPinned }: RunRowModel,
    { columns, isActive }: { readonly columns: readonly Column[]; readonly isActive: boolean },
  ): void {
    this.#check.set({ isChecked: isShown, label: `Show ${item.name}` });
    paintSwatch(this.#swatch, style);
    this.#setName(item);
    this.#champion.hidden = !item.isChampion;
    setText(this.#label, item.label);
    setAttribute(this.#label, 'title', item.label);
    this.#setStatus(item);
    this.#drawCells({ item, style }, columns);
    const states = [
      ...(isShown ? [] : ['is-hidden']),
      ...(item.isChampion ? ['is-champion'] : []),
      ...(item.position > 0 ? ['is-child'] : []),
    ];
    setAttribute(this.root, 'class', states.join(' '));
    this.#setPinned(isPinned, item.name);
    this.setActive(isActive);
  }

  #drawCells(row: CellRow, columns: readonly Column[]): void {
    const kinds = columns.map(kindOf).join(' ');
    if (kinds !== this.#kinds) this.#replaceCells(columns);
    this.#kinds = kinds;
    columns.forEach((column, index) => this.#cells[index]?.draw(row, column));
  }

  #replaceCells(columns: readonly Column[]): void {
    for (const cell of this.#cells) cell.root.remove();
    this.#cells = columns.map((column) => createCell(column, this.#events));
    this.#pinCell.before(...this.#cells.map(({ root }) => root));
  }

  setActive(isActive: boolean): void {
    for (const control of this.#controls()) control.tabIndex = isActive ? 0 : -1;
  }

  focus(column: number): void {
    this.setActive(true);
    this.#controls()[column]?.focus();
  }

  focusedColumn(): number {
    return Math.max(
      0,
      this.#controls().findIndex((control) => control === document.activeElement),
    );
  }

  #controls(): readonly HTMLElement[] {
    const ofCells = this.#cells.flatMap(({ control }) => control ?? []);
    return [this.#check.root, this.#name, ...ofCells, this.#pin];
  }

  #setName({ name, isExpanded }: Item): void {
    const title = isExpanded === undefined ? `Open ${name}` : isExpanded ? 'Collapse' : 'Expand';
    setText(this.#name, name);
    setAttribute(this.#name, 'title', title);
    setAttribute(
      this.#name,
      'aria-expanded',
      isExpanded === undefined ? undefined : `${isExpanded}`,
    );
    this.#twisty.hidden = isExpanded === undefined;
    setAttribute(this.#twisty, 'class', isExpanded === true ? 'twisty is-open' : 'twisty');
  }

  #setStatus(run: Item): void {
    const text = `${run.machine} · ${run.status}`;
    setText(this.#status, text);
    setAttribute(this.#status, 'title', text);
    const name: IconName = run.isRunning ? 'running' : run.isGood ? 'ok' : 'bad';
    if (name === this.#statusName) return;
    this.#statusName = name;
    this.#statusIcon.replaceChildren(icon(name));
    setAttribute(this.#statusIcon, 'class', `status-icon status-${name}`);
  }

  #setPinned(isPinned: boolean, name: string): void {
    if (this.#pin.getAttribute('aria-pressed') === String(isPinned)) return;
    setAttribute(this.#pin, 'aria-pressed', String(isPinned));
    setAttribute(this.#pin, 'aria-label', `Pin ${name}`);
    setAttribute(this.#pin, 'title', isPinned ? 'Unpin' : 'Pin to the top');
    setAttribute(this.#pinCell, 'class', isPinned ? 'cell-pin is-pinned' : 'cell-pin');
    this.#pin.replaceChildren(icon(isPinned ? 'pinned' : 'pin'));
  }
}
