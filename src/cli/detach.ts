/**
 * Hands a session of the terminal over to the background, where it continues without the terminal.
 */
import type { Engine } from '../agent/contract/engine.ts';
import type { Session } from '../agent/contract/sessions.ts';
import type { EngineSettings } from '../agent/contract/settings.ts';
import type { PlaceWarning } from '../base/placeWarnings.ts';
import { BackgroundProcess } from '../compose/backgroundProcess.ts';
import { endpointSecret, endpointVariable } from '../compose/endpoints.ts';
import { homeAt } from '../compose/home.ts';
import { secretsNamedIn } from '../compose/notifications.ts';
import { keySources } from '../compose/providers.ts';
import { tokensName } from '../compose/signedIn.ts';
import type { ReadKey } from './auth/keys.ts';
import type { CliDeps } from './cliDeps.ts';

interface HandOver {
  readonly engine: Pick<Engine, 'home' | 'close'>;
  readonly settings: EngineSettings;
  readonly readKey: ReadKey;
  readonly deps: Pick<CliDeps, 'assetsFolder' | 'backgroundFile'>;
}

/**
 * Starts a background process with the settings and keys of this one, closes the engine, and lets
 * the background continue the session. Rejects with an error of the system if the process cannot be
 * started; the session then stays with this process.
 */
export async function handOverToBackground(
  { id }: Pick<Session, 'id'>,
  { engine, settings, readKey, deps }: HandOver,
): Promise<void> {
  const endpoints = settings.endpoints ?? [];
  const names = [
    ...keySources.map(({ secret }) => secret),
    tokensName,
    ...endpoints.map((endpoint) => endpointSecret(endpoint.id)),
    ...secretsNamedIn(settings.notifications),
  ];
  const found = await Promise.all(
    [...new Set(names)].map(async (name) => [name, await readKey(name)] as const),
  );
  const secrets = found.filter((entry): entry is [string, string] => entry[1] !== undefined);
  const background = new BackgroundProcess({
    file: deps.backgroundFile,
    home: engine.home,
    logFile: homeAt(engine.home).backgroundLogFile,
    secretVariables: [
      ...keySources.flatMap(({ variables }) => variables),
      ...endpoints.map((endpoint) => endpointVariable(endpoint.id)),
    ],
    onExit: () => undefined,
  });
  background.tell({
    home: engine.home,
    assetsFolder: deps.assetsFolder,
    settings,
    secrets: Object.fromEntries(secrets),
    machineSecrets: {},
    sessions: [id],
    graceMs: 0,
  });
  // The background resumes the session as soon as this process has released its lease.
  await engine.close();
  await background.release();
}

/** @param warnings Warnings about the place, which may end the background. */
export const detachedText = (id: string, warnings: readonly PlaceWarning[]): string =>
  [
    `Session ${id} works in the background.`,
    `Follow: helios watch ${id}`,
    `Steer:  helios say ${id} "…", helios stop ${id}`,
    `Return: helios --resume ${id}`,
    ...warnings.map(({ text, action }) => `${text}\n  ${action}`),
  ].join('\n');
