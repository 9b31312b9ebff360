/** The list of groups and runs, which also serves as the legend of all charts. */
import { checkbox, iconButton, type CheckboxHandle } from './controls.ts';
import { element, setAttribute, setChildren, setText } from '../shared/dom.ts';
import { icon, type IconName } from '../shared/icons.ts';
import type { Item } from './items.ts';
import { paintSwatch, type LineStyle } from '../shared/theme.ts';

export interface RunRow {
  readonly item: Item;
  readonly style: LineStyle;
  readonly isShown: boolean;
  readonly isPinned: boolean;
}

export interface RunsTableEvents {
  setShown(id: string, isShown: boolean): void;
  setAllShown(isShown: boolean): void;
  togglePin(id: string): void;
  /** Opens a run, and lists or hides the runs of a group. */
  open(id: string): void;
  /** Called with the item under the pointer; with `undefined` when the pointer leaves the rows. */
  highlight(id: string | undefined): void;
}

export class RunsTable {
  readonly root: HTMLTableElement;
  readonly #events: RunsTableEvents;
  readonly #body = element('tbody');
  readonly #all: CheckboxHandle;
  readonly #rows = new Map<string, Row>();
  #activeId = '';

  constructor(events: RunsTableEvents) {
    this.#events = events;
    this.#all = checkbox((isChecked) => events.setAllShown(isChecked));
    const head = element(
      'tr',
      {},
      element('th', { scope: 'col', class: 'cell-check' }, this.#all.root),
      element('th', { scope: 'col' }, 'Run'),
      element('th', { scope: 'col', class: 'number' }, 'Last'),
      element('th', { scope: 'col', class: 'number' }, 'Best'),
      element(
        'th',
        { scope: 'col', class: 'cell-pin' },
        element('span', { class: 'sr-only' }, 'Pin'),
      ),
    );
    this.root = element(
      'table',
      { class: 'runs', 'aria-label': 'Runs' },
      element('thead', {}, head),
      this.#body,
    );
    this.#body.addEventListener('keydown', (event) => this.#onKey(event));
    this.#body.addEventListener('mouseleave', () => events.highlight(undefined));
    this.#body.addEventListener('focusout', () => events.highlight(undefined));
  }

  render(rows: readonly RunRow[], metric: string): void {
    const ids = new Set(rows.map(({ item }) => item.id));
    for (const id of this.#rows.keys()) if (!ids.has(id)) this.#rows.delete(id);
    if (!ids.has(this.#activeId)) this.#activeId = rows[0]?.item.id ?? '';
    const elements = rows.map((model) => {
      const row = this.#rows.get(model.item.id) ?? this.#add(model.item.id);
      row.render(model, metric, model.item.id === this.#activeId);
      return row.root;
    });
    setChildren(this.#body, elements);
    const shown = rows.filter(({ isShown }) => isShown).length;
    const isMixed = shown > 0 && shown < rows.length;
    this.#all.set({
      isChecked: shown > 0,
      isMixed,
      label: shown > 0 ? 'Hide all runs' : 'Show all runs',
    });
  }

  #add(id: string): Row {
    const row = new Row(id, this.#events);
    this.#rows.set(id, row);
    row.root.addEventListener('mouseenter', () => this.#events.highlight(id));
    row.root.addEventListener('focusin', () => {
      this.#events.highlight(id);
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
    const rows = [...this.#body.rows];
    const at = rows.findIndex((row) => row.contains(event.target as Node));
    const target = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: rows.length - 1 }[event.key];
    const current = [...this.#rows.values()].find(({ root }) => root === rows[at]);
    const next = [...this.#rows.values()].find(
      ({ root }) => target !== undefined && root === rows[target],
    );
    if (current === undefined || next === undefined) return;
    event.preventDefault();
    next.focus(current.focusedColumn());
  }
}

class Row {
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
  readonly #last = element('td', { class: 'number' });
  readonly #best = element('td', { class: 'number' });
  readonly #pinCell = element('td', { class: 'cell-pin' });
  readonly #pin: HTMLElement;
  #statusName: IconName | undefined;

  constructor(id: string, events: RunsTableEvents) {
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
      this.#last,
      this.#best,
      this.#pinCell,
    );
  }

  render({ item, style, isShown, isPinned }: RunRow, metric: string, isActive: boolean): void {
    const value = item.metrics[metric];
    this.#check.set({ isChecked: isShown, label: `Show ${item.name}` });
    paintSwatch(this.#swatch, style);
    this.#setName(item);
    this.#champion.hidden = !item.isChampion;
    setText(this.#label, item.label);
    setAttribute(this.#label, 'title', item.label);
    this.#setStatus(item);
    setNumber(this.#last, value?.last);
    setNumber(this.#best, value?.best);
    const states = [
      ...(isShown ? [] : ['is-hidden']),
      ...(item.isChampion ? ['is-champion'] : []),
      ...(item.position > 0 ? ['is-child'] : []),
    ];
    setAttribute(this.root, 'class', states.join(' '));
    this.#setPinned(isPinned, item.name);
    this.setActive(isActive);
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
    return [this.#check.root, this.#name, this.#pin];
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

/** Shows the value; a standard deviation is in the second line. */
function setNumber(cell: HTMLElement, text = ''): void {
  if (cell.title !== text || text === '') {
    const [value = '', spread] = text.split(' ± ');
    const second =
      spread === undefined ? [] : [element('div', { class: 'spread' }, ` ± ${spread}`)];
    cell.replaceChildren(element('div', {}, value), ...second);
  }
  setAttribute(cell, 'title', text);
  setAttribute(cell, 'class', /^(NaN|-?Inf)$/.test(text) ? 'number not-finite' : 'number');
}
