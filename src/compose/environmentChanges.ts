/** Compares the recorded environments of two runs. */
import { readSnapshot, snapshotFolder } from '../agent/runs/environments.ts';
import type { SessionState } from '../agent/journal/state.ts';
import { homeAt } from '../storage/home.ts';
import { changesBetween, type Environment } from '../tools/runs/environment.ts';

/** The session of a run, and the id of its recorded environment (`env1`). */
export interface RecordedEnvironment {
  readonly state: Pick<SessionState, 'id' | 'envs'>;
  readonly envId: string | undefined;
}

/**
 * Resolves with the changes, one line each: `+ package torch==2.4`. Leaves out the state of the
 * code. Resolves with `undefined` if one of the environments was not recorded or cannot be read.
 */
export async function environmentChanges(
  home: string,
  sides: readonly [RecordedEnvironment, RecordedEnvironment],
): Promise<readonly string[] | undefined> {
  const [before, after] = await Promise.all(sides.map((side) => environmentOf(home, side)));
  return before === undefined || after === undefined ? undefined : changesBetween(before, after);
}

async function environmentOf(
  home: string,
  { state, envId }: RecordedEnvironment,
): Promise<Environment | undefined> {
  const env = state.envs.find(({ id }) => id === envId);
  if (env === undefined) return undefined;
  const folder = snapshotFolder(homeAt(home).sessionFolder(state.id));
  const snapshot = await readSnapshot(folder, env.file).catch(() => undefined);
  if (snapshot === undefined) return undefined;
  const { git: _, ...environment } = snapshot.environment;
  return environment;
}
