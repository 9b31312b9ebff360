/**
 * Finds a run without knowing its session, by `machine:pid`, `machine:job`, or the id of the run.
 */
import type { RunPlace, Sessions } from '../agent/contract/sessions.ts';
import { UserFacing } from '../base/errors.ts';
import { isRunId } from '../base/ids.ts';

/** Returns whether the text has the form of a run reference. */
export const isRunName = (reference: string): boolean =>
  isRunId(reference) || reference.includes(':');

export const noRun = (reference: string): UserFacing =>
  new UserFacing(
    `There is no run ${reference}.`,
    'Use machine:pid or machine:job, such as local:4711, or the id of the run.',
  );

/** Finds a run. Resolves with `undefined` if the text is no run reference or the run is unknown. */
export async function runNamed(
  sessions: Sessions,
  reference: string,
): Promise<RunPlace | undefined> {
  return isRunName(reference) ? sessions.findRun(reference) : undefined;
}
