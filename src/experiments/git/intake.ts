/**
 * Selects the files of a worktree that are stored as the code of an experiment, and gives the
 * reason for each file that is left out.
 */
import type { Inspected, Survey } from './survey.ts';
import { environmentReason, looksSecretByName, tooLarge, type LeaveOutLimits } from './leaveOut.ts';

export interface Intake {
  /**
   * Names of the files to store with their current content. A name of a deleted file means that the
   * file is removed from the tree.
   */
  readonly asTheyStand: readonly string[];
  /**
   * Omitted files: name → reason. The stored tree has the version of the checked-out commit, or no
   * such file if the commit has none.
   */
  readonly leftOut: ReadonlyMap<string, string>;
}

const hasControl = (name: string): boolean => /\p{Cc}/u.test(name.replace(/[\u0080-\u009f]/g, ''));

/**
 * Returns the names of the new and changed files to inspect, without files that are left out
 * because of their name.
 */
export function toInspect({ fresh, changed, unwatched, staged }: Survey): readonly string[] {
  const all = new Set([...changed, ...unwatched, ...staged.keys(), ...fresh]);
  return [...all].filter((name) => !hasControl(name) && !looksSecretByName(name));
}

export function intakeOf(survey: Survey, seen: Inspected, limits: LeaveOutLimits): Intake {
  const { fresh, nested, environments, changed, unwatched, staged } = survey;
  const leftOut = new Map<string, string>();
  const included: string[] = [];
  for (const name of new Set([...changed, ...unwatched, ...staged.keys(), ...fresh])) {
    const why = whyNot(name, seen, limits);
    if (why === undefined) included.push(name);
    else leftOut.set(name, why);
  }
  const asTheyStand = withinTotals(included, { seen, limits, leftOut });
  for (const name of environments) leftOut.set(`${name}/`, environmentReason);
  for (const name of nested) leftOut.set(`${name}/`, 'a separate git repository');
  return { asTheyStand, leftOut };
}

function whyNot(
  name: string,
  { sizes, special, unreadable, secret }: Inspected,
  limits: LeaveOutLimits,
): string | undefined {
  if (hasControl(name)) return 'its name has a control character';
  if (looksSecretByName(name)) return 'looks like a secret';
  if (special.has(name)) return 'it is not a regular file';
  const bytes = sizes.get(name);
  // The path no longer exists, is now a folder, or is a nested repository: git records the change.
  if (bytes === undefined) return undefined;
  if (secret.has(name)) return 'its content looks like a secret';
  if (unreadable.has(name)) return 'it cannot be read';
  return tooLarge(name, bytes, limits);
}

interface Totals {
  readonly seen: Inspected;
  readonly limits: LeaveOutLimits;
  readonly leftOut: Map<string, string>;
}

/**
 * Returns the files that fit into the limits for all files together. Includes small files first,
 * because code files are small.
 */
function withinTotals(names: readonly string[], { seen, limits, leftOut }: Totals): string[] {
  const bytesOf = (name: string): number => seen.sizes.get(name) ?? 0;
  const included: string[] = [];
  let bytes = 0;
  for (const name of names.toSorted((a, b) => bytesOf(a) - bytesOf(b))) {
    bytes += bytesOf(name);
    if (included.length < limits.maxFiles && bytes <= limits.maxTotalBytes) included.push(name);
    else leftOut.set(name, 'over the limit for new and changed files');
  }
  return included;
}
