/** Notifications, before the notifier selects their channels. */
import type { NotifyEvent } from './settings.ts';

export interface Notification {
  /** Every event that the notification matches, the most specific event first. */
  readonly events: readonly NotifyEvent[];
  /** A title of a few words: `Run 7 failed`. */
  readonly title: string;
  /** A text of one or two sentences. Does not contain the goal. */
  readonly body: string;
  readonly sessionId: string;
  readonly goal: string;
  readonly machineId?: string;
  readonly pid?: number;
  /** Name of the run: `run 7`. */
  readonly run?: string;
  /** Last values of metrics: name → value. */
  readonly metrics?: Readonly<Record<string, number>>;
  /** Time of the event, in milliseconds since the epoch. */
  readonly atMs: number;
}

/**
 * A notification for one channel. `event` is the event of the notification to which the channel
 * subscribed.
 */
export interface Message extends Notification {
  readonly event: NotifyEvent;
}

/** A message as JSON, for webhooks and commands. */
export interface Payload {
  readonly event: NotifyEvent;
  readonly title: string;
  readonly body: string;
  readonly sessionId: string;
  readonly goal: string;
  readonly machineId?: string;
  readonly pid?: number;
  readonly run?: string;
  /** Last values of metrics. Non-finite values are text: `NaN`, `Infinity`. */
  readonly metrics?: Readonly<Record<string, number | string>>;
  /** Time in ISO 8601, UTC. */
  readonly timestamp: string;
}

export function payloadOf({ events: _, atMs, metrics, ...message }: Message): Payload {
  const { event, title, body, sessionId, goal, ...rest } = message;
  const values =
    metrics &&
    Object.entries(metrics).map(([name, value]) => [
      name,
      Number.isFinite(value) ? value : String(value),
    ]);
  return {
    event,
    title,
    body,
    sessionId,
    goal,
    ...rest,
    ...(values && { metrics: Object.fromEntries(values) as Record<string, number | string> }),
    timestamp: new Date(atMs).toISOString(),
  };
}

/** Returns the body and, if the message has one, the goal, as text for the user. */
export const fullText = ({ body, goal }: Pick<Message, 'body' | 'goal'>): string =>
  [body, goal === '' ? '' : `Goal: ${goal}`].filter((part) => part !== '').join('\n');

const urgent: readonly NotifyEvent[] = ['error', 'question', 'approval', 'alarm'];

/** Returns whether the message needs the user's attention now. */
export const isUrgent = ({ event }: Message): boolean => urgent.includes(event);

/** Maximum number of notifications that a summary lists one by one. */
const namedLines = 5;

/**
 * Combines messages of one channel into one message that states their number. `messages` must be
 * sorted oldest first, and not be empty. The title begins with `lead`.
 */
export function summed(messages: readonly Message[], lead: string): Message {
  const [first, ...others] = messages;
  if (first === undefined) throw new Error('There is nothing to sum up.');
  if (others.length === 0) return { ...first, title: `${lead}: ${first.title}` };
  const named = messages.slice(-namedLines);
  const rest = messages.slice(0, -namedLines);
  const lines = named.map(({ title, body }) =>
    body === '' ? title : `${title}: ${body.split('\n', 1)[0]}`,
  );
  const {
    machineId: _machine,
    pid: _pid,
    run: _run,
    metrics: _metrics,
    ...last
  } = messages.at(-1) ?? first;
  return {
    ...last,
    event: messages.find(isUrgent)?.event ?? last.event,
    title: `${lead}: ${messages.length} notifications`,
    body: [...lines, ...(rest.length === 0 ? [] : [`and ${restText(rest)}`])].join('\n'),
    goal: new Set(messages.map(({ goal }) => goal)).size === 1 ? last.goal : '',
  };
}

/**
 * Returns the line for messages that a summary does not list: `12 more runs ended`, or `12 more: 10
 * × runs ended, 2 × alarms`.
 */
function restText(rest: readonly Message[]): string {
  const counts = new Map<string, number>();
  for (const { event } of rest) counts.set(words[event][1], (counts.get(words[event][1]) ?? 0) + 1);
  const [only] = counts.keys();
  if (counts.size === 1 && only !== undefined)
    return `${rest.length} more ${rest.length === 1 ? words[rest[0]?.event ?? 'error'][0] : only}`;
  return `${rest.length} more: ${[...counts].map(([name, count]) => `${count} × ${name}`).join(', ')}`;
}

/** Singular and plural for each event, for the counts in a summary. */
const words: Readonly<Record<NotifyEvent, readonly [string, string]>> = {
  goal_met: ['goal met', 'goals met'],
  session_ended: ['session ended', 'sessions ended'],
  error: ['error', 'errors'],
  question: ['question', 'questions'],
  approval: ['approval', 'approvals'],
  budget: ['budget notice', 'budget notices'],
  alarm: ['alarm', 'alarms'],
  resumed: ['session resumed', 'sessions resumed'],
  experiment_complete: ['experiment ended', 'experiments ended'],
  task_complete: ['run ended', 'runs ended'],
  task_failed: ['run failed', 'runs failed'],
  metric_threshold: ['value reached', 'values reached'],
  agent_idle: ['idle agent', 'idle agents'],
};
