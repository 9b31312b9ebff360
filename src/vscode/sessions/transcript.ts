/** What the chat shows of a session: journal and stream events → parts of a reply. Pure: no `vscode` here. */
import { verdictWords } from '../../agent/runs/alarms.ts';
import { noticeText } from '../../agent/budget/notices.ts';
import type { ApprovalRequest } from '../../agent/contract/ports.ts';
import type { JournalEvent, StreamEvent } from '../../agent/journal/events.ts';
import type { SessionState } from '../../agent/journal/state.ts';
import { formatDuration } from '../../base/text.ts';
import { evidenceList, metricTable } from '../../presentation/runs/metricTable.ts';
import { approvalDetail, effectVerb, endText, sleepText } from '../../presentation/sessions/sessionText.ts';
import { endIcon } from '../ui/icons.ts';
import { code, codeBlock, plain } from '../../base/markdown.ts';
import { verdictIcon } from '../ui/icons.ts';

export type ChatPart =
  /** The model's own words, as it writes them. */
  | { readonly kind: 'text'; readonly markdown: string }
  /** A paragraph of ours: a codicon id, safe Markdown, and the files that it is about. */
  | { readonly kind: 'line'; readonly icon: string; readonly markdown: string; readonly files?: readonly string[] }
  | { readonly kind: 'block'; readonly markdown: string }
  /** Shown while nothing else follows. */
  | { readonly kind: 'progress'; readonly text: string };

type Of<Type extends JournalEvent['type']> = Extract<JournalEvent, { type: Type }>;

/**
 * Follows one session from any moment on. A reply that was already being streamed then is shown whole when it is done, so
 * that no half sentence opens the chat.
 */
export class Transcript {
  readonly #titles = new Map<string, string>();
  #isReplyFollowed = false;
  #hasStreamedText = false;
  #lastReply = '';

  stream(event: StreamEvent): readonly ChatPart[] {
    if (event.type === 'text.delta') {
      if (!this.#isReplyFollowed || event.text === '') return [];
      this.#hasStreamedText = true;
      return [{ kind: 'text', markdown: event.text }];
    }
    if (event.type === 'text.discarded') return this.#discarded(event.why);
    if (event.type === 'notice') return [line('info', plain(event.text))];
    // VS Code itself says that the answer is being worked on.
    if (event.type === 'thinking.delta') return [];
    return [{ kind: 'progress', text: plainProgress(event.text, this.#titles.get(event.callId)) }];
  }

  /** `state` is the session's after the event. */
  event(event: JournalEvent, state: SessionState): readonly ChatPart[] {
    if (event.type === 'model.requested') this.#beginReply();
    if (event.type === 'model.replied') return this.#replied(event);
    if (event.type === 'tool.started') this.#titles.set(event.callId, event.title);
    if (event.type === 'tool.finished') return toolParts(event, this.#titles.get(event.callId));
    if (event.type === 'session.ended') return endParts(event, this.#lastReply);
    return rendererOf(event)(event, state);
  }

  #beginReply(): void {
    this.#isReplyFollowed = true;
    this.#hasStreamedText = false;
  }

  #replied(event: Of<'model.replied'>): ChatPart[] {
    const wasStreamed = this.#hasStreamedText;
    this.#isReplyFollowed = false;
    this.#hasStreamedText = false;
    const text = event.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n');
    if (text.trim() !== '') this.#lastReply = text;
    const said: ChatPart[] = wasStreamed || text.trim() === '' ? [] : [{ kind: 'text', markdown: text }];
    if (event.failure !== undefined)
      said.push(line('warning', `Model call failed: ${plain(event.failure.message, 300)}`));
    if (event.stop === 'length') said.push(line('warning', 'The reply was cut at the output limit'));
    return said;
  }

  #discarded(why: string): ChatPart[] {
    if (!this.#hasStreamedText) return [{ kind: 'progress', text: `Asking the model again: ${why}` }];
    this.#hasStreamedText = false;
    return [line('discard', `The text above was cut off and is being written anew: ${plain(why)}`)];
  }
}

type Renderer<Type extends JournalEvent['type']> = (event: Of<Type>, state: SessionState) => readonly ChatPart[];
const nothing = (): readonly ChatPart[] => [];

const renderers: { readonly [Type in JournalEvent['type']]: Renderer<Type> } = {
  'session.started': nothing,
  'child.started': nothing,
  'session.resumed': () => [line('debug-continue', 'Taken up where it stood')],
  'session.model_changed': (event) => [
    line('server-process', `Goes on with ${code(`${event.provider}/${event.model}`)}`),
  ],
  'session.effort_changed': (event) => [line('server-process', `Reasoning: ${event.effort ?? 'as configured'}`)],
  'model.consulted': nothing,
  'budget.noticed': (event) => [line('credit-card', `Budget: ${plain(noticeText(event))}`)],
  'session.paused': (event) => [
    line('debug-pause', event.by === 'user' ? 'Paused' : `Paused: ${plain(event.detail ?? event.by, 300)}`),
  ],
  'session.ended': nothing,
  'message.added': nothing,
  'model.requested': nothing,
  'model.replied': nothing,
  'permission.decided': (event) => (event.isAllowed ? [] : [line('shield', `Not allowed: ${plain(event.why)}`)]),
  'tool.started': (event) => [{ kind: 'progress', text: plainProgress(event.title) }],
  'tool.finished': nothing,
  'run.planned': nothing,
  'run.started': nothing,
  'run.ended': (event, state) => runEndedParts(event, state),
  'run.not_started': (event, state) => [
    line('error', `${runName(state, event.runId)} did not start: ${plain(event.why)}`),
  ],
  'run.alarmed': (event, state) => [
    line('warning', `${runName(state, event.runId)}: ${plain(event.detail)}${alarmEnds[event.action]}`),
  ],
  'experiment.planned': nothing,
  'results.imported': ({ results, source }) => [
    line('cloud-download', `${results.length} results of before brought in from ${plain(source)}`),
  ],
  'experiment.decided': (event, state) => [
    line(
      'law',
      `Experiment ${state.records.get(event.experimentId)?.plan.number ?? ''}: **${event.decision}** · ${plain(event.why)}`,
    ),
  ],
  'question.asked': (event) => [
    line('question', `${event.questionId}: ${plain(event.text, 300)} · default: ${plain(event.fallback)}`),
  ],
  'question.answered': (event) => [
    line(
      'comment',
      `${event.questionId}: ${plain(event.answer)}${event.by === 'default' ? ` (default: ${event.why ?? 'nobody answered in time'})` : ''}`,
    ),
  ],
  'sweep.started': nothing,
  'sweep.point_skipped': (event, state) => [
    line('error', `${plain(pointName(state, event))} of sweep ${event.sweepId} was left out: ${plain(event.why)}`),
  ],
  'sweep.ended': (event) => [line('beaker', plain(event.text.split('\n', 1)[0] ?? '', 300))],
  'env.captured': nothing,
  'sleep.started': (event, state) => [line('clock', `Sleeping ${sleepWords(event, state)}`)],
  'sleep.ended': (event) => [line('bell', `Awake: ${plain(event.detail)}`)],
  'monitor.started': (event) => [
    line('eye', `Watching every ${formatDuration(event.intervalMs)}: ${plain(event.goal)}`),
  ],
  'monitor.stopped': (event) => [line('eye-closed', `No longer watching: ${plain(event.why)}`)],
  'context.checkpointed': () => [
    line('archive', 'Earlier turns were condensed into a briefing; the journal keeps them'),
  ],
  'note.pinned': (event) => [line('pin', `Pinned note ${event.number}: ${plain(event.text)}`)],
  'note.unpinned': nothing,
};

const alarmEnds = { warn: '', kill: '; it is being stopped', ask: '; you are asked whether it should go on' } as const;

/** The type of an event picks its own renderer, which the compiler cannot see. An event of a newer version has none. */
const rendererOf = (event: JournalEvent): Renderer<JournalEvent['type']> =>
  (renderers as unknown as Partial<Record<string, Renderer<JournalEvent['type']>>>)[event.type] ?? nothing;

/** Without a title where it was started before anybody followed: then its summary says what it was. */
function toolParts(event: Of<'tool.finished'>, known: string | undefined): readonly ChatPart[] {
  const files = event.changedFiles ?? [];
  if (event.isError)
    return [line('error', `${plain(known ?? event.name)} · ${plain(event.summary ?? event.text, 200)}`, files)];
  if (event.isQuiet) return [];
  return [line(toolIcon(event), toolText(known ?? (event.summary || event.name), event.summary), files)];
}

/** A summary that begins with the title already says it. */
function toolText(title: string, summary: string | undefined): string {
  if (summary === undefined || summary === '') return plain(title);
  return plain(summary.startsWith(title) ? summary : `${title} · ${summary}`, 240);
}

function toolIcon(event: Of<'tool.finished'>): string {
  if (event.runId !== undefined) return 'rocket';
  return (event.changedFiles ?? []).length > 0 ? 'edit' : 'check';
}

function runEndedParts(event: Of<'run.ended'>, state: SessionState): readonly ChatPart[] {
  const run = state.runs.get(event.runId);
  const tookMs = run?.process && event.endedMs - run.process.startedMs;
  const words = [
    `**${runName(state, event.runId)}** ${plain(verdictWords(event.verdict, run?.alarms))}`,
    run ? plain(run.spec.label, 80) : '',
    tookMs === undefined ? '' : formatDuration(tookMs),
  ].filter((word) => word !== '');
  const before = [...state.runs.values()].filter(
    (other) => other !== run && other.verdict?.kind === 'ok' && (other.endedMs ?? 0) <= event.endedMs,
  );
  const table = metricTable({ metrics: event.metrics, before, decisive: state.target?.metric });
  const headline = line(verdictIcon(event.verdict).id, words.join(' · '));
  return table === '' ? [headline] : [headline, { kind: 'block', markdown: table }];
}

/** A summary that the model has just said is not said again. */
function endParts(event: Of<'session.ended'>, lastReply: string): readonly ChatPart[] {
  const summary = event.summary.trim();
  const table = evidenceList(event.evidence);
  const parts: ChatPart[] = [line(endIcon(event.reason).id, `**${endText(event.reason)}**`)];
  if (summary !== '' && !lastReply.includes(summary)) parts.push({ kind: 'block', markdown: summary });
  if (table !== '') parts.push({ kind: 'block', markdown: table });
  return parts;
}

/** A question to the person, with what exactly is asked. */
export const approvalParts = (request: ApprovalRequest): readonly ChatPart[] => [
  line('shield', `Asks to ${plain(effectVerb(request.effect))}${askedTitle(request)}`),
  ...(request.detail.trim() === ''
    ? []
    : [{ kind: 'block', markdown: codeBlock(bounded(approvalDetail(request.detail))) } as const]),
];

/** A command speaks for itself. */
const askedTitle = ({ effect, title }: ApprovalRequest): string =>
  effect === 'execute' ? ':' : `: **${plain(title)}**`;

const bounded = (text: string): string => (text.length <= 4_000 ? text : `${text.slice(0, 4_000)}\n…`);

const runName = (state: SessionState, runId: Of<'run.ended'>['runId']): string =>
  `Run ${state.runs.get(runId)?.spec.number ?? runId}`;

const pointName = (state: SessionState, { sweepId, index }: Of<'sweep.point_skipped'>): string =>
  state.sweeps.get(sweepId)?.plan.points[index]?.label ?? `Point ${index + 1}`;

/** A reason that only says again until when is left out. */
function sleepWords({ request, at }: Of<'sleep.started'>, state: SessionState): string {
  const until = sleepText(request, state, at);
  const isSaid = until.toLowerCase().includes(request.reason.trim().toLowerCase());
  return isSaid ? plain(until) : `${plain(until)} · ${plain(request.reason)}`;
}

const plainProgress = (text: string, title?: string): string =>
  (title === undefined ? text : `${title} · ${text}`).replace(/\s+/g, ' ').trim().slice(0, 160);

const line = (icon: string, markdown: string, files: readonly string[] = []): ChatPart =>
  files.length === 0 ? { kind: 'line', icon, markdown } : { kind: 'line', icon, markdown, files };
