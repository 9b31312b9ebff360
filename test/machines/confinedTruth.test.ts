import { after } from 'mocha';
import { LocalMachine } from '../../src/machines/local/localMachine.ts';
import type { Machine } from '../../src/machines/machine.ts';
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
    { without: ['outage', 'half-open link'] },
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
