/** Finds the numbers in the agent's words that no run of the session measured. */
import type { Ledger } from '../../experiments/ledger.ts';
import { unmeasuredNumbers } from '../../reports/claims.ts';
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
  const found = unmeasuredNumbers(text, numbersOf(measured)).filter((one) => !one.isImported);
  return [
    ...new Set(found.map((one) => (one.instead ? `${one.text} (${one.instead})` : one.text))),
  ];
}

const maxNamed = 6;

/** Returns a sentence that names these numbers; empty if there are none. */
export function unmeasuredText(text: string, measured: Measured): string {
  if (!/\d/.test(text)) return '';
  const [first, ...others] = unmeasuredIn(text, measured);
  if (first === undefined) return '';
  const numbers = [first, ...others].slice(0, maxNamed).join(', ');
  return `${numbers} ${others.length === 0 ? 'was' : 'were'} measured by no run`;
}
