/** Runs short commands and detached processes on this computer. */
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import { DisposableStore } from '../../base/disposable.ts';
import { codeOf, messageOf } from '../../base/errors.ts';
import { HeadTail } from '../headTail.ts';
import { statLocal } from './localFiles.ts';
import {
  MachineFailure,
  type ExecOptions,
  type ExecOutcome,
  type ExecResult,
  type StreamOptions,
  type StreamResult,
} from '../machine.ts';
import { guardedStream, pour } from '../pouring.ts';

const defaultMaxBytes = 512 * 1024;
/** Delay between SIGTERM and SIGKILL when a command is ended because of a timeout. */
const timeoutGraceMs = 2000;
/**
 * Delay between SIGTERM and SIGKILL when a command is ended because of an abort. Shorter, because a
 * user may be waiting.
 */
const abortGraceMs = 500;
/**
 * Time for which output is still read after the end of the shell, if its child processes keep the
 * pipes open.
 */
const lingerMs = 250;

interface Launch {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

// Node's pipes are sockets, which bash mistakes for a network connection: without `--norc`, bash
// would run ~/.bashrc, whose output would mix with the command's output.
const shell = existsSync('/bin/bash') ? ['/bin/bash', '--norc'] : ['/bin/sh'];

/** Runs `command` in a separate process group; see `Machine.exec`. */
export async function execLocal(
  command: string,
  launch: Launch,
  options: ExecOptions,
  clock: Clock,
): Promise<ExecResult> {
  const noOutput = { stdout: '', stderr: '', omittedBytes: { stdout: 0, stderr: 0 } };
  if (options.signal?.aborted) return { ...noOutput, outcome: { kind: 'aborted' } };
  await assertFolder(launch.cwd);
  const stdin = options.stdin === undefined ? 'ignore' : 'pipe';
  const child = start([...shell, '-c', command], { ...launch, stdio: [stdin, 'pipe', 'pipe'] });
  const stdout = collect(child.stdout, options);
  const stderr = collect(child.stderr, options);
  await started(child);
  const outcome = ended(child, options, clock);
  feed(child, options.stdin);
  return {
    outcome: await outcome,
    stdout: stdout.text(),
    stderr: stderr.text(),
    omittedBytes: { stdout: stdout.omittedBytes, stderr: stderr.omittedBytes },
  };
}

/** See `Machine.stream`. */
export async function streamLocal(
  script: string,
  launch: Launch,
  options: StreamOptions,
  clock: Clock,
): Promise<StreamResult> {
  if (options.signal?.aborted) return { outcome: { kind: 'aborted' }, stderr: '' };
  await assertFolder(launch.cwd);
  return guardedStream(options, async ({ stdin, onStdout, signal }) => {
    const child = start(['/bin/sh', '-c', script], {
      ...launch,
      stdio: [stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    });
    const stderr = collect(child.stderr, {});
    const isBusy = passOn(child.stdout, onStdout);
    await started(child);
    const outcome = ended(child, { ...(signal && { signal }), isBusy }, clock);
    child.stdin?.on('error', () => undefined);
    if (stdin && child.stdin) pour(stdin, child.stdin);
    return { outcome: await outcome, stderr: stderr.text() };
  });
}

/**
 * Passes output to `onBytes`, and pauses the stream until a returned promise settles. Returns a
 * function that tells whether output was passed since that function's last call, or is still being
 * consumed.
 */
function passOn(stream: Readable | null, onBytes: StreamOptions['onStdout']): () => boolean {
  let isHeld = false;
  let hasPassed = false;
  stream?.on('data', (bytes: Buffer) => {
    hasPassed = true;
    const pending = onBytes(bytes);
    if (pending === undefined) return;
    isHeld = true;
    stream.pause();
    const resume = (): void => {
      isHeld = false;
      // More bytes may be in the pipe, so report the output as busy once more.
      hasPassed = true;
      stream.resume();
    };
    pending.then(resume, resume);
  });
  // Node resumes the output of a child process that has ended, so pause it again.
  stream?.on('resume', () => {
    if (isHeld) stream.pause();
  });
  return () => {
    const wasBusy = isHeld || hasPassed;
    hasPassed = false;
    return wasBusy;
  };
}

/**
 * Starts `argv` in a separate session, without pipes to this process. Resolves when the process has
 * started.
 */
export async function spawnLocalDetached(argv: readonly string[], launch: Launch): Promise<void> {
  await assertFolder(launch.cwd);
  const child = start(argv, { ...launch, stdio: 'ignore' });
  child.unref();
  await started(child);
}

async function assertFolder(path: string): Promise<void> {
  const stat = await statLocal(path);
  if (!stat?.isDirectory)
    throw new MachineFailure('missing', `There is no folder ${path} to run a command in.`);
}

function collect(stream: Readable | null, options: ExecOptions): HeadTail {
  const output = new HeadTail(options.maxBytes ?? defaultMaxBytes);
  stream?.on('data', (bytes: Buffer) => output.push(bytes));
  return output;
}

/**
 * Starts a process in a separate session, so that signals to this process do not reach the new
 * process, and its process group can be ended as a whole.
 */
function start(argv: readonly string[], options: SpawnOptions): ChildProcess {
  try {
    return spawn(argv[0] ?? '', argv.slice(1), { ...options, detached: true, windowsHide: true });
  } catch (error) {
    throw startFailure(error);
  }
}

const started = (child: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(startFailure(error)));
  });

const startFailure = (error: unknown): MachineFailure =>
  codeOf(error) === 'E2BIG'
    ? new MachineFailure('io', 'The command is too long. Write it to a file and run the file.', {
        cause: error,
      })
    : new MachineFailure('io', `The command could not be started: ${messageOf(error)}.`, {
        cause: error,
      });

function feed(child: ChildProcess, stdin: string | Uint8Array | undefined): void {
  // A command may end without reading its input; that is not an error.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(stdin);
}

interface EndOptions extends Pick<ExecOptions, 'timeoutMs' | 'signal'> {
  /**
   * Returns true if output was received since the last call or is still being processed. While
   * true, the pipes stay open after the command has exited. Absent if output is never delayed.
   */
  isBusy?(): boolean;
}

function ended(child: ChildProcess, options: EndOptions, clock: Clock): Promise<ExecOutcome> {
  return new Promise((resolve) => {
    const { timeoutMs, signal, isBusy } = options;
    const timers = new DisposableStore();
    let stopOutcome: ExecOutcome | undefined;
    let ownOutcome: ExecOutcome | undefined;
    let kill = { dispose: (): void => undefined };
    const cutShort = (why: ExecOutcome, graceMs: number): void => {
      if (stopOutcome ?? ownOutcome) return;
      stopOutcome = why;
      signalGroup(child, 'SIGTERM');
      kill = clock.after(graceMs, () => signalGroup(child, 'SIGKILL'));
    };
    const onAbort = (): void => cutShort({ kind: 'aborted' }, abortGraceMs);
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    if (timeoutMs !== undefined)
      timers.add(
        clock.after(timeoutMs, () =>
          cutShort({ kind: 'timed_out', afterMs: timeoutMs }, timeoutGraceMs),
        ),
      );
    child.once('exit', (code, by) => {
      ownOutcome =
        code === null
          ? { kind: 'signalled', signal: (by ?? 'unknown').replace(/^SIG/, '') }
          : { kind: 'exited', code };
      const linger = (): void => {
        const letGo = (): void =>
          [child.stdout, child.stderr].forEach((stream) => stream?.destroy());
        const judge = (): void => (isBusy?.() ? linger() : letGo());
        // Use `setImmediate`, so that pending output is read first if this timer fires late.
        timers.add(clock.after(lingerMs, () => setImmediate(judge)));
      };
      linger();
      // Processes of the group that outlive the shell still receive SIGKILL.
      if (!signalGroup(child, 0)) kill.dispose();
    });
    child.once('close', () => {
      timers.dispose();
      signal?.removeEventListener('abort', onAbort);
      resolve(stopOutcome ?? ownOutcome ?? { kind: 'signalled', signal: 'unknown' });
    });
  });
}

/** Sends a signal to the command's process group; returns `false` when the group is empty. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  try {
    process.kill(-child.pid, signal);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}
