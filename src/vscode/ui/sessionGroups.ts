/**
 * Groups of older sessions in the Experiments tree, and the sessions that a picker offers. A group's
 * rows are created when the user
 * expands it.
 */
import type { SessionSummary } from '../../agent/contract/sessions.ts';
import { relativeTime } from '../../base/span.ts';
import { sessionName } from '../../presentation/sessions/sessionText.ts';
import type { TreeNode } from './treeNode.ts';

const dayMs = 86_400_000;

/**
 * Groups by age. Sessions that have not ended, or whose last event is less than a day old, are not
 * grouped.
 */
const groups = [
  { id: 'week', label: 'Earlier This Week', withinMs: 7 * dayMs },
  { id: 'month', label: 'Earlier This Month', withinMs: 30 * dayMs },
  { id: 'older', label: 'Older', withinMs: Infinity },
] as const;

/** The result that a command needs of a session: a champion, or any run. */
export type ResultNeed = 'champion' | 'run';

/** Returns the sessions that have what a command needs, those with a champion first. */
export const withResults = (
  summaries: readonly SessionSummary[],
  need: ResultNeed,
): readonly SessionSummary[] =>
  summaries
    .filter(({ best, runs }) => (need === 'champion' ? best !== undefined : runs > 0))
    .toSorted((a, b) => Number(a.best === undefined) - Number(b.best === undefined));

/**
 * Returns the rows of sessions that are not grouped, in the order of `summaries`, followed by the
 * non-empty groups.
 */
export function groupedByAge(
  summaries: readonly SessionSummary[],
  nowMs: number,
  rowOf: (summary: SessionSummary) => TreeNode,
): readonly TreeNode[] {
  const byPlace = Map.groupBy(summaries, (summary) => placeOf(summary, nowMs));
  return [
    ...(byPlace.get('') ?? []).map(rowOf),
    ...groups.flatMap(({ id, label }) => {
      const inside = byPlace.get(id) ?? [];
      if (inside.length === 0) return [];
      const version = inside.map((summary) => versionOf(summary, nowMs)).join('\n');
      return [{ ...groupRow(id, label, inside, rowOf), version }];
    }),
  ];
}

/** Returns the id of the group of a session; empty if it is not grouped. */
function placeOf({ endReason, lastEventMs }: SessionSummary, nowMs: number): string {
  const ageMs = nowMs - lastEventMs;
  if (endReason === undefined || ageMs < dayMs) return '';
  return groups.find(({ withinMs }) => ageMs < withinMs)?.id ?? 'older';
}

/** Returns what the row of a session shows and can change. */
const versionOf = (summary: SessionSummary, nowMs: number): string =>
  [
    sessionName(summary),
    summary.best,
    summary.endReason,
    summary.runs,
    relativeTime(summary.lastEventMs, nowMs),
  ].join(' ');

function groupRow(
  id: string,
  label: string,
  inside: readonly SessionSummary[],
  rowOf: (summary: SessionSummary) => TreeNode,
): TreeNode {
  const count = `${inside.length} ${inside.length === 1 ? 'session' : 'sessions'}`;
  return {
    id: `group/${id}`,
    label,
    description: count,
    icon: { id: 'history' },
    spoken: `${label}, ${count}`,
    children: () => Promise.resolve(inside.map(rowOf)),
  };
}
