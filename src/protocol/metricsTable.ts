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
