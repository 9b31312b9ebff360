import { UserFacing } from '../../base/errors.ts';
import type { Budget } from '../journal/events.ts';

/** Returns the budget. Throws `UserFacing` if a limit is not a number above 0. */
export function checkedBudget(budget: Budget): Budget {
  const { experiment = {}, ...goal } = budget;
  for (const [name, value] of [...Object.entries(goal), ...Object.entries(experiment)]) {
    if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) {
      throw new UserFacing(`The limit ${name} must be a number above 0, not ${String(value)}.`);
    }
  }
  return budget;
}
