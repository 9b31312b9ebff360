/** What people are told of an event of a session. Pure: which of it they want to hear is for the channels to know. */
import { formatValue, oneLine } from '../../base/text.ts';
import type { Notification } from '../../notify/notification.ts';
import type { NotifyEvent } from '../../notify/settings.ts';
import { verdictText, type Verdict } from '../../runs/run.ts';
import type { Trigger } from '../../sleep/trigger.ts';
import { noticeText } from '../budget/notices.ts';
import type { EndReason, Evidence, JournalEvent } from '../journal/events.ts';
import type { RunState, SessionState } from '../journal/state.ts';

type About = Pick<Notification, 'events' | 'title' | 'body'> &
  Partial<Pick<Notification, 'machineId' | 'pid' | 'run' | 'metrics'>>;

type Event<Type extends JournalEvent['type']> = Extract<JournalEvent, { type: Type }>;

/** `before` and `after` are the states that the event lies between. Undefined: nobody is told. */
export function notificationOf(
  event: JournalEvent,
  before: SessionState,
  after: SessionState,
): Notification | undefined {
  const about = aboutOf(event, before, after);
  return about && { ...about, sessionId: after.id, goal: oneLine(after.goal, 200), atMs: event.at };
}

function aboutOf(event: JournalEvent, before: SessionState, after: SessionState): About | undefined {
  switch (event.type) {
    case 'session.ended':
      return ended(event);
    case 'session.paused':
      return event.by === 'user' ? undefined : told('error', 'Paused by an error', event.detail ?? '');
    case 'session.resumed':
      return told('resumed', 'The session goes on', `Taken up by ${event.by}.`);
    case 'question.asked':
      return told('question', 'Helios has a question', questionText(event));
    case 'budget.noticed':
      return budget(event);
    case 'sleep.ended':
      return event.why === 'trigger' && waitsForValue(before)
        ? told('metric_threshold', 'A value is reached', event.detail)
        : undefined;
    case 'sleep.started':
      return isIdle(after) ? told('agent_idle', 'The agent waits, and nothing runs', event.request.reason) : undefined;
    default:
      return aboutRun(event, after);
  }
}

function aboutRun(event: JournalEvent, state: SessionState): About | undefined {
  switch (event.type) {
    case 'run.alarmed':
      return alarm(event, state);
    case 'run.ended':
      return runEnded(state.runs.get(event.runId), event.verdict, state);
    case 'run.not_started':
      return runFailed(state.runs.get(event.runId), event.why);
    case 'sweep.ended':
      return told('experiment_complete', `Sweep ${event.sweepId} is over`, firstLine(event.text));
    default:
      return undefined;
  }
}

/** A question of the gate's is no event of the journal. */
export const approvalNotification = (
  { title, detail }: { readonly title: string; readonly detail: string },
  { id, goal }: Pick<SessionState, 'id' | 'goal'>,
  atMs: number,
): Notification => ({
  ...told('approval', 'Helios asks for your leave', `${oneLine(title, 200)}\n${oneLine(detail, 400)}`),
  sessionId: id,
  goal: oneLine(goal, 200),
  atMs,
});

/** Nor is that nothing can be recorded. */
export const stallNotification = (
  why: string,
  { id, goal }: Pick<SessionState, 'id' | 'goal'>,
  atMs: number,
): Notification => ({
  ...told('error', 'Nothing can be recorded', why),
  sessionId: id,
  goal: oneLine(goal, 200),
  atMs,
});

const told = (event: NotifyEvent, title: string, body: string): About => ({
  events: [event],
  title,
  body: body.trim().slice(0, 1_500),
});

const endTitles: Readonly<Record<Exclude<EndReason, 'user' | 'answered'>, string>> = {
  goal: 'Goal met',
  blocked: 'Blocked',
  budget: 'Budget spent',
  no_progress: 'Ended without progress',
  plateau: 'Ended on a plateau',
  error: 'Ended by an error',
};

/** Whoever stopped the session knows, and so does whoever asked a question: the answer is before them. */
function ended({ reason, summary, evidence }: Event<'session.ended'>): About | undefined {
  if (reason === 'user' || reason === 'answered') return undefined;
  const special: Partial<Record<EndReason, NotifyEvent>> = { goal: 'goal_met', error: 'error' };
  const first = special[reason];
  const [best] = evidence;
  return {
    events: [...(first === undefined ? [] : [first]), 'session_ended'],
    title: endTitles[reason],
    body: [oneLine(summary, 600), ...evidence.map(evidenceText)].join('\n'),
    ...(best && { run: best.run, metrics: Object.fromEntries(evidence.map(({ metric, last }) => [metric, last])) }),
  };
}

const evidenceText = ({ metric, last, run }: Evidence): string => `${metric} ${formatValue(last)} (${run})`;

function questionText({ text, options, fallback }: Event<'question.asked'>): string {
  const choice = options.length === 0 ? '' : `\nAnswers: ${options.join(' · ')}`;
  return `${text}${choice}\nWithout an answer: ${fallback}`;
}

/** The end by a limit tells of itself; what an experiment may cost is the model's to know. */
const budget = (event: Event<'budget.noticed'>): About | undefined =>
  event.percent === 80 && event.scope !== 'experiment'
    ? told('budget', 'Most of a limit is used', `${noticeText(event)}.`)
    : undefined;

function alarm({ runId, detail, action }: Event<'run.alarmed'>, state: SessionState): About {
  const run = state.runs.get(runId);
  const done = { warn: '', kill: ' It is ended.', ask: ' You are asked whether it is to go on.' }[action];
  return {
    ...told('alarm', `${run === undefined ? 'A run' : nameOf(run)}: ${detail}`, done.trim()),
    ...(run && placeOf(run)),
  };
}

/** What somebody chose to end has not failed. */
function runEnded(run: RunState | undefined, verdict: Verdict, state: SessionState): About | undefined {
  if (run === undefined || verdict.kind === 'killed') return undefined;
  const name: NotifyEvent = verdict.kind === 'ok' ? 'task_complete' : 'task_failed';
  const metrics = metricsOf(run, state);
  const values = Object.entries(metrics).map(([metric, value]) => `${metric} ${formatValue(value)}`);
  return {
    events: isExperimentOver(run, state) ? ['experiment_complete', name] : [name],
    title: verdict.kind === 'ok' ? `${nameOf(run)} is complete` : `${nameOf(run)}: ${verdictText(verdict)}`,
    body: [oneLine(run.spec.label, 80), values.join(' · ')].filter((part) => part !== '').join('\n'),
    ...placeOf(run),
    ...(values.length > 0 && { metrics }),
  };
}

const runFailed = (run: RunState | undefined, why: string): About | undefined =>
  run && { ...told('task_failed', `${nameOf(run)} could not be started`, why), ...placeOf(run) };

/** The sweep tells of its points when it is over. */
function isExperimentOver({ spec }: RunState, { runs }: SessionState): boolean {
  if (spec.sweep !== undefined) return false;
  const { experimentId } = spec;
  const others =
    experimentId === undefined ? [] : [...runs.values()].filter((run) => run.spec.experimentId === experimentId);
  return others.every(({ verdict, notStarted }) => verdict !== undefined || notStarted !== undefined);
}

const mostMetrics = 5;

/** The metric of the goal first. */
function metricsOf({ metrics }: RunState, { target }: SessionState): Record<string, number> {
  const rank = (metric: string): number => (metric === target?.metric ? 0 : 1);
  const shown = [...metrics].sort((a, b) => rank(a.metric) - rank(b.metric)).slice(0, mostMetrics);
  return Object.fromEntries(shown.map(({ metric, last }) => [metric, last]));
}

const nameOf = ({ spec }: RunState): string => `Run ${spec.number}`;

const placeOf = ({ spec, process }: RunState): Pick<Notification, 'machineId' | 'pid' | 'run'> => ({
  machineId: spec.machineId,
  run: `run ${spec.number}`,
  ...(process && { pid: process.pid }),
});

const valueTriggers: readonly Trigger['type'][] = ['tracked_metric', 'metric', 'resource'];

const waitsForValue = ({ sleep }: SessionState): boolean =>
  sleep?.request.triggers.some(({ type }) => valueTriggers.includes(type)) ?? false;

const isIdle = ({ runs, monitor }: SessionState): boolean =>
  monitor === undefined &&
  [...runs.values()].every(({ verdict, notStarted }) => verdict !== undefined || notStarted !== undefined);

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';
