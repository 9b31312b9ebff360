/** The state of a session after an event: facts, and the runs that were running at the time. */
import {
  bestText,
  openQuestions,
  isAlive,
  phaseText,
  spentText,
  activeText,
  runningCount,
} from '../../presentation/sessions/sessionText.ts';
import { ledgerOf } from '../../compose/foldJournal.ts';
import type { RunState, SessionState } from '../../agent/journal/state.ts';
import type { Ledger } from '../../experiments/ledger.ts';
import { summaryFor, runName } from '../../presentation/runs/runText.ts';
import { formatTokens } from '../../base/text.ts';
import type { Fact, StateAt } from '../../protocol/sessionView.ts';
import { formatSpan } from '../../base/span.ts';
import { runAt } from './runAt.ts';
import type { SessionViewSource } from './viewSource.ts';

/** Maximum number of running runs to list, newest first. */
const maxRuns = 6;

export interface StateAsked {
  readonly state: SessionState;
  readonly atMs: number;
  /** The current ledger, which supplies the names of metrics. */
  readonly ledger: Ledger;
}

export async function stateAt(
  source: SessionViewSource,
  { state, atMs, ledger }: StateAsked,
): Promise<StateAt> {
  const alive = [...state.runs.values()]
    .filter((run) => isAlive(run) && run.process !== undefined)
    .reverse();
  const shown = alive.slice(0, maxRuns);
  const runs = await Promise.all(
    shown.map((run) => runAt(source, { run, atMs, metrics: metricNames(run, ledger) })),
  );
  return { atMs, facts: factsOf(state, atMs), runs, moreRuns: alive.length - shown.length };
}

/** Returns the names of the run's metrics, the deciding metric first. */
export function metricNames(run: RunState, { rows, decisive }: Ledger): readonly string[] {
  const metrics = rows.find(({ runId }) => runId === run.spec.id)?.metrics ?? run.metrics;
  const first = decisive && summaryFor(metrics, decisive.metric)?.metric;
  const names =
    metrics.length > 0 ? metrics.map(({ metric }) => metric) : (run.spec.metrics.names ?? []);
  return names.toSorted((a, b) => Number(b === first) - Number(a === first));
}

function factsOf(state: SessionState, atMs: number): Fact[] {
  const { budget, turns, experiments } = state;
  const facts: (Fact | undefined)[] = [
    { name: 'Phase', value: phaseText(state, atMs) },
    {
      name: 'Turn',
      value: budget.turns === undefined ? String(turns) : `${turns} of ${budget.turns}`,
    },
    { name: 'Spent', value: spentText(state) },
    {
      name: 'Tokens',
      value: `${formatTokens(state.inputTokens)} in, ${formatTokens(state.outputTokens)} out`,
    },
    { name: 'Elapsed', value: elapsed(state, atMs) },
    { name: 'Model', value: `${state.provider}/${state.model}` },
    bestFact(ledgerOf(state, (run) => run.metrics)),
    runsFact(state),
    experiments.size === 0 ? undefined : { name: 'Experiments', value: experimentsText(state) },
    openFact('Open questions', openQuestions(state).length, 'warn'),
    openFact('Sticky notes', state.stickies.size, 'plain'),
  ];
  return facts.filter((fact) => fact !== undefined);
}

function elapsed({ budget, startedMs, restMs = 0 }: SessionState, atMs: number): string {
  const limit = budget.minutes === undefined ? '' : ` of ${formatSpan(budget.minutes * 60_000)}`;
  return formatSpan(atMs - startedMs - restMs) + limit;
}

const openFact = (name: string, count: number, tone: 'warn' | 'plain'): Fact | undefined =>
  count === 0 ? undefined : { name, value: String(count), tone };

function bestFact(ledger: Ledger): Fact | undefined {
  const [best, number] = [bestText(ledger), ledger.champion?.number];
  if (best === undefined || number === undefined) return undefined;
  return { name: 'Best so far', value: `${best} · ${runName(number)}` };
}

const runsFact = (state: SessionState): Fact | undefined =>
  state.runs.size === 0
    ? undefined
    : { name: 'Runs', value: `${state.runs.size}${activeText(runningCount(state))}` };

function experimentsText({ experiments }: SessionState): string {
  const last = [...experiments.values()].map(({ decisions }) => decisions.at(-1)?.decision);
  const kept = last.filter((decision) => decision === 'keep').length;
  return `${experiments.size}, ${kept} kept`;
}
