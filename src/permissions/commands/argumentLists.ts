/** Quotes the arguments of a safe line, so that every shell reads the line as it was judged. */
import { shellQuote } from '../../base/text.ts';
import { parseShell } from '../../shell/parseShell.ts';
import { isPatternOption } from './options.ts';
import { plainVariable } from './plainVariables.ts';
import type { ShellCommand, ShellWord } from '../../shell/shellCommand.ts';

/**
 * Returns the line with each argument in quotes, so that no alias or expansion can change what
 * runs. Only patterns of file names are left to the shell. `line` must have been judged `safe` with
 * the same home folder.
 */
export function asArgumentLists(line: string, home: string): string {
  const commands = parseShell(line)?.commands ?? [];
  return commands
    .map(
      (command, index) => `${index === 0 ? '' : ` ${command.operator} `}${written(command, home)}`,
    )
    .join('');
}

const written = ({ assignments, words, redirections }: ShellCommand, home: string): string =>
  [
    // Their values need no quotes, so that a shell still reads them as assignments.
    ...assignments.map(({ text }) => text),
    ...words.map((word) => argument(word, home)),
    ...redirections.map(({ sign, target }) => `${sign}${redirected(target, home)}`),
  ].join(' ');

/**
 * Returns the target of a redirection in quotes. Numbers of open files, as in `2>&1`, are not
 * quoted.
 */
const redirected = (target: ShellWord, home: string): string =>
  /^(?:\d+|-)$/.test(target.text) ? target.text : argument(target, home);

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
  return text === '' ? "''" : rest(text, isDynamic);
}

/** Quotes everything but `*` and `?` of a pattern. */
const rest = (text: string, isPattern: boolean): string =>
  (isPattern ? text.match(/[*?]|[^*?]+/g) : text.match(/[^]+/))
    ?.map((part) => (isPattern && /^[*?]$/.test(part) ? part : shellQuote(part)))
    .join('') ?? '';
