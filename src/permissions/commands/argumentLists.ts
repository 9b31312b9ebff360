/** Quotes the arguments of a safe line, so that every shell reads the line as it was judged. */
import { shellQuote } from '../../base/text.ts';
import { parseShell } from '../../shell/parseShell.ts';
import { listedValues } from './loopValues.ts';
import { isPatternOption } from './options.ts';
import { plainVariable } from './plainVariables.ts';
import type { ShellCommand, ShellLayout, ShellWord, WordPart } from '../../shell/shellCommand.ts';

/**
 * Returns the line with each argument in quotes, so that no alias or expansion can change what
 * runs. Only `*` and `?` in file names stay unquoted, for the shell to expand. `line` must have
 * been judged `safe` with the same home folder.
 */
export function asArgumentLists(line: string, home: string): string {
  const { commands = [], isFlat = true, layout } = parseShell(line) ?? {};
  if (!isFlat && layout !== undefined) return laidOut(layout, home);
  return commands
    .map(
      (command, index) => `${index === 0 ? '' : ` ${command.operator} `}${written(command, home)}`,
    )
    .join('');
}

const needsEnd = /^(?:done|fi|then|do|elif|else|if|while|[!{}(])$/;

/** Writes commands with the operators and keywords between them; `;` in place of a line end. */
function laidOut(layout: ShellLayout, home: string): string {
  const parts: string[] = [];
  for (const [index, item] of layout.entries()) {
    const before = layout[index - 1];
    const isEnded = typeof before === 'object' || /^(?:done|fi|[})])$/.test(before ?? '');
    const isGroup = typeof item === 'object' && item.words.length + item.assignments.length === 0;
    const needsSemicolon = typeof item === 'object' ? !isGroup : needsEnd.test(item);
    if (isEnded && needsSemicolon) parts.push(';');
    parts.push(typeof item === 'string' ? item : written(item, home));
  }
  return parts.join(' ');
}

const written = ({ assignments, words, redirections }: ShellCommand, home: string): string =>
  [
    ...assignments.map(({ text }) => text.replace(/(?<==).*$/s, shellQuote)),
    ...(isLoop(words) ? loopWords(words, home) : words.map((word) => argument(word, home))),
    ...redirections.map(({ sign, target }) => sign + redirected(target, home)),
  ].join(' ');

const isLoop = ([first, , third]: readonly ShellWord[]): boolean =>
  first?.text === 'for' && third?.text === 'in';

/**
 * Returns the quoted words of the head of a loop. `{1..3}` and similar words are replaced by their
 * values.
 */
const loopWords = (words: readonly ShellWord[], home: string): readonly string[] =>
  words.flatMap((word) => listedValues(word)?.map(shellQuote) ?? [argument(word, home)]);

/**
 * Returns the target of a redirection in quotes. Numbers of open files, as in `2>&1`, are not
 * quoted.
 */
function redirected(target: ShellWord, home: string): string {
  const text = /^(?:\d+|-)$/.test(target.text) ? target.text : argument(target, home);
  // The space prevents `<<(`, which would begin a here-document.
  return text.startsWith('<') ? ` ${text}` : text;
}

const variable = /^\$(?:HOME|PWD|\{HOME\}|\{PWD\})(?=\/|$)/;

function argument(word: ShellWord, home: string): string {
  const { text, spelled, isDynamic } = word;
  if (isPatternOption(word)) return shellQuote(text);
  const [name = ''] = variable.exec(spelled) ?? [];
  if (isDynamic && name !== '' && text === spelled.slice(name.length))
    return (name.includes('HOME') ? shellQuote(home) : '"$PWD"') + rest(text, false);
  const plain = plainVariable(word);
  if (plain !== undefined) return `"$${plain}"`;
  if (/^~(?:\/|$)/.test(text)) return shellQuote(home) + rest(text.slice(1), isDynamic);
  if (word.parts !== undefined) return word.parts.map((part) => partText(part, home)).join('');
  return text === '' ? "''" : rest(text, isDynamic);
}

/**
 * Quotes a part of a word. A variable or a `$(…)` stays a single argument, whatever its value is.
 */
function partText(part: WordPart, home: string): string {
  switch (part.kind) {
    case 'text':
      return shellQuote(part.text);
    case 'pattern':
      return rest(part.text, true);
    case 'variable':
      return `"\${${part.name}}"`;
    case 'commands':
      return part.sign === '$('
        ? `"$( ${laidOut(part.layout, home)} )"`
        : `<( ${laidOut(part.layout, home)} )`;
    default:
      return "''";
  }
}

/** Quotes everything but `*` and `?` of a pattern. */
const rest = (text: string, isPattern: boolean): string =>
  (isPattern ? text.match(/[*?]|[^*?]+/g) : text.match(/[^]+/))
    ?.map((part) => (isPattern && /^[*?]$/.test(part) ? part : shellQuote(part)))
    .join('') ?? '';
