/**
 * Tells the model, when the session wakes, what the runs that ended during the sleep mean for the
 * target.
 */
import type { Ledger, LedgerRow } from '../../experiments/ledger.ts';
import { judgeRows, type GroupResult } from '../../experiments/target/judgeTarget.ts';
import { isLimit, isOpen, type Target } from '../../experiments/target/target.ts';
import { runNames } from '../../runs/run.ts';
import type { JournalEvent } from '../journal/events.ts';

const maxNews = 5;

/**
 * Returns a line for each setting that meets the target or breaks one of its limits, if one of its
 * runs ended during the sleep.
 */
export function targetNews(
  sleepId: string,
  events: readonly JournalEvent[],
  { target, ledger }: { readonly target: Target | undefined; ledger(): Ledger },
): string[] {
  if (target === undefined || target.conditions.length === 0) return [];
  const from = events.findLastIndex(
    (event) => event.type === 'sleep.started' && event.sleepId === sleepId,
  );
  const ended = new Set(
    events.slice(from).flatMap((event) => (event.type === 'run.ended' ? [event.runId] : [])),
  );
  if (ended.size === 0) return [];
  const all = ledger();
  const rows = all.rows.filter(({ runId }) => ended.has(runId));
  return judgeRows(target, all, rows)
    .flatMap((group) => newsOf(target, group))
    .slice(0, maxNews);
}

function newsOf(target: Target, { runs, conditions, isMet }: GroupResult): string[] {
  const broken = conditions.filter(({ condition, isBroken }) => isBroken && isLimit(condition));
  const name = settingName(runs);
  if (broken.length > 0)
    return [`[${name}: over a limit of the goal: ${broken.map(({ text }) => text).join('; ')}.]`];
  if (!isMet || isOpen(target)) return [];
  return [`[${name}: target reached: ${conditions.map(({ text }) => text).join('; ')}.]`];
}

function settingName(runs: readonly LedgerRow[]): string {
  const ids = [...new Set(runs.flatMap(({ experimentId }) => experimentId ?? []))];
  const names = runNames(runs.map(({ number }) => number));
  const text = ids.length === 0 ? names : `${names} of ${ids.join(', ')}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
