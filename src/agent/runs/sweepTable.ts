/**
 * Formats a sweep as a short table for the model and for users: its progress, its best value, one
 * line per point.
 */
import { formatValue, oneLine } from '../../base/text.ts';
import { untrustedLine } from '../../base/untrusted.ts';
import {
  resultRunsText,
  resultValueText,
  rowStatus,
  valueText,
  type Decisive,
  type Ledger,
  type LedgerRow,
} from '../../experiments/ledger.ts';
import {
  measuredValue,
  resultOf,
  summaryOfRepeats,
  type RepeatsSummary,
} from '../../experiments/ledgerExperiments.ts';
import { isBetter } from '../../experiments/champion.ts';
import { repeatsOf, settingGroups } from '../../experiments/repeats.ts';
import { settingForm } from '../../experiments/seeds.ts';
import { breachesOf } from '../../experiments/target/judgeTarget.ts';
import type { MetricSpec } from '../../metrics/metric.ts';
import { unreadMetrics } from '../../metrics/unreadMetrics.ts';
import type { SweepEndReason } from '../../runs/sweep.ts';
import { lastLines } from '../../sleep/outputTail.ts';
import type { SessionState, SweepState } from '../journal/state.ts';
import { pausedAdvice } from './pausedSweep.ts';
import { activeCounts, isPaused, progressOf } from './sweepProgress.ts';
import { runName, runNames } from '../../runs/run.ts';

export interface SweepView {
  readonly state: SessionState;
  readonly sweep: SweepState;
  /** Ledger of the sweep's runs. */
  readonly ledger: Ledger;
  /** All experiments of the session, with further runs of the same settings. */
  readonly all: Ledger['experiments'];
  /** Why points wait, by machine: `gpu1: no GPU is free`. */
  readonly problems: readonly string[];
  /** Returns the end of the output of a failed point. */
  tail(row: LedgerRow): string | undefined;
  /** Returns the line of the output of an ended run that is most similar to an unread metric. */
  nearestLine(row: LedgerRow): string | undefined;
}

const maxRows = 20;
const maxSettings = 12;
const maxSkipped = 5;
const maxUnread = 4;
/** Maximum length of the quoted end of an output, so that it fits into a line. */
const maxTailChars = 200;

/** Returns the table, which has at most a few thousand characters for any number of points. */
export function sweepTable(view: SweepView, end = view.sweep.end): string {
  const { sweep, ledger, problems } = view;
  const breaches = breachesOf(view.state.target, { experiments: view.all });
  const rows = ranked(ledger, breaches);
  const omittedCount = rows.length - maxRows;
  const skipped = [...sweep.skipped].slice(0, maxSkipped);
  const failed = rows.find(isFailed);
  const tail = failed && view.tail(failed);
  return [
    sweepLine(view, breaches, end),
    ...settingLines(ledger, breaches),
    ...rows
      .slice(0, maxRows)
      .map((row) => `- ${rowText(row, ledger.decisive)}${breachText([row], breaches)}`),
    ...(omittedCount > 0
      ? [`- … and ${omittedCount} more; show_metrics and task_output show each of them by its run`]
      : []),
    ...unreadLines(view),
    ...skipped.map(
      ([index, why]) =>
        `- ${sweep.plan.points[index]?.label ?? index}: skipped: ${oneLine(why, 200)}`,
    ),
    ...(isPaused(sweep) && end === undefined ? [`To ${pausedAdvice(sweep.plan.id)}`] : []),
    ...(end === undefined ? problems.map((problem) => `Waits: ${oneLine(problem, 200)}`) : []),
    ...(failed && tail
      ? [untrustedLine(tailText(tail), `output of ${runName(failed.number)}`, maxTailChars)]
      : []),
  ].join('\n');
}

/**
 * Formats the first line of the table: `Sweep s1 over lr × bs on gpu1: 5 ok, 1 failed, 2 running, 4
 * waiting; best loss 0.41 by run 7 (lr=3e-4 bs=64)`.
 */
function sweepLine(view: SweepView, breaches: Breaches, end: SweepEndReason | undefined): string {
  const { state, sweep } = view;
  const { plan } = sweep;
  const { waiting, going, over } = progressOf(state, sweep);
  const ok = over.filter(({ verdict }) => verdict?.kind === 'ok').length;
  const ended = [
    [ok, 'ok'],
    [over.length - ok, 'failed'],
  ] as const;
  const active = activeCounts(going);
  // Queued runs are launched; waiting points are not.
  const isQueued = going.some(({ process }) => process === undefined);
  const waitingText = isQueued ? 'waiting to be launched' : 'waiting';
  const others = [
    [waiting.length, end === undefined ? waitingText : 'not run'],
    [sweep.skipped.size, 'skipped'],
  ] as const;
  const told = [...numbered(ended), ...active, ...numbered(others)];
  return [
    `Sweep ${plan.id} over ${plan.params.join(' × ')} on ${plan.machineIds.join(', ')}${isPaused(sweep) && end === undefined ? ' is paused' : endReasonText(end)}: ${told.join(', ')}`,
    ...bestTexts(view, breaches),
  ].join('; ');
}

/** Returns a line for each metric that the launch named and that some ended runs never printed. */
function unreadLines({ state, ledger, sweep, nearestLine }: SweepView): string[] {
  const ended = ledger.rows.filter(({ verdict }) => verdict?.kind === 'ok');
  const specOf = ({ runId }: LedgerRow): MetricSpec => state.runs.get(runId)?.spec.metrics ?? {};
  const found = ended.flatMap((row) =>
    unreadMetrics(specOf(row), row.metrics).map((metric) => ({ metric, row })),
  );
  return [...Map.groupBy(found, ({ metric }) => metric)]
    .slice(0, maxUnread)
    .map(([metric, from]) => {
      const rows = from.map(({ row }) => row);
      const [last] = rows.slice(-1);
      const line = last && nearestLine(last);
      const quoted =
        last === undefined || line === undefined
          ? ''
          : ` Nearest line: ${untrustedLine(line, `output of ${runName(last.number)}`, maxTailChars)}`;
      const isPattern = Object.hasOwn(sweep.plan.metrics.patterns ?? {}, metric);
      return `${metric} was not read from ${runNames(rows.map(({ number }) => number))}${isPattern ? ': its pattern matched no line' : ''}.${quoted} If it is printed in another form, show_metrics with metric_patterns reads the output again.`;
    });
}

/** Number of characters that are reserved for the separators between the lines of an output. */
const breakChars = 2 * 15;

/** Returns the last lines of an output as one line that is short enough for the table. */
const tailText = (tail: string): string =>
  lastLines(tail, maxTailChars - breakChars).replaceAll('\n', ' ⏎ ');

/**
 * Returns the best setting and, if it was repeated, the best of its values. Also returns the best
 * value of all runs if another setting has it.
 */
function bestTexts(view: SweepView, breaches: Breaches): string[] {
  const { best, rows, decisive } = view.ledger;
  if (best === undefined || decisive === undefined) return [];
  const names = best.runs.map(({ number }) => runName(number));
  const setting = settingOf(best.runs);
  const by = setting === undefined ? '' : ` by ${setting}`;
  const [text, ...others] = [
    `best ${resultValueText(best)}${by} (${names.slice(0, 5).join(', ')})`,
    ...wholeTexts(best.runs, decisive, view.all),
  ];
  if (best.n < 2) return [text, ...others];
  const [top] = ranked({ rows, decisive }, breaches);
  const value = top && measuredValue(top, decisive);
  const isOther = top !== undefined && value !== undefined && isBetter(value, best.best, decisive);
  const word = decisive.direction === 'higher' ? 'highest' : 'lowest';
  return [
    text,
    `its best run ${formatValue(best.best)}`,
    ...others,
    ...(isOther ? [`${word} of all: ${formatValue(value)} by ${runName(top.number)}`] : []),
  ];
}

/** Returns the result of the runs together with further runs of their setting; empty if none. */
function wholeTexts(
  runs: readonly LedgerRow[],
  decisive: Decisive,
  all: SweepView['all'],
): readonly string[] {
  const ids = new Set(runs.map(({ runId }) => runId));
  const own = all.flatMap((row) => row.runs.filter(({ runId }) => ids.has(runId)));
  const whole = resultOf(own, decisive, settingGroups(all));
  const others = (whole?.runs ?? []).filter(({ runId }) => !ids.has(runId));
  if (whole === undefined || others.length === 0) return [];
  const isTogether = whole.runs.length === others.length + runs.length;
  const title = isTogether
    ? `with ${runNames(others.map(({ number }) => number))}`
    : 'all of its setting';
  return [`${title}: ${resultRunsText(whole)}`];
}

/**
 * Returns the common part of the labels of repeated runs, such as `lr=3e-4`; otherwise the options
 * of their command. Returns `undefined` if it has none.
 */
function settingOf(runs: readonly LedgerRow[]): string | undefined {
  const [first, ...others] = runs.map(({ label }) => label.split(' '));
  const values = others.map((parts) => new Set(parts.map(sameValue)));
  const common = (first ?? []).filter((part) => values.every((one) => one.has(sameValue(part))));
  if (common.length > 0) return common.join(' ');
  const options = runs[0] === undefined ? [] : [...settingForm(runs[0]).settings];
  const texts = options.filter(([name]) => name !== 'command').map((option) => option.join('='));
  return texts.length === 0 ? undefined : oneLine(texts.join(' '), 120);
}

/** Returns the part of a label with a number in one spelling: `lr=0.003` and `lr=3e-3` are equal. */
function sameValue(part: string): string {
  const [, name = '', text = ''] = /^([^=]+)=(.+)$/.exec(part) ?? [];
  return Number.isFinite(Number(text)) && text !== '' ? `${name}=${Number(text)}` : part;
}

const numbered = (counts: readonly (readonly [number, string])[]): string[] =>
  counts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);

function endReasonText(end: SweepEndReason | undefined): string {
  switch (end) {
    case undefined:
      return '';
    case 'done':
      return ' has ended';
    case 'stopped':
      return ' was stopped';
    case 'budget':
      return ' launches no more points, because the minutes of the budget are used up';
    case 'session_ended':
      return ' launches no more points, because the session has ended';
  }
}

/** Returns one line per setting, best mean first; empty if no setting was repeated. */
function settingLines({ rows, decisive }: Ledger, breaches: Breaches): string[] {
  if (decisive === undefined) return [];
  const sign = decisive.direction === 'lower' ? 1 : -1;
  const settings = repeatsOf(rows).flatMap((group) => {
    const summary = summaryOfRepeats(group, decisive);
    return summary === undefined ? [] : [summary];
  });
  if (settings.every(({ n }) => n < 2)) return [];
  const { metric, rule } = decisive;
  return settings
    .toSorted(
      (a, b) =>
        Number(isBreach(a, breaches)) - Number(isBreach(b, breaches)) || sign * (a.mean - b.mean),
    )
    .slice(0, maxSettings)
    .map(
      (one) =>
        `- ${settingOf(one.runs) ?? 'all runs'}: ${resultRunsText({ ...one, metric, rule })}${breachText(one.runs, breaches)}`,
    );
}

/** The limits of the goal that each run breaks, by its number. */
type Breaches = ReadonlyMap<number, string>;
type Setting = Pick<RepeatsSummary<LedgerRow>, 'runs'>;

const isBreach = ({ runs }: Setting, breaches: Breaches): boolean =>
  runs.some(({ number }) => breaches.has(number));

/** Formats the limits that a setting breaks: ` · breaks model_kb < 600 (922)`; empty if none. */
function breachText(runs: readonly LedgerRow[], breaches: Breaches): string {
  const [text] = runs.flatMap(({ number }) => breaches.get(number) ?? []);
  return text === undefined ? '' : ` · breaks ${text}`;
}

/**
 * Sorts the runs by the last or best value that the ledger compares, best first. Runs that break a
 * limit of the goal follow, then runs without a value, by number.
 */
function ranked(
  { rows, decisive }: Pick<Ledger, 'rows' | 'decisive'>,
  breaches: Breaches,
): LedgerRow[] {
  if (decisive === undefined) return [...rows];
  const sign = decisive.direction === 'lower' ? 1 : -1;
  const rank = (row: LedgerRow): number => {
    const value = measuredValue(row, decisive);
    return value === undefined ? Infinity : sign * value;
  };
  const group = (row: LedgerRow): number =>
    rank(row) === Infinity ? 2 : Number(breaches.has(row.number));
  return rows.toSorted(
    (a, b) =>
      group(a) - group(b) || (rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : a.number - b.number),
  );
}

const isFailed = ({ verdict }: LedgerRow): boolean =>
  verdict !== undefined && verdict.kind !== 'ok';

function rowText(row: LedgerRow, decisive: Ledger['decisive']): string {
  const value = decisive && valueText(row.metrics, decisive);
  return [
    runName(row.number),
    row.label,
    oneLine(rowStatus(row), 120),
    ...(value === undefined ? [] : [value]),
  ].join(' · ');
}
