/** The items as the user has arranged them: grouped, filtered, sorted, and which are drawn. */
import type { PanelState } from '../../src/protocol/metricsPanel.ts';
import { shownColumns } from './columnOrder.ts';
import { narrowColumns, sortItems, type Column } from './columns.ts';
import { drawnItems } from './drawn.ts';
import { matches, readFilter, unknownNames, type Filter } from './filter.ts';
import type { Item } from './items.ts';
import { sectionColumns, sectioned, type ListedRow } from './tableSections.ts';
import type { ViewState } from './viewState.ts';

export interface ItemList {
  /** Pinned items first; the filter never hides these. */
  readonly items: readonly Item[];
  /** The items, below the titles of their sections; without those of closed sections. */
  readonly rows: readonly ListedRow[];
  readonly columns: readonly Column[];
  /** All columns that the wide table could show, in their usual order; empty for the narrow one. */
  readonly allColumns: readonly Column[];
  readonly drawn: ReadonlySet<string>;
  /** The reason why the list is empty; omitted if it is not. */
  readonly emptyText?: string;
}

export interface ListOptions {
  /** Metric of the narrow table. */
  readonly metric: string;
  /** The items of the state, in its order. */
  readonly all: readonly Item[];
  /** All columns of the wide table; empty for the narrow one. */
  readonly allColumns: readonly Column[];
}

export function itemList(
  state: PanelState,
  view: ViewState,
  { metric, all, allColumns }: ListOptions,
): ItemList {
  const columns = view.isTable ? shownColumns(allColumns, view) : narrowColumns(metric);
  const filter = readFilter(view.filter);
  const pinned = new Set(view.pinned);
  const isPinned = ({ id }: Item): boolean => pinned.has(id);
  const others = all.filter((item) => !isPinned(item) && matches(item, filter));
  const head = all.filter(isPinned);
  const sorted = sortItems(others, allColumns, view.sort);
  const items = [...head, ...sorted];
  const section = sectionColumns(allColumns).find(({ id }) => id === view.groupBy);
  const rows =
    section === undefined ? items : [...head, ...sectioned(sorted, section, view.closedGroups)];
  const drawn = drawnItems(items, state.ranking, view);
  return {
    items,
    rows,
    columns,
    allColumns,
    drawn,
    ...(items.length === 0 && { emptyText: textFor(all, filter) }),
  };
}

function textFor(all: readonly Item[], filter: Filter): string {
  const [unknown] = unknownNames(all, filter);
  return unknown === undefined
    ? 'No run matches the filter.'
    : `No run has a parameter or metric named ${unknown}.`;
}
