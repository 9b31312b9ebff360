import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { SshPrompts } from '../../src/machines/ssh/sshAuth.ts';
import type { SshTarget } from '../../src/machines/ssh/sshConfig.ts';
import { freePort } from './freePort.ts';
import { until } from './scratch.ts';
import { procFolder } from '../setup/proc.ts';

const program = '/usr/sbin/sshd';

/** Where a server listens: on loopback, or in a network namespace of this computer. */
export interface SshdPlace {
  readonly address: string;
  readonly namespace?: string;
  /**
   * What the server and all below it see in place of files of this computer: path → file. Given the
   * server's folder. Needs root and Linux.
   */
  instead?(folder: string): Readonly<Record<string, string>>;
}

/** `argv` seeing other files; it keeps the pid. */
export function seeingInstead(
  instead: Readonly<Record<string, string>>,
  argv: readonly string[],
): string[] {
  const pairs = Object.entries(instead);
  if (pairs.length === 0) return [...argv];
  const script = `n=$1; shift; while [ "$n" -gt 0 ]; do mount --bind "$2" "$1" || exit; shift 2; n=$((n - 1)); done; exec "$@"`;
  const words = pairs.flat();
  return [
    'unshare',
    '--mount',
    '--propagation',
    'private',
    'sh',
    '-c',
    script,
    'sh',
    `${pairs.length}`,
    ...words,
    ...argv,
  ];
}

/** A user list in which the login shell and home folder of root are these. */
export function writePasswd(
  file: string,
  { shell, home }: { readonly shell: string; readonly home: string },
): void {
  const others = readFileSync('/etc/passwd', 'utf8').replace(/^root:.*\n/m, '');
  writeFileSync(file, `root:x:0:0:root:${home}:${shell}\n${others}`);
}

/** A real sshd with keys, configuration and home folder of its own. */
export class TestSshd {
  readonly folder: string;
  readonly port: number;
  readonly #place: SshdPlace;
  readonly #config: string;
  readonly #instead: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;
  #log = '';

  /** `config`: further lines for sshd_config. */
  static async start(
    config: readonly string[] = [],
    place: SshdPlace = { address: '127.0.0.1' },
  ): Promise<TestSshd> {
    if (!existsSync(program))
      throw new Error(
        'sshd is missing: install it (Debian: apt-get install openssh-server) and run the tests again.',
      );
    const folder = mkdtempSync(join(tmpdir(), 'helios-sshd-'));
    const sshd = new TestSshd(folder, { place, port: await freePort(), config });
    await sshd.start();
    return sshd;
  }

  private constructor(
    folder: string,
    { place, port, config }: { place: SshdPlace; port: number; config: readonly string[] },
  ) {
    this.folder = folder;
    this.port = port;
    this.#place = place;
    this.#config = join(folder, 'sshd_config');
    mkdirSync(join(folder, 'home'));
    this.#instead = place.instead?.(folder) ?? {};
    if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
    makeKey(join(folder, 'host_key'));
    makeKey(join(folder, 'key'));
    writeFileSync(join(folder, 'authorized_keys'), readFileSync(join(folder, 'key.pub')));
    this.trustHostKey();
    const lines = [
      `Port ${port}`,
      `ListenAddress ${place.address}`,
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
    const subsystem = config.some((line) => line.startsWith('Subsystem'))
      ? []
      : ['Subsystem sftp internal-sftp'];
    writeFileSync(this.#config, [...lines, ...subsystem, ''].join('\n'));
  }

  get host(): string {
    return `[${this.#place.address}]:${this.port}`;
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
      host: this.#place.address,
      port: this.port,
      user: userInfo().username,
      identityFiles: [join(this.folder, 'key')],
      proxyJump: [],
      agents: [],
      knownHostsFiles: [this.knownHosts],
      ...more,
    };
  }

  /** What it has said so far. */
  get log(): string {
    return this.#log;
  }

  /** Logins so far. */
  get logins(): number {
    return this.#log.split('Accepted publickey').length - 1;
  }

  /** Commands begun so far. */
  get sessions(): number {
    return this.#log.split('Starting session:').length - 1;
  }

  async start(): Promise<void> {
    const { namespace } = this.#place;
    const argv = seeingInstead(this.#instead, [program, '-f', this.#config, '-D', '-e']);
    // `ip netns exec` becomes the command.
    if (namespace !== undefined) argv.unshift('ip', 'netns', 'exec', namespace);
    const [command = '', ...rest] = argv;
    const child = spawn(command, rest, { stdio: ['ignore', 'ignore', 'pipe'] });
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
    secret: (kind, { address }, prompt) => {
      asked.push(`${kind} ${address} ${prompt}`.trim());
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

function childrenOf(parent: number): number[] {
  return readdirSync(procFolder)
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => parentOf(name) === parent)
    .map(Number);
}

function parentOf(pid: string): number {
  try {
    const stat = readFileSync(`${procFolder}/${pid}/stat`, 'utf8');
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
