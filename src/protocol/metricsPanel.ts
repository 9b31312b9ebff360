/**
 * The whole conversation between the metrics panel and its host. The view asks `ready` and draws
 * the answer; then it receives deltas. The host sends at most what the pixels need, never more.
 */
import { NotificationType, RequestType, RequestType0 } from 'vscode-jsonrpc';
import type { Ema } from './ema.ts';

export type XAxis = 'step' | 'time';

export interface PanelRun {
  readonly id: string;
  /** `run 7`. */
  readonly name: string;
  readonly label: string;
  readonly machine: string;
  readonly isRunning: boolean;
  /** `running`, `ok`, `failed (exit code 3)` … */
  readonly status: string;
  readonly isGood: boolean;
  readonly isChampion: boolean;
  readonly startedMs: number;
  /** By metric name. Non-finite values arrive as the strings `NaN`, `Inf`, `-Inf`. */
  readonly metrics: Readonly<Record<string, PanelMetricValue>>;
}

export interface PanelMetricValue {
  readonly last: string;
  readonly best: string;
  readonly points: number;
}

export interface PanelMetric {
  readonly name: string;
  readonly direction: 'lower' | 'higher' | 'none';
  /** The goal's threshold, drawn as a dashed line. */
  readonly target?: number;
}

export interface PanelState {
  readonly sessionId: string;
  readonly title: string;
  readonly runs: readonly PanelRun[];
  readonly metrics: readonly PanelMetric[];
}

export interface SeriesQuery {
  readonly runId: string;
  readonly metric: string;
  readonly axis: XAxis;
  /** Shown range of x (steps, or milliseconds since the run's start); absent: all. */
  readonly from?: number;
  readonly to?: number;
  /** Width of the plot in device pixels: the answer has at most four points for each. */
  readonly pixels: number;
  /**
   * From 0 to below 1. Above 0 the answer also has the moving average over all points, not only
   * over the drawn ones.
   */
  readonly smoothing?: number;
}

/** min and max of each pixel column, in order of x. */
export interface SeriesAnswer {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly nonFinite: readonly { readonly x: number; readonly kind: 'NaN' | 'Inf' | '-Inf' }[];
  /** Points of the whole series when this was read: what `pointsAdded` counts on from. */
  readonly total: number;
  /**
   * First and last x of the whole series, whatever part was asked for; absent where it has no
   * points.
   */
  readonly extent?: { readonly from: number; readonly to: number };
  /**
   * Only where smoothing was asked for; `ema` is where the average stands, to go on with as points
   * are added.
   */
  readonly smooth?: { readonly x: Float64Array; readonly y: Float64Array; readonly ema: Ema };
}

/**
 * The newest points of a series that the view has read. When `total - values.length` is not the
 * number of points that the view knows of (too many came at once, or the series was rewritten), the
 * view reads the series again.
 */

export interface PointsAdded {
  readonly runId: string;
  readonly metric: string;
  readonly steps: Float64Array;
  /** Milliseconds since the run's start. */
  readonly times: Float64Array;
  readonly values: Float64Array;
  /** Number of points of the series after these. */
  readonly total: number;
}

export interface PanelProblem {
  readonly message: string;
}

export const ready = new RequestType0<PanelState, PanelProblem>('ready');
export const readSeries = new RequestType<SeriesQuery, SeriesAnswer, PanelProblem>('series.read');
export const stateChanged = new NotificationType<PanelState>('state.changed');
/** At most one per series and animation frame. */
export const pointsAdded = new NotificationType<PointsAdded>('points.added');
export const openRun = new NotificationType<{ readonly runId: string }>('run.opened');
/** Every point of these runs and metrics, written by the host at full resolution. */
export const saveCsv = new NotificationType<{
  readonly runIds: readonly string[];
  readonly metrics: readonly string[];
}>('csv.saved');
export const saveExport = new NotificationType<{
  readonly kind: 'png' | 'csv';
  readonly name: string;
  readonly base64: string;
}>('export.saved');
