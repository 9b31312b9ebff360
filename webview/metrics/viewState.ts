/**
 * The view state of the panel: how the user has arranged it. VS Code restores this state after the
 * panel was hidden or reloaded, and after a restart.
 */
import type { XAxis } from '../../src/protocol/metricsPanel.ts';
import type { Sort } from './columns.ts';
import { rangeOf, type Range } from '../shared/range.ts';

export interface ViewState {
  readonly sessionId: string;
  /** Ids of the items that the user has hidden. */
  readonly hidden: readonly string[];
  /** Ids of the items that the user has shown, although they are not drawn by default. */
  readonly shown: readonly string[];
  readonly isAllDrawn: boolean;
  /** Whether runs that differ in nothing but the seed are one item. */
  readonly isGrouped: boolean;
  /** Ids of the groups whose runs are listed. */
  readonly expanded: readonly string[];
  readonly pinned: readonly string[];
  readonly filter: string;
  /** Whether the table has a column for each parameter and metric, above the charts. */
  readonly isTable: boolean;
  /** Whether the view What Mattered is in the place of the charts. */
  readonly isMattered: boolean;
  /** Name of the parameter that What Mattered draws; if empty, the first. */
  readonly parameter: string;
  /** Order of the table; omitted for the order in which the runs started. */
  readonly sort?: Sort;
  /** Ids of other sessions whose runs are shown. */
  readonly addedSessions: readonly string[];
  /** Id of the column by whose values the table is divided; empty for none. */
  readonly groupBy: string;
  /** Values of that column whose sections are closed. */
  readonly closedGroups: readonly string[];
  /** Step whose values the table shows beside the last ones; omitted for none. */
  readonly atStep?: number;
  /** Ids of the columns of the table that the user has hidden. */
  readonly hiddenColumns: readonly string[];
  /** Ids of columns in the order in which the user has put them; empty for the usual order. */
  readonly columnOrder: readonly string[];
  /** Name of the metric whose values the table of runs shows; if empty, the first metric. */
  readonly metric: string;
  /** Words that the names of the shown metrics contain. */
  readonly chartFilter: string;
  /** Names of the sections of charts that are closed. */
  readonly closedSections: readonly string[];
  readonly axis: XAxis;
  /** Strength of the moving average: from 0 (none) to `maxSmoothing`. */
  readonly smoothing: number;
  readonly isLog: boolean;
  /** Shown part of each axis. Default: the whole axis. */
  readonly zoom: Readonly<Partial<Record<XAxis, Range>>>;
  /** Names of the metrics whose table of values is open. */
  readonly openValues: readonly string[];
}

export const maxSmoothing = 0.99;

/** Returns a valid state. The saved state may be missing or of an older version. */
export function restoreState(saved: unknown): ViewState {
  const from = isRecord(saved) ? saved : {};
  return {
    sessionId: textOf(from['sessionId']),
    hidden: textsOf(from['hidden']),
    shown: textsOf(from['shown']),
    isAllDrawn: from['isAllDrawn'] === true,
    isGrouped: from['isGrouped'] !== false,
    expanded: textsOf(from['expanded']),
    pinned: textsOf(from['pinned']),
    filter: textOf(from['filter']),
    isTable: from['isTable'] === true,
    isMattered: from['isMattered'] === true,
    parameter: textOf(from['parameter']),
    ...sortOf(from['sort']),
    ...(typeof from['atStep'] === 'number' && { atStep: from['atStep'] }),
    addedSessions: textsOf(from['addedSessions']),
    groupBy: textOf(from['groupBy']),
    closedGroups: textsOf(from['closedGroups']),
    hiddenColumns: textsOf(from['hiddenColumns']),
    columnOrder: textsOf(from['columnOrder']),
    metric: textOf(from['metric']),
    chartFilter: textOf(from['chartFilter']),
    closedSections: textsOf(from['closedSections']),
    axis: isAxis(from['axis']) ? from['axis'] : 'step',
    smoothing: clampSmoothing(from['smoothing']),
    isLog: from['isLog'] === true,
    zoom: zoomOf(from['zoom']),
    openValues: textsOf(from['openValues']),
  };
}

export const toggled = (list: readonly string[], item: string): readonly string[] =>
  list.includes(item) ? list.filter((other) => other !== item) : [...list, item];

function sortOf(saved: unknown): Pick<ViewState, 'sort'> {
  if (!isRecord(saved) || typeof saved['column'] !== 'string') return {};
  return { sort: { column: saved['column'], isDescending: saved['isDescending'] === true } };
}

const isAxis = (value: unknown): value is XAxis =>
  typeof value === 'string' && /^(?:step|time|clock|metric:.+)$/s.test(value);

function zoomOf(saved: unknown): ViewState['zoom'] {
  const entries = isRecord(saved) ? Object.entries(saved) : [];
  return Object.fromEntries(
    entries.flatMap(([axis, saved]) => {
      const range = rangeOf(saved);
      return isAxis(axis) && range !== undefined ? [[axis, range]] : [];
    }),
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

const clampSmoothing = (value: unknown): number =>
  typeof value === 'number' && value >= 0 ? Math.min(maxSmoothing, value) : 0;
