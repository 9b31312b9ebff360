/** Data that the metrics panel needs from its creator. */
import type { Event } from '../../base/emitter.ts';
import type { SeriesColumns } from '../../metrics/metric.ts';
import type { PanelState } from '../../protocol/metricsPanel.ts';

export interface PanelSeries extends SeriesColumns {
  /** When the run started, milliseconds since the epoch. */
  readonly startedMs: number;
}

/** The content of the panel. Called often, so it answers from memory or a cache. */
export interface PanelSource {
  state(): PanelState;
  /**
   * All points of one metric of one run, oldest first; `undefined` for an unknown run or metric.
   */
  series(runId: string, metric: string): PanelSeries | undefined | Promise<PanelSeries | undefined>;
  /** Turns reading on or off with the visibility of the panel. */
  setWatched?(isWatched: boolean): void;
  readonly onDidChangeState: Event<void>;
  readonly onDidAddPoints: Event<{ readonly runId: string; readonly metric: string }>;
}

/** A file to save. `parts` can be read once. */
export interface PanelFile {
  readonly kind: 'png' | 'csv';
  readonly name: string;
  readonly parts: AsyncIterable<Uint8Array>;
}

export interface PanelActions {
  openRun(runId: string): void;
  save(file: PanelFile): Promise<void>;
}
