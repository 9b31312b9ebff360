/** Finds the numbers in the agent's words that no run of the session measured. */
import type { Ledger } from '../../experiments/ledger.ts';
import { unmeasuredNumbers, type UnmeasuredNumber } from '../../reports/claims.ts';
import { knownNumbers, type KnownNumbers } from '../../reports/knownNumbers.ts';
import type { SessionState } from '../journal/state.ts';

export interface Measured {
  readonly state: SessionState;
  readonly ledger: Ledger;
}

/** Returns the numbers that were measured, or given by the goal or by commands. */
export function numbersOf({ state, ledger }: Measured): KnownNumbers {
  const runs = [...state.runs.values()].map(({ spec }) => spec);
  const { goal, target, earlierTargets } = state;
  return knownNumbers({
    ledger,
    runs,
    session: { goal },
    ...(target && { target }),
    ...(earlierTargets && { earlierTargets }),
  });
}

/**
 * Returns the numbers of a text that no run measured and that were not imported, with what was
 * measured instead: `2.1248 (run 46 measured 2.1262)`.
 */
export function unmeasuredIn(text: string, measured: Measured): readonly string[] {
  return textsOf(unmeasuredNumbers(text, numbersOf(measured)).filter((one) => !one.isImported));
}

const textsOf = (found: readonly UnmeasuredNumber[]): readonly string[] => [
  ...new Set(found.map((one) => (one.instead ? `${one.text} (${one.instead})` : one.text))),
];

/** Words between a metric and its value in a note: `val_rmse: 3.1`, `val rmse of about 3.1`. */
const between = String.raw`[\s\x60*_"]*(?:(?:=|:|<=?|>=?|≈|~|\(|is|was|of|to|at|by|about|mean|average|reached|hit|got|best|last|from)[\s\x60*_"]*){0,3}$`;

/**
 * Returns a sentence that names the numbers of a note that it gives as values of a metric and that
 * no run measured; empty if there are none. Other numbers of a note are constants and settings.
 */
export function unmeasuredInNote(text: string, measured: Measured): string {
  const names = new Set(
    measured.ledger.rows.flatMap(({ metrics }) => metrics.map(({ metric }) => metric)),
  );
  if (names.size === 0) return '';
  const spellings = [...names].map((name) =>
    name
      .split(/[^\p{L}\d]+/u)
      .filter(Boolean)
      .join(String.raw`[\s_/.-]?`),
  );
  const isValue = new RegExp(`(?<![\\p{L}\\d_])(?:${spellings.join('|')})${between}`, 'iu');
  return sentence(
    unmeasuredNumbers(text, numbersOf(measured)).filter(({ isImported, text: number, end }) => {
      const start = end - number.length;
      return !isImported && isValue.test(text.slice(Math.max(0, start - 80), start));
    }),
  );
}

const maxNamed = 6;

/** Returns a sentence that names these numbers; empty if there are none. */
export function unmeasuredText(text: string, measured: Measured): string {
  if (!/\d/.test(text)) return '';
  return sentence(unmeasuredNumbers(text, numbersOf(measured)).filter((one) => !one.isImported));
}

function sentence(found: readonly UnmeasuredNumber[]): string {
  const [first, ...others] = textsOf(found);
  if (first === undefined) return '';
  const numbers = [first, ...others].slice(0, maxNamed).join(', ');
  return `${numbers} ${others.length === 0 ? 'was' : 'were'} measured by no run`;
}
