/** Keys of the providers: from the environment, else from files that only their owner can read. Never shown, never logged. */
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { codeOf, UserFacing } from '../base/errors.ts';
import type { ProviderName } from './arguments.ts';

interface KeySource {
  /** As the engine names the secret, and the file in `auth`. */
  readonly secret: string;
  readonly variable: string;
}

export const keySources: Readonly<Record<Exclude<ProviderName, 'demo'>, KeySource>> = {
  claude: { secret: 'anthropic', variable: 'ANTHROPIC_API_KEY' },
  openai: { secret: 'openai', variable: 'OPENAI_API_KEY' },
  compatible: { secret: 'compatible', variable: 'OPENAI_API_KEY' },
};

export type ReadKey = (secret: string) => Promise<string | undefined>;

/** `undefined` when there is none. Rejects with `UserFacing` for a file that others can read. */
export function keyReader(env: Readonly<Record<string, string | undefined>>, authFolder: string): ReadKey {
  return async (secret) => {
    const source = Object.values(keySources).find((each) => each.secret === secret);
    const fromEnv = source === undefined ? undefined : env[source.variable]?.trim();
    return fromEnv ? fromEnv : fromFile(path.join(authFolder, secret));
  };
}

async function fromFile(file: string): Promise<string | undefined> {
  try {
    const { mode } = await stat(file);
    if ((mode & 0o077) !== 0)
      throw new UserFacing(`The key file ${file} can be read by others.`, `Close it with: chmod 600 ${file}`);
    const key = (await readFile(file, 'utf8')).trim();
    return key === '' ? undefined : key;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
