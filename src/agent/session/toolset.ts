/** Gives the tools what they need of a session. A tool sees only the session's own runs. */
import type { Clock } from '../../base/clock.ts';
import { ToolFailure } from '../../base/errors.ts';
import { newEventId } from '../../base/ids.ts';
import type { LeaveOutLimits } from '../../experiments/git/leaveOut.ts';
import type { MachineProbes } from '../../machines/probes/machineProbes.ts';
import type { Machines } from '../../machines/machine.ts';
import type { MachineResources } from '../../machines/resources/machineResources.ts';
import type { MemoryStore } from '../../memory/memoryStore.ts';
import type { Run } from '../../runs/liveRun.ts';
import type { Runs } from '../../runs/runs.ts';
import type { FoundRun } from '../../sleep/sleepWorld.ts';
import { allTools, type AllToolsDeps } from '../../tools/allTools.ts';
import type { MeasuredRun } from '../../tools/runs/measuredRuns.ts';
import type { LaunchedRun, RunRequest } from '../../tools/runs/remoteExecBackground.ts';
import { statusText } from '../../tools/parameters/runReference.ts';
import type { StartedSweep, SweepRequest } from '../../tools/runs/sweep.ts';
import type { Tool, ToolContext } from '../../tools/tool.ts';
import { createEnvironments, snapshotFolder } from '../runs/environments.ts';
import { createExperimentCode } from '../experiments/experimentCode.ts';
import type { EndReason, Evidence } from '../journal/events.ts';
import type { GitGuard } from '../runs/gitGuard.ts';
import { isUserUnheard } from '../context/history.ts';
import type { Experiments } from '../experiments/experiments.ts';
import type { Questions } from '../user/questions.ts';
import type { SessionRuns } from '../runs/sessionRuns.ts';
import type { Sweeps } from '../runs/sweeps.ts';
import { progressOf, sweepOf } from '../runs/sweepProgress.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import type { RunState } from '../journal/state.ts';
import { judgeEvidence } from '../loop/verdict.ts';

export interface ToolsetDeps {
  readonly log: SessionLog;
  /** Of the session, absolute. */
  readonly folder: string;
  readonly sessionRuns: SessionRuns;
  readonly sweeps: Sweeps;
  readonly questions: Questions;
  readonly experiments: Experiments;
  readonly runs: Runs;
  readonly memory: MemoryStore;
  readonly machines: Machines;
  readonly git: GitGuard;
  /** What is kept with the code of experiments. */
  limits(): LeaveOutLimits;
  readonly probes: MachineProbes;
  readonly resources: MachineResources;
  readonly consult: Pick<AllToolsDeps, 'pages' | 'searcher' | 'consultant' | 'writer'>;
  readonly clock: Clock;
  end(reason: EndReason, summary: string, evidence: readonly Evidence[]): Promise<void>;
}

export function createToolset(deps: ToolsetDeps): Tool[] {
  const { sessionRuns, runs, memory, machines, resources, clock } = deps;
  const all = (): Run[] => sessionRuns.all();
  const finder = { all, find: (reference: string) => runOf(deps, reference) };
  return allTools({
    launcher: { machines, launch: (request, context) => launchRun(deps, request, context) },
    machines: { machines, runs: finder, clock, resources, git: deps.git },
    sweeps: { machines, start: (request, context) => startSweep(deps, request, context) },
    tasks: {
      clock,
      resources,
      sweeps: {
        find: (reference) => sweepOf(deps.log.state, reference)?.plan.id,
        table: (id) => deps.sweeps.table(id),
        async stop(id) {
          await deps.sweeps.stop(id);
          return deps.sweeps.going(id).flatMap(({ spec }) => runs.get(spec.id) ?? []);
        },
      },
      runs: {
        ...finder,
        output: (run, options) => runs.output(run, options),
        /** What is told afterwards is read from the journal: the end is in it by then. */
        async kill(run, options) {
          const result = await runs.kill(run, options);
          await sessionRuns.settle();
          return result;
        },
      },
    },
    measured: {
      find: (reference) => measured(runOf(deps, reference)),
      all: () => all().map(measuredRun),
    },
    memory,
    snapshots: createEnvironments({ log: deps.log, machines, memory, folder: snapshotFolder(deps.folder) }),
    ...deps.consult,
    questions: deps.questions,
    experiments: deps.experiments,
    code: createExperimentCode(deps),
    sleep: sleepDeps(deps),
    monitor: monitorDeps(deps),
    finish: async (request) => {
      if (isUserUnheard(deps.log.events))
        throw new ToolFailure(
          'Not ended: the user has written since. Read it, then call finish again if it still holds.',
        );
      const evidence = judgeEvidence(request, deps.log.state.target, {
        find: (reference) => sessionRuns.find(reference),
        summaries: (run) => sessionRuns.summaries(run),
        names: () => all().map(nameOf).join(', '),
      });
      await deps.end(request.outcome === 'goal_met' ? 'goal' : 'blocked', request.summary, evidence);
      return 'The session is ended.';
    },
  });
}

function runOf({ sessionRuns, runs }: ToolsetDeps, reference: string): Run | undefined {
  const state = sessionRuns.find(reference);
  return state && runs.get(state.spec.id);
}

const nameOf = ({ spec }: Run): string => `run ${spec.number}`;

const measuredRun = (run: Run): MeasuredRun => ({
  id: run.spec.id,
  name: nameOf(run),
  handle: run.handle,
  status: statusText(run),
  metrics: run.metrics,
});

const measured = (run: Run | undefined): MeasuredRun | undefined => run && measuredRun(run);

async function launchRun(
  { sessionRuns, experiments, git }: ToolsetDeps,
  { experiment, ...request }: RunRequest,
  { callId, signal }: ToolContext,
): Promise<LaunchedRun> {
  const { machineId, command } = request;
  git.check(command);
  const asked = { ...request, ...experiment, machineIds: [machineId], commands: [command] };
  const { id: experimentId, notes } = await experiments.begin(asked, callId);
  return { run: await sessionRuns.launch({ ...request, experimentId }, callId, signal), notes };
}

async function startSweep(
  { log, runs, sweeps, experiments, git }: ToolsetDeps,
  { plan, template, experiment }: SweepRequest,
  { callId, signal }: ToolContext,
): Promise<StartedSweep> {
  const commands = plan.points.map(({ command }) => command);
  for (const command of commands) git.check(command);
  const label = `sweep of ${plan.params.join(' × ')}`;
  const asked = { ...plan, ...experiment, command: template, commands, label, mayWait: true };
  const { id: experimentId, notes } = await experiments.begin(asked, callId);
  const sweep = await sweeps.start({ ...plan, experimentId }, callId, signal);
  const { going, over, waiting } = progressOf(log.state, sweep);
  const { id } = sweep.plan;
  const launched = [...over, ...going].flatMap(({ spec }) => runs.get(spec.id) ?? []);
  return { id, experimentId, notes, runs: launched, waiting: waiting.length, table: sweeps.table(id) };
}

function sleepDeps({ log, sessionRuns, git, machines, probes, resources, clock }: ToolsetDeps): AllToolsDeps['sleep'] {
  const found = (run: RunState): FoundRun => ({
    id: run.spec.id,
    name: `run ${run.spec.number}`,
    isEnded: run.verdict !== undefined || run.notStarted !== undefined,
  });
  return {
    clock,
    machines,
    probes,
    resources,
    runs: {
      find(reference) {
        const run = sessionRuns.find(reference);
        return run && found(run);
      },
      findSweep: (reference) => sweepOf(log.state, reference)?.plan.id,
      going: () => [...log.state.runs.values()].map(found).filter((run) => !run.isEnded),
    },
    checkCommand: (command) => git.reading(command),
    async sleep(request, { callId, signal }) {
      // What was interrupted while it looked at its conditions must not send a halted session to sleep.
      signal.throwIfAborted();
      await log.record({ type: 'sleep.started', sleepId: newEventId(clock.now()), request, callId });
    },
  };
}

function monitorDeps({ log, clock }: ToolsetDeps): AllToolsDeps['monitor'] {
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
