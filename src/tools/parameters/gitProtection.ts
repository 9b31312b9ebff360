/** What tools ask before they let a command or a file come near git. */
import type { Machine } from '../../machines/machine.ts';

export interface GitProtection {
  /** The command as it is to be run. Rejects with `ToolFailure` where it may not be. */
  command(machine: Machine, command: string): Promise<string>;
  /** Throws `ToolFailure` where nothing may be written to a path. */
  path(path: string): void;
  /**
   * What a transfer into a folder leaves out: the repository that is there is not mixed with
   * another.
   */
  excluded(machine: Machine, folder: string): Promise<readonly string[]>;
}
