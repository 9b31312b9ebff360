import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'mocha';
import { systemClock, type Clock } from '../../src/base/clock.ts';
import type { SessionId } from '../../src/base/ids.ts';
import { LocalMachine } from '../../src/machines/local/localMachine.ts';
import type { SlurmEntry } from '../../src/machines/machineEntry.ts';
import { SlurmMachine } from '../../src/machines/slurm/slurmMachine.ts';
import { enterMemoryGroup, leaveMemoryGroup } from '../fakes/memoryGroup.ts';
import { WarpClock } from '../fakes/warpClock.ts';
import { TestSlurm } from '../fakes/slurm.ts';
import { truthTable, type TruthBed } from './truth.ts';

const clusters: TestSlurm[] = [];
after(async () => {
  for (const slurm of clusters) await slurm.dispose();
  leaveMemoryGroup();
});

async function makeBed(): Promise<TruthBed> {
  const slurm = await TestSlurm.start();
  clusters.push(slurm);
  const workFolder = join(slurm.folder, 'home');
  mkdirSync(workFolder, { recursive: true });
  const place = { runsFolder: join(workFolder, 'runs'), workFolder };
  const open = (clock: Clock, more: Partial<SlurmEntry> = {}): SlurmMachine => {
    const login = new LocalMachine({ ...place, env: { ...process.env, ...slurm.env } });
    return new SlurmMachine({
      entry: { id: 'hpc', kind: 'slurm', ...more },
      login,
      ...place,
      clock,
    });
  };
  return {
    machine: (clock) => Promise.resolve(open(clock)),
    // Jobs enter the group before their supervisor does.
    limitMemory: () => open(systemClock, { prologue: [enterMemoryGroup()] }),
  };
}

/**
 * Its login host is this computer, so nothing comes between; that its node dies is told by Slurm,
 * in other tests.
 */
truthTable('a Slurm cluster', makeBed, { without: ['outage', 'half-open link', 'reboot'] });

const confinement = {
  network: 'all',
  writable: [],
  sessionId: 's-truth0000' as SessionId,
} as const;
truthTable(
  'a Slurm cluster with confined runs',
  async () => {
    const bed = await makeBed();
    const { workFolder } = await bed.machine(new WarpClock());
    return { ...bed, confinement: { ...confinement, writable: [workFolder] } };
  },
  { isVariant: true, without: ['outage', 'half-open link', 'reboot', 'burst'] },
);
