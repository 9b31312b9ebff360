import { withoutUntrustedMarks } from '../base/untrusted.ts';
import { ConfinementProbes } from '../machines/confinement/confinementProbes.ts';
import type { Confinement } from '../machines/confinement/policy.ts';
import type { Machine } from '../machines/machine.ts';

/**
 * Resolves with the reason, for the user, why commands cannot be confined to `network` on a
 * machine; `undefined` if they can. Rejects with `MachineFailure`.
 */
export async function whyUnconfined(
  machine: Machine,
  network: Confinement['network'],
): Promise<string | undefined> {
  const why = await new ConfinementProbes().failure(machine, network);
  return why && withoutUntrustedMarks(why);
}
