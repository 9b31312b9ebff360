/** Formats the block at the bottom of the terminal: the newest runs, and a status line. */
import { summaryFor, runStatus, runName } from '../../presentation/runs/runText.ts';
import { sessionBill } from '../../presentation/costs.ts';
import type { SessionState } from '../../agent/journal/state.ts';
import type { RunId } from '../../base/ids.ts';
import { formatDuration, formatValue } from '../../base/text.ts';
import type { Ledger } from '../../experiments/ledger.ts';
import type { MetricSummary, SeriesColumns } from '../../metrics/metric.ts';
import { sparkline } from '../../presentation/sparkline.ts';
import { phaseText, runsText } from '../../presentation/sessions/sessionText.ts';
import type { Style } from './style.ts';
import { lineForTerminal } from './terminalText.ts';
import { fitToWidth, padToWidth, textWidth } from './textWidth.ts';

/** Live values of a run; `undefined` for a run that this process does not follow. */
export interface LiveValues {
  summaries(id: RunId): readonly MetricSummary[] | undefined;
  series(id: RunId, metric: string): SeriesColumns | undefined;
}

export interface LiveBlockView {
  readonly state: SessionState;
  /** Ids of the runs of the best setting so far, which are marked with a star. */
  readonly best?: ReadonlySet<RunId>;
  readonly values: LiveValues;
  readonly nowMs: number;
  /** Maximum number of columns per line. */
  readonly width: number;
  readonly maxRuns: number;
  readonly style: Style;
}

/** Returns the runs to mark: those of the best setting; none until a run of it has ended. */
export const bestRuns = ({ best }: Pick<Ledger, 'best'>): ReadonlySet<RunId> =>
  new Set((best?.runs ?? []).flatMap(({ runId, verdict }) => (verdict ? [runId] : [])));

const labelWidth = 44;
const sparkWidth = 24;
type RunState = SessionState['runs'] extends ReadonlyMap<RunId, infer R> ? R : never;

/** Returns the lines of the block, each of at most `width` columns. */
export function liveBlock(view: LiveBlockView): string[] {
  const { state } = view;
  const runs = [...state.runs.values()].filter((run) => run.notStarted === undefined);
  const shown = withBest(runs, view);
  const cells = shown.map((run) => cellsOf(run, view).map(lineForTerminal));
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(0, ...cells.map((row) => textWidth(row[column] ?? ''))),
  );
  const lines = cells.map((row, index) => runLine(row, widths, shown[index]?.verdict?.kind, view));
  const older = runs.length - shown.length;
  return [
    ...(older > 0 ? [view.style.dim(`… ${older} earlier`)] : []),
    ...lines,
    view.style.accent(fitToWidth(lineForTerminal(stateText(view)), view.width)),
  ];
}

/** Returns the newest runs. If no run of the best setting is among them, one takes the first place. */
function withBest(
  runs: readonly RunState[],
  { best, maxRuns }: LiveBlockView,
): readonly RunState[] {
  const shown = runs.slice(-maxRuns);
  const isBest = ({ spec }: RunState): boolean => best?.has(spec.id) === true;
  const hidden = shown.some(isBest) ? undefined : runs.findLast(isBest);
  return hidden === undefined ? shown : [hidden, ...shown.slice(1)];
}

function runLine(
  row: readonly string[],
  widths: readonly number[],
  verdict: string | undefined,
  { width, style }: LiveBlockView,
): string {
  const text = fitToWidth(
    row
      .map((cell, column) => padToWidth(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
    width,
  );
  if (verdict === undefined) return text;
  return verdict === 'ok' ? style.dim(text) : style.bad(text);
}

/**
 * Returns the cells of a run: number and verdict, duration, label, values, and curve. If an alarm
 * ended the run, the text of the alarm replaces the curve.
 */
function cellsOf(run: RunState, { state, best, values, nowMs }: LiveBlockView): string[] {
  const { spec, process, endedMs } = run;
  const metrics = values.summaries(spec.id) ?? run.metrics;
  const decisive =
    (state.target && summaryFor(metrics, state.target.objective.metric)) ?? metrics[0];
  const series = decisive && values.series(spec.id, decisive.metric);
  const status = runStatus({ ...run, alarms: [] });
  const why = runStatus(run).slice(status.length).trim();
  return [
    `${best?.has(spec.id) ? '*' : ' '} ${runName(spec.number)} ${status}`,
    process === undefined ? '' : formatDuration((endedMs ?? nowMs) - process.startedMs),
    fitToWidth(lineForTerminal(spec.label), labelWidth),
    decisive === undefined
      ? ''
      : `${decisive.metric} ${formatValue(decisive.last)} (best ${formatValue(decisive.best)})`,
    why !== '' || series === undefined ? why : sparkline(series.values, sparkWidth),
  ];
}

const stateText = ({ state, best, nowMs }: LiveBlockView): string =>
  [
    `turn ${state.turns}`,
    sessionBill(state),
    runsText(state),
    best === undefined || best.size === 0 ? '' : best.size === 1 ? '* best run' : '* best setting',
    phaseText(state, nowMs),
  ]
    .filter((part) => part !== '')
    .join(' · ');
