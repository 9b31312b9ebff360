/**
 * Ports of the tools that wait: `sleep` pauses the session until a condition holds, and a monitor
 * wakes the session at intervals.
 */
import { newEventId } from '../../base/ids.ts';
import { confinedCommand } from '../../machines/confinement/confine.ts';
import type { FoundRun } from '../../sleep/sleepPorts.ts';
import type { AllToolsDeps } from '../../tools/allTools.ts';
import { budgetEndMs } from '../budget/measures.ts';
import type { JournalEvent } from '../journal/events.ts';
import type { RunState } from '../journal/state.ts';
import { isIdle } from '../runs/line.ts';
import { sweepOf } from '../runs/sweepProgress.ts';
import type { ToolsetDeps } from './toolsetDeps.ts';
import { runName } from '../../runs/run.ts';

export function sleepDeps({
  log,
  sessionRuns,
  git,
  confining,
  machines,
  paths,
  probes,
  resources,
  clock,
}: ToolsetDeps): AllToolsDeps['sleep'] {
  const found = (run: RunState): FoundRun => ({
    id: run.spec.id,
    name: runName(run.spec.number),
    isEnded: run.verdict !== undefined || run.notStarted !== undefined,
  });
  return {
    clock,
    machines,
    paths,
    probes,
    resources,
    runs: {
      find(reference) {
        const run = sessionRuns.find(reference);
        return run && found(run);
      },
      findSweep: (reference) => sweepOf(log.state, reference)?.plan.id,
      going: () => [...log.state.runs.values()].map(found).filter((run) => !run.isEnded),
      isIdle: () => isIdle(log.state),
      isOwn: (machineId, { pid, groupId }) =>
        [...log.state.runs.values()].some(
          ({ spec, process }) =>
            spec.machineId === machineId &&
            process !== undefined &&
            (process.pid === pid || process.pid === groupId),
        ),
    },
    endMs: () => budgetEndMs(log.state),
    nothingLaunched: (callId) => isIdle(log.state) && hasOnlyFailedLaunches(log.events, callId),
    async guardCommand(machineId, command) {
      const machine = machines.get(machineId);
      const guarded = await git.readingCommand(machine, command);
      const confinement = await confining.of(machine);
      return confinement ? confinedCommand(machine, confinement, guarded) : guarded;
    },
    async sleep(request, { callId, signal }) {
      // The user may have halted the session while the conditions were checked. Such a session must
      // not go to sleep.
      signal.throwIfAborted();
      await log.record({
        type: 'sleep.started',
        sleepId: newEventId(clock.now()),
        request,
        callId,
      });
    },
  };
}

const launching: ReadonlySet<string> = new Set(['remote_exec_background', 'sweep']);

/**
 * Returns whether there are launches before this call in the same reply, and all of them failed.
 */
function hasOnlyFailedLaunches(events: readonly JournalEvent[], callId: string): boolean {
  const from = events.findLastIndex(
    (event) =>
      event.type === 'model.replied' &&
      event.content.some((block) => block.type === 'tool_call' && block.id === callId),
  );
  const launches = events
    .slice(from)
    .filter((event) => event.type === 'tool.finished' && launching.has(event.name));
  return (
    from >= 0 &&
    launches.length > 0 &&
    launches.every((event) => event.type === 'tool.finished' && event.isError)
  );
}

export function monitorDeps({ log, clock }: ToolsetDeps): AllToolsDeps['monitor'] {
  return {
    async startMonitor({ goal, intervalMs }, { callId }) {
      await log.record({ type: 'monitor.started', goal, intervalMs, callId });
      return clock.now();
    },
    async stopMonitor() {
      const wasActive = log.state.monitor !== undefined;
      if (wasActive) await log.record({ type: 'monitor.stopped', why: 'stopped by the agent' });
      return wasActive;
    },
  };
}
