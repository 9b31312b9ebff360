/** Decides which words of a line may be names of metrics or counters. */
import { remembering, type Reading } from './labels.ts';
import type { Word } from './plainPairs.ts';

const noWord: Word = { text: '', meaning: undefined, after: [] };
/** Matches a name of ASCII letters and digits with separators between them. */
const plainName = /^[a-z](?:[\w./@ -]*[a-z\d])?$/i;
const separator = /[\s_./-]+/;

/**
 * Returns a function that describes a word, for a search for the names in `asked`; `names` is the
 * source of the regular expression for these names and the counters. Returns undefined if a name in
 * `asked` has characters that `plainName` does not match.
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

/** Maps each word that is not the first of a name to the last characters of the words before it. */
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

/** Returns a function that describes a word, if metrics are detected: any word may be a name. */
export const detectedWords = (reading: Reading): ((text: string) => Word) =>
  remembering(
    (text) => ({
      text,
      meaning: /^[a-z_][\w./@-]*$/i.test(text) ? reading(text) : undefined,
      after: [],
    }),
    noWord,
  );
