/** Selects the environment of commands on this computer, and of what Helios starts itself. */
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { Environment } from '../../base/childEnvironment.ts';
import { isWithheld } from '../environment/variables.ts';

/**
 * Returns `processEnv` without withheld variables, plus `PYTHONUNBUFFERED=1` (so that output appears
 * as it is printed) and `commandVariables`, which take precedence.
 */
export function commandEnv(
  processEnv: Environment,
  commandVariables: Environment = {},
): Record<string, string> {
  const inherited = Object.entries(processEnv).filter(([name]) => !isWithheld(name));
  const all = [
    ...inherited,
    ['PYTHONUNBUFFERED', '1'] as const,
    ...Object.entries(commandVariables),
  ];
  return Object.fromEntries(
    all.filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Folders of the system, which are searched even if the work folder contains them. */
const systemFolders = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
];

/** Variables that name files or folders of programs and libraries. */
const searched = ['PATH', 'LD_LIBRARY_PATH', 'LD_PRELOAD', 'PYTHONPATH'];

/**
 * Returns the environment of programs that Helios starts for itself, such as git. Removes from the
 * environment of commands all paths in `workFolder`, such as `.venv/bin`: a confined command may
 * have changed these files, and programs of Helios are not confined. Removes nothing if
 * `workFolder` is the home folder or above it, because confined commands never get write access to
 * such a folder.
 */
export function ownEnv(processEnv: Environment, workFolder: string): Record<string, string> {
  const env = commandEnv(processEnv);
  const folders = [workFolder, realPath(workFolder)];
  const homes = [homedir(), realPath(homedir())];
  if (folders.some((folder) => homes.some((home) => isBelow(folder, home)))) return env;
  const isOutside = (entry: string): boolean =>
    systemFolders.includes(entry) ||
    (path.isAbsolute(entry) &&
      [entry, realPath(entry)].every((each) => !folders.some((folder) => isBelow(folder, each))));
  for (const name of searched)
    if (env[name] !== undefined)
      env[name] = env[name].split(path.delimiter).filter(isOutside).join(path.delimiter);
  return env;
}

const isBelow = (folder: string, entry: string): boolean =>
  entry === folder || entry.startsWith(folder.replace(/\/?$/, path.sep));

function realPath(entry: string): string {
  try {
    return realpathSync(entry);
  } catch {
    return path.normalize(entry);
  }
}
