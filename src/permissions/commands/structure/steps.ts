import type { ShellCommand } from '../../../shell/shellCommand.ts';
import type { CommandPlace } from '../paths/place.ts';
import type { Verdict } from '../verdicts/verdict.ts';

/** Judges simple commands, and tracks the folders in which the next command may run. */
export interface Steps {
  readonly place: CommandPlace;
  /** Judges a command. `isSure`: a command after `&&` can rely on the success of this one. */
  judge(command: ShellCommand, isSure: boolean): Verdict;
  /** Judges the redirections of a loop or a group. */
  redirections(command: ShellCommand): Verdict;
  /** Returns the folders in which a loop after `operator` may run. */
  folders(operator: string): readonly string[];
  /**
   * Calls `walk` to judge commands that start in `folders`. If one of them changes the folder,
   * later commands may also run in the new folder, unless the commands run in a subshell
   * (`isSubshell`).
   */
  within(folders: readonly string[], walk: () => Verdict, isSubshell: boolean): Verdict;
}
