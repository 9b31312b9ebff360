/**
 * Replaces secrets by labels wherever text is added to a prompt, journal, export, notification,
 * report or log. A label such as `⟨secret OPENAI_API_KEY 1f0c9a2e⟩` always stands for the same
 * value, also in later sessions.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { CleanTexts } from './cleanTexts.ts';
import { findSecrets } from './findSecrets.ts';
import { KnownValues, secretPartsOf } from './knownValues.ts';
import { isVeryRandom } from './randomness.ts';
import { isSecretName } from './secretNames.ts';
import { joinSpans, type SecretSpan } from './secretSpan.ts';

const labelPattern = /⟨secret (?:[\w.-]+ )?([a-f\d]{8})⟩/g;

/**
 * Minimum length of a random secret that is remembered, so that it is later found without its name.
 */
const minRemembered = 14;

/** Returns true for a random word that other texts do not contain by chance. */
const isPlainSecret = (value: string): boolean =>
  value.length <= 512 &&
  /^[\w+/=.~-]*\d[\w+/=.~-]*$/.test(value) &&
  isVeryRandom(value, minRemembered);

type Environment = Readonly<Record<string, string | undefined>>;

export class Redactor {
  readonly #clean = new CleanTexts();
  readonly #known = new KnownValues(() => this.#clean.clear());
  readonly #key: Uint8Array;

  /**
   * `key` prevents others from testing guesses of a password against its label. Default: a random
   * key, so that labels are equal only within this process.
   */
  constructor(key: Uint8Array = randomBytes(32)) {
    this.#key = key;
  }

  /** Adds the values of the environment variables whose names denote secrets. */
  addEnvironment(env: Environment): void {
    for (const [name, value = ''] of Object.entries(env))
      if (isSecretName(name)) for (const part of secretPartsOf(value)) this.#known.add(part, name);
  }

  /**
   * Adds a secret and returns it. If the secret is a JSON object, also adds each string value of at
   * least 12 characters in that object.
   */
  add<Value extends string | undefined>(value: Value, name?: string): Value {
    for (const text of textsIn(value)) this.#known.add(text, name);
    return value;
  }

  /** Replaces the secrets in the text by labels. */
  readonly redact = (text: string): string => {
    if (this.#clean.has(text)) return text;
    const spans = this.find(text);
    if (spans.length > 0) return this.label(text, spans);
    this.#clean.add(text);
    return text;
  };

  /** Returns the secrets in the text, in order and without overlaps. */
  find(text: string): SecretSpan[] {
    const spans = findSecrets(text);
    for (const { start, end } of spans) this.#remember(text.slice(start, end));
    const known = this.#known.find(text);
    return known.length === 0 ? spans : joinSpans([...known, ...spans]);
  }

  /** Replaces the given parts of the text by their labels. */
  label(text: string, spans: readonly SecretSpan[]): string {
    let from = 0;
    const parts = spans.map(({ start, end, name }) => {
      const before = text.slice(from, start);
      from = end;
      return `${before}${this.#labelOf(text.slice(start, end), name)}`;
    });
    return parts.join('') + text.slice(from);
  }

  /**
   * Returns the text with labels replaced by their values. Replaces only labels of values that
   * `held`, the present content of the file to write, contains. Other labels stay.
   */
  restore(text: string, held: string): string {
    if (labelsIn(text).length === 0) return text;
    const values = new Map(
      this.find(held).map(({ start, end }) => {
        const value = held.slice(start, end);
        return [this.#markOf(value), value] as const;
      }),
    );
    return text.replace(labelPattern, (label, mark: string) => values.get(mark) ?? label);
  }

  #remember(value: string): void {
    if (isPlainSecret(value)) this.#known.add(value);
  }

  #labelOf(value: string, name = ''): string {
    const shown = name.replace(/[^\w.-]/g, '').slice(0, 40);
    return `⟨secret ${shown && `${shown} `}${this.#markOf(value)}⟩`;
  }

  #markOf(value: string): string {
    return createHmac('sha256', this.#key).update(value).digest('hex').slice(0, 8);
  }
}

/** Returns the labels of secrets in the text. */
export const labelsIn = (text: string): readonly string[] => text.match(labelPattern) ?? [];

function textsIn(value: string | undefined): string[] {
  const text = value?.trim() ?? '';
  if (!text.startsWith('{')) return [text];
  return [text, ...[...text.matchAll(/:\s*"([^"\\]{12,})"/g)].map(([, part = '']) => part)];
}
