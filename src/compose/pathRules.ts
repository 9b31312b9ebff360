/** Creates the rules on paths for a home folder of Helios. */
import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { MachineEntry } from '../machines/machineEntry.ts';
import { expandHome } from '../machines/ssh/configPaths.ts';
import { PathRules } from '../permissions/pathRules.ts';

/** Returns rules that also protect the home folder under its real path, and build files. */
export function pathRulesFor(
  home: string,
  machines: { entries(): readonly MachineEntry[] },
): PathRules {
  const folder = path.resolve(home);
  const buildFiles = (): readonly string[] =>
    machines.entries().flatMap((entry) => {
      const file = entry.kind === 'container' ? entry.dockerfile : undefined;
      return file === undefined ? [] : [expandHome(file, homedir())];
    });
  const realFolder = existsSync(folder) ? realpathSync(folder) : folder;
  return new PathRules([folder, realFolder], buildFiles);
}
