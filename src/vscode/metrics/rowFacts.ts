import type { SessionState } from '../../agent/journal/state.ts';
import type { LedgerRow } from '../../experiments/ledger.ts';
import { codeName } from '../../presentation/runs/codeName.ts';
import type { PanelRun } from '../../protocol/metricsPanel.ts';

type Facts = Pick<PanelRun, 'tags' | 'note' | 'startedMs' | 'code'>;

/** Returns what the table of runs shows beside values: the user's words, the start and the code. */
export function rowFacts(
  { annotation, startedMs, experimentId }: LedgerRow,
  { experiments }: Pick<SessionState, 'experiments'>,
): Facts {
  const code = experiments.get(experimentId ?? '')?.plan.code;
  const name = code === undefined ? '' : codeName(code);
  return {
    ...(annotation && annotation.tags.length > 0 && { tags: annotation.tags }),
    ...(annotation && annotation.note !== '' && { note: annotation.note }),
    ...(startedMs !== undefined && { startedMs }),
    ...(name !== '' && { code: name }),
  };
}
