/** What connects to the machines of `machines.json`, by their kind. */
import { ContainerWay, type ContainerWayOptions } from './container/containerMachine.ts';
import type { MachineShare } from './machine.ts';
import { LazyMachine, type Way } from './lazyMachine.ts';
import type { MachineEntry } from './machineEntry.ts';
import type { CreateMachine } from './list/machineRegistry.ts';
import { SlurmWay } from './slurm/slurmWay.ts';
import { SshWay, type SshWayOptions } from './ssh/sshWay.ts';

export type RemoteOptions = SshWayOptions & ContainerWayOptions;

export const createRemote =
  (options: RemoteOptions): CreateMachine =>
  (entry) =>
    new LazyMachine({
      id: entry.id,
      kind: entry.kind,
      share: shareOf(entry),
      ...(entry.kind === 'slurm' && { queue: { mayRequeue: entry.requeue === true } }),
      clock: options.clock,
      way: wayTo(entry, options),
    });

/** Jobs of a cluster share nothing that we could deal out: its scheduler does. */
function shareOf(entry: MachineEntry): MachineShare {
  switch (entry.kind) {
    case 'ssh':
      return { slots: entry.slots, gpuIds: entry.gpuIds };
    case 'container':
      return { slots: entry.slots };
    case 'slurm':
      return {};
  }
}

function wayTo(entry: MachineEntry, options: RemoteOptions): Way {
  switch (entry.kind) {
    case 'ssh':
      return new SshWay(entry, options);
    case 'slurm':
      return new SlurmWay(entry, options);
    case 'container':
      return new ContainerWay(entry, options);
  }
}
