/**
 * All messages between the metrics panel and its host. The view asks `ready` and draws the answer,
 * then receives deltas. The host never sends more than the pixels need.
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
  /** Shown range of x (steps, or milliseconds since the run's start). Default: all. */
  readonly from?: number;
  readonly to?: number;
  /** Width of the plot in device pixels: the answer has at most four points per pixel. */
  readonly pixels: number;
  /**
   * From 0 to below 1. Above 0 the answer includes the moving average over all points, not only
   * over the drawn ones.
   */
  readonly smoothing?: number;
}

/** Minimum and maximum of each pixel column, in order of x. */
export interface SeriesAnswer {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly nonFinite: readonly { readonly x: number; readonly kind: 'NaN' | 'Inf' | '-Inf' }[];
  /** Number of points of the whole series when it was read; `pointsAdded` continues from it. */
  readonly total: number;
  /**
   * First and last x of the whole series, regardless of the requested range; `undefined` without
   * points.
   */
  readonly extent?: { readonly from: number; readonly to: number };
  /**
   * Present only for a query with smoothing; `ema` is the state to continue from as points are
   * added.
   */
  readonly smooth?: { readonly x: Float64Array; readonly y: Float64Array; readonly ema: Ema };
}

/**
 * The newest points of a series that the view has read. The view reads the series again when `total
 * - values.length` is not its number of points: too many came at once, or the series was rewritten.
 */

export interface PointsAdded {
  readonly runId: string;
  readonly metric: string;
  readonly steps: Float64Array;
  /** Milliseconds since the run's start. */
  readonly times: Float64Array;
  readonly values: Float64Array;
  /** Number of points of the series including these. */
  readonly total: number;
}

export interface PanelProblem {
  readonly message: string;
}

export const ready = new RequestType0<PanelState, PanelProblem>('ready');
export const readSeries = new RequestType<SeriesQuery, SeriesAnswer, PanelProblem>('series.read');
export const stateChanged = new NotificationType<PanelState>('state.changed');
/** Sent at most once per series and animation frame. */
export const pointsAdded = new NotificationType<PointsAdded>('points.added');
export const openRun = new NotificationType<{ readonly runId: string }>('run.opened');
/** Every point of these runs and metrics; the host writes them at full resolution. */
export const saveCsv = new NotificationType<{
  readonly runIds: readonly string[];
  readonly metrics: readonly string[];
}>('csv.saved');
export const saveExport = new NotificationType<{
  readonly kind: 'png' | 'csv';
  readonly name: string;
  readonly base64: string;
}>('export.saved');
