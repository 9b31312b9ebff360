/** Compares the current environment of runs with the environment recorded for an earlier run. */
import { messageOf } from '../../base/errors.ts';
import type { Machines } from '../../machines/machine.ts';
import { commandMachine, type CommandConfining } from '../../tools/parameters/machinePath.ts';
import { changesBetween, type Environment } from '../../tools/runs/environment.ts';
import { askEnvironment } from '../../tools/runs/envSnapshot.ts';
import { readSnapshot, snapshotFolder } from '../runs/environments.ts';
import type { SessionLog } from '../journal/sessionLog.ts';

export interface EnvironmentDeps {
  readonly log: SessionLog;
  readonly machines: Machines;
  readonly confining?: CommandConfining;
  /** Folder of the session, absolute. */
  readonly folder: string;
}

const maxChanges = 20;

/**
 * Resolves with one sentence: what changed in the environment since `envId` was recorded, that
 * nothing changed, or why this is unknown. Never rejects.
 */
export async function environmentSince(
  { log, folder, ...commands }: EnvironmentDeps,
  envId: string | undefined,
  signal = new AbortController().signal,
): Promise<string> {
  const env = log.state.envs.find(({ id }) => id === envId);
  if (env === undefined)
    return 'The environment of the first run was not recorded: packages and drivers may have changed.';
  const { id, machineId, repo } = env;
  try {
    const snapshot = await readSnapshot(snapshotFolder(folder), env.file);
    if (snapshot === undefined) return notCompared(id, env.gist, 'its file is gone');
    const python = interpreterOf(snapshot.environment);
    const machine = await commandMachine(commands, machineId);
    const now = await askEnvironment(machine, { repo, python }, signal);
    const changes = changesBetween(withoutCode(snapshot.environment), withoutCode(now));
    return changes.length === 0
      ? `The environment is that of the first run (${id}).`
      : `The environment differs from that of the first run (${id}): ${listed(changes)}.`;
  } catch (error) {
    return notCompared(id, env.gist, messageOf(error));
  }
}

const notCompared = (id: string, gist: string, why: string): string =>
  `The environment was not compared (${why}); that of the first run is ${id} (${gist}).`;

/**
 * Returns the environment without its git state, which is not compared: the run uses a restored
 * worktree instead of the code in this folder.
 */
const withoutCode = ({ git: _, ...environment }: Environment): Environment => environment;

/**
 * Returns the path of the interpreter from a recorded text such as `3.12.1 /opt/py/bin/python3`.
 */
const interpreterOf = ({ python }: Environment): string | undefined => python?.replace(/^\S+ /, '');

function listed(changes: readonly string[]): string {
  const omittedCount = changes.length - maxChanges;
  return [
    ...changes.slice(0, maxChanges),
    ...(omittedCount > 0 ? [`and ${omittedCount} more`] : []),
  ].join('; ');
}
