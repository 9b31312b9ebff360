/**
 * Records the environments of a session's runs. Each environment gets a file, a memory note, and an
 * id (`env1`) that later runs refer to.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Machines } from '../../machines/machine.ts';
import type { MemoryStore } from '../../memory/memoryStore.ts';
import { recordedPath } from '../../memory/recordedNotes.ts';
import { writeFileAtomic } from '../../storage/atomicFile.ts';
import { codeOf } from '../../base/errors.ts';
import { capText } from '../../base/text.ts';
import type { CodeSnapshots, TakenSnapshot } from '../../tools/runs/envSnapshot.ts';
import type { CommandConfining } from '../../tools/parameters/machinePath.ts';
import type { SessionLog } from '../journal/sessionLog.ts';

export interface EnvironmentsDeps {
  readonly log: SessionLog;
  readonly machines: Machines;
  readonly memory: MemoryStore;
  readonly confining: CommandConfining;
  /** Folder for the files. Absolute path. */
  readonly folder: string;
}

const noteChars = 20_000;

/** Returns the folder with the session's recorded environments. */
export const snapshotFolder = (sessionFolder: string): string =>
  path.join(sessionFolder, 'snapshots');

export function createEnvironments({
  log,
  machines,
  memory,
  confining,
  folder,
}: EnvironmentsDeps): CodeSnapshots {
  return {
    machines,
    confining,
    async before(machineId, repo) {
      const env = log.state.envs.findLast(
        (one) => one.machineId === machineId && one.repo === repo,
      );
      return env && readSnapshot(folder, env.file);
    },
    async keep({ gist, diff, ...taken }, { callId }) {
      const id = `env${log.state.envs.length + 1}`;
      const [file, diffFile] = [`${id}.json`, `${id}.diff`];
      // Uncommitted changes may contain secrets, so only the owner can read the file, and the model
      // never sees it.
      if (diff !== undefined) await writeFileAtomic(path.join(folder, diffFile), diff, 0o600);
      await writeFileAtomic(
        path.join(folder, file),
        `${JSON.stringify(taken, undefined, 2)}\n`,
        0o600,
      );
      const { machineId, repo, name } = taken;
      await log.record({ type: 'env.captured', envId: id, machineId, repo, gist, file, callId });
      const note = await memory.write(recordedPath(name), gist, noteOf(taken));
      return {
        id,
        memoryPath: note.path,
        file: path.join(folder, file),
        ...(diff && { diffFile: path.join(folder, diffFile) }),
      };
    },
  };
}

/** Reads a recorded environment. Resolves with `undefined` when the file does not exist. */
export async function readSnapshot(
  folder: string,
  file: string,
): Promise<TakenSnapshot | undefined> {
  try {
    return JSON.parse(await readFile(path.join(folder, file), 'utf8')) as TakenSnapshot;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function noteOf({ machineId, repo, environment, diffSha256 }: TakenSnapshot): string {
  const { packages, conda, gpus, git, ...single } = environment;
  const parts = [
    `Machine ${machineId}, ${repo}`,
    Object.entries(single)
      .map(([key, value]) => `${key}: ${value}`)
      .join('\n'),
    ...list('GPUs', gpus),
    ...(git === undefined
      ? []
      : [
          `commit ${git.head}${git.branch === undefined ? '' : ` on ${git.branch}`}`,
          ...(diffSha256 === undefined ? [] : [`uncommitted changes, sha256 ${diffSha256}`]),
          ...list('Changed', git.changed),
          ...list('Untracked', git.untracked),
          ...list('Remotes', git.remotes),
        ]),
    ...list('Packages', packages),
    ...list('Conda packages', conda),
  ];
  return capText(parts.join('\n\n'), noteChars).text;
}

const list = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`${title}:\n${lines.join('\n')}`];
