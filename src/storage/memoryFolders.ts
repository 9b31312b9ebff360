/** Returns the folders of the notes that sessions share. */
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Home } from './home.ts';

export interface SharedMemoryFolders {
  /** Folder of the notes that all sessions share. */
  readonly global: string;
  /**
   * Returns the folder of the notes that the sessions of a project share. The project of a working
   * folder is its Git repository, together with the worktrees of the repository; without a
   * repository, the folder itself.
   */
  project(workFolder: string): string;
}

const hashChars = 12;

export const memoryFolders = (
  home: Pick<Home, 'globalMemoryFolder' | 'projectsFolder'>,
): SharedMemoryFolders => ({
  global: home.globalMemoryFolder,
  project: (workFolder) => {
    const root = projectOf(realFolder(workFolder));
    const hash = createHash('sha256').update(root).digest('hex').slice(0, hashChars);
    const name = path.basename(root).replace(/[^\w.-]+/g, '-');
    return path.join(home.projectsFolder, `${name}-${hash}`, 'memory');
  },
});

function projectOf(folder: string): string {
  for (let current = folder; ; current = path.dirname(current)) {
    const repository = repositoryAt(current);
    if (repository !== undefined) return repository;
    if (path.dirname(current) === current) return folder;
  }
}

/** Returns the main folder of the repository whose worktree is at `folder`. */
function repositoryAt(folder: string): string | undefined {
  const place = path.join(folder, '.git');
  try {
    if (statSync(place).isDirectory()) return folder;
    const [, main] =
      /^gitdir: (.+)[/\\]\.git[/\\]worktrees[/\\][^/\\]+\s*$/.exec(readFileSync(place, 'utf8')) ??
      [];
    return main === undefined ? folder : realFolder(path.resolve(folder, main));
  } catch {
    return undefined;
  }
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return path.resolve(folder);
  }
}
