/**
 * Separates text, thinking and calls of a streaming reply, regardless of chunk boundaries. A call
 * begins with its tag at the beginning of a line, outside of Markdown's code and quotes; no other
 * text counts as a call.
 */
import { closeTag, openTag, resultTag } from './protocol.ts';
import { earlyName, type CallText } from './readCalls.ts';

export type Piece =
  | { readonly type: 'text' | 'thinking'; readonly text: string }
  /** The name of the streaming call is complete. */
  | { readonly type: 'call.named'; readonly name: string }
  | ({ readonly type: 'call' } & CallText)
  /** Everything before this piece was thinking, whose opening tag was in the prompt. */
  | { readonly type: 'was_thinking' };

type State =
  | { readonly kind: 'prose' }
  | { readonly kind: 'fence'; readonly mark: string }
  | { readonly kind: 'thinking'; readonly end: string }
  | { readonly kind: 'call'; readonly call: OpenCall }
  | { readonly kind: 'invented' };

/** The part of a call received so far. */
interface OpenCall {
  body: string;
  isNamed: boolean;
  /** The quote that ends the currently open string of its JSON; empty outside of strings. */
  quote: '"' | "'" | '';
  /**
   * The last character outside of strings other than white space. It distinguishes a quote from an
   * apostrophe.
   */
  lastMark: string;
}

const prose: State = { kind: 'prose' };

/** Matches text that may precede a fence on its line: indentation, quote marks, list marks. */
const leadPattern = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*/;
const thinkingTags = ['<think>', '<thinking>', '<thought>'];
const thinkingEnds = ['</think>', '</thinking>', '</thought>'];
const tags = [openTag, resultTag, ...thinkingTags, ...thinkingEnds];
/**
 * Matches the indentation before a tag: in Markdown, up to three spaces are text, and four are
 * code.
 */
const tagLinePattern = /^ {0,3}(?=<)/;

export class ReplyScanner {
  readonly #hasTools: boolean;
  #rest = '';
  #state: State = prose;
  #isLineStart = true;
  /** Whether white space is being skipped, after a call or thinking. */
  #skipsSpace = false;
  /** Line breaks not yet emitted. They are dropped if a call follows. */
  #held = '';
  /** Text since the last empty line, to detect an open code span. */
  #paragraph = '';
  #hasCalls = false;
  /** Whether a call with unbalanced quotes had a closing tag. */
  #wasClosed = false;

  /** @param hasTools without tools, nothing is a call */
  constructor(hasTools: boolean) {
    this.#hasTools = hasTools;
  }

  *push(chunk: string): Generator<Piece, void> {
    this.#rest += chunk;
    yield* this.#scan(false);
  }

  /** Ends the reply. Yields a call that is still open as not closed. */
  *end(): Generator<Piece, void> {
    yield* this.#scan(true);
    if (this.#held !== '') yield { type: 'text', text: this.#held };
    this.#held = '';
  }

  *#scan(isEnd: boolean): Generator<Piece, void> {
    for (;;) {
      const before = this.#rest.length;
      const state = this.#state;
      yield* this.#step(isEnd);
      if (this.#rest.length === before && this.#state === state) return;
    }
  }

  *#step(isEnd: boolean): Generator<Piece, void> {
    const state = this.#state;
    switch (state.kind) {
      case 'prose':
        return yield* this.#prose(isEnd);
      case 'fence':
        return yield* this.#fence(state.mark, isEnd);
      case 'thinking':
        return yield* this.#thinking(state.end, isEnd);
      case 'call':
        return yield* this.#call(state.call, isEnd);
      case 'invented':
        this.#rest = '';
    }
  }

  *#prose(isEnd: boolean): Generator<Piece, void> {
    if (this.#skipsSpace && !this.#skipSpace(isEnd)) return;
    if (!this.#isLineStart) return yield* this.#text(this.#upToLineEnd());
    if (this.#rest === '' || (!isEnd && isUndecided(this.#rest))) return;
    const fence = fenceAt(this.#rest);
    if (fence !== undefined) {
      this.#state = { kind: 'fence', mark: fence };
      this.#isLineStart = false;
      return;
    }
    const lead = tagLinePattern.exec(this.#rest)?.[0] ?? '';
    const tag = tags.find((candidate) => this.#rest.startsWith(candidate, lead.length));
    if (tag === undefined || this.#isInCode() || !this.#begins(tag))
      return yield* this.#text(this.#upToLineEnd());
    this.#rest = this.#rest.slice(lead.length + tag.length);
    this.#held = '';
    this.#paragraph = '';
    if (thinkingEnds.includes(tag)) {
      this.#afterBlock();
      yield { type: 'was_thinking' };
    }
  }

  /**
   * Enters the state that the tag begins. Returns false if the tag has no meaning at this place.
   */
  #begins(tag: string): boolean {
    if (tag === openTag && this.#hasTools)
      this.#state = { kind: 'call', call: { body: '', isNamed: false, quote: '', lastMark: '' } };
    else if (thinkingTags.includes(tag))
      this.#state = { kind: 'thinking', end: `</${tag.slice(1)}` };
    else if (tag === resultTag && this.#hasCalls) this.#state = { kind: 'invented' };
    else return thinkingEnds.includes(tag);
    return true;
  }

  /** Skips white space. Returns true once another character follows or the reply has ended. */
  #skipSpace(isEnd: boolean): boolean {
    const space = /^\s*/.exec(this.#rest)?.[0] ?? '';
    if (space.length === this.#rest.length && !isEnd) return false;
    // Preserves the indentation of the next line, which may mark the line as code.
    this.#rest = this.#rest.slice(
      space.includes('\n') ? space.lastIndexOf('\n') + 1 : space.length,
    );
    this.#skipsSpace = false;
    return true;
  }

  *#fence(mark: string, isEnd: boolean): Generator<Piece, void> {
    if (this.#isLineStart) {
      if (
        this.#rest === '' ||
        (!isEnd && /^[ \t>]*(?:[`~]+[ \t\r]*|\r[ \t\r]*)?$/.test(this.#rest))
      )
        return;
      const closing = /^[ \t>]*([`~]+)[ \t\r]*(?=\n|$)/.exec(this.#rest)?.[1];
      if (
        closing !== undefined &&
        closing.length >= mark.length &&
        closing === (mark[0] ?? '').repeat(closing.length)
      )
        this.#state = prose;
    }
    yield* this.#text(this.#upToLineEnd());
    if (this.#state.kind === 'prose') this.#paragraph = '';
  }

  #upToLineEnd(): string {
    const end = this.#rest.indexOf('\n');
    const text = end === -1 ? this.#rest : this.#rest.slice(0, end + 1);
    this.#rest = this.#rest.slice(text.length);
    if (text !== '') this.#isLineStart = text.endsWith('\n');
    return text;
  }

  *#text(text: string): Generator<Piece, void> {
    this.#paragraph += text;
    if (text.endsWith('\n') && /\n[ \t\r]*\n$/.test(this.#paragraph)) this.#paragraph = '';
    if (this.#held !== '' && text.trim() === '') {
      this.#held += text;
      return;
    }
    const all = this.#held + text;
    const textEnd = all.trimEnd().length;
    const end = all.indexOf('\n', textEnd);
    this.#held = end === -1 ? '' : all.slice(end);
    const emitted = end === -1 ? all : all.slice(0, end);
    if (emitted !== '') yield { type: 'text', text: emitted };
  }

  /** Returns whether a code span was opened in this paragraph and not closed. */
  #isInCode(): boolean {
    return this.#paragraph.replace(/(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, '').includes('`');
  }

  *#thinking(end: string, isEnd: boolean): Generator<Piece, void> {
    const at = this.#rest.indexOf(end);
    const sure =
      at !== -1 ? at : isEnd ? this.#rest.length : this.#rest.length - partOf(end, this.#rest);
    const text = this.#rest.slice(0, sure);
    this.#rest = this.#rest.slice(at === -1 ? sure : at + end.length);
    if (text !== '') yield { type: 'thinking', text };
    if (at !== -1) this.#afterBlock();
  }

  #afterBlock(): void {
    this.#state = prose;
    this.#isLineStart = true;
    this.#skipsSpace = true;
  }

  *#call(call: OpenCall, isEnd: boolean): Generator<Piece, void> {
    const isClosed = this.#growCall(call);
    const name =
      call.isNamed || call.body.length > maxNamedChars ? undefined : earlyName(call.body);
    if (name !== undefined) {
      call.isNamed = true;
      yield { type: 'call.named', name };
    }
    if (!isClosed && !isEnd) return;
    if (!isClosed) this.#cutCall(call);
    this.#hasCalls = true;
    this.#afterBlock();
    yield { type: 'call', body: call.body, isClosed: isClosed || this.#wasClosed };
  }

  /**
   * Consumes the text of the call. Returns true at the closing tag of the call. A closing tag
   * inside a JSON string is part of the string.
   */
  #growCall(call: OpenCall): boolean {
    const text = this.#rest;
    for (let at = 0; at < text.length; at += 1) {
      const character = text[at] ?? '';
      if (call.quote === '' && character === '<') {
        if (text.startsWith(closeTag, at)) return this.#takeInto(call, at, closeTag.length);
        if (closeTag.startsWith(text.slice(at))) return this.#takeInto(call, at, 0);
      }
      if (call.quote !== '' && character === '\\') {
        // The escaped character is in the next chunk.
        if (at === text.length - 1) return this.#takeInto(call, at, 0);
        at += 1;
      } else passQuotes(call, character);
    }
    return this.#takeInto(call, text.length, 0);
  }

  #takeInto(call: OpenCall, length: number, tagLength: number): boolean {
    call.body += this.#rest.slice(0, length);
    this.#rest = this.#rest.slice(length + tagLength);
    return tagLength > 0;
  }

  /**
   * Ends a call with unbalanced quotes. Everything up to the last closing tag is treated as one
   * call, so that no part of the text is mistaken for another call.
   */
  #cutCall(call: OpenCall): void {
    const all = call.body + this.#rest;
    const end = all.lastIndexOf(closeTag);
    this.#wasClosed = end !== -1;
    call.body = end === -1 ? all : all.slice(0, end);
    this.#rest = end === -1 ? '' : all.slice(end + closeTag.length);
  }
}

function passQuotes(call: OpenCall, character: string): void {
  if (character === call.quote) call.quote = '';
  else if (call.quote === '') {
    const isApostrophe = character === "'" && !'{[,:'.includes(call.lastMark);
    if ((character === '"' || character === "'") && !isApostrophe) call.quote = character;
    if (character.trim() !== '') call.lastMark = character;
  }
}

/**
 * Maximum number of characters searched for the name of a streaming call. A later name is reported
 * with the whole call.
 */
const maxNamedChars = 400;

/** Returns whether an incomplete line may still become a tag or a fence. */
function isUndecided(line: string): boolean {
  if (line.includes('\n')) return false;
  const lead = leadPattern.exec(line)?.[0] ?? '';
  const rest = line.slice(lead.length);
  if (rest === '' || /^(?:\d{1,9}[.)]?|[-*+]|~{1,2}|`{1,2})$/.test(rest)) return true;
  // Only the rest of the line shows whether this is a fence or a code span.
  if (/^(?:`{3,}[^`]*$|~{3})/.test(rest)) return true;
  return /^ {0,3}$/.test(lead) && tags.some((tag) => tag.startsWith(rest));
}

function fenceAt(line: string): string | undefined {
  const rest = line.slice(leadPattern.exec(line)?.[0].length ?? 0);
  return /^(`{3,})[^`\n]*(?:\n|$)/.exec(rest)?.[1] ?? /^(~{3,})/.exec(rest)?.[1];
}

/** Returns how many of the first characters of `tag` are at the end of `text`. */
function partOf(tag: string, text: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length -= 1)
    if (text.endsWith(tag.slice(0, length))) return length;
  return 0;
}
