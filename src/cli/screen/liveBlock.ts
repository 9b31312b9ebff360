/** Formats the block at the bottom of the terminal: the newest runs, and a status line. */
import {
  killedWhy,
  seriousAlarm,
  summaryFor,
  verdictText,
} from '../../presentation/runs/runText.ts';
import { billText } from '../../presentation/costs.ts';
import type { SessionState } from '../../agent/journal/state.ts';
import type { RunId } from '../../base/ids.ts';
import { formatDuration, formatValue, oneLine } from '../../base/text.ts';
import type { MetricSummary, SeriesColumns } from '../../metrics/metric.ts';
import { sparkline } from '../../presentation/sparkline.ts';
import { phaseText } from '../../presentation/sessions/sessionText.ts';
import type { Style } from './style.ts';
import { fitToWidth, padToWidth, textWidth } from './textWidth.ts';

/** Live values of a run that this process follows. */
export interface LiveValues {
  summaries(id: RunId): readonly MetricSummary[] | undefined;
  series(id: RunId, metric: string): SeriesColumns | undefined;
}

export interface LiveBlockView {
  readonly state: SessionState;
  /** Id of the best run so far, which is marked with a star. */
  readonly champion?: RunId | undefined;
  readonly values: LiveValues;
  readonly nowMs: number;
  /** Maximum number of columns per line. */
  readonly width: number;
  readonly maxRuns: number;
  readonly style: Style;
}

const labelWidth = 44;
const sparkWidth = 24;
type RunState = SessionState['runs'] extends ReadonlyMap<RunId, infer R> ? R : never;

/** Returns the lines of the block, each of at most `width` columns. */
export function liveBlock(view: LiveBlockView): string[] {
  const { state, maxRuns } = view;
  const runs = [...state.runs.values()].filter((run) => run.notStarted === undefined);
  const shown = runs.slice(-maxRuns);
  const cells = shown.map((run) => cellsOf(run, view));
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(0, ...cells.map((row) => textWidth(row[column] ?? ''))),
  );
  const lines = cells.map((row, index) => runLine(row, widths, shown[index]?.verdict?.kind, view));
  const left = runs.length - shown.length;
  return [
    ...(left > 0 ? [view.style.dim(`… ${left} earlier`)] : []),
    ...lines,
    view.style.accent(fitToWidth(oneLine(stateText(view), Infinity), view.width)),
  ];
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
      .replace(/[\r\n\t]/g, ' ')
      .trimEnd(),
    width,
  );
  if (verdict === undefined) return text;
  return verdict === 'ok' ? style.dim(text) : style.bad(text);
}

/**
 * Returns the cells of a run: number and verdict, time, label, values, and curve. If an alarm ended
 * the run, the alarm replaces the curve.
 */
function cellsOf(run: RunState, { state, champion, values, nowMs }: LiveBlockView): string[] {
  const { spec, process, verdict, endedMs, alarms } = run;
  const metrics = values.summaries(spec.id) ?? run.metrics;
  const decisive = (state.target && summaryFor(metrics, state.target.metric)) ?? metrics[0];
  const series = decisive && values.series(spec.id, decisive.metric);
  const why = verdict === undefined ? '' : killedWhy(verdict, seriousAlarm(alarms)).trim();
  return [
    `${spec.id === champion ? '*' : ' '} run ${spec.number} ${verdict === undefined ? (process ? 'running' : 'starting') : verdictText(verdict)}`,
    process === undefined ? '' : formatDuration((endedMs ?? nowMs) - process.startedMs),
    fitToWidth(oneLine(spec.label, Infinity), labelWidth),
    decisive === undefined
      ? ''
      : `${decisive.metric} ${formatValue(decisive.last)} (best ${formatValue(decisive.best)})`,
    why !== '' || series === undefined ? why : sparkline(series.values, sparkWidth),
  ];
}

function stateText({ state, nowMs }: LiveBlockView): string {
  const running = [...state.runs.values()].filter(
    (run) => run.process && run.verdict === undefined,
  ).length;
  const parts = [
    `turn ${state.turns}`,
    sessionCost(state),
    ...(running > 0 ? [`${running} running`] : []),
    phaseText(state, nowMs),
  ];
  return parts.join(' · ');
}

export const sessionCost = (state: SessionState): string =>
  state.provider === 'demo' ? '$0.00 (no model is called)' : billText(state);
