/** Redacts a text that arrives in pieces: a secret may begin in one piece and end in another. */
import type { Redactor } from './redactor.ts';
import type { SecretSpan } from './secretSpan.ts';

/** Maximum length of text that is held back until it is clear whether it contains a secret. */
const maxHeldChars = 8_192;
/** Length of the preceding text that is searched for the name of a secret. */
const contextChars = 200;
/**
 * Matches the words at the end that are held back, because they may be the start of a secret:
 * `Authorization: Bearer …` has three words.
 */
const heldWords = /(?:\S+\s+){0,3}\S*$/;

export class RedactingStream {
  readonly #redactor: Pick<Redactor, 'find' | 'label'>;
  /** Text before `#held` that was already returned. */
  #context = '';
  #held = '';

  constructor(redactor: Pick<Redactor, 'find' | 'label'>) {
    this.#redactor = redactor;
  }

  /** Adds a piece, and returns the redacted text that can be shown. */
  push(piece: string): string {
    this.#held += piece;
    const all = this.#context + this.#held;
    const spans = this.#redactor.find(all);
    const tail = all.slice(-maxHeldChars);
    const settled = all.length - (heldWords.exec(lastLine(tail))?.[0].length ?? 0);
    const open = spans.find(({ start, end }) => end >= settled && start < settled);
    const whole = Math.min(open?.start ?? settled, openKey(all));
    const cut = Math.max(whole, all.length - maxHeldChars);
    return this.#release(all, spans, cut);
  }

  /** Returns the rest of the text, redacted. */
  end(): string {
    const all = this.#context + this.#held;
    return this.#release(all, this.#redactor.find(all), all.length);
  }

  #release(all: string, spans: readonly SecretSpan[], cut: number): string {
    const from = this.#context.length;
    if (cut <= from) return '';
    const shown = spans.flatMap(({ start, end, ...name }) =>
      start < cut && end > from
        ? [{ start: Math.max(start, from) - from, end: Math.min(end, cut) - from, ...name }]
        : [],
    );
    const text = this.#redactor.label(all.slice(from, cut), shown);
    this.#context = all.slice(Math.max(0, cut - contextChars), cut);
    this.#held = all.slice(cut);
    return text;
  }
}

const keyLine = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY|PuTTY-User-Key-File-/g;

/** Returns the offset of a private key whose end has not arrived yet. */
function openKey(text: string): number {
  const begin = [...text.matchAll(keyLine)].at(-1)?.index ?? Infinity;
  return /-----END [A-Z0-9 ]{0,60}-----|Private-MAC: .*\n/.test(text.slice(begin))
    ? Infinity
    : begin;
}

/** Returns the last line, in which a name and its value may be incomplete. */
const lastLine = (text: string): string => text.slice(text.lastIndexOf('\n') + 1);
