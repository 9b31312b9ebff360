/**
 * Separates the messages of the git guard from the output of a command. Recognizes only sentences
 * that the guard can write, so that a program that imitates the guard cannot add text.
 */
import { shellText } from '../../base/shellText.ts';

const guard = shellText('./guard.sh', import.meta.url);
const literals = (pattern: RegExp): readonly string[] =>
  [...guard.matchAll(pattern)].flatMap(([, text = '']) => (text.includes('$') ? [] : [text]));
const reasons = literals(/\brefuse \S+ ['"]([^'"]+)['"]/g);
const sentences = new Set(
  literals(/\badvice='([^']+)'/g).flatMap((advice) =>
    reasons.map((reason) => `${reason}. ${advice}`),
  ),
);

export interface GuardedOutput {
  /** Messages of the guard, one per line of the output. */
  readonly words: readonly string[];
  /** The output without these lines. */
  readonly rest: string;
}

export function guardedOutput(output: string): GuardedOutput {
  const lines = output.split('\n');
  const isGuard = (line: string): boolean => {
    const [, said = ''] = /^helios: git [A-Za-z-]{1,30} was not run: (.+)$/.exec(line) ?? [];
    return sentences.has(said);
  };
  return {
    words: lines.filter(isGuard),
    rest: lines.filter((line) => !isGuard(line)).join('\n'),
  };
}
