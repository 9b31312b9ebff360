/** Texts for facts of a session: how it ended, until when it sleeps, its cost. */
import { clockTime } from '../../base/localTime.ts';
import { formatUsd } from '../../base/text.ts';
import type { ThinkingCost } from '../../experiments/ledger.ts';
import { targetText, type Target } from '../../experiments/target/target.ts';
import type { Cost } from '../../models/prices.ts';
import { triggerText, type SleepRequest, type Trigger } from '../../sleep/trigger.ts';
import type { EndReason, JournalEvent } from './events.ts';
import type { SessionState } from './state.ts';
import { runName } from '../../runs/run.ts';

const endReasonText: Readonly<Record<EndReason, string>> = {
  goal: 'Goal met',
  best_found: 'Best found',
  claimed: 'Ended: the agent says the goal is met, not checked',
  answered: 'Answered',
  blocked: 'Blocked',
  budget: 'Budget used up',
  no_progress: 'Stopped without progress',
  plateau: 'Stopped at a plateau',
  user: 'Stopped',
  error: 'Stopped by an error',
};

/** The ends whose summary the model wrote. Helios wrote that of the others. */
export const endReasonsOfModel: ReadonlySet<EndReason> = new Set<EndReason>([
  'goal',
  'best_found',
  'claimed',
  'answered',
  'blocked',
]);

/** Returns that a message has not changed the target, and the command that changes it. */
export const keptTargetText = ({
  target,
  stated,
}: Readonly<Record<'target' | 'stated', Target>>): string =>
  `The target is still ${targetText(target)}. To change it: /target ${targetText(stated)}`;

/** Returns a change of the target: `val_loss < 0.3 → val_loss < 0.2, baseline run 5`. */
export function targetChangeText(before: Target | undefined, target: Target): string {
  const from = before === undefined ? 'none' : targetText(before);
  const baseline = target.baseline === undefined ? '' : `, baseline run ${target.baseline}`;
  return `${from} → ${targetText(target)}${baseline}`;
}

/** Returns the target that a change of the target replaced; `undefined` if there was none. */
export function targetBefore(
  { earlierTargets = [], target: inForce }: Pick<SessionState, 'earlierTargets' | 'target'>,
  target: Target,
): Target | undefined {
  const all = [...earlierTargets, ...(inForce ? [inForce] : [])];
  const words = targetText(target);
  const index = all.findLastIndex((one) => targetText(one) === words);
  return all[index - 1];
}

const targetMessageStart = 'The target is now: ';

/** Returns the message that tells the agent the target of the user. */
export const targetMessage = (words: string): string =>
  `${targetMessageStart}${words}. It replaces what was read before.`;

/** Returns whether the user wrote the message, and not Helios for the user. */
export const isWordOfUser = ({
  origin,
  isUnsaid,
  text,
}: Pick<
  Extract<JournalEvent, { type: 'message.added' }>,
  'origin' | 'isUnsaid' | 'text'
>): boolean => origin === 'person' && isUnsaid !== true && !text.startsWith(targetMessageStart);

/**
 * Returns how a session ended: `Goal met`, `Budget used up`; `Not ended` without a reason, `Ended` for
 * a reason that a newer version wrote.
 */
export const endText = (reason: EndReason | undefined): string =>
  reason === undefined
    ? 'Not ended'
    : ((endReasonText as Partial<typeof endReasonText>)[reason] ?? 'Ended');

/** Returns how a session ended, and what the engine compared: `Goal met: val_loss 0.018 < 0.02`. */
export const endHeadline = ({
  reason,
  checked = [],
}: Pick<NonNullable<SessionState['end']>, 'reason' | 'checked'>): string =>
  checked.length === 0 ? endText(reason) : `${endText(reason)}: ${checked.join('; ')}`;

/** Matches a compared condition: metric, measured value, comparator and number. */
const comparison = /^(?<measured>.+? \S+(?: %)?) (?<bound>[<>]=? [-\d.e+]+(?: %)?)(?=[,;]? |$)/;

/**
 * Returns how a session ended, with the values that decided it: `Goal met: val_loss 0.018 < 0.02`.
 * If no number was compared, returns all that was checked.
 */
export function shortHeadline(end: Parameters<typeof endHeadline>[0]): string {
  const values = (end.checked ?? []).flatMap((text) => {
    const { measured, bound } = comparison.exec(text)?.groups ?? {};
    return measured === undefined ? [] : [`${measured} ${bound}`];
  });
  const checked = (end.checked ?? []).map((text) => text.replace(/ exists \(.*\)$/, ' exists'));
  return values.length === 0
    ? endHeadline({ ...end, checked })
    : `${endText(end.reason)}: ${values.join(', ')}`;
}

/** Returns `$1.20`, or `at least $1.20` when the price of a call is unknown. */
export const costText = ({
  usd,
  hasUnknownCost,
}: Pick<ThinkingCost, 'usd' | 'hasUnknownCost'>): string =>
  hasUnknownCost ? `at least ${formatUsd(usd)}` : formatUsd(usd);

/** Formats the cost of one call. */
export const callCostText = (cost: Cost): string =>
  'usd' in cost ? formatUsd(cost.usd) : 'unknown cost';

/**
 * Describes the conditions that end a sleep: `until run 7 ends`, `until runs 2 and 3 end`,
 * `until loss < 1 or 14:30`, `until 14:30`.
 */
export function sleepText(request: SleepRequest, state: SessionState, nowMs: number): string {
  const { triggers, deadlineMs, reason, logic } = request;
  if (triggers.length === 0)
    return deadlineMs === undefined ? reason : `until ${clockTime(deadlineMs, nowMs)}`;
  const conjunction = logic === 'all' ? ' and ' : ' or ';
  const runs = triggers.flatMap((trigger) =>
    trigger.type === 'process_exit' ? [exitedRun(trigger, state)] : [],
  );
  if (runs.length === triggers.length) {
    const [noun, verb] = runs.length > 1 && logic === 'all' ? ['runs', 'end'] : ['run', 'ends'];
    const numbers = runs.flatMap((name) => /^run (\d+)$/.exec(name)?.[1] ?? []);
    const names =
      numbers.length === runs.length
        ? `${noun} ${shortList(numbers, conjunction)}`
        : shortList(runs, conjunction);
    return `until ${names} ${verb}`;
  }
  const words = triggers.map((trigger) => {
    if (trigger.type === 'timer') return clockTime(trigger.atMs, nowMs);
    return trigger.type === 'process_exit'
      ? `${exitedRun(trigger, state)} ends`
      : triggerText(trigger);
  });
  return `until ${shortList(words, conjunction)}`;
}

function exitedRun(
  trigger: Extract<Trigger, { type: 'process_exit' }>,
  state: SessionState,
): string {
  const run = state.runs.get(trigger.runId);
  return run ? runName(run.spec.number) : trigger.name;
}

const shortList = (words: readonly string[], conjunction: string): string =>
  words.slice(0, 3).join(conjunction) +
  (words.length > 3 ? `${conjunction}${words.length - 3} more` : '');
