/** Checks that tools make before a command can affect git. */
import type { Machine } from '../../machines/machine.ts';

export interface GitProtection {
  /**
   * Resolves with the command to run in place of `command`. Rejects with `ToolFailure` if the
   * command is not allowed.
   */
  command(machine: Machine, command: string): Promise<string>;
}
