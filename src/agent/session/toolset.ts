import { ToolFailure } from '../../base/errors.ts';
import { allTools, type AllToolsDeps } from '../../tools/allTools.ts';
import type { Tool } from '../../tools/tool.ts';
import { isUserUnheard } from '../context/history.ts';
import { createExperimentCode } from '../experiments/experimentCode.ts';
import { judgeEvidence } from '../loop/verdict.ts';
import { createEnvironments, snapshotFolder } from '../runs/environments.ts';
import { launchRun, startSweep } from './launchTools.ts';
import { measuredDeps, runFinder, taskDeps } from './runTools.ts';
import type { ToolsetDeps } from './toolsetDeps.ts';
import { monitorDeps, sleepDeps } from './waitingTools.ts';
import { runName } from '../../runs/run.ts';

/** Creates the tools of a session. */
export function createToolset(deps: ToolsetDeps): Tool[] {
  const { memory, machines, resources, clock, git, confining, secrets, paths } = deps;
  const commands = { machines, git, confining, secrets, paths };
  return allTools({
    launcher: { machines, paths, launch: (request, context) => launchRun(deps, request, context) },
    machines: { ...commands, runs: runFinder(deps), clock, resources },
    sweeps: { machines, start: (request, context) => startSweep(deps, request, context) },
    tasks: taskDeps(deps),
    edits: deps.edits,
    measured: measuredDeps(deps),
    memory,
    snapshots: createEnvironments({ ...deps, folder: snapshotFolder(deps.folder) }),
    ...deps.consult,
    questions: deps.questions,
    experiments: deps.experiments,
    code: createExperimentCode(deps),
    sleep: sleepDeps(deps),
    monitor: monitorDeps(deps),
    finish: finisher(deps),
  });
}

const finisher =
  ({ log, sessionRuns, end }: ToolsetDeps): AllToolsDeps['finish'] =>
  async (request) => {
    if (isUserUnheard(log.events))
      throw new ToolFailure(
        'Not ended: the user sent a message or an answer that you have not read yet. Read it, then call finish again if the outcome still holds.',
      );
    const evidence = judgeEvidence(request, log.state.target, {
      find: (reference) => sessionRuns.find(reference),
      summaries: (run) => sessionRuns.summaries(run),
      names: () =>
        sessionRuns
          .all()
          .map(({ spec }) => runName(spec.number))
          .join(', '),
    });
    await end(request.outcome === 'goal_met' ? 'goal' : 'blocked', request.summary, evidence);
    return 'The session has ended.';
  };
