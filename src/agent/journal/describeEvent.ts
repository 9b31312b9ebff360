/**
 * Describes events for users. All front ends use these texts and add only icons, colours and line
 * breaks.
 */
import { cleanText, counted, formatDuration, oneLine, formatTokens } from '../../base/text.ts';
import { printedValue } from '../../metrics/printedValue.ts';
import { decisionName, summaryFor } from '../../experiments/ledger.ts';
import type { MetricSummary } from '../../metrics/metric.ts';
import { runTitle } from '../../runs/run.ts';
import type { EndReason, JournalEvent, MessageOrigin } from './events.ts';
import {
  endText,
  isWordOfUser,
  keptTargetText,
  sleepText,
  targetBefore,
  targetChangeText,
} from './factText.ts';
import { factsOf, forceTexts, resumedDetail } from './resumeTexts.ts';
import { noticeText } from './limitText.ts';
import { standstillText } from './downTime.ts';
import { alarmActionText, outageText, runEndText, silenceText } from './runText.ts';
import type { SessionState } from './state.ts';
import { decisionTone, verdictTone, type Tone } from './tones.ts';
import { annotationText } from '../../experiments/runAnnotation.ts';
import type { RunId } from '../../base/ids.ts';
import { withoutUntrustedMarks } from '../../base/untrusted.ts';

export type Subject =
  | 'start'
  | 'message'
  | 'wake'
  | 'turn'
  | 'tool'
  | 'refusal'
  | 'run'
  | 'runEnd'
  | 'sweep'
  | 'sleep'
  | 'alarm'
  | 'plan'
  | 'decision'
  | 'question'
  | 'answer'
  | 'consult'
  | 'budget'
  | 'checkpoint'
  | 'note'
  | 'monitor'
  | 'pause'
  | 'resume'
  | 'setting'
  | 'end';

/**
 * Description of an event. Its texts are raw: the caller cleans, escapes and truncates them before
 * showing them.
 */
export interface Description {
  readonly kind: Subject;
  /** A few words that are understandable without the other fields. */
  readonly title: string;
  /** The full reason or result; may have several lines. */
  readonly detail?: string;
  /** Short facts next to the title, such as values of a run or the default of a question. */
  readonly facts?: readonly string[];
  readonly tone: Tone;
  readonly files?: readonly string[];
}

export type EventOf<Type extends JournalEvent['type']> = Extract<JournalEvent, { type: Type }>;
type Describe<Type extends JournalEvent['type']> = (
  event: EventOf<Type>,
  state: SessionState,
) => Description | undefined;

const plain = (
  kind: Subject,
  title: string,
  detail?: string,
  facts?: readonly string[],
): Description => described({ kind, tone: 'plain' }, title, detail, facts);
const bad = (kind: Subject, title: string, detail?: string): Description =>
  described({ kind, tone: 'bad' }, title, detail && withoutUntrustedMarks(detail));

const described = (
  base: Pick<Description, 'kind' | 'tone'>,
  title: string,
  detail?: string,
  facts: readonly string[] = [],
): Description => ({
  ...base,
  title,
  ...(detail !== undefined && detail !== '' && { detail }),
  ...(facts.length > 0 && { facts }),
});

const alarm = { kind: 'alarm', tone: 'warn' } as const;

/** Used for events without a description, because the description of another event covers them. */
const nothing = (): undefined => undefined;

const goodEnds: ReadonlySet<EndReason> = new Set(['goal', 'best_found', 'answered']);

const descriptions: { readonly [Type in JournalEvent['type']]: Describe<Type> } = {
  'session.started': ({ provider, model, ...begun }) =>
    plain('start', 'Started', `${provider}/${model}`, [...factsOf(begun), ...startTexts(begun)]),
  'child.started': ({ sessionId }) => plain('start', 'Started a session', sessionId),
  'session.resumed': (event, state) =>
    plain(
      'resume',
      event.budget === undefined ? 'Session resumed' : 'Session resumed with other limits',
      resumedDetail(event, state),
      [event.by, ...forceTexts(event), ...factsOf(event)],
    ),
  'session.permissions_changed': ({ permissions: { mode, note } }) =>
    note === undefined ? plain('setting', 'Permission mode changed', mode) : plain('setting', note),
  'session.model_changed': ({ provider, model }) =>
    plain('setting', 'Model changed', `${provider}/${model}`),
  'session.effort_changed': ({ effort }) =>
    plain('setting', 'Reasoning effort changed', effort ?? 'default'),
  'session.renamed': ({ title }, { goal }) => plain('setting', 'Renamed', title || goal),
  'run.annotated': ({ runId, ...annotation }, state) =>
    plain(
      'note',
      `${titleOf(state, runId)} annotated`,
      annotationText(annotation) || 'no tags, no note',
    ),
  'session.paused': ({ by, detail }) =>
    by === 'user'
      ? described({ kind: 'pause', tone: 'muted' }, 'Paused')
      : bad('pause', 'Paused by an error', detail),
  'session.target_changed': ({ target, by, isOnlyBaseline }, state) =>
    isOnlyBaseline && target.baseline !== undefined
      ? plain('setting', 'Baseline chosen', `run ${target.baseline}`)
      : plain(
          'setting',
          by === 'agent' ? 'Target stated' : 'Target changed',
          targetChangeText(targetBefore(state, target), target),
        ),
  'session.target_kept': (event) => plain('setting', 'Target unchanged', keptTargetText(event)),
  'target.reached': ({ text }) =>
    described({ kind: 'decision', tone: 'good' }, 'Target reached', text),
  // The result of the call says how its checks ended.
  'check.ended': nothing,
  'session.ended': ({ reason, summary, marked = summary, checked = [] }) =>
    described(
      {
        kind: 'end',
        tone: goodEnds.has(reason) ? 'good' : reason === 'error' ? 'bad' : 'warn',
      },
      endText(reason),
      marked,
      checked,
    ),
  // Show the goal from the state: the text of the message also contains limits for the model.
  // The event about the target tells its change.
  'message.added': (event, { goal }) => {
    const { origin, text, isUnsaid } = event;
    if (isUnsaid === true) return plain('resume', 'Continued by you');
    if (origin === 'person' && !isWordOfUser(event)) return undefined;
    return plain(
      origin === 'goal' || origin === 'person' ? 'message' : 'wake',
      origins[origin],
      origin === 'goal' ? goal : text,
    );
  },
  'model.requested': () => described({ kind: 'turn', tone: 'busy' }, 'Thinking'),
  'model.replied': describeReply,
  'model.consulted': ({ purpose, provider, model }) =>
    plain('consult', consultNames[purpose], `${provider}/${model}`),
  'budget.noticed': (event) =>
    described(
      { kind: 'budget', tone: event.percent === 100 ? 'bad' : 'warn' },
      'Budget',
      noticeText(event),
    ),
  'permission.decided': ({ isAllowed, by, why }) => {
    if (!isAllowed)
      return by === 'person' ? bad('refusal', 'Denied by you') : bad('refusal', 'Not allowed', why);
    return by === 'person'
      ? described({ kind: 'refusal', tone: 'good' }, 'Allowed by you', why)
      : undefined;
  },
  'tool.started': ({ title }) => described({ kind: 'tool', tone: 'busy' }, title),
  'tool.finished': ({ name, isError, summary, text, changedFiles }) => ({
    ...(isError ? bad('tool', name, text) : plain('tool', name, summary)),
    ...(changedFiles !== undefined && { files: changedFiles }),
  }),
  'files.kept': nothing,
  'code.uploaded': nothing,
  // The result of the call names the files that its tool changed.
  'files.changed': ({ by, files }) =>
    by === 'tool'
      ? undefined
      : {
          ...plain('tool', `${counted(files.length, 'file')} changed while the command ran`),
          files: files.map(({ path }) => path),
        },
  'files.restored': ({ files }) => ({
    ...plain('tool', `Edits of ${counted(files.length, 'file')} undone`),
    files: files.map(({ path }) => path),
  }),
  'run.planned': nothing,
  'run.started': ({ runId }, state) => {
    const { label = '', machineId = '' } = state.runs.get(runId)?.spec ?? {};
    const name = titleOf(state, runId);
    return described(
      { kind: 'run', tone: 'busy' },
      label === '' ? name : `${name} · ${label}`,
      machineId,
    );
  },
  'run.ended': describeRunEnd,
  'run.not_started': ({ runId, why }, state) =>
    bad('runEnd', `${titleOf(state, runId)} did not start`, why),
  'run.metrics_changed': ({ runId, metrics }, state) =>
    plain('setting', `${titleOf(state, runId)}: output read again`, metrics.names?.join(', ')),
  'run.queued': ({ runId, why }, state) => plain('run', `${titleOf(state, runId)} waits`, why),
  'run.alarmed': ({ runId, detail, action }, state) =>
    described(
      { kind: 'alarm', tone: action === 'kill' ? 'bad' : 'warn' },
      `${titleOf(state, runId)}: ${detail}`,
      alarmActionText[action],
    ),
  'experiment.planned': ({ plan }) => plain('plan', `Experiment ${plan.number}`, plan.hypothesis),
  'results.imported': ({ results, source }) =>
    plain('setting', `${counted(results.length, 'result')} imported`, source),
  'experiment.decided': ({ experimentId, why, ...decided }, { experiments }) =>
    described(
      { kind: 'decision', tone: decisionTone(decided.decision) },
      `Experiment ${experiments.get(experimentId)?.plan.number ?? experimentId}: ${decisionName(decided)}`,
      why,
    ),
  'question.asked': ({ questionId, text, options, fallback }) =>
    described({ kind: 'question', tone: 'warn' }, `Question ${questionId}`, text, [
      ...(options.length === 0 ? [] : [`Answers: ${options.join(', ')}`]),
      `Default: ${fallback}`,
    ]),
  'question.answered': ({ questionId, answer, by, why = 'no answer in time' }) =>
    by === 'person'
      ? plain('answer', `You answered ${questionId}`, answer)
      : plain('answer', `Default answer used for ${questionId}`, answer, [why]),
  'sweep.started': ({ plan }) =>
    plain('sweep', `Sweep ${plan.id}`, counted(plan.points.length, 'point')),
  'sweep.point_skipped': ({ sweepId, index, why }, { sweeps }) =>
    bad(
      'sweep',
      `${sweeps.get(sweepId)?.plan.points[index]?.label ?? `Point ${index + 1}`} of sweep ${sweepId} skipped`,
      why,
    ),
  'sweep.paused': ({ sweepId, why }) => bad('sweep', `Sweep ${sweepId} is paused`, why),
  'sweep.resumed': ({ sweepId }) => plain('sweep', `Sweep ${sweepId} resumed`),
  'sweep.ended': ({ sweepId, text }) => plain('sweep', `Sweep ${sweepId} ended`, firstLine(text)),
  'env.captured': ({ envId, gist }) => plain('setting', `Environment ${envId}`, gist),
  'sleep.started': ({ request, at }, state) => {
    const until = sleepText(request, state, at);
    const isSaid = until.toLowerCase().includes(request.reason.trim().toLowerCase());
    return described(
      { kind: 'sleep', tone: 'busy' },
      `Sleeping ${until}`,
      isSaid ? '' : request.reason,
    );
  },
  'sleep.ended': ({ detail }) => plain('wake', `Woke up: ${detail}`),
  'monitor.started': ({ goal, intervalMs }) =>
    plain('monitor', `Watching every ${formatDuration(intervalMs)}`, goal),
  'monitor.stopped': ({ why }) => plain('monitor', 'No longer watching', why),
  'context.checkpointed': ({ tokensBefore }) =>
    plain(
      'checkpoint',
      'Checkpoint',
      `${formatTokens(tokensBefore)} tokens condensed into a briefing`,
    ),
  'machine.silent': (event) => described(alarm, silenceText(event)),
  'machine.out_of_reach': (event) =>
    described(alarm, `${event.machineId} answers again`, outageText(event)),
  'session.stood_still': (event) => described(alarm, standstillText(event)),
  'place.warned': ({ text, action }) => described(alarm, text, action),
  'account.written': ({ model }) => plain('note', 'Account of the work written', model),
  'note.pinned': ({ number, text }) => plain('note', `Sticky note ${number} pinned`, text),
  'note.unpinned': ({ number }) => plain('note', `Sticky note ${number} removed`),
};

/**
 * Describes an event. `state` is the state of the session after the event. Returns `undefined` for
 * an event that needs no description, because the description of another event covers it, and for
 * an event of a newer version of Helios.
 */
export function describeEvent(event: JournalEvent, state: SessionState): Description | undefined {
  // The compiler cannot check that the selected function accepts this event, hence the cast. An
  // event of a newer version of Helios has no description.
  const describe = descriptions[event.type] as Describe<JournalEvent['type']> | undefined;
  return describe?.(event, state);
}

/**
 * Formats a description as one line: `Question q1 · May I? · Default: no`. `maxChars` is the
 * maximum length of the title, and also of the detail.
 */
export const descriptionLine = (
  { title, detail = '', facts = [] }: Description,
  maxChars: number,
): string =>
  [
    oneLine(cleanText(title), maxChars),
    oneLine(cleanText(detail), maxChars),
    ...facts.map((fact) => oneLine(cleanText(fact), 80)),
  ]
    .filter((part) => part !== '')
    .join(' · ');

const origins: Readonly<Record<MessageOrigin, string>> = {
  goal: 'Goal',
  person: 'You',
  wake: 'Woke up',
  monitor: 'Monitor',
  reminder: 'Reminder',
  resume: 'Resumed',
};

const consultNames = { consult: 'Second opinion', search: 'Web search', account: 'Account' };
/**
 * Describes a reply of the model. The title is the first sentence or line of the reply's text or,
 * without a text, the names of the called tools.
 */
function describeReply({ content, stop, failure }: EventOf<'model.replied'>): Description {
  if (failure !== undefined) return bad('turn', 'Model call failed', failure.message);
  if (stop === 'aborted') return described({ kind: 'turn', tone: 'muted' }, 'Interrupted');
  const firstText = content
    .flatMap((block) => (block.type === 'text' ? [block.text.trim()] : []))
    .find((text) => text !== '');
  const calls = content.flatMap((block) => (block.type === 'tool_call' ? [block.name] : []));
  const title =
    firstText === undefined
      ? calls.join(', ') || 'Empty reply'
      : withoutMarks(firstLine(firstText));
  return stop === 'length'
    ? described(
        { kind: 'turn', tone: 'warn' },
        title,
        'The reply was truncated at the output limit',
      )
    : plain('turn', title);
}

const titleOf = ({ runs }: SessionState, runId: RunId): string =>
  runTitle(runs.get(runId)?.spec.number ?? runId);

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

/** Removes the Markdown syntax of headings, lists and emphasis, because a title is plain text. */
const withoutMarks = (text: string): string =>
  text
    .replace(/^\s*(#{1,6}|[-*>]|\d+\.)\s+/, '')
    .replaceAll(/(?<!\w)[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}(?!\w)/g, '');

function describeRunEnd(
  { runId, verdict, endedMs, metrics, withheld }: EventOf<'run.ended'>,
  state: SessionState,
): Description {
  const run = state.runs.get(runId);
  const tookMs = run?.process && endedMs - run.process.startedMs;
  const about = [run?.spec.label ?? '', tookMs === undefined ? '' : formatDuration(tookMs)];
  const values = mainMetrics(metrics, state.target?.objective.metric).map(
    (one) => `${one.metric} ${printedValue(one.last, one)}`,
  );
  return described(
    { kind: 'runEnd', tone: verdictTone(verdict) },
    `${titleOf(state, runId)}: ${runEndText({ runId, verdict }, state)}`,
    about.filter((part) => part !== '').join(' · '),
    [...values, ...(withheld === undefined ? [] : [withheld])],
  );
}

/** Returns sentences about the variables that runs get, and about the confinement of commands. */
export const startTexts = ({
  runVariables = [],
  confined,
}: Pick<EventOf<'session.started'>, 'runVariables' | 'confined'>): readonly string[] => [
  ...(runVariables.length === 0 ? [] : [`Runs get ${runVariables.join(', ')}`]),
  ...(confined === undefined ? [] : [`Confinement of commands and runs here: ${confined}`]),
];

/** Returns up to three metrics, with the goal's metric first. */
function mainMetrics(
  metrics: readonly MetricSummary[],
  goalMetric: string | undefined,
): MetricSummary[] {
  const first = goalMetric === undefined ? undefined : summaryFor(metrics, goalMetric);
  const others = metrics.filter((summary) => summary !== first && summary.direction !== 'none');
  return [...(first ? [first] : []), ...others].slice(0, 3);
}
