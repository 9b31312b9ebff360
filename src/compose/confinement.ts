import { ConfinementProbes } from '../machines/confinement/confinementProbes.ts';
import type { Confinement } from '../machines/confinement/policy.ts';
import type { Machine } from '../machines/machine.ts';

/**
 * Resolves with the reason why commands cannot be confined to `network` on a machine; `undefined`
 * if they can. Rejects with `MachineFailure`.
 */
export const whyUnconfined = (
  machine: Machine,
  network: Confinement['network'],
): Promise<string | undefined> => new ConfinementProbes().failure(machine, network);
