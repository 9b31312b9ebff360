/** Makes paths that the user typed absolute. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { UserFacing } from '../base/errors.ts';
import type { LocalPath } from '../presentation/machines/machineOptions.ts';
import { expandHome } from '../machines/ssh/configPaths.ts';

/**
 * Returns a function that makes paths absolute: relative paths start in `folder`, `~/` is
 * `homeFolder`. The function throws `UserFacing` for a path that does not exist, so that the user
 * sees the error before the path is stored.
 */
export const localPathFrom =
  (folder: string, homeFolder: string): LocalPath =>
  (text) => {
    const absolute = path.resolve(folder, expandHome(text, homeFolder));
    if (existsSync(absolute)) return absolute;
    throw new UserFacing(
      `There is nothing at ${absolute} on this computer.`,
      `Name an existing file or folder.`,
    );
  };
