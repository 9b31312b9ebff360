import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'mocha';
import type { SessionId } from '../../src/base/ids.ts';
import { LocalMachine } from '../../src/machines/local/localMachine.ts';
import type { Machine } from '../../src/machines/machine.ts';
import { SshConnection } from '../../src/machines/ssh/sshConnection.ts';
import { SshMachine } from '../../src/machines/ssh/sshMachine.ts';
import { scriptedPrompts, TestSshd } from '../fakes/sshd.ts';
import { confinedBed, isRoot, nobody } from '../fakes/confinedBed.ts';
import { enterMemoryGroup, leaveMemoryGroup } from '../fakes/memoryGroup.ts';
import { truthTable, type TruthBed } from './truth.ts';

const owned: (() => void)[] = [];
after(() => {
  for (const dispose of owned.splice(0)) dispose();
  leaveMemoryGroup();
});

const users: readonly (readonly [string, number | undefined])[] = [
  ['confined local', undefined],
  ...(isRoot ? ([['confined local of another user', nobody]] as const) : []),
];
for (const [name, user] of users)
  truthTable(
    name,
    () => {
      const bed = confinedBed(user);
      owned.push(() => bed.dispose());
      return Promise.resolve<TruthBed>({
        machine: (clock) => Promise.resolve(bed.machine(clock)),
        confinement: bed.confinement,
        limitMemory: (machine) => limitMemory(machine, bed.step),
      });
    },
    { isVariant: true, without: ['outage', 'half-open link'] },
  );

truthTable(
  'confined SSH',
  async () => {
    const sshd = await TestSshd.start();
    owned.push(() => void sshd.dispose());
    const homeFolder = join(sshd.folder, 'home');
    const workFolder = join(homeFolder, 'work');
    mkdirSync(workFolder);
    return {
      confinement: { network: 'all', writable: ['~/work'], sessionId: 's-ssh' as SessionId },
      machine(clock) {
        const connection = new SshConnection(sshd.target(), { ...scriptedPrompts(), clock });
        const machine = new SshMachine({ id: 'gpu1', connection, homeFolder, workFolder, clock });
        owned.push(() => connection.dispose());
        return Promise.resolve(machine);
      },
    };
  },
  { isVariant: true, without: ['outage', 'half-open link', 'out of memory', 'burst'] },
);

/** Supervisors are started in a control group with little memory, which only root may enter. */
function limitMemory(machine: Machine, step: readonly string[]): Machine {
  const enter = `${enterMemoryGroup()} && exec "$@"`;
  const spawn = LocalMachine.prototype.spawnDetached.bind(machine);
  return Object.assign(machine, {
    spawnDetached: ((argv, options) =>
      spawn(
        ['/bin/sh', '-c', enter, 'sh', ...step, ...argv],
        options,
      )) satisfies Machine['spawnDetached'],
  });
}
