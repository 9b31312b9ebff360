/** Tree rows for sweeps. A point of a sweep is a run with one combination of parameter values. */
import type { SessionState, SweepState } from '../../agent/journal/state.ts';
import {
  activeCounts,
  isSweepOver,
  progressOf,
  countedValue,
  summaryFor,
} from '../../presentation/runs/runText.ts';
import { counted, formatValue } from '../../base/text.ts';
import type { Ledger } from '../../experiments/ledger.ts';
import { rowLabel } from './runRows.ts';
import type { TreeNode } from '../ui/treeNode.ts';
import { plain } from '../../base/markdown.ts';

/**
 * Replaces the run rows of each sweep with one row for the sweep, at the position of the first of
 * these run rows. The run rows become children of the sweep's row. `rows`: a tree row per row of
 * `ledger.rows`, in the same order.
 */
export function withSweeps(
  rows: readonly TreeNode[],
  state: SessionState,
  ledger: Ledger,
): readonly TreeNode[] {
  const points = new Map<string, TreeNode[]>();
  const grouped: (TreeNode | SweepState)[] = [];
  for (const [index, row] of rows.entries()) {
    const runId = ledger.rows[index]?.runId;
    const sweep = state.sweeps.get((runId && state.runs.get(runId)?.spec.sweep?.id) ?? '');
    const pointRows = sweep && points.get(sweep.plan.id);
    if (sweep === undefined) grouped.push(row);
    else if (pointRows === undefined) {
      grouped.push(sweep);
      points.set(sweep.plan.id, [row]);
    } else pointRows.push(row);
  }
  return grouped.map((entry) =>
    'plan' in entry
      ? sweepRow(entry, { state, ledger, points: points.get(entry.plan.id) ?? [] })
      : entry,
  );
}

interface SweepPlace {
  readonly state: SessionState;
  readonly ledger: Ledger;
  readonly points: readonly TreeNode[];
}

function sweepRow(sweep: SweepState, { state, ledger, points }: SweepPlace): TreeNode {
  const { id, params, points: planned, machineIds } = sweep.plan;
  const { waiting, going, over } = progressOf(state, sweep);
  const isOver = isSweepOver(state, id);
  const failed = over.filter(({ verdict }) => verdict?.kind !== 'ok').length + sweep.skipped.size;
  const counts = [
    isOver
      ? counted(planned.length, 'point')
      : `${over.length + sweep.skipped.size} of ${planned.length}`,
    ...activeCounts(going),
    sweep.end === undefined || waiting.length === 0 ? '' : `${waiting.length} not run`,
    failed === 0 ? '' : `${failed} failed`,
  ].filter((part) => part !== '');
  const name = params.join(' × ');
  const title = `sweep ${id.slice(1)}`;
  const best = bestValue(sweep, state, ledger);
  return {
    id: `${state.id}/${id}`,
    label: rowLabel(best, name),
    description: [title, ...counts].join(' · '),
    tooltip: [
      `**${plain(name, 200)}** on ${plain(machineIds.join(', '), 200)}`,
      ...[...sweep.skipped]
        .slice(0, 5)
        .map(([index, why]) => plain(`${planned[index]?.label ?? index} was skipped: ${why}`, 300)),
    ].join('\n\n'),
    icon: isOver ? { id: 'beaker' } : { id: 'sync~spin' },
    context: 'sweep',
    spoken: [
      `Sweep ${id.slice(1)} of ${name}`,
      ...counts,
      ...(best === undefined ? [] : [`best ${ledger.decisive?.metric ?? ''} ${best}`]),
    ].join(', '),
    isExpanded: !isOver,
    children: points.toReversed(),
  };
}

function bestValue(
  { plan }: SweepState,
  state: SessionState,
  { rows, decisive }: Ledger,
): string | undefined {
  if (decisive === undefined) return undefined;
  const values = rows
    .filter(
      ({ runId, verdict }) =>
        state.runs.get(runId)?.spec.sweep?.id === plan.id && verdict?.kind === 'ok',
    )
    .flatMap(({ metrics }) => summaryFor(metrics, decisive.metric) ?? [])
    .map((summary) => countedValue(summary, decisive))
    .filter(Number.isFinite);
  if (values.length === 0) return undefined;
  const best = decisive.direction === 'lower' ? Math.min(...values) : Math.max(...values);
  return formatValue(best);
}
