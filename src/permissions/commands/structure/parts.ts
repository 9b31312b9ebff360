/** Names the parts of a line in verdicts. */
import type { ShellCommand } from '../../../shell/shellCommand.ts';
import { asks, type Verdict } from '../verdicts/verdict.ts';

/** Returns the command as written, without its redirections. */
export const partOf = ({ words }: ShellCommand): string =>
  words.map(({ spelled }) => spelled).join(' ');

export const isEnd = (before: string): boolean => /^(?:done|fi|esac|[})])$/.test(before);

/** Returns the verdict on a part of a line that is not judged. */
export const notJudged = (part: string): Verdict =>
  part === 'while' || part === 'until'
    ? asks(`${part} may run without end`, '')
    : asks(`${part.trim() === '' ? 'a part of the line' : part} is not judged`, '');

export const unclear = asks('has a part that is not judged', '');

export const tooMany = asks('runs too many commands to judge', '');
