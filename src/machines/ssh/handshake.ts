/** Authenticates a connection to an address: checks the host's key, then logs in. */
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Client, ServerHostKeyAlgorithm } from 'ssh2';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { MachineFailure } from '../machine.ts';
import { placeText } from '../machineEntry.ts';
import { addHostKey, checkHostKey, fingerprintOf, knownKeyTypes } from './knownHosts.ts';
import { SshAuth, type SecretKind, type SshPrompts } from './sshAuth.ts';
import type { SshTarget } from './sshConfig.ts';
import { loadSsh } from './sshLibrary.ts';
import { probeEveryMs, watchLife } from './signsOfLife.ts';
import { formatDuration } from '../../base/text.ts';
import { quotedReason } from '../../base/untrusted.ts';

const readyTimeoutMs = 15_000;

const hostKeyAlgorithms: readonly ServerHostKeyAlgorithm[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
];

/** Matches a line of ssh2's debug log that lists the algorithms that a server offers. */
const offerPattern = /^Handshake: \(remote\) ([^:]+): (.*)$/;

export class Handshake {
  readonly #target: SshTarget;
  readonly #prompts: SshPrompts;
  readonly #clock: Clock;
  readonly #mayAsk: () => boolean;
  readonly #auth: SshAuth;
  #deadline = { dispose: (): void => undefined };
  #onLate = (): void => undefined;
  #hostFailure: MachineFailure | undefined;
  #isDeclined = false;
  #wantsUser = false;
  #offer = '';
  #ident = '';
  /**
   * Fingerprint of the host's last key. Never that of a refused key, because no login follows a
   * refusal.
   */
  #fingerprint = '';

  /** @param mayAsk Returns whether the user may be asked now. */
  constructor(target: SshTarget, prompts: SshPrompts, clock: Clock, mayAsk: () => boolean) {
    this.#target = target;
    this.#prompts = prompts;
    this.#clock = clock;
    this.#mayAsk = mayAsk;
    this.#auth = new SshAuth(target, (kind, prompt) => this.#secret(kind, prompt));
  }

  /** Identification string of the server, such as `SSH-2.0-OpenSSH_9.2`. */
  get ident(): string {
    return this.#ident;
  }

  /**
   * True if the last attempt failed because the user would have had to be asked, which was not
   * allowed.
   */
  get wantsUser(): boolean {
    return this.#wantsUser;
  }

  /**
   * Connects and logs in; resolves when commands can be run. `open` supplies the stream to the
   * host, or `undefined` for a direct connection. Rejects with `MachineFailure`. Not for concurrent
   * use.
   */
  async connect(open: () => Promise<Duplex | undefined>): Promise<Client> {
    const library = await loadSsh();
    const { host, port, user } = this.#target;
    const knownTypes = await knownKeyTypes(this.#target.knownHostsFiles, this.#name);
    const client = new library.Client();
    client.setMaxListeners(0);
    this.#hostFailure = undefined;
    this.#wantsUser = false;
    this.#offer = '';
    try {
      const socket = await open();
      // Close the stream completely: when a jump host ends the stream, only one direction is
      // closed.
      client.once('end', () => socket?.destroy());
      const sock = socket ?? connect({ host, port }).setMaxListeners(0);
      await this.#ready(client, () =>
        client.connect({
          sock,
          username: user,
          readyTimeout: 0,
          // Send keepalives, but never fail because of missing answers: ssh2 does not treat other
          // traffic as an answer. `watchLife` detects lost connections instead.
          keepaliveInterval: probeEveryMs,
          keepaliveCountMax: Infinity,
          algorithms: { serverHostKey: preferred(knownTypes) },
          hostVerifier: (key: Buffer, answer: (isRight: boolean) => void) =>
            void this.#verify(key).then(answer),
          authHandler: this.#auth.handler(library),
          debug: (line) => {
            const [, kind, algorithms] = offerPattern.exec(line) ?? [];
            this.#ident = /^Remote ident: '(.*)'$/.exec(line)?.[1] ?? this.#ident;
            if (kind !== undefined) this.#offer = `${kind} ${algorithms}`;
          },
        }),
      );
      watchLife(sock);
      return client;
    } catch (error) {
      client.end();
      throw this.#hostFailure ?? this.#failure(error);
    }
  }

  /** Forgets that the user declined, so that the user may be asked again. */
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
        reject(
          new MachineFailure(
            'timeout',
            `${this.#target.host} did not answer within ${formatDuration(readyTimeoutMs)}.`,
          ),
        );
      };
      client.once('ready', () => {
        // Nagle's algorithm would delay each query by 40 ms.
        client.setNoDelay(true);
        resolve();
      });
      // Never remove this listener: an error without a listener would end this process.
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

  /** Asks the user, and pauses the time limit of the login meanwhile. */
  async #waiting<T>(ask: () => Promise<T>): Promise<T> {
    this.#deadline.dispose();
    try {
      return await ask();
    } finally {
      this.#arm();
    }
  }

  async #secret(kind: SecretKind, prompt: string): Promise<string | undefined | null> {
    const { user, host, port } = this.#target;
    const address = placeText({ user, host, port: port === 22 ? undefined : port });
    const asking = { address, fingerprint: this.#fingerprint };
    if (this.#mayAsk()) return this.#waiting(() => this.#prompts.secret(kind, asking, prompt));
    const storedSecret = await this.#prompts.keptSecret?.(kind, asking, prompt);
    if (storedSecret !== undefined) return storedSecret;
    this.#wantsUser = true;
    return null;
  }

  async #verify(key: Buffer): Promise<boolean> {
    const files = this.#target.knownHostsFiles;
    this.#fingerprint = fingerprintOf(key);
    try {
      const verdict = await checkHostKey(files, this.#name, key);
      if (verdict.kind === 'known') return true;
      if (verdict.kind !== 'unknown') throw new MachineFailure('host_key', verdict.why);
      const { fingerprint, keyType } = verdict;
      const { host, port } = this.#name;
      const shown = port === 22 ? host : `[${host}]:${port}`;
      const question = { host: shown, fingerprint, keyType, note: verdict.note };
      if (!this.#mayAsk() && !this.#isDeclined) {
        this.#wantsUser = true;
        throw new MachineFailure(
          'host_key',
          unaskedText(shown, `${keyType} ${fingerprint}`, verdict.note),
        );
      }
      this.#isDeclined ||= !(await this.#waiting(() => this.#prompts.confirmHostKey(question)));
      if (this.#isDeclined)
        throw new MachineFailure(
          'host_key',
          unknownText(shown, `${keyType} ${fingerprint}`, verdict.note),
        );
      if (files[0] !== undefined) await addHostKey(files[0], this.#name, key);
      return true;
    } catch (error) {
      this.#hostFailure =
        error instanceof MachineFailure
          ? error
          : new MachineFailure('host_key', messageOf(error), { cause: error });
      return false;
    }
  }

  #failure(error: unknown): MachineFailure {
    if (error instanceof MachineFailure) return error;
    const { user, host, port } = this.#target;
    const isAuth =
      error instanceof Error && 'level' in error && error.level === 'client-authentication';
    if (!isAuth) {
      const isOld = /no matching/i.test(messageOf(error));
      const why = isOld
        ? `it offers only insecure algorithms: ${quotedReason(this.#offer, host, 'none')}`
        : reasonOf(error, host);
      const next = isOld ? 'Update its SSH server.' : 'Helios retries automatically.';
      const text = `${host} cannot be reached at port ${port}: ${why}. ${next}`;
      return new MachineFailure('unreachable', text, { cause: error });
    }
    const tried = this.#auth.rejected();
    if (this.#wantsUser)
      return new MachineFailure(
        'auth',
        `${host} needs a password, a passphrase or a code to log in ${user}, ` +
          `which Helios does not ask for in the background. ${askAgain}`,
        { cause: error },
      );
    return new MachineFailure(
      'auth',
      `${host} refused the login of ${user}; tried: ${tried}. Add your key to ~/.ssh/authorized_keys there ` +
        '(ssh-copy-id), or correct the user or key of this machine. Then retry.',
      { cause: error },
    );
  }
}

const askAgain = 'Test the machine, or start a run there, to be asked.';

const unaskedText = (host: string, key: string, note: string): string =>
  `The key of ${host} (${key}) is unknown, and Helios does not ask whether to trust it in the background. ${note} ${askAgain}`.replace(
    /\s+/g,
    ' ',
  );

const unknownText = (host: string, key: string, note: string): string =>
  `The key of ${host} (${key}) is unknown and was not confirmed. Test the machine to be asked again. ${note}`.trim();

/**
 * Returns the host key algorithms, with those of the host's known keys first, so that the server
 * presents a known key.
 */
function preferred(knownTypes: readonly string[]): ServerHostKeyAlgorithm[] {
  const isKnown = (algorithm: string): boolean =>
    knownTypes.includes(algorithm.startsWith('rsa-') ? 'ssh-rsa' : algorithm);
  return [...hostKeyAlgorithms].sort((a, b) => Number(isKnown(b)) - Number(isKnown(a)));
}

/** Returns the reason of a failed connection. ssh2 gives a number to the words of a server. */
const reasonOf = (error: unknown, host: string): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'number'
    ? quotedReason(error.message, host, 'no answer')
    : messageOf(error) || 'no answer';
