/**
 * Builds the conversation for a provider from the events. Always valid: each call is followed by
 * its result. A call without a recorded result gets `interruptedText`.
 */
import { counted } from '../../base/text.ts';
import type { RunId } from '../../base/ids.ts';
import { exactTime } from '../../base/localTime.ts';
import { untrusted } from '../../base/untrusted.ts';
import { printedValue } from '../../metrics/printedValue.ts';
import type { AssistantBlock, TextBlock, ToolCallBlock } from '../../models/model.ts';
import { verdictText, runName, runTitle } from '../../runs/run.ts';
import { noticeForModel } from '../budget/notices.ts';
import { keptTargetText } from '../journal/factText.ts';
import { budgetText } from '../journal/limitText.ts';
import type { EventOf } from '../journal/describeEvent.ts';
import { downTimeText, minGapMs, standstillText } from '../journal/downTime.ts';
import { outageText, wentOnText } from '../journal/runText.ts';
import type { RefusedCall } from '../../permissions/access.ts';
import type { JournalEvent } from '../journal/events.ts';
import { allowAnswer } from '../user/refusedCalls.ts';
import type { AttachedFile, RecordedMessage, RecordedResult } from './attachments.ts';
import { experimentNews } from './experimentNews.ts';
import { growingFold } from '../journal/growingFold.ts';

type Replied = Extract<JournalEvent, { type: 'model.replied' }>;
type Finished = Extract<JournalEvent, { type: 'tool.finished' }>;
type RecordedBlock = TextBlock | RecordedResult | AttachedFile;
type Resumed = Extract<JournalEvent, { type: 'session.resumed' }>;
type Alarmed = Extract<JournalEvent, { type: 'run.alarmed' }>;

export const interruptedPrefix = 'Interrupted: no result of this call was recorded. ';
export const unknownFate = 'It may or may not have taken effect; check before repeating it.';
const interruptedText = `${interruptedPrefix}${unknownFate}`;

/** True when the user has sent a message or an answer since the last model request. */
export function isUserUnheard(events: readonly JournalEvent[]): boolean {
  const asked = events.findLastIndex((event) => event.type === 'model.requested');
  return events
    .slice(asked + 1)
    .some(
      (event) =>
        (event.type === 'message.added' && event.origin === 'person') ||
        (event.type === 'question.answered' && event.by === 'person'),
    );
}

/**
 * Builds the messages since the last checkpoint, its briefing first. Does not read attachments: see
 * `RequestAttachments`. `leaving`: ids of further calls whose attachments are left out.
 */
export function buildHistory(
  events: readonly JournalEvent[],
  leaving: readonly string[] = [],
): RecordedMessage[] {
  const { briefing, rest } = sinceCheckpoint(events);
  const leftOut = new Set([...leftOutCalls(events), ...leaving]);
  const results = new Map(
    rest
      .filter((event): event is Finished => event.type === 'tool.finished')
      .map((e) => [e.callId, leftOut.has(e.callId) ? withoutAttachments(e) : e]),
  );
  const known = knownRuns(events);
  const news = experimentNews(events);
  const history = new History();
  if (briefing !== undefined) history.user({ type: 'text', text: briefing });
  // Messages that arrived during a request. The reply does not take them into account, so they are
  // added after the reply.
  let late: RecordedBlock[] | undefined;
  const flush = (): void => {
    for (const block of late ?? []) history.user(block);
    late = undefined;
  };
  for (const event of rest) {
    if (event.type === 'model.requested') {
      flush();
      late = [];
    }
    if (event.type === 'model.replied') {
      addReply(history, event, results);
      flush();
    }
    const texts = [
      isPointEnd(event, known.points) ? undefined : userText(event, known),
      news.get(event.id),
    ];
    const text = texts.filter((one) => one !== undefined).join('\n');
    if (text === '') continue;
    const blocks = [{ type: 'text', text } as const, ...attachedTo(event)];
    if (late !== undefined) late.push(...blocks);
    else for (const block of blocks) history.user(block);
  }
  flush();
  return beginningWithGoal(history.messages, events);
}

/**
 * Makes the conversation begin with a message of the user. If it begins with a reply, because the
 * journal line of the first message is damaged, adds the goal.
 */
function beginningWithGoal(
  messages: RecordedMessage[],
  events: readonly JournalEvent[],
): RecordedMessage[] {
  if (messages[0]?.role !== 'assistant') return messages;
  const goal = events.find((event) => event.type === 'session.started')?.goal ?? '';
  return [{ role: 'user', content: [{ type: 'text', text: `The goal:\n${goal}` }] }, ...messages];
}

interface KnownRuns {
  /** Run id → display name, of all runs: including those whose plan is before the checkpoint. */
  readonly names: Map<RunId, string>;
  /** Run id → number. */
  readonly numbers: Map<RunId, number>;
  /** Ids of the runs that are points of sweeps. */
  readonly points: Set<RunId>;
  /** Run id → the last alarm that made Helios kill the run or ask the user whether to kill it. */
  readonly condemned: Map<RunId, Alarmed>;
  /** Question id → the refused call that the question is about. */
  readonly refused: Map<string, RefusedCall>;
  /** Id of an event that resumed the session → facts about the journal before that event. */
  readonly before: Map<string, Before>;
  /** Ids of the runs of which an alarm said while they ran that their metrics are not read. */
  readonly unread: Set<RunId>;
  /** Ids of the runs whose end a digest tells. */
  readonly digested: Set<RunId>;
  /** Ids of the runs that have started and not ended. */
  readonly live: Set<RunId>;
  /** Time of the last event. */
  lastMs?: number;
}

interface Before {
  /** Time of the last event before the resumption. */
  readonly lastMs: number;
  /** Number of runs that had started and had not ended. */
  readonly runs: number;
}

function noteAlarm({ condemned, unread }: KnownRuns, event: Alarmed): void {
  if (event.action !== 'warn') condemned.set(event.runId, event);
  if (event.kind === 'unread_metric') unread.add(event.runId);
}

const knownRuns = growingFold<JournalEvent, KnownRuns>(
  () => ({
    names: new Map(),
    numbers: new Map(),
    points: new Set(),
    condemned: new Map(),
    refused: new Map(),
    before: new Map(),
    live: new Set(),
    unread: new Set(),
    digested: new Set(),
  }),
  (known, event) => {
    const { names, numbers, points, refused } = known;
    if (event.type === 'session.resumed' && known.lastMs !== undefined)
      known.before.set(event.id, { lastMs: known.lastMs, runs: known.live.size });
    if (event.type === 'message.added') for (const id of event.ended ?? []) known.digested.add(id);
    if (event.type === 'run.started') known.live.add(event.runId);
    if (event.type === 'run.ended') known.live.delete(event.runId);
    known.lastMs = event.at;
    if (event.type === 'question.asked' && event.refused !== undefined)
      refused.set(event.questionId, event.refused);
    if (event.type === 'run.alarmed') noteAlarm(known, event);
    if (event.type !== 'run.planned') return;
    const { id, number, label, sweep } = event.spec;
    numbers.set(id, number);
    names.set(id, `${runTitle(number)} (${label})`);
    if (sweep !== undefined) points.add(id);
  },
);

/**
 * True for the end of a single point of a sweep, and for the alarm with which a watchdog killed the
 * point. History omits these events, because the table of the sweep shows the results.
 */
const isPointEnd = (event: JournalEvent, points: ReadonlySet<RunId>): boolean =>
  (event.type === 'run.ended' || (event.type === 'run.alarmed' && event.action === 'kill')) &&
  points.has(event.runId);

function sinceCheckpoint(events: readonly JournalEvent[]): {
  briefing?: string;
  rest: readonly JournalEvent[];
} {
  const checkpoint = events.findLast((event) => event.type === 'context.checkpointed');
  if (checkpoint?.type !== 'context.checkpointed') return { rest: events };
  const from = events.findLastIndex((event) => event.id === checkpoint.upTo) + 1;
  return { briefing: checkpoint.briefing, rest: events.slice(from) };
}

/**
 * Adds a reply and the results of its calls. Skips a failed reply, because the model call is
 * repeated. Of an interrupted reply, adds only the text.
 */
function addReply(history: History, reply: Replied, results: ReadonlyMap<string, Finished>): void {
  if (reply.stop === 'error') return;
  const isWhole = reply.stop === 'stop' || reply.stop === 'tools' || reply.stop === 'length';
  const content = isWhole ? reply.content : reply.content.filter((block) => block.type === 'text');
  const calls = content.filter((block): block is ToolCallBlock => block.type === 'tool_call');
  history.assistant(content.filter((block) => block.type !== 'text' || block.text.trim() !== ''));
  for (const call of calls) history.user(resultBlock(call, results.get(call.id)));
}

/** Ids of the calls whose attachments are left out, as recorded with the requests. */
const leftOutCalls = growingFold<JournalEvent, Set<string>>(
  () => new Set(),
  (calls, event) => {
    if (event.type === 'model.requested') for (const id of event.leftOut ?? []) calls.add(id);
  },
);

/** Replaces the attachments of a result by a line that says how to read them again. */
function withoutAttachments({ attachments, attachmentFiles, ...result }: Finished): Finished {
  const all = [...(attachments ?? []), ...(attachmentFiles ?? [])];
  const names = all.map(({ name, mediaType }) => name ?? mediaType).join(', ');
  const note = `[${names} was shown above and is left out now. To view it again, repeat this call of ${result.name}.]`;
  return { ...result, text: `${result.text}\n${note}` };
}

function resultBlock(call: ToolCallBlock, result: Finished | undefined): RecordedResult {
  const attachments = [...(result?.attachments ?? []), ...(result?.attachmentFiles ?? [])];
  return {
    type: 'tool_result',
    callId: call.id,
    text: result?.text ?? interruptedText,
    isError: result?.isError ?? true,
    ...(attachments.length > 0 && { attachments }),
  };
}

function resumedText(
  event: Resumed,
  before: Before = { lastMs: event.at, runs: 0 },
): string | undefined {
  const { budget } = event;
  const texts = [goneText(event, before), budget && `The limits are now: ${budgetText(budget)}.`];
  const lines = texts.flatMap((text) => (text === undefined ? [] : [`[${text}]`]));
  return lines.length === 0 ? undefined : lines.join('\n');
}

/** Returns how long Helios was gone. After an orderly end, only the last record is known. */
function goneText(event: Resumed, { lastMs, runs }: Before): string | undefined {
  const { at, lastSeenAt } = event;
  return lastSeenAt !== undefined || at - lastMs < minGapMs
    ? downTimeText(event, runs)
    : `Helios was started again at ${exactTime(at)}; its last record before is from ${exactTime(lastMs)}${wentOnText(runs)}.`;
}

const attachedTo = (event: JournalEvent): RecordedBlock[] =>
  event.type === 'message.added'
    ? (event.attachments ?? []).map((file) => ({ type: 'attached_file', file }))
    : [];

const messageText = ({
  origin,
  text,
  isUnsaid,
}: Extract<JournalEvent, { type: 'message.added' }>): string =>
  origin === 'person' && isUnsaid !== true ? `Message from the user:\n${text}` : text;

function userText(event: JournalEvent, known: KnownRuns): string | undefined {
  switch (event.type) {
    case 'message.added':
      return messageText(event);
    case 'sweep.ended':
    case 'sweep.paused':
      return `[${event.text}]`;
    case 'budget.noticed':
      return noticeForModel(event);
    case 'session.target_kept':
      return `[${keptTargetText(event)}. Only the user changes it.]`;
    case 'machine.out_of_reach':
      return `[${outageText(event)}.]`;
    case 'session.stood_still':
      return `[${standstillText(event)}.]`;
    case 'session.resumed':
      return resumedText(event, known.before.get(event.id));
    case 'files.restored':
      return event.by === 'person' ? restoredText(event) : undefined;
    case 'question.answered':
      return answerText(event, known);
    case 'run.alarmed':
      return alarmText(event, known.names.get(event.runId) ?? runTitle(event.runId));
    case 'run.ended':
      return runEndedText(event, known);
    default:
      return undefined;
  }
}

const maxRestored = 20;

function restoredText({ files }: Extract<JournalEvent, { type: 'files.restored' }>): string {
  const paths = files.slice(0, maxRestored).map(({ path }) => path);
  const rest = files.length - paths.length;
  const more = rest > 0 ? ` and ${counted(rest, 'more file')}` : '';
  return `[The user undid the edits of ${paths.join(', ')}${more}: what these files held before the session is in them again.]`;
}

function answerText(
  { questionId, answer, by, why }: Extract<JournalEvent, { type: 'question.answered' }>,
  { refused }: KnownRuns,
): string {
  const call = refused.get(questionId);
  if (call !== undefined) return refusedText(answer, call);
  if (by === 'person') return `The user answered question ${questionId}:\n${answer}`;
  return why === undefined
    ? `[Nobody answered question ${questionId} in time; its default applies: ${answer}]`
    : `[Question ${questionId} no longer matters: ${why}.]`;
}

const refusedText = (answer: string, { title }: RefusedCall): string =>
  answer === allowAnswer
    ? `The user now allows a call that was refused: ${title}. Send it again, exactly as it was, if it is still of use.`
    : `The user does not allow a call that was refused: ${title}.`;

const alarmActions = {
  warn: 'It continues.',
  kill: 'It is being stopped.',
  ask: 'It continues; the user is asked whether it should.',
} as const;

const alarmText = (
  { kind, detail, action }: Extract<JournalEvent, { type: 'run.alarmed' }>,
  name: string,
): string => `[${name}: alarm ${kind}: ${detail}. ${alarmActions[action]}]`;

function runEndedText(
  event: Extract<JournalEvent, { type: 'run.ended' }>,
  known: KnownRuns,
): string | undefined {
  const lines = known.digested.has(event.runId) ? [] : [endText(event, known)];
  if (event.unread !== undefined && !known.unread.has(event.runId))
    lines.push(unreadText(event.unread, event.nearestLine));
  if (event.outputTail !== undefined)
    lines.push(untrusted(event.outputTail, outputName(event, known)));
  if (event.withheld !== undefined) lines.push(event.withheld);
  return lines.length === 0 ? undefined : lines.join('\n');
}

const outputName = ({ runId }: EventOf<'run.ended'>, { numbers }: KnownRuns): string =>
  `output of ${runName(numbers.get(runId) ?? runId)}`;

function endText(event: EventOf<'run.ended'>, { names, condemned }: KnownRuns): string {
  const name = names.get(event.runId) ?? runTitle(event.runId);
  const metrics = event.metrics
    .slice(0, 12)
    .map(
      (one) =>
        `${one.metric} last ${printedValue(one.last, one)} best ${printedValue(one.best, one)} (${one.count} points)`,
    );
  const verdict = verdictText(event.verdict, condemned.get(event.runId));
  return `[${[`${name} ended: ${verdict}`, ...metrics].join(' · ')}]`;
}

const unreadText = (unread: readonly string[], nearest: string | undefined): string =>
  `[Never read from its output: ${unread.slice(0, 8).join(', ')}.${nearest === undefined ? '' : ` Nearest line: ${JSON.stringify(nearest)}.`} If it was printed in another form, show_metrics with metric_patterns reads the output again; no new run is needed.]`;

/**
 * Messages of the conversation. Merges adjacent blocks of one role into one message. Callers add
 * the results of calls before texts, as providers require.
 */
class History {
  readonly messages: (
    { role: 'user'; content: RecordedBlock[] } | { role: 'assistant'; content: AssistantBlock[] }
  )[] = [];

  assistant(content: readonly AssistantBlock[]): void {
    if (content.length === 0) return;
    const last = this.messages.at(-1);
    if (last?.role === 'assistant') last.content.push(...content);
    else this.messages.push({ role: 'assistant', content: [...content] });
  }

  /** Texts that follow each other begin on lines of their own: providers only join them. */
  user(block: RecordedBlock): void {
    const last = this.messages.at(-1);
    const isGlued = block.type === 'text' && last?.content.at(-1)?.type === 'text';
    if (last?.role === 'user')
      last.content.push(isGlued ? { ...block, text: `\n${block.text}` } : block);
    else this.messages.push({ role: 'user', content: [block] });
  }
}
