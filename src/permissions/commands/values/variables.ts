/** The possible values of the variables of a line. */
import type { PossibleText } from '../../../shell/shellCommand.ts';

/** Possible values of a variable; `unknown`: a text of which nothing is known. */
export type Values = readonly PossibleText[] | 'unknown';
export type Scope = ReadonlyMap<string, Values>;

/** Maximum number of values of a variable. */
const maxValues = 200;

export const textValue = (text: string): Values => [{ kind: 'text', text }];

/** Returns the variables after a part of the line that may not have run, or one of several. */
export function joinScopes(a: Scope, b: Scope): Scope {
  if (a === b) return a;
  const names = new Set([...a.keys(), ...b.keys()]);
  return new Map(
    [...names].map((name) => [name, joinValues(a.get(name) ?? noValue, b.get(name) ?? noValue)]),
  );
}

/** Value of a variable that is not set. */
export const noValue = textValue('');

export function joinValues(a: Values, b: Values): Values {
  if (a === b) return a;
  if (a === 'unknown' || b === 'unknown') return 'unknown';
  const known = new Set(a);
  if (b.every((value) => known.has(value))) return a;
  const all = new Map([...a, ...b].map((value) => [JSON.stringify(value), value]));
  if (all.size === a.length) return a;
  return all.size <= maxValues ? [...all.values()] : 'unknown';
}

/** Returns the values with each of which the body of a loop is judged. More than `most` at once. */
export function walks(values: Values, most: number): readonly Values[] {
  // Without words, the body never runs; it is judged nevertheless.
  if (values === 'unknown' || values.length === 0) return ['unknown'];
  return values.length > most ? [values] : values.map((value) => [value]);
}

/** Returns the variables of `b`, with unknown values where they are others than in `a`. */
export const widenScope = (a: Scope, b: Scope): Scope =>
  new Map([...b].map(([name, values]) => [name, isSame(values, a.get(name)) ? values : 'unknown']));

export const isSameScope = (a: Scope, b: Scope): boolean =>
  a.size === b.size && [...a].every(([name, values]) => isSame(values, b.get(name)));

function isSame(a: Values, b: Values | undefined): boolean {
  if (a === b) return true;
  if (a === 'unknown' || b === 'unknown' || a.length !== b?.length) return false;
  return a.every((value, at) => value === b[at] || JSON.stringify(value) === JSON.stringify(b[at]));
}
