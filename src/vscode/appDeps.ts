import { join } from 'node:path';
import { env, workspace, type ExtensionContext } from 'vscode';
import { systemClock } from '../base/clock.ts';
import type { DisposableStore } from '../base/disposable.ts';
import type { Logger } from '../base/logger.ts';
import { placeHere } from '../base/place.ts';
import { homeAt } from '../compose/home.ts';
import { readSecretFile } from '../compose/secrets.ts';
import type { Message } from '../notify/notification.ts';
import type { KeepRunningDeps } from './keepRunning/keepRunning.ts';
import { takeRenewed } from './keepRunning/keepRunningSecrets.ts';
import { createMachineQuestions } from './machines/machineQuestions.ts';
import { Notes } from './memory/notes.ts';
import { ApiKeys } from './models/apiKeys.ts';
import type { HostModels } from './models/hostModels.ts';
import { selectedInterpreter } from './ui/interpreter.ts';
import { engineSettings, homeFolder } from './ui/settings.ts';
import { Approvals } from './window/approvals.ts';
import { Documents } from './window/documents.ts';
import { EngineHost, type CreateEngine } from './window/engineHost.ts';
import { FollowTarget } from './window/followTarget.ts';
import { OpenSessions } from './window/openSessions.ts';

export type AppDeps = KeepRunningDeps & { readonly notes: Notes };

export interface WindowPartsDeps {
  readonly context: ExtensionContext;
  readonly owned: DisposableStore;
  readonly hostModels: HostModels;
  readonly logger: Logger;
  readonly createEngine: CreateEngine;
  onNotify(message: Message): void;
}

export const isTrusted = (): boolean => workspace.isTrusted;
export const openFolders = (): string[] =>
  (workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);

/**
 * Creates the objects that the features of this window share. The engine is created on first use.
 */
export function createAppDeps({
  context,
  owned,
  hostModels,
  logger,
  createEngine,
  onNotify,
}: WindowPartsDeps): AppDeps {
  const { secrets, extensionUri, globalState } = context;
  const keys = new ApiKeys(secrets, process.env, {
    memory: globalState,
    readFile: (name) => readSecretFile(join(homeAt(homeFolder()).authFolder, name)),
  });
  const approvals = new Approvals();
  const questions = createMachineQuestions(secrets);
  const host = new EngineHost({
    isTrusted,
    create: () =>
      createEngine({
        home: homeFolder(),
        assetsFolder: join(extensionUri.fsPath, 'dist'),
        ownerKind: 'window',
        place: placeHere({ remoteName: env.remoteName }),
        settings: engineSettings,
        ports: {
          secret: async (name) => {
            await takeRenewed(homeAt(homeFolder()).renewedSecretsFolder, keys);
            return keys.get(name);
          },
          storeSecret: (name, value) => keys.set(name, value ?? ''),
          approve: (request, signal) => approvals.ask(request, signal),
          notify: (message) => onNotify(message),
          interpreter: selectedInterpreter,
          ...questions.prompts,
        },
        providers: [hostModels.provider],
        logger,
      }),
  });
  const sessions = owned.add(new OpenSessions(systemClock));
  host.onDidOpen((engine) => sessions.attach(engine));
  host.onDidOpen((engine) => owned.add(questions.attach(engine)));
  const notes = owned.add(new Notes(host, sessions, systemClock));
  const documents = owned.add(new Documents());
  const following = new FollowTarget();
  return {
    host,
    sessions,
    notes,
    approvals,
    keys,
    questions,
    following,
    documents,
    extensionUri,
    logger,
  };
}
