/** Creates a machine from its entry in `machines.json`, according to the entry's kind. */
import {
  ContainerConnector,
  type ContainerConnectorOptions,
} from './container/containerMachine.ts';
import { remoteSetup } from './environment/machineSetup.ts';
import type { MachineShare } from './machine.ts';
import { LazyMachine, type Connector } from './lazyMachine.ts';
import type { MachineEntry } from './machineEntry.ts';
import type { CreateMachine } from './list/machineRegistry.ts';
import { SlurmConnector } from './slurm/slurmConnector.ts';
import { SshConnector, type SshConnectorOptions } from './ssh/sshConnector.ts';

export type RemoteOptions = SshConnectorOptions & ContainerConnectorOptions;

export const createRemote =
  (options: RemoteOptions): CreateMachine =>
  (entry) =>
    new LazyMachine({
      id: entry.id,
      kind: entry.kind,
      share: shareOf(entry),
      setup: remoteSetup(entry, process.env),
      ...(entry.kind === 'slurm' && { queue: { mayRequeue: entry.requeue === true } }),
      clock: options.clock,
      connector: connectorTo(entry, options),
    });

/**
 * Returns the resources that parallel runs share on a machine. Empty for a cluster, whose scheduler
 * assigns resources.
 */
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

function connectorTo(entry: MachineEntry, options: RemoteOptions): Connector {
  switch (entry.kind) {
    case 'ssh':
      return new SshConnector(entry, options);
    case 'slurm':
      return new SlurmConnector(entry, options);
    case 'container':
      return new ContainerConnector(entry, options);
  }
}
