/** Judges lines with loops, conditions and variables: each command with the possible values. */
import type { ShellCommand, ShellLayout } from '../../../shell/shellCommand.ts';
import {
  calculated,
  closingAt,
  ends,
  isCounting,
  isCountingHead,
  isFunctionHead,
  isCaseHead,
  isHead,
  loopAt,
  mayNotApply,
  type Loop,
} from './loops.ts';
import { Branches, isSign } from './branches.ts';
import {
  afterCall,
  isFunctionName,
  maxCalls,
  withArguments,
  type Call,
  type Functions,
} from './functions.ts';
import { LineValues } from './lineValues.ts';
import { Setters } from './setters.ts';
import { isNumber, isShown } from '../values/possibleTexts.ts';
import { resolvedWord } from '../values/expansion.ts';
import {
  isSameScope,
  joinedScopes,
  walks,
  widened,
  type Scope,
  type Values,
} from '../values/variables.ts';
import { layoutsIn } from './substitutions.ts';
import type { Steps } from './steps.ts';
import { asks, safe, strictest, type Verdict } from '../verdicts/verdict.ts';
import { isOwnWord, isThrowaway } from '../values/ownNames.ts';
import { readCall } from './setterCalls.ts';
import { pipelineBefore } from '../../../shell/pipelines.ts';
import { isEnd, notJudged, partOf } from './parts.ts';

/** Maximum number of commands, each counted once for each value of the loops around it. */
const maxCommands = 300;
/** Maximum number of times that the body of a loop is judged, with the loops around it. */
const maxWalks = 30;

const tooMany = asks('runs too many commands to judge', '');

export const unclear = asks('has a part that is not judged', '');

export const structureVerdict = (layout: ShellLayout, steps: Steps): Verdict =>
  new StructureJudge(steps).line(layout);

interface Circumstances {
  /** True if a command after `&&` runs only if this one succeeded. */
  readonly isSure: boolean;
  readonly operator: string;
}

/** The verdict on a part of the line, and the index of its last item. */
interface Part {
  readonly verdict: Verdict;
  readonly end: number;
}

class StructureJudge {
  readonly #steps: Steps;
  #count = 0;
  /** Number of times that the body of the loops around the next command is judged. */
  #width = 1;
  readonly #values: LineValues;
  readonly #setters: Setters;
  /** The bodies of the functions of the line, by name. */
  #functions: Functions = new Map();
  /** The variables where `break` and `continue` leave the body of the loop. */
  #left: Scope[] = [];

  constructor(steps: Steps) {
    this.#steps = steps;
    const { place } = steps;
    this.#values = new LineValues((operator) => ({ place, folders: steps.folders(operator) }));
    this.#setters = new Setters(this.#values, steps);
  }

  line(layout: ShellLayout): Verdict {
    return this.#walk(layout, true);
  }

  #walk(layout: ShellLayout, isOutermost: boolean): Verdict {
    const verdicts: Verdict[] = [];
    const branches = new Branches(this.#values.scope);
    for (let at = 0; at < layout.length; at += 1) {
      const [item = '', before] = [layout[at], layout[at - 1]];
      if (typeof item === 'string' && isSign(item, before)) {
        this.#values.scope = branches.afterSign(item, this.#values.scope);
        continue;
      }
      const isSure = isOutermost && branches.isOutermost && before !== '!';
      const operator = typeof before === 'string' ? before : ';';
      const isDefined = isOutermost && branches.isOutermost;
      const { verdict, end } =
        typeof item === 'object' && isFunctionHead(item)
          ? this.#define(item, layout, at, isDefined)
          : this.#applied(layout, at, { isSure, operator });
      if (typeof item === 'object' && isCaseHead(item)) branches.open(this.#values.scope);
      verdicts.push(verdict);
      if (end < at) return strictest(verdicts);
      if (this.#count > maxCommands) return strictest([...verdicts, tooMany]);
      at = end;
    }
    this.#values.scope = branches.close(this.#values.scope);
    return strictest(verdicts);
  }

  /** Records a function. Its commands are judged where it is called. */
  #define(
    { words: [word] }: ShellCommand,
    layout: ShellLayout,
    at: number,
    isDefined: boolean,
  ): Part {
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
  #call(command: ShellCommand, operator: string): Verdict | undefined {
    const [program, ...rest] = command.words;
    const body = program?.isDynamic === false ? this.#functions.get(program.text) : undefined;
    if (body === undefined || command.assignments.length > 0) return undefined;
    const before = this.#values.scope;
    const { words } = this.#values.resolved({ ...command, words: rest }, operator);
    const given = words.map((word) => this.#values.argument(word, operator));
    const known = given.filter((each) => each !== undefined);
    const scope = withArguments(before, known);
    if (known.length < given.length || scope === undefined || this.#values.calls.length >= maxCalls)
      return asks('calls a function with arguments that are not known', partOf(command));
    const call: Call = { words, locals: new Map(), returned: [] };
    const [calls, left] = [this.#values.calls, this.#left];
    [this.#values.scope, this.#values.calls, this.#left] = [scope, [...calls, call], []];
    const folders = this.#steps.folders(operator);
    const verdict = this.#steps.within(folders, () => this.#walk(body, false), false);
    const after = [...call.returned, ...this.#left].reduce(joinedScopes, this.#values.scope);
    left.push(...this.#left.map((each) => afterCall(each, before, call.locals)));
    [this.#values.calls, this.#left] = [calls, left];
    this.#values.scope = afterCall(after, before, call.locals);
    return strictest([verdict, this.#steps.redirections({ ...command, words: [] })]);
  }

  #return({ words, assignments, redirections }: ShellCommand): Verdict | undefined {
    const call = this.#values.calls.at(-1);
    const [, code, ...others] = words;
    const isNumeric =
      code === undefined ||
      isNumber(resolvedWord(code, this.#values.scope, this.#values.valueOf('')));
    const isPlain = others.length + assignments.length + redirections.length === 0;
    if (call === undefined || !isPlain || !isNumeric) return undefined;
    call.returned.push(this.#values.scope);
    return safe;
  }

  /** Judges a part as `#part` does, after which earlier values may also remain. */
  #applied(layout: ShellLayout, at: number, circumstances: Circumstances): Part {
    const start = this.#values.scope;
    const part = this.#part(layout, at, circumstances);
    if (mayNotApply(layout, at, part.end))
      this.#values.scope = joinedScopes(start, this.#values.scope);
    return part;
  }

  /**
   * Judges the command, loop or subshell at an index. `end` is the index of its last item; -1 if it
   * is of an unknown kind.
   */
  #part(layout: ShellLayout, at: number, circumstances: Circumstances): Part {
    const [item, { operator }] = [layout[at] ?? '', circumstances];
    if (typeof item === 'object' && isCaseHead(item)) return { verdict: this.#case(item), end: at };
    if (typeof item === 'object' && !isHead(item))
      return { verdict: this.#command(item, circumstances), end: at };
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
    const scope = this.#values.scope;
    const walk = (): Verdict => this.#walk(body, false);
    const verdict = this.#steps.within(this.#steps.folders(operator), walk, true);
    this.#values.scope = scope;
    return verdict;
  }

  #command(command: ShellCommand, { isSure, operator }: Circumstances): Verdict {
    this.#count += 1;
    const inner = this.#inner(command);
    const own = this.#ofShell(command, operator) ?? this.#ofProgram(command, operator, isSure);
    this.#setters.calculated([...command.words, ...command.assignments]);
    return strictest([inner, own]);
  }

  /** Judges what the shell does by itself; `undefined` for other commands. */
  #ofShell(command: ShellCommand, operator: string): Verdict | undefined {
    const { words, assignments, redirections } = command;
    const isPlain = redirections.length === 0;
    if (words.length === 0 && assignments.length > 0 && isPlain)
      return this.#setters.assign(assignments);
    switch (words[0]?.text) {
      case 'break':
      case 'continue':
        this.#left.push(this.#values.scope);
        return isPlain && words.length === 1 && assignments.length === 0 ? safe : undefined;
      case '((':
        return this.#setters.calculation(words[1]);
      default:
        return this.#setting(command, operator) ?? this.#call(command, operator);
    }
  }

  /** Judges commands that set variables, and `return`; `undefined` for other commands. */
  #setting(command: ShellCommand, operator: string): Verdict | undefined {
    const { words, assignments, redirections } = command;
    const isPlain = redirections.length + assignments.length === 0;
    switch (words[0]?.text) {
      case 'return':
        return this.#return(command);
      case 'local':
      case 'readonly':
      case 'declare':
      case 'typeset':
        return isPlain ? this.#setters.declaring(words) : undefined;
      case 'mapfile':
      case 'readarray':
        return this.#setters.mapfile(command);
      case 'unset':
        // Without a variable of this name, `unset` removes the function.
        if (words.some(({ text }) => this.#functions.has(text))) return undefined;
        return this.#setters.unset(words.slice(1), isPlain);
      case 'printf':
        return this.#setters.printTo(command, (each) => this.#ofProgram(each, operator, false));
      case 'read':
        return this.#setters.read(this.#values.resolved(command, operator));
      default:
        return undefined;
    }
  }

  #ofProgram(command: ShellCommand, operator: string, isSure: boolean): Verdict {
    const known = this.#values.resolved(command, operator);
    if (this.#functions.has(known.words[0]?.text ?? ''))
      return asks('calls a function in a way that is not judged', partOf(command));
    const isRead = command.redirections.every(({ sign }) => sign === '<');
    const isEmpty = command.words.length + command.assignments.length === 0;
    return isEmpty && (isEnd(operator) || isRead)
      ? this.#steps.redirections(known)
      : this.#steps.judge(known, isSure);
  }

  /** Judges the commands in the substitutions of a command. */
  #inner(command: ShellCommand): Verdict {
    return strictest(layoutsIn(command).map((layout) => this.#subshell(layout, '')));
  }

  #case(head: ShellCommand): Verdict {
    this.#count += 1;
    const subject = head.words[1];
    const word = subject && resolvedWord(subject, this.#values.scope, this.#values.valueOf(''));
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
    return this.#body([...condition, ...body], this.#values.scope, operator);
  }

  #countingLoop({ head, body }: Loop, operator: string): Verdict {
    const [start, condition, step] = head.words.slice(2);
    const isEnding = [condition, step].every((word) => word?.parts?.[0]?.kind === 'arithmetic');
    if (!isEnding || !isCounting({ condition: [calculated(condition)], body: [calculated(step)] }))
      return notJudged('while');
    const started = strictest([this.#inner(head), this.#setters.calculation(start)]);
    const walked = [calculated(condition), ';', ...body, ';', calculated(step)];
    return strictest([started, this.#body(walked, this.#values.scope, operator)]);
  }

  #readLoop({ head, body }: Loop, operator: string, fed: Values): Verdict {
    const call = readCall(head);
    const isArray = call?.isList === true || call?.names.some((name) => this.#values.isArray(name));
    if (call === undefined || isArray || head.redirections.length > 0 || head.here !== undefined)
      return asks('sets variables that are not known', partOf(head));
    const scope = new Map([
      ...this.#values.scope,
      ...call.names.map((name) => [name, fed] as const),
    ]);
    return this.#body(body, scope, operator);
  }

  #wordLoop({ head, body }: Loop, operator: string): Verdict {
    const [, name, , ...words] = head.words;
    const isUnused = name !== undefined && isThrowaway(name);
    if (name === undefined || !(isUnused || isOwnWord(name)) || this.#values.isArray(name.text))
      return asks('sets a variable that programs may read', partOf(head));
    const values = this.#values.looped(words, operator);
    const verdicts = [this.#inner(head)];
    if (values === undefined)
      return strictest([...verdicts, asks('loops over what only the shell knows', partOf(head))]);
    if (isUnused) return strictest([...verdicts, this.#body(body, this.#values.scope, operator)]);
    const width = this.#width;
    const all = walks(values, maxWalks / width);
    this.#width *= all.length;
    for (const value of all) {
      verdicts.push(
        this.#body(body, new Map([...this.#values.scope, [name.text, value]]), operator),
      );
      if (this.#count > maxCommands) return strictest([...verdicts, tooMany]);
    }
    this.#width = width;
    return strictest(verdicts);
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
        : this.#values.printed(piped.commands, piped.operator, call.isNull);
    return others.length > 0 ? 'unknown' : this.#values.printedBy(input.target, call.isNull);
  }

  /** Judges the body of a loop, until the variables that it sets have all their possible values. */
  #body(body: ShellLayout, start: Scope, operator: string): Verdict {
    const [outer, left] = [this.#values.scope, this.#left];
    let folders = this.#steps.folders(operator);
    const verdicts: Verdict[] = [];
    let scope = start;
    for (let round = 0; ; round += 1) {
      [this.#values.scope, this.#left] = [scope, []];
      let reached: readonly string[] = [];
      const walk = (): Verdict => {
        const verdict = this.#walk(body, false);
        reached = this.#steps.folders('').filter((folder) => !folders.includes(folder));
        return verdict;
      };
      verdicts.push(this.#steps.within(folders, walk, false));
      folders = [...folders, ...reached];
      for (const each of this.#left) this.#values.scope = joinedScopes(this.#values.scope, each);
      const next = joinedScopes(scope, this.#values.scope);
      if (isSameScope(next, scope) && reached.length === 0) break;
      if (round === maxRounds + maxWidened)
        return strictest([...verdicts, asks('sets variables in a loop, or changes folders', '')]);
      scope = round < maxRounds ? next : widened(scope, next);
    }
    this.#left = left;
    this.#values.scope = joinedScopes(outer, this.#values.scope);
    return strictest(verdicts);
  }
}

/** Maximum number of times that the body of a loop is judged with the same words of the loop. */
const maxRounds = 4;
/** Maximum number of further times, with values of variables that are no longer known. */
const maxWidened = 3;
