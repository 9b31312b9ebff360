/** The operating system on which Helios runs, and its environment variables. */
import type { Environment } from './childEnvironment.ts';
import { currentPlatform } from './platform.ts';

export interface HostSystem {
  readonly platform: NodeJS.Platform;
  readonly env: Environment;
}

export const thisSystem = (): HostSystem => ({ platform: currentPlatform(), env: process.env });

/**
 * Returns the value of a variable. Ignores the case of its name on Windows, where the search path
 * may be named `Path` and a copy of the environment no longer finds it under `PATH`.
 */
export function variableOf({ platform, env }: HostSystem, name: string): string | undefined {
  if (platform !== 'win32') return env[name];
  const wanted = name.toUpperCase();
  const [, value] = Object.entries(env).find(([other]) => other.toUpperCase() === wanted) ?? [];
  return value;
}

/** Returns the folders in which programs are searched, in order. */
export function searchFolders(system: HostSystem): string[] {
  const isWindows = system.platform === 'win32';
  const folders = (variableOf(system, 'PATH') ?? '').split(isWindows ? ';' : ':');
  const plain = isWindows ? folders.map((folder) => folder.replaceAll('"', '')) : folders;
  return plain.filter((folder) => folder !== '');
}

/** Variables without which programs do not start or find their files on Windows. */
const windowsNames = [
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'TEMP', 'TMP'],
  ...['USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA', 'PROGRAMFILES'],
];

/** Returns the smallest environment in which programs start: search path and home folder. */
export function bareEnvironment(system: HostSystem): Record<string, string | undefined> {
  const names = ['PATH', 'HOME', ...(system.platform === 'win32' ? windowsNames : [])];
  return Object.fromEntries(names.map((name) => [name, variableOf(system, name)]));
}
