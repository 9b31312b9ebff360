/** Facts about a session and its runs that are not in the journal. */
import type { SessionState } from '../../agent/journal/state.ts';
import type { RunId } from '../../base/ids.ts';
import type { Ledger } from '../../experiments/ledger.ts';
import type { GpuTime } from '../../machines/resources/gpuTimes.ts';
import type { Liveness } from '../../runs/run.ts';

/**
 * Facts about a run that are not in its ledger row. Available while this window follows the run.
 */
export interface RunFacts {
  readonly liveness: Liveness;
  readonly gpuTime?: GpuTime | undefined;
}

export type FactsOf = (runId: RunId) => RunFacts | undefined;

export interface OpenSessionView {
  readonly state: SessionState;
  readonly ledger: Ledger;
  /** Returns the facts of a run. Omitted if the session is not open in this window. */
  readonly facts?: FactsOf;
}
