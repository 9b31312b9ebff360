/** Judges lines with loops, conditions and variables: each command with the possible values. */
import type { ShellCommand, ShellLayout, ShellWord } from '../../shell/shellCommand.ts';
import { listedBy, listsNames } from './listings.ts';
import {
  closingAt,
  isCaseHead,
  isHead,
  loopAt,
  pipelineBefore,
  pipelineOf,
  readCall,
  type Loop,
} from './loopParts.ts';
import { Branches, isSign } from './branches.ts';
import { bracedWords, loopValues } from './loopValues.ts';
import type { CommandPlace } from './place.ts';
import { chosenTexts, isPrintable } from './possibleTexts.ts';
import {
  isCalculated,
  isOwnName,
  isOwnWord,
  isSameScope,
  isSplit,
  joinedScopes,
  joinedValues,
  resolved,
  resolvedWord,
  setByArithmetic,
  textValue,
  unset,
  valueParts,
  type Scope,
  type ValueOf,
  type Values,
} from './scope.ts';
import { printfTarget } from './shellBuiltins.ts';
import { isEnd, isShown, nameParts, partOf } from './shownWords.ts';
import { asks, safe, strictest, type Verdict } from './verdict.ts';

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

/** Maximum number of commands, each counted once for each value of the loops around it. */
const maxCommands = 300;
/** Number of values up to which the body of a loop is judged for each of them. */
const maxWalks = 30;

const tooMany = asks('runs too many commands to judge', '');

export const unclear = asks('has a part that is not judged', '');

const notJudged = (part: string): Verdict =>
  part === 'while' || part === 'until'
    ? asks(`${part} may run without end`, '')
    : asks(`${part.trim() === '' ? 'a part of the line' : part} is not judged`, '');

export const structureVerdict = (layout: ShellLayout, steps: Steps): Verdict =>
  new StructureJudge(steps).line(layout);

const isPipe = (item: ShellLayout[number] | undefined): boolean => item === '|' || item === '|&';

interface Circumstances {
  /** True if a command after `&&` runs only if this one succeeded. */
  readonly isSure: boolean;
  /** Operator or keyword before the part. */
  readonly operator: string;
}

class StructureJudge {
  readonly #steps: Steps;
  #count = 0;
  /** The variables that the next command may use. */
  #scope: Scope = new Map();
  /** The variables where `break` and `continue` leave the body of the loop. */
  #left: Scope[] = [];

  constructor(steps: Steps) {
    this.#steps = steps;
  }

  line(layout: ShellLayout): Verdict {
    return this.#walk(layout, true);
  }

  #walk(layout: ShellLayout, isOutermost: boolean): Verdict {
    const verdicts: Verdict[] = [];
    const branches = new Branches(this.#scope);
    for (let at = 0; at < layout.length; at += 1) {
      const [item = '', before] = [layout[at], layout[at - 1]];
      if (typeof item === 'string' && isSign(item, before)) {
        this.#scope = branches.afterSign(item, this.#scope);
        continue;
      }
      const isSure = isOutermost && branches.isOutermost && before !== '!';
      const operator = typeof before === 'string' ? before : ';';
      const { verdict, end } = this.#part(layout, at, { isSure, operator });
      if (typeof item === 'object' && isCaseHead(item)) branches.open(this.#scope);
      verdicts.push(verdict);
      if (end < at) return strictest(verdicts);
      if (this.#count > maxCommands) return strictest([...verdicts, tooMany]);
      at = end;
    }
    this.#scope = branches.close(this.#scope);
    return strictest(verdicts);
  }

  /**
   * Judges the command, loop or subshell at an index. `end` is the index of its last item; -1 if it
   * is of an unknown kind.
   */
  #part(
    layout: ShellLayout,
    at: number,
    circumstances: Circumstances,
  ): { readonly verdict: Verdict; readonly end: number } {
    const item = layout[at] ?? '';
    const { operator } = circumstances;
    if (typeof item === 'object' && isCaseHead(item)) return { verdict: this.#case(item), end: at };
    if (typeof item === 'object' && !isHead(item)) {
      const isPiped = isPipe(operator) || isPipe(layout[at + 1]);
      return { verdict: this.#command(item, circumstances, isPiped), end: at };
    }
    const loop = item === '(' ? undefined : loopAt(layout, at);
    if (loop !== undefined) return { verdict: this.#loop(loop, layout, at), end: loop.end };
    const end = item === '(' ? closingAt(layout, at) : undefined;
    if (end === undefined)
      return { verdict: notJudged(typeof item === 'string' ? item : 'for'), end: -1 };
    const body = layout.slice(at + 1, end);
    return { verdict: this.#subshell(body, operator), end };
  }

  /** Judges commands that change neither the variables nor the folder of later commands. */
  #subshell(body: ShellLayout, operator: string): Verdict {
    const scope = this.#scope;
    const walk = (): Verdict => this.#walk(body, false);
    const verdict = this.#steps.within(this.#steps.folders(operator), walk, true);
    this.#scope = scope;
    return verdict;
  }

  #command(command: ShellCommand, { isSure, operator }: Circumstances, isPiped: boolean): Verdict {
    this.#count += 1;
    return strictest([
      this.#inner(command),
      this.#ofShell(command, operator, isPiped) ?? this.#ofProgram(command, operator, isSure),
    ]);
  }

  /** Judges what the shell does by itself; `undefined` for other commands. */
  #ofShell(command: ShellCommand, operator: string, isPiped: boolean): Verdict | undefined {
    const { words, assignments, redirections } = command;
    const isPlain = redirections.length === 0;
    if (words.length === 0 && assignments.length > 0 && isPlain)
      return isPiped ? asks('sets variables', '') : this.#assign(assignments);
    switch (words[0]?.text) {
      case 'break':
      case 'continue':
        this.#left.push(this.#scope);
        return isPlain && words.length === 1 && assignments.length === 0 ? safe : undefined;
      case '((':
        return this.#calculation(words[1]);
      case 'unset':
        return this.#unset(words.slice(1), isPlain && assignments.length === 0);
      case 'printf':
        return this.#printTo(command, operator, isPiped);
      case 'read':
        return this.#read(this.#resolved(command, operator), isPiped);
      default:
        return undefined;
    }
  }

  #ofProgram(command: ShellCommand, operator: string, isSure: boolean): Verdict {
    const known = this.#resolved(command, operator);
    const isOfGroup = command.words.length + command.assignments.length === 0 && isEnd(operator);
    return isOfGroup ? this.#steps.redirections(known) : this.#steps.judge(known, isSure);
  }

  #resolved(command: ShellCommand, operator: string): ShellCommand {
    const words = command.words.flatMap(bracedWords);
    return resolved({ ...command, words }, this.#scope, this.#valueOf(operator));
  }

  #assign(assignments: readonly ShellWord[]): Verdict {
    for (const assignment of assignments) {
      const [, name] = /^([A-Za-z_]\w*)=/.exec(assignment.spelled) ?? [];
      if (name === undefined || !isOwnName(name))
        return asks('sets a variable that programs may read', assignment.spelled);
      const values = this.#assigned(assignment, name.length + 1);
      if (values === undefined)
        return asks('sets a variable to what only the shell knows', assignment.spelled);
      this.#scope = new Map([...this.#scope, [name, values]]);
    }
    return safe;
  }

  /** Returns the values that an assignment gives; `undefined` if it shows more than the line does. */
  #assigned(assignment: ShellWord, from: number): Values | undefined {
    const { text, isDynamic, parts, isQuoted } = assignment;
    if (parts === undefined) {
      const value = text.slice(from);
      const isPlain = !isDynamic && /^[^*?[\]{}$`\\~\u0000-\u001f]*$/.test(value);
      return isPlain ? textValue(value) : isQuoted && !isDynamic ? 'unknown' : undefined;
    }
    const value = { ...assignment, parts: valueParts(assignment) };
    const word = resolvedWord(value, this.#scope, this.#valueOf(''));
    if (word.parts === undefined) return textValue(word.text);
    if (!isShown(word)) return isPrintable(word) ? 'unknown' : undefined;
    const [only, ...others] = word.parts.filter((part) => part.kind !== 'text' || part.text !== '');
    if (only?.kind === 'choice' && others.length === 0) return only.values;
    const chosen = chosenTexts(word);
    return chosen?.every(({ isPattern, below }) => !isPattern && below === undefined) === true
      ? chosen.map((each) => ({ kind: 'text', text: each.text }))
      : 'unknown';
  }

  #calculation(word: ShellWord | undefined): Verdict {
    const [part] = word?.parts ?? [];
    if (part?.kind !== 'arithmetic' || !isCalculated(part.items, this.#scope, this.#valueOf('')))
      return asks('calculates with a value that may be no number', word?.spelled ?? '');
    const number: Values = [{ kind: 'number' }];
    for (const name of setByArithmetic(part.items))
      this.#scope = new Map([
        ...this.#scope,
        [name, joinedValues(this.#scope.get(name) ?? number, number)],
      ]);
    return safe;
  }

  /** Judges `unset NAME…`; other calls as a program. */
  #unset(names: readonly ShellWord[], isPlain: boolean): Verdict | undefined {
    if (!isPlain || names.length === 0 || !names.every(isOwnWord)) return undefined;
    this.#scope = new Map([...this.#scope, ...names.map(({ text }) => [text, unset] as const)]);
    return safe;
  }

  /** Judges `printf -v NAME`, which prints nothing; other calls as a program. */
  #printTo(command: ShellCommand, operator: string, isPiped: boolean): Verdict | undefined {
    const target = printfTarget(command.words);
    if (target === undefined || !isOwnWord(target)) return undefined;
    const [program, , , ...rest] = command.words;
    const words = program === undefined ? rest : [program, ...rest];
    const verdict = this.#ofProgram({ ...command, words }, operator, false);
    const value: Values = /^%0?\d*d$/.test(rest[0]?.text ?? '') ? [{ kind: 'number' }] : 'unknown';
    if (!isPiped) this.#scope = new Map([...this.#scope, [target.text, value]]);
    return verdict;
  }

  #read(command: ShellCommand, isPiped: boolean): Verdict {
    const call = readCall(command);
    const part = command.words.map(({ spelled }) => spelled).join(' ');
    if (call === undefined) return asks('sets variables that are not known', part);
    if (!isPiped)
      this.#scope = new Map([
        ...this.#scope,
        ...call.names.map((name) => [name, 'unknown'] as const),
      ]);
    return this.#steps.redirections({ ...command, words: [], assignments: [] });
  }

  /** Judges the commands in the substitutions of a command. */
  #inner({ words, assignments, redirections, here }: ShellCommand): Verdict {
    const all = [...words, ...assignments, ...redirections.map(({ target }) => target), here];
    const parts = all.flatMap((word) => word?.parts ?? []);
    const commands = parts.flatMap((part) => (part.kind === 'arithmetic' ? part.items : [part]));
    return strictest(
      commands.flatMap((part) =>
        typeof part === 'object' && part.kind === 'commands'
          ? [this.#subshell(part.layout, '')]
          : [],
      ),
    );
  }

  /** Returns a function that returns what a substitution prints. */
  #valueOf(operator: string): ValueOf {
    return ({ layout }, isSplit) => {
      const commands = pipelineOf(layout);
      const values = commands === undefined ? 'unknown' : this.#printed(commands, operator);
      return values === 'unknown' && isSplit && listsNames(layout) ? undefined : values;
    };
  }

  #printed(commands: readonly ShellCommand[], operator: string, isNull = false): Values {
    const known = commands.map((command) => this.#resolved(command, operator));
    const [only] = known;
    const cut = known.length === 1 && only !== undefined ? nameParts(only) : undefined;
    if (cut !== undefined) return cut;
    const at = { place: this.#steps.place, folders: this.#steps.folders(operator) };
    const listing = listedBy(known, at);
    return listing?.isNull === isNull ? listing.values : 'unknown';
  }

  #case(head: ShellCommand): Verdict {
    this.#count += 1;
    const subject = head.words[1];
    const word = subject && resolvedWord(subject, this.#scope, this.#valueOf(''));
    return strictest([
      this.#inner(head),
      word === undefined || isShown(word)
        ? safe
        : asks('has a part that only the shell knows', subject?.spelled ?? ''),
    ]);
  }

  #loop(loop: Loop, layout: ShellLayout, start: number): Verdict {
    const before = layout[start - 1];
    const operator = typeof before === 'string' ? before : ';';
    return loop.head.words[0]?.text === 'read'
      ? this.#readLoop(loop, operator, this.#fed(layout, start, loop))
      : this.#wordLoop(loop, operator);
  }

  #readLoop({ head, body }: Loop, operator: string, fed: Values): Verdict {
    const call = readCall(head);
    if (call === undefined || head.redirections.length > 0 || head.here !== undefined)
      return asks('sets variables that are not known', partOf(head));
    const scope = new Map([...this.#scope, ...call.names.map((name) => [name, fed] as const)]);
    return this.#body(body, scope, operator);
  }

  #wordLoop({ head, body }: Loop, operator: string): Verdict {
    const [, name, , ...words] = head.words;
    if (name === undefined || !isOwnWord(name))
      return asks('sets a variable that programs may read', partOf(head));
    const values = this.#looped(words, operator);
    const verdicts = [this.#inner(head)];
    if (values === undefined)
      return strictest([...verdicts, asks('loops over what only the shell knows', partOf(head))]);
    for (const value of walked(values)) {
      verdicts.push(this.#body(body, new Map([...this.#scope, [name.text, value]]), operator));
      if (this.#count > maxCommands) return strictest([...verdicts, tooMany]);
    }
    return strictest(verdicts);
  }

  /** Returns the values of the words of a loop. */
  #looped(words: readonly ShellWord[], operator: string): Values | undefined {
    const at = { place: this.#steps.place, folders: this.#steps.folders(operator) };
    let all: Values = [];
    for (const given of words.flatMap(bracedWords)) {
      const word = resolvedWord(given, this.#scope, this.#valueOf(operator));
      const [part] = word.parts ?? [];
      const isOne = word.parts?.length === 1;
      const values: Values | undefined =
        isOne && part?.kind === 'choice'
          ? part.values
          : isOne && part?.kind === 'unknown' && !isSplit(given)
            ? 'unknown'
            : (loopValues(given, at) ?? loopValues(word, at))?.map((text) => ({
                kind: 'text',
                text,
              }));
      if (values === undefined) return undefined;
      all = joinedValues(all, values);
    }
    return all;
  }

  /** Returns what a `while` loop reads: what a pipeline prints that lists files. */
  #fed(layout: ShellLayout, start: number, { head, end }: Loop): Values {
    const call = readCall(head);
    if (call?.isWhole !== true) return 'unknown';
    const group = layout[end + 1];
    const isGroup =
      typeof group === 'object' && group.words.length + group.assignments.length === 0;
    const inputs = isGroup ? group.redirections.filter(({ sign }) => !sign.includes('>')) : [];
    if (isGroup && group.here !== undefined) return 'unknown';
    const [input, ...others] = inputs;
    const piped = pipelineBefore(layout, start);
    if (input === undefined)
      return piped === undefined
        ? 'unknown'
        : this.#printed(piped.commands, piped.operator, call.isNull);
    const [part, ...parts] = input.target.parts ?? [];
    if (others.length > 0 || parts.length > 0 || part?.kind !== 'commands') return 'unknown';
    const inner = pipelineOf(part.layout);
    return inner === undefined ? 'unknown' : this.#printed(inner, '', call.isNull);
  }

  /** Judges the body of a loop, until the variables that it sets have all their possible values. */
  #body(body: ShellLayout, start: Scope, operator: string): Verdict {
    const [outer, left] = [this.#scope, this.#left];
    const folders = this.#steps.folders(operator);
    const verdicts: Verdict[] = [];
    let scope = start;
    for (let round = 0; ; round += 1) {
      [this.#scope, this.#left] = [scope, []];
      verdicts.push(this.#steps.within(folders, () => this.#walk(body, false), false));
      for (const each of this.#left) this.#scope = joinedScopes(this.#scope, each);
      const next = joinedScopes(scope, this.#scope);
      if (isSameScope(next, scope)) break;
      if (round === maxRounds)
        return strictest([...verdicts, asks('sets variables in a loop', '')]);
      scope = next;
    }
    this.#left = left;
    this.#scope = joinedScopes(outer, this.#scope);
    return strictest(verdicts);
  }
}

/** Returns the values with each of which the body of a loop is judged. */
function walked(values: Values): readonly Values[] {
  // Without words, the body never runs; it is judged nevertheless.
  if (values === 'unknown' || values.length === 0) return ['unknown'];
  return values.length > maxWalks ? [values] : values.map((value) => [value]);
}

/** Maximum number of times that the body of a loop is judged with the same words of the loop. */
const maxRounds = 4;
