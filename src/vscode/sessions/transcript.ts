/** Converts a session's journal events and stream events to parts of a chat reply. */
import { withoutUntrustedMarks } from '../../base/untrusted.ts';
import type { Description, EventOf } from '../../agent/journal/describeEvent.ts';
import { describeEvent, startTexts } from '../../presentation/events.ts';
import type { JournalEvent, StreamEvent } from '../../agent/journal/events.ts';
import type { LeftOut } from '../../project/projects.ts';
import type { SessionState } from '../../agent/journal/state.ts';
import type { PermissionsInForce } from '../../permissions/mode.ts';
import { permissionLine } from '../../presentation/sessions/permissionText.ts';
import { evidenceList, metricTexts } from '../../presentation/runs/metricTexts.ts';
import {
  endHeadline,
  failedTitle,
  leftOutText,
  requirementsForUser,
  targetTextOf,
} from '../../presentation/sessions/sessionText.ts';
import { answerLinks, questionText } from '../inbox/questionParts.ts';
import { endIcon, verdictIcon } from '../ui/icons.ts';
import { line, type ChatPart } from './chatPart.ts';
import { plain } from '../../base/markdown.ts';
import { counted } from '../../base/text.ts';
import { runName } from '../../presentation/runs/runText.ts';
import type { CountedCall } from '../../tools/tool.ts';

/**
 * Converts the events of one session, starting at any event. A model reply that was already
 * streaming before the first event is shown as a whole when it is complete, so that the chat does
 * not begin in mid-sentence.
 */
export class Transcript {
  readonly #titles = new Map<string, string>();
  /** Ids of calls whose edits of files are stored. */
  readonly #edits = new Set<string>();
  /**
   * Ids of calls that were refused. Their result is not shown, because the part about the decision
   * already says so.
   */
  readonly #refused = new Set<string>();
  readonly #counts = new Map<CountedCall, number>();
  #isReplyFollowed = false;
  #hasStreamedText = false;
  /** Whether a run has ended since the session fell asleep. */
  #hasRunEnded = false;
  #lastReply = '';

  stream(event: StreamEvent): readonly ChatPart[] {
    if (event.type === 'text.delta') {
      if (!this.#isReplyFollowed || event.text === '') return [];
      this.#hasStreamedText = true;
      return [{ kind: 'text', markdown: event.text }];
    }
    if (event.type === 'text.discarded') return this.#discarded(event);
    if (event.type === 'notice') return [line('info', plain(event.text))];
    // Thinking is not shown, because VS Code itself shows that the response is in progress.
    if (event.type === 'thinking.delta') return [];
    return [{ kind: 'progress', text: plainProgress(event.text, this.#titles.get(event.callId)) }];
  }

  /**
   * Converts a journal event. `state` is the session's state after the event. Calls that only read,
   * and notes, are counted, and the counts are shown when the session pauses its work.
   */
  event(event: JournalEvent, state: SessionState): readonly ChatPart[] {
    const counts = pausesWork.has(event.type) ? this.#takeCounts() : [];
    return [...counts, ...this.#parts(event, state)];
  }

  #parts(event: JournalEvent, state: SessionState): readonly ChatPart[] {
    this.#note(event);
    switch (event.type) {
      case 'model.replied':
        return this.#replied(event, state);
      case 'tool.started':
        return this.#started(event);
      case 'files.changed':
        return this.#changed(event, state);
      case 'tool.finished':
        return this.#finished(event, state);
      case 'sleep.ended':
        return this.#hasRunEnded ? [] : eventParts(event, state);
      case 'run.ended':
        return runEndedParts(event, state);
      case 'experiment.decided':
        return this.#decided(event, state);
      case 'question.asked':
        return questionParts(event, state);
      case 'session.started':
        return [...targetParts(state), ...startParts(event)];
      case 'session.resumed':
        return resumedParts(event, state);
      case 'session.ended':
        return endParts(event, state, this.#lastReply);
      default:
        return eventParts(event, state);
    }
  }

  /** Notes what decides whether later events are shown. */
  #note(event: JournalEvent): void {
    if (event.type === 'model.requested') this.#beginReply();
    if (event.type === 'permission.decided' && !event.isAllowed) this.#refused.add(event.callId);
    if (event.type === 'sleep.started') this.#hasRunEnded = false;
    if (event.type === 'run.ended') this.#hasRunEnded = true;
  }

  #beginReply(): void {
    this.#isReplyFollowed = true;
    this.#hasStreamedText = false;
  }

  #finished(event: EventOf<'tool.finished'>, state: SessionState): readonly ChatPart[] {
    const { callId, countedAs, isError } = event;
    if (this.#refused.has(callId)) return [];
    if (countedAs !== undefined && !isError) {
      this.#counts.set(countedAs, (this.#counts.get(countedAs) ?? 0) + 1);
      return [];
    }
    return toolParts(event, this.#titles.get(callId), state).map((part) =>
      this.#edits.has(callId) ? withEdits(part, state) : part,
    );
  }

  /** Returns the decision, without its reason if the model's last reply already says it. */
  #decided(event: EventOf<'experiment.decided'>, state: SessionState): readonly ChatPart[] {
    const description = describeEvent(event, state);
    if (description?.detail === undefined || !this.#lastReply.includes(description.detail))
      return eventParts(event, state);
    return [line('law', plain(description.title, 300))];
  }

  #takeCounts(): readonly ChatPart[] {
    const counts = [...this.#counts].map(([kind, count]) => counted(count, ...callNouns[kind]));
    this.#counts.clear();
    return counts.length === 0 ? [] : [line('checklist', counts.join(', '))];
  }

  #changed(event: EventOf<'files.changed'>, state: SessionState): readonly ChatPart[] {
    this.#edits.add(event.callId);
    return eventParts(event, state).map((part) => withEdits(part, state));
  }

  #started({ callId, title }: EventOf<'tool.started'>): ChatPart[] {
    this.#titles.set(callId, title);
    return [{ kind: 'progress', text: plainProgress(title) }];
  }

  #replied(event: EventOf<'model.replied'>, state: SessionState): ChatPart[] {
    const wasStreamed = this.#hasStreamedText;
    this.#isReplyFollowed = false;
    this.#hasStreamedText = false;
    const text = event.content
      .flatMap((block) => (block.type === 'text' ? [block.text] : []))
      .join('\n\n');
    if (text.trim() !== '') this.#lastReply = text;
    const parts: ChatPart[] =
      wasStreamed || text.trim() === '' ? [] : [{ kind: 'text', markdown: text }];
    const description = describeEvent(event, state);
    // The next try or the end of the session tells the failure.
    if (description?.tone === 'bad' && wasStreamed)
      parts.push(line('discard', 'The text above was cut off.'));
    if (description?.tone === 'warn') parts.push(line('warning', plain(description.detail ?? '')));
    return parts;
  }

  #discarded({ why, retryMs }: Extract<StreamEvent, { type: 'text.discarded' }>): ChatPart[] {
    const wasStreamed = this.#hasStreamedText;
    this.#hasStreamedText = false;
    const retry: ChatPart = { kind: 'retry', why, retryMs };
    return wasStreamed
      ? [line('discard', 'The text above was cut off and is being written again.'), retry]
      : [retry];
  }
}

/** Types of events before which the counts of calls are shown. */
const pausesWork: ReadonlySet<JournalEvent['type']> = new Set([
  'sleep.started',
  'session.paused',
  'session.ended',
  'question.asked',
]);

const callNouns: Readonly<Record<CountedCall, readonly [string, string]>> = {
  note: ['note written', 'notes written'],
  note_read: ['note read', 'notes read'],
  result: ['result read', 'results read'],
  file: ['file read', 'files read'],
};

/** Codicon by event type. Events of other types are not shown as a line. */
const icons: { readonly [Type in JournalEvent['type']]?: string } = {
  'session.resumed': 'debug-continue',
  'session.permissions_changed': 'shield',
  'session.model_changed': 'server-process',
  'session.effort_changed': 'server-process',
  'session.renamed': 'edit',
  'run.annotated': 'tag',
  'session.target_changed': 'target',
  'session.target_kept': 'target',
  'target.reached': 'target',
  'session.paused': 'debug-pause',
  'budget.noticed': 'credit-card',
  'place.warned': 'warning',
  'machine.silent': 'warning',
  'machine.out_of_reach': 'warning',
  'session.stood_still': 'warning',
  'permission.decided': 'shield',
  'run.not_started': 'error',
  'run.alarmed': 'warning',
  'results.imported': 'cloud-download',
  'experiment.decided': 'law',
  'question.answered': 'comment',
  'sweep.point_skipped': 'error',
  'sweep.ended': 'beaker',
  'sleep.started': 'clock',
  'sleep.ended': 'bell',
  'monitor.started': 'eye',
  'files.changed': 'edit',
  'files.restored': 'discard',
  'monitor.stopped': 'eye-closed',
  'context.checkpointed': 'archive',
  'note.pinned': 'pin',
  'note.unpinned': 'pin',
};

function eventParts(event: JournalEvent, state: SessionState): readonly ChatPart[] {
  const icon = icons[event.type];
  const description = describeEvent(event, state);
  const isAllowed = event.type === 'permission.decided' && event.isAllowed;
  return icon === undefined || description === undefined || isAllowed
    ? []
    : [line(icon, markdownOf(description), description.files)];
}

/**
 * Returns parts that show the target and the requirements read from the goal, and how to change
 * them.
 */
const targetParts = (state: SessionState): readonly ChatPart[] => {
  const { requirements, profile } = state;
  const target = targetTextOf(state);
  return profile !== 'goal'
    ? []
    : [
        line(
          'target',
          target === undefined
            ? 'No target was read from the goal. `/target` states one.'
            : `Target: ${plain(target)} · \`/target\` changes it`,
        ),
        ...(requirements === undefined
          ? []
          : [
              line('checklist', `Besides: ${plain(requirementsForUser(requirements).join(' · '))}`),
            ]),
      ];
};

const startParts = ({
  leftOut,
  permissions,
  ...begun
}: EventOf<'session.started'>): readonly ChatPart[] => [
  ...(permissions === undefined ? [] : [modeLine(permissions)]),
  ...leftOutParts(leftOut),
  ...startTexts(begun).map((text) => line('key', plain(text))),
];

const modeLine = (permissions: PermissionsInForce): ChatPart => ({
  kind: 'line',
  icon: 'shield',
  markdown: plain(permissionLine(permissions), 600),
  link: { title: 'Change' },
});

const leftOutParts = (leftOut: LeftOut | undefined): readonly ChatPart[] =>
  leftOut === undefined
    ? []
    : [
        {
          kind: 'line',
          icon: 'shield',
          markdown: plain(leftOutText(leftOut), 600),
          button: { command: 'helios.allowProjectFile', title: 'Allow Project File…' },
        },
      ];

const resumedParts = (
  { leftOut, ...resumed }: EventOf<'session.resumed'>,
  state: SessionState,
): readonly ChatPart[] => [...eventParts(resumed, state), ...leftOutParts(leftOut)];

function questionParts(
  { questionId: id, at, ...asked }: EventOf<'question.asked'>,
  state: SessionState,
): readonly ChatPart[] {
  const question = { ...asked, id };
  return [
    line('question', questionText(question, at)),
    { kind: 'links', links: answerLinks(state.id, question) },
  ];
}

const withEdits = (part: ChatPart, { id }: SessionState): ChatPart =>
  part.kind === 'line' ? { ...part, edited: id } : part;

const markdownOf = ({ title, detail = '', facts = [] }: Description): string =>
  [title, detail, ...facts]
    .flatMap((part) => (part.trim() === '' ? [] : [plain(part, 300)]))
    .join(' · ');

/**
 * Returns the parts for a completed tool call. `known`: title of the call; `undefined` if the call
 * started before the transcript's first event. The summary is then shown instead of the title.
 */
function toolParts(
  event: EventOf<'tool.finished'>,
  known: string | undefined,
  state: SessionState,
): readonly ChatPart[] {
  const files = event.changedFiles ?? [];
  if (event.isError)
    return [
      line(
        'error',
        `${plain(failedTitle(event, known ?? event.name))} · ${plain(event.summary ?? `failed: ${withoutUntrustedMarks(event.text)}`, 200)}`,
        files,
      ),
    ];
  if (event.isQuiet) return [];
  const run = event.runId === undefined ? undefined : state.runs.get(event.runId);
  // The summary for other views ends with the handle of the run, which only the model needs.
  const summary = run === undefined ? event.summary : runName(run.spec.number);
  return [line(toolIcon(event), toolText(known ?? (summary || event.name), summary), files)];
}

/** Returns title and summary; only the summary if it already starts with the title. */
function toolText(title: string, summary: string | undefined): string {
  if (summary === undefined || summary === '') return plain(title);
  return plain(summary.startsWith(title) ? summary : `${title} · ${summary}`, 240);
}

function toolIcon(event: EventOf<'tool.finished'>): string {
  if (event.runId !== undefined) return 'rocket';
  return (event.changedFiles ?? []).length > 0 ? 'edit' : 'check';
}

/** Returns a line for an ended run, with its metrics beside the best of earlier runs. */
function runEndedParts(event: EventOf<'run.ended'>, state: SessionState): readonly ChatPart[] {
  const { title = '', detail = '' } = describeEvent(event, state) ?? {};
  const run = state.runs.get(event.runId);
  const before = [...state.runs.values()].filter(
    (other) =>
      other !== run && other.verdict?.kind === 'ok' && (other.endedMs ?? 0) <= event.endedMs,
  );
  const decisive = state.target?.objective;
  const values = metricTexts({ metrics: event.metrics, before, decisive });
  const words = [`**${plain(title, 300)}**`, ...[detail, ...values].map((part) => plain(part))];
  return [
    line(verdictIcon(event.verdict).id, words.filter((part) => part !== '').join(' · ')),
    ...(event.withheld === undefined ? [] : [line('key', plain(event.withheld))]),
  ];
}

/**
 * Returns the parts for the end of the session: only the failure if a model call failed. Omits the
 * summary if the model's last reply already contains it.
 */
function endParts(
  event: EventOf<'session.ended'>,
  { end }: SessionState,
  lastReply: string,
): readonly ChatPart[] {
  if (end?.failure !== undefined)
    return [line('error', plain(end.failure.problem ?? end.failure.message, 600))];
  const summary = (event.marked ?? event.summary).trim();
  const table = evidenceList(event.evidence);
  const parts: ChatPart[] = [
    line(endIcon(event.reason).id, `**${plain(endHeadline(event), 600)}**`),
  ];
  if (summary !== '' && !lastReply.includes(summary))
    parts.push({ kind: 'text', markdown: summary });
  if (table !== '') parts.push({ kind: 'block', markdown: table });
  return parts;
}

const plainProgress = (text: string, title?: string): string =>
  (title === undefined ? text : `${title} · ${text}`).replace(/\s+/g, ' ').trim().slice(0, 160);
