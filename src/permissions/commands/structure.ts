/**
 * Judges lines with loops, conditions, groups and substitutions: each command with each value that
 * the variables in it may have.
 */
import type { ShellCommand, ShellLayout, ShellWord, WordPart } from '../../shell/shellCommand.ts';
import { loopValues } from './loopValues.ts';
import type { CommandPlace } from './place.ts';
import { isPlainName } from './plainVariables.ts';
import { asks, strictest, type Verdict } from './verdict.ts';

/** Judges simple commands, and tracks the folders in which the next command may run. */
export interface Steps {
  readonly place: CommandPlace;
  /** Judges a command. `isSure`: a command after `&&` can rely on the success of this one. */
  judge(command: ShellCommand, isSure: boolean): Verdict;
  /** Judges the redirections of a loop or a group. */
  redirections(command: ShellCommand): Verdict;
  /** Returns the folders in which a loop after `operator` may run. */
  folders(operator: string): readonly string[];
  /**
   * Calls `walk` to judge commands that start in `folders`. If one of them changes the folder,
   * later commands may also run in the new folder, unless the commands run in a subshell
   * (`isSubshell`).
   */
  within(folders: readonly string[], walk: () => Verdict, isSubshell: boolean): Verdict;
}

/**
 * Name → value of each variable that the line sets; the value is `undefined` if it is not known.
 */
type Scope = ReadonlyMap<string, string | undefined>;

/** Maximum number of commands, each counted once for each value of the loops around it. */
const maxCommands = 300;

const opening = /^(?:if|\{)$/;
const closing = /^(?:fi|\})$/;
const plain = /^(?:;|\n|&&|\|\||\||then|elif|else)$/;
const tooMany = asks('runs too many commands to judge', '');
const unclear = asks('has more than a list of simple commands', '');

export const structureVerdict = (layout: ShellLayout, steps: Steps): Verdict =>
  new StructureJudge(steps).walk(layout, new Map(), true);

interface Circumstances {
  readonly scope: Scope;
  /** True if a command after `&&` runs only if the command before it succeeded. */
  readonly isSure: boolean;
}

/** Returns true for an operator or keyword that decides only whether the next commands run. */
const isSign = (item: string, before: string | ShellCommand | undefined): boolean =>
  item === '!'
    ? typeof before !== 'string' || !/^[|!]/.test(before) || before === '||'
    : opening.test(item) || closing.test(item) || plain.test(item);

class StructureJudge {
  readonly #steps: Steps;
  #count = 0;

  constructor(steps: Steps) {
    this.#steps = steps;
  }

  walk(layout: ShellLayout, scope: Scope, isOutermost: boolean): Verdict {
    const verdicts: Verdict[] = [];
    let depth = isOutermost ? 0 : 1;
    for (let at = 0; at < layout.length; at += 1) {
      const item = layout[at] ?? '';
      if (typeof item === 'string' && isSign(item, layout[at - 1])) {
        depth += opening.test(item) ? 1 : closing.test(item) ? -1 : 0;
        continue;
      }
      const isSure = depth === 0 && layout[at - 1] !== '!';
      const { verdict, end } = this.#part(layout, at, { scope, isSure });
      verdicts.push(verdict);
      if (verdict === unclear || this.#count > maxCommands)
        return strictest([...verdicts, tooMany]);
      at = end;
    }
    return strictest(verdicts);
  }

  /** Judges the command, loop or subshell at an index. `end` is the index of its last item. */
  #part(
    layout: ShellLayout,
    at: number,
    { scope, isSure }: Circumstances,
  ): { readonly verdict: Verdict; readonly end: number } {
    const [item, before = ';'] = [layout[at], layout[at - 1]];
    const operator = typeof before === 'string' ? before : ';';
    if (typeof item === 'object' && !isHead(item))
      return { verdict: this.#command(item, operator, { scope, isSure }), end: at };
    const loop = item === '(' ? undefined : loopAt(layout, at);
    if (loop !== undefined) return { verdict: this.#loop(loop, scope, operator), end: loop.end };
    const end = item === '(' ? closingAt(layout, at) : undefined;
    if (end === undefined) return { verdict: unclear, end: at };
    const body = layout.slice(at + 1, end);
    const walk = (): Verdict => this.walk(body, scope, false);
    return { verdict: this.#steps.within(this.#steps.folders(operator), walk, true), end };
  }

  #command(command: ShellCommand, operator: string, { scope, isSure }: Circumstances): Verdict {
    this.#count += 1;
    const inner = this.#inner(command, scope);
    const known = resolved(command, scope);
    const isOfGroup = command.words.length + command.assignments.length === 0 && isEnd(operator);
    const own = isOfGroup ? this.#steps.redirections(known) : this.#steps.judge(known, isSure);
    return strictest([inner, own]);
  }

  /** Judges the commands in the substitutions of a command. */
  #inner({ words, redirections }: ShellCommand, scope: Scope): Verdict {
    const all = [...words, ...redirections.map(({ target }) => target)];
    const layouts = all
      .flatMap(({ parts = [] }) => parts)
      .flatMap((part) => (part.kind === 'commands' ? [part.layout] : []));
    return strictest(
      layouts.map((layout) =>
        this.#steps.within(this.#steps.folders(''), () => this.walk(layout, scope, false), true),
      ),
    );
  }

  #loop({ head, body }: Loop, scope: Scope, before: string): Verdict {
    const folders = this.#steps.folders(before);
    const walk = (values: Scope): Verdict =>
      this.#steps.within(folders, () => this.walk(body, values, false), false);
    if (head.words[0]?.text === 'read') {
      const names = readNames(head);
      if (names === undefined || names.some((name) => scope.has(name))) return unclear;
      return walk(new Map([...scope, ...names.map((name) => [name, undefined] as const)]));
    }
    const [, name, , ...words] = head.words;
    if (name === undefined || !isOwnName(name) || scope.has(name.text)) return unclear;
    // The body is judged even without words, although it then never runs.
    const verdicts = words.length === 0 ? [walk(new Map([...scope, [name.text, undefined]]))] : [];
    for (const word of words) {
      const at = { place: this.#steps.place, folders };
      const values = loopValues(word, at) ?? loopValues(resolvedWord(word, scope), at);
      if (values === undefined) return asks('loops over what only the shell knows', '');
      for (const value of values) {
        verdicts.push(walk(new Map([...scope, [name.text, value]])));
        if (this.#count > maxCommands) return strictest([...verdicts, tooMany]);
      }
    }
    return strictest(verdicts);
  }
}

interface Loop {
  /** The words `for NAME in …` of a `for` loop, or the command `read` of a `while` loop. */
  readonly head: ShellCommand;
  readonly body: ShellLayout;
  /** Index of `done`. */
  readonly end: number;
}

/**
 * Returns the loop that begins at an index; `undefined` if it is neither `for NAME in …` nor
 * `while read …`.
 */
function loopAt(layout: ShellLayout, start: number): Loop | undefined {
  const isWhile = layout[start] === 'while';
  const head = layout[isWhile ? start + 1 : start];
  let at = start + (isWhile ? 2 : 1);
  while (layout[at] === ';' || layout[at] === '\n') at += 1;
  const from = at + 1;
  if (
    typeof head !== 'object' ||
    layout[at] !== 'do' ||
    isWhile !== (head.words[0]?.text === 'read')
  )
    return undefined;
  for (let depth = 0; at < layout.length; at += 1) {
    depth += layout[at] === 'do' ? 1 : layout[at] === 'done' ? -1 : 0;
    if (depth === 0) return { head, body: layout.slice(from, at), end: at };
  }
  return undefined;
}

/** Returns the index of the bracket that closes a subshell. */
function closingAt(layout: ShellLayout, start: number): number | undefined {
  let depth = 0;
  const end = layout.findIndex((item, at) => {
    depth += at < start ? 0 : item === '(' ? 1 : item === ')' ? -1 : 0;
    return at >= start && depth === 0;
  });
  return end < 0 ? undefined : end;
}

const isHead = ({ words: [first, , third] }: ShellCommand): boolean =>
  isKeyword(first, 'for') && isKeyword(third, 'in');

const isKeyword = (word: ShellWord | undefined, text: string): boolean =>
  word?.text === text && !word.isQuoted && !word.isDynamic;

const isEnd = (before: string): boolean => /^(?:done|fi|[})])$/.test(before);

/** Variables with a special meaning for shells or programs, in lowercase. */
const specialNames =
  /proxy|config|^(?:path|fpath|cdpath|manpath|mailpath|argv|status|prompt|histchars|auto_resume)$/;

const isOwnName = ({ text, isDynamic, isQuoted }: ShellWord): boolean =>
  !isDynamic && !isQuoted && /^[a-z][a-z0-9_]{0,30}$/.test(text) && !specialNames.test(text);

/** Returns the variables that `read -r NAME…` sets; `undefined` for another call. */
function readNames({
  assignments,
  words,
  redirections,
}: ShellCommand): readonly string[] | undefined {
  const [, ...rest] = words;
  const names = rest[0]?.text === '-r' ? rest.slice(1) : rest;
  const isKnown =
    redirections.length === 0 &&
    names.length > 0 &&
    names.every(isOwnName) &&
    assignments.every(({ text, isDynamic }) => !isDynamic && /^IFS=[,:;|\t ]?$/.test(text));
  return isKnown ? names.map(({ text }) => text) : undefined;
}

const resolved = (command: ShellCommand, scope: Scope): ShellCommand => ({
  ...command,
  words: command.words.map((word) => resolvedWord(word, scope)),
  redirections: command.redirections.map((each) => ({
    ...each,
    target: resolvedWord(each.target, scope),
  })),
});

/** Stands for the pipe of `<(…)`: a file that every command may read. */
const pipe: ShellWord = {
  text: '/dev/stdin',
  spelled: '/dev/stdin',
  isDynamic: false,
  isQuoted: true,
};

/** Returns the word with its variables replaced by their values, where these are known. */
function resolvedWord(word: ShellWord, scope: Scope): ShellWord {
  const { parts } = word;
  if (parts === undefined) return word;
  const [first, ...others] = parts;
  if (first?.kind === 'commands' && first.sign === '<(') return others.length === 0 ? pipe : word;
  const isOurs = (part: WordPart): boolean =>
    part.kind === 'commands' || (part.kind === 'variable' && scope.has(part.name));
  if (!parts.some(isOurs)) return word;
  const all = parts.map((part) => resolvedPart(part, scope));
  const isFixed = all.every(({ kind }) => kind === 'text' || kind === 'pattern');
  const text = all.map((part) => ('text' in part ? part.text : '')).join('');
  if (!isFixed) return { ...word, text, parts: all };
  // The `~` is quoted when the line runs, so the shell does not expand it.
  if (text.startsWith('~')) return { ...word, parts: [{ kind: 'other' }] };
  return {
    text,
    spelled: text,
    isDynamic: all.some(({ kind }) => kind === 'pattern'),
    isQuoted: true,
  };
}

function resolvedPart(part: WordPart, scope: Scope): WordPart {
  if (part.kind === 'commands') return part.sign === '$(' ? { kind: 'unknown' } : { kind: 'other' };
  if (part.kind !== 'variable') return part;
  const value = scope.get(part.name);
  if (value !== undefined) return { kind: 'text', text: value };
  return scope.has(part.name) ? { kind: 'unknown' } : part;
}

/**
 * Returns true for a word that stays one argument and shows no secret, whatever the values of its
 * variables: each is set by this line or is a plain one (`isPlainName`).
 */
export const isPrintable = ({ parts }: ShellWord): boolean =>
  parts?.every(
    (part) =>
      part.kind === 'text' ||
      part.kind === 'unknown' ||
      (part.kind === 'variable' && isPlainName(part.name)),
  ) === true;
