import path from 'node:path';
import type { Disposable, DisposableStore } from '../../base/disposable.ts';
import { ExperimentCodeStore } from '../../experiments/git/experimentCodeStore.ts';
import { defaultLimits, type LeaveOutLimits } from '../../experiments/git/leaveOut.ts';
import type { Machines } from '../../machines/machine.ts';
import { MemoryStore } from '../../memory/memoryStore.ts';
import { Sleeper } from '../../sleep/sleeper.ts';
import type { EngineSettings } from '../contract/settings.ts';
import { Experiments } from '../experiments/experiments.ts';
import { comparedTrees } from '../experiments/comparedTrees.ts';
import { LaunchedCode } from '../experiments/launchedCode.ts';
import { Imports } from '../experiments/imports.ts';
import { watchTarget } from '../experiments/targetWatch.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import { createSleepPorts } from '../loop/sleepPorts.ts';
import { Waiting } from '../loop/waiting.ts';
import type { Confining } from '../runs/confining.ts';
import { GitGuard } from '../runs/gitGuard.ts';
import { Outages } from '../runs/outages.ts';
import { warnOfPlace } from '../runs/placeNotice.ts';
import { RunWatchdogs } from '../runs/runWatchdogs.ts';
import { SessionRuns } from '../runs/sessionRuns.ts';
import { Standstills } from '../runs/standstills.ts';
import { Sweeps } from '../runs/sweeps.ts';
import { watchdogPolicy } from '../runs/watchdogSettings.ts';
import { Questions } from '../user/questions.ts';
import { SessionNotices } from '../user/sessionNotices.ts';
import { createConfining } from './sessionConfinement.ts';
import { runMinutesFor } from './projectSettings.ts';
import type { PartsRequest } from './sessionDeps.ts';

/**
 * Components that react to events of the session, each for one purpose. They exist while the
 * session is open in this process.
 */
export interface SessionListeners {
  readonly machines: Machines;
  readonly sessionRuns: SessionRuns;
  readonly sweeps: Sweeps;
  readonly questions: Questions;
  readonly notices: SessionNotices;
  readonly experiments: Experiments;
  readonly imports: Imports;
  readonly memory: MemoryStore;
  readonly standstills: Standstills;
  readonly waiting: Waiting;
  readonly watches: RunWatchdogs;
  readonly git: GitGuard;
  readonly confining: Confining;
  limits(): LeaveOutLimits;
}

const keptLimits = ({ maxKeptFileBytes }: EngineSettings): LeaveOutLimits => ({
  ...defaultLimits,
  ...(maxKeptFileBytes !== undefined && { maxFileBytes: maxKeptFileBytes }),
});

export function createListeners(request: PartsRequest, owned: DisposableStore): SessionListeners {
  const { shared, hooks, log, project } = request;
  const { clock, runs } = shared;
  const machines = shared.machinesIn(log.state.workFolder);
  const onFailed = (error: unknown): void => hooks.fail(error);
  const git = new GitGuard(() => shared.settings().protectsGit !== false);
  const runEnv = git.runEnv.bind(git);
  const { id: sessionId, workFolder } = log.state;
  const confining = createConfining(shared, { sessionId, workFolder, project, log });
  const maxMinutes = (): number | undefined => runMinutesFor(shared.settings(), project);
  const runsDeps = { sessionId, log, runs, machines, clock, runEnv, confining, maxMinutes };
  const sessionRuns = owned.add(new SessionRuns({ ...runsDeps, onFailed }));
  const standstills = owned.add(new Standstills({ ...shared, log, onFailed }));
  const sweeps = owned.add(
    new Sweeps({ log, sessionRuns, runs, machines, clock, standstills, onFailed }),
  );
  const questions = owned.add(new Questions({ log, clock, onFailed }));
  const notices = owned.add(new SessionNotices({ ...shared, log, ...(project && { project }) }));
  const limits = (): LeaveOutLimits => keptLimits(shared.settings());
  const compared = (): readonly string[] => comparedTrees(log.state);
  const store = new ExperimentCodeStore({ sessionId, clock, limits, compared });
  const code = new LaunchedCode({ log, machines, clock, store });
  const experiments = owned.add(
    new Experiments({ ...shared, log, sessionRuns, machines, code, onFailed }),
  );
  const memory = owned.add(createMemory(request));
  const waiting = createWaiting(request, { machines, sessionRuns, sweeps, standstills }, owned);
  owned.add(new Outages({ log, runs, sessionRuns, clock, onFailed }));
  owned.add(watchTarget({ log, ledger: () => sessionRuns.ledger(), onFailed }));
  owned.add(warnOfPlace({ ...shared, log, onFailed }));
  const policy = watchdogPolicy(shared.settings(), request.project);
  const watches = owned.add(
    new RunWatchdogs({ ...shared, log, sessionRuns, questions, waiting, policy, onFailed }),
  );
  return {
    machines,
    sessionRuns,
    standstills,
    sweeps,
    questions,
    notices,
    experiments,
    imports: new Imports({ log, folder: request.folder, machines }),
    memory,
    waiting,
    watches,
    git,
    confining,
    limits,
  };
}

function createWaiting(
  { shared, hooks, log }: PartsRequest,
  parts: Pick<SessionListeners, 'machines' | 'sessionRuns' | 'sweeps' | 'standstills'>,
  owned: DisposableStore,
): Waiting {
  const { clock } = shared;
  const ports = owned.add(createSleepPorts({ ...shared, ...parts, log }));
  const sleeper = owned.add(new Sleeper(ports, clock));
  const onAwake = (): void => hooks.goOn();
  const onFailed = (error: unknown): void => hooks.fail(error);
  const waiting = owned.add(new Waiting({ ...parts, log, sleeper, clock, onAwake, onFailed }));
  owned.add(wakeWhenPaused(log, waiting));
  return waiting;
}

const wakeWhenPaused = (log: SessionLog, waiting: Waiting): Disposable =>
  log.onDidRecord(({ type }) => {
    if (type === 'sweep.paused') waiting.alarm();
  });

const createMemory = ({
  shared: { memoryFolders, clock },
  log,
  folder,
}: PartsRequest): MemoryStore =>
  new MemoryStore({
    sessionFolder: path.join(folder, 'memory'),
    projectFolder: memoryFolders.project(log.state.workFolder),
    globalFolder: memoryFolders.global,
    clock,
  });
