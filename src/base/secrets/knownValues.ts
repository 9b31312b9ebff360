/** Finds the values of known secrets in a text: whole, encoded (also in hexadecimal) or truncated. */
import { hexTexts, type HexText } from './hexText.ts';
import { changesIn, isHash, isPath, isRandom } from './randomness.ts';
import type { SecretSpan } from './secretSpan.ts';

/** Minimum length of a known secret. A shorter secret would also match ordinary words. */
const minChars = 6;
/** Length of the parts by which a truncated secret is found. */
const partChars = 12;
/** Minimum number of changes between lowercase letters, capitals and digits in such a part. */
const minPartChanges = 3;
/**
 * Minimum length of a random secret that is also found by its parts, which no other text contains.
 */
const minDividedChars = 20;
/** Maximum number of known forms; when there are more, the oldest are forgotten. */
const maxForms = 4_000;

export class KnownValues {
  readonly #onAdd: () => void;
  /** Value of a secret in one of its spellings → name of the secret, which may be empty. */
  readonly #forms = new Map<string, string>();
  readonly #parts = new Map<string, Part>();

  /** `onAdd` is called when a secret was added that earlier texts may contain. */
  constructor(onAdd: () => void) {
    this.#onAdd = onAdd;
  }

  /**
   * Adds a value, with its spellings in URLs, JSON and base64, and backwards. Ignores values that
   * are too short.
   */
  add(value: string, name = ''): void {
    if (value.length < minChars || this.#forms.has(value)) return;
    this.#onAdd();
    for (const form of formsOf(value)) this.#forms.set(form, name);
    if (isRandom(value, minDividedChars) || (isHash(value) && value.length >= minDividedChars))
      for (let at = 0; at + partChars <= value.length; at++) this.#addPart({ value, at, name });
    trim(this.#forms, maxForms);
    trim(this.#parts, maxForms * 40);
  }

  #addPart(part: Part): void {
    const text = part.value.slice(part.at, part.at + partChars);
    if (changesIn(text) >= minPartChanges) this.#parts.set(text, part);
  }

  find(text: string): SecretSpan[] {
    if (this.#forms.size === 0) return [];
    return [...this.#shown(text), ...hexTexts(text).flatMap((hex) => this.#inHex(hex))];
  }

  #shown(text: string): SecretSpan[] {
    return [...this.#whole(text), ...this.#divided(text)];
  }

  #inHex(hex: HexText): SecretSpan[] {
    return this.#shown(hex.text).map((span) => ({ ...span, ...hex.span(span.start, span.end) }));
  }

  #whole(text: string): SecretSpan[] {
    const spans: SecretSpan[] = [];
    for (const [form, name] of this.#forms)
      for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + form.length))
        if (form.length >= partChars || isWord(text, at, at + form.length))
          spans.push({ start: at, end: at + form.length, ...(name !== '' && { name }) });
    return spans;
  }

  /**
   * Finds parts, of at least 12 characters, of random secrets, because output may be truncated
   * anywhere.
   */
  #divided(text: string): SecretSpan[] {
    if (this.#parts.size === 0) return [];
    const spans: SecretSpan[] = [];
    for (const { 0: word, index } of text.matchAll(longWord))
      for (let at = 0; at + partChars <= word.length; at++) {
        const part = this.#parts.get(word.slice(at, at + partChars));
        if (part === undefined) continue;
        const [start, end] = commonPart(word, at, part);
        spans.push({
          start: index + start,
          end: index + end,
          ...(part.name !== '' && { name: part.name }),
        });
        at = end - 1;
      }
    return spans;
  }
}

/** A part of the secret `value`: the `partChars` characters from the offset `at`. */
interface Part {
  readonly value: string;
  readonly at: number;
  readonly name: string;
}

/** Returns the longest part of the word, around the offset, that the secret also contains. */
function commonPart(word: string, offset: number, { value, at }: Part): [number, number] {
  let start = 0;
  while (start < Math.min(offset, at) && word[offset - start - 1] === value[at - start - 1])
    start++;
  let end = partChars;
  while (at + end < value.length && word[offset + end] === value[at + end]) end++;
  return [offset - start, offset + end];
}

const longWord = /[\w+/=.~@!-]{12,}/g;

/** Returns true if letters or digits neither precede nor follow the part of the text. */
const isWord = (text: string, start: number, end: number): boolean =>
  !/[A-Za-z\d]/.test(text[start - 1] ?? '') && !/[A-Za-z\d]/.test(text[end] ?? '');

function trim(map: Map<string, unknown>, limit: number): void {
  for (const key of map.keys()) {
    if (map.size <= limit) return;
    map.delete(key);
  }
}

function formsOf(value: string): ReadonlySet<string> {
  const base64 = Buffer.from(value).toString('base64').replace(/=+$/, '');
  const base64url = base64.replaceAll('+', '-').replaceAll('/', '_');
  const backwards = [...value].toReversed().join('');
  const isLong = value.length >= 8;
  return new Set([
    value,
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    ...(isLong ? [base64, base64url, backwards] : []),
  ]);
}

/**
 * Returns the secret parts of the value of an environment variable with a secret name: the password
 * of an address, nothing of a path or a number, and nothing that may be an ordinary word.
 */
export function secretPartsOf(value: string): readonly string[] {
  const password = /^[a-z][a-z\d+.-]*:\/\/[^\s/@:]*:([^\s/@]+)@/i.exec(value)?.[1];
  if (password !== undefined) return isOrdinary(password) ? [] : [password];
  return isPath(value) || isOrdinary(value) ? [] : [value];
}

const isOrdinary = (value: string): boolean =>
  value.length < 8 || /^[a-z]+$|^[A-Z]+$|^[\d.,:]+$/.test(value);
