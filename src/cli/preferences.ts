/**
 * The user's preferences: `preferences.json` in the home folder. Command line options and
 * environment variables override them.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import type { EngineSettings } from '../agent/contract/settings.ts';
import { codeOf, messageOf, UserFacing } from '../base/errors.ts';
import type { EndpointConfig } from '../models/endpoints.ts';
import { checkEndpoints } from '../compose/endpoints.ts';
import { extendPrices } from '../compose/prices.ts';
import { preferencesSchema } from '../presentation/settings/preferences.ts';

export interface Preferences extends Partial<Omit<EngineSettings, 'endpoints'>> {
  readonly endpoints?: readonly EndpointConfig[];
}

/**
 * Reads the preferences; empty if there is no file. Passes unknown names to `warn`. Relative paths
 * in the file start at the home folder. For an invalid file, rejects with `UserFacing` that names
 * the file and the position of the error.
 */
export async function readPreferences(
  home: string,
  warn: (message: string) => void,
): Promise<Preferences> {
  const file = path.join(home, 'preferences.json');
  const written = await jsonIn(file);
  if (written === undefined) return {};
  const parsed = preferencesSchema.safeParse(written);
  if (!parsed.success)
    throw new UserFacing(
      `${file} is invalid:\n${z.prettifyError(parsed.error)}`,
      'Fix or delete the file.',
    );
  const unknown = Object.keys(written as object).filter(
    (name) => !Object.hasOwn(preferencesSchema.shape, name),
  );
  if (unknown.length > 0)
    warn(
      `${file}: ${unknown.join(', ')} is unknown. Known: ${Object.keys(preferencesSchema.shape).join(', ')}.`,
    );
  return checked(parsed.data, file);
}

async function jsonIn(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as unknown;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new UserFacing(`${file} cannot be read: ${messageOf(error)}`, 'Fix or delete the file.');
  }
}

function checked({ endpoints: written, ...preferences }: Preferences, file: string): Preferences {
  const { endpoints, problems } = checkEndpoints(written);
  if (problems.length > 0)
    throw new UserFacing(
      `The endpoints in ${file} are invalid. ${problems.join('\n')}`,
      'Fix or delete the file.',
    );
  try {
    extendPrices({}, preferences.prices);
  } catch (error) {
    throw error instanceof UserFacing
      ? new UserFacing(`${file}: ${error.message}`, error.action)
      : error;
  }
  const { caFile } = preferences;
  return {
    ...preferences,
    ...(endpoints.length > 0 && { endpoints }),
    ...(caFile !== undefined && { caFile: path.resolve(path.dirname(file), caFile) }),
  };
}

/**
 * Returns the preferences for a session with `provider`. Removes the preferred model if the
 * preferences name another provider.
 */
export function preferencesFor(
  preferences: Preferences,
  provider: string | undefined,
): Preferences {
  const { model, ...rest } = preferences;
  const isOwn = provider === undefined || provider === preferences.provider;
  return isOwn && model !== undefined ? { ...rest, model } : rest;
}
