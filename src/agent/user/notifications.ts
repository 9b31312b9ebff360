/**
 * Turns events of a session into notifications. Does not consider the notification channels: each
 * channel filters the notifications that it sends.
 */
import { isSameMetric } from '../../metrics/metricName.ts';
import { formatValue, oneLine, textSize } from '../../base/text.ts';
import type { Notification } from '../../notify/notification.ts';
import type { NotifyEvent } from '../../notify/settings.ts';
import type { Trigger } from '../../sleep/trigger.ts';
import { describeEvent, type Description, type EventOf } from '../journal/describeEvent.ts';
import type { EndReason, Evidence, JournalEvent } from '../journal/events.ts';
import type { RunState, SessionState } from '../journal/state.ts';
import { runName } from '../../runs/run.ts';
import { openQuestions } from './questions.ts';
import { sessionName } from '../journal/sessionName.ts';

type About = Pick<Notification, 'events' | 'title' | 'body'> &
  Partial<Pick<Notification, 'machineId' | 'pid' | 'run' | 'metrics'>>;

/**
 * Returns the notification for an event, or `undefined` for an event without a notification.
 * `before` and `after` are the states of the session before and after the event.
 */
export function notificationOf(
  event: JournalEvent,
  before: SessionState,
  after: SessionState,
): Notification | undefined {
  if (event.type === 'question.asked' && isFollowing(event, before)) return undefined;
  const about = aboutOf(event, before, after);
  return (
    about && {
      ...about,
      sessionId: after.id,
      goal: oneLine(sessionName(after), 200),
      atMs: event.at,
    }
  );
}

function aboutOf(
  event: JournalEvent,
  before: SessionState,
  after: SessionState,
): About | undefined {
  const description = describeEvent(event, after);
  if (description === undefined) return undefined;
  switch (event.type) {
    case 'session.ended':
      return ended(event, description);
    case 'session.paused':
      return event.by === 'user' ? undefined : contentFor('error', description);
    case 'budget.noticed':
      return isNearLimit(event) ? contentFor('budget', description) : undefined;
    case 'sleep.ended':
    case 'sleep.started':
      return aboutSleep(event, description, { before, after });
    case 'run.alarmed':
    case 'run.ended':
    case 'run.not_started':
      return aboutRun(event, description, after);
    default: {
      const kind = plainKinds[event.type];
      return kind && contentFor(kind, description);
    }
  }
}

/** Kinds of the notifications that only describe their event. */
const plainKinds: { readonly [Type in JournalEvent['type']]?: Parameters<typeof contentFor>[0] } = {
  'session.resumed': 'resumed',
  'question.asked': 'question',
  'sweep.ended': 'experiment_complete',
  'sweep.paused': 'alarm',
};

function aboutSleep(
  event: EventOf<'sleep.started'> | EventOf<'sleep.ended'>,
  description: Description,
  { before, after }: { readonly before: SessionState; readonly after: SessionState },
): About | undefined {
  if (event.type === 'sleep.ended')
    return event.why === 'trigger' && waitsForValue(before)
      ? contentFor('metric_threshold', description)
      : undefined;
  const idle = { title: 'The agent sleeps, and no run is active', detail: event.request.reason };
  return isIdle(after) ? contentFor('agent_idle', idle) : undefined;
}

/**
 * True for a notice that should become a notification: 80 % of a limit of the goal or the day. At
 * 100 %, the session ends, which has its own notification. Notices about limits of an experiment
 * are only for the model.
 */
const isNearLimit = ({ percent, scope }: EventOf<'budget.noticed'>): boolean =>
  percent === 80 && scope !== 'experiment';

type RunEvent = EventOf<'run.alarmed'> | EventOf<'run.ended'> | EventOf<'run.not_started'>;

function aboutRun(
  event: RunEvent,
  description: Description,
  state: SessionState,
): About | undefined {
  const run = state.runs.get(event.runId);
  if (event.type === 'run.alarmed')
    return { ...contentFor('alarm', description), ...(run && placeOf(run)) };
  if (run === undefined) return undefined;
  if (event.type === 'run.not_started')
    return { ...contentFor('task_failed', description), ...placeOf(run) };
  return runEnded(event, description, { run, state });
}

/**
 * Notification for a call that needs the user's approval. Created separately from `notificationOf`,
 * because the journal has no event for the request.
 */
export const approvalNotification = (
  { title, detail }: { readonly title: string; readonly detail: string },
  { id, goal }: Pick<SessionState, 'id' | 'goal'>,
  atMs: number,
): Notification => ({
  ...contentFor('approval', {
    title: 'Helios needs your approval',
    detail: `${oneLine(title, 200)}\n${approvalDetail(detail)}`,
  }),
  sessionId: id,
  goal: oneLine(goal, 200),
  atMs,
});

const maxDetailChars = 400;

/** Returns the call in one line. A long call is truncated, after a sentence that says so. */
function approvalDetail(detail: string): string {
  const start = oneLine(detail, maxDetailChars);
  if (start === oneLine(detail, Infinity)) return start;
  return `Not the whole call (${textSize(detail)}); it is shown where you approve it:\n${start}`;
}

/** Notification for a stalled journal: an event cannot be recorded in this situation. */
export const stallNotification = (
  why: string,
  { id, goal }: Pick<SessionState, 'id' | 'goal'>,
  atMs: number,
): Notification => ({
  ...contentFor('error', { title: 'The journal cannot be written', detail: why }),
  sessionId: id,
  goal: oneLine(goal, 200),
  atMs,
});

type Words = Pick<Description, 'title' | 'detail' | 'facts'>;

const contentFor = (event: NotifyEvent, { title, detail = '', facts = [] }: Words): About => ({
  events: [event],
  title,
  body: [detail, ...facts].join('\n').trim().slice(0, 1_500),
});

/**
 * Returns the notification for the end of a session. Returns none when the user stopped the
 * session, or when the session answered a question: the user sees the answer.
 */
function ended(
  { reason, evidence, checked }: EventOf<'session.ended'>,
  { title, detail = '' }: Description,
): About | undefined {
  if (reason === 'user' || reason === 'answered') return undefined;
  const special: Partial<Record<EndReason, NotifyEvent>> = { goal: 'goal_met', error: 'error' };
  const first = special[reason];
  const [best] = evidence;
  return {
    events: [...(first === undefined ? [] : [first]), 'session_ended'],
    title,
    body: [oneLine(detail, 600), ...(checked ?? evidence.map(evidenceText))].join('\n'),
    ...(best && {
      run: best.run,
      metrics: Object.fromEntries(evidence.map(({ metric, last }) => [metric, last])),
    }),
  };
}

const evidenceText = ({ metric, last, run }: Evidence): string =>
  `${metric} ${formatValue(last)} (${run})`;

/** Returns the notification for the end of a run; none for a killed run, which has not failed. */
function runEnded(
  { verdict }: EventOf<'run.ended'>,
  description: Description,
  { run, state }: { readonly run: RunState; readonly state: SessionState },
): About | undefined {
  if (verdict.kind === 'killed') return undefined;
  const name: NotifyEvent = verdict.kind === 'ok' ? 'task_complete' : 'task_failed';
  const metrics = metricsOf(run, state);
  return {
    ...contentFor(name, description),
    ...(isExperimentOver(run, state) && { events: ['experiment_complete', name] }),
    ...placeOf(run),
    ...(Object.keys(metrics).length > 0 && { metrics }),
  };
}

/**
 * True when no other run of the experiment is active. Always false for points of a sweep: the end
 * of the whole sweep has its own notification.
 */
function isExperimentOver({ spec }: RunState, { runs }: SessionState): boolean {
  if (spec.sweep !== undefined) return false;
  const { experimentId } = spec;
  const others =
    experimentId === undefined
      ? []
      : [...runs.values()].filter((run) => run.spec.experimentId === experimentId);
  return others.every(
    ({ verdict, notStarted }) => verdict !== undefined || notStarted !== undefined,
  );
}

const maxMetrics = 5;

/** Returns the last values of the run's metrics, with the goal's metric first. */
function metricsOf({ metrics }: RunState, { target }: SessionState): Record<string, number> {
  const rank = (metric: string): number =>
    target && isSameMetric(metric, target.objective.metric) ? 0 : 1;
  const shown = [...metrics].sort((a, b) => rank(a.metric) - rank(b.metric)).slice(0, maxMetrics);
  return Object.fromEntries(shown.map(({ metric, last }) => [metric, last]));
}

const placeOf = ({ spec, process }: RunState): Pick<Notification, 'machineId' | 'pid' | 'run'> => ({
  machineId: spec.machineId,
  run: runName(spec.number),
  ...(process && { pid: process.pid }),
});

const valueTriggers: readonly Trigger['type'][] = ['tracked_metric', 'metric', 'resource'];

const waitsForValue = ({ sleep }: SessionState): boolean =>
  sleep?.request.triggers.some(({ type }) => valueTriggers.includes(type)) ?? false;

const isIdle = ({ runs, monitor }: SessionState): boolean =>
  monitor === undefined &&
  [...runs.values()].every(
    ({ verdict, notStarted }) => verdict !== undefined || notStarted !== undefined,
  );

/**
 * Returns true for a refused call that is put into the inbox while another refused call still waits
 * there. A night may bring many; only the first is notified.
 */
const isFollowing = ({ refused }: EventOf<'question.asked'>, before: SessionState): boolean =>
  refused !== undefined && openQuestions(before).some((question) => question.refused !== undefined);
