import { join } from 'node:path';
import { afterEach } from 'mocha';
import { systemClock } from '../../../src/base/clock.ts';
import { newRunId } from '../../../src/base/ids.ts';
import type { Machines } from '../../../src/machines/machine.ts';
import type { Run } from '../../../src/runs/liveRun.ts';
import { Runs } from '../../../src/runs/runs.ts';
import type { TaskKiller } from '../../../src/tools/runs/killTask.ts';
import type { RunLauncher, RunRequest } from '../../../src/tools/runs/remoteExecBackground.ts';
import type { SweepStarter } from '../../../src/tools/runs/sweep.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { localOnly, sessionId } from './machineTools.harness.ts';

export interface Tasks {
  readonly machines: Machines;
  readonly runs: NamedRuns;
  readonly launcher: RunLauncher;
  readonly sweeps: TaskKiller['sweeps'];
  /** What the tools asked to be launched. */
  readonly requests: RunRequest[];
}

/** Refuses to start a sweep. */
export const noSweeps: SweepStarter = {
  machines: { list: () => [], get: unexpected },
  start: unexpected,
};

function unexpected(): never {
  throw new Error('no sweep was expected');
}

/** Finds a run as its session would. */
class NamedRuns extends Runs {
  queued(): undefined {
    return undefined;
  }
  cancel(): Promise<boolean> {
    return Promise.resolve(false);
  }
  find(reference: string): Run | undefined {
    return this.all().findLast(
      ({ spec, handle }) =>
        spec.id === reference || handle === reference || `run ${spec.number}` === reference,
    );
  }
}

/** Real runs, planned and numbered as a session would; ended after each test. */
export function useTasks(): { folder: () => string; tasks: () => Tasks } {
  let made: Tasks | undefined;
  afterEach(async () => {
    if (!made) return;
    const { runs } = made;
    made = undefined;
    const living = runs.all().filter((run) => run.liveness.kind !== 'ended');
    await Promise.all(living.map((run) => runs.kill(run, { signal: 'KILL', graceMs: 0 })));
    runs.dispose();
  });
  const folder = scratchFolder();
  return { folder, tasks: () => (made ??= make(folder())) };
}

function make(folder: string): Tasks {
  const machines = localOnly(folder);
  const runs = new NamedRuns({ machines, folder: join(folder, 'runs'), clock: systemClock });
  const requests: RunRequest[] = [];
  const launcher: RunLauncher = {
    machines,
    async launch(request) {
      requests.push(request);
      const run = await runs.launch({
        id: newRunId(Date.now()),
        sessionId,
        number: requests.length,
        env: {},
        plannedMs: Date.now() + requests.length,
        ...request,
        cwd: request.cwd ?? folder,
        label: request.label ?? '',
      });
      return { run, notes: [] };
    },
  };
  const sweeps = {
    find: () => undefined,
    table: () => '',
    stop: () => Promise.resolve([]),
    resume: () => Promise.resolve(false),
    isOver: () => false,
  };
  return { machines, runs, launcher, sweeps, requests };
}
