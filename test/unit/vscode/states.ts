/** Small states and events for the tests of the views. */
import type { JournalEvent, SessionEvent } from '../../../src/agent/journal/events.ts';
import type { RunState, SessionState } from '../../../src/agent/journal/state.ts';
import { initialState } from '../../../src/agent/journal/fold.ts';
import { newRunId, newSessionId, type RunId } from '../../../src/base/ids.ts';
import type { LedgerRow } from '../../../src/experiments/ledger.ts';
import type { Direction, MetricSummary } from '../../../src/metrics/metric.ts';
import type { Verdict } from '../../../src/runs/run.ts';

export const startMs = new Date(2026, 10, 20, 14, 3, 27).getTime();
export const sessionId = newSessionId(startMs);
const minuteMs = 60_000;

let count = 0;
export function recorded<E extends SessionEvent>(event: E, at = startMs): E & JournalEvent {
  count += 1;
  return { ...event, v: 1, id: `e-${count}`, at } as E & JournalEvent;
}

export const started = (
  goal = 'bring loss < 1.0',
): Extract<JournalEvent, { type: 'session.started' }> =>
  recorded({
    type: 'session.started',
    sessionId,
    goal,
    budget: { usd: 5 },
    provider: 'claude',
    model: 'claude-opus-4-6',
    workFolder: '/project',
    helios: '0.1.0',
  });

export const stateOf = (changes: Partial<SessionState> = {}): SessionState => ({
  ...initialState(started()),
  ...changes,
});

export function summaryOf(
  metric: string,
  best: number,
  direction: Direction = 'lower',
  last = best,
): MetricSummary {
  return {
    metric,
    count: 10,
    last,
    lastStep: 100,
    min: best,
    max: last,
    mean: best,
    best,
    direction,
  };
}

const ids: readonly RunId[] = Array.from({ length: 9 }, (_, index) => newRunId(startMs + index));
export const runId = (number: number): RunId => ids[number - 1] ?? newRunId(startMs);

export function runState(number: number, changes: Partial<RunState> = {}): RunState {
  return {
    spec: {
      id: runId(number),
      sessionId,
      number,
      machineId: 'gpu1',
      command: `python3 train.py --lr ${number}`,
      cwd: '/project',
      env: {},
      metrics: {},
      label: `lr=${number}`,
      plannedMs: startMs,
    },
    process: { pid: 100 + number, startTime: '1', bootId: 'b', startedMs: startMs },
    metrics: [],
    alarms: [],
    ...changes,
  };
}

export const endedRun = (
  number: number,
  loss: number,
  verdict: Verdict = { kind: 'ok' },
): RunState =>
  runState(number, {
    verdict,
    endedMs: startMs + number * minuteMs,
    metrics: [summaryOf('loss', loss)],
  });

export const runsOf = (...runs: readonly RunState[]): ReadonlyMap<RunId, RunState> =>
  new Map(runs.map((run) => [run.spec.id, run]));

export const rowOf = (number: number, changes: Partial<LedgerRow> = {}): LedgerRow => ({
  runId: runId(number),
  number,
  machineId: 'gpu1',
  handle: `gpu1:${100 + number}`,
  label: `lr=${number}`,
  command: `python3 train.py --lr ${number}`,
  verdict: { kind: 'ok' },
  startedMs: startMs,
  endedMs: startMs + number * minuteMs,
  metrics: [summaryOf('loss', number)],
  isChampion: false,
  ...changes,
});
