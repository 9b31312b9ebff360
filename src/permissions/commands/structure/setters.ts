/** Judges the commands of the shell that set variables, and records the values. */
import type { ShellCommand, ShellWord } from '../../../shell/shellCommand.ts';
import {
  elementAssignment,
  outputElements,
  keysOf,
  kindOf,
  listOf,
  pairOf,
  withElements,
  type Kind,
} from '../values/elements.ts';
import type { LineValues } from './lineValues.ts';
import { arithmeticTargetsIn } from './loops.ts';
import type { Steps } from './steps.ts';
import {
  appendValues,
  isCalculated,
  expandWord,
  valueParts,
  withoutTarget,
} from '../values/expansion.ts';
import { joinValues, textValue, noValue, type Values } from '../values/variables.ts';
import { asks, safe, type Verdict } from '../verdicts/verdict.ts';
import { isOwnWord, isOwnName } from '../values/ownNames.ts';
import { mapfileCall, printfTarget, readCall } from './setterCalls.ts';

export class Setters {
  readonly #values: LineValues;

  readonly #steps: Pick<Steps, 'redirections'>;

  constructor(values: LineValues, steps: Pick<Steps, 'redirections'>) {
    [this.#values, this.#steps] = [values, steps];
  }

  assign(assignments: readonly ShellWord[]): Verdict {
    for (const assignment of assignments) {
      const [, name = '', isPart, isMore] =
        /^([A-Za-z_]\w*)(?:(\[)[^]*\]|(\+))?=/.exec(assignment.spelled) ?? [];
      if (!isOwnName(name))
        return asks('sets a variable that programs may read', assignment.spelled);
      const list = listOf(assignment);
      const isSet =
        isPart !== undefined
          ? this.#setElement(name, assignment)
          : list !== undefined
            ? this.#setList(name, list, isMore !== undefined)
            : this.#setText(name, assignment, isMore !== undefined);
      if (!isSet) return asks('sets a variable to what only the shell knows', assignment.spelled);
    }
    return safe;
  }

  #setText(name: string, assignment: ShellWord, isMore: boolean): boolean {
    const before = isMore ? this.#values.scope.get(name) : [];
    if (before === undefined || (isMore && this.#values.isArray(name))) return false;
    const values = this.#assignmentValues(assignment, name.length + (isMore ? 2 : 1));
    if (values !== undefined)
      this.#values.set(name, isMore ? appendValues(before, values) : values);
    return values !== undefined;
  }

  #setList(name: string, list: readonly ShellWord[], isMore: boolean): boolean {
    const { scope } = this.#values;
    const kind = kindOf(name, scope);
    if (kind === 'mixed' || (isMore && kind === undefined)) return false;
    const pairs = kind === 'keys' ? list.map(pairOf) : undefined;
    if (pairs?.includes(undefined) === true) return false;
    const values: Values | undefined = pairs
      ? pairs.map((pair) => ({ kind: 'text', text: pair?.value ?? '' }))
      : this.#values.loopWords(list, '');
    const keys: Values = pairs
      ? pairs.map((pair) => ({ kind: 'text', text: pair?.key ?? '' }))
      : [{ kind: 'number' }];
    if (values === undefined) return false;
    this.#values.scope = withElements(scope, name, {
      values,
      keys,
      isMore,
      kind: kind ?? 'numbers',
    });
    return true;
  }

  #setElement(name: string, assignment: ShellWord): boolean {
    const { scope } = this.#values;
    const element = elementAssignment(assignment);
    const kind = kindOf(name, scope);
    const key = element && kind && kind !== 'mixed' ? keysOf(element.key, kind, scope) : undefined;
    if (element === undefined || key === undefined || kind === undefined) return false;
    const values = this.#assignmentValues(element.value, 0);
    if (values === undefined) return false;
    this.#values.scope = withElements(scope, name, { values, keys: key, isMore: true, kind });
    return true;
  }

  /** Judges `local`, `readonly`, `declare` and `typeset`. */
  declaration([command, ...words]: readonly ShellWord[]): Verdict | undefined {
    if (command?.text === 'local') return this.local(words);
    return command?.text === 'readonly' ? this.assign(words) : this.declare(words);
  }

  /** Judges `declare -A NAME` and `declare -a NAME`, with or without a list. */
  declare(words: readonly ShellWord[]): Verdict | undefined {
    const [option, ...names] = words;
    const kind = { '-A': 'keys', '-a': 'numbers' }[option?.text ?? ''];
    if (kind === undefined || option?.isDynamic !== false || names.length === 0) return undefined;
    if (this.#values.calls.length > 0) return undefined;
    return names.every((word) => this.#declareOne(word, kind === 'keys' ? 'keys' : 'numbers'))
      ? safe
      : undefined;
  }

  #declareOne(word: ShellWord, kind: Kind): boolean {
    const list = listOf(word);
    const [, name = ''] = /^([A-Za-z_]\w*)(?:=\(|$)/.exec(word.spelled) ?? [];
    const isPlain = list !== undefined || (!word.isDynamic && !word.isQuoted);
    const { scope } = this.#values;
    if (!isOwnName(name) || !isPlain || scope.has(name)) return false;
    const none = { values: [], keys: [], isMore: false, kind };
    this.#values.scope = withElements(scope, name, none);
    return list === undefined || this.#setList(name, list, false);
  }

  /** Returns the values that an assignment gives; `undefined` if it shows more than the line does. */
  #assignmentValues(assignment: ShellWord, from: number): Values | undefined {
    const { text, isDynamic, parts, isQuoted } = assignment;
    if (parts === undefined) {
      const value = text.slice(from);
      const isPlain = !isDynamic && /^[^*?[\]{}$`\\~\u0000-\u001f]*$/.test(value);
      return isPlain ? textValue(value) : isQuoted && !isDynamic ? 'unknown' : undefined;
    }
    const value = from === 0 ? assignment : { ...assignment, parts: valueParts(assignment) };
    return this.#values.valuesOf(expandWord(value, this.#values.scope, this.#values.valueOf('')));
  }

  calculation(word: ShellWord | undefined): Verdict {
    const [part] = word?.parts ?? [];
    const items = part?.kind === 'arithmetic' ? part.items : undefined;
    if (!items || !isCalculated(withoutTarget(items), this.#values.scope, this.#values.valueOf('')))
      return asks('calculates with a value that may be no number', word?.spelled ?? '');
    this.recordArithmetic(word === undefined ? [] : [word]);
    return safe;
  }

  /** Records what the arithmetic in words may set. */
  recordArithmetic(words: readonly ShellWord[]): void {
    const number: Values = [{ kind: 'number' }];
    for (const name of words.flatMap(arithmeticTargetsIn))
      this.#values.set(name, joinValues(this.#values.scope.get(name) ?? number, number));
  }

  /** Judges `unset NAME…`; other calls as a program. */
  unset(names: readonly ShellWord[], isPlain: boolean): Verdict | undefined {
    if (!isPlain || names.length === 0 || !names.every(isOwnWord)) return undefined;
    if (names.some(({ text }) => this.#values.isArray(text))) return undefined;
    this.#values.scope = new Map([
      ...this.#values.scope,
      ...names.map(({ text }) => [text, this.#outerValues(text)] as const),
    ]);
    return safe;
  }

  /** Returns the values after `unset`, which uncovers those outside of the functions that run. */
  #outerValues(name: string): Values {
    const outer = this.#values.calls.flatMap(({ locals }) => {
      const values = locals.get(name);
      return values === undefined ? [] : [values];
    });
    return outer.reduce(joinValues, noValue);
  }

  /** Judges `local NAME` and `local NAME=VALUE`. */
  local(words: readonly ShellWord[]): Verdict {
    const call = this.#values.calls.at(-1);
    const set = words.map(({ spelled }) => /^\w+(?==)/.exec(spelled)?.[0] ?? '');
    // Most shells expand all words before they set the first variable.
    const isOrdered = words.every(({ parts, spelled }, at) =>
      set.slice(0, at).every((name) => parts === undefined || !spelled.includes(name)),
    );
    if (!isOrdered) return asks('uses a variable that the same command sets', '');
    for (const word of words) {
      const isSet = word.spelled.includes('=');
      const [, name = ''] = /^([A-Za-z_]\w*)(?:=|$)/.exec(word.spelled) ?? [];
      if (call === undefined || !isOwnName(name) || this.#values.isArray(name) || listOf(word))
        return asks('sets a variable that programs may read', word.spelled);
      const before = this.#values.scope.get(name) ?? noValue;
      const verdict = isSet ? this.assign([word]) : safe;
      if (verdict.kind !== 'safe') return verdict;
      if (!isSet)
        this.#values.scope = new Map([...this.#values.scope, [name, joinValues(before, noValue)]]);
      call.locals.set(name, joinValues(call.locals.get(name) ?? before, before));
    }
    return safe;
  }

  /** Judges `printf -v NAME`, which prints nothing; other calls as a program. */
  printTo(command: ShellCommand, judge: (command: ShellCommand) => Verdict): Verdict | undefined {
    const target = printfTarget(command.words);
    if (target === undefined || !isOwnWord(target)) return undefined;
    const [program, , , ...rest] = command.words;
    const words = program === undefined ? rest : [program, ...rest];
    const verdict = judge({ ...command, words });
    const value: Values = /^%0?\d*d$/.test(rest[0]?.text ?? '') ? [{ kind: 'number' }] : 'unknown';
    this.#values.set(target.text, value);
    return verdict;
  }

  read(command: ShellCommand): Verdict {
    const call = readCall(command);
    const part = command.words.map(({ spelled }) => spelled).join(' ');
    if (call === undefined) return asks('sets variables that are not known', part);
    if (call.isList && call.names.some((name) => this.#values.scope.has(name)))
      return asks('sets variables that are not known', part);
    for (const name of call.names) this.#fill(name, 'unknown', call.isList);
    return this.#steps.redirections({ ...command, words: [], assignments: [] });
  }

  /** Sets a variable, or the elements of a list. */
  #fill(name: string, values: Values, isList: boolean): void {
    if (!isList) this.#values.set(name, values);
    else this.#values.scope = withElements(this.#values.scope, name, outputElements(values));
  }

  /** Judges `mapfile NAME`; other calls as a program. */
  mapfile(command: ShellCommand): Verdict | undefined {
    const call = mapfileCall(command);
    if (call === undefined || this.#values.scope.has(call.name)) return undefined;
    const [input, ...others] = command.redirections;
    const isFed = command.here === undefined && others.length === 0 && input?.sign === '<';
    const values = isFed && call.isWhole ? this.#values.outputIn(input.target, false) : 'unknown';
    this.#fill(call.name, values, true);
    return this.#steps.redirections({ ...this.#values.expand(command, ''), words: [] });
  }
}
