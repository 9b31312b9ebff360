/** Number of free run slots on machines. */
import type { Machine } from '../machines/machine.ts';
import type { FreeSlots } from '../runs/leases.ts';

/**
 * Does the same as `freeSlots` in `runs/leases.ts`, which is imported late because a window needs
 * it only when a machine is shown.
 */
export const freeSlots = async (machine: Machine): Promise<FreeSlots> =>
  (await import('../runs/leases.ts')).freeSlots(machine);
