/** Finds the parts of loops, functions and commands in the syntax tree. */
import type { Heredoc } from './heredoc.ts';
import { childrenOf, written, type Place } from './children.ts';
import type { Redirection, ShellCommand, ShellWord } from './shellCommand.ts';
import { must } from './notUnderstood.ts';
import { partsOfCondition } from './simpleCommand.ts';

export interface Reading {
  readonly heredocs: ReadonlyMap<number, Heredoc>;
  /** Returns the commands of a text that is nested in `depth` substitutions. */
  read(text: string, depth: number): readonly ShellCommand[];
  /** Returns the expansions in the text of a here-document. */
  expansionsOf(text: string): readonly string[];
}

/** Redirections and input that a command gets from enclosing groups. */
export interface Around {
  readonly redirects: readonly Place[];
  /** Input of an enclosing group. Each command of the group may read it. */
  readonly input: string;
}

export interface Draft {
  readonly parts: Place[];
  readonly redirections: Redirection[];
  input: string;
  here?: ShellWord;
  /** Expansions in the text of the input. */
  readonly expansions: string[];
  /** Number of commands found before this one and its substitutions. */
  readonly from: number;
}

/** A command without words. */
export const nothing = { assignments: [], redirections: [], input: '', operator: ';' };

export const bareWord = (text: string): ShellWord => ({
  text,
  spelled: text,
  isDynamic: false,
  isQuoted: false,
});

/** Returns an assignment of arithmetic, in which blanks may be around the `=`, as a command. */
export const assignmentOf = (text: string): ShellCommand => ({
  ...nothing,
  assignments: [bareWord(text.replace(/\s*=\s*/, '='))],
  words: [],
});

/** Returns the parts of the head of a loop that `;` separates. */
export function partsBetween(children: readonly Place[]): readonly (readonly Place[])[] {
  const all: Place[][] = [[]];
  for (const child of children) {
    if (/^;+$/.test(child.type)) for (const _sign of child.type) all.push([]);
    else all.at(-1)?.push(child);
  }
  return all;
}

/** Returns the index of `in` in a `case`. */
export function endOfCaseHead(children: readonly Place[]): number {
  const end = children.findIndex((child) => child.type === 'in');
  const last = children.at(-1);
  must(end > 0 && last !== undefined && children[end + 1]?.type !== ';');
  // The grammar also takes an `esac` that a shell reads as an argument.
  must(/(?:[;\n]|\sin)\s*$/.test(last?.source.slice(0, last.start) ?? ''));
  return end;
}

/** Returns the name of a function with a body in `{ }`; `undefined` for other groups. */
export function functionName(type: string, children: readonly Place[]): string | undefined {
  const body = children.at(-1);
  const head = children.slice(0, -1).map(written).join(' ');
  const [, name, other = name] =
    /^(?:(?:function )?([A-Za-z_]\w*) \( \)|function ([A-Za-z_]\w*))$/.exec(head) ?? [];
  const isGroup = body?.type === 'compound_statement' && written(body).startsWith('{');
  return type === 'function_definition' && isGroup ? other : undefined;
}

/** Returns the parts of a simple command. */
export function ownParts(place: Place): readonly Place[] {
  if (place.type === 'variable_assignment') return [place];
  return place.type === 'test_command' ? partsOfCondition(place) : childrenOf(place);
}
