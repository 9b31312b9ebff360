/** The list of runs, which also serves as the legend of all charts. */
import type { PanelRun } from '../../src/protocol/metricsPanel.ts';
import { checkbox, iconButton, type CheckboxHandle } from './controls.ts';
import { element, setAttribute, setChildren, setText } from '../shared/dom.ts';
import { icon, type IconName } from '../shared/icons.ts';
import { paintSwatch, type LineStyle } from '../shared/theme.ts';

export interface RunRow {
  readonly run: PanelRun;
  readonly style: LineStyle;
  readonly isShown: boolean;
  readonly isPinned: boolean;
}

export interface RunsTableEvents {
  setShown(runId: string, isShown: boolean): void;
  setAllShown(isShown: boolean): void;
  togglePin(runId: string): void;
  open(runId: string): void;
  /** Called with the run under the pointer; with `undefined` when the pointer leaves the rows. */
  highlight(runId: string | undefined): void;
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
    for (const id of this.#rows.keys())
      if (!rows.some(({ run }) => run.id === id)) this.#rows.delete(id);
    if (!rows.some(({ run }) => run.id === this.#activeId)) this.#activeId = rows[0]?.run.id ?? '';
    const elements = rows.map((model) => {
      const row = this.#rows.get(model.run.id) ?? this.#add(model.run.id);
      row.render(model, metric, model.run.id === this.#activeId);
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

  #add(runId: string): Row {
    const row = new Row(runId, this.#events);
    this.#rows.set(runId, row);
    row.root.addEventListener('mouseenter', () => this.#events.highlight(runId));
    row.root.addEventListener('focusin', () => {
      this.#events.highlight(runId);
      this.#activate(runId);
    });
    return row;
  }

  /**
   * Puts one row into the tab order. Only one row is in the tab order; arrow keys move between
   * rows.
   */
  #activate(runId: string): void {
    this.#rows.get(this.#activeId)?.setActive(false);
    this.#activeId = runId;
    this.#rows.get(runId)?.setActive(true);
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

  constructor(runId: string, events: RunsTableEvents) {
    this.#check = checkbox((isChecked) => events.setShown(runId, isChecked));
    this.#name.addEventListener('click', () => events.open(runId));
    this.#champion.append(icon('champion'));
    this.#pin = iconButton({ label: 'Pin', icon: 'pin', onClick: () => events.togglePin(runId) });
    this.#pinCell.append(this.#pin);
    const first = element(
      'div',
      { class: 'run-line' },
      this.#swatch,
      this.#name,
      this.#champion,
      this.#status,
    );
    const second = element('div', { class: 'run-line muted' }, this.#statusIcon, this.#label);
    this.root = element(
      'tr',
      { 'data-run': runId },
      element('td', { class: 'cell-check' }, this.#check.root),
      element('th', { scope: 'row' }, first, second),
      this.#last,
      this.#best,
      this.#pinCell,
    );
  }

  render({ run, style, isShown, isPinned }: RunRow, metric: string, isActive: boolean): void {
    const value = run.metrics[metric];
    this.#check.set({ isChecked: isShown, label: `Show ${run.name}` });
    paintSwatch(this.#swatch, style);
    setText(this.#name, run.name);
    setAttribute(this.#name, 'title', `Open ${run.name}`);
    this.#champion.hidden = !run.isChampion;
    setText(this.#label, run.label);
    setAttribute(this.#label, 'title', run.label);
    this.#setStatus(run);
    setNumber(this.#last, value?.last);
    setNumber(this.#best, value?.best);
    setAttribute(
      this.root,
      'class',
      `${isShown ? '' : 'is-hidden'} ${run.isChampion ? 'is-champion' : ''}`.trim(),
    );
    this.#setPinned(isPinned, run.name);
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

  #setStatus(run: PanelRun): void {
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

function setNumber(cell: HTMLElement, text = ''): void {
  setText(cell, text);
  setAttribute(cell, 'class', /^(NaN|-?Inf)$/.test(text) ? 'number not-finite' : 'number');
}
