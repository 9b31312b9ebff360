/**
 * Extracts from a journal what a returning user should know: interruptions, refusals, limits, and
 * the total time asleep.
 */
import { oneLine } from '../../base/text.ts';
import type { BriefFacts, Happening } from '../../reports/facts.ts';
import { readTarget } from '../../experiments/target/readTarget.ts';
import type { Target } from '../../experiments/target/target.ts';
import { describeEvent, descriptionLine } from '../journal/describeEvent.ts';
import type { JournalEvent } from '../journal/events.ts';
import { isWordOfUser, targetChangeText } from '../journal/factText.ts';
import { outageText } from '../journal/runText.ts';
import type { SessionState } from '../journal/state.ts';

/**
 * Lists the events that a returning user should know, oldest first. Consecutive events with the
 * same text are merged into one entry with the time of the last of these events.
 */
export function happeningsOf(events: readonly JournalEvent[], state: SessionState): Happening[] {
  const happenings: { atMs: number; text: string; times: number }[] = [];
  const tools = new Map<string, string>();
  const isLeftOut = leftOutOf(events);
  let target: Target | undefined;
  for (const event of events) {
    if (event.type === 'model.replied')
      for (const block of event.content)
        if (block.type === 'tool_call') tools.set(block.id, block.name);
    if (event.type === 'session.started') target = readTarget(event.goal);
    const before = target;
    if (event.type === 'session.target_changed') ({ target } = event);
    const text = isLeftOut(event)
      ? undefined
      : (changeText(event, before) ?? textOf(event, state, tools));
    if (text === undefined) continue;
    const last = happenings.at(-1);
    const { reachedMs: atMs = event.at } = event.type === 'target.reached' ? event : {};
    if (last?.text === text) Object.assign(last, { atMs, times: last.times + 1 });
    else happenings.push({ atMs, text, times: 1 });
  }
  return happenings.map(({ atMs, text, times }) => ({
    atMs,
    text: times === 1 ? text : `${text} (${times} times)`,
  }));
}

/** Returns the function that tells which events later ones replace. */
function leftOutOf(events: readonly JournalEvent[]): (event: JournalEvent) => boolean {
  const shown = shownByUser(events);
  const silent = openSilences(events);
  return (event) =>
    (event.type in userLimits && !shown.has(event)) ||
    (event.type === 'machine.silent' && !silent.has(event));
}

/** Returns the outages that go on; the event at the end of an outage tells of the others. */
function openSilences(events: readonly JournalEvent[]): ReadonlySet<JournalEvent> {
  const open = new Map<string, JournalEvent>();
  for (const event of events) {
    if (event.type === 'machine.silent') open.set(event.machineId, event);
    if (event.type === 'machine.out_of_reach') open.delete(event.machineId);
  }
  return new Set(open.values());
}

/** Maximum numbers of events that say what the user wanted; the newest are shown. */
const userLimits: Readonly<Partial<Record<JournalEvent['type'], number>>> = {
  'session.target_changed': 5,
  'message.added': 5,
  'note.pinned': 5,
};

function shownByUser(events: readonly JournalEvent[]): ReadonlySet<JournalEvent> {
  const ofUser = events.filter((event) => event.type !== 'message.added' || isWordOfUser(event));
  return new Set(
    Object.entries(userLimits).flatMap(([type, limit]) =>
      ofUser.filter((event) => event.type === type).slice(-limit),
    ),
  );
}

/** Returns who changed the target, from which to which; `undefined` for another event. */
function changeText(event: JournalEvent, before: Target | undefined): string | undefined {
  if (event.type === 'message.added') return `You said: “${oneLine(event.text, maxMessageChars)}”`;
  if (event.type !== 'session.target_changed') return undefined;
  const by = event.by === 'agent' ? 'the agent' : 'you';
  return `Target changed by ${by}: ${targetChangeText(before, event.target)}`;
}

const maxMessageChars = 120;
const maxChars = 200;

/**
 * Returns the text for an event that stopped, changed or refused work. Omits the facts of the
 * description, such as which process resumed the session.
 */
function textOf(
  event: JournalEvent,
  state: SessionState,
  tools: ReadonlyMap<string, string>,
): string | undefined {
  if (!isHappening(event)) return undefined;
  if (event.type === 'machine.out_of_reach') return outageText(event);
  const description = describeEvent(event, state);
  const line = description && descriptionLine({ ...description, facts: [] }, maxChars);
  const called = event.type === 'permission.decided' ? calledText(event, tools) : undefined;
  return line === undefined || called === undefined ? line : `${line} · ${called}`;
}

const maxCallChars = 80;

/** Returns what a call would have done: its command, path or host; without those, its tool. */
function calledText(
  { callId, accesses = [] }: Extract<JournalEvent, { type: 'permission.decided' }>,
  tools: ReadonlyMap<string, string>,
): string | undefined {
  const [access] = accesses;
  if (access === undefined) return tools.get(callId);
  if (access.kind === 'host') return oneLine(access.url ?? access.host, maxCallChars);
  return access.kind === 'command'
    ? oneLine(access.command, maxCallChars)
    : `${access.kind} ${oneLine(access.path, maxCallChars)}`;
}

function isHappening(event: JournalEvent): boolean {
  switch (event.type) {
    case 'session.resumed':
    case 'session.paused':
    case 'note.pinned':
    case 'session.permissions_changed':
    case 'session.model_changed':
    case 'budget.noticed':
    case 'run.not_started':
    case 'machine.silent':
    case 'machine.out_of_reach':
    case 'target.reached':
    case 'session.stood_still':
      return true;
    case 'model.replied':
      return event.failure !== undefined;
    case 'permission.decided':
      return !event.isAllowed;
    default:
      return false;
  }
}

/** Returns the number of ended sleeps, their total time and the longest time. */
export function sleepsOf(events: readonly JournalEvent[]): BriefFacts['sleeps'] {
  const startedMs = new Map<string, number>();
  const spans: number[] = [];
  for (const event of events) {
    if (event.type === 'sleep.started') startedMs.set(event.sleepId, event.at);
    if (event.type !== 'sleep.ended') continue;
    const start = startedMs.get(event.sleepId);
    startedMs.delete(event.sleepId);
    if (start !== undefined) spans.push(event.at - start);
  }
  return {
    count: spans.length,
    totalMs: spans.reduce((sum, span) => sum + span, 0),
    longestMs: spans.reduce((longest, span) => Math.max(longest, span), 0),
  };
}
