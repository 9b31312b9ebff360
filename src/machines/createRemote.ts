/** What connects to the machines of `machines.json`, by their kind. */
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { DisposableStore } from '../base/disposable.ts';
import type { HomeFolders } from './homeFolders.ts';
import { LazyMachine, type Way } from './lazyMachine.ts';
import { placeText, type MachineEntry } from './machineEntry.ts';
import type { MachinePrompts } from './machinePrompts.ts';
import type { CreateMachine } from './machineRegistry.ts';
import { expandHome } from './ssh/configFile.ts';
import type { SshPrompts } from './ssh/sshAuth.ts';
import { resolveHost, type SshConfigOptions, type SshTarget } from './ssh/sshConfig.ts';
import { SshConnection } from './ssh/sshConnection.ts';
import { homeOf, SshMachine } from './ssh/sshMachine.ts';

export interface RemoteOptions {
  readonly prompts: MachinePrompts;
  readonly homes: HomeFolders;
  readonly clock: Clock;
  /** Where the ssh config and `SSH_AUTH_SOCK` are found; default: those of the person. */
  readonly ssh?: SshConfigOptions;
}

export const createRemote =
  (options: RemoteOptions): CreateMachine =>
  (entry) => {
    const way = new SshWay(entry, options);
    return new LazyMachine({ id: entry.id, kind: entry.kind, clock: options.clock, way });
  };

/** The connection stays the same however often it is tried: it knows what the person has said. */
class SshWay implements Way {
  readonly #entry: MachineEntry;
  readonly #options: RemoteOptions;
  readonly #owned = new DisposableStore();
  #connection: SshConnection | undefined;

  constructor(entry: MachineEntry, options: RemoteOptions) {
    this.#entry = entry;
    this.#options = options;
  }

  /** With the home folder known from before, nothing is connected yet. */
  async open(): Promise<SshMachine> {
    const { homes, clock } = this.#options;
    const { id, workFolder } = this.#entry;
    const connection = (this.#connection ??= await this.#connect());
    const place = `${id} ${placeText(this.#entry)}`;
    const homeFolder = homes.get(place) ?? (await homes.keep(place, await homeOf(connection, clock)));
    const work = workFolder === undefined ? {} : { workFolder: expandHome(workFolder, homeFolder) };
    return this.#owned.add(new SshMachine({ id, connection, homeFolder, clock, ...work }));
  }

  retry(): void {
    this.#connection?.retry();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  async #connect(): Promise<SshConnection> {
    const { prompts, clock, ssh = ownConfig() } = this.#options;
    const { id, alias, host = '', user, port } = this.#entry;
    const reference = { host: alias ?? host, ...(user !== undefined && { user }), ...(port !== undefined && { port }) };
    const target = asWished(await resolveHost(reference, ssh), this.#entry, ssh.homeFolder);
    const parts = { prompts: sshPrompts(id, prompts, this.#owned), clock };
    let through: SshConnection | undefined;
    for (const hop of target.proxyJump)
      through = this.#owned.add(new SshConnection(hop, { ...parts, ...(through && { through }) }));
    return this.#owned.add(new SshConnection(target, { ...parts, ...(through && { through }) }));
  }
}

const ownConfig = (): SshConfigOptions => ({
  configFile: join(homedir(), '.ssh', 'config'),
  homeFolder: homedir(),
  localUser: userInfo().username,
  agentSocket: process.env.SSH_AUTH_SOCK,
});

/** What the entry says of logging in wins over the ssh config. */
function asWished(target: SshTarget, { auth, keyPath }: MachineEntry, homeFolder: string): SshTarget {
  const { agentSocket, ...rest } = target;
  const wished = auth === 'agent' || auth === 'password' ? [] : target.identityFiles;
  const identityFiles = keyPath === undefined ? wished : [expandHome(keyPath, homeFolder)];
  const isAgentWished = auth === undefined || auth === 'agent';
  return { ...rest, identityFiles, ...(isAgentWished && agentSocket !== undefined && { agentSocket }) };
}

function sshPrompts(machine: string, prompts: MachinePrompts, owned: DisposableStore): SshPrompts {
  const gone = new AbortController();
  owned.add({ dispose: () => gone.abort() });
  return {
    secret: (kind, _host, prompt) =>
      prompts.askSecret({ machine, kind: kind === 'answer' ? 'keyboard' : kind, prompt }, gone.signal),
    confirmHostKey: (question) => prompts.confirmHostKey({ machine, ...question }, gone.signal),
  };
}
