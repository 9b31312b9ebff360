/** Free slots of machines. */
export { freeSlots } from '../runs/leases.ts';
