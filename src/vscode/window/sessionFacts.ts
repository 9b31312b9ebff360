/** Facts of a session and its runs that the journal does not have. */
import type { SessionState } from '../../agent/journal/state.ts';
import type { RunId } from '../../base/ids.ts';
import type { Ledger } from '../../experiments/ledger.ts';
import type { GpuTime } from '../../machines/resources/gpuTimes.ts';
import type { Liveness } from '../../runs/run.ts';

/** Facts of a run in addition to its ledger row, while this window follows it. */
export interface RunFacts {
  readonly liveness: Liveness;
  readonly gpuTime?: GpuTime | undefined;
}

export type FactsOf = (runId: RunId) => RunFacts | undefined;

export interface OpenSessionView {
  readonly state: SessionState;
  readonly ledger: Ledger;
  /** `undefined` where the runs are not followed. */
  readonly facts?: FactsOf;
}
