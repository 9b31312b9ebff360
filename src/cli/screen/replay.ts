/** Formats a journal as a transcript, with more detail than the live view. */
import {
  resultText,
  describeEvent,
  descriptionLine,
  isWordOfUser,
} from '../../presentation/events.ts';
import type { JournalEvent } from '../../agent/journal/events.ts';
import { endHeadline } from '../../presentation/sessions/sessionText.ts';
import { applyEvent, foldSession, toJsonLine } from '../../compose/foldJournal.ts';
import type { SessionState } from '../../agent/journal/state.ts';
import { exactTime } from '../../base/localTime.ts';
import { capText, cleanText } from '../../base/text.ts';
import { withoutUntrustedMarks } from '../../base/untrusted.ts';
import { EventText } from './eventText.ts';
import type { Style } from './style.ts';
import { visibleText } from './terminalText.ts';
import { replyText } from './views.ts';

/** Maximum characters shown of the result of one call. */
const maxResultChars = 2_000;
/** Maximum characters shown of one message, because a model or a user may send a very long one. */
const maxTextChars = 20_000;

/**
 * Returns the range of the turns `from` to `to` in `events`: `first` is the index of the first
 * event, and `end` is the index after the last event.
 */
export function replayRange(
  events: readonly JournalEvent[],
  { from, to }: { readonly from: number; readonly to: number },
): { readonly first: number; readonly end: number } {
  const startOf = (turn: number): number => {
    const index = events.findIndex(
      (event) => event.type === 'model.requested' && event.turn >= turn,
    );
    return index === -1 ? events.length : index;
  };
  return {
    first: from <= 1 ? 0 : startOf(from),
    end: to === Infinity ? events.length : startOf(to + 1),
  };
}

/**
 * Formats the events of a journal one by one. The caller passes every event, oldest first, because
 * a line depends on earlier events.
 */
export class ReplayText {
  readonly #style: Style;
  readonly #isRaw: boolean;
  readonly #text: EventText;
  #state: SessionState | undefined;

  constructor(style: Style, isRaw: boolean) {
    this.#style = style;
    this.#isRaw = isRaw;
    this.#text = new EventText(style);
  }

  linesOf(event: JournalEvent): readonly string[] {
    if (this.#isRaw) return [toJsonLine(event)];
    this.#state = this.#state === undefined ? foldSession([event]) : applyEvent(this.#state, event);
    return this.#state === undefined ? [] : this.#tell(event, this.#state);
  }

  #tell(event: JournalEvent, state: SessionState): readonly string[] {
    const lines = this.#text.linesOf(event, state);
    switch (event.type) {
      case 'model.requested':
        return ['', this.#style.dim(`Turn ${event.turn} · ${exactTime(event.at)}`)];
      case 'model.replied':
        return [...bounded(replyText(event), maxTextChars), ...lines];
      case 'message.added':
        if (event.isUnsaid === true || (event.origin === 'person' && !isWordOfUser(event)))
          return lines;
        return event.origin === 'person'
          ? [`${this.#style.bold('You:')}`, ...indented(event.text, maxTextChars)]
          : event.origin === 'goal'
            ? []
            : indented(withoutUntrustedMarks(event.text), maxResultChars).map((line) =>
                this.#style.dim(line),
              );
      case 'tool.finished':
        return [...lines, ...(event.isError ? [] : this.#result(event))];
      case 'session.ended':
        return [
          '',
          this.#style.bold(cleanText(endHeadline(event))),
          ...bounded(event.marked ?? event.summary, maxTextChars),
        ];
      case 'tool.started':
        return lines;
      default:
        return lines.length > 0 ? lines : this.#unseen(event, state);
    }
  }

  /**
   * Formats an event for which the live view prints no line, because the block at the bottom of the
   * terminal shows the change.
   */
  #unseen(event: JournalEvent, state: SessionState): readonly string[] {
    const description = describeEvent(event, state);
    return description === undefined
      ? []
      : [this.#style.dim(descriptionLine(description, maxResultChars))];
  }

  #result({ text, fullPath }: Extract<JournalEvent, { type: 'tool.finished' }>): string[] {
    const rest = fullPath === undefined ? undefined : `the full result is in ${fullPath}`;
    return indented(resultText(text), maxResultChars, rest).map((line) => this.#style.dim(line));
  }
}

function bounded(text: string, maxChars: number, rest?: string): string[] {
  const clean = visibleText(cleanText(text).replace(/\r\n?/g, '\n')).trim();
  return clean === '' ? [] : capText(clean, maxChars, rest).text.split('\n');
}

const indented = (text: string, maxChars: number, rest?: string): string[] =>
  bounded(text, maxChars, rest).map((line) => `    ${line}`);
