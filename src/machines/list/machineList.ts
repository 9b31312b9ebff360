import { MachineFailure, type Machine, type Machines } from '../machine.ts';

/** Creates a fixed list of machines. Throws when two machines have the same id. */
export function createMachines(list: readonly Machine[]): Machines {
  const byId = new Map(list.map((machine) => [machine.id, machine]));
  if (byId.size !== list.length) throw new Error('Two machines have the same id');
  return {
    list: () => list,
    get(id) {
      const machine = byId.get(id);
      if (machine) return machine;
      throw new MachineFailure(
        'unknown_machine',
        `There is no machine "${id}". Machines: ${[...byId.keys()].join(', ')}.`,
      );
    },
  };
}
