/**
 * Ends a run that this process does not follow. The machine is asked to end it; the owner of the
 * session records the end.
 */
import type { Clock } from '../../base/clock.ts';
import type { RunId, SessionId } from '../../base/ids.ts';
import type { Machines } from '../../machines/machine.ts';
import { endRun } from '../../runs/foreignRun.ts';
import type { Runs } from '../../runs/runs.ts';
import type { KilledRun, SessionOwner } from '../contract/sessions.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import type { RunState } from '../journal/state.ts';

export interface KillRunDeps {
  readonly runs: Runs;
  readonly machines: Machines;
  readonly clock: Clock;
  owner(id: SessionId): Promise<SessionOwner | undefined>;
  /**
   * Opens the journal for the duration of `work`. Rejects with `UserFacing` when another process
   * has taken the session meanwhile.
   */
  withLog(id: SessionId, work: (log: SessionLog) => Promise<KilledRun>): Promise<KilledRun>;
}

/** Rejects with `MachineFailure` when the machine does not answer: nothing is recorded then. */
export async function killRun(
  deps: KillRunDeps,
  sessionId: SessionId,
  run: RunState,
): Promise<KilledRun> {
  const { spec } = run;
  const owner = await deps.owner(sessionId);
  if (owner === undefined) return deps.withLog(sessionId, (log) => killUnowned(deps, log, spec.id));
  const machine = deps.machines.get(spec.machineId);
  await machine.ready?.({ mayAsk: true });
  const { left, isEscalated } = await endRun({ spec, machine, clock: deps.clock });
  return { run, owner, left, isEscalated };
}

/**
 * Ends a run of a session without an owner: reads its metrics to the end and records the verdict.
 */
async function killUnowned({ runs }: KillRunDeps, log: SessionLog, id: RunId): Promise<KilledRun> {
  const state = log.state.runs.get(id);
  if (state === undefined) throw new Error(`The journal has no run ${id}`);
  const run = await runs.adopt(state.spec);
  if (run === undefined) return { run: state, left: [], isEscalated: false };
  const { left, isEscalated } = await runs.kill(run);
  const { liveness } = run;
  const isNew = log.state.runs.get(id)?.verdict === undefined;
  if (liveness.kind === 'ended' && isNew) {
    if (state.process === undefined && run.process !== undefined)
      await log.record({ type: 'run.started', runId: id, process: run.process });
    const { verdict, endedMs } = liveness;
    await log.record({
      type: 'run.ended',
      runId: id,
      verdict,
      endedMs,
      metrics: run.metrics.summaries(),
    });
  }
  return { run: state, liveness, left, isEscalated };
}
