/** Corrects or refuses simple commands that the grammar gets wrong. */
import { childrenOf, gapBetween, written, type Place } from './children.ts';
import { must, NotUnderstood } from './notUnderstood.ts';
import type { ShellCommand, ShellWord } from './shellCommand.ts';

/** Keywords of the shell. If a keyword seems to be a program, the grammar has misread the text. */
const reserved = new Set(
  '! { } if then elif else fi for while until do done case esac select function coproc time'.split(
    ' ',
  ),
);
const assignment = /^[A-Za-z_]\w*(?:\[[^]*\])?\+?=/;

/**
 * Separates the words of a command from the assignments before them. Removes `time`, which the
 * grammar treats as a program.
 */
export function simpleCommand(
  parts: readonly Place[],
  all: readonly ShellWord[],
): Pick<ShellCommand, 'words' | 'assignments'> {
  const isTimed = all[0]?.text === 'time' && !all[0].isQuoted;
  const untimed = isTimed ? all.slice(all[1]?.text === '-p' ? 2 : 1) : all;
  const from = untimed.findIndex((word, index) =>
    isTimed ? !assignment.test(word.spelled) : parts[index]?.type !== 'variable_assignment',
  );
  const assignments = from < 0 ? untimed : untimed.slice(0, from);
  const words = from < 0 ? [] : untimed.slice(from);
  must(
    assignments.every(
      ({ spelled, isQuoted }) => assignment.test(spelled) && !(isTimed && isQuoted),
    ),
  );
  const [first] = words;
  must(first === undefined || first.isQuoted || !reserved.has(first.text));
  must(!isTimed || (untimed.length > 0 && !/^[-[({]/.test(first?.text ?? '')));
  return { assignments, words };
}

/**
 * Returns the parts of a condition. The brackets are included: they are words of the commands `[`
 * and `[[`.
 */
export function partsOfCondition(place: Place): readonly Place[] {
  const text = written(place);
  const parts = childrenOf(place).flatMap((child) =>
    child.type.endsWith('_expression') && child.type !== 'brace_expression'
      ? partsOfCondition(child)
      : [child],
  );
  must(!/[<>]\(/.test(text));
  // A regular expression is a fixed text in quotes, so its parts cannot be quoted one by one.
  must(!parts.some(({ type }, at) => type === 'concatenation' && parts[at - 1]?.type === '=~'));
  // After `[`, a shell reads these characters as its own operators, even if the grammar does not.
  const isSingle = place.type === 'test_command' && !text.startsWith('[[');
  must(!isSingle || !parts.some((part) => /^[<>|&;()]/.test(written(part))));
  return parts;
}

/** Returns true for a file number, such as the 2 of `2>`, that the grammar reads as a word. */
export const isNumberOfFile = (place: Place): boolean =>
  /^\d+$/.test(written(place)) &&
  /^(?:\\\n)*[<>]/.test(place.source.slice(place.end, place.end + 40));

interface RedirectParts {
  /** Offset of `sign` in the text. */
  readonly at: number;
  readonly sign: string;
  /** Empty when the redirection closes a file. */
  readonly target: readonly Place[];
  /** Words of the command behind the target, which the grammar takes for more targets. */
  readonly behind: readonly Place[];
}

export function redirectionOf(place: Place): RedirectParts {
  const children = childrenOf(place);
  const index = children.findIndex(({ type }) => /[<>]/.test(type));
  const found = children[index];
  if (found === undefined) throw new NotUnderstood();
  // `{name}>` assigns a file descriptor to a variable; the grammar reads the name as a word.
  must(place.source[place.start - 1] !== '}');
  const sign = written({ ...found, start: place.start });
  const words = children.slice(index + 1);
  const [before, ...gaps] = words.map((word, at) => gapBetween(words[at - 1] ?? found, word));
  must(before !== 'else' && !gaps.includes('else'));
  // A shell reads `<<(` and `>>(` as the operators `<<` and `>>`.
  must(before !== 'joined' || words[0] === undefined || !/^[<>]/.test(written(words[0])));
  const first = gaps.findIndex((gap) => gap !== 'joined') + 1 || words.length;
  const count = sign.endsWith('-') ? 0 : first;
  must(sign.endsWith('-') || count > 0);
  const target = words.slice(0, count);
  must(target.every((word) => word.end > word.start && !isNumberOfFile(word)));
  return { at: found.start, sign, target, behind: words.slice(count) };
}
