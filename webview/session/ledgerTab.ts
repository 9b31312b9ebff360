/** The ledger as a table. Best values and run names open the output of the run. */
import type { LedgerLine, LedgerTable } from '../../src/protocol/sessionView.ts';
import { linkButton } from '../shared/buttons.ts';
import { element } from '../shared/dom.ts';
import { icon } from '../shared/icons.ts';
import { emptyMessage } from './emptyMessage.ts';
import { ordered } from './ledgerOrder.ts';
import { tabPanel } from './tabBar.ts';
import {
  ledgerColumns,
  type LedgerColumn,
  type LedgerSort,
  type OptionColumn,
} from './viewState.ts';

export interface LedgerEvents {
  sort(sort: LedgerSort): void;
  openRun(runId: string): void;
}

const numeric: ReadonlySet<LedgerColumn> = new Set(['number', 'best', 'cost']);
/** Maximum number of runs to name per experiment. Of further runs, only the number is shown. */
const maxRuns = 4;

export class LedgerTab {
  readonly root = tabPanel('ledger');
  readonly #events: LedgerEvents;

  constructor(events: LedgerEvents) {
    this.#events = events;
  }

  render(table: LedgerTable, sort: LedgerSort): void {
    const focused =
      document.activeElement?.closest<HTMLElement>('[data-column]')?.dataset['column'];
    if (table.lines.length === 0) return this.root.replaceChildren(emptyMessage(noExperiments));
    const heads = columnsOf(table).map((column) => this.#head(column, table, sort));
    const rows = ordered(table, sort).map((line) => this.#row(line, table));
    const shown = element('table', { class: 'ledger', 'aria-label': 'Ledger' });
    shown.append(element('thead', {}, element('tr', {}, ...heads)), element('tbody', {}, ...rows));
    this.root.replaceChildren(shown);
    if (focused !== undefined)
      this.root.querySelector<HTMLElement>(`[data-column="${focused}"] button`)?.focus();
  }

  #head(column: Column, table: LedgerTable, sort: LedgerSort): HTMLElement {
    const isChosen = sort.column === column;
    const order = isChosen ? (sort.isDescending ? 'descending' : 'ascending') : undefined;
    const mark = isChosen ? (sort.isDescending ? ' ↓' : ' ↑') : '';
    const isDescending = isChosen
      ? !sort.isDescending
      : column === 'best' && table.direction === 'higher';
    const button = linkButton(`${titleOf(column, table)}${mark}`, () =>
      this.#events.sort({ column, isDescending }),
    );
    return element(
      'th',
      { scope: 'col', class: appearanceOf(column), 'aria-sort': order, 'data-column': column },
      button,
    );
  }

  #row(line: LedgerLine, table: LedgerTable): HTMLElement {
    const name = element('span', {}, line.name);
    const champion = element('span', {
      class: 'champion-mark',
      role: 'img',
      'aria-label': 'champion',
      title: 'Champion',
    });
    champion.append(icon('champion'));
    const cells: Readonly<Record<LedgerColumn, readonly (Node | string)[]>> = {
      number: line.isChampion ? [champion, name] : [name],
      best: [this.#best(line)],
      decision: [element('span', { class: `decision tone-${line.tone}` }, line.decision)],
      what: [line.what],
      why: [line.why],
      runs: this.#runs(line),
      cost: [line.cost],
      code: line.code === '' ? [] : [element('code', {}, line.code)],
    };
    const hovers: Partial<Record<LedgerColumn, string>> = {
      what: line.what,
      why: line.why,
      decision: line.decision,
    };
    const row = element('tr', { class: line.isChampion ? 'is-champion' : undefined });
    for (const column of columnsOf(table)) {
      const [title, content] = isOption(column)
        ? optionCell(line.options[table.options.indexOf(optionOf(column))])
        : [hovers[column], cells[column]];
      row.append(element('td', { class: appearanceOf(column), title }, ...content));
    }
    return row;
  }

  #best({ best, runs }: LedgerLine): Node | string {
    const [first] = runs;
    if (best === '' || first === undefined) return best;
    return linkButton(
      best,
      () => this.#events.openRun(first.id),
      `Open the output of ${first.name}`,
    );
  }

  #runs({ runs }: LedgerLine): (Node | string)[] {
    const links = runs.slice(0, maxRuns).flatMap(({ id, name }, index) => {
      const link = linkButton(name, () => this.#events.openRun(id), `Open the output of ${name}`);
      return index === 0 ? [link] : [', ', link];
    });
    return runs.length > maxRuns ? [...links, ` and ${runs.length - maxRuns} more`] : links;
  }
}

type Column = LedgerSort['column'];

const isOption = (column: Column): column is OptionColumn => column.startsWith('option ');
const optionOf = (column: OptionColumn): string => column.slice('option '.length);

/** Puts what was varied beside what came of it. */
const columnsOf = ({ options }: LedgerTable): readonly Column[] =>
  ledgerColumns.flatMap((column): Column[] =>
    column === 'best' ? ['best', ...options.map((name): Column => `option ${name}`)] : [column],
  );

const optionCell = (value = ''): [string, readonly string[]] => [value, [value]];

const appearanceOf = (column: Column): string =>
  isOption(column)
    ? 'column-option number'
    : `column-${column}${numeric.has(column) ? ' number' : ''}`;

const titles: Readonly<Record<LedgerColumn, string>> = {
  number: '#',
  what: 'Hypothesis',
  decision: 'Decision',
  best: 'Best',
  runs: 'Runs',
  cost: 'Cost',
  code: 'Code',
  why: 'Why',
};

function titleOf(column: Column, { metric }: LedgerTable): string {
  if (isOption(column)) return optionOf(column).replace(/^-+/, '');
  return column === 'best' && metric !== '' ? metric : titles[column];
}

const noExperiments = {
  title: 'No experiments yet',
  text: 'Each launched experiment appears here with its results and its decision.',
};
