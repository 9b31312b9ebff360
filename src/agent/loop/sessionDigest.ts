/**
 * Collects the facts for the text that the model reads when the session wakes: why it wakes, the
 * state of its active runs and the tables of its active sweeps. Ended runs are omitted, because the
 * conversation already contains them.
 */
import type { Clock } from '../../base/clock.ts';
import type { Run } from '../../runs/liveRun.ts';
import type { DigestInput, GoingRun } from '../../sleep/digest.ts';
import type { Wake } from '../../sleep/sleeper.ts';
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
const maxMetrics = 6;

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
  return {
    cause,
    left: measuresOf({ state: log.state, today: nothingSpent, nowMs })
      .filter(({ scope }) => scope === 'goal')
      .map(({ limit, used, of }) => amountText(limit, Math.max(0, of - used))),
    ended: [],
    going: [
      ...sessionRuns
        .live()
        .filter(({ spec }) => spec.sweep === undefined)
        .map((run) => goingRun(run, nowMs)),
      ...waitingRuns(log.state, nowMs),
    ].slice(0, maxRuns),
    sweeps: sweeps.tables(),
    queued: [],
  };
}

const waitingRuns = (state: SessionState, nowMs: number): GoingRun[] =>
  [...state.runs.values()].filter(isWaiting).map(({ spec }) => ({
    name: runName(spec.number),
    label: spec.label,
    ranMs: nowMs - spec.plannedMs,
    metrics: [],
    note: `waits for a free slot or GPU on ${spec.machineId}, number ${placeInLine(state, spec)} in line`,
  }));

function goingRun(run: Run, nowMs: number): GoingRun {
  const { spec, handle, process, liveness, metrics } = run;
  return {
    name: runName(spec.number),
    handle,
    label: spec.label,
    ranMs: nowMs - (process?.startedMs ?? spec.plannedMs),
    metrics: metrics
      .summaries()
      .slice(0, maxMetrics)
      .map(({ metric, last, lastStep }) => ({
        metric,
        last,
        lastStep,
        trend: metrics.trend(metric),
      })),
    ...(liveness.kind !== 'running' && { note: livenessText(liveness, spec.machineId) }),
  };
}
