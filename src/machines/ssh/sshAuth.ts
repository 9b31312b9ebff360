/**
 * Logs in to a host with the agent, keys, a password or prompts. An answer of the user that worked
 * is reused, so that reconnecting does not ask again.
 */
import { readFile } from 'node:fs/promises';
import type {
  AnyAuthMethod,
  AuthHandlerMiddleware,
  AuthenticationType,
  KeyboardInteractiveAuthMethod,
  ParsedKey,
} from 'ssh2';
import type { AskingHost } from '../machinePrompts.ts';
import { socketsOf } from './agents.ts';
import type { SshTarget } from './sshConfig.ts';
import type { SshLibrary } from './sshLibrary.ts';

/** `answer`: the answer to any other prompt of the server, such as for a one-time code. */
export type SecretKind = 'password' | 'passphrase' | 'answer';

/**
 * Asks the user for secrets and decisions. Called only when needed; an answer has no time limit.
 */
export interface SshPrompts {
  /**
   * Asks the user for a secret, which is sent to `host` only. `prompt` is the path of a key, or the
   * server's prompt. Resolves with `undefined` if the user declines. The user is then not asked
   * again until a retry.
   */
  secret(kind: SecretKind, host: AskingHost, prompt: string): Promise<string | undefined>;
  /** Resolves with the stored secret, without asking the user. Absent if secrets are not stored. */
  keptSecret?(kind: SecretKind, host: AskingHost, prompt: string): Promise<string | undefined>;
  /** Asks the user whether to trust the key of an unknown host, and resolves with the answer. */
  confirmHostKey(key: HostKeyQuestion): Promise<boolean>;
}

export interface HostKeyQuestion {
  /** Name in known_hosts, with the port unless it is 22. */
  readonly host: string;
  /** `SHA256:…`. */
  readonly fingerprint: string;
  /** Key type, such as `ssh-ed25519`. */
  readonly keyType: string;
  /** Further information for the user's decision; may be empty. */
  readonly note: string;
}

/**
 * Asks the user for a secret. Resolves with `undefined` if the user declines, and with `null` if
 * the user may not be asked now.
 */
type AskSecret = (kind: SecretKind, prompt: string) => Promise<string | undefined | null>;

export class SshAuth {
  readonly #target: SshTarget;
  readonly #ask: AskSecret;
  readonly #secrets = new Map<string, string | undefined>();
  readonly #open = new Map<string, ParsedKey>();
  #used = new Set<string>();
  #tried: string[] = [];

  constructor(target: SshTarget, ask: AskSecret) {
    this.#target = target;
    this.#ask = ask;
  }

  /**
   * Returns the authentication handler for one connection, as ssh2 expects it. `library` parses
   * keys.
   */
  handler(library: SshLibrary): AuthHandlerMiddleware {
    this.#used = new Set();
    this.#tried = [];
    const server = { left: [] as readonly AuthenticationType[], isPartial: false };
    const methods = this.#methods(server, library);
    return (left, isPartial, next) => {
      server.left = left ?? [];
      server.isPartial = isPartial ?? false;
      void methods.next().then(
        ({ value, done }) => next(done ? (false as unknown as AnyAuthMethod) : value),
        () => next(false as unknown as AnyAuthMethod),
      );
    };
  }

  /**
   * Records that the server rejected the login, and returns the methods that were tried, for a
   * message. A rejected secret is not tried again, and the user is asked for a new secret only
   * after a retry.
   */
  rejected(): string {
    this.#open.clear();
    for (const name of this.#used)
      if (this.#secrets.get(name) !== undefined) this.#secrets.set(name, undefined);
    return this.#tried.length > 0 ? this.#tried.join(', ') : 'no method that it accepts';
  }

  /** Forgets the user's answers, so that the user may be asked again. */
  forget(): void {
    this.#secrets.clear();
    this.#open.clear();
  }

  async *#methods(
    server: { readonly left: readonly AuthenticationType[]; readonly isPartial: boolean },
    library: SshLibrary,
  ): AsyncGenerator<AnyAuthMethod, undefined> {
    const username = this.#target.user;
    const takes = (method: AuthenticationType): boolean => server.left.includes(method);
    // Find out which methods the server accepts before asking the user.
    yield { type: 'none', username };
    if (takes('publickey')) yield* this.#keys(library);
    let wasAsked = false;
    if (takes('password')) {
      const password = await this.#secret('password', '');
      wasAsked = true;
      if (password !== undefined) {
        this.#tried.push('password');
        yield { type: 'password', username, password };
      }
    }
    if (takes('keyboard-interactive') && (!wasAsked || server.isPartial)) yield this.#questions();
    return undefined;
  }

  async *#keys(library: SshLibrary): AsyncGenerator<AnyAuthMethod, undefined> {
    const { user: username, agents, identityFiles } = this.#target;
    for (const socket of (await Promise.all(agents.map((agent) => socketsOf(agent)))).flat()) {
      if (!this.#tried.includes('agent')) this.#tried.push('agent');
      yield { type: 'agent', username, agent: socket };
    }
    for (const file of identityFiles) {
      const key = await this.#key(file, library);
      if (key === undefined) continue;
      this.#tried.push(`key ${file}`);
      yield { type: 'publickey', username, key };
    }
    return undefined;
  }

  /** Returns a private key. Caches decrypted keys, because decryption is slow by design. */
  async #key(file: string, { utils }: SshLibrary): Promise<ParsedKey | undefined> {
    const open = this.#open.get(file);
    if (open) return open;
    const content = await readFile(file).catch(() => undefined);
    if (content === undefined) return undefined;
    const plain = utils.parseKey(content);
    if (!(plain instanceof Error)) return plain;
    const passphrase = /encrypted/i.test(plain.message)
      ? await this.#secret('passphrase', file)
      : undefined;
    const opened = passphrase === undefined ? plain : utils.parseKey(content, passphrase);
    if (opened instanceof Error) {
      this.#tried.push(`key ${file} (cannot be opened)`);
      return undefined;
    }
    this.#open.set(file, opened);
    return opened;
  }

  #questions(): KeyboardInteractiveAuthMethod {
    this.#tried.push('keyboard-interactive');
    return {
      type: 'keyboard-interactive',
      username: this.#target.user,
      prompt: (...[, , , prompts, finish]) => {
        void this.#answers(prompts).then(finish, () => finish([]));
      },
    };
  }

  async #answers(
    prompts: readonly { readonly prompt: string; readonly echo?: boolean }[],
  ): Promise<string[]> {
    const answers: string[] = [];
    for (const { prompt, echo } of prompts) {
      const isPassword = echo !== true && /password/i.test(prompt);
      answers.push(
        (await this.#secret(isPassword ? 'password' : 'answer', isPassword ? '' : prompt)) ?? '',
      );
    }
    return answers;
  }

  /**
   * Returns a secret. Caches secrets, except one-time codes, for which the user is asked each time.
   */
  async #secret(kind: SecretKind, prompt: string): Promise<string | undefined> {
    const name = `${kind} ${prompt}`;
    this.#used.add(name);
    if (this.#secrets.has(name)) return this.#secrets.get(name);
    const secret = await this.#ask(kind, prompt);
    if (secret === null) return undefined;
    if (kind !== 'answer' || secret === undefined) this.#secrets.set(name, secret);
    return secret;
  }
}
