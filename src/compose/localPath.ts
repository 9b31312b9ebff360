/** Paths on this computer, as written by the user. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { UserFacing } from '../base/errors.ts';
import type { LocalPath } from '../presentation/machines/machineOptions.ts';
import { expandHome } from '../machines/ssh/configFile.ts';

/**
 * Returns a function that resolves paths: relative ones in `folder`, `~/` in `homeFolder`. Refuses
 * a path that does not exist at once, not when it is needed.
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
