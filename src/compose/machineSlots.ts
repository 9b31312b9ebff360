/** Number of free run slots on machines. */
export { freeSlots } from '../runs/leases.ts';
