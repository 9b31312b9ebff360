/** The filter, the choice of a metric and the table of runs: beside the charts, or above them. */
import { ColumnMenu } from './columnMenu.ts';
import { movedBy, movedTo } from './columnOrder.ts';
import { dropdown, textField, toggleButton } from './controls.ts';
import { DrawnNote } from './drawnNote.ts';
import { element, setAttribute, setText } from '../shared/dom.ts';
import { filterHint } from './filter.ts';
import type { ItemList } from './itemList.ts';
import type { Item } from './items.ts';
import type { Column } from './columns.ts';
import { isSection, sectionColumns, type TableSection } from './tableSections.ts';
import { stepField } from './stepField.ts';
import { RunsTable, type RunsTableEvents } from './runsTable.ts';
import type { LineStyle } from '../shared/theme.ts';
import { toggled, type ViewState } from './viewState.ts';

export interface SidebarEvents extends Omit<RunsTableEvents, 'columnMoves' | 'toggleSection'> {
  /** Called when the user filters, chooses a metric, or changes what the table shows. */
  arrange(change: Partial<ViewState>): void;
  /** Lets the user choose other sessions whose runs are shown. */
  addSessions(): void;
  /** Called with another whole state. */
  rearrange(view: ViewState): void;
  /** Tells users of screen readers what was done. */
  say(text: string): void;
}

export interface SidebarModel {
  readonly list: ItemList;
  readonly view: ViewState;
  /** Names of all metrics. */
  readonly metrics: readonly string[];
  /** Metric of the narrow table. */
  readonly metric: string;
  readonly styleOf: (item: Item) => LineStyle;
}

export class Sidebar {
  readonly elements: readonly HTMLElement[];
  readonly #filter;
  readonly #metric;
  readonly #toggle: HTMLElement;
  readonly #note: DrawnNote;
  readonly #problem = element('p', { class: 'table-problem', role: 'alert', hidden: true });
  readonly #empty = element('p', { class: 'no-match muted', hidden: true });
  readonly #table: RunsTable;
  readonly #columns: ColumnMenu;
  readonly #step;
  readonly #groupBy;
  readonly #sessions: HTMLElement;
  readonly #events: SidebarEvents;
  #model: SidebarModel | undefined;
  #isTable = false;

  constructor(events: SidebarEvents) {
    this.#events = events;
    this.#filter = textField(
      'Filter runs',
      'Filter, such as lr<=0.001 val_loss<1 tag:good',
      (filter) => events.arrange({ filter }),
    );
    this.#metric = dropdown('Metric of the table', (metric) => events.arrange({ metric }));
    this.#toggle = toggleButton(
      'Table',
      () => events.arrange({ isTable: !this.#isTable }),
      'Show a column for each parameter and metric',
    );
    this.#note = new DrawnNote(() => events.arrange({ isAllDrawn: true }));
    const columnMoves = {
      moveBy: (id: string, distance: number) =>
        this.#move(({ list, view }) => movedBy(list.allColumns, view, { id, distance })),
      moveTo: (id: string, target: string, isAfter: boolean) =>
        this.#move(({ list, view }) => movedTo(list.allColumns, view, { id, target, isAfter })),
    };
    const toggleSection = ({ value }: TableSection): void =>
      events.arrange({ closedGroups: toggled(this.#model?.view.closedGroups ?? [], value) });
    this.#table = new RunsTable({ ...events, columnMoves, toggleSection });
    this.#groupBy = dropdown('Group by', (title) => this.#group(title));
    this.#columns = new ColumnMenu(events);
    const toggle = element('div', { class: 'segments' }, this.#toggle);
    const bar = element('div', { class: 'sidebar-bar' }, this.#filter.root, this.#metric.root);
    this.#step = stepField((atStep) => this.#setStep(atStep));
    this.#sessions = actionButton('Add Sessions…', () => events.addSessions());
    this.#sessions.title = 'Show the runs of other sessions too';
    bar.append(this.#groupBy.root, this.#step.root, this.#columns.root, this.#sessions, toggle);
    this.elements = [bar, this.#problem, this.#note.root, this.#empty, this.#table.root];
  }

  /** Draws the rows in view again, with curves that have been read. */
  redraw(): void {
    this.#table.redraw();
  }

  /** Says why a text of the user was not saved; `undefined` hides the problem. */
  showProblem(text: string | undefined): void {
    this.#problem.hidden = text === undefined;
    setText(this.#problem, text ?? '');
  }

  #group(title: string): void {
    const columns = sectionColumns(this.#model?.list.allColumns ?? []);
    const groupBy = columns.find((column) => groupTitle(column) === title)?.id ?? '';
    this.#events.arrange({ groupBy, closedGroups: [] });
    this.#events.say(title);
  }

  #drawGroups({ list, view }: SidebarModel): void {
    const columns = sectionColumns(list.allColumns);
    const chosen = columns.find(({ id }) => id === view.groupBy);
    this.#groupBy.root.hidden = columns.length === 0;
    const titles = [noGroups, ...columns.map(groupTitle)];
    this.#groupBy.set(titles, chosen === undefined ? noGroups : groupTitle(chosen));
  }

  #setStep(atStep: number | undefined): void {
    if (this.#model === undefined) return;
    const { atStep: _, ...view } = this.#model.view;
    this.#events.rearrange({ ...view, ...(atStep !== undefined && { atStep }) });
  }

  #move(order: (model: SidebarModel) => readonly string[] | undefined): void {
    const columnOrder = this.#model && order(this.#model);
    if (columnOrder === undefined) return;
    this.#events.arrange({ columnOrder });
    this.#events.say('Column moved');
  }

  render(model: SidebarModel): void {
    this.#model = model;
    const { list, view, metrics, metric, styleOf } = model;
    const { items, columns, drawn, emptyText = '' } = list;
    const pinned = new Set(view.pinned);
    const rows = list.rows.map((row) =>
      isSection(row)
        ? row
        : {
            item: row,
            style: styleOf(row),
            isShown: drawn.has(row.id),
            isPinned: pinned.has(row.id),
          },
    );
    this.#drawGroups(model);
    this.#sessions.hidden = !view.isTable;
    this.#step.root.hidden = !view.isTable;
    this.#step.set(view.atStep);
    this.#columns.root.hidden = !view.isTable;
    this.#columns.render(list.allColumns, view);
    this.#isTable = view.isTable;
    this.#filter.set(view.filter);
    setAttribute(this.#filter.root, 'title', filterHint(namesIn(items, metrics)));
    this.#note.render(items, drawn, view);
    this.#metric.root.hidden = metrics.length === 0 || view.isTable;
    this.#metric.set(metrics, metric);
    setAttribute(this.#toggle, 'aria-pressed', String(view.isTable));
    this.#table.render({ rows, columns, isSortable: view.isTable, sort: view.sort });
    this.#empty.hidden = items.length > 0;
    setText(this.#empty, emptyText);
  }
}

function actionButton(text: string, onClick: () => void): HTMLElement {
  const button = element('button', { type: 'button', class: 'action' }, text);
  button.addEventListener('click', onClick);
  return button;
}

const noGroups = 'No Grouping';
const groupTitle = ({ title }: Column): string => `By ${title}`;

const maxNames = 40;

/** Returns names of parameters and metrics for the hint of the filter. */
const namesIn = (items: readonly Item[], metrics: readonly string[]): readonly string[] =>
  [...new Set([...Object.keys(items[0]?.parameters ?? {}), ...metrics])].slice(0, maxNames);
