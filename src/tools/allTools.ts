/**
 * Every tool of a session, in the order in which the model sees the tools. To add a tool, add a
 * line here.
 */
import type { MemoryStore } from '../memory/memoryStore.ts';
import { askUser, type QuestionAsker } from './session/askUser.ts';
import { clearMetrics } from './runs/clearMetrics.ts';
import { compareRuns } from './runs/compareRuns.ts';
import { consult, type Consultant } from './session/consult.ts';
import { envSnapshot, type CodeSnapshots } from './runs/envSnapshot.ts';
import { expBranch } from './experiments/expBranch.ts';
import { expBranches } from './experiments/expBranches.ts';
import { expCheckout } from './experiments/expCheckout.ts';
import { expCommit } from './experiments/expCommit.ts';
import { expDecide, type ExperimentJudge } from './experiments/expDecide.ts';
import { expList, type ExperimentLister } from './experiments/expList.ts';
import { expDiff } from './experiments/expDiff.ts';
import type { ExperimentCode } from './experiments/experimentCode.ts';
import { finish, type SessionEnd } from './session/finish.ts';
import { importMetrics, type ResultImporter } from './runs/importMetrics.ts';
import { killTask, type TaskKiller } from './runs/killTask.ts';
import { listMachines, type MachineOverview } from './machines/listMachines.ts';
import type { MachineTools } from './parameters/machinePath.ts';
import type { MeasuredRuns } from './runs/measuredRuns.ts';
import { memoryLs } from './memory/memoryLs.ts';
import { memoryRead } from './memory/memoryRead.ts';
import { memoryRm } from './memory/memoryRm.ts';
import { memoryWrite, type FindUnmeasured } from './memory/memoryWrite.ts';
import { patchFile } from './files/patchFile.ts';
import { readFile } from './files/readFile.ts';
import { undoEdits, type EditUndo } from './files/undoEdits.ts';
import { remoteDownload } from './machines/remoteDownload.ts';
import { remoteExec } from './machines/remoteExec.ts';
import { remoteExecBackground, type RunLauncher } from './runs/remoteExecBackground.ts';
import { remoteUpload } from './machines/remoteUpload.ts';
import type { UploadRecorder } from './machines/uploadRecorder.ts';
import { showMetrics } from './runs/showMetrics.ts';
import { searchSessions, type SessionSearcher } from './session/searchSessions.ts';
import { setTarget, type TargetSetter } from './session/setTarget.ts';
import { sleep, type SleepDeps } from './waiting/sleep.ts';
import { sweep, type SweepStarter } from './runs/sweep.ts';
import { startMonitor, type StartMonitorDeps } from './waiting/startMonitor.ts';
import { stopMonitor, type StopMonitorDeps } from './waiting/stopMonitor.ts';
import { taskOutput, type TaskOutputs } from './runs/taskOutput.ts';
import type { Tool } from './tool.ts';
import { webFetch, type PageReader } from './web/webFetch.ts';
import { webSearch, type WebSearcher } from './web/webSearch.ts';
import { writeFile } from './files/writeFile.ts';
import { writeup, type WriteupWriter } from './session/writeup.ts';

export interface AllToolsDeps {
  readonly launcher: RunLauncher;
  readonly machines: MachineTools & MachineOverview & { readonly uploadRecorder: UploadRecorder };
  readonly tasks: TaskOutputs & TaskKiller;
  readonly sweeps: SweepStarter;
  readonly edits: EditUndo;
  readonly measured: MeasuredRuns;
  readonly memory: MemoryStore;
  readonly findUnmeasured: FindUnmeasured;
  readonly snapshots: CodeSnapshots;
  readonly pages: PageReader;
  readonly searcher: WebSearcher;
  readonly consultant: Consultant;
  readonly questions: QuestionAsker;
  readonly writer: WriteupWriter;
  readonly experiments: ExperimentJudge;
  readonly code: ExperimentCode;
  readonly archive: ExperimentLister & SessionSearcher;
  readonly imports: MachineTools & { readonly importer: ResultImporter };
  readonly sleep: SleepDeps;
  readonly monitor: StartMonitorDeps & StopMonitorDeps;
  readonly setTarget: TargetSetter;
  readonly finish: SessionEnd;
}

export const allTools = (deps: AllToolsDeps): Tool[] => [
  remoteExec(deps.machines),
  remoteExecBackground(deps.launcher, deps.sweeps),
  sweep(deps.sweeps),
  taskOutput(deps.tasks),
  killTask(deps.tasks),
  listMachines(deps.machines),
  readFile(deps.machines),
  writeFile(deps.machines),
  patchFile(deps.machines),
  undoEdits({ ...deps.machines, ...deps.edits }),
  remoteUpload(deps.machines),
  remoteDownload(deps.machines),
  showMetrics(deps.measured),
  compareRuns(deps.measured),
  clearMetrics(deps.measured),
  importMetrics(deps.imports),
  memoryLs(deps.memory),
  memoryRead(deps.memory),
  memoryWrite(deps.memory, deps.findUnmeasured),
  memoryRm(deps.memory),
  envSnapshot(deps.snapshots),
  webSearch(deps.searcher),
  webFetch(deps.pages),
  consult(deps.consultant),
  expBranch(deps.code),
  expCommit(deps.code),
  expDiff(deps.code),
  expBranches(deps.code),
  expCheckout(deps.code),
  expDecide(deps.experiments),
  expList(deps.archive),
  searchSessions(deps.archive),
  setTarget(deps.setTarget),
  askUser(deps.questions),
  writeup(deps.writer),
  startMonitor(deps.monitor),
  stopMonitor(deps.monitor),
  sleep(deps.sleep),
  finish(deps.finish),
];
