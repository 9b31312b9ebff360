/** Notices about limits. Each notice is recorded once in the journal, for users and the model. */
import { formatUsd } from '../../base/text.ts';
import type { JournalEvent } from '../journal/events.ts';
import type { SessionState } from '../journal/state.ts';
import { isUsedUp, startOfDay, type Measure } from './measures.ts';
import {
  noticeText,
  type BudgetNotice,
  limitName,
  scopeText,
  shortTokens,
  usedText,
} from '../journal/limitText.ts';

const shares = [100, 80, 50] as const;
/**
 * Number of turns that the model has, after the allowance of an experiment is used up, to decide
 * the experiment and to launch the next.
 */
export const graceTurns = 5;

/**
 * Returns one notice per limit that passed a new share (the highest such share). Notices about
 * limits of the day are repeated on the next day.
 */
export function dueNotices(
  measures: readonly Measure[],
  { state, events, nowMs }: { state: SessionState; events: readonly JournalEvent[]; nowMs: number },
): BudgetNotice[] {
  const dayMs = startOfDay(nowMs);
  const told = (measure: Measure, percent: number): boolean =>
    measure.scope === 'day'
      ? events.some(
          (event) => event.at >= dayMs && isOf(event, measure) && event.percent === percent,
        )
      : state.notices.has(`${measure.scope} ${measure.limit} ${percent}`);
  return measures.flatMap((measure) => {
    const passed = shares.find((share) => measure.used * 100 >= measure.of * share);
    if (passed === undefined || shares.some((share) => share >= passed && told(measure, share)))
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
 * Whether the event is a notice about the same limit. A limit of the day with a different value
 * counts as a different limit.
 */
const isOf = (
  event: JournalEvent,
  { scope, limit, of }: Measure,
): event is JournalEvent & BudgetNotice =>
  event.type === 'budget.noticed' &&
  event.scope === scope &&
  event.limit === limit &&
  event.of === of;

/** Formats a notice for the model. Returns `undefined` for a notice with which the session ends. */
export function noticeForModel(notice: BudgetNotice): string | undefined {
  if (notice.percent < 100) return `[Budget: ${noticeText(notice)}. Plan with what is left.]`;
  if (notice.scope !== 'experiment') return undefined;
  return `[Budget: ${noticeText(notice)}. This experiment is over. The next step is a launch of the next experiment, its verdict (keep or discard, in a note), or finish; runs may continue. After ${graceTurns} more turns without a launch the session ends.]`;
}

export interface Ending {
  /**
   * Limit that ends the session. `needs` is the amount that the next call could cost; it is set
   * when this amount is more than the remainder of the limit.
   */
  readonly measure: Measure;
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
    going.length === 0
      ? ''
      : `${going.join(', ')} ${going.length === 1 ? 'continues' : 'continue'} and will be recorded when this session is open.`,
    measure.scope === 'day'
      ? 'It can continue tomorrow, or with a higher limit for the day.'
      : 'It can continue with a higher limit.',
  ];
  return parts.filter((part) => part !== '').join(' ');
}

function whyText(measure: Measure, needs: number | undefined): string {
  const what = `the ${limitName(measure.limit)} ${scopeText(measure.scope)}`;
  const used = usedText(measure);
  if (needs === undefined || isUsedUp(measure))
    return `${what} ${measure.limit === 'usd' ? 'is' : 'are'} used up, ${used}`;
  const amount = measure.limit === 'usd' ? formatUsd(needs) : `${shortTokens(needs)} tokens`;
  return `${used} are used, and what is left of ${what} does not pay for another call, which can take ${amount}`;
}
