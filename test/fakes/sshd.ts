import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { SshPrompts } from '../../src/machines/ssh/sshAuth.ts';
import type { SshTarget } from '../../src/machines/ssh/sshConfig.ts';
import { until } from './scratch.ts';

const program = '/usr/sbin/sshd';

/** A real sshd on a loopback port, with keys, configuration and home folder of its own. */
export class TestSshd {
  readonly folder: string;
  readonly port: number;
  readonly #config: string;
  #child: ChildProcess | undefined;
  #log = '';

  /** `config`: further lines for sshd_config. */
  static async start(config: readonly string[] = []): Promise<TestSshd> {
    if (!existsSync(program))
      throw new Error('sshd is missing: install it (Debian: apt-get install openssh-server) and run the tests again.');
    const folder = mkdtempSync(join(tmpdir(), 'helios-sshd-'));
    const sshd = new TestSshd(folder, await freePort(), config);
    await sshd.start();
    return sshd;
  }

  private constructor(folder: string, port: number, config: readonly string[]) {
    this.folder = folder;
    this.port = port;
    this.#config = join(folder, 'sshd_config');
    mkdirSync(join(folder, 'home'));
    if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
    makeKey(join(folder, 'host_key'));
    makeKey(join(folder, 'key'));
    writeFileSync(join(folder, 'authorized_keys'), readFileSync(join(folder, 'key.pub')));
    this.trustHostKey();
    const lines = [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${join(folder, 'host_key')}`,
      `PidFile ${join(folder, 'pid')}`,
      `AuthorizedKeysFile ${join(folder, 'authorized_keys')}`,
      `SetEnv HOME=${join(folder, 'home')}`,
      'PermitRootLogin yes',
      'StrictModes no',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'UsePAM no',
      'PrintMotd no',
      'MaxStartups 100',
      'LogLevel VERBOSE',
      ...config,
    ];
    const subsystem = config.some((line) => line.startsWith('Subsystem')) ? [] : ['Subsystem sftp internal-sftp'];
    writeFileSync(this.#config, [...lines, ...subsystem, ''].join('\n'));
  }

  get host(): string {
    return `[127.0.0.1]:${this.port}`;
  }

  get knownHosts(): string {
    return join(this.folder, 'known_hosts');
  }

  trustHostKey(): void {
    const [type, key] = readFileSync(join(this.folder, 'host_key.pub'), 'utf8').split(' ');
    writeFileSync(this.knownHosts, `${this.host} ${type} ${key}\n`);
  }

  target(more: Partial<SshTarget> = {}): SshTarget {
    return {
      host: '127.0.0.1',
      port: this.port,
      user: userInfo().username,
      identityFiles: [join(this.folder, 'key')],
      proxyJump: [],
      knownHostsFiles: [this.knownHosts],
      ...more,
    };
  }

  /** Logins so far. */
  get logins(): number {
    return this.#log.split('Accepted publickey').length - 1;
  }

  async start(): Promise<void> {
    const child = spawn(program, ['-f', this.#config, '-D', '-e'], { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child = child;
    let said = '';
    child.stderr.on('data', (bytes: Buffer) => {
      said += bytes.toString();
      this.#log += bytes.toString();
    });
    await until('sshd listens', () => {
      if (child.exitCode !== null) throw new Error(`sshd ended: ${said}`);
      return said.includes('Server listening on');
    });
  }

  /** Nobody can connect any more; with `cut`, nobody is connected any more either. */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) return;
    const sessions = childrenOf(child.pid ?? 0);
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    endAll(sessions);
  }

  /** Breaks every connection; what runs goes on. */
  cut(): void {
    endAll(childrenOf(this.#child?.pid ?? 0));
  }

  async dispose(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Answers that a test gives, and what was asked. */
export function scriptedPrompts(answers: { secret?: string; confirm?: boolean } = {}) {
  const asked: string[] = [];
  const prompts: SshPrompts = {
    secret: (kind, host, prompt) => {
      asked.push(`${kind} ${host} ${prompt}`.trim());
      return Promise.resolve(answers.secret);
    },
    confirmHostKey: ({ host, fingerprint, keyType }) => {
      asked.push(`host ${host} ${keyType} ${fingerprint}`);
      return Promise.resolve(answers.confirm ?? false);
    },
  };
  return { prompts, asked };
}

export function makeKey(path: string, passphrase = ''): void {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-C', 'test', '-f', path]);
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => parentOf(name) === parent)
    .map(Number);
}

function parentOf(pid: string): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return -1;
  }
}

function endAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself meanwhile.
    }
  }
}
