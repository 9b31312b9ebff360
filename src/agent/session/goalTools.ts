/** The tools that state the target and end the session. */
import { ToolFailure } from '../../base/errors.ts';
import { inventedConditions } from '../../experiments/target/statedNumbers.ts';
import {
  isPrinted,
  judgeChampion,
  runsThatMeet,
  targetIn,
} from '../../experiments/target/judgeTarget.ts';
import { readTarget } from '../../experiments/target/readTarget.ts';
import {
  conditionText,
  isOpen,
  isSameBound,
  repeatsOfTarget,
  targetText,
  type Target,
} from '../../experiments/target/target.ts';
import { resultValueText, type Ledger, type LedgerRow } from '../../experiments/ledger.ts';
import { nearestLine } from '../../metrics/unreadMetrics.ts';
import { runName, runNames } from '../../runs/run.ts';
import { readRegularBytes } from '../../base/regularFile.ts';
import type { AllToolsDeps } from '../../tools/allTools.ts';
import { isUserUnheard } from '../context/history.ts';
import type { SessionState } from '../journal/state.ts';
import { fileEvidence } from '../loop/fileEvidence.ts';
import { judgeFinish } from '../loop/verdict.ts';
import { readForTarget } from '../runs/rereadMetrics.ts';
import { EndObjections, markedSummary } from './endObjections.ts';
import { checkPlaces, checkRequirements } from './goalChecks.ts';
import { groupNamed } from './runTools.ts';
import type { ToolsetDeps } from './toolsetDeps.ts';

export function createFinish(deps: ToolsetDeps): AllToolsDeps['finish'] {
  const { sessionRuns } = deps;
  return {
    finish: createEnding(deps),
    checkPlaces: ({ outcome, evidence }) => {
      const ledger = sessionRuns.ledger();
      const named = evidence.flatMap(({ runs }) =>
        runs.flatMap((reference) => rowsNamed(deps, ledger, reference)),
      );
      return checkPlaces(deps, outcome === 'best_found' ? (ledger.best?.runs ?? []) : named);
    },
  };
}

function createEnding(deps: ToolsetDeps): AllToolsDeps['finish']['finish'] {
  const { log, sessionRuns, clock, end } = deps;
  const objections = new EndObjections();
  return async (request, context) => {
    const { state } = log;
    if (isUserUnheard(log.events))
      throw new ToolFailure(
        'Not ended: the user sent a message or an answer that you have not read yet. Read it, then call finish again if the outcome still holds.',
      );
    const ledger = sessionRuns.ledger();
    const { reason, evidence, checked } = await judgeFinish(request, {
      goal: state.goal,
      target: state.target,
      ledger,
      rows: (reference) => rowsNamed(deps, ledger, reference),
      nearest: (metric, rows) => lineNear(deps, metric, rows),
      requirements: (rows) => checkRequirements(deps, { rows, checks: request.checks }, context),
      file: (path) =>
        fileEvidence(path, {
          workFolder: state.workFolder,
          read: readRegularBytes,
          runs: ledger.rows,
        }),
    });
    const { summary } = request;
    const rows = request.evidence.flatMap(({ runs }) =>
      runs.flatMap((reference) => rowsNamed(deps, ledger, reference)),
    );
    const planned = { reason, evidence, checked, summary, rows };
    const objection = objections.against(planned, { state, ledger, nowMs: clock.now() });
    if (objection !== undefined) throw new ToolFailure(objection);
    const marked = markedSummary(summary, { state, ledger });
    await end(reason, summary, { evidence, checked, ...(marked && { marked }) });
    return 'The session has ended.';
  };
}

/** Maximum numbers of lines of output and of runs that are searched for a metric. */
const searchedLines = 5_000;
const searchedRuns = 3;

/**
 * Resolves with a sentence that quotes the most similar line to the metric in the output of the
 * newest runs, and says how to read it. Resolves with `undefined` if there is no such line.
 */
async function lineNear(
  { runs }: ToolsetDeps,
  metric: string,
  rows: readonly LedgerRow[],
): Promise<string | undefined> {
  for (const { runId, number } of rows.slice(-searchedRuns).toReversed()) {
    const run = runs.get(runId);
    if (run === undefined) continue;
    const output = await runs.output(run, { lines: searchedLines }).catch(() => undefined);
    const line = nearestLine(output?.text ?? '', [metric], {});
    if (line !== undefined)
      return `Nearest line of ${runName(number)}: ${JSON.stringify(line)}. If it is this metric, read the output again with show_metrics and metric_patterns.`;
  }
  return undefined;
}

function rowsNamed(deps: ToolsetDeps, ledger: Ledger, reference: string): readonly LedgerRow[] {
  const group = groupNamed(deps, reference);
  if (group.length > 0) return group;
  const runId = deps.sessionRuns.find(reference)?.spec.id;
  return ledger.rows.filter((row) => row.runId === runId);
}

export function createTargetSetter(deps: ToolsetDeps): AllToolsDeps['setTarget'] {
  const { log, sessionRuns } = deps;
  return async (stated) => {
    const { state } = log;
    const target = withRepeats(stated, state.goal);
    refuseContradiction(state, target, sessionRuns.ledger());
    await readForTarget(deps, target);
    const unprinted = await unprintedText(deps, sessionRuns.ledger(), target);
    await log.record({ type: 'session.target_changed', target, by: 'agent' });
    const ledger = sessionRuns.ledger();
    const now = log.state.target ?? target;
    const judged = judgeChampion(now, ledger)?.conditions.map(({ text }) => text) ?? [];
    const best = ledger.best === undefined ? 'nothing measured yet' : resultValueText(ledger.best);
    return `The target is now: ${targetIn(now, ledger)}. Best so far: ${best}.${judged.length === 0 ? '' : ` ${judged.join('; ')}.`}${unprinted}`;
  };
}

/** Adds the repeats of the goal to an open target, because the agent cannot state them. */
function withRepeats(target: Target, goal: string): Target {
  const read = isOpen(target) ? readTarget(goal) : undefined;
  const repeats = read && repeatsOfTarget(read);
  return repeats === undefined ? target : { ...target, repeats };
}

/**
 * Throws `ToolFailure` if the agent's target is easier than the user's goal. The agent may add
 * conditions, but must not make the goal easier.
 */
function refuseContradiction(
  { goal, target, targetBy }: SessionState,
  stated: Target,
  ledger: Ledger,
): void {
  if (targetBy === 'person' && target !== undefined) {
    const runs = runsThatMeet(target, ledger);
    const met = runs.length === 0 ? '' : ` It is met by ${runNames(runs)}.`;
    throw new ToolFailure(
      `The user stated the target: ${targetText(target)}. Only the user changes it.${met}`,
    );
  }
  const required = readTarget(goal)?.conditions ?? [];
  const eased = required.find((one) => !stated.conditions.some((other) => isSameBound(one, other)));
  if (eased !== undefined)
    throw new ToolFailure(
      `The goal says ${conditionText(eased)}. A target needs this number, comparator and aggregate; only the name of the metric may be stated as the runs print it. The user can correct the target.`,
    );
  const [invented] = inventedConditions(goal, stated);
  if (invented !== undefined)
    throw new ToolFailure(
      `The goal has no number ${invented.value}. State numbers of the goal only; for a goal without a number give metric and direction.`,
    );
}

/**
 * Resolves with a sentence about the conditions whose metrics no run has printed yet; empty if there
 * are none. Throws `ToolFailure` if the metric that ranks runs is not among those printed.
 */
async function unprintedText(
  deps: ToolsetDeps,
  ledger: Ledger,
  { objective, conditions }: Target,
): Promise<string> {
  const printed = new Set(ledger.rows.flatMap(({ metrics }) => metrics.map((one) => one.metric)));
  if (printed.size === 0) return '';
  const metrics = [objective.metric, ...conditions.map(({ metric }) => metric)];
  const missing = [...new Set(metrics)].filter((metric) => !isPrinted(ledger, metric));
  const [first] = missing;
  if (first === undefined) return '';
  const nearest = await lineNear(deps, first, ledger.rows);
  if (first !== objective.metric)
    return ` Not read yet: ${missing.join(', ')}, so this part cannot be met until runs print it or metric_patterns reads it.${nearest === undefined ? '' : ` ${nearest}`}`;
  const read = `Read so far: ${[...printed].slice(0, 20).join(', ')}.`;
  throw new ToolFailure(
    nearest === undefined
      ? `No run printed ${first}. ${read} Name one of these, or have a run print it first.`
      : `${first} was not read from any run. ${read} ${nearest}`,
  );
}
