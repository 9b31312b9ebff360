/**
 * Machines on which files can be used, but no command can run: this computer, if it runs Windows.
 */
import { UserFacing } from '../base/errors.ts';

/** Kind of a path. `key`: a file that begins like a private key. */
export type PathKind = 'missing' | 'folder' | 'file' | 'key';

/** Answers about files that other machines give with a shell script. All reject with `MachineFailure`. */
export interface FilesOnly {
  /** Advice on other machines, for lists of machines: `Windows: use WSL, SSH or a container`. */
  readonly note: string;
  /** See `realPath`. */
  realPath(path: string): Promise<string>;
  kindOf(path: string): Promise<PathKind>;
  /** Resolves with the names in the folder, sorted. Names of folders end with a slash. */
  namesIn(folder: string): Promise<readonly string[]>;
}

interface ListedMachine {
  readonly id: string;
  readonly filesOnly?: FilesOnly | undefined;
}

/** Returns whether commands can run on any of the machines. */
export const canRunCommands = (machines: readonly ListedMachine[]): boolean =>
  machines.some(({ filesOnly }) => filesOnly === undefined);

/**
 * Throws `UserFacing` with the reason `no_machine` if no command can run on any of the machines, so
 * that no model is called for work that cannot be done.
 */
export function checkCommandsRun(machines: readonly ListedMachine[]): void {
  if (canRunCommands(machines)) return;
  throw new UserFacing(
    'Helios cannot work here: commands cannot run on Windows itself, and there is no other machine.',
    'Use WSL, an SSH host or a container.',
    'no_machine',
  );
}

/**
 * Returns the id of the machine for commands if there is no choice: if no command can run on this
 * computer and there is exactly one other machine.
 */
export function onlyMachine(machines: readonly ListedMachine[]): string | undefined {
  const usable = machines.filter(({ filesOnly }) => filesOnly === undefined);
  return usable.length === 1 && usable.length < machines.length ? usable[0]?.id : undefined;
}
