/** From an address to an authenticated connection: the host's key is checked, then we prove who we are. */
import type { Duplex } from 'node:stream';
import type { Client, ServerHostKeyAlgorithm } from 'ssh2';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { MachineFailure } from '../machine.ts';
import { addHostKey, checkHostKey, knownKeyTypes } from './knownHosts.ts';
import { SshAuth, type SshPrompts } from './sshAuth.ts';
import type { SshTarget } from './sshConfig.ts';
import { loadSsh } from './sshLibrary.ts';

const readyTimeoutMs = 15_000;
/** A link that is gone without a word is noticed after three of them. */
const keepaliveIntervalMs = 5000;
const keepaliveCountMax = 3;

const hostKeyAlgorithms: readonly ServerHostKeyAlgorithm[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
];

export class Handshake {
  readonly #target: SshTarget;
  readonly #prompts: SshPrompts;
  readonly #clock: Clock;
  readonly #auth: SshAuth;
  #deadline = { dispose: (): void => undefined };
  #onLate = (): void => undefined;
  #hostFailure: MachineFailure | undefined;
  #isDeclined = false;

  constructor(target: SshTarget, prompts: SshPrompts, clock: Clock) {
    this.#target = target;
    this.#prompts = prompts;
    this.#clock = clock;
    this.#auth = new SshAuth(target, (kind, host, prompt) => this.#waiting(() => prompts.secret(kind, host, prompt)));
  }

  /** Resolves when commands can be run. `sock`: through another host. Rejects with `MachineFailure`. One at a time. */
  async connect(sock: Duplex | undefined): Promise<Client> {
    const library = await loadSsh();
    const { host, port, user } = this.#target;
    const known = await knownKeyTypes(this.#target.knownHostsFiles, this.#name);
    const client = new library.Client();
    client.setMaxListeners(0);
    this.#hostFailure = undefined;
    try {
      await this.#ready(client, () =>
        client.connect({
          ...(sock ? { sock } : { host, port }),
          username: user,
          readyTimeout: 0,
          keepaliveInterval: keepaliveIntervalMs,
          keepaliveCountMax,
          algorithms: { serverHostKey: preferred(known) },
          hostVerifier: (key: Buffer, answer: (isRight: boolean) => void) => void this.#verify(key).then(answer),
          authHandler: this.#auth.handler(library),
        }),
      );
      return client;
    } catch (error) {
      client.end();
      throw this.#hostFailure ?? this.#failure(error);
    }
  }

  /** The person wants to be asked again. */
  forget(): void {
    this.#isDeclined = false;
    this.#auth.forget();
  }

  get #name(): { host: string; port: number } {
    const { hostKeyAlias, host, port } = this.#target;
    return hostKeyAlias === undefined ? { host, port } : { host: hostKeyAlias, port: 22 };
  }

  #ready(client: Client, begin: () => void): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#onLate = () => {
        client.destroy();
        reject(new MachineFailure('timeout', `${this.#target.host} did not answer in ${readyTimeoutMs / 1000} s.`));
      };
      client.once('ready', () => {
        // Small packets that wait for one another would cost each question 40 ms.
        client.setNoDelay(true);
        resolve();
      });
      // Stays for the life of the client: an error without a listener would end our process.
      client.on('error', (error: Error & { level?: string }) => {
        if (error.level !== 'agent') reject(error);
      });
      client.once('close', () => reject(new Error('the host closed the connection')));
      this.#arm();
      begin();
    }).finally(() => this.#deadline.dispose());
  }

  #arm(): void {
    this.#deadline.dispose();
    this.#deadline = this.#clock.after(readyTimeoutMs, this.#onLate);
  }

  /** The host's time stands still while a person is asked. */
  async #waiting<T>(ask: () => Promise<T>): Promise<T> {
    this.#deadline.dispose();
    try {
      return await ask();
    } finally {
      this.#arm();
    }
  }

  async #verify(key: Buffer): Promise<boolean> {
    const files = this.#target.knownHostsFiles;
    try {
      const verdict = await checkHostKey(files, this.#name, key);
      if (verdict.kind === 'known') return true;
      if (verdict.kind !== 'unknown') throw new MachineFailure('host_key', verdict.why);
      const { fingerprint, keyType } = verdict;
      const { host, port } = this.#name;
      const shown = port === 22 ? host : `[${host}]:${port}`;
      const question = { host: shown, fingerprint, keyType };
      this.#isDeclined ||= !(await this.#waiting(() => this.#prompts.confirmHostKey(question)));
      if (this.#isDeclined)
        throw new MachineFailure('host_key', unknownText(shown, `${keyType} ${fingerprint}`, verdict.note));
      if (files[0] !== undefined) await addHostKey(files[0], this.#name, key);
      return true;
    } catch (error) {
      this.#hostFailure =
        error instanceof MachineFailure ? error : new MachineFailure('host_key', messageOf(error), { cause: error });
      return false;
    }
  }

  #failure(error: unknown): MachineFailure {
    if (error instanceof MachineFailure) return error;
    const { user, host, port } = this.#target;
    const isAuth = error instanceof Error && 'level' in error && error.level === 'client-authentication';
    if (!isAuth)
      return new MachineFailure(
        'unreachable',
        `${host} cannot be reached at port ${port}: ${messageOf(error) || 'no answer'}. It is tried again by itself.`,
        { cause: error },
      );
    return new MachineFailure(
      'auth',
      `${host} did not let ${user} in; tried: ${this.#auth.rejected()}. Add your key to ~/.ssh/authorized_keys there ` +
        '(ssh-copy-id), or name the right user or key for this machine; then try it again.',
      { cause: error },
    );
  }
}

const unknownText = (host: string, key: string, note: string): string =>
  `The key of ${host} (${key}) is not known and was not confirmed. ${note}`.trim();

/** The types on file first, so that a host is recognised by the key that we know. */
function preferred(known: readonly string[]): ServerHostKeyAlgorithm[] {
  const isKnown = (algorithm: string): boolean => known.includes(algorithm.startsWith('rsa-') ? 'ssh-rsa' : algorithm);
  return [...hostKeyAlgorithms].sort((a, b) => Number(isKnown(b)) - Number(isKnown(a)));
}
