/** Finds the parts of loops and subshells among the commands of a line. */
import type { ShellCommand, ShellLayout, ShellWord } from '../../../shell/shellCommand.ts';
import { arithmeticTargets } from '../values/expansion.ts';
import { printfTarget } from './setterCalls.ts';

export interface Loop {
  /**
   * The words `for NAME in …` or `for ((…; …; …))`, or the first command of the condition of `while`
   * or `until`.
   */
  readonly head: ShellCommand;
  /** The condition of `while` or `until`; else empty. */
  readonly condition: ShellLayout;
  readonly body: ShellLayout;
  /** Index of `done`. */
  readonly end: number;
}

/** Returns the loop that begins at an index; `undefined` if it is of another kind. */
export function loopAt(layout: ShellLayout, start: number): Loop | undefined {
  const isWhile = layout[start] === 'while' || layout[start] === 'until';
  const first = isWhile ? start + 1 : start;
  const head = layout[first];
  let at = isWhile ? layout.indexOf('do', first) : first + 1;
  while (layout[at] === ';' || layout[at] === '\n') at += 1;
  const condition = isWhile ? layout.slice(first, at) : [];
  if (typeof head !== 'object' || layout[at] !== 'do') return undefined;
  if (head.words[0]?.text === 'read' && layout[start] === 'until') return undefined;
  const end = doneAt(layout, at);
  const body = layout.slice(at + 1, end);
  return end === undefined ? undefined : { head, condition, body, end };
}

function doneAt(layout: ShellLayout, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < layout.length; at += 1) {
    depth += layout[at] === 'do' ? 1 : layout[at] === 'done' ? -1 : 0;
    if (depth === 0) return at;
  }
  return undefined;
}

/** Returns true if the condition of a loop only compares values, and the body sets one of these. */
export function isCounting({ condition, body }: Pick<Loop, 'condition' | 'body'>): boolean {
  const commands = condition.filter((item) => typeof item === 'object');
  const isCompared = commands.every(({ words }) =>
    /^(?:\[\[?|test|\(\()$/.test(words[0]?.text ?? ''),
  );
  const names = new Set(commands.flatMap(({ words }) => words.flatMap(namesIn)));
  return isCompared && body.some((item) => typeof item === 'object' && sets(item, names));
}

/** Returns the number of items after the last command of a condition. */
export const itemsAfterLast = (condition: ShellLayout): number =>
  condition.length - 1 - condition.findLastIndex((item) => typeof item === 'object');

/** Returns arithmetic as the command `((`. */
export const arithmeticCommand = (word: ShellWord | undefined): ShellCommand => ({
  assignments: [],
  words: [
    { text: '((', spelled: '((', isDynamic: false, isQuoted: false },
    ...(word ? [word] : []),
  ],
  redirections: [],
  input: '',
  operator: ';',
});

const namesIn = ({ parts = [] }: ShellWord): readonly string[] =>
  parts.flatMap((part) => {
    if (part.kind === 'variable') return [part.name];
    const items = part.kind === 'arithmetic' ? part.items : [];
    return items.map((item) =>
      typeof item === 'string' ? item : item.kind === 'variable' ? item.name : '',
    );
  });

const sets = ({ words, assignments }: ShellCommand, names: ReadonlySet<string>): boolean =>
  assignments.some(({ spelled }) => names.has(/^\w+/.exec(spelled)?.[0] ?? '')) ||
  (words[0]?.text === '((' && words.flatMap(namesIn).some((name) => names.has(name))) ||
  words.flatMap(arithmeticTargetsIn).some((name) => names.has(name));

/** Returns the variables that the arithmetic in a word sets, such as `$((i++))`. */
export const arithmeticTargetsIn = ({ parts = [] }: ShellWord): readonly string[] =>
  parts.flatMap((part) => (part.kind === 'arithmetic' ? arithmeticTargets(part.items) : []));

export const isFunctionHead = ({ words: [, sign] }: Pick<ShellCommand, 'words'>): boolean =>
  sign?.text === '()' && isKeyword(sign);

export const isCountingHead = ({ words: [first, sign] }: ShellCommand): boolean =>
  first?.text === 'for' && isKeyword(first) && sign?.text === '((' && isKeyword(sign);

/** Returns the index of the bracket that closes a subshell. */
export function groupEnd(layout: ShellLayout, start: number): number | undefined {
  const [opener, closer] = layout[start] === '{' ? ['{', '}'] : ['(', ')'];
  let depth = 0;
  const end = layout.findIndex((item, at) => {
    depth += at < start ? 0 : item === opener ? 1 : item === closer ? -1 : 0;
    return at >= start && depth === 0;
  });
  return end < 0 ? undefined : end;
}

const isPipe = (item: ShellLayout[number] | undefined): boolean => item === '|' || item === '|&';

/** Redirections that cannot fail: to an open file, to nothing, and from `<(…)`. */
const isSureTarget = ({ text, parts = [] }: ShellWord): boolean =>
  /^(?:\d|-|\/dev\/null)$/.test(text) ||
  parts.some((part) => part.kind === 'commands' && part.sign === '<(');

/**
 * Returns true for a command or loop after which the variables may have the values from before it: a
 * shell runs it in a subshell, or not at all because a redirection fails, or knows no `printf -v`.
 */
export function mayNotApply(layout: ShellLayout, start: number, end: number): boolean {
  const item = layout[end];
  const isOpen =
    typeof item === 'object' && item.redirections.some(({ target }) => !isSureTarget(target));
  const isPrint = typeof item === 'object' && printfTarget(item.words) !== undefined;
  return isOpen || isPrint || isPipe(layout[start - 1]) || isPipe(layout[end + 1]);
}

export const isHead = (command: ShellCommand): boolean => {
  const [first, , third] = command.words;
  const isList = third?.text === 'in' && isKeyword(third);
  return (
    isCountingHead(command) ||
    (/^(?:for|case)$/.test(first?.text ?? '') && isKeyword(first) && isList)
  );
};

export const isCaseHead = (command: ShellCommand): boolean =>
  isHead(command) && command.words[0]?.text === 'case';

const isKeyword = (word: ShellWord | undefined): boolean =>
  word !== undefined && !word.isQuoted && !word.isDynamic;
