import { oneLine } from '../../base/text.ts';
import { experimentStatus, type ExperimentRow, type Ledger } from '../../experiments/ledger.ts';
import type { IndexedExperiment } from '../../storage/sessionIndex.ts';
import type { SessionState } from '../journal/state.ts';
import { measuredText } from './experimentLabels.ts';

const maxChars = 300;

/** Returns the experiments of a session as lists show them, oldest first. */
export const indexedExperiments = (
  { startedMs }: Pick<SessionState, 'startedMs'>,
  { experiments, decisive }: Pick<Ledger, 'experiments' | 'decisive'>,
): IndexedExperiment[] =>
  experiments.map((row) => ({
    id: row.id,
    hypothesis: oneLine(row.hypothesis, maxChars),
    command: oneLine(row.result?.runs[0]?.command ?? row.command, maxChars),
    decision: experimentStatus(row),
    why: oneLine(row.decision?.why ?? '', maxChars),
    metric: row.result?.metric ?? null,
    value: row.result?.mean ?? null,
    direction: (row.result && decisive?.direction) ?? null,
    result: row.result === undefined ? row.verdicts : measuredText(row.result, row.runs),
    runs: row.runs.map(({ number }) => number).join(', '),
    startedMs: firstMs(row) ?? startedMs,
  }));

const firstMs = ({ runs }: ExperimentRow): number | undefined =>
  runs.find((run) => run.startedMs !== undefined)?.startedMs;
