/**
 * Ports of the tools that launch runs and sweeps. Each port plans the experiment before its first
 * run.
 */
import type { LaunchedRun, RunRequest } from '../../tools/runs/remoteExecBackground.ts';
import type { StartedSweep, SweepRequest } from '../../tools/runs/sweep.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { progressOf } from '../runs/sweepProgress.ts';
import type { ToolsetDeps } from './toolsetDeps.ts';

/** See `RunLauncher.launch`. */
export async function launchRun(
  { sessionRuns, experiments, git }: ToolsetDeps,
  { experiment, ...request }: RunRequest,
  { callId, signal }: ToolContext,
): Promise<LaunchedRun> {
  const { machineId, command } = request;
  git.check(command);
  const experimentRequest = {
    ...request,
    ...experiment,
    machineIds: [machineId],
    commands: [command],
  };
  const { id: experimentId, notes } = await experiments.begin(experimentRequest, callId);
  const launch = { ...request, experimentId, mayWait: true };
  const run = await sessionRuns.launch(launch, callId, signal);
  return 'place' in run ? { waiting: run, notes } : { run, notes };
}

/** See `SweepStarter.start`. */
export async function startSweep(
  { log, runs, sweeps, experiments, git }: ToolsetDeps,
  { plan, template, experiment }: SweepRequest,
  { callId, signal }: ToolContext,
): Promise<StartedSweep> {
  const commands = plan.points.map(({ command }) => command);
  for (const command of commands) git.check(command);
  const label = `sweep of ${plan.params.join(' × ')}`;
  const experimentRequest = {
    ...plan,
    ...experiment,
    command: template,
    commands,
    label,
    mayWait: true,
  };
  const { id: experimentId, notes } = await experiments.begin(experimentRequest, callId);
  const sweep = await sweeps.start({ ...plan, experimentId }, callId, signal);
  const { going, over, waiting } = progressOf(log.state, sweep);
  const { id } = sweep.plan;
  const launched = [...over, ...going].flatMap(({ spec }) => runs.get(spec.id) ?? []);
  return {
    id,
    experimentId,
    notes,
    runs: launched,
    waiting: waiting.length,
    table: sweeps.table(id),
  };
}
