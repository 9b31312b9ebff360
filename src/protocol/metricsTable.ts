/** The messages of the table of the metrics panel, beside those of `metricsPanel.ts`. */
import { RequestType } from 'vscode-jsonrpc';
import type { PanelProblem } from './metricsPanel.ts';

/** A change of the user's tags and note on runs. What is omitted stays as it is. */
export interface RunsAnnotation {
  readonly runIds: readonly string[];
  readonly addTags?: readonly string[];
  readonly removeTags?: readonly string[];
  readonly note?: string;
}

/** Answered when the change is on disk. The new state follows as `state.changed`. */
export const annotateRuns = new RequestType<RunsAnnotation, null, PanelProblem>('runs.annotated');

/** The runs of a row: one, or those of a group. */
export interface RowRuns {
  readonly runIds: readonly string[];
}

export interface TrendsQuery {
  readonly metric: string;
  readonly items: readonly RowRuns[];
  /** Width of a curve in device pixels: the answer has at most one value per pixel. */
  readonly width: number;
}

/**
 * Reads small curves in the order of the items: means of pixel columns, oldest first, not finite
 * where any value of the column is not. Empty for an item without values.
 */
export const readTrends = new RequestType<
  TrendsQuery,
  { readonly trends: readonly Float64Array[] },
  PanelProblem
>('trends.read');

export interface ValuesAtQuery {
  /** The values at the largest step up to this one are read. */
  readonly step: number;
  readonly metrics: readonly string[];
  readonly items: readonly RowRuns[];
}

/**
 * Reads values at a step, with the digits that the run prints; of a group, mean and standard
 * deviation. A row per item, with a text per metric, empty for none.
 */
export const readValuesAt = new RequestType<
  ValuesAtQuery,
  { readonly values: readonly (readonly string[])[] },
  PanelProblem
>('values.read');

export interface OtherSessions {
  /** Ids of the sessions whose runs are shown beside those of the panel's session. */
  readonly sessionIds: readonly string[];
}

/** Lets the user choose other sessions. Without ids in the answer, the user has cancelled. */
export const chooseSessions = new RequestType<OtherSessions, Partial<OtherSessions>, PanelProblem>(
  'sessions.chosen',
);

/** Shows the runs of other sessions. The new state follows as `state.changed`. */
export const setSessions = new RequestType<OtherSessions, null, PanelProblem>('sessions.set');
