import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'mocha';
import { systemClock, type Clock } from '../../src/base/clock.ts';
import { newRunId, type SessionId } from '../../src/base/ids.ts';
import { LocalMachine } from '../../src/machines/local/localMachine.ts';
import type { Machine } from '../../src/machines/machine.ts';
import type { SlurmEntry } from '../../src/machines/machineEntry.ts';
import { createMachines } from '../../src/machines/list/machineList.ts';
import { SlurmMachine } from '../../src/machines/slurm/slurmMachine.ts';
import type { Run, RunChange } from '../../src/runs/liveRun.ts';
import type { RunSpec, Verdict } from '../../src/runs/run.ts';
import { Runs } from '../../src/runs/runs.ts';
import { until } from '../fakes/scratch.ts';
import { TestSlurm } from '../fakes/slurm.ts';

export type SlurmOptions = Omit<Partial<SlurmEntry>, 'kind'>;

export interface ClusterOptions {
  readonly entry?: SlurmOptions;
  /** The login host; default: this computer. */
  readonly login?: Machine;
  readonly wrap?: (login: Machine) => Machine;
  /** Further variables of the login host. */
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
}

export interface SlurmController {
  readonly runs: Runs;
  readonly changes: RunChange[];
  readonly machine: SlurmMachine;
}

let lastNumber = 0;

/** A cluster for the calling suite, with controllers of runs that are let go of after it. */
export function useSlurm() {
  let slurm: TestSlurm | undefined;
  const controllers: SlurmController[] = [];
  const cluster = (): TestSlurm => slurm ?? assert.fail('The cluster is there while tests run');

  before(async () => {
    slurm = await TestSlurm.start();
  });
  after(async () => {
    for (const { runs } of controllers) runs.dispose();
    await slurm?.dispose();
  });

  return {
    cluster,
    controller(options: ClusterOptions = {}): SlurmController {
      const made = slurmController(cluster(), options);
      controllers.push(made);
      return made;
    },
    spec: (command: string, more: Partial<RunSpec> = {}): RunSpec =>
      slurmSpec(cluster(), command, more),
  };
}

function slurmController(slurm: TestSlurm, options: ClusterOptions): SlurmController {
  const folder = join(slurm.folder, 'home');
  mkdirSync(folder, { recursive: true });
  const env = { ...process.env, ...slurm.env, ...options.env };
  const place = { runsFolder: join(folder, 'runs'), workFolder: folder };
  const local = options.login ?? new LocalMachine({ ...place, env });
  const { clock = systemClock } = options;
  const entry: SlurmEntry = { id: 'hpc', kind: 'slurm', ...options.entry };
  const machine = new SlurmMachine({
    entry,
    login: options.wrap?.(local) ?? local,
    ...place,
    clock,
  });
  const own = join(slurm.folder, `controller-${++lastNumber}`);
  const runs = new Runs({ machines: createMachines([machine]), folder: own, clock });
  const changes: RunChange[] = [];
  runs.onDidChange((change) => changes.push(change));
  return { runs, changes, machine };
}

export const slurmSpec = (
  slurm: TestSlurm,
  command: string,
  more: Partial<RunSpec> = {},
): RunSpec => ({
  id: newRunId(Date.now()),
  sessionId: 's-test00000' as SessionId,
  number: ++lastNumber,
  machineId: 'hpc',
  command,
  cwd: join(slurm.folder, 'home'),
  env: {},
  metrics: {},
  label: '',
  plannedMs: Date.now() + lastNumber,
  ...more,
});

export async function endOf(run: Run, withinMs = 60_000): Promise<Verdict> {
  await until(`${run.spec.command} ends`, () => run.liveness.kind === 'ended', withinMs).catch(
    (error: unknown) => {
      throw new Error(`It does not end: ${JSON.stringify(run.liveness)}`, { cause: error });
    },
  );
  if (run.liveness.kind !== 'ended') throw new Error('not ended');
  return run.liveness.verdict;
}

export const begun = (run: Run): Promise<void> =>
  until('it begins', () => run.process !== undefined);
