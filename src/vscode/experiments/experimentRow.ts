/** Tree rows for experiments. */
import {
  resultValueText,
  experimentStatus,
} from '../../presentation/experiments/experimentText.ts';
import { costText } from '../../presentation/sessions/sessionText.ts';
import { formatDuration, oneLine } from '../../base/text.ts';
import type { Decision } from '../../experiments/experiment.ts';
import type { ExperimentRow, Ledger } from '../../experiments/ledger.ts';
import type { TreeNode } from '../ui/treeNode.ts';
import { code, plain } from '../../base/markdown.ts';
import { withoutUntrustedMarks } from '../../base/untrusted.ts';
import type { Icon } from '../ui/icons.ts';

/**
 * Returns a tree row per planned experiment, with the rows of the experiment's runs as children.
 * Runs without an experiment are omitted. `rows`: a tree row per row of `ledger.rows`, in the same
 * order.
 */
export function plannedRows(
  rows: readonly TreeNode[],
  sessionId: string,
  ledger: Ledger,
): readonly TreeNode[] {
  const byRun = new Map(ledger.rows.map(({ runId }, index) => [runId, rows[index]]));
  return ledger.experiments.flatMap((row) => {
    const runs = [...row.runs, ...(row.reproductions ?? [])];
    const nodes = runs.flatMap(({ runId }) => byRun.get(runId) ?? []);
    return row.plan === undefined ? [] : [experimentRow(row, row.plan, { sessionId, nodes })];
  });
}

type Plan = NonNullable<ExperimentRow['plan']>;

interface Place {
  readonly sessionId: string;
  readonly nodes: readonly TreeNode[];
}

function experimentRow(row: ExperimentRow, plan: Plan, { sessionId, nodes }: Place): TreeNode {
  const statusWord = experimentStatus(row);
  const value = row.result === undefined ? '' : resultValueText(row.result);
  const parts = [row.isChampion ? 'champion' : '', value, oneLine(row.hypothesis, 80), statusWord];
  const isGoing = row.status === 'running' || row.status === 'planned';
  return {
    id: `${sessionId}/${row.id}`,
    label: `Experiment ${plan.number}`,
    description: parts.filter((part) => part !== '').join(' · '),
    tooltip: tooltip(row, plan, statusWord),
    icon: iconOf(row),
    context: `experiment ${isGoing ? 'going' : 'over'}`,
    spoken: `Experiment ${plan.number}, ${statusWord}${row.isChampion ? ', champion' : ''}${value ? `, ${value}` : ''}, ${oneLine(row.hypothesis, 120)}`,
    target: { kind: 'experiment', experimentId: row.id, sessionId },
    isExpanded: isGoing,
    ...(nodes.length > 0 && { children: nodes.toReversed() }),
  };
}

const decisionIcons: Readonly<Record<Decision, Icon>> = {
  keep: { id: 'pass', color: 'testing.iconPassed' },
  discard: { id: 'circle-slash' },
  reference: { id: 'bookmark' },
  crash: { id: 'error', color: 'testing.iconFailed' },
  invalid: { id: 'warning', color: 'charts.yellow' },
  retest: { id: 'refresh', color: 'charts.blue' },
};

function iconOf({ isChampion, decision, status }: ExperimentRow): Icon {
  if (isChampion && status === 'over') return { id: 'star-full', color: 'charts.yellow' };
  if (decision !== undefined) return decisionIcons[decision.decision];
  return status === 'running'
    ? { id: 'sync~spin' }
    : status === 'planned'
      ? { id: 'clock' }
      : { id: 'question' };
}

function tooltip(
  row: ExperimentRow,
  { code: state, seed, retest }: Plan,
  statusWord: string,
): string {
  const { decision, cost, runMs } = row;
  const codeWords =
    state.kind === 'git'
      ? `Code ${(state.commit ?? state.head ?? state.tree).slice(0, 7)}${state.isDirty ? ', with uncommitted changes' : ''}`
      : `Code unknown: ${plain(withoutUntrustedMarks(state.why), 200)}`;
  return [
    `**${plain(row.hypothesis, 400)}**`,
    `${statusWord}${decision === undefined ? '' : `: ${plain(decision.why, 400)}`}`,
    [row.verdicts, row.result === undefined ? '' : plain(resultValueText(row.result))]
      .filter(Boolean)
      .join(' · '),
    code(row.command, 300),
    [codeWords, seed === undefined ? '' : `seed ${plain(seed, 40)}`].filter(Boolean).join(' · '),
    retest === undefined ? '' : `Retest of ${plain(retest.of)}: ${plain(retest.why, 300)}`,
    [
      runMs > 0 ? `Runs took ${formatDuration(runMs)}` : '',
      cost === undefined ? '' : `thinking ${costText(cost)}`,
    ]
      .filter(Boolean)
      .join(' · '),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}
