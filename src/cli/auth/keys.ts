/** Keys of the providers: from the environment, else from files that only their owner can read. Never shown, never logged. */
import path from 'node:path';
import { endpointSecret, endpointVariable } from '../../compose/endpoints.ts';
import { readSecretFile } from '../../compose/secrets.ts';
import type { ProviderName } from '../arguments.ts';

export interface KeySource {
  /** As the engine names the secret, and the file in `auth`. */
  readonly secret: string;
  /** The first that is set is taken. */
  readonly variables: readonly string[];
}

export const keySources: Readonly<Record<Exclude<ProviderName, 'claude-cli' | 'demo'>, KeySource>> = {
  claude: { secret: 'anthropic', variables: ['ANTHROPIC_API_KEY'] },
  openai: { secret: 'openai', variables: ['OPENAI_API_KEY'] },
  gemini: { secret: 'gemini', variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'] },
  bedrock: { secret: 'bedrock', variables: ['AWS_BEARER_TOKEN_BEDROCK'] },
  chatgpt: { secret: 'chatgpt', variables: [] },
  compatible: { secret: 'compatible', variables: ['OPENAI_API_KEY'] },
};

type Environment = Readonly<Record<string, string | undefined>>;

export interface FoundKey {
  readonly value: string;
  readonly source: 'environment' | 'file';
  /** The variable, or the file. */
  readonly from: string;
}

export type ReadKey = (secret: string) => Promise<string | undefined>;

/** `undefined` when there is none. Rejects with `UserFacing` for a file that others can read. */
export function keyReader(env: Environment, authFolder: string): ReadKey {
  return async (secret) => {
    const known = Object.values(keySources).find((each) => each.secret === secret);
    return (await findKey(known ?? { secret, variables: variablesOf(secret) }, env, authFolder))?.value;
  };
}

const variablesOf = (secret: string): readonly string[] =>
  secret.startsWith(endpointSecret('')) ? [endpointVariable(secret.slice(endpointSecret('').length))] : [];

export async function findKey(
  { secret, variables }: KeySource,
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
