/**
 * Tells the model, when the session wakes, what the runs that ended since the last wake mean for the
 * target.
 */
import { formatValue } from '../../base/text.ts';
import { summaryFor, type Ledger, type LedgerRow } from '../../experiments/ledger.ts';
import {
  countedRows,
  judgeRows,
  judgeSettings,
  targetIn,
  type ConditionResult,
  type GroupResult,
} from '../../experiments/target/judgeTarget.ts';
import { neverRead, neverReadText } from '../../experiments/target/neverRead.ts';
import { comparable, isLimit, isOpen, type Target } from '../../experiments/target/target.ts';
import { runNames } from '../../runs/run.ts';
import type { JournalEvent } from '../journal/events.ts';
import { readSinceWake } from './endedSinceWake.ts';

/** Maximum number of settings of which the conditions are told. */
const maxNews = 5;

/**
 * Returns a line for each setting that meets the target or breaks one of its limits since the last
 * wake, also by runs that ended while the model was answering, and by output that was read again.
 */
export function targetNews(
  sleepId: string,
  events: readonly JournalEvent[],
  { target, ledger }: { readonly target: Target | undefined; ledger(): Ledger },
): string[] {
  if (target === undefined || target.conditions.length === 0) return [];
  const read = readSinceWake(sleepId, events);
  if (read.size === 0) return [];
  const all = ledger();
  const rows = all.rows.filter(({ runId }) => read.has(runId));
  const earlier = all.experiments.map((row) => ({
    ...row,
    runs: row.runs.filter(({ runId }) => !read.has(runId)),
  }));
  const stated = targetIn(target, all);
  const told = new Set(
    judgeSettings(target, { experiments: earlier }).flatMap((group) =>
      group.runs.map(({ runId }) => `${runId} ${fateOf(target, group)}`),
    ),
  );
  const groups = judgeRows(target, all, rows);
  const news = groups.filter((group) => {
    const fate = fateOf(target, group);
    if (fate === undefined || isTold(events, newsOf(target, group))) return false;
    return !group.runs.some(({ runId }) => told.has(`${runId} ${fate}`));
  });
  const more = news.length - maxNews;
  const known = new Set(neverRead(target, { experiments: earlier }));
  const unread = neverRead(target, all).filter((metric) => !known.has(metric));
  return [
    ...(stated === targetIn(target, { experiments: earlier }) ? [] : [`[The target: ${stated}.]`]),
    ...news.slice(0, maxNews).map((group) => `[${newsOf(target, group)}${otherBest(all, group)}.]`),
    ...(more > 0 ? [moreText(target, news.slice(maxNews))] : []),
    ...(unread.length === 0
      ? []
      : [`[${neverReadText(unread)}, so no run meets the target. ${howToRead}]`]),
    ...lackTexts(groups, unread),
    ...(groups.length === 0 || news.some(({ isMet }) => isMet) ? [] : bestTexts(target, all)),
  ];
}

/** Returns whether a wake has told the text, which a run that was read again repeats. */
const isTold = (events: readonly JournalEvent[], text: string): boolean =>
  events.some(
    (event) =>
      event.type === 'message.added' && event.origin === 'wake' && event.text.includes(`[${text}`),
  );

/**
 * Returns how far the best setting is from the target: `[Best val_loss 0.2893, target <= 0.2856.]`,
 * which of its seeds are missing, or that it reached the target; nothing if nothing was measured.
 */
function bestTexts(target: Target, ledger: Ledger): readonly string[] {
  const [first] = judgeRows(target, ledger, countedRows(ledger));
  const missed = first?.conditions.find(
    ({ isBroken, condition }) => isBroken && !isLimit(condition),
  );
  if (missed?.value !== undefined) return [`[Best ${distanceText(missed, missed.value)}.]`];
  const { best } = ledger;
  const group = best && judgeRows(target, ledger, best.runs)[0];
  const result = group?.conditions.find(({ condition }) => condition.metric === best?.metric);
  if (best === undefined || result?.value === undefined) return [];
  const lack = best.lack === undefined ? '' : ` (${best.lack})`;
  if (group?.isMet !== true)
    return lack === '' ? [] : [`[Best ${distanceText(result, result.value, lack)}.]`];
  return [`[Best stays ${bestName(best)}, which reached the target.]`];
}

function distanceText(result: ConditionResult, value: number, lack = ''): string {
  const { condition, baseline = 1 } = result;
  const { metric, comparator, isPercent } = condition;
  const unit = isPercent ? ' %' : '';
  const [reached, wanted] = [comparable(value, condition), condition.value].map((number) =>
    formatValue(number * baseline),
  );
  return `${metric} ${reached}${unit}${lack}, target ${comparator} ${wanted}${unit}`;
}

/**
 * Names the best setting if it is another one than the group: `; best stays e2 3.18777`. A group
 * with a better mean is not the best before it is kept.
 */
function otherBest({ best, rival }: Ledger, { runs, isMet }: GroupResult): string {
  const own = new Set(runs.map(({ runId }) => runId));
  const hasRunOf = (result: Ledger['best']): boolean =>
    result?.runs.some(({ runId }) => own.has(runId)) === true;
  if (!isMet || best === undefined || hasRunOf(best)) return '';
  return rival !== undefined && hasRunOf(rival)
    ? `; its mean ${formatValue(rival.mean)} is better than that of ${bestName(best)}, which stays the best until a decision`
    : `; best stays ${bestName(best)}`;
}

/** Formats the best setting: `e2 3.18777`, `run 3 0.41`. */
function bestName({ runs, mean }: NonNullable<Ledger['best']>): string {
  const [id] = runs.flatMap(({ experimentId }) => experimentId ?? []);
  return `${id ?? runNames(runs.map(({ number }) => number))} ${formatValue(mean)}`;
}

type Fate = 'over a limit of the goal' | 'target reached';

function fateOf(target: Target, group: GroupResult): Fate | undefined {
  if (brokenLimits(group).length > 0) return 'over a limit of the goal';
  return group.isMet && !isOpen(target) ? 'target reached' : undefined;
}

const brokenLimits = ({ conditions }: GroupResult): GroupResult['conditions'] =>
  conditions.filter(({ condition, isBroken }) => isBroken && isLimit(condition));

function newsOf(target: Target, group: GroupResult): string {
  const broken = brokenLimits(group);
  const told = broken.length > 0 ? broken : group.conditions;
  const texts = told.map(({ text }) => text).join('; ');
  return `${settingName(group.runs)}: ${fateOf(target, group)}: ${texts}`;
}

const howToRead = 'If it was printed, show_metrics with metric_patterns reads the output again.';

/**
 * Returns a line for each condition of which no value was read from settings that meet all other
 * conditions. Leaves out the metrics `told`.
 */
function lackTexts(groups: readonly GroupResult[], told: readonly string[]): string[] {
  const lacks = groups.flatMap(({ runs, conditions }) => {
    const unmet = conditions.filter(({ isMet }) => !isMet);
    const isLacking = unmet.every(({ condition }) =>
      runs.every(({ metrics }) => summaryFor(metrics, condition.metric) === undefined),
    );
    const metrics = isLacking ? unmet.map(({ condition }) => condition.metric) : [];
    return metrics.filter((one) => !told.includes(one)).map((metric) => ({ metric, runs }));
  });
  return [...Map.groupBy(lacks, ({ metric }) => metric)].map(
    ([metric, of]) =>
      `[Not compared with the target: ${metric} was not read from ${runNames(of.flatMap(({ runs }) => runs.map(({ number }) => number)))}. ${howToRead}]`,
  );
}

/** Names the further settings by what became of them, without their values. */
function moreText(target: Target, groups: readonly GroupResult[]): string {
  const byFate = Map.groupBy(groups, (group) => fateOf(target, group));
  const texts = [...byFate].map(
    ([fate, alike]) =>
      `${fate}: ${runNames(alike.flatMap(({ runs }) => runs.map(({ number }) => number)))}`,
  );
  return `[Also ${texts.join('; ')}.]`;
}

function settingName(runs: readonly LedgerRow[]): string {
  const ids = [...new Set(runs.flatMap(({ experimentId }) => experimentId ?? []))];
  const names = runNames(runs.map(({ number }) => number));
  const text = ids.length === 0 ? names : `${names} of ${ids.join(', ')}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
