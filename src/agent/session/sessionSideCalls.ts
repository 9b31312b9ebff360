import { duckDuckGoSearch } from '../../web/search.ts';
import type { BudgetGuard } from '../budget/guard.ts';
import { createConsultations } from '../consult/consultations.ts';
import { createWebSearches } from '../consult/webSearches.ts';
import type { PartsRequest } from './sessionDeps.ts';
import { createCalls } from './sessionAccount.ts';
import { providerOf } from './sessionModels.ts';
import type { ToolsetDeps } from './toolsetDeps.ts';

/**
 * Creates the services for tools that use no machine: web pages, web searches, second opinions and
 * write-ups.
 */
export function createSideCalls(
  request: PartsRequest,
  budget: BudgetGuard,
): ToolsetDeps['consult'] {
  const { shared, log } = request;
  const { pages } = shared;
  const calls = createCalls(request, budget);
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
