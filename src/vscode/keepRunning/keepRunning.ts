/**
 * Keeps sessions running after VS Code closes. Decides which sessions continue, by the user's
 * choice or the setting `session.keepRunning`, and sends their ids, settings and secrets to a
 * background process, which continues the sessions when this window has closed.
 */
import type { MachineQuestions } from '../machines/machineQuestions.ts';
import type { ApiKeys } from '../models/apiKeys.ts';
import { join } from 'node:path';
import { env, Uri, window, workspace } from 'vscode';
import type { Session } from '../../agent/contract/sessions.ts';
import type { Handover } from '../../compose/handover.ts';
import type { Clock } from '../../base/clock.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { messageOf, UserFacing } from '../../base/errors.ts';
import { placeHere } from '../../base/place.ts';
import { oneLine } from '../../base/text.ts';
import { endpointSecret } from '../../compose/endpoints.ts';
import { tokensName } from '../../compose/signedIn.ts';
import { folderChoicesAt } from '../../compose/folderChoices.ts';
import { homeAt } from '../../compose/home.ts';
import { providerKeys, keyOfEndpoint } from '../models/apiKeys.ts';
import type { Handlers } from '../ui/commandRegistry.ts';
import { hostProviderId } from '../models/hostModels.ts';
import { BackgroundProcess } from '../../compose/backgroundProcess.ts';
import { KeptSessions } from '../sessions/keptSessions.ts';
import type { WindowDeps } from '../window/windowDeps.ts';
import { pickGoing } from '../window/pick.ts';
import { sessionIdOf } from '../ui/commandTarget.ts';
import { secretsNamedIn } from '../../compose/notifications.ts';
import { selectedInterpreter } from '../ui/interpreter.ts';
import { engineSettings, homeFolder, setting } from '../ui/settings.ts';
import { keptText } from './keptText.ts';
import { sessionName } from '../../presentation/sessions/sessionText.ts';

export type KeepRunningDeps = WindowDeps & {
  readonly keys: ApiKeys;
  readonly questions: MachineQuestions;
};

/**
 * Time that the background process waits before it continues the sessions, so that a reloaded
 * window can resume them first.
 */
const graceMs = 5_000;
/** Delay before the background process is restarted after it ended unexpectedly. */
const restartDelayMs = 10_000;

export class KeepRunning implements Disposable {
  readonly #deps: KeepRunningDeps;
  readonly #clock: Clock;
  readonly #owned = new DisposableStore();
  readonly #kept = new KeptSessions(isKeptIn);
  #background: BackgroundProcess | undefined;
  /** Ids of the sessions in the last handover to the background process, separated by spaces. */
  #sentIds = '';
  #last: Promise<void> = Promise.resolve();
  #restart: Disposable | undefined;
  readonly #warnedIds = new Set<string>();
  #isDisposed = false;

  constructor(deps: KeepRunningDeps, clock: Clock) {
    this.#deps = deps;
    this.#clock = clock;
    this.#owned.add(deps.sessions.onDidChange(() => this.#update()));
    this.#owned.add(deps.keys.onDidChange(() => this.#update(true)));
    this.#owned.add(
      workspace.onDidChangeConfiguration(
        (change) => change.affectsConfiguration('helios') && this.#update(true),
      ),
    );
  }

  /** Whether the session continues in the background when the window closes. */
  keeps(session: Session): boolean {
    return session.state.provider !== hostProviderId && (isAlways() || this.#kept.has(session));
  }

  /**
   * Turns continuing in the background on or off for a session. Returns whether the session will
   * now continue. Throws `UserFacing` if the session cannot continue in the background.
   */
  toggle(session: Session): boolean {
    if (session.state.provider === hostProviderId) throw needsWindow();
    if (isAlways()) return true;
    this.#kept.toggle(session);
    this.#update();
    return this.keeps(session);
  }

  /**
   * Stops sending handovers. The background process continues the sessions of the last handover.
   */
  dispose(): void {
    this.#isDisposed = true;
    this.#restart?.dispose();
    this.#owned.dispose();
  }

  #update(hasChanged = false): void {
    this.#last = this.#last
      .then(() => this.#sendHandover(hasChanged))
      .catch((error: unknown) =>
        this.#deps.logger.error(
          `Sessions will not continue in the background: ${messageOf(error)}`,
        ),
      );
  }

  async #sendHandover(hasChanged: boolean): Promise<void> {
    if (this.#isDisposed) return;
    const going = this.#deps.sessions.going().filter(({ state }) => state.phase !== 'paused');
    this.#warnOf(going);
    const sessions = going.filter((session) => this.keeps(session)).map(({ id }) => id);
    const idList = sessions.join(' ');
    if (this.#restart !== undefined || (idList === this.#sentIds && (!hasChanged || idList === '')))
      return;
    const folders = new Set(going.map(({ state }) => state.workFolder));
    const handover = { ...(await this.#handover(sessions)), ...(await interpretersOf(folders)) };
    if (sessions.length === 0) {
      this.#background?.dismiss(handover);
      this.#background = undefined;
    } else {
      this.#background ??= this.#start();
      this.#background.tell(handover);
    }
    this.#sentIds = idList;
  }

  #start(): BackgroundProcess {
    const home = homeFolder();
    const background = new BackgroundProcess({
      file: join(this.#deps.extensionUri.fsPath, 'dist/background.cjs'),
      home,
      logFile: homeAt(home).backgroundLogFile,
      secretVariables: secretVariables(),
      onExit: (problem) => this.#lost(problem),
    });
    this.#deps.logger.info(
      `Process ${background.pid ?? '?'} will continue the sessions when this window closes`,
    );
    return background;
  }

  #lost(problem: string): void {
    this.#deps.logger.warn(`The background process ended unexpectedly: ${problem}`);
    this.#background = undefined;
    this.#sentIds = '';
    this.#restart = this.#clock.after(restartDelayMs, () => {
      this.#restart = undefined;
      this.#update();
    });
  }

  async #handover(sessions: Handover['sessions']): Promise<Handover> {
    const { keys, questions, host, extensionUri } = this.#deps;
    const names = [
      ...providerKeys.map(({ secret }) => secret),
      tokensName,
      ...endpointIds().map(endpointSecret),
    ];
    names.push(...secretsNamedIn(engineSettings().notifications));
    const secrets = names.map(async (name) => [name, await keys.get(name)] as const);
    const machines = host.current?.machines.list() ?? [];
    const answers = await Promise.all(machines.map(({ id }) => questions.secrets.entries(id)));
    return {
      home: homeFolder(),
      assetsFolder: join(extensionUri.fsPath, 'dist'),
      settings: engineSettings(),
      secrets: Object.fromEntries(
        (await Promise.all(secrets)).filter((entry): entry is [string, string] => !!entry[1]),
      ),
      machineSecrets: Object.fromEntries(answers.flat()),
      sessions,
      graceMs,
    };
  }

  /**
   * Warns once per session that should continue in the background but cannot, because VS Code
   * provides its model.
   */
  #warnOf(going: readonly Session[]): void {
    for (const session of going) {
      const { id, state } = session;
      if (state.provider !== hostProviderId || this.#warnedIds.has(id)) continue;
      if (!isAlways() && !this.#kept.has(session)) continue;
      this.#warnedIds.add(id);
      void window.showWarningMessage(
        `“${oneLine(sessionName(state), 60)}” stops when VS Code closes. ${needsWindow().message}`,
      );
    }
  }
}

const isAlways = (): boolean => setting('session.keepRunning') === 'always';

/** Whether the user chose that sessions in the folder continue. */
const isKeptIn = (folder: string): boolean =>
  folderChoicesAt(homeFolder()).read(folder).choice?.keepRunning === true;

async function interpretersOf(
  folders: ReadonlySet<string>,
): Promise<Pick<Handover, 'interpreters'>> {
  const found = await Promise.all(
    [...folders].map(async (folder) => [folder, await selectedInterpreter(folder)] as const),
  );
  const interpreters = found.filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { interpreters: Object.fromEntries(interpreters) };
}

const endpointIds = (): readonly string[] => setting('endpoints').map(({ id }) => id);

const secretVariables = (): readonly string[] =>
  [...providerKeys, ...endpointIds().map((id) => keyOfEndpoint(id))].flatMap(
    ({ variables }) => variables,
  );

const needsWindow = (): UserFacing =>
  new UserFacing(
    'The model of this session is provided by VS Code and works only while a window is open.',
    'Select another model first.',
  );

export const keepRunningCommands = (
  deps: KeepRunningDeps,
  keepRunning: () => KeepRunning | undefined,
) =>
  ({
    'helios.keepRunning': async (argument) => {
      await deps.host.get();
      const id = sessionIdOf(argument);
      const namedSession = id === undefined ? undefined : deps.sessions.get(id);
      const session =
        namedSession ??
        (await pickGoing(deps.sessions, 'Select a session to keep running when VS Code closes'));
      const background = keepRunning();
      if (session === undefined || background === undefined) return;
      const text = keptText(sessionName(session.state), background.toggle(session), {
        place: placeHere({ remoteName: env.remoteName }),
        home: homeFolder(),
      });
      const choice = await window.showInformationMessage(text, 'Show Log');
      if (choice === undefined) return;
      await window.showTextDocument(Uri.file(homeAt(homeFolder()).backgroundLogFile));
    },
  }) satisfies Handlers;
