/** Judges loops: the body with each of the values that its variables may have. */
import { pipelineBefore } from '../../../shell/pipelines.ts';
import type { ShellCommand, ShellLayout } from '../../../shell/shellCommand.ts';
import { isOwnWord, isThrowaway } from '../values/ownNames.ts';
import {
  isSameScope,
  joinScopes,
  walks,
  widenScope,
  type Scope,
  type Values,
} from '../values/variables.ts';
import { asks, strictest, type Verdict } from '../verdicts/verdict.ts';
import type { LineValues } from './lineValues.ts';
import {
  arithmeticCommand,
  isCounting,
  isCountingHead,
  itemsAfterLast,
  type Loop,
} from './loops.ts';
import { notJudged, partOf, tooMany } from './parts.ts';
import { readCall } from './setterCalls.ts';
import type { Setters } from './setters.ts';
import type { Steps } from './steps.ts';

/** Maximum number of times that the body of a loop is judged, with the loops around it. */
const maxWalks = 30;

/** Judges the parts of a loop as parts of the line. */
interface LineJudge {
  readonly steps: Steps;
  readonly values: LineValues;
  readonly setters: Setters;
  /** Judges the commands of the body once, with the current values. */
  walk(body: ShellLayout): Verdict;
  /** Judges the commands in the substitutions of the head. */
  inner(head: ShellCommand): Verdict;
  /** Returns true once the line has more commands than are judged. */
  isTooLong(): boolean;
}

export class LoopJudge {
  readonly #judge: LineJudge;
  /** Number of times that the body of the loops around the next command is judged. */
  #width = 1;

  constructor(judge: LineJudge) {
    this.#judge = judge;
  }

  /** Judges the loop that begins at an index of a layout. */
  judge(loop: Loop, layout: ShellLayout, start: number): Verdict {
    const before = layout[start - 1];
    const operator = typeof before === 'string' ? before : ';';
    if (isCountingHead(loop.head)) return this.#countingLoop(loop, operator);
    if (loop.condition.length === 0) return this.#wordLoop(loop, operator);
    return loop.head.words[0]?.text === 'read' &&
      loop.condition.length === 1 + itemsAfterLast(loop.condition)
      ? this.#readLoop(loop, operator, this.#inputOf(layout, start, loop))
      : this.#conditionLoop(loop, operator);
  }

  #conditionLoop({ condition, body }: Loop, operator: string): Verdict {
    if (!isCounting({ condition, body })) return notJudged('while');
    return this.#body([...condition, ...body], this.#judge.values.scope, operator);
  }

  #countingLoop({ head, body }: Loop, operator: string): Verdict {
    const [start, condition, step] = head.words.slice(2);
    const isEnding = [condition, step].every((word) => word?.parts?.[0]?.kind === 'arithmetic');
    if (
      !isEnding ||
      !isCounting({ condition: [arithmeticCommand(condition)], body: [arithmeticCommand(step)] })
    )
      return notJudged('while');
    const startVerdict = strictest([
      this.#judge.inner(head),
      this.#judge.setters.calculation(start),
    ]);
    const steps = [arithmeticCommand(condition), ';', ...body, ';', arithmeticCommand(step)];
    return strictest([startVerdict, this.#body(steps, this.#judge.values.scope, operator)]);
  }

  #readLoop({ head, body }: Loop, operator: string, input: Values): Verdict {
    const call = readCall(head);
    const isArray =
      call?.isList === true || call?.names.some((name) => this.#judge.values.isArray(name));
    if (call === undefined || isArray || head.redirections.length > 0 || head.here !== undefined)
      return asks('sets variables that are not known', partOf(head));
    const scope = new Map([
      ...this.#judge.values.scope,
      ...call.names.map((name) => [name, input] as const),
    ]);
    return this.#body(body, scope, operator);
  }

  #wordLoop({ head, body }: Loop, operator: string): Verdict {
    const [, name, , ...words] = head.words;
    const isUnused = name !== undefined && isThrowaway(name);
    if (
      name === undefined ||
      !(isUnused || isOwnWord(name)) ||
      this.#judge.values.isArray(name.text)
    )
      return asks('sets a variable that programs may read', partOf(head));
    const values = this.#judge.values.loopWords(words, operator);
    const verdicts = [this.#judge.inner(head)];
    if (values === undefined)
      return strictest([...verdicts, asks('loops over what only the shell knows', partOf(head))]);
    if (isUnused)
      return strictest([...verdicts, this.#body(body, this.#judge.values.scope, operator)]);
    const width = this.#width;
    const all = walks(values, maxWalks / width);
    this.#width *= all.length;
    for (const value of all) {
      verdicts.push(
        this.#body(body, new Map([...this.#judge.values.scope, [name.text, value]]), operator),
      );
      if (this.#judge.isTooLong()) return strictest([...verdicts, tooMany]);
    }
    this.#width = width;
    return strictest(verdicts);
  }

  /** Returns what a `while` loop reads: what a pipeline prints that lists files. */
  #inputOf(layout: ShellLayout, start: number, { head, end }: Loop): Values {
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
        : this.#judge.values.outputOf(piped.commands, piped.operator, call.isNull);
    return others.length > 0 ? 'unknown' : this.#judge.values.outputIn(input.target, call.isNull);
  }

  /** Judges the body of a loop, until the variables that it sets have all their possible values. */
  #body(body: ShellLayout, start: Scope, operator: string): Verdict {
    const [outer, left] = [this.#judge.values.scope, this.#judge.values.exits];
    let folders = this.#judge.steps.folders(operator);
    const verdicts: Verdict[] = [];
    let scope = start;
    for (let round = 0; ; round += 1) {
      [this.#judge.values.scope, this.#judge.values.exits] = [scope, []];
      let reached: readonly string[] = [];
      const walk = (): Verdict => {
        const verdict = this.#judge.walk(body);
        reached = this.#judge.steps.folders('').filter((folder) => !folders.includes(folder));
        return verdict;
      };
      verdicts.push(this.#judge.steps.within(folders, walk, false));
      folders = [...folders, ...reached];
      for (const each of this.#judge.values.exits)
        this.#judge.values.scope = joinScopes(this.#judge.values.scope, each);
      const next = joinScopes(scope, this.#judge.values.scope);
      if (isSameScope(next, scope) && reached.length === 0) break;
      if (round === maxRounds + maxWidened)
        return strictest([...verdicts, asks('sets variables in a loop, or changes folders', '')]);
      scope = round < maxRounds ? next : widenScope(scope, next);
    }
    this.#judge.values.exits = left;
    this.#judge.values.scope = joinScopes(outer, this.#judge.values.scope);
    return strictest(verdicts);
  }
}

/** Maximum number of times that the body of a loop is judged with the same words of the loop. */
const maxRounds = 4;
/** Maximum number of further times, with values of variables that are no longer known. */
const maxWidened = 3;
