/** Stores and deletes the keys of providers. Never prints a key. */
import { UserFacing } from '../../base/errors.ts';
import { endpointSecret, endpointVariable } from '../../compose/endpoints.ts';
import { keySources, type KeySource } from '../../compose/providers.ts';
import { secretStore } from '../../compose/secrets.ts';
import { exitCodes, type CliDeps } from '../cliDeps.ts';
import { readPreferences } from '../preferences.ts';
import { readLine } from '../readLine.ts';
import { findKey } from './keys.ts';

/** Location of the stored key of a provider or an endpoint, and its label for messages. */
export interface KeyPlace extends Pick<KeySource, 'label' | 'secret' | 'variables'> {
  /** Name of the provider, or id of the endpoint. */
  readonly name: string;
}

/**
 * Resolves with where the key of a provider, or of an endpoint in the preferences, is stored.
 * Rejects with `UserFacing` if no provider or endpoint of this name has a key.
 */
export async function keyPlace(name: string, home: string, deps: CliDeps): Promise<KeyPlace> {
  const sources = keySources.filter(({ auth }) => auth !== 'signIn');
  const source = sources.find(({ provider }) => provider === name);
  if (source !== undefined) return { ...source, name };
  const { endpoints = [] } = await readPreferences(
    home,
    (message) => void deps.stderr.write(`helios: ${message}\n`),
  );
  const endpoint = endpoints.find(({ id }) => id === name);
  if (endpoint !== undefined)
    return { name, label: name, secret: endpointSecret(name), variables: [endpointVariable(name)] };
  const names = [...sources.map(({ provider }) => provider), ...endpoints.map(({ id }) => id)];
  throw new UserFacing(
    `${name} has no key in Helios.`,
    `Name one of: chatgpt, ${names.join(', ')}. helios auth status shows where each key comes from.`,
  );
}

/**
 * Asks for the key without showing it, or reads it from standard input, and stores it in a file
 * that only the user can read. Resolves with the exit code.
 */
export async function storeKey(
  { name, label, secret, variables }: KeyPlace,
  authFolder: string,
  deps: CliDeps,
): Promise<number> {
  const key = await keyFrom(label, deps);
  if (key === undefined) return exitCodes.interrupted;
  if (!/^\S+$/.test(key))
    throw new UserFacing(
      key === '' ? 'No key was given.' : 'A key is one word without spaces.',
      'Nothing was stored. Run the command again with the key.',
    );
  await secretStore(authFolder)(secret, key);
  const inUse = await findKey({ secret, variables }, deps.env, authFolder);
  deps.stdout.write(
    inUse?.source === 'environment'
      ? `Stored. ${inUse.from} is set in the environment and is used instead of it.\n`
      : `Stored. Use it with: helios -P ${name} "…"\n`,
  );
  return exitCodes.goal;
}

/** Resolves with the key; `undefined` if the user interrupts. */
async function keyFrom(label: string, deps: CliDeps): Promise<string | undefined> {
  if (deps.stdin.isTTY === true) {
    const { signal } = new AbortController();
    const question = `Key of ${label} (is not shown): `;
    return (await readLine(deps, { question, isHidden: true }, signal))?.trim();
  }
  let text = '';
  deps.stdin.setEncoding('utf8');
  for await (const chunk of deps.stdin) text += String(chunk);
  return text.trim();
}

/** Deletes the stored key. Resolves with the exit code. */
export async function deleteKey(
  { label, secret, variables }: KeyPlace,
  authFolder: string,
  { env, stdout }: CliDeps,
): Promise<number> {
  const stored = await findKey({ secret, variables: [] }, {}, authFolder).catch(() => true);
  await secretStore(authFolder)(secret, undefined);
  const variable = variables.find((each) => env[each]?.trim());
  stdout.write(
    `${stored === undefined ? `No key of ${label} is stored.` : `Deleted the key of ${label}.`}${variable === undefined ? '' : ` ${variable} is set in the environment.`}\n`,
  );
  return exitCodes.goal;
}
