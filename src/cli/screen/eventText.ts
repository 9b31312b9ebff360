/** Formats journal events for the terminal, most of them as one line. */
import type { EventOf } from '../../agent/journal/describeEvent.ts';
import {
  describeEvent,
  descriptionLine,
  isWordOfUser,
  startTexts,
} from '../../presentation/events.ts';
import type { JournalEvent } from '../../agent/journal/events.ts';
import { limitsText } from '../../presentation/limits.ts';
import type { SessionState } from '../../agent/journal/state.ts';
import { cleanText, oneLine } from '../../base/text.ts';
import { withoutUntrustedMarks } from '../../base/untrusted.ts';
import {
  failedTitle,
  leftOutText,
  requirementsForUser,
  targetTextOf,
} from '../../presentation/sessions/sessionText.ts';
import type { Style } from './style.ts';
import { singleLine, visibleText } from './terminalText.ts';
import { fitToWidth, textWidth } from './textWidth.ts';

const maxLine = 400;
const short = (text: string): string => oneLine(cleanText(text), maxLine);
/** Returns the text on one line, as the terminal will show it, so that its width can be measured. */
const shownLine = (text: string): string => visibleText(oneLine(cleanText(text), Infinity));

/**
 * Style of the line for each type of event; a type that is not listed has no line, or its own
 * format. `tone`: red if the event is bad news, otherwise unstyled.
 */
const styles: { readonly [Type in JournalEvent['type']]?: 'dim' | 'bold' | 'good' | 'tone' } = {
  'session.resumed': 'dim',
  'session.permissions_changed': 'dim',
  'session.model_changed': 'dim',
  'session.effort_changed': 'dim',
  'session.renamed': 'dim',
  'run.annotated': 'dim',
  'session.target_changed': 'bold',
  'session.target_kept': 'bold',
  'target.reached': 'good',
  'session.paused': 'tone',
  'message.added': 'dim',
  'model.replied': 'tone',
  'permission.decided': 'tone',
  'budget.noticed': 'bold',
  'place.warned': 'bold',
  'machine.silent': 'bold',
  'machine.out_of_reach': 'bold',
  'session.stood_still': 'bold',
  'run.ended': 'tone',
  'run.not_started': 'tone',
  'run.alarmed': 'tone',
  'results.imported': 'dim',
  'experiment.decided': 'tone',
  'question.asked': 'bold',
  'question.answered': 'tone',
  'sweep.point_skipped': 'tone',
  'sweep.ended': 'bold',
  'sleep.ended': 'dim',
  'context.checkpointed': 'dim',
  'note.pinned': 'dim',
  'note.unpinned': 'dim',
};

/**
 * Formats events. Stores the title of each tool call, because the line for its result repeats the
 * title.
 */
export class EventText {
  readonly #style: Style;
  readonly #width: () => number;
  readonly #titles = new Map<string, string>();
  /**
   * Ids of calls that were refused. Their result gets no line, because the line of the decision
   * already says so.
   */
  readonly #refused = new Set<string>();

  /** `width` returns the maximum number of columns for the line of a tool call. */
  constructor(style: Style, width = (): number => maxLine) {
    this.#style = style;
    this.#width = width;
  }

  /**
   * Returns the lines for an event, without line breaks. Empty for events that are not shown,
   * including unknown events from newer versions.
   */
  linesOf(event: JournalEvent, state: SessionState): string[] {
    return this.#linesOf(event, state).map(singleLine);
  }

  #linesOf(event: JournalEvent, state: SessionState): string[] {
    switch (event.type) {
      case 'session.started':
        return startLines(event, state, this.#style);
      case 'session.resumed':
        return this.#resumedLines(event, state);
      case 'message.added':
        if (event.isUnsaid === true) return this.#line(event, state);
        return isWordOfUser(event) ? [`${this.#style.bold('You:')} ${short(event.text)}`] : [];
      case 'tool.started':
        this.#titles.set(event.callId, event.title);
        return [];
      case 'permission.decided':
        if (!event.isAllowed) this.#refused.add(event.callId);
        return isShown(event) ? this.#line(event, state) : [];
      case 'tool.finished':
        return this.#refused.has(event.callId) || isToldByEvent(event)
          ? []
          : this.#toolLines(event);
      default:
        return isShown(event) ? this.#line(event, state) : [];
    }
  }

  #resumedLines(event: EventOf<'session.resumed'>, state: SessionState): string[] {
    const { leftOut, permissions, ...resumed } = event;
    // The note has a line of its own, so that nothing is cut.
    const mode = permissions === undefined ? {} : { permissions: { mode: permissions.mode } };
    return [
      ...this.#line({ ...resumed, ...mode }, state),
      ...(permissions?.note === undefined ? [] : [permissions.note]),
      ...(leftOut === undefined ? [] : [leftOutText(leftOut)]),
    ];
  }

  #line(event: JournalEvent, state: SessionState): string[] {
    const style = styles[event.type];
    const description = describeEvent(event, state);
    if (style === undefined || description === undefined) return [];
    const isCut = event.type === 'model.replied' && description.tone === 'warn';
    const line = isCut ? (description.detail ?? '') : descriptionLine(description, maxLine);
    if (style !== 'tone') return [this.#style[style](line)];
    return [description.tone === 'bad' ? this.#style.bad(line) : line];
  }

  #toolLines(event: EventOf<'tool.finished'>): string[] {
    const { dim, bad } = this.#style;
    const title = shownLine(this.#titles.get(event.callId) ?? event.name);
    if (event.isError) {
      const failed = oneLine(failedTitle(event, title), 160);
      return [`  ${bad('×')} ${failed}: ${short(withoutUntrustedMarks(event.text))}`];
    }
    const shownTitle = fitToWidth(title, this.#width() - 2);
    const summaryWidth = this.#width() - textWidth(shownTitle) - 5;
    if (event.summary === undefined || summaryWidth < 8) return [`  ${shownTitle}`];
    return [`  ${shownTitle}${dim(` · ${fitToWidth(shownLine(event.summary), summaryWidth)}`)}`];
  }
}

/**
 * Returns whether the event gets a line. Omits replies that are complete, because they were shown
 * while they streamed, permissions that were granted, and the end of a sleep that a run, a trigger
 * or a check-in ended.
 */
function isShown(event: JournalEvent): boolean {
  if (event.type === 'model.replied') return event.failure !== undefined || event.stop === 'length';
  if (event.type === 'permission.decided') return !event.isAllowed;
  return event.type !== 'sleep.ended' || !['run_ended', 'trigger', 'check_in'].includes(event.why);
}

/** Returns whether the event that the call recorded has a line of its own with the same words. */
const isToldByEvent = ({ name, isError }: EventOf<'tool.finished'>): boolean =>
  name === 'exp_decide' && !isError;

function startLines(
  event: EventOf<'session.started'>,
  state: SessionState,
  { bold, dim }: Style,
): string[] {
  const target = targetTextOf(state);
  const limits = limitsText(event.budget);
  const who =
    event.provider === 'demo'
      ? 'offline demo: scripted, no language model'
      : `${event.provider} ${event.model}`;
  return [
    `${bold('Goal:')} ${short(event.goal)}`,
    dim(
      [
        who,
        ...(event.permissions === undefined ? [] : [`mode ${event.permissions.mode}`]),
        ...(target === undefined ? [] : [`target: ${target}`]),
        ...(event.requirements ? requirementsForUser(event.requirements) : []),
        ...limits,
        event.workFolder,
      ].join(' · '),
    ),
    ...(event.permissions?.note === undefined ? [] : [event.permissions.note]),
    ...(event.leftOut === undefined ? [] : [leftOutText(event.leftOut)]),
    ...startTexts(event).map(dim),
    '',
  ];
}
