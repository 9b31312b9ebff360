/** Every tool of a session, in the order in which the model sees them. Adding one is a line here. */
import type { MemoryStore } from '../memory/memoryStore.ts';
import { askPerson, type PersonAsker } from './askPerson.ts';
import { clearMetrics } from './clearMetrics.ts';
import { compareRuns } from './compareRuns.ts';
import { consult, type Consultant } from './consult.ts';
import { envSnapshot, type SnapshotKeeper } from './envSnapshot.ts';
import { expBranch } from './expBranch.ts';
import { expBranches } from './expBranches.ts';
import { expCheckout } from './expCheckout.ts';
import { expCommit } from './expCommit.ts';
import { expDecide, type ExperimentJudge } from './expDecide.ts';
import { expDiff } from './expDiff.ts';
import type { ExperimentCode } from './experimentCode.ts';
import { finish, type Finish } from './finish.ts';
import { killTask, type TaskKiller } from './killTask.ts';
import { listMachines, type MachineOverview } from './listMachines.ts';
import type { MachineTools } from './machinePath.ts';
import type { MeasuredRuns } from './measuredRuns.ts';
import { memoryLs } from './memoryLs.ts';
import { memoryRead } from './memoryRead.ts';
import { memoryRm } from './memoryRm.ts';
import { memoryWrite } from './memoryWrite.ts';
import { patchFile } from './patchFile.ts';
import { readFile } from './readFile.ts';
import { remoteDownload } from './remoteDownload.ts';
import { remoteExec } from './remoteExec.ts';
import { remoteExecBackground, type RunLauncher } from './remoteExecBackground.ts';
import { remoteUpload } from './remoteUpload.ts';
import { showMetrics } from './showMetrics.ts';
import { sleep, type SleepDeps } from './sleep.ts';
import { sweep, type SweepStarter } from './sweep.ts';
import { startMonitor, type StartMonitorDeps } from './startMonitor.ts';
import { stopMonitor, type StopMonitorDeps } from './stopMonitor.ts';
import { taskOutput, type TaskOutputs } from './taskOutput.ts';
import type { Tool } from './tool.ts';
import { webFetch, type PageReader } from './webFetch.ts';
import { webSearch, type WebSearcher } from './webSearch.ts';
import { writeFile } from './writeFile.ts';
import { writeup, type WriteupWriter } from './writeup.ts';

export interface AllToolsDeps {
  readonly launcher: RunLauncher;
  readonly machines: MachineTools & MachineOverview;
  readonly tasks: TaskOutputs & TaskKiller;
  readonly sweeps: SweepStarter;
  readonly measured: MeasuredRuns;
  readonly memory: MemoryStore;
  readonly snapshots: SnapshotKeeper;
  readonly pages: PageReader;
  readonly searcher: WebSearcher;
  readonly consultant: Consultant;
  readonly questions: PersonAsker;
  readonly writer: WriteupWriter;
  readonly experiments: ExperimentJudge;
  readonly code: ExperimentCode;
  readonly sleep: SleepDeps;
  readonly monitor: StartMonitorDeps & StopMonitorDeps;
  readonly finish: Finish;
}

export const allTools = (deps: AllToolsDeps): Tool[] => [
  remoteExec(deps.machines),
  remoteExecBackground(deps.launcher),
  sweep(deps.sweeps),
  taskOutput(deps.tasks),
  killTask(deps.tasks),
  listMachines(deps.machines),
  readFile(deps.machines),
  writeFile(deps.machines),
  patchFile(deps.machines),
  remoteUpload(deps.machines),
  remoteDownload(deps.machines),
  showMetrics(deps.measured),
  compareRuns(deps.measured),
  clearMetrics(deps.measured),
  memoryLs(deps.memory),
  memoryRead(deps.memory),
  memoryWrite(deps.memory),
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
  askPerson(deps.questions),
  writeup(deps.writer),
  startMonitor(deps.monitor),
  stopMonitor(deps.monitor),
  sleep(deps.sleep),
  finish(deps.finish),
];
