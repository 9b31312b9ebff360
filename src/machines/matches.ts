import { shellText } from '../base/shellText.ts';
import { shellQuote } from '../base/text.ts';
import type { Machine } from './machine.ts';
import { pathLists } from './pathLists.ts';

const script = shellText('./matches.sh', import.meta.url);
/** Time limit. It is short, because an approval waits for the answer. */
const timeoutMs = 10_000;

/**
 * Resolves, for each absolute pattern with `*` and `?`, with the absolute paths that match it; with
 * `undefined` for a pattern with more than 200 matches. Rejects with `MachineFailure`.
 */
export async function matchesOf(
  machine: Pick<Machine, 'query'>,
  patterns: readonly string[],
): Promise<readonly (readonly string[] | undefined)[]> {
  if (patterns.length === 0) return [];
  const calls = patterns.map((pattern) => `matches ${quotedPattern(pattern)}`).join('\n');
  const answer = await machine.query(`${script}\n${calls}`, { timeoutMs });
  const lists = pathLists(answer);
  return patterns.map((_pattern, index) => {
    const list = lists[index];
    return list?.[0] === '!' ? undefined : list;
  });
}

const quotedPattern = (pattern: string): string =>
  pattern.replace(/[^*?]+/g, (part) => shellQuote(part));
