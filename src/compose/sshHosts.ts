import { homedir } from 'node:os';
import { join } from 'node:path';
import { hostAliases, settingsOf } from '../machines/ssh/configFile.ts';

/** A host of the user's ssh config. */
export interface SshHost {
  readonly alias: string;
  /** Its user is `git`: code is kept there, nothing runs there. */
  readonly isForGit: boolean;
}

/** In the order of the files, without patterns; none where the config cannot be read. */
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
