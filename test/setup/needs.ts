/**
 * Tests that need a certain system say so by name. Where it is missing, they are listed with what
 * they need and counted apart (`N not run here`), by `reporter.ts`. They are never pending, so
 * `forbidPending` stays in force everywhere.
 *
 * The tests have two forms. The short one, `npm test`, has each mechanism at the smallest size at
 * which it can fail. The long one, `npm run test:long`, has every combination, large sizes and
 * many repetitions.
 */
import { existsSync } from 'node:fs';
import { describe, it } from 'mocha';

/**
 * `linux`: its /proc as well. `posix`: a shell, modes of files, signals and pipes; not on Windows.
 * `emulation`: the emulated Mac, which has figures of its own. `the long form`: `HELIOS_LONG=1`.
 */
export type Need = 'linux' | 'posix' | 'root' | 'emulation' | 'the long form';

const conditions: Readonly<Record<Need, () => boolean>> = {
  linux: () => process.platform === 'linux' && existsSync('/proc/self/stat'),
  posix: () => process.platform !== 'win32',
  root: () => process.getuid?.() === 0,
  emulation: () => process.env['HELIOS_TEST_PROC'] !== undefined,
  'the long form': () => process.env['HELIOS_LONG'] === '1',
};

export const isThere = (need: Need): boolean => conditions[need]();

export const isLong = isThere('the long form');

/** Returns the number that `variable` of the environment sets, otherwise that of the form. */
export function amountOf(variable: string, short: number, long: number): number {
  return Number(process.env[variable] ?? (isLong ? long : short));
}

/** Takes the place of `it`: `needs('linux')('reads /proc', …)`. */
export function needs(
  ...wanted: readonly Need[]
): (title: string, test: Mocha.Func | Mocha.AsyncFunc) => void {
  const missing = wanted.filter((need) => !isThere(need));
  return (title, test) => {
    if (missing.length === 0) it(title, test as Mocha.AsyncFunc);
    else it(`${title} [not run here: needs ${missing.join(' and ')}]`, () => undefined);
  };
}

/** Takes the place of `describe` where each test of a suite, or its hooks, have the same needs. */
export function suiteNeeds(...wanted: readonly Need[]): (title: string, suite: () => void) => void {
  const isWhole = wanted.every(isThere);
  return (title, suite) => {
    if (isWhole) describe(title, suite);
    else describe(title, () => needs(...wanted)('all of its tests', () => undefined));
  };
}

export const isNotRunHere = (title: string): boolean =>
  / \[not run here: needs [^\]]+\]$/.test(title);
