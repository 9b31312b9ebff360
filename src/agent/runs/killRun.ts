/**
 * Kills a run that this process does not follow. The run's machine kills the run; the process that
 * owns the session records the end.
 */
import type { Clock } from '../../base/clock.ts';
import { UserFacing } from '../../base/errors.ts';
import type { RunId, SessionId } from '../../base/ids.ts';
import type { Machines } from '../../machines/machine.ts';
import { endRun } from '../../runs/foreignRun.ts';
import { runTitle } from '../../runs/run.ts';
import type { Runs } from '../../runs/runs.ts';
import type { KilledRun, SessionOwner } from '../contract/sessions.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import type { RunState } from '../journal/state.ts';
import { isWaiting } from './line.ts';

export interface KillRunDeps {
  readonly runs: Runs;
  readonly machines: Machines;
  readonly clock: Clock;
  owner(id: SessionId): Promise<SessionOwner | undefined>;
  /**
   * Calls `work` with the session's open journal. Rejects with `UserFacing` when another process
   * has taken over the session in the meantime.
   */
  withLog(id: SessionId, work: (log: SessionLog) => Promise<KilledRun>): Promise<KilledRun>;
}

/**
 * Kills a run. Rejects with `MachineFailure`, without recording anything, when the machine does not
 * answer.
 */
export async function killRun(
  deps: KillRunDeps,
  sessionId: SessionId,
  run: RunState,
): Promise<KilledRun> {
  const { spec } = run;
  const owner = await deps.owner(sessionId);
  if (owner === undefined) return deps.withLog(sessionId, (log) => killUnowned(deps, log, spec.id));
  if (isWaiting(run))
    throw new UserFacing(
      `${runTitle(spec.number)} has not started: it waits for a free slot or GPU on ${spec.machineId}.`,
      'Tell the agent to cancel it, or stop the session.',
    );
  const machine = deps.machines.get(spec.machineId);
  await machine.ready?.({ mayAsk: true });
  const { left, isEscalated } = await endRun({ spec, machine, clock: deps.clock });
  return { run, owner, left, isEscalated };
}

/**
 * Kills a run of a session that no process owns: reads the run's remaining metrics and records the
 * verdict.
 */
async function killUnowned({ runs }: KillRunDeps, log: SessionLog, id: RunId): Promise<KilledRun> {
  const state = log.state.runs.get(id);
  if (state === undefined) throw new Error(`The journal has no run ${id}`);
  const run = await runs.adopt(state.spec);
  if (run === undefined) {
    if (isWaiting(state))
      await log.record({ type: 'run.not_started', runId: id, why: 'the user cancelled it' });
    return { run: state, left: [], isEscalated: false };
  }
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
