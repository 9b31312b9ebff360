/** Folds the events of runs and sweeps into the state of a session. */
import type { RunId } from '../../base/ids.ts';
import type { RunSpec } from '../../runs/run.ts';
import { launched } from './allowanceFold.ts';
import type { JournalEvent } from './events.ts';
import { withChanged, withEntry } from './growing.ts';
import type { ChangesOf, RunState, SessionState, SweepState } from './state.ts';

type RunEventType = Extract<JournalEvent['type'], `run.${string}` | `sweep.${string}`>;

export const runChanges: ChangesOf<RunEventType> = {
  'run.planned': (state, { spec }) =>
    withRun(state, spec.id, { spec, metrics: [], alarms: [], ...envFor(state, spec) }),
  'run.started': (state, { runId, process, at }) =>
    launched(changeRun(state, runId, { process }), runId, at),
  'run.ended': (state, { runId, verdict, endedMs, metrics, withheld }) =>
    changeRun(state, runId, {
      verdict,
      endedMs,
      metrics,
      ...(withheld !== undefined && { withheld }),
    }),
  'run.metrics_changed': (state, { runId, metrics, read }) => {
    const spec = state.runs.get(runId)?.spec;
    return spec === undefined
      ? state
      : changeRun(state, runId, { spec: { ...spec, metrics }, ...(read && { metrics: read }) });
  },
  'run.annotated': (state, { runId, tags, note }) =>
    changeRun(state, runId, { annotation: { tags, note } }),
  'run.not_started': (state, { runId, why }) =>
    withoutEmptyExperiment(changeRun(state, runId, { notStarted: why }), runId),
  'run.queued': (state, { runId }) => changeRun(state, runId, { sweepsAhead: state.sweeps.size }),
  'run.alarmed': (state, { runId, kind, detail, action, at: atMs }) => {
    const alarms = state.runs.get(runId)?.alarms ?? [];
    return changeRun(state, runId, { alarms: [...alarms, { kind, detail, action, atMs }] });
  },
  'sweep.started': (state, { plan, callId }) =>
    withSweep(state, { plan, callId, skipped: new Map() }),
  'sweep.point_skipped': (state, { sweepId, index, why }) =>
    changeSweep(state, sweepId, (sweep) => ({
      ...sweep,
      skipped: withEntry(sweep.skipped, index, why),
    })),
  'sweep.paused': (state, { sweepId, why }) =>
    changeSweep(state, sweepId, (sweep) => ({ ...sweep, pause: { why } })),
  'sweep.resumed': (state, { sweepId }) =>
    changeSweep(state, sweepId, (sweep) => ({
      ...sweep,
      ...(sweep.pause && { pause: { ...sweep.pause, isOver: true } }),
    })),
  'sweep.ended': (state, { sweepId, why }) =>
    changeSweep(state, sweepId, (sweep) => ({ ...sweep, end: why })),
};

function changeRun(state: SessionState, id: RunId, change: Partial<RunState>): SessionState {
  const run = state.runs.get(id);
  return run === undefined ? state : withRun(state, id, { ...run, ...change });
}

const withRun = (state: SessionState, id: RunId, run: RunState): SessionState => ({
  ...state,
  runs: withEntry(state.runs, id, run),
});

/**
 * Removes the experiment of a run that was never started, if it has no other run and no decision.
 */
function withoutEmptyExperiment(state: SessionState, runId: RunId): SessionState {
  const id = state.runs.get(runId)?.spec.experimentId;
  const record = id === undefined ? undefined : state.experiments.get(id);
  const hasMore =
    [...state.sweeps.values()].some(({ plan }) => plan.experimentId === id) ||
    [...state.runs.values()].some(
      ({ spec, notStarted }) => spec.experimentId === id && notStarted === undefined,
    );
  if (record === undefined || record.decisions.length > 0 || hasMore) return state;
  const others = [...state.experiments].filter(([other]) => other !== id);
  return { ...state, experiments: new Map(others) };
}

/**
 * Returns the environment that was recorded last on the machine for the folder or for one of its
 * parent folders; otherwise the last of the machine, for example for a worktree.
 */
export function envFor(
  { envs }: Pick<SessionState, 'envs'>,
  { machineId, cwd }: Pick<RunSpec, 'machineId' | 'cwd'>,
): { readonly envId?: string } {
  const ofMachine = envs.filter((env) => env.machineId === machineId);
  const env =
    ofMachine.findLast(({ repo }) => cwd === repo || cwd.startsWith(`${repo}/`)) ??
    ofMachine.at(-1);
  return env === undefined ? {} : { envId: env.id };
}

const changeSweep = (
  state: SessionState,
  id: string,
  change: (sweep: SweepState) => SweepState,
): SessionState => ({
  ...state,
  sweeps: withChanged(state.sweeps, id, change),
});

const withSweep = (state: SessionState, sweep: SweepState): SessionState => ({
  ...state,
  sweeps: withEntry(state.sweeps, sweep.plan.id, sweep),
});
