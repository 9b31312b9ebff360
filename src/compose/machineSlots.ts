/** Number of free run slots on machines. */
import type { Machine } from '../machines/machine.ts';
import type { FreeSlots } from '../runs/leases.ts';

/** As `freeSlots` of the leases, whose script a window does not need until a machine is shown. */
export const freeSlots = async (machine: Machine): Promise<FreeSlots> =>
  (await import('../runs/leases.ts')).freeSlots(machine);
