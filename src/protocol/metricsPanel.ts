/**
 * The messages between the metrics panel and its host, except `state.changed` in `panelDelta.ts`.
 * The view requests `ready`, draws the answer, and then receives changes. The host never sends more
 * points than the view's pixels can show.
 */
import { NotificationType, RequestType, RequestType0 } from 'vscode-jsonrpc';
import type { Ema } from './ema.ts';
import type { MatteredAnswer, MatteredQuery } from './mattered.ts';

/**
 * Horizontal axis: steps; milliseconds since the start of the run, or since the epoch (`clock`);
 * or the values of a metric that never decreases, such as `metric:tokens`.
 */
export type XAxis = 'step' | 'time' | 'clock' | `metric:${string}`;

/** Returns the metric of an axis; `undefined` for steps and times. */
export const axisMetric = (axis: XAxis): string | undefined =>
  axis.startsWith('metric:') ? axis.slice('metric:'.length) : undefined;

export interface PanelRun {
  readonly id: string;
  /** The run's number in its session, from 1. */
  readonly number: number;
  /**
   * Number of the run's group, from 1. The runs of a group differ in nothing but the seed. Colour
   * and dashes of lines depend only on it.
   */
  readonly group: number;
  /** Name, such as `run 7`. */
  readonly name: string;
  readonly label: string;
  readonly machine: string;
  readonly isRunning: boolean;
  /** Status as text: `running`, `ok`, `failed (exit code 3)` … */
  readonly status: string;
  readonly isGood: boolean;
  readonly isChampion: boolean;
  /**
   * Values by metric name. Non-finite values are sent as the strings `NaN`, `Inf`, `-Inf`.
   */
  readonly metrics: Readonly<Record<string, PanelMetricValue>>;
  /** The options of the command by name, without the seed: `lr` is `0.001`. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly seed?: string;
  /** Title of the run's session, and its project if it is another; omitted if there is one session. */
  readonly session?: string;
  /** Set for a run of another session, which is not compared with the champion. */
  readonly isOther?: true;
  /** Tags that the user gave the run; omitted for none. */
  readonly tags?: readonly string[];
  /** Note of the user; omitted for none. */
  readonly note?: string;
  /** Start of the run, in milliseconds since the epoch. */
  readonly startedMs?: number;
  /** Name of the state of the code: `9fceb02`, `9fceb02-dirty`. */
  readonly code?: string;
  /** Duration of a run that has ended, in milliseconds. */
  readonly durationMs?: number;
  /** The run's share of the cost of model calls, in US dollars. */
  readonly usd?: number;
}

export interface PanelMetricValue {
  readonly last: string;
  readonly best: string;
  readonly points: number;
}

/** Two or more runs that differ in nothing but the seed. */
export interface PanelGroup {
  readonly number: number;
  /** The runs, oldest first. */
  readonly runIds: readonly string[];
  /** Name, such as `runs 4–6`. */
  readonly name: string;
  /** The words that the labels of the runs have in common. */
  readonly label: string;
  /** Mean and standard deviation over the seeds by metric name, as text: `0.83 ± 0.02`. */
  readonly metrics: Readonly<Record<string, Pick<PanelMetricValue, 'last' | 'best'>>>;
}

export interface PanelMetric {
  readonly name: string;
  readonly direction: 'lower' | 'higher' | 'none';
  /** Threshold of the goal, drawn as a dashed line. */
  readonly target?: number;
  /** Whether the metric is a resource that Helios measured. It has no steps, only times. */
  readonly isSystem?: true;
  /** Whether the metric may be the horizontal axis: it seems to increase in each run. */
  readonly isCounter?: true;
  /** Mean of the champion's group, and its standard deviation, drawn as a band. */
  readonly champion?: { readonly mean: number; readonly spread: number };
}

/** The metric by which groups are ranked, and the spread by which differences are judged. */
export interface PanelDecisive {
  readonly metric: string;
  /** Whether the last or the best value of a run counts. */
  readonly rule: 'last' | 'best';
  /** Mean of the champion's group; omitted if there is no champion. */
  readonly champion?: number;
  /**
   * Standard deviation within the groups, pooled over all groups of two or more seeds; omitted if
   * there is no such group.
   */
  readonly pooled?: number;
}

export interface PanelState {
  readonly sessionId: string;
  readonly title: string;
  /** Name of the folder in which the session works. */
  readonly project?: string;
  /** Whether the session has not ended, so that runs may follow. */
  readonly isOpen: boolean;
  readonly runs: readonly PanelRun[];
  /** The groups of two or more runs. */
  readonly groups: readonly PanelGroup[];
  /** Numbers of all groups that have a value of the deciding metric, the best first. */
  readonly ranking: readonly number[];
  readonly decisive?: PanelDecisive;
  readonly metrics: readonly PanelMetric[];
}

/** The state before any is known. */
export const noState: PanelState = {
  sessionId: '',
  title: '',
  isOpen: false,
  runs: [],
  groups: [],
  ranking: [],
  metrics: [],
};

export interface SeriesQuery {
  /** The run, or the runs of a group, whose mean is answered. */
  readonly runIds: readonly string[];
  readonly metric: string;
  readonly axis: XAxis;
  /**
   * Start of the shown x range, in the unit of the axis. Default: the first point.
   */
  readonly from?: number;
  /** End of the shown x range, in the unit of `from`. Default: the last point. */
  readonly to?: number;
  /** Width of the plot in device pixels: the answer has at most four points per pixel. */
  readonly pixels: number;
  /**
   * Strength of smoothing, from 0 to below 1. Above 0, the answer includes the moving average,
   * computed over all points and not only over the drawn points.
   */
  readonly smoothing?: number;
}

/**
 * Points of a series in order of x: the first, lowest, highest and last of each pixel column. For
 * several runs, the points of their mean.
 */
export interface SeriesAnswer {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly nonFinite: readonly { readonly x: number; readonly kind: 'NaN' | 'Inf' | '-Inf' }[];
  /**
   * Number of points in the whole series at the time of reading. `pointsAdded` continues from this
   * number. For several runs, the sum.
   */
  readonly total: number;
  /** The spread of the mean; only in the answer to a query of several runs. */
  readonly band?: SeriesBand;
  /**
   * First and last x of the whole series, even if only a range was requested; `undefined` if the
   * series has no points.
   */
  readonly extent?: { readonly from: number; readonly to: number };
  /**
   * The smoothed curve; only in the answer to a query with smoothing. `ema` is the state from which
   * the average continues as points are added.
   */
  readonly smooth?: { readonly x: Float64Array; readonly y: Float64Array; readonly ema: Ema };
}

/** The band of one standard deviation around a mean, in order of x. */
export interface SeriesBand {
  readonly low: { readonly x: Float64Array; readonly y: Float64Array };
  readonly high: { readonly x: Float64Array; readonly y: Float64Array };
  /** Number of runs that count from this x on, where the number changes. */
  readonly counts: readonly { readonly x: number; readonly n: number }[];
}

/**
 * New points of a series that the view has read. If `total - values.length` differs from the number
 * of points that the view has, the view reads the series again, because some points were not sent
 * or the series was rewritten.
 */
export interface PointsAdded {
  readonly runId: string;
  readonly metric: string;
  readonly steps: Float64Array;
  /** Times of the points, in milliseconds since the run's start. */
  readonly times: Float64Array;
  /** Start of the run, in milliseconds since the epoch. */
  readonly startedMs: number;
  readonly values: Float64Array;
  /** Number of points in the series, including the added points. */
  readonly total: number;
}

export interface PanelProblem {
  readonly message: string;
}

export const ready = new RequestType0<PanelState, PanelProblem>('ready');
export const readSeries = new RequestType<SeriesQuery, SeriesAnswer, PanelProblem>('series.read');
export const readMattered = new RequestType<MatteredQuery, MatteredAnswer, PanelProblem>(
  'mattered.read',
);
/** Adds points to a series. Sent at most once per series and animation frame. */
export const pointsAdded = new NotificationType<PointsAdded>('points.added');
export const openRun = new NotificationType<{ readonly runId: string }>('run.opened');
/** Tells the host to save every point of these runs and metrics, at full resolution. */
export const saveCsv = new NotificationType<{
  readonly runIds: readonly string[];
  readonly metrics: readonly string[];
}>('csv.saved');
export const saveExport = new NotificationType<{
  readonly kind: 'png' | 'csv';
  readonly name: string;
  readonly base64: string;
}>('export.saved');
