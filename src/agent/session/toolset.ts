import { unmeasuredInNote } from '../experiments/unmeasured.ts';
import { allTools } from '../../tools/allTools.ts';
import type { Tool } from '../../tools/tool.ts';
import { createUploadRecorder } from '../experiments/codeUploads.ts';
import { createExperimentCode } from '../experiments/experimentCode.ts';
import { createEnvironments, snapshotFolder } from '../runs/environments.ts';
import { createFinish, createTargetSetter } from './goalTools.ts';
import { launchRun, startSweep } from './launchTools.ts';
import { archiveDeps, importerOf } from './archiveTools.ts';
import { measuredDeps, runFinder, taskDeps } from './runTools.ts';
import type { ToolsetDeps } from './toolsetDeps.ts';
import { monitorDeps, sleepDeps } from './waitingTools.ts';

/** Creates the tools of a session. */
export function createToolset(deps: ToolsetDeps): Tool[] {
  const { memory, machines, resources, clock, git, confining, secrets, paths } = deps;
  const commands = { machines, git, confining, secrets, paths };
  return allTools({
    launcher: { machines, paths, launch: (request, context) => launchRun(deps, request, context) },
    machines: {
      ...commands,
      runs: runFinder(deps),
      clock,
      resources,
      uploadRecorder: createUploadRecorder(deps),
    },
    sweeps: { machines, start: (request, context) => startSweep(deps, request, context) },
    tasks: taskDeps(deps),
    edits: deps.edits,
    measured: measuredDeps(deps),
    memory,
    findUnmeasured: (text) =>
      unmeasuredInNote(text, { state: deps.log.state, ledger: deps.sessionRuns.ledger() }),
    snapshots: createEnvironments({ ...deps, folder: snapshotFolder(deps.folder) }),
    ...deps.consult,
    questions: deps.questions,
    experiments: deps.experiments,
    code: createExperimentCode(deps),
    archive: archiveDeps(deps),
    imports: { machines, paths, importer: importerOf(deps) },
    sleep: sleepDeps(deps),
    monitor: monitorDeps(deps),
    setTarget: createTargetSetter(deps),
    finish: createFinish(deps),
  });
}
