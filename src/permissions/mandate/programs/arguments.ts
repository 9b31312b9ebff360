/**
 * Checks the arguments of programs that have no list of options. The value of an option with a
 * usual name for an output, such as `--output`, is checked as a written path.
 */
import { argumentOutside, pathOutside } from '../paths.ts';
import { firstReason, isOption, type Check } from '../step.ts';

/** Options whose value is a path that the program writes. */
const output =
  /^--?(?:o|out\w*|output[-\w]*|save[-\w]*|dest[-\w]*|prefix|install[-\w]*|log[-_]?dir|log[-_]file|checkpoint[-_]dir)$/;

export const argumentsInside: Check = ({ rest, step }) =>
  firstReason([...rest.entries()], ([at, word]) => {
    const [, option = '', text = ''] = /^(--?[\w-]+)=(.+)$/s.exec(word.spelled) ?? [];
    const isValue = output.test(rest[at - 1]?.text ?? '') && !isOption(word);
    const target = output.test(option) ? { ...word, text, spelled: text } : word;
    const isWritten = isValue || target !== word;
    return (
      argumentOutside(word, step) ??
      (isWritten && /^(?:[/~]|\.\.)/.test(target.text)
        ? pathOutside(target, 'writes', step)
        : undefined)
    );
  });
