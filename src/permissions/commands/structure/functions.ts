/** Tells what is known of the functions of a line, and of the arguments of their calls. */
import type { ShellLayout, ShellWord } from '../../../shell/shellCommand.ts';
import { wrapperOf } from '../../../shell/wrappers.ts';
import { joinValues, noValue, type Scope, type Values } from '../values/variables.ts';
import { isRunner } from './runners.ts';
import { hasProgramReason } from '../verdicts/programReasons.ts';

/** Maximum depth of calls within calls. */
export const maxCalls = 4;

/** Keywords and commands of shells, and functions that a shell calls by itself. */
const ofShells = new Set(
  (
    'if then else fi for in while until do done esac select function ' +
    'alias bg bind break builtin caller case cd chpwd command command_not_found_handle compgen ' +
    'complete compopt continue coproc dirs disown echo elif enable eval exec exit fc fg getopts ' +
    'hash help history jobs kill let logout mapfile popd precmd preexec printf pushd pwd read ' +
    'readarray readonly return set shift shopt source suspend test times trap type typeset ulimit ' +
    'umask unalias unset wait periodic print vared whence zshexit zmodload find xargs local true false'
  ).split(' '),
);

/** Returns true for a name of a function that no command of a shell has, and no program that acts. */
export const isFunctionName = (name: string): boolean =>
  /^[a-z_][a-z0-9_]{0,30}$/.test(name) &&
  !ofShells.has(name) &&
  wrapperOf(name) === undefined &&
  !isRunner(name) &&
  !hasProgramReason(name);

export interface Call {
  /** The words in place of `"$@"`. */
  readonly words: readonly ShellWord[];
  /** Variables of the function, and the values that they have after the call. */
  readonly locals: Map<string, Values>;
  /** The variables where the function may return. */
  readonly returnScopes: Scope[];
}

const positions = Array.from({ length: 9 }, (_none, index) => String(index + 1));

/** An argument of a function; several if the shell makes a list of it. */
export interface Argument {
  readonly values: Values;
  readonly isList: boolean;
}

/** Returns the variables with `$1` to `$9`, as far as the arguments of a call are known. */
export function withArguments(scope: Scope, given: readonly Argument[]): Scope | undefined {
  const last = given.length - 1;
  if (given.some(({ isList }, index) => isList && index < last)) return undefined;
  const rest =
    given.at(-1)?.isList === true ? joinValues(given[last]?.values ?? [], noValue) : noValue;
  return new Map([
    ...scope,
    ...positions.map((name, index): [string, Values] => {
      const argument = given[index];
      return [name, argument === undefined || argument.isList ? rest : argument.values];
    }),
  ]);
}

/** Returns the variables after a call: those of the function's arguments are as before it. */
export function afterCall(scope: Scope, before: Scope, locals: Call['locals']): Scope {
  const after = new Map(scope);
  // The command `local` may not have run.
  for (const [name, values] of locals)
    after.set(name, joinValues(after.get(name) ?? noValue, values));
  for (const name of positions) {
    const value = before.get(name);
    if (value === undefined) after.delete(name);
    else after.set(name, value);
  }
  return after;
}

/** Returns the words with the arguments of the call in place of `"$@"`. */
export const spreadArguments = (
  words: readonly ShellWord[],
  call: Call | undefined,
): readonly ShellWord[] =>
  call === undefined ? words : words.flatMap((word) => (isAll(word) ? call.words : [word]));

const isAll = ({ parts = [] }: ShellWord): boolean => {
  const [part, ...others] = parts.filter((each) => each.kind !== 'text' || each.text !== '');
  return others.length === 0 && part?.kind === 'variable' && part.name === '@';
};

export type Functions = ReadonlyMap<string, ShellLayout>;
