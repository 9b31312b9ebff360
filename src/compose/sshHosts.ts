import { homedir } from 'node:os';
import { join } from 'node:path';
import { hostAliases, settingsOf } from '../machines/ssh/configFile.ts';

/** A host in the user's ssh config. */
export interface SshHost {
  readonly alias: string;
  /**
   * Whether the user name of the host is `git`. Such hosts serve Git repositories and run no
   * commands.
   */
  readonly isForGit: boolean;
}

/**
 * Resolves with the hosts in the order of the config files, without patterns such as `*`. Empty if
 * the config cannot be read.
 */
export async function sshHosts(homeFolder = homedir()): Promise<readonly SshHost[]> {
  const place = { configFile: join(homeFolder, '.ssh', 'config'), homeFolder };
  try {
    const aliases = await hostAliases(place);
    const users = await Promise.all(
      aliases.map(async (alias) => (await settingsOf(alias, place)).get('user')?.[0]?.[0]),
    );
    return aliases.map((alias, index) => ({ alias, isForGit: users[index] === 'git' }));
  } catch {
    return [];
  }
}

export const aliasesOf = (hosts: readonly SshHost[]): string[] => hosts.map(({ alias }) => alias);
