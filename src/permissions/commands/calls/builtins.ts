/** Judges the commands of the shell itself that change nothing but how the rest of a line runs. */
import type { ShellWord } from '../../../shell/shellCommand.ts';
import { isNumber } from '../values/possibleTexts.ts';
import { safe, type Verdict } from '../verdicts/verdict.ts';

type Check = (rest: readonly ShellWord[]) => boolean;

const isFixed = ({ isDynamic }: ShellWord): boolean => !isDynamic;
const joinTexts = (words: readonly ShellWord[]): string => words.map(({ text }) => text).join(' ');

/** The options that end a line early or show its commands. Others change how words are read. */
const setOptions = /^(?:(?:[-+][eux]+|[-+][eux]*o (?:pipefail|errexit|nounset|xtrace))(?: |$))+$/;
const isNumeric: Check = (rest) => rest.length <= 1 && rest.every(isNumber);

const checks: Readonly<Record<string, Check>> = {
  set: (rest) => rest.every(isFixed) && setOptions.test(joinTexts(rest)),
  exit: isNumeric,
  history: (rest) => isNumeric(rest) && rest.every(({ text }) => !text.startsWith('-')),
  wait: (rest) => rest.every((word) => isNumber(word) && !word.text.startsWith('-')),
};

/**
 * Returns the verdict on a command of the shell; `undefined` for other commands, and for calls that
 * may do more.
 */
export function judgeBuiltin(name: string, rest: readonly ShellWord[]): Verdict | undefined {
  const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
  return check?.(rest) === true ? safe : undefined;
}
