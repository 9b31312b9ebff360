/** The data that the creator of a metrics panel supplies. */
import type { Event } from '../../base/emitter.ts';
import type { AnnotationChange } from '../../experiments/runAnnotation.ts';
import type { SeriesColumns } from '../../metrics/metric.ts';
import type { SampledSeries } from '../../metrics/series/sampledSeries.ts';
import type { MatteredAnswer } from '../../protocol/mattered.ts';
import type { PanelState } from '../../protocol/metricsPanel.ts';

/** Points of one metric of one run: all points, or a sample if `sampled` is present. */
export interface PanelSeries extends SeriesColumns {
  /** Start of the run, in milliseconds since the epoch. */
  readonly startedMs: number;
  /** Reads the points of a series that is too long for memory. */
  readonly sampled?: SampledSeries | undefined;
}

/** Returns the number of points of the whole series. */
export const countOf = ({ sampled, values }: PanelSeries): number =>
  sampled?.count ?? values.length;

/**
 * The data of the panel. The methods are called often, so implementations return data from memory
 * or a cache.
 */
export interface PanelSource {
  state(): PanelState;
  /**
   * Returns the points of one metric of one run, oldest first; `undefined` for an unknown run or
   * metric.
   */
  series(runId: string, metric: string): PanelSeries | undefined | Promise<PanelSeries | undefined>;
  /**
   * Changes the user's tags and notes on runs. Resolves when the change is on disk. Rejects with
   * `UserFacing`.
   */
  annotate?(runIds: readonly string[], change: AnnotationChange): Promise<void>;

  /** Estimates which parameters of these runs mattered. */
  mattered(runIds: readonly string[]): Promise<MatteredAnswer>;

  /**
   * Shows the runs of these sessions beside those of the panel's session. Rejects if a session
   * cannot be read.
   */
  setSessions?(sessionIds: readonly string[]): Promise<void>;
  /** Starts or stops polling the session's files. Called with true while the panel is visible. */
  setWatched?(isWatched: boolean): void;
  readonly onDidChangeState: Event<void>;
  readonly onDidAddPoints: Event<{ readonly runId: string; readonly metric: string }>;
}

/** A file to save. `parts` can be read only once. */
export interface PanelFile {
  readonly kind: 'png' | 'csv';
  readonly name: string;
  readonly parts: AsyncIterable<Uint8Array>;
}

export interface PanelActions {
  openRun(runId: string): void;
  save(file: PanelFile): Promise<void>;
  /**
   * Lets the user choose the sessions whose runs are shown beside those of the panel's session.
   * Resolves with their ids; with `undefined` if the user cancels.
   */
  chooseSessions?(sessionIds: readonly string[]): Promise<readonly string[] | undefined>;
}
