/** The columns of the table of runs. */
import type { PanelState } from '../../src/protocol/metricsPanel.ts';
import { formatElapsed, formatValue } from '../shared/format.ts';
import { numberIn } from './filter.ts';
import type { Item } from './items.ts';

export interface Column {
  /** Id by which the state of the view names the column: `parameter lr`, `last loss`. */
  readonly id: string;
  readonly title: string;
  readonly isNumber: boolean;
  readonly hint?: string;
  /** The text of the user that the cells of the column edit. */
  readonly edits?: 'tags' | 'note';
  /** The metric whose small curve the cells of the column show. */
  readonly trendOf?: string;
  /** Returns the text of the cell; empty if there is nothing to show. */
  text(item: Item): string;
  /** Returns the value to sort by, if not that of the text; NaN for none. */
  number?(item: Item): number;
}

export interface Sort {
  /** Id of a column. */
  readonly column: string;
  readonly isDescending: boolean;
}

const lastOf = (metric: string, title = 'Last'): Column => ({
  id: `last ${metric}`,
  title,
  isNumber: true,
  hint: `Last value of ${metric}`,
  text: ({ metrics }) => metrics[metric]?.last ?? '',
});

const bestOf = (metric: string, title = 'Best'): Column => ({
  id: `best ${metric}`,
  title,
  isNumber: true,
  hint: `Best value of ${metric}`,
  text: ({ metrics }) => metrics[metric]?.best ?? '',
});

/** Returns the columns beside the charts: last and best value of a metric. */
export const narrowColumns = (metric: string): readonly Column[] => [
  lastOf(metric),
  bestOf(metric),
];

/**
 * Returns the columns of the whole table: parameters that differ, the deciding metric with its
 * differences from the champion, the other metrics, and facts about the system. Omits columns
 * without a text that nobody can add.
 */
export const wideColumns = (
  state: PanelState,
  items: readonly Item[],
  at?: ValuesAt,
): readonly Column[] =>
  allColumns(state, items, at).filter(
    (column) => column.edits !== undefined || items.some((item) => column.text(item) !== ''),
  );

/** The values of the metrics at a step. */
export interface ValuesAt {
  readonly step: number;
  /** Returns a value as text; empty for none. */
  of(item: Item, metric: string): string;
}

const atColumns = (metric: string, at: ValuesAt | undefined): readonly Column[] =>
  at === undefined
    ? []
    : [
        {
          id: `at ${metric}`,
          title: `${metric} @ ${at.step}`,
          isNumber: true,
          hint: `Value of ${metric} at the largest step up to ${at.step}`,
          text: (item) => at.of(item, metric),
        },
      ];

function allColumns(
  state: PanelState,
  items: readonly Item[],
  at: ValuesAt | undefined,
): readonly Column[] {
  const { decisive, metrics } = state;
  const others = metrics.map(({ name }) => name).filter((name) => name !== decisive?.metric);
  const first = decisive?.metric;
  return [
    sessionColumn,
    ...varied(items).map(parameterColumn),
    ...(first === undefined
      ? []
      : [lastOf(first, first), bestOf(first, `${first} (best)`), ...atColumns(first, at)]),
    ...trendColumns(first ?? others[0]),
    ...differenceColumns(state),
    ...userColumns,
    ...others.flatMap((name) => [lastOf(name, name), ...atColumns(name, at)]),
    ...systemColumns,
  ];
}

const trendColumns = (metric: string | undefined): readonly Column[] =>
  metric === undefined
    ? []
    : [
        {
          id: 'trend',
          title: 'Trend',
          isNumber: false,
          hint: `Curve of ${metric}`,
          trendOf: metric,
          text: ({ metrics }) => metrics[metric]?.last ?? '',
        },
      ];

const userColumns: readonly Column[] = [
  {
    id: 'tags',
    title: 'Tags',
    isNumber: false,
    edits: 'tags',
    hint: 'Your tags, divided by blanks. The filter tag:good finds them.',
    text: ({ tags = [] }) => tags.join(' '),
  },
  {
    id: 'note',
    title: 'Note',
    isNumber: false,
    edits: 'note',
    hint: 'Your note. The filter note:"longer warmup" finds it.',
    text: ({ note = '' }) => note,
  },
];

const sessionColumn: Column = {
  id: 'session',
  title: 'Session',
  isNumber: false,
  text: ({ session = '' }) => session,
};

const systemColumns: readonly Column[] = [
  { id: 'machine', title: 'Machine', isNumber: false, text: ({ machine }) => machine },
  {
    id: 'started',
    title: 'Started',
    isNumber: true,
    hint: 'Start of the run; of a group, of the first',
    text: ({ startedMs }) => (startedMs === undefined ? '' : formatStart(startedMs)),
    number: ({ startedMs }) => startedMs ?? Number.NaN,
  },
  {
    id: 'duration',
    title: 'Time',
    isNumber: true,
    hint: 'Duration of the run; of a group, the sum',
    text: ({ durationMs }) => (durationMs === undefined ? '' : formatElapsed(durationMs)),
    number: ({ durationMs }) => durationMs ?? Number.NaN,
  },
  {
    id: 'cost',
    title: 'Cost',
    isNumber: true,
    hint: 'Share of the cost of model calls',
    text: ({ usd }) => (usd === undefined ? '' : `$${usd.toFixed(usd < 0.1 ? 3 : 2)}`),
    number: ({ usd }) => usd ?? Number.NaN,
  },
  {
    id: 'code',
    title: 'Code',
    isNumber: false,
    hint: 'Commit of the code; with -dirty for uncommitted changes',
    text: ({ code = '' }) => code,
  },
];

/** Formats a start in the time zone of the computer: `11-28 14:03`, with the year if it is not this. */
function formatStart(startedMs: number): string {
  const start = new Date(startedMs);
  const two = (part: number): string => String(part).padStart(2, '0');
  const year = start.getFullYear() === new Date().getFullYear() ? '' : `${start.getFullYear()}-`;
  const day = `${year}${two(start.getMonth() + 1)}-${two(start.getDate())}`;
  return `${day} ${two(start.getHours())}:${two(start.getMinutes())}`;
}

const parameterColumn = (name: string): Column => ({
  id: `parameter ${name}`,
  title: name,
  isNumber: false,
  hint: `Parameter ${name}`,
  text: ({ parameters }) => parameters[name] ?? '',
});

/** Returns the names of the parameters whose values differ, in the order in which they appear. */
function varied(items: readonly Item[]): readonly string[] {
  const values = new Map<string, Set<string>>();
  for (const { parameters } of items)
    for (const [name, value] of Object.entries(parameters))
      values.set(name, (values.get(name) ?? new Set()).add(value));
  const counts = new Map<string, number>();
  for (const { parameters } of items)
    for (const name of Object.keys(parameters)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...values]
    .filter(([name, { size }]) => size > 1 || counts.get(name) !== items.length)
    .map(([name]) => name);
}

/** Returns the columns with the difference from the champion, in units and in σ. */
function differenceColumns({ decisive }: PanelState): readonly Column[] {
  if (decisive?.champion === undefined) return [];
  const { metric, rule, champion, pooled } = decisive;
  const difference = ({ metrics, isOther }: Item): number =>
    isOther ? Number.NaN : numberIn(metrics[metric]?.[rule] ?? '') - champion;
  const inUnits = unitColumn(metric, difference);
  return pooled === undefined || pooled === 0
    ? [inUnits]
    : [inUnits, sigmaColumn(pooled, difference)];
}

const unitColumn = (metric: string, difference: (item: Item) => number): Column => ({
  id: 'difference',
  title: 'Δ champion',
  isNumber: true,
  hint: `Difference of ${metric} from the champion`,
  text: (item) => signed(difference(item), shortNumber(difference(item))),
  number: difference,
});

function sigmaColumn(pooled: number, difference: (item: Item) => number): Column {
  const inSigma = (item: Item): number => difference(item) / pooled;
  return {
    id: 'sigma',
    title: 'Δ in σ',
    isNumber: true,
    hint: `Difference from the champion in standard deviations within groups of seeds (${shortNumber(pooled)})`,
    text: (item) => signed(inSigma(item), inSigma(item).toFixed(1)),
    number: inSigma,
  };
}

const shortNumber = (value: number): string => formatValue(Number(value.toPrecision(3)));

const signed = (value: number, text: string): string =>
  Number.isNaN(value) ? '' : value > 0 ? `+${text}` : text;

/**
 * Sorts the items by a column; without a known column, returns them as they are. Items without a
 * value are last. The runs of an expanded group stay below it.
 */
export function sortItems(
  items: readonly Item[],
  columns: readonly Column[],
  sort: Sort | undefined,
): readonly Item[] {
  const column = columns.find(({ id }) => id === sort?.column);
  if (column === undefined) return items;
  const families: Item[][] = [];
  for (const item of items) {
    if (item.position === 0) families.push([item]);
    else families.at(-1)?.push(item);
  }
  const keyed = families.map((family) => ({ family, key: keyOf(column, family[0]) }));
  const sign = sort?.isDescending === true ? -1 : 1;
  keyed.sort((a, b) => compare(a.key, b.key, sign));
  return keyed.flatMap(({ family }) => family);
}

type Key = number | string;

function keyOf(column: Column, item: Item | undefined): Key {
  if (item === undefined) return '';
  if (column.number !== undefined) return column.number(item);
  const text = column.text(item);
  const number = numberIn(text);
  return Number.isNaN(number) ? text : number;
}

const isNone = (key: Key): boolean => key === '' || key === 'NaN' || Number.isNaN(key);

/** Numbers are before texts; keys without a value are last in both orders. */
function compare(a: Key, b: Key, sign: number): number {
  if (isNone(a) || isNone(b)) return Number(isNone(a)) - Number(isNone(b));
  if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
  if (typeof a === 'number') return -1;
  if (typeof b === 'number') return 1;
  return sign * a.localeCompare(b, 'en', { numeric: true });
}
