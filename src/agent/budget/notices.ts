/**
 * Notices about the use of limits, for users and the model. Each notice is recorded once in the
 * journal.
 */
import { formatUsd } from '../../base/text.ts';
import type { JournalEvent } from '../journal/events.ts';
import type { SessionState } from '../journal/state.ts';
import { isUsedUp, startOfDay, type Measure } from './measures.ts';
import {
  amountText,
  noticeText,
  type BudgetNotice,
  limitName,
  scopeText,
  usedText,
} from '../journal/limitText.ts';

const shares = [100, 80, 50] as const;
/**
 * Number of turns that the model has, after a limit of an experiment is used up, to decide on the
 * experiment and to launch the next experiment.
 */
export const graceTurns = 5;

/**
 * Returns the notices to record, at most one per limit. A notice is for the highest of 50, 80 and
 * 100 % that the use of the limit has reached. Omits a notice if one for the same or a higher
 * percentage was recorded before (for a limit of the day: since midnight).
 */
export function dueNotices(
  measures: readonly Measure[],
  { state, events, nowMs }: { state: SessionState; events: readonly JournalEvent[]; nowMs: number },
): BudgetNotice[] {
  const dayMs = startOfDay(nowMs);
  const isRecorded = (measure: Measure, percent: number): boolean =>
    measure.scope === 'day'
      ? events.some(
          (event) => event.at >= dayMs && isOf(event, measure) && event.percent === percent,
        )
      : state.notices.has(`${measure.scope} ${measure.limit} ${percent}`);
  return measures.flatMap((measure) => {
    const passed = shares.find((share) => measure.used * 100 >= measure.of * share);
    if (
      passed === undefined ||
      shares.some((share) => share >= passed && isRecorded(measure, share))
    )
      return [];
    return [noticeOf(measure, passed)];
  });
}

export const noticeOf = (
  { scope, limit, used, of }: Measure,
  percent: BudgetNotice['percent'],
): BudgetNotice => ({
  type: 'budget.noticed',
  scope,
  limit,
  percent,
  used,
  of,
});

/**
 * True for a notice about the same limit. After the user changed the value of a limit, earlier
 * notices are about a different limit.
 */
const isOf = (
  event: JournalEvent,
  { scope, limit, of }: Measure,
): event is JournalEvent & BudgetNotice =>
  event.type === 'budget.noticed' &&
  event.scope === scope &&
  event.limit === limit &&
  event.of === of;

/**
 * Formats a notice for the model. Returns `undefined` when a limit of the goal or the day is used
 * up, because the session then ends.
 */
export function noticeForModel(notice: BudgetNotice): string | undefined {
  if (notice.percent < 100) return `[Budget: ${noticeText(notice)}. Plan with what is left.]`;
  if (notice.scope !== 'experiment') return undefined;
  return `[Budget: ${noticeText(notice)}. This experiment is over. Launch the next experiment, decide on this one (keep or discard, in a note), or call finish. Its runs are not ended. After ${graceTurns} more turns without a launch, the session ends.]`;
}

export interface Ending {
  /** Limit that ends the session. */
  readonly measure: Measure;
  /**
   * Highest amount that the next call could use, in the limit's unit. Set when the remainder of the
   * limit does not cover this amount.
   */
  readonly needs?: number;
}

/**
 * Returns the text that explains to the user why the session ends, what was spent and which runs
 * continue.
 */
export function endSummary(ending: Ending, state: SessionState, going: readonly string[]): string {
  const { measure, needs } = ending;
  const parts = [
    `Stopped: ${whyText(measure, needs)}.`,
    state.planUsd > 0 && measure.limit === 'usd'
      ? `${formatUsd(state.planUsd)} of what this session used is covered by your plan: it is counted at list price.`
      : '',
    goingText(going),
    measure.scope === 'day'
      ? 'To continue the session, wait until tomorrow or raise the limit of the day.'
      : 'To continue the session, raise this limit.',
  ];
  return parts.filter((part) => part !== '').join(' ');
}

function goingText(going: readonly string[]): string {
  if (going.length === 0) return '';
  const [verb, result, end] =
    going.length === 1
      ? ['continues', 'its result', 'it ends']
      : ['continue', 'their results', 'they end'];
  return `${going.join(', ')} ${verb}. Helios records ${result} when ${end}, or when you next open this session.`;
}

function whyText(measure: Measure, needs: number | undefined): string {
  const what = `the ${limitName(measure.limit)} ${scopeText(measure.scope)}`;
  const used = usedText(measure);
  if (needs === undefined || isUsedUp(measure))
    return `${what} ${measure.limit === 'usd' ? 'is' : 'are'} used up, ${used}`;
  return `${used} are used, and what is left of ${what} does not pay for another call, which can take ${amountText(measure.limit, needs)}`;
}
