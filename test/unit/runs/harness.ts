import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach } from 'mocha';
import { systemClock, type Clock } from '../../../src/base/clock.ts';
import { newRunId, type SessionId } from '../../../src/base/ids.ts';
import { LocalMachine } from '../../../src/machines/local/localMachine.ts';
import type { Machine } from '../../../src/machines/machine.ts';
import { createMachines } from '../../../src/machines/list/machineList.ts';
import type { Run, RunChange } from '../../../src/runs/liveRun.ts';
import type { RunSpec, Verdict } from '../../../src/runs/run.ts';
import { Runs } from '../../../src/runs/runs.ts';
import { scratchFolder, until } from '../../fakes/scratch.ts';
import { procFolder } from '../../setup/proc.ts';

export interface Controller {
  readonly runs: Runs;
  readonly changes: RunChange[];
  readonly machine: Machine;
}

let lastNumber = 0;

/**
 * A folder with controllers of runs; after each test every run is ended and every controller let go
 * of.
 */
export function useRuns() {
  let controllers: Controller[] = [];

  // Before the folder is removed: ending a run needs its supervisor.
  afterEach(async () => {
    const left = controllers.flatMap(({ runs }) => runs.all().map((run) => ({ runs, run })));
    const living = left.filter(({ run }) => run.liveness.kind !== 'ended');
    const kill = { signal: 'KILL', graceMs: 0 };
    await Promise.all(living.map(({ runs, run }) => runs.kill(run, kill).catch(() => undefined)));
    for (const { runs } of controllers) runs.dispose();
    controllers = [];
  });
  const folder = scratchFolder();

  function controller(
    clock: Clock = systemClock,
    wrap = (machine: Machine): Machine => machine,
  ): Controller {
    const machine = wrap(
      new LocalMachine({ runsFolder: join(folder(), 'runs'), workFolder: folder() }),
    );
    const runs = new Runs({
      machines: createMachines([machine]),
      folder: join(folder(), 'runs'),
      clock,
    });
    const changes: RunChange[] = [];
    runs.onDidChange((change) => changes.push(change));
    const made = { runs, changes, machine };
    controllers.push(made);
    return made;
  }

  const spec = (command: string, more: Partial<RunSpec> = {}): RunSpec => ({
    id: newRunId(Date.now()),
    sessionId: 's-test00000' as SessionId,
    number: ++lastNumber,
    machineId: 'local',
    command,
    cwd: folder(),
    env: {},
    metrics: {},
    label: '',
    plannedMs: Date.now() + lastNumber,
    ...more,
  });

  return { folder, controller, spec };
}

export async function ended(run: Run): Promise<Verdict> {
  await until(`${run.spec.command} ends`, () => run.liveness.kind === 'ended');
  if (run.liveness.kind !== 'ended') throw new Error('not ended');
  return run.liveness.verdict;
}

/** Starts the words after it in a session of their own, as `setsid` does, which a Mac has not. */
export const apart = `perl -MPOSIX -e 'setsid();exec(@ARGV)'`;

/** Field `index` (from 0, after the name) of a process; `undefined` when it is gone. */
export function statField(pid: number, index: number): string | undefined {
  try {
    const stat = readFileSync(`${procFolder}/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[index];
  } catch {
    return undefined;
  }
}

export const isAlive = (pid: number): boolean => !['Z', 'X', undefined].includes(statField(pid, 0));
export const parentOf = (pid: number): number => Number(statField(pid, 1));
