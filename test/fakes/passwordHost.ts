/**
 * An SSH server that logs in by password, runs commands and forwards connections. It records what it
 * was sent.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ssh2, { type AuthContext, type Connection, type Server, type Session } from 'ssh2';
import { fingerprintOf } from '../../src/machines/ssh/knownHosts.ts';
import { makeKey } from './sshd.ts';

export interface PasswordHostOptions {
  readonly user: string;
  readonly password: string;
  /** Prompts of keyboard-interactive, the last of which wants the password. Default: `password`. */
  readonly prompts?: readonly string[];
  /** Default: any. */
  readonly port?: number;
}

export class PasswordHost {
  /** The answers that clients sent, wrong ones too. */
  readonly received: string[] = [];
  readonly #options: PasswordHostOptions;
  readonly #publicKey: string;
  readonly #server: Server;
  readonly #clients = new Set<Connection>();

  static async start(options: PasswordHostOptions): Promise<PasswordHost> {
    const host = new PasswordHost(options);
    host.#server.listen(options.port ?? 0, '127.0.0.1');
    await once(host.#server, 'listening');
    return host;
  }

  private constructor(options: PasswordHostOptions) {
    this.#options = options;
    const { publicKey, privateKey } = newHostKey();
    this.#publicKey = publicKey;
    this.#server = new ssh2.Server({ hostKeys: [privateKey] }, (client) => this.#serve(client));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The host as questions name it. */
  get address(): string {
    return `${this.#options.user}@127.0.0.1:${this.port}`;
  }

  get fingerprint(): string {
    return fingerprintOf(Buffer.from(this.#publicKey.split(' ')[1] ?? '', 'base64'));
  }

  /** Its line in known_hosts. */
  get knownHost(): string {
    return `[127.0.0.1]:${this.port} ${this.#publicKey}\n`;
  }

  /** Its lines in an ssh config, as `alias`. */
  config(alias: string, ...lines: readonly string[]): string {
    const { user } = this.#options;
    const own = ['HostName 127.0.0.1', `Port ${this.port}`, `User ${user}`, ...lines];
    return [`Host ${alias}`, ...own, ''].join('\n');
  }

  /** Breaks every connection. */
  cut(): void {
    for (const client of this.#clients) client.end();
  }

  dispose(): void {
    this.cut();
    this.#server.close();
  }

  #serve(client: Connection): void {
    this.#clients.add(client);
    client.on('error', () => undefined);
    client.on('close', () => this.#clients.delete(client));
    client.on('authentication', (context) => this.#authenticate(context));
    client.on('session', (accept) => serveCommands(accept()));
    client.on('tcpip', (accept, _reject, { destIP, destPort }) => {
      const socket = connect(destPort, destIP);
      const channel = accept();
      socket.on('error', () => channel.end());
      channel.on('error', () => undefined);
      channel.pipe(socket).pipe(channel);
    });
  }

  #authenticate(context: AuthContext): void {
    const { prompts, user, password } = this.#options;
    const judge = (answers: readonly string[]): void => {
      this.received.push(...answers);
      if (context.username === user && answers.at(-1) === password) context.accept();
      else context.reject();
    };
    if (prompts === undefined) {
      if (context.method === 'password') judge([context.password]);
      else context.reject(['password']);
    } else if (context.method === 'keyboard-interactive')
      context.prompt(
        prompts.map((prompt) => ({ prompt, echo: false })),
        judge,
      );
    else context.reject(['keyboard-interactive']);
  }
}

function serveCommands(session: Session): void {
  session.on('exec', (accept, _reject, { command }) => {
    const channel = accept();
    const child = spawn('/bin/sh', ['-c', command]);
    channel.pipe(child.stdin);
    child.stdin.on('error', () => undefined);
    child.stdout.pipe(channel, { end: false });
    child.stderr.pipe(channel.stderr, { end: false });
    child.on('close', (code) => {
      channel.exit(code ?? 1);
      channel.end();
    });
  });
}

/** Made by OpenSSH: of the ed25519 keys that ssh2 makes, it cannot read one in 250 itself. */
function newHostKey(): { readonly publicKey: string; readonly privateKey: string } {
  const folder = mkdtempSync(join(tmpdir(), 'helios-host-key-'));
  try {
    const file = join(folder, 'key');
    makeKey(file);
    const publicKey = readFileSync(`${file}.pub`, 'utf8').split(' ').slice(0, 2).join(' ');
    return { publicKey, privateKey: readFileSync(file, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
