/** Ports of the tools that read and kill runs. The tools can only access runs of the session. */
import type { LedgerRow } from '../../experiments/ledger.ts';
import { repeatsByRun } from '../../experiments/repeats.ts';
import type { RunAnnotation } from '../../experiments/runAnnotation.ts';
import { objectivesOf } from '../../experiments/target/target.ts';
import type { Run } from '../../runs/liveRun.ts';
import type { AllToolsDeps } from '../../tools/allTools.ts';
import type { OwnRun } from '../../tools/runs/measuredRuns.ts';
import { statusText, type RunFinder } from '../../tools/parameters/runReference.ts';
import { archivedOutput } from './archiveTools.ts';
import { lineNearest } from '../runs/endOutput.ts';
import { unreadMetrics } from '../../metrics/unreadMetrics.ts';
import { rereadMetrics } from '../runs/rereadMetrics.ts';
import { importReference } from '../experiments/imports.ts';
import { isSweepOver, sweepOf } from '../runs/sweepProgress.ts';
import type { ToolsetDeps } from './toolsetDeps.ts';
import { runName } from '../../runs/run.ts';

export const runFinder = ({ sessionRuns, runs }: ToolsetDeps): RunFinder => ({
  all: () => sessionRuns.all(),
  queued: (reference) => sessionRuns.queued(reference),
  find(reference) {
    const state = sessionRuns.find(reference);
    return state && runs.get(state.spec.id);
  },
});

export const taskDeps = (deps: ToolsetDeps): AllToolsDeps['tasks'] => {
  const { log, sessionRuns, sweeps, runs, resources, clock } = deps;
  return {
    clock,
    resources,
    sweeps: {
      find: (reference) => sweepOf(log.state, reference)?.plan.id,
      table: (id) => sweeps.table(id),
      resume: (id) => sweeps.resume(id),
      isOver: (id) => isSweepOver(log.state, id),
      async stop(id) {
        await sweeps.stop(id);
        return sweeps.going(id).flatMap(({ spec }) => runs.get(spec.id) ?? []);
      },
    },
    runs: {
      ...runFinder(deps),
      output: (run, options) => runs.output(run, options),
      cancel: (spec) => sweeps.cancel(spec),
      archived: (reference, { lines }) => archivedOutput(deps, reference, lines),
      withheld: ({ spec }) => log.state.runs.get(spec.id)?.withheld,
      /**
       * Resolves when the end of the run is in the journal, because the tool then reads the end
       * from there.
       */
      async kill(run, options) {
        const result = await runs.kill(run, options);
        await sessionRuns.settle();
        return result;
      },
    },
  };
};

export function measuredDeps(deps: ToolsetDeps): AllToolsDeps['measured'] {
  const { all, find } = runFinder(deps);
  const measuredRun = (run: Run): OwnRun =>
    ownRun(run, deps.log.state.runs.get(run.spec.id)?.annotation);
  return {
    find(reference) {
      const run = find(reference);
      return run && measuredRun(run);
    },
    all: () => all().map(measuredRun),
    repeats: () => repeatsByRun(deps.sessionRuns.ledger().experiments),
    objectives: () => {
      const { target } = deps.log.state;
      return target === undefined ? [] : objectivesOf(target);
    },
    elsewhere: (reference) =>
      importReference.test(reference.trim())
        ? deps.imports.measured(reference)
        : deps.archive.measured(reference),
    group: (reference) => {
      const ids = new Set(groupNamed(deps, reference).map(({ runId }) => runId));
      return all()
        .filter(({ spec }) => ids.has(spec.id))
        .map(measuredRun);
    },
    reread: (id, patterns) => rereadMetrics(deps, id, patterns),
    async nearestLine(id, metrics) {
      const run = deps.runs.get(id);
      return run && (await lineNearest(deps.runs, run, metrics));
    },
  };
}

/** Returns the rows of an experiment (`e7`) or a sweep (`s1`); empty for other references. */
export function groupNamed(
  { log, sessionRuns }: Pick<ToolsetDeps, 'log' | 'sessionRuns'>,
  reference: string,
): readonly LedgerRow[] {
  const ledger = sessionRuns.ledger();
  const id = /^(?:experiment\s*)?(e\d+)$/i.exec(reference.trim())?.[1]?.toLowerCase();
  if (id !== undefined) return ledger.experiments.find((row) => row.id === id)?.runs ?? [];
  const sweepId = sweepOf(log.state, reference)?.plan.id;
  return sweepId === undefined ? [] : ledger.rows.filter((row) => row.sweepId === sweepId);
}

const ownRun = (run: Run, annotation: RunAnnotation | undefined): OwnRun => ({
  id: run.spec.id,
  name: runName(run.spec.number),
  handle: run.handle,
  status: statusText(run),
  metrics: run.metrics,
  ...(annotation && { annotation }),
  ...(run.spec.metrics.directions && { directions: run.spec.metrics.directions }),
  unread: unreadMetrics(run.spec.metrics, run.metrics.summaries()),
});
