/**
 * Collects the facts for the text that the model reads when the session wakes: why it wakes, what
 * its runs did meanwhile, and the tables of its active sweeps.
 */
import type { Clock } from '../../base/clock.ts';
import { counted, formatDuration } from '../../base/text.ts';
import {
  rowStatus,
  summaryFor,
  valueText,
  type Decisive,
  type LedgerRow,
} from '../../experiments/ledger.ts';
import { isInvalid, isRefused } from '../../experiments/decisionsInForce.ts';
import { measuredValue } from '../../experiments/ledgerExperiments.ts';
import { judgeTraining, readTrainingLimits } from '../../experiments/target/trainingLimits.ts';
import type { MetricSummary } from '../../metrics/metric.ts';
import { printedValue } from '../../metrics/printedValue.ts';
import type { Run } from '../../runs/liveRun.ts';
import type { DigestInput, DigestRun } from '../../sleep/digest.ts';
import type { Wake } from '../../sleep/sleeper.ts';
import { runsUsed } from '../experiments/launchLimits.ts';
import type { SessionRuns } from '../runs/sessionRuns.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import type { SessionState } from '../journal/state.ts';
import { measuresOf, nothingSpent } from '../budget/measures.ts';
import { amountText } from '../journal/limitText.ts';
import { isWaiting, placeInLine } from '../runs/line.ts';
import type { Sweeps } from '../runs/sweeps.ts';
import { runName, livenessText } from '../../runs/run.ts';

export interface WakeFacts {
  readonly wake: Wake;
  readonly sleep: NonNullable<SessionState['sleep']>;
  readonly log: SessionLog;
  readonly sessionRuns: SessionRuns;
  readonly sweeps: Sweeps;
  readonly clock: Clock;
}

const maxRuns = 20;
/** Maximum number of values of other metrics in the line of a run. */
const maxMetrics = 5;

export function digestOf({ wake, sleep, log, sessionRuns, sweeps, clock }: WakeFacts): DigestInput {
  const nowMs = clock.now();
  const { monitor } = log.state;
  const isCheckIn = sleep.isCheckIn || wake.why === 'check_in';
  const cause: DigestInput['cause'] =
    isCheckIn && monitor !== undefined
      ? {
          kind: 'monitor',
          goal: monitor.goal,
          elapsedMs: nowMs - monitor.sinceMs,
          intervalMs: monitor.intervalMs,
          ...(wake.why === 'check_in' && { sleep: sleep.request }),
        }
      : { kind: 'sleep', reason: sleep.request.reason, sleptMs: nowMs - sleep.sinceMs, wake };
  const { decisive } = sessionRuns.ledger();
  const used = runsUsed(log.state);
  return {
    cause,
    left: [
      ...measuresOf({ state: log.state, today: nothingSpent, nowMs })
        .filter(({ scope }) => scope === 'goal')
        .map(({ limit, used, of }) => amountText(limit, Math.max(0, of - used))),
      ...(used === undefined ? [] : [used]),
    ],
    runs: digestRows({ log, sessionRuns })
      .slice(0, maxRuns)
      .map((row) => digestRun(row, { log, sessionRuns, nowMs, decisive })),
    ...(decisive && {
      order: `${decisive.direction === 'higher' ? 'highest' : 'lowest'} ${decisive.metric} first`,
    }),
    sweeps: sweeps.tables(),
  };
}

type RunSources = Pick<WakeFacts, 'log' | 'sessionRuns'>;

/**
 * Returns the runs that have not ended, and those whose end no request contained yet: runs that
 * ended ok first, then active ones; among these the best first, then by number. Points of sweeps are
 * left out: their tables show them.
 */
function digestRows({ log, sessionRuns }: RunSources): LedgerRow[] {
  const { rows, decisive } = sessionRuns.ledger();
  const asked = log.events.findLastIndex(({ type }) => type === 'model.requested');
  const news = new Set(
    log.events.slice(asked + 1).flatMap((one) => (one.type === 'run.ended' ? [one.runId] : [])),
  );
  const sign = decisive?.direction === 'higher' ? -1 : 1;
  const rank = (row: LedgerRow): number =>
    sign * ((decisive && measuredValue(row, decisive)) ?? sign * Infinity);
  return rows
    .filter((row) => row.sweepId === undefined && (!row.verdict || news.has(row.runId)))
    .toSorted(
      (a, b) =>
        standing(a) - standing(b) ||
        (rank(a) === rank(b) ? a.number - b.number : rank(a) - rank(b)),
    );
}

/** Returns 0 for a run that ended ok, 1 for an active one, 2 for one that supports no result. */
function standing({ verdict, decision }: LedgerRow): 0 | 1 | 2 {
  if (verdict === undefined) return 1;
  return verdict.kind === 'ok' && !isInvalid(decision) ? 0 : 2;
}

function digestRun(
  row: LedgerRow,
  {
    log,
    sessionRuns,
    nowMs,
    decisive,
  }: RunSources & { nowMs: number; decisive: Decisive | undefined },
): DigestRun {
  const { runId, number, metrics, label, decision } = row;
  const run = sessionRuns.live().find(({ spec }) => spec.id === runId);
  const main = decisive && summaryFor(metrics, decisive.metric);
  const value = decisive && valueText(metrics, decisive);
  const others = metrics.filter((one) => one !== main).slice(0, maxMetrics);
  return {
    runId,
    name: runName(number),
    value: value ?? (metrics.length === 0 ? 'no metrics' : undefined),
    status: statusOf(row, log.state, nowMs),
    details: [
      ...(decision && isRefused(decision) ? [`invalid: ${decision.why}`] : []),
      ...trainingNotes(row, log.state.goal),
      ...(run === undefined || run.liveness.kind === 'running'
        ? []
        : [livenessText(run.liveness, row.machineId)]),
      ...(main === undefined ? [] : courseOf(main, run)),
      label,
      ...(run?.handle === undefined ? [] : [run.handle]),
      ...others.map((one) => `${one.metric} ${printedValue(one.last, one)}`),
    ],
  };
}

/** Returns why a run that ended ok is valid although its command exceeds a limit of the goal. */
function trainingNotes(row: LedgerRow, goal: string): string[] {
  if (row.verdict?.kind !== 'ok') return [];
  const judged = judgeTraining(readTrainingLimits(goal), { launched: row, metrics: row.metrics });
  return judged?.isOver === false ? [`valid: ${judged.why}`] : [];
}

/**
 * Returns the step and trend of a run that is active, the number of points of an ended one, and the
 * best value if it is not the last.
 */
function courseOf(summary: MetricSummary, run: Run | undefined): string[] {
  const { metric, best, last, lastStep, direction, count } = summary;
  const trend = run?.metrics.trend(metric) ?? 'insufficient_data';
  return [
    ...(run !== undefined && Number.isFinite(lastStep) ? [`step ${lastStep}`] : []),
    ...(run === undefined ? [counted(count, 'point')] : []),
    ...(trend === 'insufficient_data' ? [] : [trend]),
    ...(direction === 'none' || best === last ? [] : [`best ${printedValue(best, summary)}`]),
  ];
}

function statusOf(row: LedgerRow, state: SessionState, nowMs: number): string {
  const { verdict, startedMs, endedMs = nowMs, machineId, runId } = row;
  const planned = state.runs.get(runId);
  if (planned !== undefined && isWaiting(planned))
    return `waits for a free slot or GPU on ${machineId}, number ${placeInLine(state, planned.spec)} in line`;
  const ranMs = endedMs - (startedMs ?? endedMs);
  const status = rowStatus(row);
  return verdict === undefined
    ? `${status} for ${formatDuration(ranMs)}`
    : `ended: ${status} after ${formatDuration(ranMs)}`;
}
