/** The list of all columns of the table: which are shown, and in which order. */
import { iconOnlyButton, linkButton } from '../shared/buttons.ts';
import { element, setAttribute } from '../shared/dom.ts';
import { movedBy, orderedColumns, type ColumnChoice } from './columnOrder.ts';
import type { Column } from './columns.ts';
import { toggled } from './viewState.ts';

export interface ColumnMenuEvents {
  arrange(change: Partial<ColumnChoice>): void;
  say(text: string): void;
}

export class ColumnMenu {
  readonly root: HTMLElement;
  readonly #events: ColumnMenuEvents;
  readonly #button: HTMLButtonElement;
  readonly #list = element('ul', { class: 'column-list' });
  readonly #popup: HTMLElement;
  #columns: readonly Column[] = [];
  #choice: ColumnChoice = { hiddenColumns: [], columnOrder: [] };
  #drawn = '';

  constructor(events: ColumnMenuEvents) {
    this.#events = events;
    const reset = linkButton('Reset Columns', () => {
      events.arrange({ hiddenColumns: [], columnOrder: [] });
      events.say('Columns reset');
    });
    this.#popup = element(
      'div',
      { id: 'column-menu', class: 'column-menu', role: 'dialog', 'aria-label': 'Columns' },
      this.#list,
      reset,
    );
    this.#popup.hidden = true;
    this.#button = element(
      'button',
      { type: 'button', class: 'action', 'aria-haspopup': 'dialog', 'aria-expanded': 'false' },
      'Columns',
    );
    this.#button.title = 'Choose the columns and their order';
    this.#button.addEventListener('click', () => this.#open(Boolean(this.#popup.hidden)));
    this.root = element('div', { class: 'menu-box' }, this.#button, this.#popup);
    this.root.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || this.#popup.hidden) return;
      this.#open(false);
      this.#button.focus();
    });
    this.root.addEventListener('focusout', ({ relatedTarget }) => {
      // A rebuilt row loses the focus to nothing, and gets it back.
      if (relatedTarget instanceof Node && !this.root.contains(relatedTarget)) this.#open(false);
    });
    document.addEventListener('pointerdown', ({ target }) => {
      if (target instanceof Node && !this.root.contains(target)) this.#open(false);
    });
  }

  /** Takes the columns that the table could show, in their usual order. */
  render(columns: readonly Column[], choice: ColumnChoice): void {
    this.#columns = columns;
    this.#choice = choice;
    if (!this.#popup.hidden) this.#draw();
  }

  #open(isOpen: boolean): void {
    if (this.#popup.hidden !== isOpen) return;
    this.#popup.hidden = !isOpen;
    setAttribute(this.#button, 'aria-expanded', String(isOpen));
    if (!isOpen) return;
    this.#draw();
    this.#list.querySelector('input')?.focus();
  }

  #draw(): void {
    const ordered = orderedColumns(this.#columns, this.#choice.columnOrder);
    const { hiddenColumns } = this.#choice;
    const wanted = JSON.stringify([ordered.map(({ id, title }) => [id, title]), hiddenColumns]);
    if (wanted === this.#drawn) return;
    this.#drawn = wanted;
    const focused = document.activeElement?.getAttribute('data-control');
    this.#list.replaceChildren(...ordered.map((column) => this.#row(column)));
    if (focused)
      this.#list.querySelector<HTMLElement>(`[data-control="${CSS.escape(focused)}"]`)?.focus();
  }

  #row({ id, title }: Column): HTMLElement {
    const { hiddenColumns } = this.#choice;
    const check = element('input', { type: 'checkbox', 'data-control': `show ${id}` });
    check.checked = !hiddenColumns.includes(id);
    check.addEventListener('change', () => {
      this.#events.arrange({ hiddenColumns: toggled(hiddenColumns, id) });
    });
    const move = (side: 'left' | 'right', distance: number): HTMLButtonElement => {
      const name = side === 'left' ? 'arrowUp' : 'arrowDown';
      const button = iconOnlyButton(`Move ${title} ${side}`, name, () => this.#move(id, distance));
      setAttribute(button, 'data-control', `${side} ${id}`);
      setAttribute(button, 'disabled', !check.checked);
      return button;
    };
    const label = element('label', {}, check, element('span', {}, title));
    return element('li', {}, label, move('left', -1), move('right', 1));
  }

  #move(id: string, distance: number): void {
    const columnOrder = movedBy(this.#columns, this.#choice, { id, distance });
    if (columnOrder === undefined) return;
    this.#events.arrange({ columnOrder });
    this.#events.say(distance < 0 ? 'Moved left' : 'Moved right');
  }
}
