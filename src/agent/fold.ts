/** events → state. Pure: resuming after a crash is this same fold. Events that are not known here change nothing. */
import { parseGoalTarget } from '../experiments/target.ts';
import type { RunId } from '../base/ids.ts';
import type { JournalEvent } from './events.ts';
import type { RunState, SessionState } from './state.ts';

type Started = Extract<JournalEvent, { type: 'session.started' }>;

/** `undefined` when the journal does not begin with `session.started`: there is no session then. */
export function foldSession(events: readonly JournalEvent[]): SessionState | undefined {
  const first = events.find((event): event is Started => event.type === 'session.started');
  if (first === undefined) return undefined;
  return events.slice(events.indexOf(first) + 1).reduce(applyEvent, initialState(first));
}

export function initialState(event: Started): SessionState {
  const target = parseGoalTarget(event.goal);
  return {
    id: event.sessionId,
    goal: event.goal,
    ...(target && { target }),
    budget: event.budget,
    provider: event.provider,
    model: event.model,
    workFolder: event.workFolder,
    startedMs: event.at,
    lastEventMs: event.at,
    phase: 'ready',
    turns: 0,
    usd: 0,
    hasUnknownCost: false,
    inputTokens: 0,
    outputTokens: 0,
    runs: new Map(),
    stickies: new Map(),
  };
}

export function applyEvent(state: SessionState, event: JournalEvent): SessionState {
  const next = transition(state, event);
  return next === state ? state : { ...next, lastEventMs: event.at };
}

function transition(state: SessionState, event: JournalEvent): SessionState {
  switch (event.type) {
    case 'session.started':
      return state;
    case 'session.resumed':
      return { ...state, phase: revived(state), ...(event.budget && { budget: event.budget }) };
    case 'session.model_changed':
      return { ...state, provider: event.provider, model: event.model };
    case 'session.paused':
      return { ...state, phase: 'paused', pausedBy: event.detail ?? event.by };
    case 'session.ended':
      return {
        ...without(state, 'sleep', 'monitor'),
        phase: 'ended',
        end: { reason: event.reason, summary: event.summary, evidence: event.evidence },
      };
    case 'message.added':
      return event.origin === 'person' ? awake(state) : state;
    case 'model.requested':
      return { ...without(state, 'pausedBy'), phase: 'thinking', turns: event.turn };
    case 'model.replied':
      return afterReply(state, event);
    case 'permission.decided':
      return state;
    case 'tool.started':
      return { ...state, phase: 'acting' };
    case 'tool.finished':
      return state;
    case 'run.planned':
      return withRun(state, event.spec.id, { spec: event.spec, metrics: [] });
    case 'run.started':
      return changeRun(state, event.runId, { process: event.process });
    case 'run.ended':
      return changeRun(state, event.runId, { verdict: event.verdict, endedMs: event.endedMs, metrics: event.metrics });
    case 'run.not_started':
      return changeRun(state, event.runId, { notStarted: event.why });
    case 'sleep.started':
      return {
        ...state,
        phase: 'sleeping',
        sleep: { sleepId: event.sleepId, request: event.request, sinceMs: event.at },
      };
    case 'sleep.ended':
      return { ...without(state, 'sleep'), phase: 'ready' };
    case 'monitor.started':
      return { ...state, monitor: { goal: event.goal, intervalMs: event.intervalMs, sinceMs: event.at } };
    case 'monitor.stopped':
      return without(state, 'monitor');
    case 'context.checkpointed':
      return state;
    case 'note.pinned':
      return { ...state, stickies: new Map([...state.stickies, [event.number, event.text]]) };
    case 'note.unpinned':
      return { ...state, stickies: new Map([...state.stickies].filter(([number]) => number !== event.number)) };
    default:
      // Of a newer version: kept in the journal, without meaning here.
      return event satisfies never;
  }
}

const revived = (state: SessionState): SessionState['phase'] =>
  state.phase === 'thinking' || state.phase === 'acting' ? 'ready' : state.phase;

/** A person's message opens an ended or paused session again. A sleep ends by its own event. */
const awake = (state: SessionState): SessionState =>
  state.phase === 'ended' || state.phase === 'paused'
    ? { ...without(state, 'end', 'pausedBy'), phase: 'ready' }
    : state;

function afterReply(state: SessionState, event: Extract<JournalEvent, { type: 'model.replied' }>): SessionState {
  const { usage, cost } = event;
  return {
    ...state,
    phase: 'ready',
    usd: 'usd' in cost ? state.usd + cost.usd : state.usd,
    hasUnknownCost: state.hasUnknownCost || 'unknown' in cost,
    inputTokens: state.inputTokens + usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
    outputTokens: state.outputTokens + usage.outputTokens,
  };
}

function changeRun(state: SessionState, id: RunId, change: Partial<RunState>): SessionState {
  const run = state.runs.get(id);
  return run === undefined ? state : withRun(state, id, { ...run, ...change });
}

const withRun = (state: SessionState, id: RunId, run: RunState): SessionState => ({
  ...state,
  runs: new Map([...state.runs, [id, run]]),
});

type OptionalKey = 'sleep' | 'monitor' | 'end' | 'pausedBy';

function without(state: SessionState, ...keys: readonly OptionalKey[]): SessionState {
  const copy: Partial<Record<OptionalKey, unknown>> & SessionState = { ...state };
  for (const key of keys) delete copy[key];
  return copy;
}
