/** Output while a session works: JSON lines, or plain lines for pipes and logs. */
import type { Session } from '../../agent/contract/sessions.ts';
import type { JournalEvent, StreamEvent } from '../../agent/journal/events.ts';
import { cleanText } from '../../base/text.ts';
import { retryText } from '../../presentation/sessions/retryText.ts';
import { EventText } from './eventText.ts';
import type { LineListener } from './lineEditor.ts';
import { plainStyle, type Style } from './style.ts';
import type { Output } from '../cliDeps.ts';

/** The part of a session that views show. */
export type ShownSession = Pick<Session, 'state' | 'ledger'>;

export interface SessionView {
  event(event: JournalEvent, session: ShownSession): void;
  stream(event: StreamEvent): void;
  /** Shows a message that is not in the journal. */
  notice(text: string): void;
  /** Writes the last lines after the session has ended. */
  end(lines: readonly string[]): void;
  /** Runs `ask` while no other output is written. */
  aside<T>(ask: () => Promise<T>): Promise<T>;
  /** Passes on what the user types until the end. Omitted by views without a terminal. */
  listen?(listener: LineListener): void;
}

/**
 * Returns the text of a reply, without tool calls. A view prints this text if the reply was not
 * streamed.
 */
export const replyText = (event: Extract<JournalEvent, { type: 'model.replied' }>): string =>
  cleanText(
    event.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
  ).trim();

/**
 * Writes every journal event as one line of JSON. Delays the event `session.ended` until `end` is
 * called, so that this event is the last line.
 */
export class JsonView implements SessionView {
  readonly #output: Output;
  readonly #notices: { write(text: string): unknown };
  #ended: JournalEvent | undefined;

  constructor(output: Output, notices: { write(text: string): unknown }) {
    this.#output = output;
    this.#notices = notices;
  }

  event(event: JournalEvent): void {
    if (event.type === 'session.ended') this.#ended = event;
    else this.#write(event);
  }

  stream(): void {}

  notice(text: string): void {
    this.#notices.write(`${text}\n`);
  }

  end(): void {
    if (this.#ended !== undefined) this.#write(this.#ended);
    this.#ended = undefined;
  }

  aside<T>(ask: () => Promise<T>): Promise<T> {
    return ask();
  }

  #write(event: JournalEvent): void {
    // JSON has no NaN or Infinity, and null would mean "no value", so such numbers become text.
    const text = JSON.stringify(event, (_key, value: unknown) =>
      typeof value === 'number' && !Number.isFinite(value) ? String(value) : value,
    );
    this.#output.write(`${text}\n`);
  }
}

export class PlainView implements SessionView {
  readonly #output: Output;
  readonly #text: EventText;

  constructor(output: Output, style: Style = plainStyle) {
    this.#output = output;
    this.#text = new EventText(style);
  }

  event(event: JournalEvent, session: ShownSession): void {
    if (event.type === 'model.replied')
      this.#write([replyText(event)].filter((text) => text !== ''));
    this.#write(this.#text.linesOf(event, session.state));
  }

  stream(event: StreamEvent): void {
    if (event.type === 'text.discarded') this.notice(retryText(event));
    if (event.type === 'notice') this.notice(event.text);
  }

  notice(text: string): void {
    this.#write([text]);
  }

  end(lines: readonly string[]): void {
    this.#write(lines);
  }

  aside<T>(ask: () => Promise<T>): Promise<T> {
    return ask();
  }

  #write(lines: readonly string[]): void {
    if (lines.length > 0) this.#output.write(lines.map((line) => `${line}\n`).join(''));
  }
}
