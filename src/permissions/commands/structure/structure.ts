/** Judges lines with loops, conditions and variables: each command with the possible values. */
import type { ShellCommand, ShellLayout } from '../../../shell/shellCommand.ts';
import { groupEnd, isFunctionHead, isCaseHead, isHead, loopAt, mayNotApply } from './loops.ts';
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
import { isNumber, isOfLine } from '../values/possibleTexts.ts';
import { expandWord } from '../values/expansion.ts';
import { joinScopes } from '../values/variables.ts';
import { layoutsIn } from './substitutions.ts';
import type { Steps } from './steps.ts';
import { asks, safe, strictest, type Verdict } from '../verdicts/verdict.ts';
import { isEnd, notJudged, partOf, tooMany } from './parts.ts';
import { LoopJudge } from './loopJudge.ts';

/** Maximum number of commands, each counted once for each value of the loops around it. */
const maxCommands = 300;

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
  readonly #values: LineValues;
  readonly #setters: Setters;
  /** The bodies of the functions of the line, by name. */
  #functions: Functions = new Map();
  readonly #loops: LoopJudge;

  constructor(steps: Steps) {
    this.#steps = steps;
    const { place } = steps;
    this.#values = new LineValues((operator) => ({ place, folders: steps.folders(operator) }));
    this.#setters = new Setters(this.#values, steps);
    this.#loops = new LoopJudge({
      steps,
      values: this.#values,
      setters: this.#setters,
      walk: (body) => this.#walk(body, false),
      inner: (head) => this.#inner(head),
      isTooLong: () => this.#count > maxCommands,
    });
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
          : this.#apply(layout, at, { isSure, operator });
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
    const [name, end] = [word?.text ?? '', groupEnd(layout, at + 1)];
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
    const { words } = this.#values.expand({ ...command, words: rest }, operator);
    const given = words.map((word) => this.#values.argument(word, operator));
    const known = given.filter((each) => each !== undefined);
    const scope = withArguments(before, known);
    if (known.length < given.length || scope === undefined || this.#values.calls.length >= maxCalls)
      return asks('calls a function with arguments that are not known', partOf(command));
    const call: Call = { words, locals: new Map(), returnScopes: [] };
    const [calls, left] = [this.#values.calls, this.#values.exits];
    [this.#values.scope, this.#values.calls, this.#values.exits] = [scope, [...calls, call], []];
    const folders = this.#steps.folders(operator);
    const verdict = this.#steps.within(folders, () => this.#walk(body, false), false);
    const after = [...call.returnScopes, ...this.#values.exits].reduce(
      joinScopes,
      this.#values.scope,
    );
    left.push(...this.#values.exits.map((each) => afterCall(each, before, call.locals)));
    [this.#values.calls, this.#values.exits] = [calls, left];
    this.#values.scope = afterCall(after, before, call.locals);
    return strictest([verdict, this.#steps.redirections({ ...command, words: [] })]);
  }

  #return({ words, assignments, redirections }: ShellCommand): Verdict | undefined {
    const call = this.#values.calls.at(-1);
    const [, code, ...others] = words;
    const isNumeric =
      code === undefined ||
      isNumber(expandWord(code, this.#values.scope, this.#values.valueOf('')));
    const isPlain = others.length + assignments.length + redirections.length === 0;
    if (call === undefined || !isPlain || !isNumeric) return undefined;
    call.returnScopes.push(this.#values.scope);
    return safe;
  }

  /** Judges a part as `#part` does, after which earlier values may also remain. */
  #apply(layout: ShellLayout, at: number, circumstances: Circumstances): Part {
    const start = this.#values.scope;
    const part = this.#part(layout, at, circumstances);
    if (mayNotApply(layout, at, part.end))
      this.#values.scope = joinScopes(start, this.#values.scope);
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
    if (loop !== undefined) return { verdict: this.#loops.judge(loop, layout, at), end: loop.end };
    const end = item === '(' ? groupEnd(layout, at) : undefined;
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
    this.#setters.recordArithmetic([...command.words, ...command.assignments]);
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
        this.#values.exits.push(this.#values.scope);
        return isPlain && words.length === 1 && assignments.length === 0 ? safe : undefined;
      case '((':
        return this.#setters.calculation(words[1]);
      default:
        return this.#setter(command, operator) ?? this.#call(command, operator);
    }
  }

  /** Judges commands that set variables, and `return`; `undefined` for other commands. */
  #setter(command: ShellCommand, operator: string): Verdict | undefined {
    const { words, assignments, redirections } = command;
    const isPlain = redirections.length + assignments.length === 0;
    switch (words[0]?.text) {
      case 'return':
        return this.#return(command);
      case 'local':
      case 'readonly':
      case 'declare':
      case 'typeset':
        return isPlain ? this.#setters.declaration(words) : undefined;
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
        return this.#setters.read(this.#values.expand(command, operator));
      default:
        return undefined;
    }
  }

  #ofProgram(command: ShellCommand, operator: string, isSure: boolean): Verdict {
    const known = this.#values.expand(command, operator);
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
    const word = subject && expandWord(subject, this.#values.scope, this.#values.valueOf(''));
    return strictest([
      this.#inner(head),
      word === undefined || isOfLine(word)
        ? safe
        : asks('has a part that only the shell knows', subject?.spelled ?? ''),
    ]);
  }
}
