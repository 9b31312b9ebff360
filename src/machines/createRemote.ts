import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { absentMachine } from './absentMachine.ts';
import type { MachinePrompts } from './machinePrompts.ts';
import type { CreateMachine } from './machineRegistry.ts';

export interface RemoteOptions {
  readonly prompts: MachinePrompts;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What connects to the machines of `machines.json`, by their kind. */
export const createRemote =
  (_options: RemoteOptions): CreateMachine =>
  (entry) => ({
    ...absentMachine(entry.id, `Machines of kind ${entry.kind} cannot be reached by this version.`),
    dispose: () => undefined,
  });
