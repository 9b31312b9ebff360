import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { adviceOf } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import { DisposableStore } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/emitter.ts';
import { thisSystem } from '../../base/hostSystem.ts';
import type { HomeFolders } from '../homeFolders.ts';
import type { Connector } from '../lazyMachine.ts';
import type { MachineStatus } from '../machine.ts';
import { placeText, type SshEntry } from '../machineEntry.ts';
import type { AskingHost, MachinePrompts, SecretQuestion } from '../machinePrompts.ts';
import { defaultAgents } from './agents.ts';
import { expandHome } from './configPaths.ts';
import type { SecretKind, SshPrompts } from './sshAuth.ts';
import { resolveHost, type SshConfigOptions, type SshTarget } from './sshConfig.ts';
import { SshConnection, type SshState } from './sshConnection.ts';
import { homeOf, SshMachine } from './sshMachine.ts';

export interface SshConnectorOptions {
  readonly prompts: MachinePrompts;
  readonly homes: HomeFolders;
  readonly clock: Clock;
  /**
   * Location of the ssh config, and the agents. Default: the user's ssh config and agents.
   */
  readonly ssh?: SshConfigOptions;
}

/**
 * Connects to the host of an SSH entry in `machines.json`. Reuses one `SshConnection` for all
 * attempts, because that object stores the user's answers.
 */
export class SshConnector implements Connector {
  readonly #entry: SshEntry;
  readonly #options: SshConnectorOptions;
  readonly #owned = new DisposableStore();
  readonly #changes = this.#owned.add(new Emitter<MachineStatus>());
  readonly onDidChangeStatus: Event<MachineStatus> = this.#changes.event;
  #connecting: Promise<SshConnection> | undefined;
  #connection: SshConnection | undefined;

  constructor(entry: SshEntry, options: SshConnectorOptions) {
    this.#entry = entry;
    this.#options = options;
  }

  /** Returns the machine. Connects only if the home folder is not known yet. */
  async open(): Promise<SshMachine> {
    const { homes, clock } = this.#options;
    const { id, workFolder } = this.#entry;
    const connection = await this.#connected();
    const place = `${id} ${placeText(this.#entry)}`;
    const homeFolder =
      homes.get(place) ?? (await homes.keep(place, await homeOf(connection, clock)));
    const work = workFolder === undefined ? {} : { workFolder: expandHome(workFolder, homeFolder) };
    return this.#owned.add(new SshMachine({ id, connection, homeFolder, clock, ...work }));
  }

  async connect(): Promise<void> {
    await (await this.#connected()).ready({ mayAsk: true });
  }

  retry(): void {
    this.#connection?.retry();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  /** Returns the connection; concurrent callers share one attempt. */
  #connected(): Promise<SshConnection> {
    this.#connecting ??= this.#build().then(
      (connection) => (this.#connection = connection),
      (error: unknown) => {
        this.#connecting = undefined;
        throw error;
      },
    );
    return this.#connecting;
  }

  async #build(): Promise<SshConnection> {
    const { prompts, clock, ssh = ownConfig() } = this.#options;
    const { id, alias, host = '', user, port } = this.#entry;
    const resolved = await resolveHost({ host: alias ?? host, user, port }, ssh);
    const target = withLogin(resolved, this.#entry, ssh.homeFolder);
    const way = { machine: id };
    const parts = { prompts: sshPrompts(way, prompts, this.#owned), clock };
    let through: SshConnection | undefined;
    for (const hop of target.proxyJump)
      through = this.#owned.add(new SshConnection(hop, { ...parts, ...(through && { through }) }));
    const connection = this.#owned.add(
      new SshConnection(target, { ...parts, ...(through && { through }) }),
    );
    this.#owned.add(connection.onDidChange((state) => this.#reportStatus(state)));
    return connection;
  }

  #reportStatus(state: SshState): void {
    if (state.kind === 'connected') this.#changes.fire({ kind: 'connected' });
    if (state.kind === 'down')
      this.#changes.fire({ kind: 'unreachable', why: adviceOf(state.failure) });
  }
}

const ownConfig = (): SshConfigOptions => ({
  configFile: join(homedir(), '.ssh', 'config'),
  homeFolder: homedir(),
  localUser: userInfo().username,
  agents: defaultAgents(thisSystem()),
});

/** Returns `target` with the login settings of the entry, which override the ssh config. */
function withLogin(target: SshTarget, { auth, keyPath }: SshEntry, homeFolder: string): SshTarget {
  const configuredFiles = auth === 'agent' || auth === 'password' ? [] : target.identityFiles;
  const identityFiles = keyPath === undefined ? configuredFiles : [expandHome(keyPath, homeFolder)];
  const usesAgent = auth === undefined || auth === 'agent';
  return {
    ...target,
    identityFiles,
    agents: usesAgent ? target.agents : [],
  };
}

function sshPrompts(
  way: Pick<SecretQuestion, 'machine'>,
  prompts: MachinePrompts,
  owned: DisposableStore,
): SshPrompts {
  const { machine } = way;
  const disposal = new AbortController();
  owned.add({ dispose: () => disposal.abort() });
  const questionOf = (kind: SecretKind, host: AskingHost, prompt: string): SecretQuestion => ({
    ...way,
    host,
    kind: kind === 'answer' ? 'keyboard' : kind,
    prompt,
  });
  return {
    secret: (...question) => prompts.askSecret(questionOf(...question), disposal.signal),
    keptSecret: async (...question) => prompts.keptSecret?.(questionOf(...question)),
    confirmHostKey: (question) => prompts.confirmHostKey({ machine, ...question }, disposal.signal),
  };
}
