/** What a step of the timeline says: one line for each kind of event, and nothing for those that only complete another. */
import { verdictWords } from '../../agent/runs/alarms.ts';
import { noticeText } from '../../agent/budget/notices.ts';
import type { JournalEvent, MessageOrigin } from '../../agent/journal/events.ts';
import type { SessionState } from '../../agent/journal/state.ts';
import { cleanText, counted, formatDuration, formatUsd, formatValue, oneLine } from '../../base/text.ts';
import type { Decision } from '../../experiments/experiment.ts';
import type { Verdict } from '../../runs/run.ts';
import type { Cost } from '../../models/prices.ts';
import type { RowKind, Tone } from '../../protocol/sessionView.ts';
import { endText, sleepText } from '../../presentation/sessions/sessionText.ts';

export interface RowWords {
  readonly kind: RowKind;
  readonly title: string;
  readonly note?: string;
  readonly tone?: Tone;
  readonly cost?: string;
  readonly runId?: string;
}

export type Of<Type extends JournalEvent['type']> = Extract<JournalEvent, { type: Type }>;
type Words<Type extends JournalEvent['type']> = (event: Of<Type>, state: SessionState) => RowWords | undefined;

const none = (): undefined => undefined;

const words: { readonly [Type in JournalEvent['type']]: Words<Type> } = {
  'session.started': ({ provider, model }) => ({ kind: 'start', title: 'Started', note: `${provider}/${model}` }),
  'child.started': ({ sessionId }) => ({ kind: 'start', title: 'Started a session', note: sessionId }),
  'session.resumed': ({ by }) => ({ kind: 'resume', title: 'Taken up again', note: by }),
  'session.model_changed': ({ provider, model }) => ({ kind: 'setting', title: 'Model', note: `${provider}/${model}` }),
  'session.effort_changed': ({ effort }) => ({ kind: 'setting', title: 'Reasoning', note: effort ?? 'as configured' }),
  'session.paused': ({ by, detail }) =>
    by === 'user'
      ? { kind: 'pause', title: 'Paused', tone: 'muted' }
      : { kind: 'pause', title: 'Paused by an error', note: line(detail ?? ''), tone: 'bad' },
  'session.ended': ({ reason, summary }) => ({
    kind: 'end',
    title: endText(reason),
    note: line(summary),
    tone: reason === 'goal' || reason === 'answered' ? 'good' : reason === 'error' ? 'bad' : 'warn',
  }),
  // The message of the goal tells the model its limits too.
  'message.added': ({ origin, text }, state) => ({
    kind: origin === 'goal' || origin === 'person' ? 'message' : 'wake',
    title: origins[origin],
    note: line(origin === 'goal' ? state.goal : text),
  }),
  'model.requested': () => ({ kind: 'turn', title: 'Thinking', tone: 'busy' }),
  'model.replied': repliedWords,
  'model.consulted': ({ purpose, provider, model, cost }) => ({
    kind: 'consult',
    title: purpose === 'search' ? 'Search by the provider' : 'Second opinion',
    note: `${provider}/${model}`,
    cost: costOf(cost),
  }),
  'budget.noticed': (event) => ({
    kind: 'budget',
    title: 'Budget',
    note: noticeText(event),
    tone: event.percent === 100 ? 'bad' : 'warn',
  }),
  'permission.decided': ({ isAllowed, by, why }) => {
    if (!isAllowed) return { kind: 'refusal', title: 'Not allowed', note: line(why), tone: 'bad' };
    return by === 'person' ? { kind: 'refusal', title: 'Allowed by you', note: line(why), tone: 'good' } : undefined;
  },
  'tool.started': ({ title }) => ({ kind: 'tool', title: line(title), tone: 'busy' }),
  'tool.finished': none,
  'run.planned': none,
  'run.started': ({ runId }, state) => ({
    ...{ kind: 'run', title: runTitle(state, runId), tone: 'busy', runId },
    note: state.runs.get(runId)?.spec.machineId ?? '',
  }),
  'run.ended': endedWords,
  'run.not_started': ({ runId, why }, state) => ({
    ...{ kind: 'runEnd', title: `${runName(state, runId)} did not start`, note: line(why), tone: 'bad', runId },
  }),
  'run.alarmed': ({ runId, detail, action }, state) => ({
    ...{ kind: 'alarm', title: `Alarm: ${runName(state, runId)}`, note: `${line(detail)}${alarmEnds[action]}` },
    ...{ tone: action === 'kill' ? 'bad' : 'warn', runId },
  }),
  'experiment.planned': ({ plan }) => ({
    kind: 'plan',
    title: `Experiment ${plan.number}`,
    note: line(plan.hypothesis),
  }),
  'results.imported': ({ results, source }) => ({
    kind: 'setting',
    title: `${results.length} results brought in`,
    note: line(source),
  }),
  'experiment.decided': ({ experimentId, decision, why }, state) => ({
    kind: 'decision',
    title: `Experiment ${state.records.get(experimentId)?.plan.number ?? experimentId}: ${decision}`,
    note: line(why),
    tone: decisionTone(decision),
  }),
  'question.asked': ({ questionId, text }) => ({
    ...{ kind: 'question', title: `Question ${questionId}`, note: line(text), tone: 'warn' },
  }),
  'question.answered': ({ questionId, answer, by, why }) => ({
    kind: 'answer',
    title: by === 'person' ? `You answered ${questionId}` : `Default taken for ${questionId}`,
    note: line(why === undefined ? answer : `${answer} · ${why}`),
  }),
  'sweep.started': ({ plan }) => ({
    kind: 'sweep',
    title: `Sweep ${plan.id}`,
    note: counted(plan.points.length, 'point'),
  }),
  'sweep.point_skipped': ({ sweepId, index, why }, state) => ({
    kind: 'sweep',
    title: `${state.sweeps.get(sweepId)?.plan.points[index]?.label ?? `Point ${index + 1}`} left out`,
    note: line(why),
    tone: 'bad',
  }),
  'sweep.ended': ({ sweepId, text }) => ({
    kind: 'sweep',
    title: `Sweep ${sweepId} is over`,
    note: line(firstLine(text)),
  }),
  'env.captured': ({ envId, gist }) => ({ kind: 'setting', title: `Environment ${envId}`, note: line(gist) }),
  'sleep.started': ({ request, at }, state) => ({
    ...{ kind: 'sleep', title: `Sleeping ${line(sleepText(request, state, at))}`, tone: 'busy' },
    note: line(request.reason),
  }),
  'sleep.ended': none,
  'monitor.started': ({ goal, intervalMs }) => ({
    kind: 'monitor',
    title: `Watching every ${formatDuration(intervalMs)}`,
    note: line(goal),
  }),
  'monitor.stopped': ({ why }) => ({ kind: 'monitor', title: 'No longer watching', note: line(why) }),
  'context.checkpointed': ({ tokensBefore }) => ({
    kind: 'checkpoint',
    title: 'Checkpoint',
    note: `${Math.round(tokensBefore / 1000)}k tokens condensed into a briefing`,
  }),
  'note.pinned': ({ number, text }) => ({ kind: 'note', title: `Note ${number} pinned`, note: line(text) }),
  'note.unpinned': ({ number }) => ({ kind: 'note', title: `Note ${number} removed` }),
};

/** Nothing for an event that has no step of its own, or is of a newer version. */
export function rowWords(event: JournalEvent, state: SessionState): RowWords | undefined {
  const wordsOf = words[event.type] as Words<JournalEvent['type']> | undefined;
  return wordsOf?.(event, state);
}

const alarmEnds = { warn: '', kill: ' · is being stopped', ask: ' · you are asked' } as const;

const origins: Readonly<Record<MessageOrigin, string>> = {
  goal: 'Goal',
  person: 'You',
  wake: 'Awake',
  monitor: 'Monitor',
  reminder: 'Reminder',
  resume: 'After the break',
};

export const line = (text: string): string => oneLine(cleanText(text), 240);
const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

export const costOf = (cost: Cost): string => ('usd' in cost ? formatUsd(cost.usd) : 'unknown cost');

/** The intent: the first sentence or line of what the model said, else what it called. */
function repliedWords({ content, stop, cost, failure }: Of<'model.replied'>): RowWords {
  const base = { kind: 'turn', cost: costOf(cost) } as const;
  if (failure !== undefined) return { ...base, title: 'Call failed', note: line(failure.message), tone: 'bad' };
  if (stop === 'aborted') return { ...base, title: 'Interrupted', tone: 'muted' };
  const said = content
    .flatMap((block) => (block.type === 'text' ? [block.text.trim()] : []))
    .find((text) => text !== '');
  const calls = content.flatMap((block) => (block.type === 'tool_call' ? [block.name] : []));
  const title = said === undefined ? calls.join(', ') || 'An empty reply' : plainLine(said);
  return {
    ...base,
    title,
    tone: stop === 'length' ? 'warn' : 'plain',
    ...(stop === 'length' && { note: 'cut at the output limit' }),
  };
}

/** Without the marks of headings, lists and emphasis: a line of the timeline is plain. */
const plainLine = (text: string): string =>
  line(
    firstLine(text)
      .replace(/^\s*(#{1,6}|[-*>]|\d+\.)\s+/, '')
      .replaceAll(/(?<!\w)[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}(?!\w)/g, ''),
  );

function endedWords({ runId, verdict, metrics }: Of<'run.ended'>, state: SessionState): RowWords {
  const [first] = metrics;
  const value = first === undefined ? '' : ` · ${first.metric} ${formatValue(first.best)}`;
  return {
    ...{ kind: 'runEnd', title: `${runName(state, runId)} ended`, tone: verdictTone(verdict), runId },
    note: `${verdictWords(verdict, state.runs.get(runId)?.alarms)}${value}`,
  };
}

export function verdictTone(verdict: Verdict | undefined): Tone {
  switch (verdict?.kind) {
    case undefined:
      return 'busy';
    case 'ok':
      return 'good';
    case 'killed':
      return 'muted';
    case 'time_limit':
    case 'preempted':
    case 'lost':
      return 'warn';
    case 'failed':
    case 'signalled':
    case 'out_of_memory':
      return 'bad';
  }
}

export function decisionTone(decision: Decision): Tone {
  switch (decision) {
    case 'keep':
      return 'good';
    case 'discard':
      return 'muted';
    case 'crash':
      return 'bad';
    case 'invalid':
    case 'retest':
      return 'warn';
  }
}

type RunKey = Of<'run.ended'>['runId'];

export const runName = (state: SessionState, runId: RunKey): string =>
  `Run ${state.runs.get(runId)?.spec.number ?? runId}`;

function runTitle(state: SessionState, runId: RunKey): string {
  const label = state.runs.get(runId)?.spec.label ?? '';
  return label === '' ? runName(state, runId) : `${runName(state, runId)} · ${line(label)}`;
}
