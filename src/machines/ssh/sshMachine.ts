/** A host that is reached by SSH. */
import type { SFTPWrapper } from 'ssh2';
import { systemClock, type Clock } from '../../base/clock.ts';
import { shellQuote } from '../../base/text.ts';
import { HeadTail } from '../headTail.ts';
import {
  MachineFailure,
  type ExecOptions,
  type ExecResult,
  type FileStat,
  type Follow,
  type FollowSink,
  type Machine,
} from '../machine.ts';
import { detachScript } from './remoteCommand.ts';
import { execRemote } from './remoteExec.ts';
import {
  appendThroughShell,
  readThroughShell,
  statThroughShell,
  writeThroughShell,
  type ByteRange,
  type RunScript,
  type ScriptResult,
} from './remoteFiles.ts';
import { RemoteFollows, type FollowSource } from './remoteFollow.ts';
import { RemoteShell } from './remoteShell.ts';
import { readOverSftp, statOverSftp } from './sftpFiles.ts';
import type { SshConnection } from './sshConnection.ts';

export interface SshMachineOptions {
  /** Of machines.json. */
  readonly id: string;
  /** Not owned: others on the host share it. */
  readonly connection: SshConnection;
  /** Absolute, as `homeOf` tells it. */
  readonly homeFolder: string;
  /** Absolute. Default `~/.helios/runs`. */
  readonly runsFolder?: string;
  /** Absolute. Default `~`. */
  readonly workFolder?: string;
  readonly clock?: Clock;
}

const defaultMaxBytes = 512 * 1024;
const describeTimeoutMs = 10_000;
const beatMs = 200;
/** Where the host has no room for a shell that stays. */
const pollMs = 2000;

/** Asks the host what `~` is for the user. Rejects with `MachineFailure`. */
export async function homeOf(connection: SshConnection, clock: Clock = systemClock): Promise<string> {
  const { stdout } = await runScript(connection, clock, 'cd && pwd -P');
  const home = stdout.toString().trim();
  if (home.startsWith('/')) return home;
  throw new MachineFailure('io', `${connection.target.host} does not say where the home folder is.`);
}

export class SshMachine implements Machine {
  readonly id: string;
  readonly kind = 'ssh';
  readonly runsFolder: string;
  readonly workFolder: string;
  readonly homeFolder: string;
  readonly connection: SshConnection;
  readonly #clock: Clock;
  readonly #follows: RemoteFollows;
  readonly #run: RunScript;
  #description: Promise<string> | undefined;

  constructor(options: SshMachineOptions) {
    this.id = options.id;
    this.connection = options.connection;
    this.homeFolder = options.homeFolder;
    this.runsFolder = options.runsFolder ?? `${options.homeFolder}/.helios/runs`;
    this.workFolder = options.workFolder ?? options.homeFolder;
    this.#clock = options.clock ?? systemClock;
    this.#run = (script, stdin) => runScript(this.connection, this.#clock, script, stdin);
    this.#follows = new RemoteFollows({
      clock: this.#clock,
      open: () => this.#source(),
      retryAfterMs: () => this.connection.retryAfterMs,
    });
  }

  /** `ada@gpu1 · 16 CPUs · 128 GB · 2 × NVIDIA A100`. Rejects with `MachineFailure` while nothing is known. */
  describe(): Promise<string> {
    this.#description ??= this.#describe().catch((error: unknown) => {
      this.#description = undefined;
      throw error;
    });
    return this.#description;
  }

  async exec(command: string, options: ExecOptions = {}): Promise<ExecResult> {
    const stdout = new HeadTail(options.maxBytes ?? defaultMaxBytes);
    const stderr = new HeadTail(options.maxBytes ?? defaultMaxBytes);
    const outcome = await execRemote(
      this.connection,
      command,
      {
        ...options,
        cwd: options.cwd ?? this.workFolder,
        onStdout: (bytes) => stdout.push(bytes),
        onStderr: (bytes) => stderr.push(bytes),
      },
      this.#clock,
    );
    const omittedBytes = { stdout: stdout.omittedBytes, stderr: stderr.omittedBytes };
    return { outcome, stdout: stdout.text(), stderr: stderr.text(), omittedBytes };
  }

  async spawnDetached(
    argv: readonly string[],
    options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  ): Promise<void> {
    const { outcome, stderr } = await this.exec(detachScript(argv), options);
    if (outcome.kind === 'exited' && outcome.code === 0) return;
    throw new MachineFailure('io', `The command could not be started: ${stderr.trim() || outcome.kind}.`);
  }

  async readFile(path: string, range?: ByteRange): Promise<Uint8Array> {
    const sftp = await this.#sftp();
    return sftp ? readOverSftp(sftp, path, range) : readThroughShell(this.#run, path, range);
  }

  writeFile(path: string, content: Uint8Array): Promise<void> {
    return writeThroughShell(this.#run, path, content);
  }

  appendFile(path: string, content: Uint8Array): Promise<void> {
    return appendThroughShell(this.#run, path, content);
  }

  async stat(path: string): Promise<FileStat | undefined> {
    const sftp = await this.#sftp();
    return sftp ? statOverSftp(sftp, path) : statThroughShell(this.#run, path);
  }

  follow(path: string, offset: number, sink: FollowSink): Follow {
    return this.#follows.follow(path, offset, sink);
  }

  /** Stops following. The connection is its owner's. */
  dispose(): void {
    this.#follows.dispose();
  }

  /** `undefined` where the host has none: its shell does it. */
  #sftp(): Promise<SFTPWrapper | undefined> {
    return this.connection.sftp().catch((error: unknown) => {
      if (error instanceof MachineFailure && error.reason === 'denied') return undefined;
      throw error;
    });
  }

  async #source(): Promise<FollowSource> {
    try {
      return { runner: await RemoteShell.open(this.connection, this.#clock), beatMs };
    } catch (error) {
      if (!(error instanceof MachineFailure) || error.reason !== 'denied') throw error;
      const run = async (script: string): Promise<Buffer> => (await this.#run(script)).stdout;
      return { runner: { run, dispose: () => undefined }, beatMs: pollMs };
    }
  }

  async #describe(): Promise<string> {
    const { user, host, port } = this.connection.target;
    const script = [
      'getconf _NPROCESSORS_ONLN 2>/dev/null || nproc 2>/dev/null || echo 0',
      "awk '/^MemTotal/ {print $2 * 1024}' /proc/meminfo 2>/dev/null || sysctl -n hw.memsize 2>/dev/null || echo 0",
      'command -v nvidia-smi >/dev/null && nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null',
      ':',
    ].join('\n');
    const { stdout } = await this.exec(script, { cwd: '/', timeoutMs: describeTimeoutMs });
    const [cpus = '0', memory = '0', ...gpus] = stdout.split('\n').map((line) => line.trim());
    const where = `${user}@${host}${port === 22 ? '' : `:${port}`}`;
    const parts = [
      where,
      ...cpuText(Number(cpus)),
      ...(Number(memory) > 0 ? [`${Math.round(Number(memory) / 2 ** 30)} GB`] : []),
    ];
    return [...parts, ...gpuTexts(gpus.filter(Boolean))].join(' · ');
  }
}

const cpuText = (count: number): string[] => (count > 0 ? [`${count} CPU${count === 1 ? '' : 's'}`] : []);

const gpuTexts = (names: readonly string[]): string[] =>
  [...new Set(names)].map((name) => `${names.filter((other) => other === name).length} × ${name}`);

/** `script` with the POSIX shell, whatever shell the user's commands get. */
async function runScript(
  connection: SshConnection,
  clock: Clock,
  script: string,
  stdin?: Uint8Array,
): Promise<ScriptResult> {
  const stdout: Uint8Array[] = [];
  const stderr = new HeadTail(defaultMaxBytes);
  const outcome = await execRemote(
    connection,
    `exec /bin/sh -c ${shellQuote(script)}`,
    {
      cwd: '/',
      ...(stdin === undefined ? {} : { stdin }),
      onStdout: (bytes) => stdout.push(bytes),
      onStderr: (bytes) => stderr.push(bytes),
    },
    clock,
  );
  return { outcome, stdout: Buffer.concat(stdout), stderr: stderr.text() };
}
