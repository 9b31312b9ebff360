/** What is told of limits, once each: to the journal, from there to people and to the model. */
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
 * Calls that may still be made for an experiment whose allowance is over: to judge it, and to
 * launch the next.
 */
export const graceTurns = 5;

/**
 * The highest share of each limit that was passed and not told yet. One that jumps over lower
 * shares tells the highest alone. What is told of a day is told anew on the next.
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

/** A limit of a day that was changed since is another one. */
const isOf = (
  event: JournalEvent,
  { scope, limit, of }: Measure,
): event is JournalEvent & BudgetNotice =>
  event.type === 'budget.noticed' &&
  event.scope === scope &&
  event.limit === limit &&
  event.of === of;

/** The same for the model; `undefined` where the session ends by it. */
export function noticeForModel(notice: BudgetNotice): string | undefined {
  if (notice.percent < 100) return `[Budget: ${noticeText(notice)}. Plan with what is left.]`;
  if (notice.scope !== 'experiment') return undefined;
  return `[Budget: ${noticeText(notice)}. This experiment is over. The next step is a launch of the next experiment, its verdict (keep or discard, in a note), or finish; runs may go on. After ${graceTurns} more turns without a launch the session ends.]`;
}

export interface Ending {
  /**
   * The limit that ends the session, and the least that another call could take, where that is more
   * than is left.
   */
  readonly measure: Measure;
  readonly needs?: number;
}

/** Why the session ends, what was spent and what goes on, for people. */
export function endSummary(ending: Ending, state: SessionState, going: readonly string[]): string {
  const { measure, needs } = ending;
  const parts = [
    `Stopped: ${whyText(measure, needs)}.`,
    state.planUsd > 0 && measure.limit === 'usd'
      ? `${formatUsd(state.planUsd)} of what this session used is covered by your plan: it is counted at list price.`
      : '',
    going.length === 0
      ? ''
      : `${going.join(', ')} ${going.length === 1 ? 'goes' : 'go'} on and will be recorded when this session is open.`,
    measure.scope === 'day'
      ? 'It can go on tomorrow, or with a higher limit for the day.'
      : 'It can go on with a higher limit.',
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
