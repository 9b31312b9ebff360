/**
 * The state of the session view: how the user has arranged it. VS Code restores this state after
 * the view was hidden or reloaded, and after a restart.
 */
import type { TrackAxis } from '../../src/protocol/sessionView.ts';
import { rangeOf, type Range } from '../shared/range.ts';

export const tabs = ['timeline', 'ledger', 'inbox', 'notes'] as const;
export type Tab = (typeof tabs)[number];

/** Speeds of the replay as multiples of real time; 0 means as fast as possible. */
export const speeds = [1, 10, 100, 0] as const;
export type Speed = (typeof speeds)[number];

export const ledgerColumns = [
  'number',
  'best',
  'decision',
  'what',
  'why',
  'runs',
  'cost',
  'code',
] as const;
export type LedgerColumn = (typeof ledgerColumns)[number];
/** Column of an option of the commands, such as `--lr`. */
export type OptionColumn = `option ${string}`;

const isOption = (column: unknown): column is OptionColumn =>
  typeof column === 'string' && column.startsWith('option ');

export interface LedgerSort {
  readonly column: LedgerColumn | OptionColumn;
  readonly isDescending: boolean;
}

export interface ViewState {
  readonly sessionId: string;
  readonly tab: Tab;
  /** Whether the view follows the newest step, so that new steps are selected as they appear. */
  readonly isLive: boolean;
  /** Index of the selected step. */
  readonly row: number;
  readonly axis: TrackAxis;
  /** Shown part of each axis. Default: the whole axis. */
  readonly zoom: Readonly<Partial<Record<TrackAxis, Range>>>;
  readonly speed: Speed;
  readonly sort: LedgerSort;
}

/** Returns a valid state. The saved state may be missing or of an older version. */
export function restoreState(saved: unknown): ViewState {
  const from: Record<string, unknown> = isRecord(saved) ? saved : {};
  const zoom = isRecord(from['zoom']) ? from['zoom'] : {};
  const time = rangeOf(zoom['time']);
  const step = rangeOf(zoom['step']);
  const sort = isRecord(from['sort']) ? from['sort'] : {};
  return {
    sessionId: typeof from['sessionId'] === 'string' ? from['sessionId'] : '',
    tab: oneOf(tabs, from['tab']) ?? 'timeline',
    isLive: from['isLive'] !== false,
    row: isRow(from['row']) ? from['row'] : 0,
    axis: from['axis'] === 'step' ? 'step' : 'time',
    zoom: { ...(time && { time }), ...(step && { step }) },
    speed: oneOf(speeds, from['speed']) ?? 10,
    sort: {
      column: isOption(sort['column'])
        ? sort['column']
        : (oneOf(ledgerColumns, sort['column']) ?? 'number'),
      isDescending: sort['isDescending'] === true,
    },
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const isRow = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;

const oneOf = <T>(allowed: readonly T[], value: unknown): T | undefined =>
  allowed.find((each) => each === value);
