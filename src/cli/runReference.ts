/** A run as a user names it outside of its session: `machine:pid`, `machine:job`, or its id. */
import type { RunPlace, Sessions } from '../agent/contract/sessions.ts';
import { UserFacing } from '../base/errors.ts';
import { isRunId } from '../base/ids.ts';

/** Whether it can be that of a run at all. */
export const isRunName = (reference: string): boolean =>
  isRunId(reference) || reference.includes(':');

export const noRun = (reference: string): UserFacing =>
  new UserFacing(
    `No session knows a run ${reference}.`,
    'Name it as machine:pid or machine:job, such as local:4711, or by its id.',
  );

/** `undefined` where the reference is none of a run, or nobody knows that run. */
export async function runNamed(
  sessions: Sessions,
  reference: string,
): Promise<RunPlace | undefined> {
  return isRunName(reference) ? sessions.findRun(reference) : undefined;
}
