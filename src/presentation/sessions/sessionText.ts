/** A session in a few words: for the status bar, the chat's last line, the trees. */
import { budgetText } from '../../agent/budget/words.ts';
import type { ApprovalRequest } from '../../agent/contract/ports.ts';
import type { EndReason } from '../../agent/journal/events.ts';
import type { RunState, SessionState } from '../../agent/journal/state.ts';
import { summaryFor, type Ledger } from '../../experiments/ledger.ts';
import { formatUsd, formatValue, oneLine } from '../../base/text.ts';
import { triggerText, type SleepRequest, type Trigger } from '../../sleep/trigger.ts';
import { clockTime } from '../../base/localTime.ts';
import { formatSpan } from '../../base/span.ts';

/** The newest value of the metric that decides, and where it is heading. */
export interface LiveMetric {
  readonly name: string;
  readonly value: number;
  readonly trend: 'up' | 'down' | 'flat';
  readonly runNumber: number;
}

export interface Glance {
  readonly state: SessionState;
  readonly metric?: LiveMetric;
  /** `loss 0.83`, of the champion: what counts once nothing is going on. */
  readonly best?: string;
}

export const isOpen = (state: SessionState): boolean => state.phase !== 'ended';
export const isWorking = (state: SessionState): boolean =>
  state.phase === 'ready' || state.phase === 'thinking' || state.phase === 'acting';
/** Paused because something failed: nothing goes on until the person says so. */
export const needsPerson = (state: SessionState): boolean =>
  state.phase === 'paused' && state.pausedBy !== undefined && state.pausedBy !== 'user';

export const isAlive = (run: RunState): boolean => run.verdict === undefined && run.notStarted === undefined;
export const runningCount = (state: SessionState): number => [...state.runs.values()].filter(isAlive).length;

/** The cost so far; `≥` says that a call was made whose price is not known. */
export const costText = (state: { readonly usd: number; readonly hasUnknownCost: boolean }): string =>
  `${state.hasUnknownCost ? '≥ ' : ''}${formatUsd(state.usd)}`;

const arrows = { up: '↑', down: '↓', flat: '→' } as const;
export const metricText = (metric: LiveMetric): string =>
  `${metric.name} ${formatValue(metric.value)} ${arrows[metric.trend]}`;

/** `until run 7 ends`, `until run 2 and run 3 end`, `until loss < 1 or 14:30`, `until 14:30`. */
export function sleepText(request: SleepRequest, state: SessionState, nowMs: number): string {
  const { triggers, deadlineMs, reason, logic } = request;
  if (triggers.length === 0) return deadlineMs === undefined ? reason : `until ${clockTime(deadlineMs, nowMs)}`;
  const conjunction = logic === 'all' ? ' and ' : ' or ';
  const runs = triggers.flatMap((trigger) => (trigger.type === 'process_exit' ? [runName(trigger, state)] : []));
  if (runs.length === triggers.length)
    return `until ${shortList(runs, conjunction)} ${runs.length > 1 && logic === 'all' ? 'end' : 'ends'}`;
  const words = triggers.map((trigger) => {
    if (trigger.type === 'timer') return clockTime(trigger.atMs, nowMs);
    return trigger.type === 'process_exit' ? `${runName(trigger, state)} ends` : triggerText(trigger);
  });
  return `until ${shortList(words, conjunction)}`;
}

function runName(trigger: Extract<Trigger, { type: 'process_exit' }>, state: SessionState): string {
  const run = state.runs.get(trigger.runId);
  return run ? `run ${run.spec.number}` : trigger.name;
}

const shortList = (words: readonly string[], conjunction: string): string =>
  words.slice(0, 3).join(conjunction) + (words.length > 3 ? `${conjunction}${words.length - 3} more` : '');

/** How long the sleep lasts yet, where that is known; else how long it has lasted. */
export function sleepSpan(sleep: NonNullable<SessionState['sleep']>, nowMs: number): string {
  const timers = sleep.request.triggers.flatMap((trigger) => (trigger.type === 'timer' ? [trigger.atMs] : []));
  const endsMs = Math.min(...timers, sleep.request.deadlineMs ?? Number.POSITIVE_INFINITY);
  return formatSpan(Number.isFinite(endsMs) ? endsMs - nowMs : nowMs - sleep.sinceMs);
}

const endWords: Readonly<Record<EndReason, string>> = {
  goal: 'Goal met',
  answered: 'Answered',
  blocked: 'Blocked',
  budget: 'Budget spent',
  no_progress: 'Ended without progress',
  plateau: 'Ended on a plateau',
  user: 'Stopped',
  error: 'Ended by an error',
};
export const endText = (reason: EndReason): string => endWords[reason];

/** `Working`, `Sleeping until run 7 ends`, `Paused`, `Goal met`. */
export function phaseText(state: SessionState, nowMs: number): string {
  switch (state.phase) {
    case 'ready':
    case 'thinking':
    case 'acting':
      return 'Working';
    case 'sleeping':
      return state.sleep ? `Sleeping ${sleepText(state.sleep.request, state, nowMs)}` : 'Sleeping';
    case 'paused':
      return needsPerson(state) ? `Paused: ${oneLine(state.pausedBy ?? '', 120)}` : 'Paused';
    case 'ended':
      return state.end ? endText(state.end.reason) : 'Ended';
  }
}

function runsText(alive: number, all: number): string {
  if (all === 0) return '';
  if (alive > 0 && alive < all) return `${alive} of ${all} runs going`;
  return `${all} ${all === 1 ? 'run' : 'runs'}${alive === 0 ? '' : ' going'}`;
}

/** `Working · turn 12 · 2 of 5 runs going · loss 0.83 ↓ · $1.20 of $5 · 42 m`. */
export function statusLine({ state, metric, best }: Glance, nowMs: number): string {
  const endMs = state.phase === 'ended' ? state.lastEventMs : nowMs;
  const alive = runningCount(state);
  return [
    phaseText(state, nowMs),
    `turn ${state.turns}`,
    runsText(alive, state.runs.size),
    state.phase === 'ended' ? (best ?? '') : metric ? metricText(metric) : '',
    costText(state) + (state.budget.usd === undefined ? '' : ` of ${budgetText({ usd: state.budget.usd })}`),
    formatSpan(endMs - state.startedMs),
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

/** `loss 0.83`: the champion's best value of the metric that decides. */
export function bestText(ledger: Ledger): string | undefined {
  const { decisive, champion } = ledger;
  const summary = decisive && champion && summaryFor(champion.metrics, decisive.metric);
  return summary && `${decisive.metric} ${formatValue(summary.best)}`;
}

const effectVerbs: Readonly<Record<string, string>> = {
  read: 'read',
  write: 'write',
  execute: 'run a command',
  network: 'use the network',
};
export const effectVerb = (effect: string): string => effectVerbs[effect] ?? effect;

/** What is asked, in one line for a notification; where a line ends stays to be seen, for a further line is a further command. */
export const approvalText = ({ effect, title, detail }: ApprovalRequest): string => {
  const asked = [
    effect === 'execute' ? '' : title,
    approvalDetail(detail)
      .trim()
      .replace(/\s*\n\s*/g, ' ↵ '),
  ]
    .map((part) => oneLine(part, 240))
    .filter((part) => part !== '');
  return `Helios asks to ${effectVerb(effect)}: ${asked.join(' · ')}`;
};

/** Arguments of a call as lines, the command first; nothing of them is left out. Other text stays as it is. */
export function approvalDetail(detail: string): string {
  const args = objectIn(detail);
  if (args === undefined) return detail;
  const { command, ...rest } = args;
  const others = typeof command === 'string' ? rest : args;
  const lines = Object.entries(others).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [...(typeof command === 'string' ? [command] : []), ...lines].join('\n');
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
