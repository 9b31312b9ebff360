import type { RunId } from '../../base/ids.ts';
import type { Ledger } from '../../experiments/ledger.ts';
import type { MetricSummary } from '../../metrics/metric.ts';
import { readSavedMetrics } from '../../metrics/savedMetrics.ts';
import type { Home } from '../../storage/home.ts';
import type { RunState, SessionState } from '../journal/state.ts';
import { ledgerOf } from './sessionLedger.ts';

/**
 * Resolves with the ledger of a session that is not open in this process. Active runs have their
 * latest metrics.
 */
export async function foreignLedger(
  home: Pick<Home, 'runFolder'>,
  state: SessionState,
): Promise<Ledger> {
  const going = [...state.runs.values()].filter(isGoing);
  const read = await Promise.all(
    going.map(async (run) => [run.spec.id, await printed(home, run)] as const),
  );
  const values = new Map<RunId, readonly MetricSummary[]>(read);
  return ledgerOf(state, ({ spec, metrics }) => values.get(spec.id) ?? metrics);
}

/**
 * Resolves with the metrics saved by the process that follows the run. If the saved metrics cannot
 * be read, resolves with the metrics in the journal; the process that writes the metrics reports
 * problems with the file.
 */
const printed = (
  home: Pick<Home, 'runFolder'>,
  { spec, metrics }: RunState,
): Promise<readonly MetricSummary[]> =>
  readSavedMetrics(home.runFolder(spec.id), spec.metrics).then(
    (read) => read?.summaries() ?? metrics,
    () => metrics,
  );

export const isGoing = ({ process, verdict, notStarted }: RunState): boolean =>
  process !== undefined && verdict === undefined && notStarted === undefined;
