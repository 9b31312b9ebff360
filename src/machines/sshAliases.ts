import { homedir } from 'node:os';
import { join } from 'node:path';
import { hostAliases } from './ssh/configFile.ts';

/** Hosts of the person's ssh config, without patterns; none where the config cannot be read. */
export const sshAliases = (homeFolder = homedir()): Promise<string[]> =>
  hostAliases({ configFile: join(homeFolder, '.ssh', 'config'), homeFolder }).catch(() => []);
