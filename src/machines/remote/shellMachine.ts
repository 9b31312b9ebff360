/** Base class of machines that run everything through a shell on a host. */
import { posix } from 'node:path';
import { systemClock, type Clock } from '../../base/clock.ts';
import { counted } from '../../base/text.ts';
import { quotedReason } from '../../base/untrusted.ts';
import { HeadTail } from '../headTail.ts';
import {
  MachineFailure,
  type ExecOptions,
  type ExecResult,
  type FileStat,
  type Follow,
  type FollowSink,
  type Machine,
  type MachineKind,
  type QueryOptions,
  type StreamOptions,
  type StreamResult,
  type AppendOptions,
  type WriteOptions,
} from '../machine.ts';
import { guardedStream } from '../pouring.ts';
import type { CommandHost } from './commandHost.ts';
import { Queries } from './queries.ts';
import { detachScript } from './remoteCommand.ts';
import { BoundedAnswer } from './boundedAnswer.ts';
import { execRemote } from './remoteExec.ts';
import {
  appendThroughShell,
  readThroughShell,
  statThroughShell,
  writeThroughShell,
  type ByteRange,
  type RunScript,
  type ScriptOptions,
  type ScriptResult,
} from './remoteFiles.ts';
import { RemoteFollows } from './remoteFollow.ts';
import { maxAnswerBytes, tooLong } from './remoteShell.ts';
import { StandingShell } from './standingShell.ts';

export interface ShellMachineOptions {
  /** Id in machines.json. */
  readonly id: string;
  /** Absolute. */
  readonly runsFolder: string;
  /** Absolute. */
  readonly workFolder: string;
  readonly clock?: Clock;
}

const defaultMaxBytes = 512 * 1024;
const describeTimeoutMs = 10_000;

export abstract class ShellMachine implements Machine {
  readonly id: string;
  abstract readonly kind: MachineKind;
  readonly path = posix;
  readonly runsFolder: string;
  readonly workFolder: string;
  protected readonly run: RunScript;
  readonly #host: CommandHost;
  readonly #clock: Clock;
  readonly #follows: RemoteFollows;
  #description: Promise<string> | undefined;
  readonly #queries: Queries;

  constructor(host: CommandHost, options: ShellMachineOptions) {
    this.id = options.id;
    this.runsFolder = options.runsFolder;
    this.workFolder = options.workFolder;
    this.#host = host;
    this.#clock = options.clock ?? systemClock;
    this.run = (script, options) => runScript(host, this.#clock, script, options);
    // Queries use a separate shell, because a slow query would delay the shell that follows files.
    const following: StandingShell = new StandingShell(host, this.#clock, () => querying);
    const querying = new StandingShell(host, this.#clock, () => following);
    this.#queries = new Queries(querying);
    this.#follows = new RemoteFollows({
      clock: this.#clock,
      shell: following,
      retryAfterMs: () => host.retryAfterMs,
    });
  }

  /** First part of the description, such as `ada@gpu1`. */
  protected abstract get place(): string;

  /** Limits of CPUs and memory, if lower than what the machine reports. */
  protected get limits(): { readonly cpus?: number; readonly memoryMb?: number } {
    return {};
  }

  /**
   * Resolves with `ada@gpu1 · 16 CPUs · 128 GB · 2 × NVIDIA A100`. Rejects with `MachineFailure` if
   * the machine does not answer and has never answered before.
   */
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
      this.#host,
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

  query(script: string, options?: QueryOptions): Promise<string> {
    return this.#queries.ask(script, options);
  }

  stream(script: string, options: StreamOptions): Promise<StreamResult> {
    return guardedStream(options, async ({ cwd = this.workFolder, ...ends }) => {
      const stderr = new HeadTail(defaultMaxBytes);
      const onStderr = (bytes: Uint8Array): void => stderr.push(bytes);
      const exec = { ...ends, cwd, isPosix: true, onStderr };
      const outcome = await execRemote(this.#host, script, exec, this.#clock);
      return { outcome, stderr: stderr.text() };
    });
  }

  async spawnDetached(
    argv: readonly string[],
    options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  ): Promise<void> {
    const { outcome, stderr } = await this.exec(detachScript(argv), options);
    if (outcome.kind === 'exited' && outcome.code === 0) return;
    throw new MachineFailure(
      'io',
      `The command could not be started: ${quotedReason(stderr, 'the machine', outcome.kind)}.`,
    );
  }

  readFile(path: string, range?: ByteRange): Promise<Uint8Array> {
    return readThroughShell(this.run, path, range);
  }

  writeFile(path: string, content: Uint8Array, options?: WriteOptions): Promise<void> {
    return writeThroughShell(this.run, path, content, options);
  }

  appendFile(path: string, content: Uint8Array, options?: AppendOptions): Promise<void> {
    return appendThroughShell(this.run, path, content, options);
  }

  stat(path: string): Promise<FileStat | undefined> {
    return statThroughShell(this.run, path);
  }

  follow(path: string, offset: number, sink: FollowSink): Follow {
    return this.#follows.follow(path, offset, sink);
  }

  /** Stops following files. Does not close the connection, which the connector owns. */
  dispose(): void {
    this.#follows.dispose();
    this.#queries.dispose();
  }

  async #describe(): Promise<string> {
    const script = [
      'getconf _NPROCESSORS_ONLN 2>/dev/null || nproc 2>/dev/null || echo 0',
      "awk '/^MemTotal/ {print $2 * 1024}' /proc/meminfo 2>/dev/null || sysctl -n hw.memsize 2>/dev/null || echo 0",
      'command -v nvidia-smi >/dev/null && nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null',
      ':',
    ].join('\n');
    const { stdout } = await this.exec(script, { cwd: '/', timeoutMs: describeTimeoutMs });
    const [cpus = '0', memory = '0', ...gpus] = stdout.split('\n').map((line) => line.trim());
    const { cpus: cpuLimit, memoryMb = Number(memory) / 2 ** 20 } = this.limits;
    const hardware = [
      ...cpuText(cpuLimit ?? Number(cpus)),
      ...memoryText(memoryMb),
      ...gpuTexts(gpus.filter(Boolean)),
    ];
    return [this.place, ...hardware].join(' · ');
  }
}

const cpuText = (count: number): string[] => (count > 0 ? [counted(count, 'CPU')] : []);

const memoryText = (mb: number): string[] =>
  mb > 0 ? [mb < 1024 ? `${Math.round(mb)} MB` : `${Math.round(mb / 1024)} GB`] : [];

const gpuTexts = (names: readonly string[]): string[] =>
  [...new Set(names)].map((name) => `${names.filter((other) => other === name).length} × ${name}`);

/**
 * Runs `script` with the POSIX shell, even if the user's commands run in another shell. Rejects
 * with `MachineFailure` (`io`) when the answer is too long.
 */
export async function runScript(
  host: CommandHost,
  clock: Clock,
  script: string,
  { stdin, maxBytes = maxAnswerBytes }: ScriptOptions = {},
): Promise<ScriptResult> {
  const stdout = new BoundedAnswer(maxBytes);
  const stderr = new HeadTail(defaultMaxBytes);
  const outcome = await execRemote(
    host,
    script,
    {
      cwd: '/',
      isPosix: true,
      ...(stdin === undefined ? {} : { stdin }),
      signal: stdout.signal,
      onStdout: (bytes) => stdout.push(bytes),
      onStderr: (bytes) => stderr.push(bytes),
    },
    clock,
  );
  if (stdout.signal.aborted) throw tooLong(host.name, maxBytes);
  return { outcome, stdout: stdout.bytes(), stderr: stderr.text() };
}
