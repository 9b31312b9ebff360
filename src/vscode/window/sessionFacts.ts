/** What views know of a session and its runs beside the journal. */
import type { SessionState } from '../../agent/journal/state.ts';
import type { RunId } from '../../base/ids.ts';
import type { Ledger } from '../../experiments/ledger.ts';
import type { GpuTime } from '../../machines/resources/gpuTimes.ts';
import type { Liveness } from '../../runs/run.ts';

/** What is known of a run beside its ledger row, while this window follows it. */
export interface RunFacts {
  readonly liveness: Liveness;
  readonly gpuTime?: GpuTime | undefined;
}

export type FactsOf = (runId: RunId) => RunFacts | undefined;

export interface OpenSessionView {
  readonly state: SessionState;
  readonly ledger: Ledger;
  /** Absent where nobody follows its runs. */
  readonly facts?: FactsOf;
}
