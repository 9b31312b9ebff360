/**
 * Older sessions of the Experiments tree, in groups that are filled only when they are opened.
 * Pure.
 */
import type { SessionSummary } from '../../agent/contract/sessions.ts';
import type { TreeNode } from './treeNode.ts';

const dayMs = 86_400_000;

/** What is not over, or was worked on within a day, stands for itself. */
const groups = [
  { id: 'week', label: 'Earlier This Week', withinMs: 7 * dayMs },
  { id: 'month', label: 'Earlier This Month', withinMs: 30 * dayMs },
  { id: 'older', label: 'Older', withinMs: Infinity },
] as const;

/** In the order of `summaries`, then the groups that hold any. */
export function groupedByAge(
  summaries: readonly SessionSummary[],
  nowMs: number,
  rowOf: (summary: SessionSummary) => TreeNode,
): readonly TreeNode[] {
  const placeOf = ({ endReason, lastEventMs }: SessionSummary): string => {
    const ageMs = nowMs - lastEventMs;
    if (endReason === undefined || ageMs < dayMs) return '';
    return groups.find(({ withinMs }) => ageMs < withinMs)?.id ?? 'older';
  };
  const byPlace = Map.groupBy(summaries, placeOf);
  return [
    ...(byPlace.get('') ?? []).map(rowOf),
    ...groups.flatMap(({ id, label }) => {
      const inside = byPlace.get(id) ?? [];
      return inside.length === 0 ? [] : [groupRow(id, label, inside, rowOf)];
    }),
  ];
}

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
