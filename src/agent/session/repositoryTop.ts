import { existsSync } from 'node:fs';
import path from 'node:path';

/**
 * Returns the root of the repository of a folder on this computer; `undefined` if the folder is in
 * no repository.
 */
export function repositoryTop(folder: string): string | undefined {
  if (existsSync(path.join(folder, '.git'))) return folder;
  const parent = path.dirname(folder);
  return parent === folder ? undefined : repositoryTop(parent);
}
