/** Calls of the programs that are part of Windows. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { win32 } from 'node:path';
import { searchFolders, variableOf, type HostSystem } from './hostSystem.ts';

/** A program to start, with arguments that Node must not quote if `isVerbatim` is true. */
export interface ProgramCall {
  readonly file: string;
  readonly args: readonly string[];
  readonly isVerbatim?: boolean;
}

/**
 * Returns the path of a program below the system folder. A bare name would be searched in the
 * working folder first.
 */
export const windowsProgram = (system: HostSystem, ...names: readonly string[]): string =>
  [variableOf(system, 'SYSTEMROOT') ?? 'C:\\Windows', 'System32', ...names].join('\\');

/**
 * Returns how a program that the user may have is started: by its name or, on Windows, by its path,
 * because a bare name would be searched in the working folder first. A path is also returned if there
 * is no such program.
 */
export function programCall(
  system: HostSystem,
  name: string,
  exists: (file: string) => boolean = existsSync,
): string {
  if (system.platform !== 'win32') return name;
  const files = searchFolders(system)
    .filter((folder) => win32.isAbsolute(folder))
    .map((folder) => win32.join(folder, `${name}.exe`));
  return files.find((file) => exists(file)) ?? windowsProgram(system, `${name}.exe`);
}

/**
 * Returns the call that runs a command line in `cmd.exe`, without the commands that the registry
 * adds. `cmd.exe` removes the outer quotes and does not know the quotes that Node would add.
 */
export const windowsShell = (
  system: HostSystem,
  command: string,
  options: readonly string[] = [],
): ProgramCall => ({
  file: windowsProgram(system, 'cmd.exe'),
  args: ['/d', ...options, '/s', '/c', `"${command}"`],
  isVerbatim: true,
});

/**
 * Signals a process and its children. On Windows, which has no signals, they are ended at once;
 * elsewhere the process must lead its process group. Does nothing if the process cannot be signalled,
 * for example because it has ended.
 */
export function signalTree(
  pid: number | undefined,
  signal: NodeJS.Signals,
  system: HostSystem,
): void {
  if (pid === undefined) return;
  if (system.platform === 'win32') {
    const taskkill = windowsProgram(system, 'taskkill.exe');
    spawn(taskkill, ['/pid', String(pid), '/t', '/f'], {
      stdio: 'ignore',
      windowsHide: true,
    }).on('error', () => undefined);
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // The process has ended.
  }
}
