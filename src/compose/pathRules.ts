/** Creates the rules on paths for a home folder of Helios. */
import { realpathSync } from 'node:fs';
import path from 'node:path';
import { PathRules } from '../permissions/pathRules.ts';

/** Returns rules that also protect the home folder under its real path. */
export function pathRulesFor(home: string): PathRules {
  const folder = path.resolve(home);
  try {
    return new PathRules(folder, realpathSync(folder));
  } catch {
    // The folder does not exist yet.
    return new PathRules(folder);
  }
}
