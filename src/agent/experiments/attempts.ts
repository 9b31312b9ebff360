/**
 * Finds in a session's journal what the session has tried before, and which earlier runs predict
 * the result of a new launch.
 */
import type { RunId } from '../../base/ids.ts';
import {
  TriedRuns,
  type Attempt,
  type FoundRun,
  type TriedRun,
} from '../../experiments/duplicates.ts';
import { lastDecisionOn } from '../../experiments/decisionsInForce.ts';
import type { ExperimentPlan } from '../../experiments/experiment.ts';
import type { RunLimit, Verdict } from '../../runs/run.ts';
import type { JournalEvent } from '../journal/events.ts';
import { growingFold } from '../journal/growingFold.ts';
import type { RunState, SessionState } from '../journal/state.ts';

interface Attempts {
  readonly tried: TriedRuns;
  readonly plans: Map<string, ExperimentPlan>;
  /**
   * Number of actions that may change the result of a run: edits, commands, messages of the user.
   */
  changes: number;
  /** Run id → value of `changes` when the run was planned. */
  readonly plannedAt: Map<RunId, number>;
  /** Run id → value of `changes` when the run ended. */
  readonly endedAt: Map<RunId, number>;
}

const attemptsOf = growingFold<JournalEvent, Attempts>(
  () => ({
    tried: new TriedRuns(),
    plans: new Map(),
    changes: 0,
    plannedAt: new Map(),
    endedAt: new Map(),
  }),
  (attempts, event) => {
    switch (event.type) {
      case 'experiment.planned':
        attempts.plans.set(event.plan.id, event.plan);
        return;
      case 'run.planned': {
        const { id: runId, experimentId, command, cwd } = event.spec;
        const plan = experimentId === undefined ? undefined : attempts.plans.get(experimentId);
        if (experimentId === undefined || plan === undefined) return;
        const { code, sameCodeAs } = plan;
        attempts.tried.add({ command, cwd, code, sameCodeAs }, { runId, experimentId });
        attempts.plannedAt.set(runId, attempts.changes);
        return;
      }
      case 'run.ended':
        attempts.endedAt.set(event.runId, attempts.changes);
        return;
      case 'tool.started':
        if (changesThings(event)) attempts.changes += 1;
        return;
      case 'message.added':
        if (event.origin === 'person') attempts.changes += 1;
        return;
      default:
    }
  },
);

const changesThings = ({
  effect,
  changesCode = effect === 'write' || effect === 'execute',
}: Extract<JournalEvent, { type: 'tool.started' }>): boolean => changesCode;

export interface AskedAttempts {
  readonly attempts: readonly Attempt[];
  readonly limit?: RunLimit | undefined;
  /**
   * Experiment that the run is deliberately added to: runs of this experiment are duplicates only
   * if repeating them would bring no new information.
   */
  readonly experimentId?: string | undefined;
}

export interface Duplicate {
  readonly attempt: Attempt;
  readonly found: FoundRun;
  /**
   * True if repeating the run would bring no new information: the run had exactly the same code and
   * arguments, it is active or measured something, and its experiment was not decided `invalid`,
   * `crash` or `retest`.
   */
  readonly counts: boolean;
}

/** Returns, for each attempt that was made before, the closest earlier run. */
export function duplicatesOf(
  events: readonly JournalEvent[],
  state: SessionState,
  asked: AskedAttempts,
): Duplicate[] {
  const earlier = attemptsOf(events);
  return asked.attempts.flatMap((attempt) => {
    const alike = earlier.tried
      .like(attempt)
      .filter(
        (run) =>
          (run.experimentId !== asked.experimentId || counts(state, run)) &&
          stillTells(earlier, state.runs.get(run.runId), run, asked),
      );
    const repeated = alike.find((run) => counts(state, run));
    const found = repeated ?? alike[0];
    return found === undefined ? [] : [{ attempt, found, counts: repeated !== undefined }];
  });
}

const undecided: ReadonlySet<string> = new Set(['invalid', 'crash', 'retest']);

function counts(state: SessionState, { runId, experimentId, likeness }: FoundRun): boolean {
  const run = state.runs.get(runId);
  if (likeness !== 'same' || run === undefined) return false;
  const decisions = state.experiments.get(experimentId)?.decisions ?? [];
  if (undecided.has(lastDecisionOn(decisions, run.spec.number)?.decision ?? '')) return false;
  if (run.verdict === undefined) return true;
  return run.verdict.kind === 'ok' && run.metrics.some(({ last }) => Number.isFinite(last));
}

function stillTells(
  earlier: Attempts,
  state: RunState | undefined,
  { runId, code }: TriedRun,
  asked: AskedAttempts,
): boolean {
  if (state === undefined || state.notStarted !== undefined) return false;
  // Without a repository, the code is considered the same only if this session has changed nothing
  // since the run was planned.
  if (code.kind === 'none' && earlier.plannedAt.get(runId) !== earlier.changes) return false;
  const isAsItFailed = earlier.endedAt.get(runId) === earlier.changes;
  return state.verdict === undefined || endTells(state, state.verdict, { isAsItFailed, ...asked });
}

interface EndFacts extends AskedAttempts {
  /** True when nothing that could fix a failure was changed since the run ended. */
  readonly isAsItFailed: boolean;
}

/** Returns whether the same attempt would end in the same way as the earlier run. */
function endTells(
  { alarms, spec }: RunState,
  { kind }: Verdict,
  { isAsItFailed, limit }: EndFacts,
): boolean {
  switch (kind) {
    case 'ok':
      return true;
    case 'lost':
    case 'preempted':
      return false;
    case 'killed':
      return alarms.some(({ action }) => action === 'kill');
    case 'time_limit':
      return (limit?.ms ?? Infinity) <= (spec.limit?.ms ?? 0);
    case 'failed':
    case 'signalled':
    case 'out_of_memory':
      return isAsItFailed;
  }
}
