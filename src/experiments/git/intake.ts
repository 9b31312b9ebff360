/** Which of what stands in a worktree is taken in, and what is not, and why. */
import type { Inspected, Survey } from './survey.ts';
import { looksSecretByName, tooLarge, type LeaveOutLimits } from './leaveOut.ts';

export interface Intake {
  /** Taken as they stand; those that are gone are taken out. */
  readonly asTheyStand: readonly string[];
  /**
   * Name → why it is not taken: it stays as the commit that is checked out has it, or stays out.
   */
  readonly leftOut: ReadonlyMap<string, string>;
}

const hasControl = (name: string): boolean => /\p{Cc}/u.test(name.replace(/[\u0080-\u009f]/g, ''));

/** What may be judged without being looked into; the rest is what `inspect` is asked for. */
export function toInspect({ fresh, changed, unwatched, staged }: Survey): readonly string[] {
  const all = new Set([...changed, ...unwatched, ...staged.keys(), ...fresh]);
  return [...all].filter((name) => !hasControl(name) && !looksSecretByName(name));
}

export function intakeOf(survey: Survey, seen: Inspected, limits: LeaveOutLimits): Intake {
  const { fresh, nested, changed, unwatched, staged } = survey;
  const leftOut = new Map<string, string>();
  const taken: string[] = [];
  for (const name of new Set([...changed, ...unwatched, ...staged.keys(), ...fresh])) {
    const why = whyNot(name, seen, limits);
    if (why === undefined) taken.push(name);
    else leftOut.set(name, why);
  }
  const asTheyStand = withinTotals(taken, { seen, limits, leftOut });
  for (const name of nested) leftOut.set(`${name}/`, 'a repository of its own');
  return { asTheyStand, leftOut };
}

function whyNot(
  name: string,
  { sizes, special, unreadable, secret }: Inspected,
  limits: LeaveOutLimits,
): string | undefined {
  if (hasControl(name)) return 'its name has a control character';
  if (looksSecretByName(name)) return 'looks like a secret';
  if (special.has(name)) return 'it is no file';
  const bytes = sizes.get(name);
  // It is gone, or a folder now, or a repository below this one.
  if (bytes === undefined) return undefined;
  if (secret.has(name)) return 'something in it looks like a secret';
  if (unreadable.has(name)) return 'it cannot be read';
  return tooLarge(name, bytes, limits);
}

interface Totals {
  readonly seen: Inspected;
  readonly limits: LeaveOutLimits;
  readonly leftOut: Map<string, string>;
}

/** The small ones first: code is small. */
function withinTotals(names: readonly string[], { seen, limits, leftOut }: Totals): string[] {
  const bytesOf = (name: string): number => seen.sizes.get(name) ?? 0;
  const kept: string[] = [];
  let bytes = 0;
  for (const name of names.toSorted((a, b) => bytesOf(a) - bytesOf(b))) {
    bytes += bytesOf(name);
    if (kept.length < limits.maxFiles && bytes <= limits.maxTotalBytes) kept.push(name);
    else leftOut.set(name, 'too much is new or changed');
  }
  return kept;
}
