/** The place in which Helios runs. Some places end runs, or remove the home folder of Helios. */
import { existsSync, readFileSync } from 'node:fs';
import type { Environment } from './childEnvironment.ts';
import { currentPlatform } from './platform.ts';

/**
 * - `computer`: the computer of the user
 * - `ssh`: a host that the user reaches through SSH
 * - `container`: a container that VS Code did not start
 */
export type Place = 'computer' | 'ssh' | 'wsl' | 'dev-container' | 'codespaces' | 'container';

export interface PlaceSigns {
  readonly platform: NodeJS.Platform;
  readonly env: Environment;
  /** Value of `env.remoteName` of VS Code. Unknown to other front ends. */
  readonly remoteName?: string | undefined;
  /** Content of `/proc/version`; empty if there is no such file. */
  readonly kernel: string;
  /** Whether a container engine has left its mark. */
  readonly isInContainer: boolean;
}

export function placeOf(signs: PlaceSigns): Place {
  const { env, remoteName, isInContainer } = signs;
  if (remoteName === 'codespaces' || env['CODESPACES'] === 'true') return 'codespaces';
  if (isDevContainer(signs)) return 'dev-container';
  if (isInContainer) return 'container';
  if (isWsl(signs)) return 'wsl';
  return remoteName === 'ssh-remote' || env['SSH_CONNECTION'] ? 'ssh' : 'computer';
}

const isDevContainer = ({ env, remoteName, isInContainer }: PlaceSigns): boolean =>
  remoteName === 'dev-container' ||
  remoteName === 'attached-container' ||
  env['REMOTE_CONTAINERS'] === 'true' ||
  (isInContainer && Object.keys(env).some((name) => name.includes('REMOTE_CONTAINERS')));

/** Windows can pass the variable on to its own programs, so it counts in Linux only. */
const isWsl = ({ platform, env, remoteName, kernel }: PlaceSigns): boolean =>
  remoteName === 'wsl' ||
  (platform === 'linux' && (!!env['WSL_DISTRO_NAME'] || /microsoft/i.test(kernel)));

const containerMarks = ['/.dockerenv', '/run/.containerenv'];

/** Returns the place of this process. */
export const placeHere = ({
  env = process.env,
  remoteName,
}: Partial<Pick<PlaceSigns, 'env' | 'remoteName'>> = {}): Place =>
  placeOf({
    platform: currentPlatform(),
    env,
    remoteName,
    kernel: textOf('/proc/version'),
    isInContainer: containerMarks.some((file) => existsSync(file)),
  });

/** Returns the content of a file of the system; an empty text if it cannot be read. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
