/** A run as a person names it outside of its session: `machine:pid`, `machine:job`, or its id. */
import type { RunPlace, Sessions } from '../agent/engine.ts';
import { isRunId } from '../base/ids.ts';

/** `undefined` where the reference is none of a run, or nobody knows that run. */
export async function runNamed(sessions: Sessions, reference: string): Promise<RunPlace | undefined> {
  const isOne = isRunId(reference) || reference.includes(':');
  return isOne ? sessions.findRun(reference) : undefined;
}
