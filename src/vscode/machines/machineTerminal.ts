/** Opens at most one terminal per machine. */
import { ThemeIcon, window, type Terminal, type TerminalOptions } from 'vscode';
import type { MachineEntry } from '../../machines/machineEntry.ts';
import { machineIcons, terminalCommand, type TerminalPlace } from './machineLabels.ts';

/**
 * Shows the machine's terminal, which is opened if needed. `entry` is `undefined` for this
 * computer.
 */
export function showMachineTerminal(
  id: string,
  entry: MachineEntry | undefined,
  place: TerminalPlace,
): void {
  const command = entry === undefined ? undefined : terminalCommand(entry, place);
  const options: TerminalOptions = {
    name: id,
    iconPath: new ThemeIcon(machineIcons[entry?.kind ?? 'local']),
    ...(command && { shellPath: command.program, shellArgs: [...command.arguments] }),
  };
  const open = window.terminals.find((terminal) => isSame(terminal, options));
  (open ?? window.createTerminal(options)).show();
}

/**
 * Whether an existing terminal can be shown instead of a new one: the options are the same and its
 * shell is still running.
 */
function isSame({ creationOptions, exitStatus }: Terminal, options: TerminalOptions): boolean {
  const key = ({ name, shellPath, shellArgs }: TerminalOptions): string =>
    JSON.stringify([name, shellPath, shellArgs]);
  return exitStatus === undefined && key(creationOptions as TerminalOptions) === key(options);
}
