/** Ports through which a sleeping session observes its runs and the machines. */
import { Emitter } from '../../base/emitter.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { RunId } from '../../base/ids.ts';
import { summaryFor } from '../../experiments/ledger.ts';
import type { PathRules } from '../../permissions/pathRules.ts';
import { readablePath } from '../../tools/parameters/pathAccesses.ts';
import type { Machines } from '../../machines/machine.ts';
import type { MetricPoint, MetricSummary } from '../../metrics/metric.ts';
import type { Runs } from '../../runs/runs.ts';
import type { SleepProbes, SleepResources, SleepPorts } from '../../sleep/sleepPorts.ts';
import type { SessionRuns } from '../runs/sessionRuns.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import { isIdle } from '../runs/line.ts';
import { isSweepOver } from '../runs/sweepProgress.ts';

export interface SleepPortsDeps {
  readonly log: SessionLog;
  readonly runs: Runs;
  readonly machines: Machines;
  readonly sessionRuns: SessionRuns;
  readonly probes: SleepProbes;
  readonly resources: SleepResources;
  readonly paths: PathRules;
}

export function createSleepPorts({
  log,
  runs,
  machines,
  sessionRuns,
  probes,
  resources,
  paths,
}: SleepPortsDeps): SleepPorts & Disposable {
  const ended = new Emitter<RunId>();
  const sweepEnded = new Emitter<string>();
  const read = new Emitter<{ readonly runId: RunId; readonly points: readonly MetricPoint[] }>();
  // Listen to the journal, not to the run's process, so that the end of a run is recorded before
  // the session wakes.
  const records = log.onDidRecord((event) => {
    if (event.type === 'run.ended' || event.type === 'run.not_started') ended.fire(event.runId);
    if (event.type === 'sweep.ended') sweepEnded.fire(event.sweepId);
  });
  const changes = runs.onDidChange((change) => {
    if (change.kind === 'points') read.fire({ runId: change.run.spec.id, points: change.points });
  });
  const summaryOf = (runId: RunId, metric: string): MetricSummary | undefined => {
    const run = log.state.runs.get(runId);
    return run && summaryFor(sessionRuns.summaries(run), metric);
  };
  return {
    isEnded(runId) {
      const run = log.state.runs.get(runId);
      return run === undefined || run.verdict !== undefined || run.notStarted !== undefined;
    },
    lastValue: (runId, metric) => summaryOf(runId, metric)?.last,
    printedName: (runId, metric) => summaryOf(runId, metric)?.metric,
    isIdle: () => isIdle(log.state),
    isSweepOver: (id) => isSweepOver(log.state, id),
    onDidEndRun: ended.event,
    onDidEndSweep: sweepEnded.event,
    onDidReadPoints: read.event,
    machine: (id) => machines.get(id),
    readablePath: (place) => readablePath(place, paths),
    probes,
    resources,
    dispose() {
      records.dispose();
      changes.dispose();
      ended.dispose();
      sweepEnded.dispose();
      read.dispose();
    },
  };
}
