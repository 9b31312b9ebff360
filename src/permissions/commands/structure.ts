/** Judges lines with loops, conditions and variables: each command with the possible values. */
import type { ShellCommand, ShellLayout, ShellWord } from '../../shell/shellCommand.ts';
import { listedBy, listsNames } from './listings.ts';
import {
  closingAt,
  isCounting,
  isCountingHead,
  isFunctionHead,
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
import {
  afterCall,
  isFunctionName,
  maxCalls,
  spread,
  withArguments,
  type Argument,
  type Call,
  type Functions,
} from './functions.ts';
import type { CommandPlace } from './place.ts';
import { chosenTexts, isList, isNumber, isPrintable } from './possibleTexts.ts';
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
  withoutTarget,
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
  /** The bodies of the functions of the line, by name. */
  #functions: Functions = new Map();
  /** The calls of functions in which the next command runs. */
  #calls: readonly Call[] = [];
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
      const isDefined = isOutermost && branches.isOutermost;
      const { verdict, end } =
        typeof item === 'object' && isFunctionHead(item)
          ? this.#define(item, layout, at, isDefined)
          : this.#part(layout, at, { isSure, operator });
      if (typeof item === 'object' && isCaseHead(item)) branches.open(this.#scope);
      verdicts.push(verdict);
      if (end < at) return strictest(verdicts);
      if (this.#count > maxCommands) return strictest([...verdicts, tooMany]);
      at = end;
    }
    this.#scope = branches.close(this.#scope);
    return strictest(verdicts);
  }

  /** Records a function. Its commands are judged where it is called. */
  #define(
    { words: [word] }: ShellCommand,
    layout: ShellLayout,
    at: number,
    isDefined: boolean,
  ): { readonly verdict: Verdict; readonly end: number } {
    const [name, end] = [word?.text ?? '', closingAt(layout, at + 1)];
    const around = [layout[at - 1] ?? ';', layout[(end ?? at) + 1] ?? ';'];
    const isPlain = around.every((item) => item === ';' || item === '\n' || item === '&&');
    const isNew = isFunctionName(name) && !this.#functions.has(name);
    if (end === undefined || !isDefined || !isPlain || layout[at - 1] === '&&' || !isNew)
      return { verdict: asks('defines a function that is not judged', name), end: -1 };
    this.#functions = new Map([...this.#functions, [name, layout.slice(at + 2, end)]]);
    return { verdict: safe, end };
  }

  /** Judges a call of a function, with its arguments; `undefined` for other commands. */
  #call(command: ShellCommand, operator: string, isPiped: boolean): Verdict | undefined {
    const [program, ...rest] = command.words;
    const body = program?.isDynamic === false ? this.#functions.get(program.text) : undefined;
    if (body === undefined || command.assignments.length > 0) return undefined;
    const before = this.#scope;
    const { words } = this.#resolved({ ...command, words: rest }, operator);
    const given = words.map((word) => this.#argument(word, operator));
    const known = given.filter((each) => each !== undefined);
    const scope = withArguments(before, known);
    if (known.length < given.length || scope === undefined || this.#calls.length >= maxCalls)
      return asks('calls a function with arguments that are not known', partOf(command));
    const call: Call = { words, locals: new Map(), returned: [] };
    const [calls, left] = [this.#calls, this.#left];
    [this.#scope, this.#calls, this.#left] = [scope, [...calls, call], []];
    const folders = this.#steps.folders(operator);
    const verdict = this.#steps.within(folders, () => this.#walk(body, false), false);
    const after = [...call.returned, ...this.#left].reduce(joinedScopes, this.#scope);
    left.push(...this.#left.map((each) => afterCall(each, before, call.locals)));
    [this.#calls, this.#left] = [calls, left];
    this.#scope = isPiped ? before : afterCall(after, before, call.locals);
    return strictest([verdict, this.#steps.redirections({ ...command, words: [] })]);
  }

  /** Returns what an argument of a function is; `undefined` if it is not known. */
  #argument(word: ShellWord, operator: string): Argument | undefined {
    const { text, isDynamic, isQuoted, parts } = word;
    if (!isDynamic)
      return {
        values: text.startsWith('~') && !isQuoted ? 'unknown' : textValue(text),
        isList: false,
      };
    if (parts !== undefined) {
      const values = this.#valuesOf(word);
      return values && { values, isList: isList(word) };
    }
    const values = this.#looped([word], operator);
    return values && { values, isList: true };
  }

  #return({ words, assignments, redirections }: ShellCommand): Verdict | undefined {
    const call = this.#calls.at(-1);
    const [, code, ...others] = words;
    const isNumeric =
      code === undefined || isNumber(resolvedWord(code, this.#scope, this.#valueOf('')));
    const isPlain = others.length + assignments.length + redirections.length === 0;
    if (call === undefined || !isPlain || !isNumeric) return undefined;
    call.returned.push(this.#scope);
    return safe;
  }

  /** Judges `local NAME` and `local NAME=VALUE`. */
  #local(words: readonly ShellWord[]): Verdict {
    const call = this.#calls.at(-1);
    for (const word of words) {
      const isSet = word.spelled.includes('=');
      const [, name = ''] = /^([A-Za-z_]\w*)(?:=|$)/.exec(word.spelled) ?? [];
      if (call === undefined || !isOwnName(name))
        return asks('sets a variable that programs may read', word.spelled);
      const before = this.#scope.get(name) ?? unset;
      const verdict = isSet ? this.#assign([word]) : safe;
      if (verdict.kind !== 'safe') return verdict;
      if (!isSet) this.#scope = new Map([...this.#scope, [name, joinedValues(before, unset)]]);
      call.locals.set(name, joinedValues(call.locals.get(name) ?? before, before));
    }
    return safe;
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
      case 'return':
        return this.#return(command);
      case 'local':
        return isPlain && !isPiped && assignments.length === 0
          ? this.#local(words.slice(1))
          : undefined;
      case 'unset':
        return this.#unset(words.slice(1), isPlain && assignments.length === 0);
      case 'printf':
        return this.#printTo(command, operator, isPiped);
      case 'read':
        return this.#read(this.#resolved(command, operator), isPiped);
      default:
        return this.#call(command, operator, isPiped);
    }
  }

  #ofProgram(command: ShellCommand, operator: string, isSure: boolean): Verdict {
    const known = this.#resolved(command, operator);
    const isOfGroup = command.words.length + command.assignments.length === 0 && isEnd(operator);
    return isOfGroup ? this.#steps.redirections(known) : this.#steps.judge(known, isSure);
  }

  #resolved(command: ShellCommand, operator: string): ShellCommand {
    const words = spread(command.words, this.#calls.at(-1)).flatMap(bracedWords);
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
    return this.#valuesOf(resolvedWord(value, this.#scope, this.#valueOf('')));
  }

  /** Returns the values of a word with its variables; `undefined` if it shows more than the line. */
  #valuesOf(word: ShellWord): Values | undefined {
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
    const items = part?.kind === 'arithmetic' ? part.items : undefined;
    if (!items || !isCalculated(withoutTarget(items), this.#scope, this.#valueOf('')))
      return asks('calculates with a value that may be no number', word?.spelled ?? '');
    const number: Values = [{ kind: 'number' }];
    for (const name of setByArithmetic(items))
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
    if (isCountingHead(loop.head)) return this.#countingLoop(loop, operator);
    if (loop.condition.length === 0) return this.#wordLoop(loop, operator);
    return loop.head.words[0]?.text === 'read' && loop.condition.length === 1 + ends(loop.condition)
      ? this.#readLoop(loop, operator, this.#fed(layout, start, loop))
      : this.#conditionLoop(loop, operator);
  }

  #conditionLoop({ condition, body }: Loop, operator: string): Verdict {
    if (!isCounting({ condition, body })) return notJudged('while');
    return this.#body([...condition, ...body], this.#scope, operator);
  }

  #countingLoop({ head, body }: Loop, operator: string): Verdict {
    const [start, condition, step] = head.words.slice(2);
    const isEnding = [condition, step].every((word) => word?.parts?.[0]?.kind === 'arithmetic');
    if (!isEnding || !isCounting({ condition: [calculated(condition)], body: [calculated(step)] }))
      return notJudged('while');
    const verdicts = [this.#inner(head), this.#calculation(start)];
    const walked = [calculated(condition), ';', ...body, ';', calculated(step)];
    return strictest([...verdicts, this.#body(walked, this.#scope, operator)]);
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
    for (const given of spread(words, this.#calls.at(-1)).flatMap(bracedWords)) {
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

/** Returns the number of separators at the end of a condition. */
const ends = (condition: ShellLayout): number =>
  condition.length - 1 - condition.findLastIndex((item) => typeof item === 'object');

/** Returns arithmetic as the command `((`. */
const calculated = (word: ShellWord | undefined): ShellCommand => ({
  assignments: [],
  words: [
    { text: '((', spelled: '((', isDynamic: false, isQuoted: false },
    ...(word ? [word] : []),
  ],
  redirections: [],
  input: '',
  operator: ';',
});

/** Returns the values with each of which the body of a loop is judged. */
function walked(values: Values): readonly Values[] {
  // Without words, the body never runs; it is judged nevertheless.
  if (values === 'unknown' || values.length === 0) return ['unknown'];
  return values.length > maxWalks ? [values] : values.map((value) => [value]);
}

/** Maximum number of times that the body of a loop is judged with the same words of the loop. */
const maxRounds = 4;
