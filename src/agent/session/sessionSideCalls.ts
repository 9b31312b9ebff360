import { withSearches } from '../../models/prices.ts';
import { duckDuckGoSearch } from '../../web/search.ts';
import type { BudgetGuard } from '../budget/guard.ts';
import { createConsultations } from '../consult/consultations.ts';
import { SideCalls } from '../consult/sideCalls.ts';
import { createWebSearches } from '../consult/webSearches.ts';
import type { PartsRequest } from './sessionDeps.ts';
import { costFor, providerOf } from './sessionModels.ts';
import type { ToolsetDeps } from './toolsetDeps.ts';

/**
 * Creates the services for tools that use no machine: web pages, web searches, second opinions and
 * write-ups.
 */
export function createSideCalls(
  { shared, log }: PartsRequest,
  budget: BudgetGuard,
): ToolsetDeps['consult'] {
  const { pages } = shared;
  const calls = new SideCalls({
    budget,
    cost: (id, { model, usage, searches = 0 }) =>
      withSearches(costFor(shared, id, { model, usage }), id, searches),
    record: (event) => log.record(event),
  });
  return {
    pages,
    searcher: createWebSearches({
      ...shared,
      calls,
      keyless: duckDuckGoSearch(shared.web),
      own: () => ({ provider: providerOf(shared, log.state.provider), model: log.state.model }),
    }),
    consultant: createConsultations({ ...shared, calls, own: () => log.state.provider }),
    writer: { write: (notes) => shared.reports.writeup(log.state.id, notes) },
  };
}
