/** Converts a session's journal events and stream events to parts of a chat reply. */
import { withoutUntrustedMarks } from '../../base/untrusted.ts';
import type { Description, EventOf } from '../../agent/journal/describeEvent.ts';
import { describeEvent, startTexts } from '../../presentation/events.ts';
import { approvalPreview, type ShownApproval } from '../../presentation/sessions/approvalText.ts';
import type { ApprovalRequest } from '../../agent/contract/ports.ts';
import type { JournalEvent, StreamEvent } from '../../agent/journal/events.ts';
import type { LeftOut } from '../../project/projects.ts';
import type { SessionState } from '../../agent/journal/state.ts';
import type { PermissionsInForce } from '../../permissions/mode.ts';
import { permissionLine } from '../../presentation/sessions/permissionText.ts';
import type { SessionId } from '../../base/ids.ts';
import { evidenceList, metricTable } from '../../presentation/runs/metricTable.ts';
import {
  effectVerb,
  endHeadline,
  failedTitle,
  leftOutText,
  requirementsForUser,
  targetTextOf,
} from '../../presentation/sessions/sessionText.ts';
import type { CommandId } from '../ui/contributions.ts';
import { endIcon, verdictIcon } from '../ui/icons.ts';
import { codeLines, plain } from '../../base/markdown.ts';
import { textSize } from '../../base/text.ts';

export type ChatPart =
  /** Text of the model, streamed or whole, as the model wrote it. */
  | { readonly kind: 'text'; readonly markdown: string }
  /**
   * A paragraph by Helios. `icon`: codicon id. `markdown`: escaped Markdown. `files`: absolute
   * paths of the changed files, shown as links. `edited`: the session whose edits of these files
   * can be shown. `button`: a button below the line.
   */
  | {
      readonly kind: 'line';
      readonly icon: string;
      readonly markdown: string;
      readonly files?: readonly string[];
      readonly edited?: SessionId;
      readonly button?: { readonly command: CommandId; readonly title: string };
      /** A link after the text, to a command without arguments. */
      readonly link?: { readonly command: CommandId; readonly title: string };
    }
  /** A separate block by Helios, such as a table: escaped Markdown. */
  | { readonly kind: 'block'; readonly markdown: string }
  /** Progress text, shown until another part follows. */
  | { readonly kind: 'progress'; readonly text: string };

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
    // Thinking is not shown, because VS Code itself shows that the response is in progress.
    if (event.type === 'thinking.delta') return [];
    return [{ kind: 'progress', text: plainProgress(event.text, this.#titles.get(event.callId)) }];
  }

  /** Converts a journal event. `state` is the session's state after the event. */
  event(event: JournalEvent, state: SessionState): readonly ChatPart[] {
    if (event.type === 'model.requested') this.#beginReply();
    if (event.type === 'model.replied') return this.#replied(event, state);
    if (event.type === 'tool.started') return this.#started(event);
    if (event.type === 'files.changed') return this.#changed(event, state);
    if (event.type === 'permission.decided' && !event.isAllowed) this.#refused.add(event.callId);
    if (event.type === 'tool.finished' && this.#refused.has(event.callId)) return [];
    if (event.type === 'tool.finished')
      return toolParts(event, this.#titles.get(event.callId)).map((part) =>
        this.#edits.has(event.callId) ? withEdits(part, state) : part,
      );
    if (event.type === 'run.ended') return runEndedParts(event, state);
    if (event.type === 'session.started') return [...targetParts(state), ...startParts(event)];
    if (event.type === 'session.ended') return endParts(event, this.#lastReply);
    if (event.type === 'session.resumed') {
      const { leftOut, ...resumed } = event;
      return [...eventParts(resumed, state), ...leftOutParts(leftOut)];
    }
    return eventParts(event, state);
  }

  #beginReply(): void {
    this.#isReplyFollowed = true;
    this.#hasStreamedText = false;
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
    if (description?.tone === 'bad') parts.push(line('warning', markdownOf(description)));
    if (description?.tone === 'warn') parts.push(line('warning', plain(description.detail ?? '')));
    return parts;
  }

  #discarded(why: string): ChatPart[] {
    if (!this.#hasStreamedText)
      return [{ kind: 'progress', text: `Retrying the model call: ${why}` }];
    this.#hasStreamedText = false;
    return [
      line('discard', `The text above was cut off and is being written again: ${plain(why)}`),
    ];
  }
}

/** Codicon by event type. Events of other types are not shown as a line. */
const icons: { readonly [Type in JournalEvent['type']]?: string } = {
  'session.resumed': 'debug-continue',
  'session.permissions_changed': 'shield',
  'session.model_changed': 'server-process',
  'session.effort_changed': 'server-process',
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
  'question.asked': 'question',
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
  link: { command: 'helios.changePermissionMode', title: 'Change' },
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
  return [
    line(toolIcon(event), toolText(known ?? (event.summary || event.name), event.summary), files),
  ];
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

/** Returns a line for an ended run, and a table of its metrics if it has any. */
function runEndedParts(event: EventOf<'run.ended'>, state: SessionState): readonly ChatPart[] {
  const { title = '', detail = '' } = describeEvent(event, state) ?? {};
  const run = state.runs.get(event.runId);
  const before = [...state.runs.values()].filter(
    (other) =>
      other !== run && other.verdict?.kind === 'ok' && (other.endedMs ?? 0) <= event.endedMs,
  );
  const table = metricTable({ metrics: event.metrics, before, decisive: state.target?.objective });
  const words = [`**${plain(title, 300)}**`, plain(detail, 120)].filter((part) => part !== '');
  return [
    line(verdictIcon(event.verdict).id, words.join(' · ')),
    ...(event.withheld === undefined ? [] : [line('key', plain(event.withheld))]),
    ...(table === '' ? [] : [{ kind: 'block' as const, markdown: table }]),
  ];
}

/**
 * Returns the parts for the end of the session. Omits the summary if the model's last reply already
 * contains it.
 */
function endParts(event: EventOf<'session.ended'>, lastReply: string): readonly ChatPart[] {
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

/** Returns the parts of an approval question, and the choices to offer below them. */
export function approvalParts(request: ApprovalRequest): {
  readonly parts: readonly ChatPart[];
  readonly choices: ShownApproval['choices'];
} {
  const { text, choices } = approvalPreview(request);
  const size = 'Review' in choices ? ` (${textSize(request.detail)}; review it to approve)` : '';
  return {
    parts: [
      line('shield', `Asks to ${plain(effectVerb(request.effect))}${size}${askedTitle(request)}`),
      { kind: 'text', markdown: `\n\n${codeLines(text)}\n\n` },
    ],
    choices,
  };
}

/** Returns a colon and the title of the call; only a colon for a command, which is shown below. */
const askedTitle = ({ effect, title }: ApprovalRequest): string =>
  effect === 'execute' ? ':' : `: **${plain(title)}**`;

const plainProgress = (text: string, title?: string): string =>
  (title === undefined ? text : `${title} · ${text}`).replace(/\s+/g, ' ').trim().slice(0, 160);

const line = (icon: string, markdown: string, files: readonly string[] = []): ChatPart =>
  files.length === 0 ? { kind: 'line', icon, markdown } : { kind: 'line', icon, markdown, files };
