/**
 * Reads the keys of the providers from the environment, or from files that only their owner can
 * read. Never shows or logs a key.
 */
import path from 'node:path';
import { endpointSecret, endpointVariable } from '../../compose/endpoints.ts';
import { keySources, type KeySource } from '../../compose/providers.ts';
import { readSecretFile } from '../../compose/secrets.ts';

const keyed = keySources.filter(({ variables }) => variables.length > 0);
const firstVariables = [...new Set(keyed.map(({ variables }) => variables[0]))];

export const keysHelp = `Keys: ${firstVariables.join(', ')}, or the files
${keyed.map(({ secret }) => secret).join(', ')} in <home>/auth (mode 0600).
Bedrock also uses the credentials of the aws command.`;

type Environment = Readonly<Record<string, string | undefined>>;

export interface FoundKey {
  readonly value: string;
  readonly source: 'environment' | 'file';
  /** Name of the variable or path of the file with the key. */
  readonly from: string;
}

export type ReadKey = (secret: string) => Promise<string | undefined>;

/**
 * Returns a function that reads a key. The function resolves with `undefined` if there is no key,
 * and rejects with `UserFacing` if other users can read the file.
 */
export function keyReader(env: Environment, authFolder: string): ReadKey {
  return async (secret) => {
    const source = keySources.find((each) => each.secret === secret);
    return (await findKey(source ?? { secret, variables: variablesOf(secret) }, env, authFolder))
      ?.value;
  };
}

const variablesOf = (secret: string): readonly string[] =>
  secret.startsWith(endpointSecret(''))
    ? [endpointVariable(secret.slice(endpointSecret('').length))]
    : [];

export async function findKey(
  { secret, variables }: Pick<KeySource, 'secret' | 'variables'>,
  env: Environment,
  authFolder: string,
): Promise<FoundKey | undefined> {
  for (const variable of variables) {
    const value = env[variable]?.trim();
    if (value) return { value, source: 'environment', from: variable };
  }
  const file = path.join(authFolder, secret);
  const value = await readSecretFile(file);
  return value === undefined ? undefined : { value, source: 'file', from: file };
}
