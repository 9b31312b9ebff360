/** Tree rows for experiments. */
import {
  experimentStatus,
  resultValueText,
  shortResult,
} from '../../presentation/experiments/experimentText.ts';
import { costText } from '../../presentation/sessions/sessionText.ts';
import { counted, formatDuration, oneLine } from '../../base/text.ts';
import type { Decision } from '../../experiments/experiment.ts';
import type { ExperimentResult, ExperimentRow, Ledger } from '../../experiments/ledger.ts';
import { rowLabel } from '../runs/runRows.ts';
import { builtRows } from './builtRows.ts';
import type { RowTarget, TreeNode } from '../ui/treeNode.ts';
import { code, plain } from '../../base/markdown.ts';
import { withoutUntrustedMarks } from '../../base/untrusted.ts';
import type { Icon } from '../ui/icons.ts';

/**
 * Returns a tree row per planned experiment, with the rows of the experiment's runs as children. An
 * experiment with a single run is one row, which is the row of the run, too. Runs without an
 * experiment are omitted. `rows`: a tree row per row of `ledger.rows`, in the same order. `isTree`:
 * whether experiments are below the one that they built on.
 */
export function plannedRows(
  rows: readonly TreeNode[],
  sessionId: string,
  { ledger, isTree }: { readonly ledger: Ledger; readonly isTree: boolean },
): readonly TreeNode[] {
  const byRun = new Map(ledger.rows.map(({ runId }, index) => [runId, rows[index]]));
  const planned = ledger.experiments.flatMap((row): [string, TreeNode][] => {
    const runs = [...row.runs, ...(row.reproductions ?? [])];
    const nodes = runs.flatMap(({ runId }) => byRun.get(runId) ?? []);
    if (row.plan === undefined) return [];
    return [[row.id, experimentRow(row, row.plan, { sessionId, nodes })]];
  });
  const byId = new Map(planned);
  return isTree ? builtRows(ledger.experiments, (id) => byId.get(id)) : [...byId.values()];
}

type Plan = NonNullable<ExperimentRow['plan']>;

interface Place {
  readonly sessionId: string;
  readonly nodes: readonly TreeNode[];
}

function experimentRow(row: ExperimentRow, plan: Plan, { sessionId, nodes }: Place): TreeNode {
  const statusWord = experimentStatus(row);
  const value = row.result === undefined ? '' : resultValueText(row.result);
  const isGoing = row.status === 'running' || row.status === 'planned';
  const name = `experiment ${plan.number}`;
  const [only, ...others] = nodes;
  const common = {
    label: rowLabel(row.result && shortResult(row.result), variedText(row)),
    tooltip: tooltip(row, plan, statusWord),
    context: `experiment ${isGoing ? 'going' : 'over'}`,
    spoken: `Experiment ${plan.number}, ${statusWord}${row.isChampion ? ', champion' : ''}${value ? `, ${value}` : ''}, ${oneLine(row.hypothesis, 120)}`,
    target: { kind: 'experiment', experimentId: row.id, sessionId },
  } as const;
  if (only !== undefined && others.length === 0)
    return withRun(only, {
      ...common,
      description: isGoing ? name : `${name} · ${statusWord}`,
      ...(row.decision && { icon: iconOf(row) }),
    });
  const runs = row.runs.length > 0 ? counted(row.runs.length, 'run') : '';
  return {
    ...common,
    id: `${sessionId}/${row.id}`,
    description: [name, row.isChampion ? 'champion' : '', statusWord, runs]
      .filter((part) => part !== '')
      .join(' · '),
    icon: iconOf(row),
    onClick: 'helios.showMetrics',
    isExpanded: isGoing,
    ...(nodes.length > 0 && { children: nodes.toReversed() }),
  };
}

type OwnRow = Omit<TreeNode, 'id' | 'target'> & {
  readonly target: Extract<RowTarget, { kind: 'experiment' }>;
};

/** Returns one row for an experiment and its only run, with the commands and the facts of both. */
const withRun = (run: TreeNode, own: OwnRow): TreeNode => ({
  ...run,
  ...own,
  description: `${run.description} · ${own.description}`,
  tooltip: `${own.tooltip}\n\n---\n\n${run.tooltip}`,
  context: `${own.context} ${run.context}`,
  spoken: `${own.spoken}. ${run.spoken}`,
  target: { ...own.target, ...(run.target?.kind === 'run' && { runId: run.target.runId }) },
});

/**
 * Returns what tells an experiment from the others: the label that its runs share, without seeds;
 * otherwise the hypothesis. The label of a run that nothing tells from the others is its command.
 */
function variedText({ runs, hypothesis, command }: ExperimentRow): string {
  const labels = new Set(runs.map(({ label }) => withoutSeed(label)));
  const [label = ''] = labels;
  const isCommand = command.startsWith(label.replace(/…$/, ''));
  return labels.size === 1 && !isCommand ? label : oneLine(hypothesis || label, 80);
}

/** Returns by which value an experiment is the champion. */
function championRule({ metric, rule, runs }: ExperimentResult): string {
  const value = `${rule} value of ${metric}`;
  return runs.length > 1
    ? `Champion by the mean of the ${value} of its ${runs.length} runs.`
    : `Champion by the ${value}.`;
}

const withoutSeed = (label: string): string =>
  label
    .replaceAll(/\b(?:\w*_)?seed[ =:]?\d+\b/gi, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

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
  { code: state, seed, retest, basedOn }: Plan,
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
    row.isChampion && row.result ? plain(championRule(row.result)) : '',
    code(row.command, 300),
    [
      codeWords,
      basedOn === undefined ? '' : `built on ${plain(basedOn)}`,
      seed === undefined ? '' : `seed ${plain(seed, 40)}`,
    ]
      .filter(Boolean)
      .join(' · '),
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
