/** Places for runs on machines. */
export { freeSlots } from '../runs/leases.ts';
