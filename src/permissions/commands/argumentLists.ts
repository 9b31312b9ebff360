/** Quotes the arguments of a safe line, so that every shell reads the line as it was judged. */
import { shellQuote } from '../../base/text.ts';
import { withPatterns } from './calls/find.ts';
import { isPlainRegex } from './calls/conditions.ts';
import { parseShell } from '../../shell/parseShell.ts';
import { listsNames } from './files/listings.ts';
import { elementAssignment, listOf, pairOf } from './values/elements.ts';
import { isFunctionHead } from './structure/loops.ts';
import { isSplit, valueParts } from './values/expansion.ts';
import { isPatternWithSets } from './paths/operand.ts';
import { isPatternOption } from './readers/options.ts';
import { plainVariable } from './values/plainVariables.ts';
import type { ShellCommand, ShellLayout, ShellWord, WordPart } from '../../shell/shellCommand.ts';
import { sequenceValues, expandBraces } from './values/braces.ts';

/**
 * Returns the line with each argument in quotes, so that no alias or expansion can change what
 * runs. Only `*` and `?` in file names stay unquoted, for the shell to expand. `line` must have
 * been judged `safe` with the same home folder.
 */
export function asArgumentLists(line: string, home: string): string {
  const { commands = [], isFlat = true, layout } = parseShell(line) ?? {};
  if (!isFlat && layout !== undefined) return layoutText(layout, home);
  return commands
    .map(
      (command, index) =>
        `${index === 0 ? '' : ` ${command.operator} `}${commandText(command, home)}`,
    )
    .join('');
}

/** Quotes a text. Control characters, which a terminal would read, are written by `printf`. */
const quote = (text: string): string =>
  text
    .split(/([\r\u001b])/)
    .map((part, at) =>
      at % 2 === 1
        ? `"$( printf '${part === '\r' ? '\\r' : '\\033'}' )"`
        : part === ''
          ? ''
          : shellQuote(part),
    )
    .join('') || "''";

const needsEnd = /^(?:done|fi|esac|then|do|elif|else|if|while|until|[!{}(])$/;

/** Returns true if a `;` has to be between two items, in place of a line end. */
function needsSemicolon(
  before: ShellLayout[number] | undefined,
  item: string | ShellCommand,
): boolean {
  const isEnded =
    (typeof before === 'object' && !isFunctionHead(before)) ||
    (typeof before === 'string' && /^(?:done|fi|esac|[})])$/.test(before));
  if (typeof item === 'string') return isEnded && needsEnd.test(item);
  return isEnded && item.words.length + item.assignments.length > 0;
}

/** Writes commands with the operators and keywords between them; `;` in place of a line end. */
function layoutText(layout: ShellLayout, home: string): string {
  const parts: string[] = [];
  for (const [index, item] of layout.entries()) {
    const before = layout[index - 1];
    if (needsSemicolon(before, item)) parts.push(';');
    const text = typeof item === 'string' ? item : commandText(item, home);
    // The grammar reads no `! {`.
    parts.push(before === '!' ? text.replace(/^\{(.*)\}$/s, '($1)') : text);
  }
  return parts.join(' ');
}

function commandText(command: ShellCommand, home: string): string {
  const { assignments, words, redirections, here } = command;
  return [
    ...assignments.map((word) => assignmentText(word, home)),
    ...wordTexts(words, home),
    // The grammar reads a here-string only before other redirections.
    ...(here === undefined ? [] : [`<<< ${argument(here, home)}`]),
    ...redirections.map(({ sign, target }) => sign + targetText(target, home)),
  ].join(' ');
}

function wordTexts(words: readonly ShellWord[], home: string): readonly string[] {
  const [first] = words;
  if (isLoop(words)) return loopWords(words, home);
  const arithmetic = arithmeticWords(words, home);
  if (arithmetic !== undefined) return arithmetic;
  if (first?.text === '[[') return conditionWords(words.slice(1, -1), home);
  // Without quotes, `time` is a keyword.
  if (first?.text === 'time' && first.isQuoted)
    return ["'time'", ...wordTexts(words.slice(1), home)];
  return (
    declarationWords(words, home) ??
    withPatterns(words.flatMap(expandBraces)).map(
      (word) => listingText(word, home) ?? argument(word, home),
    )
  );
}

/** Returns the words of `((` and of the head of a counting loop; `undefined` for other commands. */
function arithmeticWords(words: readonly ShellWord[], home: string): readonly string[] | undefined {
  const [first, second] = words;
  // In a shell that knows no `((`, the brackets would begin a subshell.
  if (first?.text === '((' && second !== undefined)
    return ['[', ...(second.parts ?? []).map((part) => partText(part, home)), '-ne 0 ]'];
  if (first?.text === 'for' && second?.text === '((' && !second.isQuoted)
    return [countingHead(words, home)];
  return undefined;
}

/** Returns the words of `declare -A` and `local`; `undefined` for other commands. */
function declarationWords(
  words: readonly ShellWord[],
  home: string,
): readonly string[] | undefined {
  const [first, second] = words;
  if (isFunctionHead({ words })) return [`${first?.text ?? ''}()`];
  if (/^(?:declare|typeset)$/.test(first?.text ?? '') && second?.text.startsWith('-') === true)
    return [
      ...words.map((word) => (listOf(word) ? assignmentText(word, home) : word.text)),
      '|| exit 1',
    ];
  if (first?.text === 'readonly') return setWords(words, home);
  if (first?.text === 'local')
    return words.map((word) =>
      word.spelled.includes('=') ? assignmentText(word, home) : word.text,
    );
  return undefined;
}

/** Writes `[[ A || B ]]` as two conditions: a shell that knows no `[[` would run B. */
function conditionWords(words: readonly ShellWord[], home: string): readonly string[] {
  const at = words.findIndex(({ text, isQuoted }) => text === '||' && !isQuoted);
  if (at >= 0) {
    const [before, after] = [words.slice(0, at), words.slice(at + 1)];
    return ['{', ...conditionWords(before, home), '||', ...conditionWords(after, home), '; }'];
  }
  const commandText = words.map((word, index) =>
    words[index - 1]?.text === '=~' ? regex(word, home) : conditionWord(word, home),
  );
  return ['[[', ...commandText, ']]'];
}

/**
 * Writes `readonly NAME=VALUE` as an assignment: a variable that cannot be set again could keep its
 * value where the line was judged with another.
 */
const setWords = (words: readonly ShellWord[], home: string): readonly string[] =>
  words.slice(1).map((word) => assignmentText(word, home));

/** Leaves the signs of `[[` as they are. */
const conditionWord = (word: ShellWord, home: string): string =>
  !word.isQuoted && /^(?:&&|!|==?|!=|=~)$/.test(word.text) ? word.text : argument(word, home);

/** Leaves a regular expression as it is, since it would be a fixed text in quotes. */
function regex(word: ShellWord, home: string): string {
  const { text, isQuoted, parts = [] } = word;
  if (isQuoted && word.parts === undefined) return `"${text.replace(/["$`\\]/g, String.raw`\$&`)}"`;
  const [first, ...others] = parts;
  // The grammar reads no `${…}` here.
  if (first?.kind === 'variable' && others.length === 0 && !isQuoted) return `$${first.name}`;
  const isPlain = !isQuoted && word.parts === undefined && isPlainRegex(text);
  return isPlain ? text : argument(word, home);
}

function assignmentText(word: ShellWord, home: string): string {
  const element = elementAssignment(word);
  if (element !== undefined) {
    const [name = ''] = /^\w+/.exec(word.spelled) ?? [];
    const { key, value } = element;
    return `${name}[${key}]=${valueText(value, home)}`;
  }
  const [, name = '', more = ''] = /^(\w+)(\+?)=/.exec(word.spelled) ?? [];
  const list = listOf(word);
  if (list !== undefined) return `${name}${more}=${partText({ kind: 'list', words: list }, home)}`;
  const before = more === '' ? '' : `"\${${name}}"`;
  const text = word.text.slice(name.length + more.length + 1);
  const value = word.parts === undefined ? quote(text) : partsText(fixedParts(word), home, '');
  return `${name}=${before}${value}`;
}

/** Returns the parts of the value of `NAME=VALUE`, in which the shell expands no pattern. */
const fixedParts = (word: ShellWord): readonly WordPart[] =>
  valueParts(word).map((part) =>
    part.kind === 'pattern' ? { kind: 'text', text: part.text } : part,
  );

const valueText = (value: ShellWord, home: string): string =>
  value.parts === undefined ? quote(value.text) : partsText(value.parts, home, '');

/** Writes a word of `NAME=(…)`. */
function elementText(word: ShellWord, home: string): string {
  const pair = pairOf(word);
  return pair === undefined
    ? loopWords([word], home).join(' ')
    : `[${pair.key}]=${quote(pair.value)}`;
}

/** Returns an unquoted `$(…)` without quotes, since the shell makes several words of it. */
function substitutionText(word: ShellWord, home: string): string | undefined {
  const [part] = word.parts ?? [];
  return isSplit(word) && part?.kind === 'commands'
    ? `$( ${layoutText(part.layout, home)} )`
    : undefined;
}

/** Returns an unquoted `$(…)` that lists names without quotes. */
const listingText = (word: ShellWord, home: string): string | undefined => {
  const [part] = word.parts ?? [];
  return part?.kind === 'commands' && listsNames(part.layout)
    ? substitutionText(word, home)
    : undefined;
};

const isLoop = ([first, , third]: readonly ShellWord[]): boolean =>
  /^(?:for|case)$/.test(first?.text ?? '') && third?.text === 'in';

/**
 * Returns the quoted words of the head of a loop. `{1..3}` and similar words are replaced by their
 * values.
 */
const loopWords = (words: readonly ShellWord[], home: string): readonly string[] =>
  words
    .flatMap(expandBraces)
    .flatMap(
      (word) =>
        sequenceValues(word)?.map(shellQuote) ?? [
          substitutionText(word, home) ?? argument(word, home),
        ],
    );

/**
 * Returns the target of a redirection in quotes. Numbers of open files, as in `2>&1`, are not
 * quoted.
 */
function targetText(target: ShellWord, home: string): string {
  const text = /^(?:\d+|-)$/.test(target.text) ? target.text : argument(target, home);
  // The space prevents `<<(`, which would begin a here-document.
  return text.startsWith('<') ? ` ${text}` : text;
}

const variable = /^\$(?:HOME|PWD|\{HOME\}|\{PWD\})(?=\/|$)/;

function argument(word: ShellWord, home: string): string {
  const { text, spelled, isDynamic } = word;
  if (isPatternOption(word)) return quote(text);
  const [name = ''] = variable.exec(spelled) ?? [];
  if (isDynamic && name !== '' && text === spelled.slice(name.length))
    return (name.includes('HOME') ? quote(home) : '"$PWD"') + rest(text, false);
  const plain = plainVariable(word);
  if (plain !== undefined) return `"$${plain}"`;
  if (word.parts !== undefined) return partsText(word.parts, home);
  if (/^~(?:\/|$)/.test(text)) return quote(home) + rest(text.slice(1), isDynamic);
  return text === '' ? "''" : rest(text, isDynamic);
}

/** Quotes the parts of a word. Without parts for a text, `"$@"` stays no argument if there is none. */
function partsText(parts: readonly WordPart[], home: string, none = "''"): string {
  const all = parts.filter((part) => part.kind !== 'text' || part.text !== '');
  // In a longer word, all elements of an array become a single argument, as which they were judged.
  const isJoined = (part: WordPart): boolean => part.kind === 'element' && part.index === '@';
  const known = all.map((part) =>
    all.length > 1 && isJoined(part) ? { ...part, index: '*' } : part,
  );
  return all.length === 0 ? none : known.map((part) => partText(part, home)).join('');
}

/**
 * Quotes a part of a word. A variable or a `$(…)` stays a single argument, whatever its value is.
 */
function partText(part: WordPart, home: string): string {
  switch (part.kind) {
    case 'text':
      return quote(part.text);
    case 'pattern':
      return rest(part.text, true);
    case 'variable':
    case 'special':
      return `"\${${part.name}}"`;
    case 'alternative':
      return `"\${${part.name}${part.operator}${part.text}}"`;
    case 'derived':
      return `"\${${part.name}${part.operator}${part.pattern}}"`;
    case 'element':
      return `"\${${part.isKey ? '!' : ''}${part.name}[${part.index}]${part.slice}}"`;
    case 'list':
      return `( ${part.words.map((word) => elementText(word, home)).join(' ')} )`;
    case 'arithmetic':
      return `"$((${part.items.map((item) => arithmeticText(item, home)).join('')}))"`;
    case 'commands':
      return part.sign === '$('
        ? `"$( ${layoutText(part.layout, home)} )"`
        : `<( ${layoutText(part.layout, home)} )`;
    default:
      return "''";
  }
}

const countingHead = ([, , ...words]: readonly ShellWord[], home: string): string =>
  `for (( ${words.map((word) => calculation(word, home)).join(' ; ')} ))`;

const calculation = ({ parts = [] }: ShellWord, home: string): string =>
  parts
    .flatMap((part) => (part.kind === 'arithmetic' ? part.items : []))
    .map((item) => arithmeticText(item, home))
    .join('');

function arithmeticText(item: string | WordPart, home: string): string {
  if (typeof item === 'string') return item;
  if (item.kind === 'variable' || item.kind === 'special') return `\${${item.name}}`;
  return item.kind === 'commands' ? `$( ${layoutText(item.layout, home)} )` : '';
}

/** Quotes everything but `*`, `?` and the sets `[…]` of a pattern. */
const rest = (text: string, isPattern: boolean): string => {
  const sign = isPatternWithSets(text) ? /\[[^\]]*\]|[*?]/ : /[*?]/;
  if (!isPattern) return text === '' ? '' : quote(text);
  return text
    .split(new RegExp(`(${sign.source})`))
    .map((part, index) => (index % 2 === 1 || part === '' ? part : quote(part)))
    .join('');
};
