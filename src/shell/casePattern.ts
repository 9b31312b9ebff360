/** Reads the patterns of a `case`. */
import { shellQuote } from '../base/text.ts';
import type { Place } from './children.ts';
import { wordOf, type TakeExpansion } from './words.ts';

/**
 * Returns `PATTERN|PATTERN)` as every shell reads it; `undefined` for a pattern with more than `*`
 * and `?`.
 */
export function casePattern(parts: readonly Place[], take: TakeExpansion): string | undefined {
  const patterns = parts
    .filter(({ type }) => type !== '|' && type !== '(')
    .map((part) => {
      const { text, isDynamic, isQuoted } = wordOf([part], take);
      if (isQuoted) return isDynamic ? undefined : shellQuote(text);
      return /^[\w.*?/-]+$/.test(text) && text !== 'esac' ? text : undefined;
    });
  return patterns.includes(undefined) || patterns.length === 0
    ? undefined
    : `${patterns.join('|')})`;
}
