import { ToolFailure, UserFacing } from '../../base/errors.ts';
import { withSearches } from '../../models/prices.ts';
import type { BudgetGuard } from '../budget/guard.ts';
import { writeAccount } from '../consult/accounts.ts';
import { SideCalls } from '../consult/sideCalls.ts';
import type { SessionEvent } from '../journal/events.ts';
import type { PartsRequest } from './sessionDeps.ts';
import { costFor, providerOf } from './sessionModels.ts';

/** Creates the service for paid model calls of a session outside its conversation. */
export const createCalls = ({ shared, log }: PartsRequest, budget: BudgetGuard): SideCalls =>
  new SideCalls({
    budget,
    cost: (id, { model, usage, searches = 0 }) =>
      withSearches(costFor(shared, id, { model, usage }), id, searches),
    record: (event) => log.record(event),
  });

/** Asks the session's model for its account: see `Session.writeAccount`. */
export async function accountOf(
  request: PartsRequest,
  budget: BudgetGuard,
  signal = new AbortController().signal,
): Promise<void> {
  const { shared, log } = request;
  const { provider, model, effort } = log.state;
  const own = { provider: providerOf(shared, provider), model, ...(effort && { effort }) };
  const deps = {
    calls: createCalls(request, budget),
    clock: shared.clock,
    own,
    facts: () => shared.reports.brief(log.state.id),
    record: (event: SessionEvent) => log.record(event),
  };
  try {
    await writeAccount(deps, signal);
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    throw new UserFacing(
      `The account was not written: ${error.message.replace(' Continue without it.', '')}`,
      'The reports can be written without it.',
    );
  }
}
