/** Short texts about a session, for the status bar, the tree views and the chat. */
import type { SessionSummary } from '../../agent/contract/sessions.ts';
import { costText, endText, sleepText } from '../../agent/journal/factText.ts';
import { workedMs } from '../../agent/journal/sessionEnd.ts';
import type { RunState, SessionState } from '../../agent/journal/state.ts';
import { resultValueText, type Ledger } from '../../experiments/ledger.ts';
import { counted, formatUsd, formatValue, oneLine } from '../../base/text.ts';
import { formatSpan, relativeTime } from '../../base/span.ts';

export {
  costText,
  endHeadline,
  endText,
  sleepText,
  callCostText,
} from '../../agent/journal/factText.ts';
export { sessionName } from '../../agent/journal/sessionName.ts';
export { workedMs } from '../../agent/journal/sessionEnd.ts';
export { leftOutOf, leftOutText } from '../../agent/journal/leftOutText.ts';
export { triggerText } from '../../sleep/trigger.ts';
export { failedTitle } from '../../agent/user/askedTitle.ts';
export { openQuestions } from '../../agent/user/questions.ts';
export { requirementsForUser } from '../../experiments/target/requirements.ts';
export { targetHelp, targetSentence, targetTextOf } from '../../agent/runs/sessionLedger.ts';

/** The newest value of the deciding metric, with its trend. */
export interface LiveMetric {
  readonly name: string;
  readonly value: number;
  readonly trend: 'up' | 'down' | 'flat';
  readonly runNumber: number;
}

export interface Glance {
  readonly state: SessionState;
  /** Permissions for the next call; omitted if the profile decides them. */
  readonly permissions?: NonNullable<SessionState['permissions']>;
  readonly metric?: LiveMetric;
  /** The model call that is repeated at `atMs`, and why. */
  readonly retry?: { readonly why: string; readonly atMs: number };
  /** Best value, measured by the champion: `loss 0.83`. Shown after the session has ended. */
  readonly best?: string;
}

export const isOpen = (state: SessionState): boolean => state.phase !== 'ended';
export const isWorking = (state: SessionState): boolean =>
  state.phase === 'ready' || state.phase === 'thinking' || state.phase === 'acting';
/** Whether the session is paused because something failed, so that only the user can resume it. */
export const needsUser = (state: SessionState): boolean =>
  state.phase === 'paused' && state.pausedBy !== undefined && state.pausedBy !== 'user';

export const isAlive = (run: RunState): boolean =>
  run.verdict === undefined && run.notStarted === undefined;
export const runningCount = (state: SessionState): number =>
  [...state.runs.values()].filter(isAlive).length;

const arrows = { up: '↑', down: '↓', flat: '→' } as const;
export const metricText = (metric: LiveMetric): string =>
  `${metric.name} ${formatValue(metric.value)} ${arrows[metric.trend]}`;

/** Returns the time until the sleep ends; if that is unknown, the time since the sleep started. */
export function sleepSpan(sleep: NonNullable<SessionState['sleep']>, nowMs: number): string {
  const timers = sleep.request.triggers.flatMap((trigger) =>
    trigger.type === 'timer' ? [trigger.atMs] : [],
  );
  const endsMs = Math.min(...timers, sleep.request.deadlineMs ?? Number.POSITIVE_INFINITY);
  return formatSpan(Number.isFinite(endsMs) ? endsMs - nowMs : nowMs - sleep.sinceMs);
}

/** Returns the phase: `Working`, `Sleeping until run 7 ends`, `Paused`, `Goal met`. */
export function phaseText(state: SessionState, nowMs: number): string {
  switch (state.phase) {
    case 'ready':
    case 'thinking':
    case 'acting':
      return 'Working';
    case 'sleeping':
      return state.sleep ? `Sleeping ${sleepText(state.sleep.request, state, nowMs)}` : 'Sleeping';
    case 'paused':
      return needsUser(state) ? `Paused: ${oneLine(state.pausedBy ?? '', 120)}` : 'Paused';
    case 'ended':
      return state.end ? endText(state.end.reason) : 'Ended';
  }
}

/**
 * Returns how many of the runs have not ended: `, 2 active`, or `, 2 not followed` if no process runs
 * their session; an empty text for none.
 */
export const activeText = (count: number, isFollowed = true): string =>
  count === 0 ? '' : `, ${count} ${isFollowed ? 'active' : 'not followed'}`;

/** Counts the runs of a session: `5 runs, 2 active`; an empty text without a run. */
export const runsText = (state: SessionState): string =>
  state.runs.size === 0
    ? ''
    : `${counted(state.runs.size, 'run')}${activeText(runningCount(state))}`;

/**
 * Returns, for example, `Working · turn 12 · 5 runs, 2 active · loss 0.83 ↓ · $1.20 of $5.00 ·
 * 42 min`.
 */
export function statusLine({ state, metric, best }: Glance, nowMs: number): string {
  return [
    phaseText(state, nowMs),
    `turn ${state.turns}`,
    runsText(state),
    state.phase === 'ended' ? (best ?? '') : metric ? metricText(metric) : '',
    spentText(state),
    formatSpan(workedMs(state, nowMs)),
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

/** Returns the cost of the session and its limit: `$1.20 of $5.00`, `$1.20` without a limit. */
export const spentText = (state: SessionState): string =>
  `${costText(state)}${state.budget.usd === undefined ? '' : ` of ${formatUsd(state.budget.usd)}`}`;

/**
 * Returns a listed session in one line: `Budget used up · loss 0.3 · 2 runs · $1.50 · 2 h ago`.
 */
export const summaryText = (summary: SessionSummary, nowMs: number): string =>
  [
    endText(summary.endReason),
    summary.best ?? '',
    counted(summary.runs, 'run'),
    costText(summary),
    relativeTime(summary.lastEventMs, nowMs),
  ]
    .filter((part) => part !== '')
    .join(' · ');

/** Returns the result of the champion and its repeats: `loss 0.83 ± 0.02 over 3 runs`. */
export const bestText = ({ best }: Ledger): string | undefined => best && resultValueText(best);

const effectVerbs: Readonly<Record<string, string>> = {
  read: 'read',
  write: 'write',
  execute: 'run a command',
  network: 'use the network',
};
export const effectVerb = (effect: string): string => effectVerbs[effect] ?? effect;
