/** The rows of the table, which are also the lines of the charts: groups of runs, and single runs. */
import type { PanelGroup, PanelRun, PanelState } from '../../src/protocol/metricsPanel.ts';

export interface Item {
  /** Id of the run; of a group of several runs, `group-3`. */
  readonly id: string;
  readonly runIds: readonly string[];
  readonly name: string;
  readonly label: string;
  readonly machine: string;
  readonly status: string;
  readonly isRunning: boolean;
  readonly isGood: boolean;
  readonly isChampion: boolean;
  readonly group: number;
  /** Position of the run in its expanded group, from 1; 0 for all other items. */
  readonly position: number;
  readonly metrics: Readonly<Record<string, { readonly last: string; readonly best: string }>>;
  /** Parameters that all runs have in common. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Title of the session, if the panel shows several. */
  readonly session?: string;
  /** Set for runs of another session, which are not compared with the champion. */
  readonly isOther?: true;
  /** Tags of the user that all runs have; omitted for none. */
  readonly tags?: readonly string[];
  /** Note of the user on all runs; omitted for none. */
  readonly note?: string;
  /** Start of the first run, in milliseconds since the epoch. */
  readonly startedMs?: number;
  /** Name of the code that all runs have: `9fceb02`. */
  readonly code?: string;
  /** Seed of a single run. */
  readonly seed?: string;
  /** Sum over the runs that have ended, in milliseconds. */
  readonly durationMs?: number;
  /** Sum over the runs, in US dollars. */
  readonly usd?: number;
  /** Whether the runs of the group are listed below it; omitted for a single run. */
  readonly isExpanded?: boolean;
}

export interface Grouping {
  readonly isGrouped: boolean;
  /** Ids of the expanded groups. */
  readonly expanded: readonly string[];
}

/** Returns the items in the order of the runs; the runs of an expanded group follow the group. */
export function itemsOf(state: PanelState, { isGrouped, expanded }: Grouping): readonly Item[] {
  if (!isGrouped) return state.runs.map((run) => runItem(run, 0));
  const groups = new Map(state.groups.map((group) => [group.number, group]));
  const runs = new Map(state.runs.map((run) => [run.id, run]));
  return state.runs.flatMap((run) => {
    const group = groups.get(run.group);
    if (group === undefined) return [runItem(run, 0)];
    if (group.runIds[0] !== run.id) return [];
    const members = group.runIds.flatMap((id) => runs.get(id) ?? []);
    const item = groupItem(group, members, expanded.includes(groupId(group)));
    const children = item.isExpanded === true ? members : [];
    return [item, ...children.map((member, index) => runItem(member, index + 1))];
  });
}

const groupId = ({ number }: Pick<PanelGroup, 'number'>): string => `group-${number}`;

const runItem = (run: PanelRun, position: number): Item => ({
  ...run,
  runIds: [run.id],
  position,
});

function groupItem(group: PanelGroup, runs: readonly PanelRun[], isExpanded: boolean): Item {
  const machines = [...new Set(runs.map(({ machine }) => machine))];
  return {
    id: groupId(group),
    runIds: group.runIds,
    name: group.name,
    label: group.label,
    machine: machines.length > 2 ? `${machines.length} machines` : machines.join(', '),
    status: statusesText(runs),
    isRunning: runs.some((run) => run.isRunning),
    isGood: runs.every((run) => run.isGood),
    isChampion: runs.some((run) => run.isChampion),
    group: group.number,
    position: 0,
    metrics: group.metrics,
    parameters: runs[0]?.parameters ?? {},
    ...(runs[0]?.session !== undefined && { session: runs[0].session }),
    ...(runs[0]?.isOther && { isOther: true }),
    ...commonOf(runs),
    ...sumOf('durationMs', runs),
    ...sumOf('usd', runs),
    isExpanded,
  };
}

/** Returns the facts that all runs have in common. */
function commonOf(runs: readonly PanelRun[]): Pick<Item, 'tags' | 'note' | 'startedMs' | 'code'> {
  const [first, ...others] = runs;
  const tags = first?.tags?.filter((tag) => others.every((run) => run.tags?.includes(tag)));
  const isSame = (name: 'note' | 'code'): boolean =>
    first?.[name] !== undefined && others.every((run) => run[name] === first[name]);
  const starts = runs.flatMap(({ startedMs }) => startedMs ?? []);
  return {
    ...(tags !== undefined && tags.length > 0 && { tags }),
    ...(isSame('note') && { note: first?.note ?? '' }),
    ...(isSame('code') && { code: first?.code ?? '' }),
    ...(starts.length > 0 && { startedMs: Math.min(...starts) }),
  };
}

function sumOf<Name extends 'durationMs' | 'usd'>(
  name: Name,
  runs: readonly PanelRun[],
): Partial<Record<Name, number>> {
  const known = runs.flatMap((run) => run[name] ?? []);
  if (known.length === 0) return {};
  return { [name]: known.reduce((sum, value) => sum + value, 0) } as Record<Name, number>;
}

/** Counts the runs by status: `2 ok, 1 running`. */
const statusesText = (runs: readonly PanelRun[]): string =>
  [...Map.groupBy(runs, ({ status }) => status)]
    .map(([status, { length }]) => `${length} ${status}`)
    .join(', ');

/** Whether `id` is the id of the item, or of the expanded group that the item belongs to. */
export const isPartOf = ({ id, group, position }: Item, whole: string): boolean =>
  id === whole || (position > 0 && groupId({ number: group }) === whole);
