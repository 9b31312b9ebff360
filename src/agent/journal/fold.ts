/**
 * Folds events into the state of a session. A process that resumes a session after a crash uses the
 * same fold. Unknown events change nothing.
 */
import { readTarget } from '../../experiments/target/readTarget.ts';
import type { JournalEvent } from './events.ts';
import { allowed, begun, changeAllowance, noticed, renewed } from './allowanceFold.ts';
import { foldingAtOnce, withChanged, withEntry } from './growing.ts';
import { downMs } from './downTime.ts';
import { endMs } from './sessionEnd.ts';
import { runChanges } from './runFold.ts';
import { spent } from './spendingFold.ts';
import type { ChangesOf, SessionState } from './state.ts';
import { withTarget } from './withTarget.ts';

type Started = Extract<JournalEvent, { type: 'session.started' }>;

/**
 * Returns the state of a session after `events`: of its first events, or of those after `before`,
 * which does not change. `undefined` when the journal does not begin with `session.started`.
 */
export function foldSession(
  events: readonly JournalEvent[],
  before?: SessionState,
): SessionState | undefined {
  if (before !== undefined) return foldingAtOnce(() => events.reduce(applyEvent, before));
  const first = events.find((event): event is Started => event.type === 'session.started');
  if (first === undefined) return undefined;
  const rest = events.slice(events.indexOf(first) + 1);
  return foldingAtOnce(() => rest.reduce(applyEvent, initialState(first)));
}

export function initialState(event: Started): SessionState {
  const target = readTarget(event.goal);
  return {
    id: event.sessionId,
    goal: event.goal,
    ...(target && { target }),
    ...(event.requirements && { requirements: event.requirements }),
    budget: event.budget,
    provider: event.provider,
    model: event.model,
    workFolder: event.workFolder,
    profile: event.profile ?? 'goal',
    ...(event.parent && { parent: event.parent }),
    ...(event.permissions && { permissions: event.permissions }),
    approvals: [],
    children: [],
    startedMs: event.at,
    lastEventMs: event.at,
    phase: 'ready',
    turns: 0,
    usd: 0,
    planUsd: 0,
    hasUnknownCost: false,
    spending: new Map(),
    allowances: [begun('start', event.at)],
    notices: new Set(),
    inputTokens: 0,
    outputTokens: 0,
    runs: new Map(),
    sweeps: new Map(),
    envs: [],
    stickies: new Map(),
    experiments: new Map(),
    imports: 0,
    imported: [],
    questions: new Map(),
  };
}

export function applyEvent(state: SessionState, event: JournalEvent): SessionState {
  const change = changes[event.type] as
    ((state: SessionState, event: JournalEvent) => SessionState) | undefined;
  // Events of newer versions change nothing.
  if (change === undefined) return state;
  // A new name or note is no work: an old session stays old.
  const lastEventMs = labels.has(event.type) ? state.lastEventMs : event.at;
  return { ...withRest(state, change(state, event), event), lastEventMs };
}

const labels: ReadonlySet<JournalEvent['type']> = new Set(['session.renamed', 'run.annotated']);

/**
 * Adds the time for which a session was ended, for which no process worked on it after a crash, or
 * for which the process stood still. This time is not counted for limits in minutes.
 */
function withRest(before: SessionState, after: SessionState, event: JournalEvent): SessionState {
  if (after.phase === 'ended') return after;
  const restMs = before.phase === 'ended' ? event.at - endMs(before) : downMs(event);
  if (restMs === 0) return after;
  return changeAllowance({ ...after, restMs: (before.restMs ?? 0) + restMs }, (last) => ({
    ...last,
    startedMs: last.startedMs + restMs,
  }));
}

const same = (state: SessionState): SessionState => state;

const changes: ChangesOf<JournalEvent['type']> = {
  'session.started': same,
  'child.started': (state, { sessionId }) => ({
    ...state,
    children: [...state.children, sessionId],
  }),
  'session.resumed': (state, { budget, permissions }) => ({
    ...(budget === undefined ? state : allowed(state, budget)),
    ...(permissions && { permissions }),
    phase: revived(state),
  }),
  'session.permissions_changed': (state, { permissions }) => ({ ...state, permissions }),
  'session.model_changed': (state, { provider, model }) => ({ ...state, provider, model }),
  'session.effort_changed': (state, { effort }) => ({
    ...without(state, 'effort'),
    ...(effort && { effort }),
  }),
  'session.renamed': (state, { title }) => ({
    ...without(state, 'title'),
    ...(title && { title }),
  }),
  'session.paused': (state, { detail, by }) => ({
    ...without(state, 'sleep'),
    phase: 'paused',
    pausedBy: detail ?? by,
  }),
  'session.target_changed': withTarget,
  'session.target_kept': same,
  'target.reached': same,
  'check.ended': same,
  'session.ended': (state, { at: atMs, id: _id, v: _v, type: _type, ...end }) => ({
    ...without(state, 'sleep', 'monitor'),
    phase: 'ended',
    end: {
      atMs,
      ...end,
      ...(end.reason === 'error' && state.failure && { failure: state.failure }),
    },
  }),
  'message.added': (state, { origin }) => (origin === 'person' ? renewed(awake(state)) : state),
  'model.requested': (state, { turn }) => ({
    ...changeAllowance(without(state, 'pausedBy', 'failure'), (last) => ({
      ...last,
      turns: last.turns + 1,
    })),
    phase: 'thinking',
    turns: turn,
  }),
  'model.replied': (state, event) => ({
    ...spent(state, event),
    ...(event.failure && { failure: event.failure }),
    phase: state.phase === 'thinking' ? 'ready' : state.phase,
  }),
  'model.consulted': (state, event) => spent(state, event),
  'budget.noticed': noticed,
  'permission.decided': (state, { grants = [] }) => ({
    ...state,
    approvals: [...state.approvals, ...grants.filter(({ scope }) => scope === 'session')],
  }),
  'tool.started': (state) => (state.phase === 'ready' ? { ...state, phase: 'acting' } : state),
  'tool.finished': same,
  'files.kept': same,
  'code.uploaded': same,
  'files.changed': same,
  'files.restored': same,
  ...runChanges,
  'experiment.planned': (state, { plan, at: plannedMs }) => ({
    ...state,
    experiments: withEntry(state.experiments, plan.id, { plan, plannedMs, decisions: [] }),
  }),
  'experiment.decided': (
    state,
    { experimentId, decision, why, by, runs, isProvisional, at: atMs },
  ) => ({
    ...state,
    experiments: withChanged(state.experiments, experimentId, (record) => ({
      ...record,
      decisions: [
        ...record.decisions,
        { decision, why, by, atMs, ...(runs && { runs }), ...(isProvisional && { isProvisional }) },
      ],
    })),
  }),
  'results.imported': (state, { results, source, from }) => ({
    ...state,
    imports: state.imports + 1,
    imported: [
      ...state.imported.filter((one) => from === undefined || one.source !== source),
      ...results.map((result, index) => ({
        ...result,
        id: `i${state.imports + 1}#${index + 1}`,
        source,
      })),
    ],
  }),
  'question.asked': (
    state,
    { questionId: id, text, options, fallback, deadlineMs, runId, refused, at: askedMs },
  ) => {
    const about = { ...(runId && { runId }), ...(refused && { refused }) };
    const question = { id, text, options, fallback, askedMs, deadlineMs, ...about };
    return { ...state, questions: withEntry(state.questions, id, question) };
  },
  'question.answered': (state, { questionId, answer: text, by }) => ({
    ...state,
    questions: withChanged(state.questions, questionId, (question) => ({
      ...question,
      answer: { text, by },
    })),
  }),
  'env.captured': (state, { envId: id, machineId, repo, gist, file }) => ({
    ...state,
    envs: [...state.envs, { id, machineId, repo, gist, file }],
  }),
  'sleep.started': (state, { sleepId, request, at, callId }) => ({
    ...state,
    phase: 'sleeping',
    sleep: { sleepId, request, sinceMs: at, isCheckIn: callId === '' },
  }),
  // The end of an earlier sleep must not end the current sleep.
  'sleep.ended': (state, { sleepId }) =>
    state.sleep?.sleepId === sleepId ? { ...without(state, 'sleep'), phase: 'ready' } : state,
  'monitor.started': (state, { goal, intervalMs, at }) => ({
    ...state,
    monitor: { goal, intervalMs, sinceMs: at },
  }),
  'monitor.stopped': (state) => without(state, 'monitor'),
  'context.checkpointed': same,
  'account.written': same,
  'machine.out_of_reach': same,
  'machine.silent': same,
  'session.stood_still': same,
  'place.warned': same,
  'note.pinned': (state, { number, text }) => ({
    ...state,
    stickies: withEntry(state.stickies, number, text),
  }),
  'note.unpinned': (state, { number }) => ({
    ...state,
    stickies: new Map([...state.stickies].filter(([other]) => other !== number)),
  }),
};

const revived = (state: SessionState): SessionState['phase'] =>
  state.phase === 'thinking' || state.phase === 'acting' ? 'ready' : state.phase;

/**
 * Reopens an ended or paused session after a message of the user. Leaves a sleeping session asleep:
 * `sleep.ended` ends the sleep.
 */
const awake = (state: SessionState): SessionState =>
  state.phase === 'ended' || state.phase === 'paused'
    ? { ...without(state, 'end', 'pausedBy'), phase: 'ready' }
    : state;

type OptionalKey = 'sleep' | 'monitor' | 'end' | 'pausedBy' | 'failure' | 'effort' | 'title';

function without(state: SessionState, ...keys: readonly OptionalKey[]): SessionState {
  const copy: Partial<Record<OptionalKey, unknown>> & SessionState = { ...state };
  for (const key of keys) delete copy[key];
  return copy;
}
