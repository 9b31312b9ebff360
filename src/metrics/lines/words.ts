/** Tells which words of a line are names of metrics or counters. */
import { remembering, type Reading } from './labels.ts';
import type { Word } from './plainPairs.ts';

const noWord: Word = { text: '', meaning: undefined, after: [] };
/** Names of ASCII letters and digits, with separators between them. */
const plainName = /^[a-z](?:[\w./@ -]*[a-z\d])?$/i;
const separator = /[\s_./-]+/;

/**
 * Returns what each word is if the names of `asked` are looked for; `names` is the source of the
 * regular expression for these and the counters. Returns undefined if a name is no plain one.
 */
export function askedWords(
  asked: readonly string[],
  names: string,
  reading: Reading,
): ((text: string) => Word) | undefined {
  if (!asked.every((name) => plainName.test(name))) return undefined;
  const wholeName = new RegExp(`^(?:${names})$`, 'i');
  const before = lastCharactersBefore(asked);
  return remembering((text) => {
    const isName = wholeName.test(text);
    const first = text.toLowerCase().split(separator, 1)[0] ?? '';
    // A counter may also be written as `global step`.
    const isCounter = isName && reading(text).counter !== undefined;
    return {
      text,
      meaning: isName ? reading(text) : undefined,
      after: [...(before.get(first) ?? []), ...(isCounter ? [lastCode('global')] : [])],
    };
  }, noWord);
}

/** Maps each part of a name that follows another to the last characters of those it follows. */
function lastCharactersBefore(names: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const lasts = new Map<string, number[]>();
  for (const name of names) {
    const parts = name.toLowerCase().split(separator);
    for (const [at, part] of parts.slice(1).entries())
      lasts.set(part, [...(lasts.get(part) ?? []), lastCode(parts[at] ?? '')]);
  }
  return lasts;
}

const lastCode = (text: string): number => text.charCodeAt(text.length - 1);

/** Returns what each word is if metrics are detected: any word may be a name. */
export const detectedWords = (reading: Reading): ((text: string) => Word) =>
  remembering(
    (text) => ({
      text,
      meaning: /^[a-z_][\w./@-]*$/i.test(text) ? reading(text) : undefined,
      after: [],
    }),
    noWord,
  );
