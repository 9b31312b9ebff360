import { ConfinementProbes } from '../machines/confinement/confinementProbes.ts';
import type { Machine } from '../machines/machine.ts';

/**
 * Resolves with the reason why commands cannot be confined on a machine; `undefined` if they can.
 * Rejects with `MachineFailure`.
 */
export const whyUnconfined = (machine: Machine): Promise<string | undefined> =>
  new ConfinementProbes().failure(machine);
