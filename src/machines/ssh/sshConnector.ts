/** Connects an SSH entry of the list to its host. */
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { DisposableStore } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/emitter.ts';
import type { HomeFolders } from '../homeFolders.ts';
import type { Connector } from '../lazyMachine.ts';
import type { MachineStatus } from '../machine.ts';
import { placeText, type SshEntry } from '../machineEntry.ts';
import type { MachinePrompts, SecretQuestion } from '../machinePrompts.ts';
import { expandHome } from './configFile.ts';
import type { SecretKind, SshPrompts } from './sshAuth.ts';
import { resolveHost, type SshConfigOptions, type SshTarget } from './sshConfig.ts';
import { SshConnection, type SshState } from './sshConnection.ts';
import { homeOf, SshMachine } from './sshMachine.ts';

export interface SshConnectorOptions {
  readonly prompts: MachinePrompts;
  readonly homes: HomeFolders;
  readonly clock: Clock;
  /** Location of the ssh config and the agent's socket. Default: those of the user. */
  readonly ssh?: SshConfigOptions;
}

/**
 * Connects to the host of an SSH entry. Reuses one connection object for all attempts, because it
 * stores the user's answers.
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
    const target = asWished(resolved, this.#entry, ssh.homeFolder);
    const parts = { prompts: sshPrompts(id, prompts, this.#owned), clock };
    let through: SshConnection | undefined;
    for (const hop of target.proxyJump)
      through = this.#owned.add(new SshConnection(hop, { ...parts, ...(through && { through }) }));
    const connection = this.#owned.add(
      new SshConnection(target, { ...parts, ...(through && { through }) }),
    );
    this.#owned.add(connection.onDidChange((state) => this.#tell(state)));
    return connection;
  }

  #tell(state: SshState): void {
    if (state.kind === 'connected') this.#changes.fire({ kind: 'connected' });
    if (state.kind === 'down')
      this.#changes.fire({ kind: 'unreachable', why: state.failure.message });
  }
}

const ownConfig = (): SshConfigOptions => ({
  configFile: join(homedir(), '.ssh', 'config'),
  homeFolder: homedir(),
  localUser: userInfo().username,
  agentSocket: process.env.SSH_AUTH_SOCK,
});

/** Returns `target` with the login settings of the entry, which override the ssh config. */
function asWished(target: SshTarget, { auth, keyPath }: SshEntry, homeFolder: string): SshTarget {
  const { agentSocket, ...rest } = target;
  const wished = auth === 'agent' || auth === 'password' ? [] : target.identityFiles;
  const identityFiles = keyPath === undefined ? wished : [expandHome(keyPath, homeFolder)];
  const isAgentWished = auth === undefined || auth === 'agent';
  return {
    ...rest,
    identityFiles,
    ...(isAgentWished && agentSocket !== undefined && { agentSocket }),
  };
}

function sshPrompts(machine: string, prompts: MachinePrompts, owned: DisposableStore): SshPrompts {
  const gone = new AbortController();
  owned.add({ dispose: () => gone.abort() });
  const questionOf = (kind: SecretKind, prompt: string): SecretQuestion => ({
    machine,
    kind: kind === 'answer' ? 'keyboard' : kind,
    prompt,
  });
  return {
    secret: (kind, _host, prompt) => prompts.askSecret(questionOf(kind, prompt), gone.signal),
    keptSecret: async (kind, _host, prompt) => prompts.keptSecret?.(questionOf(kind, prompt)),
    confirmHostKey: (question) => prompts.confirmHostKey({ machine, ...question }, gone.signal),
  };
}
