/** What the metrics panel needs from whoever opens it. */
import type { Event } from '../../base/emitter.ts';
import type { SeriesColumns } from '../../metrics/metric.ts';
import type { PanelState } from '../../protocol/metricsPanel.ts';

export interface PanelSeries extends SeriesColumns {
  /** When the run started, milliseconds since the epoch. */
  readonly startedMs: number;
}

/** What the panel shows. Asked often, so it answers from memory or from what it has cached. */
export interface PanelSource {
  state(): PanelState;
  /**
   * All points of one metric of one run, oldest first; `undefined` for a run or metric that does
   * not exist.
   */
  series(runId: string, metric: string): PanelSeries | undefined | Promise<PanelSeries | undefined>;
  /** While nobody looks, nothing needs to be read. */
  setWatched?(isWatched: boolean): void;
  readonly onDidChangeState: Event<void>;
  readonly onDidAddPoints: Event<{ readonly runId: string; readonly metric: string }>;
}

/** A file to offer the user. `parts` may be read once. */
export interface PanelFile {
  readonly kind: 'png' | 'csv';
  readonly name: string;
  readonly parts: AsyncIterable<Uint8Array>;
}

export interface PanelActions {
  openRun(runId: string): void;
  save(file: PanelFile): Promise<void>;
}
